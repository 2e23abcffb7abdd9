; Copies that go past the caches.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

define internal void @nvf.stream.b8(ptr noalias %out, ptr noalias readonly %in, i64 %bytes) nounwind willreturn {
entry:
  %address = ptrtoint ptr %out to i64
  %negative = sub i64 0, %address
  %gap = and i64 %negative, 63
  %head = call i64 @llvm.smin.i64(i64 %gap, i64 %bytes)
  %has_head = icmp sgt i64 %head, 0
  br i1 %has_head, label %begin, label %lines
begin:
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 %head, i1 false)
  br label %lines
lines:
  %rest = sub i64 %bytes, %head
  %whole = and i64 %rest, -64
  %stop = add i64 %head, %whole
  br label %line.head
line.head:
  %i = phi i64 [ %head, %lines ], [ %i.next, %line ]
  %more = icmp slt i64 %i, %stop
  br i1 %more, label %line, label %tail
line:
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %later = add nuw nsw i64 %i, 2048
  %within = call i64 @llvm.smin.i64(i64 %later, i64 %bytes)
  %ahead = getelementptr inbounds i8, ptr %in, i64 %within
  call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 3, i32 1)
  %words = load <16 x i32>, ptr %from, align 1
  store <16 x i32> %words, ptr %to, align 64, !nontemporal !{i32 1}
  %i.next = add nuw nsw i64 %i, 64
  br label %line.head
tail:
  %left = sub i64 %rest, %whole
  %has_tail = icmp sgt i64 %left, 0
  br i1 %has_tail, label %end, label %exit
end:
  %last.in = getelementptr inbounds i8, ptr %in, i64 %stop
  %last.out = getelementptr inbounds i8, ptr %out, i64 %stop
  call void @llvm.memcpy.p0.p0.i64(ptr %last.out, ptr %last.in, i64 %left, i1 false)
  br label %exit
exit:
  ret void
}
