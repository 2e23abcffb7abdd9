; Logarithms.
; Written by tools/llvm_math/generate.py; edit that, not this file.

declare float @llvm.fabs.f32(float)
declare float @llvm.fmuladd.f32(float, float, float)

define internal float @nvf.log.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0x3810000000000000
  %mul = fmul float %x, 0x4160000000000000
  %select = select i1 %is, float %mul, float %x
  %bitcast = bitcast float %select to i32
  %select.1 = select i1 %is, float 0xC037000000000000, float 0x0000000000000000
  %sub = sub i32 %bitcast, 1060439283
  %ashr = ashr i32 %sub, 23
  %shl = shl i32 %ashr, 23
  %sub.1 = sub i32 %bitcast, %shl
  %bitcast.1 = bitcast i32 %sub.1 to float
  %sitofp = sitofp i32 %ashr to float
  %add = fadd float %sitofp, %select.1
  %sub.2 = fsub float %bitcast.1, 0x3FF0000000000000
  %mul.1 = fmul float %sub.2, %sub.2
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBFB39269E0000000, float %sub.2, float 0x3FC0587A80000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.2, float 0xBFC0D863A0000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.2, float 0x3FC22D47C0000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.2, float 0xBFC5471920000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.2, float 0x3FC99A03C0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.2, float 0xBFD00022A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %sub.2, float 0x3FD5555540000000)
  %mul.2 = fmul float %mul.1, %sub.2
  %mul.3 = fmul float %mul.1, 0xBFE0000000000000
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul.2, float %fmuladd.6, float %mul.3)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %add, float 0x3EB7F7D1C0000000, float %fmuladd.7)
  %add.1 = fadd float %sub.2, %fmuladd.8
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %add, float 0x3FE62E4000000000, float %add.1)
  %is.1 = fcmp olt float %x, 0x7FF0000000000000
  %select.2 = select i1 %is.1, float %fmuladd.9, float %x
  %is.2 = fcmp oeq float %x, 0x0000000000000000
  %select.3 = select i1 %is.2, float 0xFFF0000000000000, float %select.2
  %is.3 = fcmp olt float %x, 0x0000000000000000
  %select.4 = select i1 %is.3, float 0x7FF8000000000000, float %select.3
  ret float %select.4
}

define internal float @nvf.log1p.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp ogt float %x, 0x41E0000000000000
  %mul = fmul float %x, 0x3BF0000000000000
  %select = select i1 %is, float %mul, float %x
  %select.1 = select i1 %is, float 0x0000000000000000, float 0x3FF0000000000000
  %add = fadd float %select, %select.1
  %bitcast = bitcast float %add to i32
  %sub = sub i32 %bitcast, 1060439283
  %ashr = ashr i32 %sub, 23
  %shl = shl i32 %ashr, 23
  %sub.1 = sub i32 %bitcast, %shl
  %bitcast.1 = bitcast i32 %sub.1 to float
  %sub.2 = sub i32 0, %ashr
  %shl.1 = shl i32 %sub.2, 23
  %add.1 = add i32 %shl.1, 1065353216
  %bitcast.2 = bitcast i32 %add.1 to float
  %fmuladd = call float @llvm.fmuladd.f32(float %select.1, float %bitcast.2, float 0xBFF0000000000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %select, float %bitcast.2, float %fmuladd)
  %sitofp = sitofp i32 %ashr to float
  %select.2 = select i1 %is, float 0x4050000000000000, float 0x0000000000000000
  %add.2 = fadd float %sitofp, %select.2
  %mul.1 = fmul float %fmuladd.1, %fmuladd.1
  %fmuladd.2 = call float @llvm.fmuladd.f32(float 0xBFB39269E0000000, float %fmuladd.1, float 0x3FC0587A80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %fmuladd.1, float 0xBFC0D863A0000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.1, float 0x3FC22D47C0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.1, float 0xBFC5471920000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.1, float 0x3FC99A03C0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.1, float 0xBFD00022A0000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %fmuladd.1, float 0x3FD5555540000000)
  %mul.2 = fmul float %mul.1, %fmuladd.1
  %mul.3 = fmul float %mul.1, 0xBFE0000000000000
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %mul.2, float %fmuladd.8, float %mul.3)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %add.2, float 0x3EB7F7D1C0000000, float %fmuladd.9)
  %add.3 = fadd float %fmuladd.1, %fmuladd.10
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %add.2, float 0x3FE62E4000000000, float %add.3)
  %fabs = call float @llvm.fabs.f32(float %x)
  %is.1 = fcmp olt float %fabs, 0x3E60000000000000
  %select.3 = select i1 %is.1, float %x, float %fmuladd.11
  %is.2 = fcmp olt float %x, 0x7FF0000000000000
  %select.4 = select i1 %is.2, float %select.3, float %x
  %is.3 = fcmp oeq float %x, 0xBFF0000000000000
  %select.5 = select i1 %is.3, float 0xFFF0000000000000, float %select.4
  %is.4 = fcmp olt float %x, 0xBFF0000000000000
  %select.6 = select i1 %is.4, float 0x7FF8000000000000, float %select.5
  ret float %select.6
}

define internal float @nvf.log2.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0x3810000000000000
  %mul = fmul float %x, 0x4160000000000000
  %select = select i1 %is, float %mul, float %x
  %bitcast = bitcast float %select to i32
  %select.1 = select i1 %is, float 0xC037000000000000, float 0x0000000000000000
  %sub = sub i32 %bitcast, 1060439283
  %ashr = ashr i32 %sub, 23
  %shl = shl i32 %ashr, 23
  %sub.1 = sub i32 %bitcast, %shl
  %bitcast.1 = bitcast i32 %sub.1 to float
  %sitofp = sitofp i32 %ashr to float
  %add = fadd float %sitofp, %select.1
  %sub.2 = fsub float %bitcast.1, 0x3FF0000000000000
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBFBC77B140000000, float %sub.2, float 0x3FC7FA6020000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.2, float 0xBFC8795C20000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.2, float 0x3FCA2BA280000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.2, float 0xBFCEAA8AC0000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.2, float 0x3FD277F720000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.2, float 0xBFD715AF00000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %sub.2, float 0x3FDEC70940000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %sub.2, float 0xBFE7154700000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %sub.2, float %fmuladd.7, float 0x3E54AE0C00000000)
  %mul.1 = fmul float %sub.2, %fmuladd.8
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %sub.2, float 0x3FF7154760000000, float %mul.1)
  %add.1 = fadd float %add, %fmuladd.9
  %is.1 = fcmp olt float %x, 0x7FF0000000000000
  %select.2 = select i1 %is.1, float %add.1, float %x
  %is.2 = fcmp oeq float %x, 0x0000000000000000
  %select.3 = select i1 %is.2, float 0xFFF0000000000000, float %select.2
  %is.3 = fcmp olt float %x, 0x0000000000000000
  %select.4 = select i1 %is.3, float 0x7FF8000000000000, float %select.3
  ret float %select.4
}

define internal float @nvf.log10.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0x3810000000000000
  %mul = fmul float %x, 0x4160000000000000
  %select = select i1 %is, float %mul, float %x
  %bitcast = bitcast float %select to i32
  %select.1 = select i1 %is, float 0xC037000000000000, float 0x0000000000000000
  %sub = sub i32 %bitcast, 1060439283
  %ashr = ashr i32 %sub, 23
  %shl = shl i32 %ashr, 23
  %sub.1 = sub i32 %bitcast, %shl
  %bitcast.1 = bitcast i32 %sub.1 to float
  %sitofp = sitofp i32 %ashr to float
  %add = fadd float %sitofp, %select.1
  %sub.2 = fsub float %bitcast.1, 0x3FF0000000000000
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBFA1354BC0000000, float %sub.2, float 0x3FACE12FC0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.2, float 0xBFAD710FE0000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.2, float 0x3FAF825160000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.2, float 0xBFB276EB60000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.2, float 0x3FB63D11C0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.2, float 0xBFBBCBF340000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %sub.2, float 0x3FC287A700000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %sub.2, float 0xBFCBCB7AA0000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %sub.2, float %fmuladd.7, float 0xBE45B235E0000000)
  %mul.1 = fmul float %sub.2, %fmuladd.8
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %add, float 0x3ED3509F80000000, float %mul.1)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %sub.2, float 0x3FDBCB7B20000000, float %fmuladd.9)
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %add, float 0x3FD3440000000000, float %fmuladd.10)
  %is.1 = fcmp olt float %x, 0x7FF0000000000000
  %select.2 = select i1 %is.1, float %fmuladd.11, float %x
  %is.2 = fcmp oeq float %x, 0x0000000000000000
  %select.3 = select i1 %is.2, float 0xFFF0000000000000, float %select.2
  %is.3 = fcmp olt float %x, 0x0000000000000000
  %select.4 = select i1 %is.3, float 0x7FF8000000000000, float %select.3
  ret float %select.4
}
