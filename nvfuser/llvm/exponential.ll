; exp and what is built on one exponential.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.ldexp.f64.i32(double, i32)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.ldexp.f32.i32(float, i32)

define internal float @nvf.scale.f32(float %p, i32 %t) alwaysinline nounwind willreturn {
  %sub = sub i32 %t, 1262485250
  %lshr = lshr i32 %sub, 1
  %sub.1 = sub i32 %sub, %lshr
  %shl = shl i32 %lshr, 23
  %bitcast = bitcast i32 %shl to float
  %shl.1 = shl i32 %sub.1, 23
  %bitcast.1 = bitcast i32 %shl.1 to float
  %mul = fmul float %p, %bitcast
  %mul.1 = fmul float %mul, %bitcast.1
  ret float %mul.1
}

define internal double @nvf.scale.f64(double %p, i64 %t) alwaysinline nounwind willreturn {
  %sub = sub i64 %t, 4843621399236966402
  %lshr = lshr i64 %sub, 1
  %sub.1 = sub i64 %sub, %lshr
  %shl = shl i64 %lshr, 52
  %bitcast = bitcast i64 %shl to double
  %shl.1 = shl i64 %sub.1, 52
  %bitcast.1 = bitcast i64 %shl.1 to double
  %mul = fmul double %p, %bitcast
  %mul.1 = fmul double %mul, %bitcast.1
  ret double %mul.1
}

define internal float @nvf.scale_native.f32(float %p, i32 %t) alwaysinline nounwind willreturn {
  %sub = sub i32 %t, 1262485504
  %scaled = call float @llvm.ldexp.f32.i32(float %p, i32 %sub)
  ret float %scaled
}

define internal double @nvf.scale_native.f64(double %p, i64 %t) alwaysinline nounwind willreturn {
  %sub = sub i64 %t, 4843621399236968448
  %trunc = trunc i64 %sub to i32
  %scaled = call double @llvm.ldexp.f64.i32(double %p, i32 %trunc)
  ret double %scaled
}

define internal float @nvf.exp.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0xC05A000000000000
  %select = select i1 %is, float 0x0000000000000000, float %x
  %is.1 = fcmp ogt float %select, 0x4056400000000000
  %select.1 = select i1 %is.1, float 0x4056400000000000, float %select
  %fmuladd = call float @llvm.fmuladd.f32(float %select.1, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %select.1)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.1)
  %bitcast = bitcast float %fmuladd to i32
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56A55260000000, float %fmuladd.2, float 0x3F8123BF60000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA5558AA0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548E0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.2, float 0x3FF0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %fmuladd.2, float 0x3FF0000000000000)
  %scale = call float @nvf.scale.f32(float %fmuladd.8, i32 %bitcast)
  %select.2 = select i1 %is, float 0x0000000000000000, float %scale
  ret float %select.2
}

define internal double @nvf.exp.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0xC087500000000000
  %select = select i1 %is, double 0x0000000000000000, double %x
  %is.1 = fcmp ogt double %select, 0x4086300000000000
  %select.1 = select i1 %is.1, double 0x4086300000000000, double %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFE62E42FEFA4000, double %select.1)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0x3D48432A1B0E2634, double %fmuladd.1)
  %bitcast = bitcast double %fmuladd to i64
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0x3E21ED3FF05421DE, double %fmuladd.2, double 0x3E5AF6EAAC040F7F)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %fmuladd.2, double 0x3E927E544B7E43C2)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %fmuladd.2, double 0x3EC71DDEE5F6FC4F)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %fmuladd.2, double 0x3EFA01A0174E6364)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %fmuladd.2, double 0x3F2A01A01B44A399)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %fmuladd.2, double 0x3F56C16C16C20171)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %fmuladd.2, double 0x3F8111111110E9F3)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %fmuladd.2, double 0x3FA5555555555540)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %fmuladd.2, double 0x3FC555555555555C)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %fmuladd.2, double 0x3FE0000000000000)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %fmuladd.2, double 0x3FF0000000000000)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %fmuladd.2, double 0x3FF0000000000000)
  %scale = call double @nvf.scale.f64(double %fmuladd.14, i64 %bitcast)
  %select.2 = select i1 %is, double 0x0000000000000000, double %scale
  ret double %select.2
}

define internal float @nvf.exp2.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0xC062E00000000000
  %select = select i1 %is, float 0x0000000000000000, float %x
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F24651F40000000, float %sub.1, float 0x3F55FA0560000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3F83B272E0000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FAC6ADD80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x3FCEBFBE40000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.1, float 0x3FE62E4320000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %sub.1, float %fmuladd.4, float 0x3FF0000000000000)
  %bitcast = bitcast float %add to i32
  %scale = call float @nvf.scale.f32(float %fmuladd.5, i32 %bitcast)
  %select.2 = select i1 %is, float 0x0000000000000000, float %scale
  ret float %select.2
}

define internal double @nvf.exp2.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0xC090D00000000000
  %select = select i1 %is, double 0x0000000000000000, double %x
  %is.1 = fcmp ogt double %select, 0x4090000000000000
  %select.1 = select i1 %is.1, double 0x4090000000000000, double %select
  %add = fadd double %select.1, 0x4338000000000000
  %sub = fsub double %add, 0x4338000000000000
  %sub.1 = fsub double %select.1, %sub
  %fmuladd = call double @llvm.fmuladd.f64(double 0x3DBD48BAB76C6261, double %sub.1, double 0x3DFEB078DAC7A012)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %sub.1, double 0x3E3E4C37DBB8C8ED)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %sub.1, double 0x3E7B5241C748619E)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %sub.1, double 0x3EB62C02560D10FB)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %sub.1, double 0x3EEFFCBFCDE5E964)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %sub.1, double 0x3F2430912F7A9EA0)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %sub.1, double 0x3F55D87FE788835C)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %sub.1, double 0x3F83B2AB6FBA50FE)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %sub.1, double 0x3FAC6B08D704A185)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %sub.1, double 0x3FCEBFBDFF82C58E)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %sub.1, double 0x3FE62E42FEFA39EF)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %sub.1, double %fmuladd.10, double 0x3FF0000000000000)
  %bitcast = bitcast double %add to i64
  %scale = call double @nvf.scale.f64(double %fmuladd.11, i64 %bitcast)
  %select.2 = select i1 %is, double 0x0000000000000000, double %scale
  ret double %select.2
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
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F29E03BA0000000, float %fmuladd.2, float 0x3F56D43900000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3F811130A0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FA5554F00000000)
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

define internal double @nvf.expm1.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0xC044000000000000
  %select = select i1 %is, double 0xC044000000000000, double %x
  %is.1 = fcmp ogt double %select, 0x4086300000000000
  %select.1 = select i1 %is.1, double 0x4086300000000000, double %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFE62E42FEFA4000, double %select.1)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0x3D48432A1B0E2634, double %fmuladd.1)
  %bitcast = bitcast double %fmuladd to i64
  %mul = fmul double %fmuladd.2, %fmuladd.2
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0x3E207889A583A515, double %fmuladd.2, double 0x3E5AF5F837270534)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %fmuladd.2, double 0x3E927F5DC110B229)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %fmuladd.2, double 0x3EC71DDF7E5A611C)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %fmuladd.2, double 0x3EFA019F8A71C525)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %fmuladd.2, double 0x3F2A01A01B0101BC)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %fmuladd.2, double 0x3F56C16C16E403D8)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %fmuladd.2, double 0x3F8111111110F642)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %fmuladd.2, double 0x3FA5555555554E0D)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %fmuladd.2, double 0x3FC5555555555559)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %fmuladd.2, double 0x3FE0000000000001)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.12, double %fmuladd.2)
  %shl = shl i64 %bitcast, 52
  %add = add i64 %shl, 4602678819172646912
  %bitcast.1 = bitcast i64 %add to double
  %sub.1 = fsub double %bitcast.1, 0x3FE0000000000000
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %bitcast.1, double %sub.1)
  %fabs = call double @llvm.fabs.f64(double %x)
  %is.2 = fcmp olt double %fabs, 0x3C90000000000000
  %add.1 = fadd double %fmuladd.14, %fmuladd.14
  %select.2 = select i1 %is.2, double %x, double %add.1
  ret double %select.2
}

define internal float @nvf.tanh.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x4024000000000000
  %select = select i1 %is, float 0x4024000000000000, float %fabs
  %mul = fmul float %select, %select
  %mul.1 = fmul float %select, %mul
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBF78265080000000, float %mul, float 0x3F954BD140000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %mul, float 0xBFAB899E80000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %mul, float 0x3FC1109BA0000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %mul, float 0xBFD55553E0000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %mul.1, float %fmuladd.3, float %select)
  %add = fadd float %select, %select
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %add, float 0x3FF7154760000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd.5, 0x4168000000000000
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %sub, float 0xBFE62E4000000000, float %add)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %sub, float 0xBEB7F7D1C0000000, float %fmuladd.6)
  %bitcast = bitcast float %fmuladd.5 to i32
  %fmuladd.8 = call float @llvm.fmuladd.f32(float 0x3F56A55260000000, float %fmuladd.7, float 0x3F8123BF60000000)
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %fmuladd.7, float 0x3FA5558AA0000000)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %fmuladd.9, float %fmuladd.7, float 0x3FC55548E0000000)
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %fmuladd.10, float %fmuladd.7, float 0x3FDFFFFFC0000000)
  %fmuladd.12 = call float @llvm.fmuladd.f32(float %fmuladd.11, float %fmuladd.7, float 0x3FF0000000000000)
  %fmuladd.13 = call float @llvm.fmuladd.f32(float %fmuladd.12, float %fmuladd.7, float 0x3FF0000000000000)
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1065353216
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul.2 = fmul float %fmuladd.13, %bitcast.1
  %add.2 = fadd float %mul.2, 0x3FF0000000000000
  %div = fdiv float 0x4000000000000000, %add.2
  %sub.1 = fsub float 0x3FF0000000000000, %div
  %is.1 = fcmp olt float %select, 0x3FE19999A0000000
  %select.1 = select i1 %is.1, float %fmuladd.4, float %sub.1
  %copysign = call float @llvm.copysign.f32(float %select.1, float %x)
  ret float %copysign
}

define internal double @nvf.tanh.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x4034000000000000
  %select = select i1 %is, double 0x4034000000000000, double %fabs
  %mul = fmul double %select, %select
  %mul.1 = fmul double %select, %mul
  %fmuladd = call double @llvm.fmuladd.f64(double 0xBEF2003E31C0F94B, double %mul, double 0x3F14C92996647C06)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul, double 0xBF2E32369E96ECDE)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul, double 0x3F433D9F2E274C33)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul, double 0xBF57D79B035C13FD)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul, double 0x3F6D6D0C2791A0CA)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul, double 0xBF8226E2278F596C)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul, double 0x3F9664F47EF427A4)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %mul, double 0xBFABA1BA1B77D42A)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %mul, double 0x3FC111111110E190)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul, double 0xBFD5555555555530)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.9, double %select)
  %add = fadd double %select, %select
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %add, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub = fsub double %fmuladd.11, 0x4338000000000000
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %sub, double 0xBFE62E42FEFA4000, double %add)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %sub, double 0x3D48432A1B0E2634, double %fmuladd.12)
  %bitcast = bitcast double %fmuladd.11 to i64
  %fmuladd.14 = call double @llvm.fmuladd.f64(double 0x3E21ED3FF05421DE, double %fmuladd.13, double 0x3E5AF6EAAC040F7F)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %fmuladd.14, double %fmuladd.13, double 0x3E927E544B7E43C2)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %fmuladd.15, double %fmuladd.13, double 0x3EC71DDEE5F6FC4F)
  %fmuladd.17 = call double @llvm.fmuladd.f64(double %fmuladd.16, double %fmuladd.13, double 0x3EFA01A0174E6364)
  %fmuladd.18 = call double @llvm.fmuladd.f64(double %fmuladd.17, double %fmuladd.13, double 0x3F2A01A01B44A399)
  %fmuladd.19 = call double @llvm.fmuladd.f64(double %fmuladd.18, double %fmuladd.13, double 0x3F56C16C16C20171)
  %fmuladd.20 = call double @llvm.fmuladd.f64(double %fmuladd.19, double %fmuladd.13, double 0x3F8111111110E9F3)
  %fmuladd.21 = call double @llvm.fmuladd.f64(double %fmuladd.20, double %fmuladd.13, double 0x3FA5555555555540)
  %fmuladd.22 = call double @llvm.fmuladd.f64(double %fmuladd.21, double %fmuladd.13, double 0x3FC555555555555C)
  %fmuladd.23 = call double @llvm.fmuladd.f64(double %fmuladd.22, double %fmuladd.13, double 0x3FE0000000000000)
  %fmuladd.24 = call double @llvm.fmuladd.f64(double %fmuladd.23, double %fmuladd.13, double 0x3FF0000000000000)
  %fmuladd.25 = call double @llvm.fmuladd.f64(double %fmuladd.24, double %fmuladd.13, double 0x3FF0000000000000)
  %shl = shl i64 %bitcast, 52
  %add.1 = add i64 %shl, 4607182418800017408
  %bitcast.1 = bitcast i64 %add.1 to double
  %mul.2 = fmul double %fmuladd.25, %bitcast.1
  %add.2 = fadd double %mul.2, 0x3FF0000000000000
  %div = fdiv double 0x4000000000000000, %add.2
  %sub.1 = fsub double 0x3FF0000000000000, %div
  %is.1 = fcmp olt double %select, 0x3FE199999999999A
  %select.1 = select i1 %is.1, double %fmuladd.10, double %sub.1
  %copysign = call double @llvm.copysign.f64(double %select.1, double %x)
  ret double %copysign
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
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56A55260000000, float %fmuladd.2, float 0x3F8123BF60000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA5558AA0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548E0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.2, float 0x3FF0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %fmuladd.2, float 0x3FF0000000000000)
  %scale = call float @nvf.scale.f32(float %fmuladd.8, i32 %bitcast)
  %is.1 = fcmp olt float %x, 0x0000000000000000
  %select.1 = select i1 %is.1, float %scale, float 0x3FF0000000000000
  %add = fadd float %scale, 0x3FF0000000000000
  %div = fdiv float %select.1, %add
  ret float %div
}

define internal double @nvf.sigmoid.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x4087500000000000
  %select = select i1 %is, double 0x4087500000000000, double %fabs
  %neg = fneg double %select
  %fmuladd = call double @llvm.fmuladd.f64(double %neg, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFE62E42FEFA4000, double %neg)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0x3D48432A1B0E2634, double %fmuladd.1)
  %bitcast = bitcast double %fmuladd to i64
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0x3E21ED3FF05421DE, double %fmuladd.2, double 0x3E5AF6EAAC040F7F)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %fmuladd.2, double 0x3E927E544B7E43C2)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %fmuladd.2, double 0x3EC71DDEE5F6FC4F)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %fmuladd.2, double 0x3EFA01A0174E6364)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %fmuladd.2, double 0x3F2A01A01B44A399)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %fmuladd.2, double 0x3F56C16C16C20171)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %fmuladd.2, double 0x3F8111111110E9F3)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %fmuladd.2, double 0x3FA5555555555540)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %fmuladd.2, double 0x3FC555555555555C)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %fmuladd.2, double 0x3FE0000000000000)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %fmuladd.2, double 0x3FF0000000000000)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %fmuladd.2, double 0x3FF0000000000000)
  %scale = call double @nvf.scale.f64(double %fmuladd.14, i64 %bitcast)
  %is.1 = fcmp olt double %x, 0x0000000000000000
  %select.1 = select i1 %is.1, double %scale, double 0x3FF0000000000000
  %add = fadd double %scale, 0x3FF0000000000000
  %div = fdiv double %select.1, %add
  ret double %div
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
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0x3F56A55260000000, float %fmuladd.2, float 0x3F8123BF60000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.2, float 0x3FA5558AA0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.2, float 0x3FC55548E0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.2, float 0x3FF0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %fmuladd.2, float 0x3FF0000000000000)
  %mul = fmul float %fmuladd.8, %bitcast.1
  %is.1 = fcmp olt float %x, 0x0000000000000000
  %neg.1 = fneg float %select
  %mul.1 = fmul float %neg.1, %mul
  %select.1 = select i1 %is.1, float %mul.1, float %x
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %mul, float %bitcast.2, float 0x3FF0000000000000)
  %div = fdiv float %select.1, %fmuladd.9
  %select.2 = select i1 %is.1, float %bitcast.2, float 0x3FF0000000000000
  %mul.2 = fmul float %div, %select.2
  %is.2 = fcmp oeq float %x, 0xFFF0000000000000
  %select.3 = select i1 %is.2, float 0x7FF8000000000000, float %mul.2
  ret float %select.3
}

define internal double @nvf.silu.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x4087980000000000
  %select = select i1 %is, double 0x4087980000000000, double %fabs
  %neg = fneg double %select
  %fmuladd = call double @llvm.fmuladd.f64(double %neg, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFE62E42FEFA4000, double %neg)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0x3D48432A1B0E2634, double %fmuladd.1)
  %bitcast = bitcast double %fmuladd to i64
  %sub.1 = sub i64 %bitcast, 4843621399236966402
  %lshr = lshr i64 %sub.1, 1
  %sub.2 = sub i64 %sub.1, %lshr
  %shl = shl i64 %lshr, 52
  %bitcast.1 = bitcast i64 %shl to double
  %shl.1 = shl i64 %sub.2, 52
  %bitcast.2 = bitcast i64 %shl.1 to double
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0x3E21ED3FF05421DE, double %fmuladd.2, double 0x3E5AF6EAAC040F7F)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %fmuladd.2, double 0x3E927E544B7E43C2)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %fmuladd.2, double 0x3EC71DDEE5F6FC4F)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %fmuladd.2, double 0x3EFA01A0174E6364)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %fmuladd.2, double 0x3F2A01A01B44A399)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %fmuladd.2, double 0x3F56C16C16C20171)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %fmuladd.2, double 0x3F8111111110E9F3)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %fmuladd.2, double 0x3FA5555555555540)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %fmuladd.2, double 0x3FC555555555555C)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %fmuladd.2, double 0x3FE0000000000000)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %fmuladd.2, double 0x3FF0000000000000)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %fmuladd.2, double 0x3FF0000000000000)
  %mul = fmul double %fmuladd.14, %bitcast.1
  %is.1 = fcmp olt double %x, 0x0000000000000000
  %neg.1 = fneg double %select
  %mul.1 = fmul double %neg.1, %mul
  %select.1 = select i1 %is.1, double %mul.1, double %x
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %mul, double %bitcast.2, double 0x3FF0000000000000)
  %div = fdiv double %select.1, %fmuladd.15
  %select.2 = select i1 %is.1, double %bitcast.2, double 0x3FF0000000000000
  %mul.2 = fmul double %div, %select.2
  %is.2 = fcmp oeq double %x, 0xFFF0000000000000
  %select.3 = select i1 %is.2, double 0x7FF8000000000000, double %mul.2
  ret double %select.3
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
  %add.1 = fadd float %select, 0x400C400000000000
  %div = fdiv float %select, %add.1
  %mul.3 = fmul float %div, 0x4000000000000000
  %sub.1 = fsub float %mul.3, 0x3FF0000000000000
  %fmuladd.3 = call float @llvm.fmuladd.f32(float 0xBEFF2BD0E0000000, float %sub.1, float 0x3F0C12B2C0000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.1, float 0x3F3DBD0AA0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.1, float 0xBF367B3FC0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %sub.1, float 0xBF6B985240000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %sub.1, float 0x3F789D8E00000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %sub.1, float 0x3F9433FA40000000)
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %sub.1, float 0xBFBED823A0000000)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %fmuladd.9, float %sub.1, float 0x3FD47FD240000000)
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %fmuladd.10, float %sub.1, float 0xBFE231B340000000)
  %fmuladd.12 = call float @llvm.fmuladd.f32(float %fmuladd.11, float %sub.1, float 0x3FE7D8BA60000000)
  %mul.4 = fmul float %div, %fmuladd.12
  %fmuladd.13 = call float @llvm.fmuladd.f32(float 0x3F56A55260000000, float %fmuladd.2, float 0x3F8123BF60000000)
  %fmuladd.14 = call float @llvm.fmuladd.f32(float %fmuladd.13, float %fmuladd.2, float 0x3FA5558AA0000000)
  %fmuladd.15 = call float @llvm.fmuladd.f32(float %fmuladd.14, float %fmuladd.2, float 0x3FC55548E0000000)
  %fmuladd.16 = call float @llvm.fmuladd.f32(float %fmuladd.15, float %fmuladd.2, float 0x3FDFFFFFC0000000)
  %fmuladd.17 = call float @llvm.fmuladd.f32(float %fmuladd.16, float %fmuladd.2, float 0x3FF0000000000000)
  %fmuladd.18 = call float @llvm.fmuladd.f32(float %fmuladd.17, float %fmuladd.2, float 0x3FF0000000000000)
  %mul.5 = fmul float %mul.4, %fmuladd.18
  %scale = call float @nvf.scale.f32(float %mul.5, i32 %bitcast)
  %is.1 = fcmp ogt float %x, 0x0000000000000000
  %mul.6 = fmul float 0x0000000000000000, %x
  %select.1 = select i1 %is.1, float %x, float %mul.6
  %sub.2 = fsub float %select.1, %scale
  %is.2 = fcmp oeq float %x, 0xFFF0000000000000
  %select.2 = select i1 %is.2, float 0x7FF8000000000000, float %sub.2
  ret float %select.2
}

define internal double @nvf.gelu.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x4043800000000000
  %select = select i1 %is, double 0x4043800000000000, double %fabs
  %mul = fmul double %select, %select
  %mul.1 = fmul double %mul, 0x3FE0000000000000
  %mul.2 = fmul double %select, 0x3FE0000000000000
  %neg = fneg double %mul.1
  %fma = call double @llvm.fma.f64(double %mul.2, double %select, double %neg)
  %neg.1 = fneg double %mul.1
  %neg.2 = fneg double %fma
  %fmuladd = call double @llvm.fmuladd.f64(double %neg.1, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFE62E42FEFA4000, double %neg.1)
  %add = fadd double %fmuladd.1, %neg.2
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0x3D48432A1B0E2634, double %add)
  %bitcast = bitcast double %fmuladd to i64
  %add.1 = fadd double %select, 0x4014000000000000
  %div = fdiv double %select, %add.1
  %mul.3 = fmul double %div, 0x4000000000000000
  %sub.1 = fsub double %mul.3, 0x3FF0000000000000
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0xBDFEFB72DE159582, double %sub.1, double 0xBE161811BB57ACC0)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %sub.1, double 0x3E2507302FF19BB1)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %sub.1, double 0x3E483C7719778BD5)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %sub.1, double 0xBE43083AD4CC0F1A)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %sub.1, double 0xBE730D89F62C1235)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %sub.1, double 0x3E65AF870E813FAF)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %sub.1, double 0x3E9D558E27DF09D0)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %sub.1, double 0xBE9675406734AE22)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %sub.1, double 0xBEC73F2CCD1FA1A0)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %sub.1, double 0x3ED0B14A85A620C3)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %sub.1, double 0x3EF17DFFF299B7DA)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %sub.1, double 0xBF0A1700D4695B16)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %fmuladd.14, double %sub.1, double 0xBF0F214B28809B20)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %fmuladd.15, double %sub.1, double 0x3F41DAF1AC4DAED7)
  %fmuladd.17 = call double @llvm.fmuladd.f64(double %fmuladd.16, double %sub.1, double 0xBF4A25037202CEFA)
  %fmuladd.18 = call double @llvm.fmuladd.f64(double %fmuladd.17, double %sub.1, double 0xBF688590E9765185)
  %fmuladd.19 = call double @llvm.fmuladd.f64(double %fmuladd.18, double %sub.1, double 0x3F954B4D4F43F0DD)
  %fmuladd.20 = call double @llvm.fmuladd.f64(double %fmuladd.19, double %sub.1, double 0xBFB1B1C254CA47B3)
  %fmuladd.21 = call double @llvm.fmuladd.f64(double %fmuladd.20, double %sub.1, double 0x3FC51F6329F024B2)
  %fmuladd.22 = call double @llvm.fmuladd.f64(double %fmuladd.21, double %sub.1, double 0xBFD410ED5F875940)
  %fmuladd.23 = call double @llvm.fmuladd.f64(double %fmuladd.22, double %sub.1, double 0x3FDFB31653876F69)
  %fmuladd.24 = call double @llvm.fmuladd.f64(double %fmuladd.23, double %sub.1, double 0xBFE54AD03F27CA18)
  %fmuladd.25 = call double @llvm.fmuladd.f64(double %fmuladd.24, double %sub.1, double 0x3FE89D3ABE1F95AE)
  %mul.4 = fmul double %div, %fmuladd.25
  %fmuladd.26 = call double @llvm.fmuladd.f64(double 0x3E21ED3FF05421DE, double %fmuladd.2, double 0x3E5AF6EAAC040F7F)
  %fmuladd.27 = call double @llvm.fmuladd.f64(double %fmuladd.26, double %fmuladd.2, double 0x3E927E544B7E43C2)
  %fmuladd.28 = call double @llvm.fmuladd.f64(double %fmuladd.27, double %fmuladd.2, double 0x3EC71DDEE5F6FC4F)
  %fmuladd.29 = call double @llvm.fmuladd.f64(double %fmuladd.28, double %fmuladd.2, double 0x3EFA01A0174E6364)
  %fmuladd.30 = call double @llvm.fmuladd.f64(double %fmuladd.29, double %fmuladd.2, double 0x3F2A01A01B44A399)
  %fmuladd.31 = call double @llvm.fmuladd.f64(double %fmuladd.30, double %fmuladd.2, double 0x3F56C16C16C20171)
  %fmuladd.32 = call double @llvm.fmuladd.f64(double %fmuladd.31, double %fmuladd.2, double 0x3F8111111110E9F3)
  %fmuladd.33 = call double @llvm.fmuladd.f64(double %fmuladd.32, double %fmuladd.2, double 0x3FA5555555555540)
  %fmuladd.34 = call double @llvm.fmuladd.f64(double %fmuladd.33, double %fmuladd.2, double 0x3FC555555555555C)
  %fmuladd.35 = call double @llvm.fmuladd.f64(double %fmuladd.34, double %fmuladd.2, double 0x3FE0000000000000)
  %fmuladd.36 = call double @llvm.fmuladd.f64(double %fmuladd.35, double %fmuladd.2, double 0x3FF0000000000000)
  %fmuladd.37 = call double @llvm.fmuladd.f64(double %fmuladd.36, double %fmuladd.2, double 0x3FF0000000000000)
  %mul.5 = fmul double %mul.4, %fmuladd.37
  %scale = call double @nvf.scale.f64(double %mul.5, i64 %bitcast)
  %is.1 = fcmp ogt double %x, 0x0000000000000000
  %mul.6 = fmul double 0x0000000000000000, %x
  %select.1 = select i1 %is.1, double %x, double %mul.6
  %sub.2 = fsub double %select.1, %scale
  %is.2 = fcmp oeq double %x, 0xFFF0000000000000
  %select.2 = select i1 %is.2, double 0x7FF8000000000000, double %sub.2
  ret double %select.2
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
  %fmuladd.6 = call float @llvm.fmuladd.f32(float 0x3F56A55260000000, float %fmuladd.5, float 0x3F8123BF60000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.5, float 0x3FA5558AA0000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %fmuladd.5, float 0x3FC55548E0000000)
  %fmuladd.9 = call float @llvm.fmuladd.f32(float %fmuladd.8, float %fmuladd.5, float 0x3FDFFFFFC0000000)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %fmuladd.9, float %fmuladd.5, float 0x3FF0000000000000)
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %fmuladd.10, float %fmuladd.5, float 0x3FF0000000000000)
  %mul.3 = fmul float %fmuladd.11, %bitcast.1
  %is.1 = fcmp olt float %x, 0x0000000000000000
  %neg.5 = fneg float %select
  %mul.4 = fmul float %neg.5, %mul.3
  %select.1 = select i1 %is.1, float %mul.4, float %x
  %fmuladd.12 = call float @llvm.fmuladd.f32(float %mul.3, float %bitcast.2, float 0x3FF0000000000000)
  %div = fdiv float %select.1, %fmuladd.12
  %select.2 = select i1 %is.1, float %bitcast.2, float 0x3FF0000000000000
  %mul.5 = fmul float %div, %select.2
  %is.2 = fcmp oeq float %x, 0xFFF0000000000000
  %select.3 = select i1 %is.2, float 0x7FF8000000000000, float %mul.5
  ret float %select.3
}

define internal double @nvf.gelu_tanh.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x4035CCCCCCCCCCCD
  %select = select i1 %is, double 0x4035CCCCCCCCCCCD, double %fabs
  %mul = fmul double %select, %select
  %neg = fneg double %mul
  %fma = call double @llvm.fma.f64(double %select, double %select, double %neg)
  %mul.1 = fmul double %mul, 0x3FB2444F2A4D8B4B
  %neg.1 = fneg double %mul.1
  %fma.1 = call double @llvm.fma.f64(double %mul, double 0x3FB2444F2A4D8B4B, double %neg.1)
  %fmuladd = call double @llvm.fmuladd.f64(double %fma, double 0x3FB2444F2A4D8B4B, double %fma.1)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %mul, double 0xBC26C843A29D1C70, double %fmuladd)
  %add = fadd double %mul.1, 0x3FF9884533D43651
  %sub = fsub double %add, %mul.1
  %sub.1 = fsub double %add, %sub
  %sub.2 = fsub double %mul.1, %sub.1
  %sub.3 = fsub double 0x3FF9884533D43651, %sub
  %add.1 = fadd double %sub.2, %sub.3
  %add.2 = fadd double %fmuladd.1, 0xBC9CBC0D30EBFD15
  %add.3 = fadd double %add.1, %add.2
  %mul.2 = fmul double %select, %add
  %neg.2 = fneg double %mul.2
  %fma.2 = call double @llvm.fma.f64(double %select, double %add, double %neg.2)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %select, double %add.3, double %fma.2)
  %neg.3 = fneg double %mul.2
  %neg.4 = fneg double %fmuladd.2
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.3, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub.4 = fsub double %fmuladd.3, 0x4338000000000000
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %sub.4, double 0xBFE62E42FEFA4000, double %neg.3)
  %add.4 = fadd double %fmuladd.4, %neg.4
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %sub.4, double 0x3D48432A1B0E2634, double %add.4)
  %bitcast = bitcast double %fmuladd.3 to i64
  %sub.5 = sub i64 %bitcast, 4843621399236966402
  %lshr = lshr i64 %sub.5, 1
  %sub.6 = sub i64 %sub.5, %lshr
  %shl = shl i64 %lshr, 52
  %bitcast.1 = bitcast i64 %shl to double
  %shl.1 = shl i64 %sub.6, 52
  %bitcast.2 = bitcast i64 %shl.1 to double
  %fmuladd.6 = call double @llvm.fmuladd.f64(double 0x3E21ED3FF05421DE, double %fmuladd.5, double 0x3E5AF6EAAC040F7F)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %fmuladd.5, double 0x3E927E544B7E43C2)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %fmuladd.5, double 0x3EC71DDEE5F6FC4F)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %fmuladd.5, double 0x3EFA01A0174E6364)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %fmuladd.5, double 0x3F2A01A01B44A399)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %fmuladd.5, double 0x3F56C16C16C20171)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %fmuladd.5, double 0x3F8111111110E9F3)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %fmuladd.5, double 0x3FA5555555555540)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %fmuladd.5, double 0x3FC555555555555C)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %fmuladd.14, double %fmuladd.5, double 0x3FE0000000000000)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %fmuladd.15, double %fmuladd.5, double 0x3FF0000000000000)
  %fmuladd.17 = call double @llvm.fmuladd.f64(double %fmuladd.16, double %fmuladd.5, double 0x3FF0000000000000)
  %mul.3 = fmul double %fmuladd.17, %bitcast.1
  %is.1 = fcmp olt double %x, 0x0000000000000000
  %neg.5 = fneg double %select
  %mul.4 = fmul double %neg.5, %mul.3
  %select.1 = select i1 %is.1, double %mul.4, double %x
  %fmuladd.18 = call double @llvm.fmuladd.f64(double %mul.3, double %bitcast.2, double 0x3FF0000000000000)
  %div = fdiv double %select.1, %fmuladd.18
  %select.2 = select i1 %is.1, double %bitcast.2, double 0x3FF0000000000000
  %mul.5 = fmul double %div, %select.2
  %is.2 = fcmp oeq double %x, 0xFFF0000000000000
  %select.3 = select i1 %is.2, double 0x7FF8000000000000, double %mul.5
  ret double %select.3
}

define internal float @nvf.erf.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ogt float %fabs, 0x4010000000000000
  %select = select i1 %is, float 0x4010000000000000, float %fabs
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBE74B0E880000000, float %select, float 0x3EB2840480000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %select, float 0xBED6BA70E0000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %select, float 0x3E966A9720000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %select, float 0x3F2058F4A0000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %select, float 0xBF468E4380000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %select, float 0x3F5CD4A0E0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %select, float 0xBF2ECE9BE0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %select, float 0xBF9394C9C0000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fmuladd.7, float %select, float 0x3FBA4F4180000000)
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
  %fmuladd.15 = call float @llvm.fmuladd.f32(float 0x3F29E03BA0000000, float %fmuladd.14, float 0x3F56D43900000000)
  %fmuladd.16 = call float @llvm.fmuladd.f32(float %fmuladd.15, float %fmuladd.14, float 0x3F811130A0000000)
  %fmuladd.17 = call float @llvm.fmuladd.f32(float %fmuladd.16, float %fmuladd.14, float 0x3FA5554F00000000)
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

define internal double @nvf.erf.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x4018000000000000
  %select = select i1 %is, double 0x4018000000000000, double %fabs
  %add = fadd double %select, 0x4008000000000000
  %div = fdiv double 0x4018000000000000, %add
  %sub = fsub double 0x3FF0000000000000, %div
  %fmuladd = call double @llvm.fmuladd.f64(double 0xBE35E5F9DB44751E, double %sub, double 0x3E1C6F86452BB4D9)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %sub, double 0x3E92B182DB49CAE5)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %sub, double 0x3EB8FA7138FA65DE)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %sub, double 0x3ECF8D24E4559A2E)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %sub, double 0x3ED90F435AB0FA9C)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %sub, double 0x3EE318FC94CA7EFA)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %sub, double 0x3EF11B645D9AC75C)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %sub, double 0x3EF5C5FC97744171)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %sub, double 0x3EF12BA6D0003E07)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %sub, double 0x3F0269936758805D)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %sub, double 0x3F131172EC40FD95)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %sub, double 0x3EED88DC4BB43672)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %sub, double 0xBEDC6BEF23B11DE9)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %sub, double 0x3F36C0942E20A49C)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %sub, double 0x3F2CE8F25F6FA890)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %fmuladd.14, double %sub, double 0xBF4B9EAD094E413C)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %fmuladd.15, double %sub, double 0x3F585DEE918E1536)
  %fmuladd.17 = call double @llvm.fmuladd.f64(double %fmuladd.16, double %sub, double 0x3F72EE374ECA4BE1)
  %fmuladd.18 = call double @llvm.fmuladd.f64(double %fmuladd.17, double %sub, double 0xBF8522FFCA1A9B46)
  %fmuladd.19 = call double @llvm.fmuladd.f64(double %fmuladd.18, double %sub, double 0xBF4FD71C137B0DFF)
  %fmuladd.20 = call double @llvm.fmuladd.f64(double %fmuladd.19, double %sub, double 0x3FC856D11F25069C)
  %fmuladd.21 = call double @llvm.fmuladd.f64(double %fmuladd.20, double %sub, double 0x3FEA14AF6F4E75FB)
  %fmuladd.22 = call double @llvm.fmuladd.f64(double %select, double %fmuladd.21, double 0x3C71AE3A914FED80)
  %mul = fmul double %select, %fmuladd.22
  %fmuladd.23 = call double @llvm.fmuladd.f64(double %select, double 0x3FF20DD750429B6D, double %mul)
  %neg = fneg double %fmuladd.23
  %fmuladd.24 = call double @llvm.fmuladd.f64(double %neg, double 0x3FF71547652B82FE, double 0x4338000000000000)
  %sub.1 = fsub double %fmuladd.24, 0x4338000000000000
  %fmuladd.25 = call double @llvm.fmuladd.f64(double %sub.1, double 0xBFE62E42FEFA4000, double %neg)
  %fmuladd.26 = call double @llvm.fmuladd.f64(double %sub.1, double 0x3D48432A1B0E2634, double %fmuladd.25)
  %bitcast = bitcast double %fmuladd.24 to i64
  %mul.1 = fmul double %fmuladd.26, %fmuladd.26
  %fmuladd.27 = call double @llvm.fmuladd.f64(double 0x3E207889A583A515, double %fmuladd.26, double 0x3E5AF5F837270534)
  %fmuladd.28 = call double @llvm.fmuladd.f64(double %fmuladd.27, double %fmuladd.26, double 0x3E927F5DC110B229)
  %fmuladd.29 = call double @llvm.fmuladd.f64(double %fmuladd.28, double %fmuladd.26, double 0x3EC71DDF7E5A611C)
  %fmuladd.30 = call double @llvm.fmuladd.f64(double %fmuladd.29, double %fmuladd.26, double 0x3EFA019F8A71C525)
  %fmuladd.31 = call double @llvm.fmuladd.f64(double %fmuladd.30, double %fmuladd.26, double 0x3F2A01A01B0101BC)
  %fmuladd.32 = call double @llvm.fmuladd.f64(double %fmuladd.31, double %fmuladd.26, double 0x3F56C16C16E403D8)
  %fmuladd.33 = call double @llvm.fmuladd.f64(double %fmuladd.32, double %fmuladd.26, double 0x3F8111111110F642)
  %fmuladd.34 = call double @llvm.fmuladd.f64(double %fmuladd.33, double %fmuladd.26, double 0x3FA5555555554E0D)
  %fmuladd.35 = call double @llvm.fmuladd.f64(double %fmuladd.34, double %fmuladd.26, double 0x3FC5555555555559)
  %fmuladd.36 = call double @llvm.fmuladd.f64(double %fmuladd.35, double %fmuladd.26, double 0x3FE0000000000001)
  %fmuladd.37 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.36, double %fmuladd.26)
  %shl = shl i64 %bitcast, 52
  %add.1 = add i64 %shl, 4607182418800017408
  %bitcast.1 = bitcast i64 %add.1 to double
  %sub.2 = fsub double %bitcast.1, 0x3FF0000000000000
  %fmuladd.38 = call double @llvm.fmuladd.f64(double %fmuladd.37, double %bitcast.1, double %sub.2)
  %neg.1 = fneg double %fmuladd.38
  %copysign = call double @llvm.copysign.f64(double %neg.1, double %x)
  ret double %copysign
}
