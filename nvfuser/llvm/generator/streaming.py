"""Copies that go past the caches: for what is larger than they are.

``@nvf.stream.b8(out, in, bytes)`` copies bytes; a fence must follow before others read them.
"""

from __future__ import annotations

from builder import Family, Function

CACHE_LINE = 64
# What is requested before it is read: at the beginning of a row that lies anywhere, and of a page,
# the processor does not know yet how it goes on. Not what lies behind the row.
BYTES_AHEAD = 2048


def stream() -> Function:
    """Whole cache lines are written without being read; what is left at the ends is just copied."""
    f = Function(
        "stream.b8",
        [("ptr noalias", "out"), ("ptr noalias readonly", "in"), ("i64", "bytes")],
        "void",
        attributes="nounwind willreturn",
    )
    copy = "llvm.memcpy.p0.p0.i64"
    f.declarations |= {
        f"declare void @{copy}(ptr, ptr, i64, i1)",
        "declare i64 @llvm.smin.i64(i64, i64)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    }
    line, words = CACHE_LINE, f"<{CACHE_LINE // 4} x i32>"
    f.lines += [
        "entry:",
        "  %address = ptrtoint ptr %out to i64",
        "  %negative = sub i64 0, %address",
        f"  %gap = and i64 %negative, {line - 1}",
        "  %head = call i64 @llvm.smin.i64(i64 %gap, i64 %bytes)",
        "  %has_head = icmp sgt i64 %head, 0",
        "  br i1 %has_head, label %begin, label %lines",
        "begin:",
        f"  call void @{copy}(ptr %out, ptr %in, i64 %head, i1 false)",
        "  br label %lines",
        "lines:",
        "  %rest = sub i64 %bytes, %head",
        f"  %whole = and i64 %rest, {-line}",
        "  %stop = add i64 %head, %whole",
        "  br label %line.head",
        "line.head:",
        "  %i = phi i64 [ %head, %lines ], [ %i.next, %line ]",
        "  %more = icmp slt i64 %i, %stop",
        "  br i1 %more, label %line, label %tail",
        "line:",
        "  %from = getelementptr inbounds i8, ptr %in, i64 %i",
        "  %to = getelementptr inbounds i8, ptr %out, i64 %i",
        f"  %later = add nuw nsw i64 %i, {BYTES_AHEAD}",
        "  %within = call i64 @llvm.smin.i64(i64 %later, i64 %bytes)",
        "  %ahead = getelementptr inbounds i8, ptr %in, i64 %within",
        "  call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 3, i32 1)",
        f"  %words = load {words}, ptr %from, align 1",
        f"  store {words} %words, ptr %to, align {line}, !nontemporal !{{i32 1}}",
        f"  %i.next = add nuw nsw i64 %i, {line}",
        "  br label %line.head",
        "tail:",
        "  %left = sub i64 %rest, %whole",
        "  %has_tail = icmp sgt i64 %left, 0",
        "  br i1 %has_tail, label %end, label %exit",
        "end:",
        "  %last.in = getelementptr inbounds i8, ptr %in, i64 %stop",
        "  %last.out = getelementptr inbounds i8, ptr %out, i64 %stop",
        f"  call void @{copy}(ptr %last.out, ptr %last.in, i64 %left, i1 false)",
        "  br label %exit",
        "exit:",
        "  ret void",
    ]
    return f


def family() -> Family:
    """The file's functions."""
    result = Family("streaming", "Copies that go past the caches.")
    result.add(stream())
    return result
