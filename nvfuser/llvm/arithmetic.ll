; Arithmetic, rounding, classification and integer functions.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare double @llvm.ceil.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.rint.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.trunc.f64(double)
declare float @llvm.ceil.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.rint.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.trunc.f32(float)
declare i16 @llvm.abs.i16(i16, i1)
declare i32 @llvm.abs.i32(i32, i1)
declare i64 @llvm.abs.i64(i64, i1)
declare i8 @llvm.abs.i8(i8, i1)

define internal float @nvf.abs.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  ret float %fabs
}

define internal float @nvf.ceil.f32(float %x) alwaysinline nounwind willreturn {
  %ceil = call float @llvm.ceil.f32(float %x)
  ret float %ceil
}

define internal float @nvf.floor.f32(float %x) alwaysinline nounwind willreturn {
  %floor = call float @llvm.floor.f32(float %x)
  ret float %floor
}

define internal float @nvf.round.f32(float %x) alwaysinline nounwind willreturn {
  %rint = call float @llvm.rint.f32(float %x)
  ret float %rint
}

define internal float @nvf.sqrt.f32(float %x) alwaysinline nounwind willreturn {
  %sqrt = call float @llvm.sqrt.f32(float %x)
  ret float %sqrt
}

define internal float @nvf.trunc.f32(float %x) alwaysinline nounwind willreturn {
  %trunc = call float @llvm.trunc.f32(float %x)
  ret float %trunc
}

define internal float @nvf.neg.f32(float %x) alwaysinline nounwind willreturn {
  %neg = fneg float %x
  ret float %neg
}

define internal float @nvf.frac.f32(float %x) alwaysinline nounwind willreturn {
  %trunc = call float @llvm.trunc.f32(float %x)
  %sub = fsub float %x, %trunc
  ret float %sub
}

define internal float @nvf.reciprocal.f32(float %x) alwaysinline nounwind willreturn {
  %div = fdiv float 0x3FF0000000000000, %x
  ret float %div
}

define internal float @nvf.rsqrt.f32(float %x) alwaysinline nounwind willreturn {
  %sqrt = call float @llvm.sqrt.f32(float %x)
  %div = fdiv float 0x3FF0000000000000, %sqrt
  ret float %div
}

define internal float @nvf.relu.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0x0000000000000000
  %select = select i1 %is, float 0x0000000000000000, float %x
  ret float %select
}

define internal float @nvf.sign.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0x0000000000000000
  %select = select i1 %is, float 0xBFF0000000000000, float 0x0000000000000000
  %is.1 = fcmp ogt float %x, 0x0000000000000000
  %select.1 = select i1 %is.1, float 0x3FF0000000000000, float %select
  ret float %select.1
}

define internal i1 @nvf.isnan.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp uno float %x, 0x0000000000000000
  ret i1 %is
}

define internal i1 @nvf.isinf.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp oeq float %fabs, 0x7FF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isfinite.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp olt float %fabs, 0x7FF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isposinf.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp oeq float %x, 0x7FF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isneginf.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp oeq float %x, 0xFFF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isreal.f32(float %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %is = icmp slt i32 %bitcast, 0
  ret i1 %is
}

define internal i1 @nvf.logical_not.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp oeq float %x, 0x0000000000000000
  ret i1 %is
}

define internal float @nvf.add.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %add = fadd float %a, %b
  ret float %add
}

define internal float @nvf.sub.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %sub = fsub float %a, %b
  ret float %sub
}

define internal float @nvf.mul.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %mul = fmul float %a, %b
  ret float %mul
}

define internal float @nvf.div.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %div = fdiv float %a, %b
  ret float %div
}

define internal float @nvf.truediv.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %div = fdiv float %a, %b
  ret float %div
}

; NaN wins.
define internal float @nvf.maximum.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp ogt float %b, %a
  %is.1 = fcmp uno float %b, 0x0000000000000000
  %or = or i1 %is, %is.1
  %select = select i1 %or, float %b, float %a
  ret float %select
}

; NaN wins.
define internal float @nvf.minimum.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp olt float %b, %a
  %is.1 = fcmp uno float %b, 0x0000000000000000
  %or = or i1 %is, %is.1
  %select = select i1 %or, float %b, float %a
  ret float %select
}

define internal float @nvf.fmod.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %a)
  %fpext = fpext float %fabs to double
  %fabs.1 = call float @llvm.fabs.f32(float %b)
  %fpext.1 = fpext float %fabs.1 to double
  %div = fdiv double 0x3FF0000000000000, %fpext.1
  %mul = fmul double %div, 0x3030000000000000
  %mul.1 = fmul double %fpext, %mul
  %rint = call double @llvm.rint.f64(double %mul.1)
  %neg = fneg double %rint
  %mul.2 = fmul double %fpext.1, 0x4FB0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %neg, double %mul.2, double %fpext)
  %mul.3 = fmul double %div, 0x31F0000000000000
  %mul.4 = fmul double %fmuladd, %mul.3
  %rint.1 = call double @llvm.rint.f64(double %mul.4)
  %neg.1 = fneg double %rint.1
  %mul.5 = fmul double %fpext.1, 0x4DF0000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %neg.1, double %mul.5, double %fmuladd)
  %mul.6 = fmul double %div, 0x33B0000000000000
  %mul.7 = fmul double %fmuladd.1, %mul.6
  %rint.2 = call double @llvm.rint.f64(double %mul.7)
  %neg.2 = fneg double %rint.2
  %mul.8 = fmul double %fpext.1, 0x4C30000000000000
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %neg.2, double %mul.8, double %fmuladd.1)
  %mul.9 = fmul double %div, 0x3570000000000000
  %mul.10 = fmul double %fmuladd.2, %mul.9
  %rint.3 = call double @llvm.rint.f64(double %mul.10)
  %neg.3 = fneg double %rint.3
  %mul.11 = fmul double %fpext.1, 0x4A70000000000000
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.3, double %mul.11, double %fmuladd.2)
  %mul.12 = fmul double %div, 0x3730000000000000
  %mul.13 = fmul double %fmuladd.3, %mul.12
  %rint.4 = call double @llvm.rint.f64(double %mul.13)
  %neg.4 = fneg double %rint.4
  %mul.14 = fmul double %fpext.1, 0x48B0000000000000
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %neg.4, double %mul.14, double %fmuladd.3)
  %mul.15 = fmul double %div, 0x38F0000000000000
  %mul.16 = fmul double %fmuladd.4, %mul.15
  %rint.5 = call double @llvm.rint.f64(double %mul.16)
  %neg.5 = fneg double %rint.5
  %mul.17 = fmul double %fpext.1, 0x46F0000000000000
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %neg.5, double %mul.17, double %fmuladd.4)
  %mul.18 = fmul double %div, 0x3AB0000000000000
  %mul.19 = fmul double %fmuladd.5, %mul.18
  %rint.6 = call double @llvm.rint.f64(double %mul.19)
  %neg.6 = fneg double %rint.6
  %mul.20 = fmul double %fpext.1, 0x4530000000000000
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %neg.6, double %mul.20, double %fmuladd.5)
  %mul.21 = fmul double %div, 0x3C70000000000000
  %mul.22 = fmul double %fmuladd.6, %mul.21
  %rint.7 = call double @llvm.rint.f64(double %mul.22)
  %neg.7 = fneg double %rint.7
  %mul.23 = fmul double %fpext.1, 0x4370000000000000
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %neg.7, double %mul.23, double %fmuladd.6)
  %mul.24 = fmul double %div, 0x3E30000000000000
  %mul.25 = fmul double %fmuladd.7, %mul.24
  %rint.8 = call double @llvm.rint.f64(double %mul.25)
  %neg.8 = fneg double %rint.8
  %mul.26 = fmul double %fpext.1, 0x41B0000000000000
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %neg.8, double %mul.26, double %fmuladd.7)
  %mul.27 = fmul double %div, 0x3FF0000000000000
  %mul.28 = fmul double %fmuladd.8, %mul.27
  %rint.9 = call double @llvm.rint.f64(double %mul.28)
  %neg.9 = fneg double %rint.9
  %mul.29 = fmul double %fpext.1, 0x3FF0000000000000
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %neg.9, double %mul.29, double %fmuladd.8)
  %is = fcmp olt double %fmuladd.9, 0x0000000000000000
  %add = fadd double %fmuladd.9, %fpext.1
  %select = select i1 %is, double %add, double %fmuladd.9
  %fptrunc = fptrunc double %select to float
  %fabs.2 = call float @llvm.fabs.f32(float %b)
  %is.1 = fcmp oeq float %fabs.2, 0x7FF0000000000000
  %fabs.3 = call float @llvm.fabs.f32(float %a)
  %is.2 = fcmp olt float %fabs.3, 0x7FF0000000000000
  %and = and i1 %is.1, %is.2
  %copysign = call float @llvm.copysign.f32(float %fptrunc, float %a)
  %select.1 = select i1 %and, float %a, float %copysign
  ret float %select.1
}

; @nvf.fmod.f32 where @nvf.fmod_is_usual.f32.
define internal float @nvf.fmod_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %div = fdiv float %fabs.1, %fabs
  %trunc = call float @llvm.trunc.f32(float %div)
  %neg = fneg float %trunc
  %fabs.2 = call float @llvm.fabs.f32(float %a)
  %fma = call float @llvm.fma.f32(float %neg, float %fabs, float %fabs.2)
  %is = fcmp olt float %fma, 0x0000000000000000
  %add = fadd float %fma, %fabs
  %select = select i1 %is, float %add, float %fma
  %copysign = call float @llvm.copysign.f32(float %select, float %a)
  ret float %copysign
}

define internal i1 @nvf.fmod_is_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %mul = fmul float %fabs, 0x4150000000000000
  %is = fcmp ult float %fabs.1, %mul
  %is.1 = fcmp ult float %fabs, 0x4630000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal float @nvf.mod.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %a)
  %fpext = fpext float %fabs to double
  %fabs.1 = call float @llvm.fabs.f32(float %b)
  %fpext.1 = fpext float %fabs.1 to double
  %div = fdiv double 0x3FF0000000000000, %fpext.1
  %mul = fmul double %div, 0x3030000000000000
  %mul.1 = fmul double %fpext, %mul
  %rint = call double @llvm.rint.f64(double %mul.1)
  %neg = fneg double %rint
  %mul.2 = fmul double %fpext.1, 0x4FB0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %neg, double %mul.2, double %fpext)
  %mul.3 = fmul double %div, 0x31F0000000000000
  %mul.4 = fmul double %fmuladd, %mul.3
  %rint.1 = call double @llvm.rint.f64(double %mul.4)
  %neg.1 = fneg double %rint.1
  %mul.5 = fmul double %fpext.1, 0x4DF0000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %neg.1, double %mul.5, double %fmuladd)
  %mul.6 = fmul double %div, 0x33B0000000000000
  %mul.7 = fmul double %fmuladd.1, %mul.6
  %rint.2 = call double @llvm.rint.f64(double %mul.7)
  %neg.2 = fneg double %rint.2
  %mul.8 = fmul double %fpext.1, 0x4C30000000000000
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %neg.2, double %mul.8, double %fmuladd.1)
  %mul.9 = fmul double %div, 0x3570000000000000
  %mul.10 = fmul double %fmuladd.2, %mul.9
  %rint.3 = call double @llvm.rint.f64(double %mul.10)
  %neg.3 = fneg double %rint.3
  %mul.11 = fmul double %fpext.1, 0x4A70000000000000
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.3, double %mul.11, double %fmuladd.2)
  %mul.12 = fmul double %div, 0x3730000000000000
  %mul.13 = fmul double %fmuladd.3, %mul.12
  %rint.4 = call double @llvm.rint.f64(double %mul.13)
  %neg.4 = fneg double %rint.4
  %mul.14 = fmul double %fpext.1, 0x48B0000000000000
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %neg.4, double %mul.14, double %fmuladd.3)
  %mul.15 = fmul double %div, 0x38F0000000000000
  %mul.16 = fmul double %fmuladd.4, %mul.15
  %rint.5 = call double @llvm.rint.f64(double %mul.16)
  %neg.5 = fneg double %rint.5
  %mul.17 = fmul double %fpext.1, 0x46F0000000000000
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %neg.5, double %mul.17, double %fmuladd.4)
  %mul.18 = fmul double %div, 0x3AB0000000000000
  %mul.19 = fmul double %fmuladd.5, %mul.18
  %rint.6 = call double @llvm.rint.f64(double %mul.19)
  %neg.6 = fneg double %rint.6
  %mul.20 = fmul double %fpext.1, 0x4530000000000000
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %neg.6, double %mul.20, double %fmuladd.5)
  %mul.21 = fmul double %div, 0x3C70000000000000
  %mul.22 = fmul double %fmuladd.6, %mul.21
  %rint.7 = call double @llvm.rint.f64(double %mul.22)
  %neg.7 = fneg double %rint.7
  %mul.23 = fmul double %fpext.1, 0x4370000000000000
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %neg.7, double %mul.23, double %fmuladd.6)
  %mul.24 = fmul double %div, 0x3E30000000000000
  %mul.25 = fmul double %fmuladd.7, %mul.24
  %rint.8 = call double @llvm.rint.f64(double %mul.25)
  %neg.8 = fneg double %rint.8
  %mul.26 = fmul double %fpext.1, 0x41B0000000000000
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %neg.8, double %mul.26, double %fmuladd.7)
  %mul.27 = fmul double %div, 0x3FF0000000000000
  %mul.28 = fmul double %fmuladd.8, %mul.27
  %rint.9 = call double @llvm.rint.f64(double %mul.28)
  %neg.9 = fneg double %rint.9
  %mul.29 = fmul double %fpext.1, 0x3FF0000000000000
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %neg.9, double %mul.29, double %fmuladd.8)
  %is = fcmp olt double %fmuladd.9, 0x0000000000000000
  %add = fadd double %fmuladd.9, %fpext.1
  %select = select i1 %is, double %add, double %fmuladd.9
  %fptrunc = fptrunc double %select to float
  %fabs.2 = call float @llvm.fabs.f32(float %b)
  %is.1 = fcmp oeq float %fabs.2, 0x7FF0000000000000
  %fabs.3 = call float @llvm.fabs.f32(float %a)
  %is.2 = fcmp olt float %fabs.3, 0x7FF0000000000000
  %and = and i1 %is.1, %is.2
  %copysign = call float @llvm.copysign.f32(float %fptrunc, float %a)
  %select.1 = select i1 %and, float %a, float %copysign
  ret float %select.1
}

; @nvf.mod.f32 where @nvf.mod_is_usual.f32.
define internal float @nvf.mod_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %div = fdiv float %fabs.1, %fabs
  %trunc = call float @llvm.trunc.f32(float %div)
  %neg = fneg float %trunc
  %fabs.2 = call float @llvm.fabs.f32(float %a)
  %fma = call float @llvm.fma.f32(float %neg, float %fabs, float %fabs.2)
  %is = fcmp olt float %fma, 0x0000000000000000
  %add = fadd float %fma, %fabs
  %select = select i1 %is, float %add, float %fma
  %copysign = call float @llvm.copysign.f32(float %select, float %a)
  ret float %copysign
}

define internal i1 @nvf.mod_is_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %mul = fmul float %fabs, 0x4150000000000000
  %is = fcmp ult float %fabs.1, %mul
  %is.1 = fcmp ult float %fabs, 0x4630000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal float @nvf.remainder.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %a)
  %fpext = fpext float %fabs to double
  %fabs.1 = call float @llvm.fabs.f32(float %b)
  %fpext.1 = fpext float %fabs.1 to double
  %div = fdiv double 0x3FF0000000000000, %fpext.1
  %mul = fmul double %div, 0x3030000000000000
  %mul.1 = fmul double %fpext, %mul
  %rint = call double @llvm.rint.f64(double %mul.1)
  %neg = fneg double %rint
  %mul.2 = fmul double %fpext.1, 0x4FB0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %neg, double %mul.2, double %fpext)
  %mul.3 = fmul double %div, 0x31F0000000000000
  %mul.4 = fmul double %fmuladd, %mul.3
  %rint.1 = call double @llvm.rint.f64(double %mul.4)
  %neg.1 = fneg double %rint.1
  %mul.5 = fmul double %fpext.1, 0x4DF0000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %neg.1, double %mul.5, double %fmuladd)
  %mul.6 = fmul double %div, 0x33B0000000000000
  %mul.7 = fmul double %fmuladd.1, %mul.6
  %rint.2 = call double @llvm.rint.f64(double %mul.7)
  %neg.2 = fneg double %rint.2
  %mul.8 = fmul double %fpext.1, 0x4C30000000000000
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %neg.2, double %mul.8, double %fmuladd.1)
  %mul.9 = fmul double %div, 0x3570000000000000
  %mul.10 = fmul double %fmuladd.2, %mul.9
  %rint.3 = call double @llvm.rint.f64(double %mul.10)
  %neg.3 = fneg double %rint.3
  %mul.11 = fmul double %fpext.1, 0x4A70000000000000
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.3, double %mul.11, double %fmuladd.2)
  %mul.12 = fmul double %div, 0x3730000000000000
  %mul.13 = fmul double %fmuladd.3, %mul.12
  %rint.4 = call double @llvm.rint.f64(double %mul.13)
  %neg.4 = fneg double %rint.4
  %mul.14 = fmul double %fpext.1, 0x48B0000000000000
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %neg.4, double %mul.14, double %fmuladd.3)
  %mul.15 = fmul double %div, 0x38F0000000000000
  %mul.16 = fmul double %fmuladd.4, %mul.15
  %rint.5 = call double @llvm.rint.f64(double %mul.16)
  %neg.5 = fneg double %rint.5
  %mul.17 = fmul double %fpext.1, 0x46F0000000000000
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %neg.5, double %mul.17, double %fmuladd.4)
  %mul.18 = fmul double %div, 0x3AB0000000000000
  %mul.19 = fmul double %fmuladd.5, %mul.18
  %rint.6 = call double @llvm.rint.f64(double %mul.19)
  %neg.6 = fneg double %rint.6
  %mul.20 = fmul double %fpext.1, 0x4530000000000000
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %neg.6, double %mul.20, double %fmuladd.5)
  %mul.21 = fmul double %div, 0x3C70000000000000
  %mul.22 = fmul double %fmuladd.6, %mul.21
  %rint.7 = call double @llvm.rint.f64(double %mul.22)
  %neg.7 = fneg double %rint.7
  %mul.23 = fmul double %fpext.1, 0x4370000000000000
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %neg.7, double %mul.23, double %fmuladd.6)
  %mul.24 = fmul double %div, 0x3E30000000000000
  %mul.25 = fmul double %fmuladd.7, %mul.24
  %rint.8 = call double @llvm.rint.f64(double %mul.25)
  %neg.8 = fneg double %rint.8
  %mul.26 = fmul double %fpext.1, 0x41B0000000000000
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %neg.8, double %mul.26, double %fmuladd.7)
  %mul.27 = fmul double %div, 0x3FF0000000000000
  %mul.28 = fmul double %fmuladd.8, %mul.27
  %rint.9 = call double @llvm.rint.f64(double %mul.28)
  %neg.9 = fneg double %rint.9
  %mul.29 = fmul double %fpext.1, 0x3FF0000000000000
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %neg.9, double %mul.29, double %fmuladd.8)
  %is = fcmp olt double %fmuladd.9, 0x0000000000000000
  %add = fadd double %fmuladd.9, %fpext.1
  %select = select i1 %is, double %add, double %fmuladd.9
  %fptrunc = fptrunc double %select to float
  %fabs.2 = call float @llvm.fabs.f32(float %b)
  %is.1 = fcmp oeq float %fabs.2, 0x7FF0000000000000
  %fabs.3 = call float @llvm.fabs.f32(float %a)
  %is.2 = fcmp olt float %fabs.3, 0x7FF0000000000000
  %and = and i1 %is.1, %is.2
  %copysign = call float @llvm.copysign.f32(float %fptrunc, float %a)
  %select.1 = select i1 %and, float %a, float %copysign
  %is.3 = fcmp une float %select.1, 0x0000000000000000
  %is.4 = fcmp olt float %select.1, 0x0000000000000000
  %is.5 = fcmp olt float %b, 0x0000000000000000
  %xor = xor i1 %is.4, %is.5
  %and.1 = and i1 %is.3, %xor
  %add.1 = fadd float %select.1, %b
  %select.2 = select i1 %and.1, float %add.1, float %select.1
  ret float %select.2
}

; @nvf.remainder.f32 where @nvf.remainder_is_usual.f32.
define internal float @nvf.remainder_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %div = fdiv float %fabs.1, %fabs
  %trunc = call float @llvm.trunc.f32(float %div)
  %neg = fneg float %trunc
  %fabs.2 = call float @llvm.fabs.f32(float %a)
  %fma = call float @llvm.fma.f32(float %neg, float %fabs, float %fabs.2)
  %is = fcmp olt float %fma, 0x0000000000000000
  %add = fadd float %fma, %fabs
  %select = select i1 %is, float %add, float %fma
  %copysign = call float @llvm.copysign.f32(float %select, float %a)
  %is.1 = fcmp une float %copysign, 0x0000000000000000
  %is.2 = fcmp olt float %copysign, 0x0000000000000000
  %is.3 = fcmp olt float %b, 0x0000000000000000
  %xor = xor i1 %is.2, %is.3
  %and = and i1 %is.1, %xor
  %add.1 = fadd float %copysign, %b
  %select.1 = select i1 %and, float %add.1, float %copysign
  ret float %select.1
}

define internal i1 @nvf.remainder_is_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %mul = fmul float %fabs, 0x4150000000000000
  %is = fcmp ult float %fabs.1, %mul
  %is.1 = fcmp ult float %fabs, 0x4630000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal float @nvf.floor_div.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %a)
  %fpext = fpext float %fabs to double
  %fabs.1 = call float @llvm.fabs.f32(float %b)
  %fpext.1 = fpext float %fabs.1 to double
  %div = fdiv double 0x3FF0000000000000, %fpext.1
  %mul = fmul double %div, 0x3030000000000000
  %mul.1 = fmul double %fpext, %mul
  %rint = call double @llvm.rint.f64(double %mul.1)
  %neg = fneg double %rint
  %mul.2 = fmul double %fpext.1, 0x4FB0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %neg, double %mul.2, double %fpext)
  %mul.3 = fmul double %div, 0x31F0000000000000
  %mul.4 = fmul double %fmuladd, %mul.3
  %rint.1 = call double @llvm.rint.f64(double %mul.4)
  %neg.1 = fneg double %rint.1
  %mul.5 = fmul double %fpext.1, 0x4DF0000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %neg.1, double %mul.5, double %fmuladd)
  %mul.6 = fmul double %div, 0x33B0000000000000
  %mul.7 = fmul double %fmuladd.1, %mul.6
  %rint.2 = call double @llvm.rint.f64(double %mul.7)
  %neg.2 = fneg double %rint.2
  %mul.8 = fmul double %fpext.1, 0x4C30000000000000
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %neg.2, double %mul.8, double %fmuladd.1)
  %mul.9 = fmul double %div, 0x3570000000000000
  %mul.10 = fmul double %fmuladd.2, %mul.9
  %rint.3 = call double @llvm.rint.f64(double %mul.10)
  %neg.3 = fneg double %rint.3
  %mul.11 = fmul double %fpext.1, 0x4A70000000000000
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.3, double %mul.11, double %fmuladd.2)
  %mul.12 = fmul double %div, 0x3730000000000000
  %mul.13 = fmul double %fmuladd.3, %mul.12
  %rint.4 = call double @llvm.rint.f64(double %mul.13)
  %neg.4 = fneg double %rint.4
  %mul.14 = fmul double %fpext.1, 0x48B0000000000000
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %neg.4, double %mul.14, double %fmuladd.3)
  %mul.15 = fmul double %div, 0x38F0000000000000
  %mul.16 = fmul double %fmuladd.4, %mul.15
  %rint.5 = call double @llvm.rint.f64(double %mul.16)
  %neg.5 = fneg double %rint.5
  %mul.17 = fmul double %fpext.1, 0x46F0000000000000
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %neg.5, double %mul.17, double %fmuladd.4)
  %mul.18 = fmul double %div, 0x3AB0000000000000
  %mul.19 = fmul double %fmuladd.5, %mul.18
  %rint.6 = call double @llvm.rint.f64(double %mul.19)
  %neg.6 = fneg double %rint.6
  %mul.20 = fmul double %fpext.1, 0x4530000000000000
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %neg.6, double %mul.20, double %fmuladd.5)
  %mul.21 = fmul double %div, 0x3C70000000000000
  %mul.22 = fmul double %fmuladd.6, %mul.21
  %rint.7 = call double @llvm.rint.f64(double %mul.22)
  %neg.7 = fneg double %rint.7
  %mul.23 = fmul double %fpext.1, 0x4370000000000000
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %neg.7, double %mul.23, double %fmuladd.6)
  %mul.24 = fmul double %div, 0x3E30000000000000
  %mul.25 = fmul double %fmuladd.7, %mul.24
  %rint.8 = call double @llvm.rint.f64(double %mul.25)
  %neg.8 = fneg double %rint.8
  %mul.26 = fmul double %fpext.1, 0x41B0000000000000
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %neg.8, double %mul.26, double %fmuladd.7)
  %mul.27 = fmul double %div, 0x3FF0000000000000
  %mul.28 = fmul double %fmuladd.8, %mul.27
  %rint.9 = call double @llvm.rint.f64(double %mul.28)
  %neg.9 = fneg double %rint.9
  %mul.29 = fmul double %fpext.1, 0x3FF0000000000000
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %neg.9, double %mul.29, double %fmuladd.8)
  %is = fcmp olt double %fmuladd.9, 0x0000000000000000
  %add = fadd double %fmuladd.9, %fpext.1
  %select = select i1 %is, double %add, double %fmuladd.9
  %fptrunc = fptrunc double %select to float
  %fabs.2 = call float @llvm.fabs.f32(float %b)
  %is.1 = fcmp oeq float %fabs.2, 0x7FF0000000000000
  %fabs.3 = call float @llvm.fabs.f32(float %a)
  %is.2 = fcmp olt float %fabs.3, 0x7FF0000000000000
  %and = and i1 %is.1, %is.2
  %copysign = call float @llvm.copysign.f32(float %fptrunc, float %a)
  %select.1 = select i1 %and, float %a, float %copysign
  %sub = fsub float %a, %select.1
  %div.1 = fdiv float %sub, %b
  %is.3 = fcmp une float %select.1, 0x0000000000000000
  %is.4 = fcmp olt float %select.1, 0x0000000000000000
  %is.5 = fcmp olt float %b, 0x0000000000000000
  %xor = xor i1 %is.4, %is.5
  %and.1 = and i1 %is.3, %xor
  %sub.1 = fsub float %div.1, 0x3FF0000000000000
  %select.2 = select i1 %and.1, float %sub.1, float %div.1
  %floor = call float @llvm.floor.f32(float %select.2)
  %sub.2 = fsub float %select.2, %floor
  %is.6 = fcmp ogt float %sub.2, 0x3FE0000000000000
  %add.1 = fadd float %floor, 0x3FF0000000000000
  %select.3 = select i1 %is.6, float %add.1, float %floor
  %div.2 = fdiv float %a, %b
  %is.7 = fcmp oeq float %select.2, 0x0000000000000000
  %copysign.1 = call float @llvm.copysign.f32(float 0x0000000000000000, float %div.2)
  %select.4 = select i1 %is.7, float %copysign.1, float %select.3
  %is.8 = fcmp oeq float %b, 0x0000000000000000
  %select.5 = select i1 %is.8, float %div.2, float %select.4
  ret float %select.5
}

; @nvf.floor_div.f32 where @nvf.floor_div_is_usual.f32.
define internal float @nvf.floor_div_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %div = fdiv float %a, %b
  %floor = call float @llvm.floor.f32(float %div)
  %neg = fneg float %floor
  %fma = call float @llvm.fma.f32(float %neg, float %b, float %a)
  %is = fcmp une float %fma, 0x0000000000000000
  %is.1 = fcmp olt float %fma, 0x0000000000000000
  %is.2 = fcmp olt float %b, 0x0000000000000000
  %xor = xor i1 %is.1, %is.2
  %and = and i1 %is, %xor
  %sub = fsub float %floor, 0x3FF0000000000000
  %select = select i1 %and, float %sub, float %floor
  ret float %select
}

define internal i1 @nvf.floor_div_is_usual.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %b)
  %fabs.1 = call float @llvm.fabs.f32(float %a)
  %mul = fmul float %fabs, 0x4150000000000000
  %is = fcmp ult float %fabs.1, %mul
  %is.1 = fcmp ult float %fabs, 0x4630000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal float @nvf.nextafter.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %a to i32
  %and = and i32 %bitcast, 2147483647
  %is = fcmp olt float %a, %b
  %is.1 = icmp sge i32 %bitcast, 0
  %is.2 = icmp eq i1 %is, %is.1
  %sub = sub i32 0, 1
  %select = select i1 %is.2, i32 1, i32 %sub
  %add = add i32 %bitcast, %select
  %bitcast.1 = bitcast float %b to i32
  %and.1 = and i32 %bitcast.1, -2147483648
  %or = or i32 %and.1, 1
  %is.3 = icmp eq i32 %and, 0
  %select.1 = select i1 %is.3, i32 %or, i32 %add
  %bitcast.2 = bitcast i32 %select.1 to float
  %is.4 = fcmp oeq float %a, %b
  %select.2 = select i1 %is.4, float %b, float %bitcast.2
  %is.5 = fcmp uno float %a, %b
  %add.1 = fadd float %a, %b
  %select.3 = select i1 %is.5, float %add.1, float %select.2
  ret float %select.3
}

define internal float @nvf.copysign.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %copysign = call float @llvm.copysign.f32(float %a, float %b)
  ret float %copysign
}

define internal i1 @nvf.eq.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp oeq float %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp une float %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp olt float %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp ole float %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp ogt float %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %is = fcmp oge float %a, %b
  ret i1 %is
}

define internal double @nvf.abs.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  ret double %fabs
}

define internal double @nvf.ceil.f64(double %x) alwaysinline nounwind willreturn {
  %ceil = call double @llvm.ceil.f64(double %x)
  ret double %ceil
}

define internal double @nvf.floor.f64(double %x) alwaysinline nounwind willreturn {
  %floor = call double @llvm.floor.f64(double %x)
  ret double %floor
}

define internal double @nvf.round.f64(double %x) alwaysinline nounwind willreturn {
  %rint = call double @llvm.rint.f64(double %x)
  ret double %rint
}

define internal double @nvf.sqrt.f64(double %x) alwaysinline nounwind willreturn {
  %sqrt = call double @llvm.sqrt.f64(double %x)
  ret double %sqrt
}

define internal double @nvf.trunc.f64(double %x) alwaysinline nounwind willreturn {
  %trunc = call double @llvm.trunc.f64(double %x)
  ret double %trunc
}

define internal double @nvf.neg.f64(double %x) alwaysinline nounwind willreturn {
  %neg = fneg double %x
  ret double %neg
}

define internal double @nvf.frac.f64(double %x) alwaysinline nounwind willreturn {
  %trunc = call double @llvm.trunc.f64(double %x)
  %sub = fsub double %x, %trunc
  ret double %sub
}

define internal double @nvf.reciprocal.f64(double %x) alwaysinline nounwind willreturn {
  %div = fdiv double 0x3FF0000000000000, %x
  ret double %div
}

define internal double @nvf.rsqrt.f64(double %x) alwaysinline nounwind willreturn {
  %sqrt = call double @llvm.sqrt.f64(double %x)
  %div = fdiv double 0x3FF0000000000000, %sqrt
  ret double %div
}

define internal double @nvf.relu.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0x0000000000000000
  %select = select i1 %is, double 0x0000000000000000, double %x
  ret double %select
}

define internal double @nvf.sign.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0x0000000000000000
  %select = select i1 %is, double 0xBFF0000000000000, double 0x0000000000000000
  %is.1 = fcmp ogt double %x, 0x0000000000000000
  %select.1 = select i1 %is.1, double 0x3FF0000000000000, double %select
  ret double %select.1
}

define internal i1 @nvf.isnan.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp uno double %x, 0x0000000000000000
  ret i1 %is
}

define internal i1 @nvf.isinf.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp oeq double %fabs, 0x7FF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isfinite.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp olt double %fabs, 0x7FF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isposinf.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp oeq double %x, 0x7FF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isneginf.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp oeq double %x, 0xFFF0000000000000
  ret i1 %is
}

define internal i1 @nvf.isreal.f64(double %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.f64(double %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast double %x to i64
  %is = icmp slt i64 %bitcast, 0
  ret i1 %is
}

define internal i1 @nvf.logical_not.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp oeq double %x, 0x0000000000000000
  ret i1 %is
}

define internal double @nvf.add.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %add = fadd double %a, %b
  ret double %add
}

define internal double @nvf.sub.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %sub = fsub double %a, %b
  ret double %sub
}

define internal double @nvf.mul.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %mul = fmul double %a, %b
  ret double %mul
}

define internal double @nvf.div.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %div = fdiv double %a, %b
  ret double %div
}

define internal double @nvf.truediv.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %div = fdiv double %a, %b
  ret double %div
}

; NaN wins.
define internal double @nvf.maximum.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp ogt double %b, %a
  %is.1 = fcmp uno double %b, 0x0000000000000000
  %or = or i1 %is, %is.1
  %select = select i1 %or, double %b, double %a
  ret double %select
}

; NaN wins.
define internal double @nvf.minimum.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp olt double %b, %a
  %is.1 = fcmp uno double %b, 0x0000000000000000
  %or = or i1 %is, %is.1
  %select = select i1 %or, double %b, double %a
  ret double %select
}

define internal double @nvf.fmod.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %mod = frem double %a, %b
  ret double %mod
}

define internal double @nvf.mod.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %mod = frem double %a, %b
  ret double %mod
}

define internal double @nvf.remainder.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %mod = frem double %a, %b
  %is = fcmp une double %mod, 0x0000000000000000
  %is.1 = fcmp olt double %mod, 0x0000000000000000
  %is.2 = fcmp olt double %b, 0x0000000000000000
  %xor = xor i1 %is.1, %is.2
  %and = and i1 %is, %xor
  %add = fadd double %mod, %b
  %select = select i1 %and, double %add, double %mod
  ret double %select
}

define internal double @nvf.floor_div.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %mod = frem double %a, %b
  %sub = fsub double %a, %mod
  %div = fdiv double %sub, %b
  %is = fcmp une double %mod, 0x0000000000000000
  %is.1 = fcmp olt double %mod, 0x0000000000000000
  %is.2 = fcmp olt double %b, 0x0000000000000000
  %xor = xor i1 %is.1, %is.2
  %and = and i1 %is, %xor
  %sub.1 = fsub double %div, 0x3FF0000000000000
  %select = select i1 %and, double %sub.1, double %div
  %floor = call double @llvm.floor.f64(double %select)
  %sub.2 = fsub double %select, %floor
  %is.3 = fcmp ogt double %sub.2, 0x3FE0000000000000
  %add = fadd double %floor, 0x3FF0000000000000
  %select.1 = select i1 %is.3, double %add, double %floor
  %div.1 = fdiv double %a, %b
  %is.4 = fcmp oeq double %select, 0x0000000000000000
  %copysign = call double @llvm.copysign.f64(double 0x0000000000000000, double %div.1)
  %select.2 = select i1 %is.4, double %copysign, double %select.1
  %is.5 = fcmp oeq double %b, 0x0000000000000000
  %select.3 = select i1 %is.5, double %div.1, double %select.2
  ret double %select.3
}

define internal double @nvf.nextafter.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %bitcast = bitcast double %a to i64
  %and = and i64 %bitcast, 9223372036854775807
  %is = fcmp olt double %a, %b
  %is.1 = icmp sge i64 %bitcast, 0
  %is.2 = icmp eq i1 %is, %is.1
  %sub = sub i64 0, 1
  %select = select i1 %is.2, i64 1, i64 %sub
  %add = add i64 %bitcast, %select
  %bitcast.1 = bitcast double %b to i64
  %and.1 = and i64 %bitcast.1, -9223372036854775808
  %or = or i64 %and.1, 1
  %is.3 = icmp eq i64 %and, 0
  %select.1 = select i1 %is.3, i64 %or, i64 %add
  %bitcast.2 = bitcast i64 %select.1 to double
  %is.4 = fcmp oeq double %a, %b
  %select.2 = select i1 %is.4, double %b, double %bitcast.2
  %is.5 = fcmp uno double %a, %b
  %add.1 = fadd double %a, %b
  %select.3 = select i1 %is.5, double %add.1, double %select.2
  ret double %select.3
}

define internal double @nvf.copysign.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %copysign = call double @llvm.copysign.f64(double %a, double %b)
  ret double %copysign
}

define internal i1 @nvf.eq.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp oeq double %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp une double %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp olt double %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp ole double %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp ogt double %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %is = fcmp oge double %a, %b
  ret i1 %is
}

define internal i8 @nvf.ceil.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.floor.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.round.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.trunc.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.abs.i8(i8 %x) alwaysinline nounwind willreturn {
  %abs = call i8 @llvm.abs.i8(i8 %x, i1 false)
  ret i8 %abs
}

define internal i8 @nvf.neg.i8(i8 %x) alwaysinline nounwind willreturn {
  %sub = sub i8 0, %x
  ret i8 %sub
}

define internal i8 @nvf.frac.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 0
}

define internal i8 @nvf.relu.i8(i8 %x) alwaysinline nounwind willreturn {
  %is = icmp sgt i8 %x, 0
  %select = select i1 %is, i8 %x, i8 0
  ret i8 %select
}

define internal i8 @nvf.sign.i8(i8 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i8 %x, 0
  %select = select i1 %is, i8 -1, i8 0
  %is.1 = icmp sgt i8 %x, 0
  %select.1 = select i1 %is.1, i8 1, i8 %select
  ret i8 %select.1
}

define internal i8 @nvf.bitwise_not.i8(i8 %x) alwaysinline nounwind willreturn {
  %xor = xor i8 %x, -1
  ret i8 %xor
}

define internal i1 @nvf.logical_not.i8(i8 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.i8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.i8(i8 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i8 %x, 0
  ret i1 %is
}

define internal i8 @nvf.add.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %add = add i8 %a, %b
  ret i8 %add
}

define internal i8 @nvf.sub.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %sub = sub i8 %a, %b
  ret i8 %sub
}

define internal i8 @nvf.mul.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %mul = mul i8 %a, %b
  ret i8 %mul
}

define internal i8 @nvf.div.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %is.1 = icmp eq i8 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i8 1, i8 %b
  %sdiv = sdiv i8 %a, %select
  %sub = sub i8 0, %a
  %select.1 = select i1 %is.1, i8 %sub, i8 %sdiv
  %select.2 = select i1 %is, i8 -1, i8 %select.1
  ret i8 %select.2
}

define internal i8 @nvf.floor_div.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %is.1 = icmp eq i8 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i8 1, i8 %b
  %sdiv = sdiv i8 %a, %select
  %sub = sub i8 0, %a
  %select.1 = select i1 %is.1, i8 %sub, i8 %sdiv
  %srem = srem i8 %a, %select
  %is.2 = icmp ne i8 %srem, 0
  %xor = xor i8 %srem, %b
  %is.3 = icmp slt i8 %xor, 0
  %and = and i1 %is.2, %is.3
  %select.2 = select i1 %and, i8 1, i8 0
  %sub.1 = sub i8 %select.1, %select.2
  %select.3 = select i1 %is, i8 -1, i8 %sub.1
  ret i8 %select.3
}

define internal i8 @nvf.mod.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %is.1 = icmp eq i8 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i8 1, i8 %b
  %sdiv = sdiv i8 %a, %select
  %sub = sub i8 0, %a
  %select.1 = select i1 %is.1, i8 %sub, i8 %sdiv
  %srem = srem i8 %a, %select
  %select.2 = select i1 %is, i8 %a, i8 %srem
  ret i8 %select.2
}

define internal i8 @nvf.fmod.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %is.1 = icmp eq i8 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i8 1, i8 %b
  %sdiv = sdiv i8 %a, %select
  %sub = sub i8 0, %a
  %select.1 = select i1 %is.1, i8 %sub, i8 %sdiv
  %srem = srem i8 %a, %select
  %select.2 = select i1 %is, i8 %a, i8 %srem
  ret i8 %select.2
}

define internal i8 @nvf.remainder.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %is.1 = icmp eq i8 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i8 1, i8 %b
  %sdiv = sdiv i8 %a, %select
  %sub = sub i8 0, %a
  %select.1 = select i1 %is.1, i8 %sub, i8 %sdiv
  %srem = srem i8 %a, %select
  %select.2 = select i1 %is, i8 %a, i8 %srem
  %xor = xor i8 %select.2, %b
  %is.2 = icmp slt i8 %xor, 0
  %is.3 = icmp ne i8 %select.2, 0
  %and = and i1 %is.2, %is.3
  %add = add i8 %select.2, %b
  %select.3 = select i1 %and, i8 %add, i8 %select.2
  ret i8 %select.3
}

define internal i8 @nvf.maximum.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i8 %a, %b
  %select = select i1 %is, i8 %a, i8 %b
  ret i8 %select
}

define internal i8 @nvf.minimum.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i8 %a, %b
  %select = select i1 %is, i8 %a, i8 %b
  ret i8 %select
}

define internal i8 @nvf.bitwise_and.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %and = and i8 %a, %b
  ret i8 %and
}

define internal i8 @nvf.bitwise_or.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %or = or i8 %a, %b
  ret i8 %or
}

define internal i8 @nvf.bitwise_xor.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %xor = xor i8 %a, %b
  ret i8 %xor
}

define internal i8 @nvf.bitwise_left_shift.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %b, 8
  %select = select i1 %is, i8 0, i8 %b
  %shl = shl i8 %a, %select
  %select.1 = select i1 %is, i8 0, i8 %shl
  ret i8 %select.1
}

define internal i8 @nvf.bitwise_right_shift.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %b, 8
  %select = select i1 %is, i8 7, i8 %b
  %ashr = ashr i8 %a, %select
  ret i8 %ashr
}

define internal i8 @nvf.logical_right_shift.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %b, 8
  %select = select i1 %is, i8 0, i8 %b
  %lshr = lshr i8 %a, %select
  %select.1 = select i1 %is, i8 0, i8 %lshr
  ret i8 %select.1
}

define internal i8 @nvf.gcd.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i8 @llvm.abs.i8(i8 %a, i1 false)
  %abs.b = call i8 @llvm.abs.i8(i8 %b, i1 false)
  br label %loop
loop:
  %x = phi i8 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i8 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i8 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i8 %x, %y
  br label %loop
exit:
  ret i8 %x
}

define internal i8 @nvf.lcm.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i8 @llvm.abs.i8(i8 %a, i1 false)
  %abs.b = call i8 @llvm.abs.i8(i8 %b, i1 false)
  br label %loop
loop:
  %x = phi i8 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i8 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i8 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i8 %x, %y
  br label %loop
exit:
  %zero = icmp eq i8 %x, 0
  %divisor = select i1 %zero, i8 1, i8 %x
  %quotient = udiv i8 %abs.a, %divisor
  %result = mul i8 %quotient, %abs.b
  ret i8 %result
}

define internal i8 @nvf.pow.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i8 [ %b, %entry ], [ %halved, %step ]
  %base = phi i8 [ %a, %entry ], [ %square, %step ]
  %product = phi i8 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i8 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i8 %exponent, 1
  %odd = icmp ne i8 %low, 0
  %multiplied = mul i8 %product, %base
  %next = select i1 %odd, i8 %multiplied, i8 %product
  %square = mul i8 %base, %base
  %halved = lshr i8 %exponent, 1
  br label %loop
exit:
  %negative = icmp slt i8 %b, 0
  %above = add i8 %a, 1
  %unit = icmp ult i8 %above, 3
  %zero = icmp eq i8 %a, 0
  %not.zero = xor i1 %zero, true
  %is.unit = and i1 %unit, %not.zero
  %not.unit = xor i1 %is.unit, true
  %vanishes = and i1 %negative, %not.unit
  %result = select i1 %vanishes, i8 0, i8 %product
  ret i8 %result
}

define internal i1 @nvf.eq.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp sle i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.i8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp sge i8 %a, %b
  ret i1 %is
}

define internal i8 @nvf.ceil.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.floor.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.round.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.trunc.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.abs.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.neg.u8(i8 %x) alwaysinline nounwind willreturn {
  %sub = sub i8 0, %x
  ret i8 %sub
}

define internal i8 @nvf.frac.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 0
}

define internal i8 @nvf.relu.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i8 %x
}

define internal i8 @nvf.sign.u8(i8 %x) alwaysinline nounwind willreturn {
  %is = icmp ugt i8 %x, 0
  %select = select i1 %is, i8 1, i8 0
  ret i8 %select
}

define internal i8 @nvf.bitwise_not.u8(i8 %x) alwaysinline nounwind willreturn {
  %xor = xor i8 %x, -1
  ret i8 %xor
}

define internal i1 @nvf.logical_not.u8(i8 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.u8(i8 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i8 @nvf.add.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %add = add i8 %a, %b
  ret i8 %add
}

define internal i8 @nvf.sub.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %sub = sub i8 %a, %b
  ret i8 %sub
}

define internal i8 @nvf.mul.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %mul = mul i8 %a, %b
  ret i8 %mul
}

define internal i8 @nvf.div.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %select = select i1 %is, i8 1, i8 %b
  %udiv = udiv i8 %a, %select
  %select.1 = select i1 %is, i8 -1, i8 %udiv
  ret i8 %select.1
}

define internal i8 @nvf.floor_div.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %select = select i1 %is, i8 1, i8 %b
  %udiv = udiv i8 %a, %select
  %select.1 = select i1 %is, i8 -1, i8 %udiv
  ret i8 %select.1
}

define internal i8 @nvf.mod.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %select = select i1 %is, i8 1, i8 %b
  %udiv = udiv i8 %a, %select
  %urem = urem i8 %a, %select
  %select.1 = select i1 %is, i8 %a, i8 %urem
  ret i8 %select.1
}

define internal i8 @nvf.fmod.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %select = select i1 %is, i8 1, i8 %b
  %udiv = udiv i8 %a, %select
  %urem = urem i8 %a, %select
  %select.1 = select i1 %is, i8 %a, i8 %urem
  ret i8 %select.1
}

define internal i8 @nvf.remainder.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %b, 0
  %select = select i1 %is, i8 1, i8 %b
  %udiv = udiv i8 %a, %select
  %urem = urem i8 %a, %select
  %select.1 = select i1 %is, i8 %a, i8 %urem
  ret i8 %select.1
}

define internal i8 @nvf.maximum.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i8 %a, %b
  %select = select i1 %is, i8 %a, i8 %b
  ret i8 %select
}

define internal i8 @nvf.minimum.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i8 %a, %b
  %select = select i1 %is, i8 %a, i8 %b
  ret i8 %select
}

define internal i8 @nvf.bitwise_and.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %and = and i8 %a, %b
  ret i8 %and
}

define internal i8 @nvf.bitwise_or.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %or = or i8 %a, %b
  ret i8 %or
}

define internal i8 @nvf.bitwise_xor.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %xor = xor i8 %a, %b
  ret i8 %xor
}

define internal i8 @nvf.bitwise_left_shift.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %b, 8
  %select = select i1 %is, i8 0, i8 %b
  %shl = shl i8 %a, %select
  %select.1 = select i1 %is, i8 0, i8 %shl
  ret i8 %select.1
}

define internal i8 @nvf.bitwise_right_shift.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %b, 8
  %select = select i1 %is, i8 0, i8 %b
  %lshr = lshr i8 %a, %select
  %select.1 = select i1 %is, i8 0, i8 %lshr
  ret i8 %select.1
}

define internal i8 @nvf.logical_right_shift.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %b, 8
  %select = select i1 %is, i8 0, i8 %b
  %lshr = lshr i8 %a, %select
  %select.1 = select i1 %is, i8 0, i8 %lshr
  ret i8 %select.1
}

define internal i8 @nvf.gcd.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i8 [ %a, %entry ], [ %y, %step ]
  %y = phi i8 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i8 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i8 %x, %y
  br label %loop
exit:
  ret i8 %x
}

define internal i8 @nvf.lcm.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i8 [ %a, %entry ], [ %y, %step ]
  %y = phi i8 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i8 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i8 %x, %y
  br label %loop
exit:
  %zero = icmp eq i8 %x, 0
  %divisor = select i1 %zero, i8 1, i8 %x
  %quotient = udiv i8 %a, %divisor
  %result = mul i8 %quotient, %b
  ret i8 %result
}

define internal i8 @nvf.pow.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i8 [ %b, %entry ], [ %halved, %step ]
  %base = phi i8 [ %a, %entry ], [ %square, %step ]
  %product = phi i8 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i8 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i8 %exponent, 1
  %odd = icmp ne i8 %low, 0
  %multiplied = mul i8 %product, %base
  %next = select i1 %odd, i8 %multiplied, i8 %product
  %square = mul i8 %base, %base
  %halved = lshr i8 %exponent, 1
  br label %loop
exit:
  ret i8 %product
}

define internal i1 @nvf.eq.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ule i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i8 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.u8(i8 %a, i8 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i8 %a, %b
  ret i1 %is
}

define internal i16 @nvf.ceil.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.floor.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.round.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.trunc.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.abs.i16(i16 %x) alwaysinline nounwind willreturn {
  %abs = call i16 @llvm.abs.i16(i16 %x, i1 false)
  ret i16 %abs
}

define internal i16 @nvf.neg.i16(i16 %x) alwaysinline nounwind willreturn {
  %sub = sub i16 0, %x
  ret i16 %sub
}

define internal i16 @nvf.frac.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 0
}

define internal i16 @nvf.relu.i16(i16 %x) alwaysinline nounwind willreturn {
  %is = icmp sgt i16 %x, 0
  %select = select i1 %is, i16 %x, i16 0
  ret i16 %select
}

define internal i16 @nvf.sign.i16(i16 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i16 %x, 0
  %select = select i1 %is, i16 -1, i16 0
  %is.1 = icmp sgt i16 %x, 0
  %select.1 = select i1 %is.1, i16 1, i16 %select
  ret i16 %select.1
}

define internal i16 @nvf.bitwise_not.i16(i16 %x) alwaysinline nounwind willreturn {
  %xor = xor i16 %x, -1
  ret i16 %xor
}

define internal i1 @nvf.logical_not.i16(i16 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.i16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.i16(i16 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i16 %x, 0
  ret i1 %is
}

define internal i16 @nvf.add.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %add = add i16 %a, %b
  ret i16 %add
}

define internal i16 @nvf.sub.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %sub = sub i16 %a, %b
  ret i16 %sub
}

define internal i16 @nvf.mul.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %mul = mul i16 %a, %b
  ret i16 %mul
}

define internal i16 @nvf.div.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %is.1 = icmp eq i16 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i16 1, i16 %b
  %sdiv = sdiv i16 %a, %select
  %sub = sub i16 0, %a
  %select.1 = select i1 %is.1, i16 %sub, i16 %sdiv
  %select.2 = select i1 %is, i16 -1, i16 %select.1
  ret i16 %select.2
}

define internal i16 @nvf.floor_div.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %is.1 = icmp eq i16 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i16 1, i16 %b
  %sdiv = sdiv i16 %a, %select
  %sub = sub i16 0, %a
  %select.1 = select i1 %is.1, i16 %sub, i16 %sdiv
  %srem = srem i16 %a, %select
  %is.2 = icmp ne i16 %srem, 0
  %xor = xor i16 %srem, %b
  %is.3 = icmp slt i16 %xor, 0
  %and = and i1 %is.2, %is.3
  %select.2 = select i1 %and, i16 1, i16 0
  %sub.1 = sub i16 %select.1, %select.2
  %select.3 = select i1 %is, i16 -1, i16 %sub.1
  ret i16 %select.3
}

define internal i16 @nvf.mod.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %is.1 = icmp eq i16 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i16 1, i16 %b
  %sdiv = sdiv i16 %a, %select
  %sub = sub i16 0, %a
  %select.1 = select i1 %is.1, i16 %sub, i16 %sdiv
  %srem = srem i16 %a, %select
  %select.2 = select i1 %is, i16 %a, i16 %srem
  ret i16 %select.2
}

define internal i16 @nvf.fmod.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %is.1 = icmp eq i16 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i16 1, i16 %b
  %sdiv = sdiv i16 %a, %select
  %sub = sub i16 0, %a
  %select.1 = select i1 %is.1, i16 %sub, i16 %sdiv
  %srem = srem i16 %a, %select
  %select.2 = select i1 %is, i16 %a, i16 %srem
  ret i16 %select.2
}

define internal i16 @nvf.remainder.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %is.1 = icmp eq i16 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i16 1, i16 %b
  %sdiv = sdiv i16 %a, %select
  %sub = sub i16 0, %a
  %select.1 = select i1 %is.1, i16 %sub, i16 %sdiv
  %srem = srem i16 %a, %select
  %select.2 = select i1 %is, i16 %a, i16 %srem
  %xor = xor i16 %select.2, %b
  %is.2 = icmp slt i16 %xor, 0
  %is.3 = icmp ne i16 %select.2, 0
  %and = and i1 %is.2, %is.3
  %add = add i16 %select.2, %b
  %select.3 = select i1 %and, i16 %add, i16 %select.2
  ret i16 %select.3
}

define internal i16 @nvf.maximum.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i16 %a, %b
  %select = select i1 %is, i16 %a, i16 %b
  ret i16 %select
}

define internal i16 @nvf.minimum.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i16 %a, %b
  %select = select i1 %is, i16 %a, i16 %b
  ret i16 %select
}

define internal i16 @nvf.bitwise_and.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %and = and i16 %a, %b
  ret i16 %and
}

define internal i16 @nvf.bitwise_or.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %or = or i16 %a, %b
  ret i16 %or
}

define internal i16 @nvf.bitwise_xor.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %xor = xor i16 %a, %b
  ret i16 %xor
}

define internal i16 @nvf.bitwise_left_shift.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %b, 16
  %select = select i1 %is, i16 0, i16 %b
  %shl = shl i16 %a, %select
  %select.1 = select i1 %is, i16 0, i16 %shl
  ret i16 %select.1
}

define internal i16 @nvf.bitwise_right_shift.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %b, 16
  %select = select i1 %is, i16 15, i16 %b
  %ashr = ashr i16 %a, %select
  ret i16 %ashr
}

define internal i16 @nvf.logical_right_shift.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %b, 16
  %select = select i1 %is, i16 0, i16 %b
  %lshr = lshr i16 %a, %select
  %select.1 = select i1 %is, i16 0, i16 %lshr
  ret i16 %select.1
}

define internal i16 @nvf.gcd.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i16 @llvm.abs.i16(i16 %a, i1 false)
  %abs.b = call i16 @llvm.abs.i16(i16 %b, i1 false)
  br label %loop
loop:
  %x = phi i16 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i16 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i16 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i16 %x, %y
  br label %loop
exit:
  ret i16 %x
}

define internal i16 @nvf.lcm.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i16 @llvm.abs.i16(i16 %a, i1 false)
  %abs.b = call i16 @llvm.abs.i16(i16 %b, i1 false)
  br label %loop
loop:
  %x = phi i16 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i16 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i16 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i16 %x, %y
  br label %loop
exit:
  %zero = icmp eq i16 %x, 0
  %divisor = select i1 %zero, i16 1, i16 %x
  %quotient = udiv i16 %abs.a, %divisor
  %result = mul i16 %quotient, %abs.b
  ret i16 %result
}

define internal i16 @nvf.pow.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i16 [ %b, %entry ], [ %halved, %step ]
  %base = phi i16 [ %a, %entry ], [ %square, %step ]
  %product = phi i16 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i16 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i16 %exponent, 1
  %odd = icmp ne i16 %low, 0
  %multiplied = mul i16 %product, %base
  %next = select i1 %odd, i16 %multiplied, i16 %product
  %square = mul i16 %base, %base
  %halved = lshr i16 %exponent, 1
  br label %loop
exit:
  %negative = icmp slt i16 %b, 0
  %above = add i16 %a, 1
  %unit = icmp ult i16 %above, 3
  %zero = icmp eq i16 %a, 0
  %not.zero = xor i1 %zero, true
  %is.unit = and i1 %unit, %not.zero
  %not.unit = xor i1 %is.unit, true
  %vanishes = and i1 %negative, %not.unit
  %result = select i1 %vanishes, i16 0, i16 %product
  ret i16 %result
}

define internal i1 @nvf.eq.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp sle i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.i16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp sge i16 %a, %b
  ret i1 %is
}

define internal i16 @nvf.ceil.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.floor.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.round.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.trunc.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.abs.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.neg.u16(i16 %x) alwaysinline nounwind willreturn {
  %sub = sub i16 0, %x
  ret i16 %sub
}

define internal i16 @nvf.frac.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 0
}

define internal i16 @nvf.relu.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i16 %x
}

define internal i16 @nvf.sign.u16(i16 %x) alwaysinline nounwind willreturn {
  %is = icmp ugt i16 %x, 0
  %select = select i1 %is, i16 1, i16 0
  ret i16 %select
}

define internal i16 @nvf.bitwise_not.u16(i16 %x) alwaysinline nounwind willreturn {
  %xor = xor i16 %x, -1
  ret i16 %xor
}

define internal i1 @nvf.logical_not.u16(i16 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.u16(i16 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i16 @nvf.add.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %add = add i16 %a, %b
  ret i16 %add
}

define internal i16 @nvf.sub.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %sub = sub i16 %a, %b
  ret i16 %sub
}

define internal i16 @nvf.mul.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %mul = mul i16 %a, %b
  ret i16 %mul
}

define internal i16 @nvf.div.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %select = select i1 %is, i16 1, i16 %b
  %udiv = udiv i16 %a, %select
  %select.1 = select i1 %is, i16 -1, i16 %udiv
  ret i16 %select.1
}

define internal i16 @nvf.floor_div.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %select = select i1 %is, i16 1, i16 %b
  %udiv = udiv i16 %a, %select
  %select.1 = select i1 %is, i16 -1, i16 %udiv
  ret i16 %select.1
}

define internal i16 @nvf.mod.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %select = select i1 %is, i16 1, i16 %b
  %udiv = udiv i16 %a, %select
  %urem = urem i16 %a, %select
  %select.1 = select i1 %is, i16 %a, i16 %urem
  ret i16 %select.1
}

define internal i16 @nvf.fmod.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %select = select i1 %is, i16 1, i16 %b
  %udiv = udiv i16 %a, %select
  %urem = urem i16 %a, %select
  %select.1 = select i1 %is, i16 %a, i16 %urem
  ret i16 %select.1
}

define internal i16 @nvf.remainder.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %b, 0
  %select = select i1 %is, i16 1, i16 %b
  %udiv = udiv i16 %a, %select
  %urem = urem i16 %a, %select
  %select.1 = select i1 %is, i16 %a, i16 %urem
  ret i16 %select.1
}

define internal i16 @nvf.maximum.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i16 %a, %b
  %select = select i1 %is, i16 %a, i16 %b
  ret i16 %select
}

define internal i16 @nvf.minimum.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i16 %a, %b
  %select = select i1 %is, i16 %a, i16 %b
  ret i16 %select
}

define internal i16 @nvf.bitwise_and.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %and = and i16 %a, %b
  ret i16 %and
}

define internal i16 @nvf.bitwise_or.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %or = or i16 %a, %b
  ret i16 %or
}

define internal i16 @nvf.bitwise_xor.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %xor = xor i16 %a, %b
  ret i16 %xor
}

define internal i16 @nvf.bitwise_left_shift.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %b, 16
  %select = select i1 %is, i16 0, i16 %b
  %shl = shl i16 %a, %select
  %select.1 = select i1 %is, i16 0, i16 %shl
  ret i16 %select.1
}

define internal i16 @nvf.bitwise_right_shift.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %b, 16
  %select = select i1 %is, i16 0, i16 %b
  %lshr = lshr i16 %a, %select
  %select.1 = select i1 %is, i16 0, i16 %lshr
  ret i16 %select.1
}

define internal i16 @nvf.logical_right_shift.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %b, 16
  %select = select i1 %is, i16 0, i16 %b
  %lshr = lshr i16 %a, %select
  %select.1 = select i1 %is, i16 0, i16 %lshr
  ret i16 %select.1
}

define internal i16 @nvf.gcd.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i16 [ %a, %entry ], [ %y, %step ]
  %y = phi i16 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i16 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i16 %x, %y
  br label %loop
exit:
  ret i16 %x
}

define internal i16 @nvf.lcm.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i16 [ %a, %entry ], [ %y, %step ]
  %y = phi i16 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i16 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i16 %x, %y
  br label %loop
exit:
  %zero = icmp eq i16 %x, 0
  %divisor = select i1 %zero, i16 1, i16 %x
  %quotient = udiv i16 %a, %divisor
  %result = mul i16 %quotient, %b
  ret i16 %result
}

define internal i16 @nvf.pow.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i16 [ %b, %entry ], [ %halved, %step ]
  %base = phi i16 [ %a, %entry ], [ %square, %step ]
  %product = phi i16 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i16 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i16 %exponent, 1
  %odd = icmp ne i16 %low, 0
  %multiplied = mul i16 %product, %base
  %next = select i1 %odd, i16 %multiplied, i16 %product
  %square = mul i16 %base, %base
  %halved = lshr i16 %exponent, 1
  br label %loop
exit:
  ret i16 %product
}

define internal i1 @nvf.eq.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ule i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i16 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.u16(i16 %a, i16 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i16 %a, %b
  ret i1 %is
}

define internal i32 @nvf.ceil.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.floor.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.round.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.trunc.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.abs.i32(i32 %x) alwaysinline nounwind willreturn {
  %abs = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %abs
}

define internal i32 @nvf.neg.i32(i32 %x) alwaysinline nounwind willreturn {
  %sub = sub i32 0, %x
  ret i32 %sub
}

define internal i32 @nvf.frac.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 0
}

define internal i32 @nvf.relu.i32(i32 %x) alwaysinline nounwind willreturn {
  %is = icmp sgt i32 %x, 0
  %select = select i1 %is, i32 %x, i32 0
  ret i32 %select
}

define internal i32 @nvf.sign.i32(i32 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i32 %x, 0
  %select = select i1 %is, i32 -1, i32 0
  %is.1 = icmp sgt i32 %x, 0
  %select.1 = select i1 %is.1, i32 1, i32 %select
  ret i32 %select.1
}

define internal i32 @nvf.bitwise_not.i32(i32 %x) alwaysinline nounwind willreturn {
  %xor = xor i32 %x, -1
  ret i32 %xor
}

define internal i1 @nvf.logical_not.i32(i32 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.i32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.i32(i32 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i32 %x, 0
  ret i1 %is
}

define internal i32 @nvf.add.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %add = add i32 %a, %b
  ret i32 %add
}

define internal i32 @nvf.sub.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %sub = sub i32 %a, %b
  ret i32 %sub
}

define internal i32 @nvf.mul.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %mul = mul i32 %a, %b
  ret i32 %mul
}

define internal i32 @nvf.div.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %is.1 = icmp eq i32 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i32 1, i32 %b
  %sdiv = sdiv i32 %a, %select
  %sub = sub i32 0, %a
  %select.1 = select i1 %is.1, i32 %sub, i32 %sdiv
  %select.2 = select i1 %is, i32 -1, i32 %select.1
  ret i32 %select.2
}

define internal i32 @nvf.floor_div.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %is.1 = icmp eq i32 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i32 1, i32 %b
  %sdiv = sdiv i32 %a, %select
  %sub = sub i32 0, %a
  %select.1 = select i1 %is.1, i32 %sub, i32 %sdiv
  %srem = srem i32 %a, %select
  %is.2 = icmp ne i32 %srem, 0
  %xor = xor i32 %srem, %b
  %is.3 = icmp slt i32 %xor, 0
  %and = and i1 %is.2, %is.3
  %select.2 = select i1 %and, i32 1, i32 0
  %sub.1 = sub i32 %select.1, %select.2
  %select.3 = select i1 %is, i32 -1, i32 %sub.1
  ret i32 %select.3
}

define internal i32 @nvf.mod.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %is.1 = icmp eq i32 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i32 1, i32 %b
  %sdiv = sdiv i32 %a, %select
  %sub = sub i32 0, %a
  %select.1 = select i1 %is.1, i32 %sub, i32 %sdiv
  %srem = srem i32 %a, %select
  %select.2 = select i1 %is, i32 %a, i32 %srem
  ret i32 %select.2
}

define internal i32 @nvf.fmod.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %is.1 = icmp eq i32 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i32 1, i32 %b
  %sdiv = sdiv i32 %a, %select
  %sub = sub i32 0, %a
  %select.1 = select i1 %is.1, i32 %sub, i32 %sdiv
  %srem = srem i32 %a, %select
  %select.2 = select i1 %is, i32 %a, i32 %srem
  ret i32 %select.2
}

define internal i32 @nvf.remainder.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %is.1 = icmp eq i32 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i32 1, i32 %b
  %sdiv = sdiv i32 %a, %select
  %sub = sub i32 0, %a
  %select.1 = select i1 %is.1, i32 %sub, i32 %sdiv
  %srem = srem i32 %a, %select
  %select.2 = select i1 %is, i32 %a, i32 %srem
  %xor = xor i32 %select.2, %b
  %is.2 = icmp slt i32 %xor, 0
  %is.3 = icmp ne i32 %select.2, 0
  %and = and i1 %is.2, %is.3
  %add = add i32 %select.2, %b
  %select.3 = select i1 %and, i32 %add, i32 %select.2
  ret i32 %select.3
}

define internal i32 @nvf.maximum.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i32 %a, %b
  %select = select i1 %is, i32 %a, i32 %b
  ret i32 %select
}

define internal i32 @nvf.minimum.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i32 %a, %b
  %select = select i1 %is, i32 %a, i32 %b
  ret i32 %select
}

define internal i32 @nvf.bitwise_and.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %and = and i32 %a, %b
  ret i32 %and
}

define internal i32 @nvf.bitwise_or.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %or = or i32 %a, %b
  ret i32 %or
}

define internal i32 @nvf.bitwise_xor.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %xor = xor i32 %a, %b
  ret i32 %xor
}

define internal i32 @nvf.bitwise_left_shift.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %b, 32
  %select = select i1 %is, i32 0, i32 %b
  %shl = shl i32 %a, %select
  %select.1 = select i1 %is, i32 0, i32 %shl
  ret i32 %select.1
}

define internal i32 @nvf.bitwise_right_shift.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %b, 32
  %select = select i1 %is, i32 31, i32 %b
  %ashr = ashr i32 %a, %select
  ret i32 %ashr
}

define internal i32 @nvf.logical_right_shift.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %b, 32
  %select = select i1 %is, i32 0, i32 %b
  %lshr = lshr i32 %a, %select
  %select.1 = select i1 %is, i32 0, i32 %lshr
  ret i32 %select.1
}

define internal i32 @nvf.gcd.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i32 @llvm.abs.i32(i32 %a, i1 false)
  %abs.b = call i32 @llvm.abs.i32(i32 %b, i1 false)
  br label %loop
loop:
  %x = phi i32 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i32 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i32 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i32 %x, %y
  br label %loop
exit:
  ret i32 %x
}

define internal i32 @nvf.lcm.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i32 @llvm.abs.i32(i32 %a, i1 false)
  %abs.b = call i32 @llvm.abs.i32(i32 %b, i1 false)
  br label %loop
loop:
  %x = phi i32 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i32 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i32 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i32 %x, %y
  br label %loop
exit:
  %zero = icmp eq i32 %x, 0
  %divisor = select i1 %zero, i32 1, i32 %x
  %quotient = udiv i32 %abs.a, %divisor
  %result = mul i32 %quotient, %abs.b
  ret i32 %result
}

define internal i32 @nvf.pow.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i32 [ %b, %entry ], [ %halved, %step ]
  %base = phi i32 [ %a, %entry ], [ %square, %step ]
  %product = phi i32 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i32 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i32 %exponent, 1
  %odd = icmp ne i32 %low, 0
  %multiplied = mul i32 %product, %base
  %next = select i1 %odd, i32 %multiplied, i32 %product
  %square = mul i32 %base, %base
  %halved = lshr i32 %exponent, 1
  br label %loop
exit:
  %negative = icmp slt i32 %b, 0
  %above = add i32 %a, 1
  %unit = icmp ult i32 %above, 3
  %zero = icmp eq i32 %a, 0
  %not.zero = xor i1 %zero, true
  %is.unit = and i1 %unit, %not.zero
  %not.unit = xor i1 %is.unit, true
  %vanishes = and i1 %negative, %not.unit
  %result = select i1 %vanishes, i32 0, i32 %product
  ret i32 %result
}

define internal i1 @nvf.eq.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp sle i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.i32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp sge i32 %a, %b
  ret i1 %is
}

define internal i32 @nvf.ceil.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.floor.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.round.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.trunc.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.abs.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.neg.u32(i32 %x) alwaysinline nounwind willreturn {
  %sub = sub i32 0, %x
  ret i32 %sub
}

define internal i32 @nvf.frac.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 0
}

define internal i32 @nvf.relu.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i32 %x
}

define internal i32 @nvf.sign.u32(i32 %x) alwaysinline nounwind willreturn {
  %is = icmp ugt i32 %x, 0
  %select = select i1 %is, i32 1, i32 0
  ret i32 %select
}

define internal i32 @nvf.bitwise_not.u32(i32 %x) alwaysinline nounwind willreturn {
  %xor = xor i32 %x, -1
  ret i32 %xor
}

define internal i1 @nvf.logical_not.u32(i32 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.u32(i32 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i32 @nvf.add.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %add = add i32 %a, %b
  ret i32 %add
}

define internal i32 @nvf.sub.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %sub = sub i32 %a, %b
  ret i32 %sub
}

define internal i32 @nvf.mul.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %mul = mul i32 %a, %b
  ret i32 %mul
}

define internal i32 @nvf.div.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %select = select i1 %is, i32 1, i32 %b
  %udiv = udiv i32 %a, %select
  %select.1 = select i1 %is, i32 -1, i32 %udiv
  ret i32 %select.1
}

define internal i32 @nvf.floor_div.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %select = select i1 %is, i32 1, i32 %b
  %udiv = udiv i32 %a, %select
  %select.1 = select i1 %is, i32 -1, i32 %udiv
  ret i32 %select.1
}

define internal i32 @nvf.mod.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %select = select i1 %is, i32 1, i32 %b
  %udiv = udiv i32 %a, %select
  %urem = urem i32 %a, %select
  %select.1 = select i1 %is, i32 %a, i32 %urem
  ret i32 %select.1
}

define internal i32 @nvf.fmod.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %select = select i1 %is, i32 1, i32 %b
  %udiv = udiv i32 %a, %select
  %urem = urem i32 %a, %select
  %select.1 = select i1 %is, i32 %a, i32 %urem
  ret i32 %select.1
}

define internal i32 @nvf.remainder.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %b, 0
  %select = select i1 %is, i32 1, i32 %b
  %udiv = udiv i32 %a, %select
  %urem = urem i32 %a, %select
  %select.1 = select i1 %is, i32 %a, i32 %urem
  ret i32 %select.1
}

define internal i32 @nvf.maximum.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i32 %a, %b
  %select = select i1 %is, i32 %a, i32 %b
  ret i32 %select
}

define internal i32 @nvf.minimum.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i32 %a, %b
  %select = select i1 %is, i32 %a, i32 %b
  ret i32 %select
}

define internal i32 @nvf.bitwise_and.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %and = and i32 %a, %b
  ret i32 %and
}

define internal i32 @nvf.bitwise_or.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %or = or i32 %a, %b
  ret i32 %or
}

define internal i32 @nvf.bitwise_xor.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %xor = xor i32 %a, %b
  ret i32 %xor
}

define internal i32 @nvf.bitwise_left_shift.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %b, 32
  %select = select i1 %is, i32 0, i32 %b
  %shl = shl i32 %a, %select
  %select.1 = select i1 %is, i32 0, i32 %shl
  ret i32 %select.1
}

define internal i32 @nvf.bitwise_right_shift.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %b, 32
  %select = select i1 %is, i32 0, i32 %b
  %lshr = lshr i32 %a, %select
  %select.1 = select i1 %is, i32 0, i32 %lshr
  ret i32 %select.1
}

define internal i32 @nvf.logical_right_shift.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %b, 32
  %select = select i1 %is, i32 0, i32 %b
  %lshr = lshr i32 %a, %select
  %select.1 = select i1 %is, i32 0, i32 %lshr
  ret i32 %select.1
}

define internal i32 @nvf.gcd.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i32 [ %a, %entry ], [ %y, %step ]
  %y = phi i32 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i32 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i32 %x, %y
  br label %loop
exit:
  ret i32 %x
}

define internal i32 @nvf.lcm.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i32 [ %a, %entry ], [ %y, %step ]
  %y = phi i32 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i32 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i32 %x, %y
  br label %loop
exit:
  %zero = icmp eq i32 %x, 0
  %divisor = select i1 %zero, i32 1, i32 %x
  %quotient = udiv i32 %a, %divisor
  %result = mul i32 %quotient, %b
  ret i32 %result
}

define internal i32 @nvf.pow.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i32 [ %b, %entry ], [ %halved, %step ]
  %base = phi i32 [ %a, %entry ], [ %square, %step ]
  %product = phi i32 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i32 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i32 %exponent, 1
  %odd = icmp ne i32 %low, 0
  %multiplied = mul i32 %product, %base
  %next = select i1 %odd, i32 %multiplied, i32 %product
  %square = mul i32 %base, %base
  %halved = lshr i32 %exponent, 1
  br label %loop
exit:
  ret i32 %product
}

define internal i1 @nvf.eq.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ule i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i32 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.u32(i32 %a, i32 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i32 %a, %b
  ret i1 %is
}

define internal i64 @nvf.ceil.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.floor.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.round.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.trunc.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.abs.i64(i64 %x) alwaysinline nounwind willreturn {
  %abs = call i64 @llvm.abs.i64(i64 %x, i1 false)
  ret i64 %abs
}

define internal i64 @nvf.neg.i64(i64 %x) alwaysinline nounwind willreturn {
  %sub = sub i64 0, %x
  ret i64 %sub
}

define internal i64 @nvf.frac.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 0
}

define internal i64 @nvf.relu.i64(i64 %x) alwaysinline nounwind willreturn {
  %is = icmp sgt i64 %x, 0
  %select = select i1 %is, i64 %x, i64 0
  ret i64 %select
}

define internal i64 @nvf.sign.i64(i64 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i64 %x, 0
  %select = select i1 %is, i64 -1, i64 0
  %is.1 = icmp sgt i64 %x, 0
  %select.1 = select i1 %is.1, i64 1, i64 %select
  ret i64 %select.1
}

define internal i64 @nvf.bitwise_not.i64(i64 %x) alwaysinline nounwind willreturn {
  %xor = xor i64 %x, -1
  ret i64 %xor
}

define internal i1 @nvf.logical_not.i64(i64 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.i64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.i64(i64 %x) alwaysinline nounwind willreturn {
  %is = icmp slt i64 %x, 0
  ret i1 %is
}

define internal i64 @nvf.add.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %add = add i64 %a, %b
  ret i64 %add
}

define internal i64 @nvf.sub.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %sub = sub i64 %a, %b
  ret i64 %sub
}

define internal i64 @nvf.mul.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %mul = mul i64 %a, %b
  ret i64 %mul
}

define internal i64 @nvf.div.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %is.1 = icmp eq i64 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i64 1, i64 %b
  %sdiv = sdiv i64 %a, %select
  %sub = sub i64 0, %a
  %select.1 = select i1 %is.1, i64 %sub, i64 %sdiv
  %select.2 = select i1 %is, i64 -1, i64 %select.1
  ret i64 %select.2
}

define internal i64 @nvf.floor_div.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %is.1 = icmp eq i64 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i64 1, i64 %b
  %sdiv = sdiv i64 %a, %select
  %sub = sub i64 0, %a
  %select.1 = select i1 %is.1, i64 %sub, i64 %sdiv
  %srem = srem i64 %a, %select
  %is.2 = icmp ne i64 %srem, 0
  %xor = xor i64 %srem, %b
  %is.3 = icmp slt i64 %xor, 0
  %and = and i1 %is.2, %is.3
  %select.2 = select i1 %and, i64 1, i64 0
  %sub.1 = sub i64 %select.1, %select.2
  %select.3 = select i1 %is, i64 -1, i64 %sub.1
  ret i64 %select.3
}

define internal i64 @nvf.mod.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %is.1 = icmp eq i64 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i64 1, i64 %b
  %sdiv = sdiv i64 %a, %select
  %sub = sub i64 0, %a
  %select.1 = select i1 %is.1, i64 %sub, i64 %sdiv
  %srem = srem i64 %a, %select
  %select.2 = select i1 %is, i64 %a, i64 %srem
  ret i64 %select.2
}

define internal i64 @nvf.fmod.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %is.1 = icmp eq i64 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i64 1, i64 %b
  %sdiv = sdiv i64 %a, %select
  %sub = sub i64 0, %a
  %select.1 = select i1 %is.1, i64 %sub, i64 %sdiv
  %srem = srem i64 %a, %select
  %select.2 = select i1 %is, i64 %a, i64 %srem
  ret i64 %select.2
}

define internal i64 @nvf.remainder.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %is.1 = icmp eq i64 %b, -1
  %or = or i1 %is, %is.1
  %select = select i1 %or, i64 1, i64 %b
  %sdiv = sdiv i64 %a, %select
  %sub = sub i64 0, %a
  %select.1 = select i1 %is.1, i64 %sub, i64 %sdiv
  %srem = srem i64 %a, %select
  %select.2 = select i1 %is, i64 %a, i64 %srem
  %xor = xor i64 %select.2, %b
  %is.2 = icmp slt i64 %xor, 0
  %is.3 = icmp ne i64 %select.2, 0
  %and = and i1 %is.2, %is.3
  %add = add i64 %select.2, %b
  %select.3 = select i1 %and, i64 %add, i64 %select.2
  ret i64 %select.3
}

define internal i64 @nvf.maximum.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i64 %a, %b
  %select = select i1 %is, i64 %a, i64 %b
  ret i64 %select
}

define internal i64 @nvf.minimum.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i64 %a, %b
  %select = select i1 %is, i64 %a, i64 %b
  ret i64 %select
}

define internal i64 @nvf.bitwise_and.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %and = and i64 %a, %b
  ret i64 %and
}

define internal i64 @nvf.bitwise_or.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %or = or i64 %a, %b
  ret i64 %or
}

define internal i64 @nvf.bitwise_xor.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %xor = xor i64 %a, %b
  ret i64 %xor
}

define internal i64 @nvf.bitwise_left_shift.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %b, 64
  %select = select i1 %is, i64 0, i64 %b
  %shl = shl i64 %a, %select
  %select.1 = select i1 %is, i64 0, i64 %shl
  ret i64 %select.1
}

define internal i64 @nvf.bitwise_right_shift.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %b, 64
  %select = select i1 %is, i64 63, i64 %b
  %ashr = ashr i64 %a, %select
  ret i64 %ashr
}

define internal i64 @nvf.logical_right_shift.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %b, 64
  %select = select i1 %is, i64 0, i64 %b
  %lshr = lshr i64 %a, %select
  %select.1 = select i1 %is, i64 0, i64 %lshr
  ret i64 %select.1
}

define internal i64 @nvf.gcd.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %abs.b = call i64 @llvm.abs.i64(i64 %b, i1 false)
  br label %loop
loop:
  %x = phi i64 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i64 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i64 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i64 %x, %y
  br label %loop
exit:
  ret i64 %x
}

define internal i64 @nvf.lcm.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
entry:
  %abs.a = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %abs.b = call i64 @llvm.abs.i64(i64 %b, i1 false)
  br label %loop
loop:
  %x = phi i64 [ %abs.a, %entry ], [ %y, %step ]
  %y = phi i64 [ %abs.b, %entry ], [ %rest, %step ]
  %done = icmp eq i64 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i64 %x, %y
  br label %loop
exit:
  %zero = icmp eq i64 %x, 0
  %divisor = select i1 %zero, i64 1, i64 %x
  %quotient = udiv i64 %abs.a, %divisor
  %result = mul i64 %quotient, %abs.b
  ret i64 %result
}

define internal i64 @nvf.pow.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i64 [ %b, %entry ], [ %halved, %step ]
  %base = phi i64 [ %a, %entry ], [ %square, %step ]
  %product = phi i64 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i64 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i64 %exponent, 1
  %odd = icmp ne i64 %low, 0
  %multiplied = mul i64 %product, %base
  %next = select i1 %odd, i64 %multiplied, i64 %product
  %square = mul i64 %base, %base
  %halved = lshr i64 %exponent, 1
  br label %loop
exit:
  %negative = icmp slt i64 %b, 0
  %above = add i64 %a, 1
  %unit = icmp ult i64 %above, 3
  %zero = icmp eq i64 %a, 0
  %not.zero = xor i1 %zero, true
  %is.unit = and i1 %unit, %not.zero
  %not.unit = xor i1 %is.unit, true
  %vanishes = and i1 %negative, %not.unit
  %result = select i1 %vanishes, i64 0, i64 %product
  ret i64 %result
}

define internal i1 @nvf.eq.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp slt i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp sle i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp sgt i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.i64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp sge i64 %a, %b
  ret i1 %is
}

define internal i64 @nvf.ceil.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.floor.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.round.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.trunc.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.abs.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.neg.u64(i64 %x) alwaysinline nounwind willreturn {
  %sub = sub i64 0, %x
  ret i64 %sub
}

define internal i64 @nvf.frac.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 0
}

define internal i64 @nvf.relu.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i64 %x
}

define internal i64 @nvf.sign.u64(i64 %x) alwaysinline nounwind willreturn {
  %is = icmp ugt i64 %x, 0
  %select = select i1 %is, i64 1, i64 0
  ret i64 %select
}

define internal i64 @nvf.bitwise_not.u64(i64 %x) alwaysinline nounwind willreturn {
  %xor = xor i64 %x, -1
  ret i64 %xor
}

define internal i1 @nvf.logical_not.u64(i64 %x) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %x, 0
  ret i1 %is
}

define internal i1 @nvf.isnan.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.u64(i64 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i64 @nvf.add.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %add = add i64 %a, %b
  ret i64 %add
}

define internal i64 @nvf.sub.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %sub = sub i64 %a, %b
  ret i64 %sub
}

define internal i64 @nvf.mul.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %mul = mul i64 %a, %b
  ret i64 %mul
}

define internal i64 @nvf.div.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %select = select i1 %is, i64 1, i64 %b
  %udiv = udiv i64 %a, %select
  %select.1 = select i1 %is, i64 -1, i64 %udiv
  ret i64 %select.1
}

define internal i64 @nvf.floor_div.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %select = select i1 %is, i64 1, i64 %b
  %udiv = udiv i64 %a, %select
  %select.1 = select i1 %is, i64 -1, i64 %udiv
  ret i64 %select.1
}

define internal i64 @nvf.mod.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %select = select i1 %is, i64 1, i64 %b
  %udiv = udiv i64 %a, %select
  %urem = urem i64 %a, %select
  %select.1 = select i1 %is, i64 %a, i64 %urem
  ret i64 %select.1
}

define internal i64 @nvf.fmod.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %select = select i1 %is, i64 1, i64 %b
  %udiv = udiv i64 %a, %select
  %urem = urem i64 %a, %select
  %select.1 = select i1 %is, i64 %a, i64 %urem
  ret i64 %select.1
}

define internal i64 @nvf.remainder.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %b, 0
  %select = select i1 %is, i64 1, i64 %b
  %udiv = udiv i64 %a, %select
  %urem = urem i64 %a, %select
  %select.1 = select i1 %is, i64 %a, i64 %urem
  ret i64 %select.1
}

define internal i64 @nvf.maximum.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i64 %a, %b
  %select = select i1 %is, i64 %a, i64 %b
  ret i64 %select
}

define internal i64 @nvf.minimum.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i64 %a, %b
  %select = select i1 %is, i64 %a, i64 %b
  ret i64 %select
}

define internal i64 @nvf.bitwise_and.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %and = and i64 %a, %b
  ret i64 %and
}

define internal i64 @nvf.bitwise_or.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %or = or i64 %a, %b
  ret i64 %or
}

define internal i64 @nvf.bitwise_xor.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %xor = xor i64 %a, %b
  ret i64 %xor
}

define internal i64 @nvf.bitwise_left_shift.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %b, 64
  %select = select i1 %is, i64 0, i64 %b
  %shl = shl i64 %a, %select
  %select.1 = select i1 %is, i64 0, i64 %shl
  ret i64 %select.1
}

define internal i64 @nvf.bitwise_right_shift.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %b, 64
  %select = select i1 %is, i64 0, i64 %b
  %lshr = lshr i64 %a, %select
  %select.1 = select i1 %is, i64 0, i64 %lshr
  ret i64 %select.1
}

define internal i64 @nvf.logical_right_shift.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %b, 64
  %select = select i1 %is, i64 0, i64 %b
  %lshr = lshr i64 %a, %select
  %select.1 = select i1 %is, i64 0, i64 %lshr
  ret i64 %select.1
}

define internal i64 @nvf.gcd.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i64 [ %a, %entry ], [ %y, %step ]
  %y = phi i64 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i64 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i64 %x, %y
  br label %loop
exit:
  ret i64 %x
}

define internal i64 @nvf.lcm.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %x = phi i64 [ %a, %entry ], [ %y, %step ]
  %y = phi i64 [ %b, %entry ], [ %rest, %step ]
  %done = icmp eq i64 %y, 0
  br i1 %done, label %exit, label %step
step:
  %rest = urem i64 %x, %y
  br label %loop
exit:
  %zero = icmp eq i64 %x, 0
  %divisor = select i1 %zero, i64 1, i64 %x
  %quotient = udiv i64 %a, %divisor
  %result = mul i64 %quotient, %b
  ret i64 %result
}

define internal i64 @nvf.pow.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
entry:
  br label %loop
loop:
  %exponent = phi i64 [ %b, %entry ], [ %halved, %step ]
  %base = phi i64 [ %a, %entry ], [ %square, %step ]
  %product = phi i64 [ 1, %entry ], [ %next, %step ]
  %done = icmp eq i64 %exponent, 0
  br i1 %done, label %exit, label %step
step:
  %low = and i64 %exponent, 1
  %odd = icmp ne i64 %low, 0
  %multiplied = mul i64 %product, %base
  %next = select i1 %odd, i64 %multiplied, i64 %product
  %square = mul i64 %base, %base
  %halved = lshr i64 %exponent, 1
  br label %loop
exit:
  ret i64 %product
}

define internal i1 @nvf.eq.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ne.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ne i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ule i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.u64(i64 %a, i64 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i64 %a, %b
  ret i1 %is
}

define internal i1 @nvf.logical_not.i1(i1 %x) alwaysinline nounwind willreturn {
  %xor = xor i1 %x, true
  ret i1 %xor
}

define internal i1 @nvf.bitwise_not.i1(i1 %x) alwaysinline nounwind willreturn {
  %xor = xor i1 %x, true
  ret i1 %xor
}

define internal i1 @nvf.abs.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.ceil.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.floor.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.neg.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.round.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.trunc.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.relu.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.sign.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 %x
}

define internal i1 @nvf.isnan.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isinf.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isfinite.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.isposinf.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isneginf.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.isreal.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 true
}

define internal i1 @nvf.signbit.i1(i1 %x) alwaysinline nounwind willreturn {
  ret i1 false
}

define internal i1 @nvf.add.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %or = or i1 %a, %b
  ret i1 %or
}

define internal i1 @nvf.sub.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %a, %b
  ret i1 %xor
}

define internal i1 @nvf.mul.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %and = and i1 %a, %b
  ret i1 %and
}

define internal i1 @nvf.gcd.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %or = or i1 %a, %b
  ret i1 %or
}

define internal i1 @nvf.lcm.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %and = and i1 %a, %b
  ret i1 %and
}

define internal i1 @nvf.maximum.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %or = or i1 %a, %b
  ret i1 %or
}

define internal i1 @nvf.minimum.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %and = and i1 %a, %b
  ret i1 %and
}

define internal i1 @nvf.bitwise_and.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %and = and i1 %a, %b
  ret i1 %and
}

define internal i1 @nvf.bitwise_or.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %or = or i1 %a, %b
  ret i1 %or
}

define internal i1 @nvf.bitwise_xor.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %a, %b
  ret i1 %xor
}

define internal i1 @nvf.ne.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %a, %b
  ret i1 %xor
}

define internal i1 @nvf.div.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %b, true
  %or = or i1 %a, %xor
  ret i1 %or
}

define internal i1 @nvf.floor_div.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %b, true
  %or = or i1 %a, %xor
  ret i1 %or
}

define internal i1 @nvf.pow.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %b, true
  %or = or i1 %a, %xor
  ret i1 %or
}

define internal i1 @nvf.mod.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %b, true
  %and = and i1 %a, %xor
  ret i1 %and
}

define internal i1 @nvf.fmod.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %b, true
  %and = and i1 %a, %xor
  ret i1 %and
}

define internal i1 @nvf.remainder.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %xor = xor i1 %b, true
  %and = and i1 %a, %xor
  ret i1 %and
}

define internal i1 @nvf.eq.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %is = icmp eq i1 %a, %b
  ret i1 %is
}

define internal i1 @nvf.lt.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %is = icmp ult i1 %a, %b
  ret i1 %is
}

define internal i1 @nvf.le.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %is = icmp ule i1 %a, %b
  ret i1 %is
}

define internal i1 @nvf.gt.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %is = icmp ugt i1 %a, %b
  ret i1 %is
}

define internal i1 @nvf.ge.i1(i1 %a, i1 %b) alwaysinline nounwind willreturn {
  %is = icmp uge i1 %a, %b
  ret i1 %is
}
