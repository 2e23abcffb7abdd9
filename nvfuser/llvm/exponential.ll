; exp and what is built on one exponential.
; Written by tools/llvm_math/generate.py; edit that, not this file.

declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fmuladd.f32(float, float, float)

define internal float @nvf.exp.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0xC05A000000000000
  %select = select i1 %is, float 0xC05A000000000000, float %x
  %is.1 = fcmp ogt float %select, 0x4056400000000000
  %select.1 = select i1 %is.1, float 0x4056400000000000, float %select
  %fmuladd = call float @llvm.fmuladd.f32(float %select.1, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %select.1)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = sub i32 %bitcast, 1262485250
  %lshr = lshr i32 %sub.1, 1
  %sub.2 = sub i32 %sub.1, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast.1 = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.2, 23
  %bitcast.2 = bitcast i32 %shl.1 to float
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56AD22C0000000, float %fmuladd.2, float 0x3F8123F380000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA55584E0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %mul = fmul float %fmuladd.2, %fmuladd.2
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.6, float %fmuladd.2)
  %add = fadd float %fmuladd.7, 0x3FF0000000000000
  %mul.1 = fmul float %add, %bitcast.1
  %mul.2 = fmul float %mul.1, %bitcast.2
  ret float %mul.2
}

define internal float @nvf.exp2.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0xC062E00000000000
  %select = select i1 %is, float 0xC062E00000000000, float %x
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F24BCB940000000, float %sub.1, float 0x3F55FBFAA0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3F83B21C80000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FAC6ADA60000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x3FCEBFBE60000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.1, float 0x3FE62E4320000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %sub.1, float %fmuladd.4, float 0x3FF0000000000000)
  %bitcast = bitcast float %add to i32
  %sub.2 = sub i32 %bitcast, 1262485250
  %lshr = lshr i32 %sub.2, 1
  %sub.3 = sub i32 %sub.2, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast.1 = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.3, 23
  %bitcast.2 = bitcast i32 %shl.1 to float
  %mul = fmul float %fmuladd.5, %bitcast.1
  %mul.1 = fmul float %mul, %bitcast.2
  ret float %mul.1
}

define internal float @nvf.expm1.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0xC032000000000000
  %select = select i1 %is, float 0xC032000000000000, float %x
  %is.1 = fcmp ogt float %select, 0x4056400000000000
  %select.1 = select i1 %is.1, float 0x4056400000000000, float %select
  %fmuladd = call float @llvm.fmuladd.f32(float %select.1, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %select.1)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.1)
  %bitcast = bitcast float %fmuladd to i32
  %mul = fmul float %fmuladd.2, %fmuladd.2
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F29C5D740000000, float %fmuladd.2, float 0x3F56D4C960000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3F81113AC0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FA5554EA0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FC5555540000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.2, float 0x3FE0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.7, float %fmuladd.2)
  %shl = shl i32 %bitcast, 23
  %add = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add to float
  %sub.1 = fsub float %bitcast.1, 0x3FE0000000000000
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %bitcast.1, float %sub.1)
  %fabs = call float @llvm.fabs.f32(float %x)
  %is.2 = fcmp olt float %fabs, 0x3E60000000000000
  %add.1 = fadd float %fmuladd.9, %fmuladd.9
  %select.2 = select i1 %is.2, float %x, float %add.1
  ret float %select.2
}

define internal float @nvf.tanh.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x4024000000000000
  %select = select i1 %is, float 0x4024000000000000, float %fabs
  %add = fadd float %select, %select
  %fmuladd = call float @llvm.fmuladd.f32(float %add, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %add)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.1)
  %bitcast = bitcast float %fmuladd to i32
  %mul = fmul float %fmuladd.2, %fmuladd.2
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F29C5D740000000, float %fmuladd.2, float 0x3F56D4C960000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3F81113AC0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FA5554EA0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FC5555540000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.2, float 0x3FE0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.7, float %fmuladd.2)
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1065353216
  %bitcast.1 = bitcast i32 %add.1 to float
  %sub.1 = fsub float %bitcast.1, 0x3FF0000000000000
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %bitcast.1, float %sub.1)
  %add.2 = fadd float %fmuladd.9, 0x4000000000000000
  %div = fdiv float %fmuladd.9, %add.2
  %copysign = call float @llvm.copysign.f32(float %div, float %x)
  ret float %copysign
}

define internal float @nvf.sigmoid.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x405A000000000000
  %select = select i1 %is, float 0x405A000000000000, float %fabs
  %neg = fneg float %select
  %fmuladd = call float @llvm.fmuladd.f32(float %neg, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %neg)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = sub i32 %bitcast, 1262485250
  %lshr = lshr i32 %sub.1, 1
  %sub.2 = sub i32 %sub.1, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast.1 = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.2, 23
  %bitcast.2 = bitcast i32 %shl.1 to float
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56AD22C0000000, float %fmuladd.2, float 0x3F8123F380000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA55584E0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %mul = fmul float %fmuladd.2, %fmuladd.2
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.6, float %fmuladd.2)
  %add = fadd float %fmuladd.7, 0x3FF0000000000000
  %mul.1 = fmul float %add, %bitcast.1
  %mul.2 = fmul float %mul.1, %bitcast.2
  %is.1 = fcmp olt float %x, 0x0000000000000000
  %select.1 = select i1 %is.1, float %mul.2, float 0x3FF0000000000000
  %add.1 = fadd float %mul.2, 0x3FF0000000000000
  %div = fdiv float %select.1, %add.1
  ret float %div
}

define internal float @nvf.silu.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x405B800000000000
  %select = select i1 %is, float 0x405B800000000000, float %fabs
  %neg = fneg float %select
  %fmuladd = call float @llvm.fmuladd.f32(float %neg, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %neg)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = sub i32 %bitcast, 1262485250
  %lshr = lshr i32 %sub.1, 1
  %sub.2 = sub i32 %sub.1, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast.1 = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.2, 23
  %bitcast.2 = bitcast i32 %shl.1 to float
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56AD22C0000000, float %fmuladd.2, float 0x3F8123F380000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA55584E0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %mul = fmul float %fmuladd.2, %fmuladd.2
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.6, float %fmuladd.2)
  %add = fadd float %fmuladd.7, 0x3FF0000000000000
  %mul.1 = fmul float %add, %bitcast.1
  %is.1 = fcmp olt float %x, 0x0000000000000000
  %neg.1 = fneg float %select
  %mul.2 = fmul float %neg.1, %mul.1
  %select.1 = select i1 %is.1, float %mul.2, float %x
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul.1, float %bitcast.2, float 0x3FF0000000000000)
  %div = fdiv float %select.1, %fmuladd.8
  %select.2 = select i1 %is.1, float %bitcast.2, float 0x3FF0000000000000
  %mul.3 = fmul float %div, %select.2
  %is.2 = fcmp oeq float %x, 0xFFF0000000000000
  %select.3 = select i1 %is.2, float 0x7FF8000000000000, float %mul.3
  ret float %select.3
}

define internal float @nvf.gelu.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x402D9999A0000000
  %select = select i1 %is, float 0x402D9999A0000000, float %fabs
  %mul = fmul float %select, %select
  %mul.1 = fmul float %mul, 0x3FE0000000000000
  %mul.2 = fmul float %select, 0x3FE0000000000000
  %neg = fneg float %mul.1
  %fma = call float @llvm.fma.f32(float %mul.2, float %select, float %neg)
  %neg.1 = fneg float %mul.1
  %neg.2 = fneg float %fma
  %fmuladd = call float @llvm.fmuladd.f32(float %neg.1, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %neg.1)
  %add = fadd float %fmuladd.1, %neg.2
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %add)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = sub i32 %bitcast, 1262485250
  %lshr = lshr i32 %sub.1, 1
  %sub.2 = sub i32 %sub.1, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast.1 = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.2, 23
  %bitcast.2 = bitcast i32 %shl.1 to float
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56AD22C0000000, float %fmuladd.2, float 0x3F8123F380000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA55584E0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %mul.3 = fmul float %fmuladd.2, %fmuladd.2
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul.3, float %fmuladd.6, float %fmuladd.2)
  %add.1 = fadd float %fmuladd.7, 0x3FF0000000000000
  %sub.3 = fsub float %select, 0x4008000000000000
  %add.2 = fadd float %select, 0x4008000000000000
  %div = fdiv float %sub.3, %add.2
  %fmuladd.8 = call float @llvm.fmuladd.f32(float 0xBEDD8FA920000000, float %div, float 0xBEE2326460000000)
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %div, float 0x3F1020AA40000000)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %fmuladd.9, float %div, float 0x3F207B6BA0000000)
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %fmuladd.10, float %div, float 0xBF367CFF00000000)
  %fmuladd.12 = call float @llvm.fmuladd.f32(float %fmuladd.11, float %div, float 0xBF502FCE80000000)
  %fmuladd.13 = call float @llvm.fmuladd.f32(float %fmuladd.12, float %div, float 0x3F67CD4660000000)
  %fmuladd.14 = call float @llvm.fmuladd.f32(float %fmuladd.13, float %div, float 0x3F791EA820000000)
  %fmuladd.15 = call float @llvm.fmuladd.f32(float %fmuladd.14, float %div, float 0xBFA7A948C0000000)
  %fmuladd.16 = call float @llvm.fmuladd.f32(float %fmuladd.15, float %div, float 0x3FBF8BAC60000000)
  %fmuladd.17 = call float @llvm.fmuladd.f32(float %fmuladd.16, float %div, float 0xBFCA6B66A0000000)
  %fmuladd.18 = call float @llvm.fmuladd.f32(float %fmuladd.17, float %div, float 0x3FBF1B89C0000000)
  %mul.4 = fmul float %select, %fmuladd.18
  %mul.5 = fmul float %mul.4, %add.1
  %mul.6 = fmul float %mul.5, %bitcast.1
  %mul.7 = fmul float %mul.6, %bitcast.2
  %is.1 = fcmp ogt float %x, 0x0000000000000000
  %mul.8 = fmul float 0x0000000000000000, %x
  %select.1 = select i1 %is.1, float %x, float %mul.8
  %sub.4 = fsub float %select.1, %mul.7
  %is.2 = fcmp oeq float %x, 0xFFF0000000000000
  %select.2 = select i1 %is.2, float 0x7FF8000000000000, float %sub.4
  ret float %select.2
}

define internal float @nvf.gelu_tanh.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x4026000000000000
  %select = select i1 %is, float 0x4026000000000000, float %fabs
  %mul = fmul float %select, %select
  %neg = fneg float %mul
  %fma = call float @llvm.fma.f32(float %select, float %select, float %neg)
  %mul.1 = fmul float %mul, 0x3FB2444F20000000
  %neg.1 = fneg float %mul.1
  %fma.1 = call float @llvm.fma.f32(float %mul, float 0x3FB2444F20000000, float %neg.1)
  %fmuladd = call float @llvm.fmuladd.f32(float %fma, float 0x3FB2444F20000000, float %fma.1)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %mul, float 0x3E249B16A0000000, float %fmuladd)
  %add = fadd float %mul.1, 0x3FF9884540000000
  %sub = fsub float %add, %mul.1
  %sub.1 = fsub float %add, %sub
  %sub.2 = fsub float %mul.1, %sub.1
  %sub.3 = fsub float 0x3FF9884540000000, %sub
  %add.1 = fadd float %sub.2, %sub.3
  %add.2 = fadd float %fmuladd.1, 0xBE68579360000000
  %add.3 = fadd float %add.1, %add.2
  %mul.2 = fmul float %select, %add
  %neg.2 = fneg float %mul.2
  %fma.2 = call float @llvm.fma.f32(float %select, float %add, float %neg.2)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %select, float %add.3, float %fma.2)
  %neg.3 = fneg float %mul.2
  %neg.4 = fneg float %fmuladd.2
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %neg.3, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub.4 = fsub float %fmuladd.3, 0x4168000000000000
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %sub.4, float 0xBFE62E4000000000, float %neg.3)
  %add.4 = fadd float %fmuladd.4, %neg.4
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %sub.4, float 0xBEB7F7D1C0000000, float %add.4)
  %bitcast = bitcast float %fmuladd.3 to i32
  %sub.5 = sub i32 %bitcast, 1262485250
  %lshr = lshr i32 %sub.5, 1
  %sub.6 = sub i32 %sub.5, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast.1 = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.6, 23
  %bitcast.2 = bitcast i32 %shl.1 to float
  %fmuladd.6 = call float @llvm.fmuladd.f32(float 0x3F56AD22C0000000, float %fmuladd.5, float 0x3F8123F380000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.5, float 0x3FA55584E0000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %fmuladd.5, float 0x3FC55548A0000000)
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %fmuladd.5, float 0x3FDFFFFFC0000000)
  %mul.3 = fmul float %fmuladd.5, %fmuladd.5
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %mul.3, float %fmuladd.9, float %fmuladd.5)
  %add.5 = fadd float %fmuladd.10, 0x3FF0000000000000
  %mul.4 = fmul float %add.5, %bitcast.1
  %is.1 = fcmp olt float %x, 0x0000000000000000
  %neg.5 = fneg float %select
  %mul.5 = fmul float %neg.5, %mul.4
  %select.1 = select i1 %is.1, float %mul.5, float %x
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %mul.4, float %bitcast.2, float 0x3FF0000000000000)
  %div = fdiv float %select.1, %fmuladd.11
  %select.2 = select i1 %is.1, float %bitcast.2, float 0x3FF0000000000000
  %mul.6 = fmul float %div, %select.2
  %is.2 = fcmp oeq float %x, 0xFFF0000000000000
  %select.3 = select i1 %is.2, float 0x7FF8000000000000, float %mul.6
  ret float %select.3
}

define internal float @nvf.erf.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x4010000000000000
  %select = select i1 %is, float 0x4010000000000000, float %fabs
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3E2A24F520000000, float %select, float 0x3E67287620000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %select, float 0x3E9F78DF80000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %select, float 0xBEF268D0C0000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %select, float 0x3F249D1660000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %select, float 0xBF47BFD780000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %select, float 0x3F5D3C9540000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %select, float 0xBF300A8F80000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %select, float 0xBF93944660000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %select, float 0x3FBA4F3F00000000)
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %select, float 0x3FE45F3080000000)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %select, float %fmuladd.9, float 0xBE6F7AC920000000)
  %mul = fmul float %select, %fmuladd.10
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %select, float 0x3FF20DD760000000, float %mul)
  %neg = fneg float %fmuladd.11
  %fmuladd.12 = call float @llvm.fmuladd.f32(float %neg, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd.12, 0x4168000000000000
  %fmuladd.13 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %neg)
  %fmuladd.14 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.13)
  %bitcast = bitcast float %fmuladd.12 to i32
  %mul.1 = fmul float %fmuladd.14, %fmuladd.14
  %fmuladd.15 = call float @llvm.fmuladd.f32(float 0x3F29C5D740000000, float %fmuladd.14, float 0x3F56D4C960000000)
  %fmuladd.16 = call float @llvm.fmuladd.f32(float %fmuladd.15, float %fmuladd.14, float 0x3F81113AC0000000)
  %fmuladd.17 = call float @llvm.fmuladd.f32(float %fmuladd.16, float %fmuladd.14, float 0x3FA5554EA0000000)
  %fmuladd.18 = call float @llvm.fmuladd.f32(float %fmuladd.17, float %fmuladd.14, float 0x3FC5555540000000)
  %fmuladd.19 = call float @llvm.fmuladd.f32(float %fmuladd.18, float %fmuladd.14, float 0x3FE0000000000000)
  %fmuladd.20 = call float @llvm.fmuladd.f32(float %mul.1, float %fmuladd.19, float %fmuladd.14)
  %shl = shl i32 %bitcast, 23
  %add = add i32 %shl, 1065353216
  %bitcast.1 = bitcast i32 %add to float
  %sub.1 = fsub float %bitcast.1, 0x3FF0000000000000
  %fmuladd.21 = call float @llvm.fmuladd.f32(float %fmuladd.20, float %bitcast.1, float %sub.1)
  %neg.1 = fneg float %fmuladd.21
  %copysign = call float @llvm.copysign.f32(float %neg.1, float %x)
  ret float %copysign
}
