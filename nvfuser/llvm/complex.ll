; Complex functions.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare double @cos(double) nounwind willreturn
declare double @hypot(double, double) nounwind willreturn
declare double @llvm.fabs.f64(double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @sin(double) nounwind willreturn
declare float @llvm.fabs.f32(float)
declare { double, double } @cacos(double, double) nounwind willreturn
declare { double, double } @cacosh(double, double) nounwind willreturn
declare { double, double } @casin(double, double) nounwind willreturn
declare { double, double } @casinh(double, double) nounwind willreturn
declare { double, double } @catan(double, double) nounwind willreturn
declare { double, double } @catanh(double, double) nounwind willreturn
declare { double, double } @ccos(double, double) nounwind willreturn
declare { double, double } @ccosh(double, double) nounwind willreturn
declare { double, double } @cexp(double, double) nounwind willreturn
declare { double, double } @clog(double, double) nounwind willreturn
declare { double, double } @cpow(double, double, double, double) nounwind willreturn
declare { double, double } @csin(double, double) nounwind willreturn
declare { double, double } @csinh(double, double) nounwind willreturn
declare { double, double } @csqrt(double, double) nounwind willreturn
declare { double, double } @ctan(double, double) nounwind willreturn
declare { double, double } @ctanh(double, double) nounwind willreturn

define internal { float, float } @nvf.add.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %im = extractvalue { float, float } %a, 1
  %re.1 = extractvalue { float, float } %b, 0
  %im.1 = extractvalue { float, float } %b, 1
  %add = fadd float %re, %re.1
  %add.1 = fadd float %im, %im.1
  %pair = insertvalue { float, float } poison, float %add, 0
  %pair.1 = insertvalue { float, float } %pair, float %add.1, 1
  ret { float, float } %pair.1
}

define internal { float, float } @nvf.sub.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %im = extractvalue { float, float } %a, 1
  %re.1 = extractvalue { float, float } %b, 0
  %im.1 = extractvalue { float, float } %b, 1
  %sub = fsub float %re, %re.1
  %sub.1 = fsub float %im, %im.1
  %pair = insertvalue { float, float } poison, float %sub, 0
  %pair.1 = insertvalue { float, float } %pair, float %sub.1, 1
  ret { float, float } %pair.1
}

define internal { float, float } @nvf.mul.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %im = extractvalue { float, float } %a, 1
  %re.1 = extractvalue { float, float } %b, 0
  %im.1 = extractvalue { float, float } %b, 1
  %mul = fmul float %re, %re.1
  %mul.1 = fmul float %im, %im.1
  %sub = fsub float %mul, %mul.1
  %mul.2 = fmul float %re, %im.1
  %mul.3 = fmul float %im, %re.1
  %add = fadd float %mul.2, %mul.3
  %pair = insertvalue { float, float } poison, float %sub, 0
  %pair.1 = insertvalue { float, float } %pair, float %add, 1
  ret { float, float } %pair.1
}

define internal { float, float } @nvf.neg.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %neg = fneg float %re
  %im = extractvalue { float, float } %x, 1
  %neg.1 = fneg float %im
  %pair = insertvalue { float, float } poison, float %neg, 0
  %pair.1 = insertvalue { float, float } %pair, float %neg.1, 1
  ret { float, float } %pair.1
}

define internal float @nvf.real.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  ret float %re
}

define internal float @nvf.imag.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %im = extractvalue { float, float } %x, 1
  ret float %im
}

define internal i1 @nvf.isnan.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %is = fcmp uno float %re, %im
  ret i1 %is
}

define internal i1 @nvf.isinf.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %fabs = call float @llvm.fabs.f32(float %re)
  %is = fcmp oeq float %fabs, 0x7FF0000000000000
  %im = extractvalue { float, float } %x, 1
  %fabs.1 = call float @llvm.fabs.f32(float %im)
  %is.1 = fcmp oeq float %fabs.1, 0x7FF0000000000000
  %or = or i1 %is, %is.1
  ret i1 %or
}

define internal i1 @nvf.isfinite.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %fabs = call float @llvm.fabs.f32(float %re)
  %is = fcmp olt float %fabs, 0x7FF0000000000000
  %im = extractvalue { float, float } %x, 1
  %fabs.1 = call float @llvm.fabs.f32(float %im)
  %is.1 = fcmp olt float %fabs.1, 0x7FF0000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal i1 @nvf.isreal.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %im = extractvalue { float, float } %x, 1
  %is = fcmp oeq float %im, 0x0000000000000000
  ret i1 %is
}

define internal i1 @nvf.logical_not.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %is = fcmp oeq float %re, 0x0000000000000000
  %im = extractvalue { float, float } %x, 1
  %is.1 = fcmp oeq float %im, 0x0000000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal i1 @nvf.eq.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %re.1 = extractvalue { float, float } %b, 0
  %is = fcmp oeq float %re, %re.1
  %im = extractvalue { float, float } %a, 1
  %im.1 = extractvalue { float, float } %b, 1
  %is.1 = fcmp oeq float %im, %im.1
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal i1 @nvf.ne.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %re.1 = extractvalue { float, float } %b, 0
  %is = fcmp oeq float %re, %re.1
  %im = extractvalue { float, float } %a, 1
  %im.1 = extractvalue { float, float } %b, 1
  %is.1 = fcmp oeq float %im, %im.1
  %and = and i1 %is, %is.1
  %xor = xor i1 %and, true
  ret i1 %xor
}

define internal { double, double } @nvf.add.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %im = extractvalue { double, double } %a, 1
  %re.1 = extractvalue { double, double } %b, 0
  %im.1 = extractvalue { double, double } %b, 1
  %add = fadd double %re, %re.1
  %add.1 = fadd double %im, %im.1
  %pair = insertvalue { double, double } poison, double %add, 0
  %pair.1 = insertvalue { double, double } %pair, double %add.1, 1
  ret { double, double } %pair.1
}

define internal { double, double } @nvf.sub.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %im = extractvalue { double, double } %a, 1
  %re.1 = extractvalue { double, double } %b, 0
  %im.1 = extractvalue { double, double } %b, 1
  %sub = fsub double %re, %re.1
  %sub.1 = fsub double %im, %im.1
  %pair = insertvalue { double, double } poison, double %sub, 0
  %pair.1 = insertvalue { double, double } %pair, double %sub.1, 1
  ret { double, double } %pair.1
}

define internal { double, double } @nvf.mul.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %im = extractvalue { double, double } %a, 1
  %re.1 = extractvalue { double, double } %b, 0
  %im.1 = extractvalue { double, double } %b, 1
  %mul = fmul double %re, %re.1
  %mul.1 = fmul double %im, %im.1
  %sub = fsub double %mul, %mul.1
  %mul.2 = fmul double %re, %im.1
  %mul.3 = fmul double %im, %re.1
  %add = fadd double %mul.2, %mul.3
  %pair = insertvalue { double, double } poison, double %sub, 0
  %pair.1 = insertvalue { double, double } %pair, double %add, 1
  ret { double, double } %pair.1
}

define internal { double, double } @nvf.neg.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %neg = fneg double %re
  %im = extractvalue { double, double } %x, 1
  %neg.1 = fneg double %im
  %pair = insertvalue { double, double } poison, double %neg, 0
  %pair.1 = insertvalue { double, double } %pair, double %neg.1, 1
  ret { double, double } %pair.1
}

define internal double @nvf.real.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  ret double %re
}

define internal double @nvf.imag.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %im = extractvalue { double, double } %x, 1
  ret double %im
}

define internal i1 @nvf.isnan.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %is = fcmp uno double %re, %im
  ret i1 %is
}

define internal i1 @nvf.isinf.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %fabs = call double @llvm.fabs.f64(double %re)
  %is = fcmp oeq double %fabs, 0x7FF0000000000000
  %im = extractvalue { double, double } %x, 1
  %fabs.1 = call double @llvm.fabs.f64(double %im)
  %is.1 = fcmp oeq double %fabs.1, 0x7FF0000000000000
  %or = or i1 %is, %is.1
  ret i1 %or
}

define internal i1 @nvf.isfinite.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %fabs = call double @llvm.fabs.f64(double %re)
  %is = fcmp olt double %fabs, 0x7FF0000000000000
  %im = extractvalue { double, double } %x, 1
  %fabs.1 = call double @llvm.fabs.f64(double %im)
  %is.1 = fcmp olt double %fabs.1, 0x7FF0000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal i1 @nvf.isreal.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %im = extractvalue { double, double } %x, 1
  %is = fcmp oeq double %im, 0x0000000000000000
  ret i1 %is
}

define internal i1 @nvf.logical_not.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %is = fcmp oeq double %re, 0x0000000000000000
  %im = extractvalue { double, double } %x, 1
  %is.1 = fcmp oeq double %im, 0x0000000000000000
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal i1 @nvf.eq.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %re.1 = extractvalue { double, double } %b, 0
  %is = fcmp oeq double %re, %re.1
  %im = extractvalue { double, double } %a, 1
  %im.1 = extractvalue { double, double } %b, 1
  %is.1 = fcmp oeq double %im, %im.1
  %and = and i1 %is, %is.1
  ret i1 %and
}

define internal i1 @nvf.ne.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %re.1 = extractvalue { double, double } %b, 0
  %is = fcmp oeq double %re, %re.1
  %im = extractvalue { double, double } %a, 1
  %im.1 = extractvalue { double, double } %b, 1
  %is.1 = fcmp oeq double %im, %im.1
  %and = and i1 %is, %is.1
  %xor = xor i1 %and, true
  ret i1 %xor
}

define internal double @nvf.abs.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %fabs = call double @llvm.fabs.f64(double %re)
  %im = extractvalue { double, double } %x, 1
  %fabs.1 = call double @llvm.fabs.f64(double %im)
  %is = fcmp ogt double %fabs, %fabs.1
  %select = select i1 %is, double %fabs, double %fabs.1
  %bitcast = bitcast double %select to i64
  %and = and i64 %bitcast, 9218868437227405312
  %is.1 = icmp slt i64 %and, 4503599627370496
  %select.1 = select i1 %is.1, i64 4503599627370496, i64 %and
  %is.2 = icmp sgt i64 %select.1, 9209861237972664320
  %select.2 = select i1 %is.2, i64 9209861237972664320, i64 %select.1
  %sub = sub i64 9214364837600034816, %select.2
  %bitcast.1 = bitcast i64 %sub to double
  %bitcast.2 = bitcast i64 %select.2 to double
  %mul = fmul double %fabs, %bitcast.1
  %mul.1 = fmul double %fabs.1, %bitcast.1
  %mul.2 = fmul double %mul.1, %mul.1
  %fmuladd = call double @llvm.fmuladd.f64(double %mul, double %mul, double %mul.2)
  %sqrt = call double @llvm.sqrt.f64(double %fmuladd)
  %mul.3 = fmul double %sqrt, %bitcast.2
  %is.3 = fcmp oeq double %fabs, 0x7FF0000000000000
  %is.4 = fcmp oeq double %fabs.1, 0x7FF0000000000000
  %or = or i1 %is.3, %is.4
  %select.3 = select i1 %or, double 0x7FF0000000000000, double %mul.3
  ret double %select.3
}

define internal float @nvf.abs.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %mul = fmul double %im.1, %im.1
  %fmuladd = call double @llvm.fmuladd.f64(double %re.1, double %re.1, double %mul)
  %sqrt = call double @llvm.sqrt.f64(double %fmuladd)
  %fptrunc = fptrunc double %sqrt to float
  %fabs = call double @llvm.fabs.f64(double %re.1)
  %is = fcmp oeq double %fabs, 0x7FF0000000000000
  %fabs.1 = call double @llvm.fabs.f64(double %im.1)
  %is.1 = fcmp oeq double %fabs.1, 0x7FF0000000000000
  %or = or i1 %is, %is.1
  %select = select i1 %or, float 0x7FF0000000000000, float %fptrunc
  ret float %select
}

define internal { double, double } @nvf.exp.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %cexp = call { double, double } @cexp(double %re, double %im)
  ret { double, double } %cexp
}

define internal { float, float } @nvf.exp.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %cexp = call { double, double } @cexp(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %cexp, 0
  %im.2 = extractvalue { double, double } %cexp, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.log.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %clog = call { double, double } @clog(double %re, double %im)
  ret { double, double } %clog
}

define internal { float, float } @nvf.log.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %clog = call { double, double } @clog(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %clog, 0
  %im.2 = extractvalue { double, double } %clog, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.sqrt.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %csqrt = call { double, double } @csqrt(double %re, double %im)
  ret { double, double } %csqrt
}

define internal { float, float } @nvf.sqrt.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %csqrt = call { double, double } @csqrt(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %csqrt, 0
  %im.2 = extractvalue { double, double } %csqrt, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.sin.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %csin = call { double, double } @csin(double %re, double %im)
  ret { double, double } %csin
}

define internal { float, float } @nvf.sin.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %csin = call { double, double } @csin(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %csin, 0
  %im.2 = extractvalue { double, double } %csin, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.cos.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %ccos = call { double, double } @ccos(double %re, double %im)
  ret { double, double } %ccos
}

define internal { float, float } @nvf.cos.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %ccos = call { double, double } @ccos(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %ccos, 0
  %im.2 = extractvalue { double, double } %ccos, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.tan.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %ctan = call { double, double } @ctan(double %re, double %im)
  ret { double, double } %ctan
}

define internal { float, float } @nvf.tan.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %ctan = call { double, double } @ctan(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %ctan, 0
  %im.2 = extractvalue { double, double } %ctan, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.asin.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %casin = call { double, double } @casin(double %re, double %im)
  ret { double, double } %casin
}

define internal { float, float } @nvf.asin.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %casin = call { double, double } @casin(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %casin, 0
  %im.2 = extractvalue { double, double } %casin, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.acos.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %cacos = call { double, double } @cacos(double %re, double %im)
  ret { double, double } %cacos
}

define internal { float, float } @nvf.acos.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %cacos = call { double, double } @cacos(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %cacos, 0
  %im.2 = extractvalue { double, double } %cacos, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.atan.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %catan = call { double, double } @catan(double %re, double %im)
  ret { double, double } %catan
}

define internal { float, float } @nvf.atan.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %catan = call { double, double } @catan(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %catan, 0
  %im.2 = extractvalue { double, double } %catan, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.sinh.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %csinh = call { double, double } @csinh(double %re, double %im)
  ret { double, double } %csinh
}

define internal { float, float } @nvf.sinh.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %csinh = call { double, double } @csinh(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %csinh, 0
  %im.2 = extractvalue { double, double } %csinh, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.cosh.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %ccosh = call { double, double } @ccosh(double %re, double %im)
  ret { double, double } %ccosh
}

define internal { float, float } @nvf.cosh.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %ccosh = call { double, double } @ccosh(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %ccosh, 0
  %im.2 = extractvalue { double, double } %ccosh, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.tanh.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %ctanh = call { double, double } @ctanh(double %re, double %im)
  ret { double, double } %ctanh
}

define internal { float, float } @nvf.tanh.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %ctanh = call { double, double } @ctanh(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %ctanh, 0
  %im.2 = extractvalue { double, double } %ctanh, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.asinh.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %casinh = call { double, double } @casinh(double %re, double %im)
  ret { double, double } %casinh
}

define internal { float, float } @nvf.asinh.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %casinh = call { double, double } @casinh(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %casinh, 0
  %im.2 = extractvalue { double, double } %casinh, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.acosh.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %cacosh = call { double, double } @cacosh(double %re, double %im)
  ret { double, double } %cacosh
}

define internal { float, float } @nvf.acosh.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %cacosh = call { double, double } @cacosh(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %cacosh, 0
  %im.2 = extractvalue { double, double } %cacosh, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.atanh.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %catanh = call { double, double } @catanh(double %re, double %im)
  ret { double, double } %catanh
}

define internal { float, float } @nvf.atanh.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %catanh = call { double, double } @catanh(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %catanh, 0
  %im.2 = extractvalue { double, double } %catanh, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.2 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.3 = insertvalue { float, float } %pair.2, float %fptrunc.1, 1
  ret { float, float } %pair.3
}

define internal { double, double } @nvf.log2.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %clog = call { double, double } @clog(double %re, double %im)
  %re.1 = extractvalue { double, double } %clog, 0
  %im.1 = extractvalue { double, double } %clog, 1
  %mul = fmul double %re.1, 0x3FF71547652B82FE
  %mul.1 = fmul double %im.1, 0x3FF71547652B82FE
  %pair = insertvalue { double, double } poison, double %mul, 0
  %pair.1 = insertvalue { double, double } %pair, double %mul.1, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.log2.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %clog = call { double, double } @clog(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %clog, 0
  %im.2 = extractvalue { double, double } %clog, 1
  %mul = fmul double %re.2, 0x3FF71547652B82FE
  %mul.1 = fmul double %im.2, 0x3FF71547652B82FE
  %pair.2 = insertvalue { double, double } poison, double %mul, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %mul.1, 1
  %re.3 = extractvalue { double, double } %pair.3, 0
  %im.3 = extractvalue { double, double } %pair.3, 1
  %fptrunc = fptrunc double %re.3 to float
  %fptrunc.1 = fptrunc double %im.3 to float
  %pair.4 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.5 = insertvalue { float, float } %pair.4, float %fptrunc.1, 1
  ret { float, float } %pair.5
}

define internal { double, double } @nvf.log10.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %clog = call { double, double } @clog(double %re, double %im)
  %re.1 = extractvalue { double, double } %clog, 0
  %im.1 = extractvalue { double, double } %clog, 1
  %mul = fmul double %re.1, 0x3FDBCB7B1526E50E
  %mul.1 = fmul double %im.1, 0x3FDBCB7B1526E50E
  %pair = insertvalue { double, double } poison, double %mul, 0
  %pair.1 = insertvalue { double, double } %pair, double %mul.1, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.log10.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %clog = call { double, double } @clog(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %clog, 0
  %im.2 = extractvalue { double, double } %clog, 1
  %mul = fmul double %re.2, 0x3FDBCB7B1526E50E
  %mul.1 = fmul double %im.2, 0x3FDBCB7B1526E50E
  %pair.2 = insertvalue { double, double } poison, double %mul, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %mul.1, 1
  %re.3 = extractvalue { double, double } %pair.3, 0
  %im.3 = extractvalue { double, double } %pair.3, 1
  %fptrunc = fptrunc double %re.3 to float
  %fptrunc.1 = fptrunc double %im.3 to float
  %pair.4 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.5 = insertvalue { float, float } %pair.4, float %fptrunc.1, 1
  ret { float, float } %pair.5
}

define internal { double, double } @nvf.exp2.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %mul = fmul double %im, 0x3FE62E42FEFA39EF
  %exp2 = call double @nvf.exp2.f64(double %re)
  %fabs = call double @llvm.fabs.f64(double %im)
  %is = fcmp olt double %fabs, 0x7FF0000000000000
  %is.1 = fcmp oeq double %im, 0x0000000000000000
  %xor = xor i1 %is, true
  %is.2 = fcmp oeq double %exp2, 0x0000000000000000
  %is.3 = fcmp oeq double %exp2, 0x7FF0000000000000
  %or = or i1 %is.2, %is.3
  %and = and i1 %xor, %or
  %or.1 = or i1 %is.1, %and
  %sin = call double @sin(double %mul)
  %mul.1 = fmul double %exp2, %sin
  %is.4 = fcmp oeq double %exp2, 0x0000000000000000
  %sub = fsub double %im, %im
  %select = select i1 %is.4, double %exp2, double %sub
  %select.1 = select i1 %is, double %mul.1, double %select
  %cos = call double @cos(double %mul)
  %mul.2 = fmul double %exp2, %cos
  %select.2 = select i1 %or.1, double %exp2, double %mul.2
  %is.5 = fcmp oeq double %im, 0x0000000000000000
  %select.3 = select i1 %is.5, double %im, double %select.1
  %pair = insertvalue { double, double } poison, double %select.2, 0
  %pair.1 = insertvalue { double, double } %pair, double %select.3, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.exp2.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %mul = fmul double %im.1, 0x3FE62E42FEFA39EF
  %exp2 = call double @nvf.exp2.f64(double %re.1)
  %fabs = call double @llvm.fabs.f64(double %im.1)
  %is = fcmp olt double %fabs, 0x7FF0000000000000
  %is.1 = fcmp oeq double %im.1, 0x0000000000000000
  %xor = xor i1 %is, true
  %is.2 = fcmp oeq double %exp2, 0x0000000000000000
  %is.3 = fcmp oeq double %exp2, 0x7FF0000000000000
  %or = or i1 %is.2, %is.3
  %and = and i1 %xor, %or
  %or.1 = or i1 %is.1, %and
  %sin = call double @sin(double %mul)
  %mul.1 = fmul double %exp2, %sin
  %is.4 = fcmp oeq double %exp2, 0x0000000000000000
  %sub = fsub double %im.1, %im.1
  %select = select i1 %is.4, double %exp2, double %sub
  %select.1 = select i1 %is, double %mul.1, double %select
  %cos = call double @cos(double %mul)
  %mul.2 = fmul double %exp2, %cos
  %select.2 = select i1 %or.1, double %exp2, double %mul.2
  %is.5 = fcmp oeq double %im.1, 0x0000000000000000
  %select.3 = select i1 %is.5, double %im.1, double %select.1
  %pair.2 = insertvalue { double, double } poison, double %select.2, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %select.3, 1
  %re.2 = extractvalue { double, double } %pair.3, 0
  %im.2 = extractvalue { double, double } %pair.3, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.4 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.5 = insertvalue { float, float } %pair.4, float %fptrunc.1, 1
  ret { float, float } %pair.5
}

define internal { double, double } @nvf.expm1.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %mul = fmul double %im, 0x3FE0000000000000
  %sin = call double @sin(double %mul)
  %expm1 = call double @nvf.expm1.f64(double %re)
  %cos = call double @cos(double %im)
  %mul.1 = fmul double %expm1, %cos
  %mul.2 = fmul double %sin, %sin
  %mul.3 = fmul double %mul.2, 0x4000000000000000
  %sub = fsub double %mul.1, %mul.3
  %exp = call double @nvf.exp.f64(double %re)
  %sin.1 = call double @sin(double %im)
  %mul.4 = fmul double %exp, %sin.1
  %is = fcmp oeq double %im, 0x0000000000000000
  %select = select i1 %is, double %expm1, double %sub
  %select.1 = select i1 %is, double %im, double %mul.4
  %pair = insertvalue { double, double } poison, double %select, 0
  %pair.1 = insertvalue { double, double } %pair, double %select.1, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.expm1.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %mul = fmul double %im.1, 0x3FE0000000000000
  %sin = call double @sin(double %mul)
  %expm1 = call double @nvf.expm1.f64(double %re.1)
  %cos = call double @cos(double %im.1)
  %mul.1 = fmul double %expm1, %cos
  %mul.2 = fmul double %sin, %sin
  %mul.3 = fmul double %mul.2, 0x4000000000000000
  %sub = fsub double %mul.1, %mul.3
  %exp = call double @nvf.exp.f64(double %re.1)
  %sin.1 = call double @sin(double %im.1)
  %mul.4 = fmul double %exp, %sin.1
  %is = fcmp oeq double %im.1, 0x0000000000000000
  %select = select i1 %is, double %expm1, double %sub
  %select.1 = select i1 %is, double %im.1, double %mul.4
  %pair.2 = insertvalue { double, double } poison, double %select, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %select.1, 1
  %re.2 = extractvalue { double, double } %pair.3, 0
  %im.2 = extractvalue { double, double } %pair.3, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.4 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.5 = insertvalue { float, float } %pair.4, float %fptrunc.1, 1
  ret { float, float } %pair.5
}

define internal { double, double } @nvf.log1p.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %add = fadd double %re, 0x3FF0000000000000
  %add.1 = fadd double %re, 0x4000000000000000
  %mul = fmul double %im, %im
  %fmuladd = call double @llvm.fmuladd.f64(double %re, double %add.1, double %mul)
  %log1p = call double @nvf.log1p.f64(double %fmuladd)
  %mul.1 = fmul double %log1p, 0x3FE0000000000000
  %hypot = call double @hypot(double %add, double %im)
  %log = call double @nvf.log.f64(double %hypot)
  %fabs = call double @llvm.fabs.f64(double %re)
  %is = fcmp olt double %fabs, 0x3FE0000000000000
  %fabs.1 = call double @llvm.fabs.f64(double %im)
  %is.1 = fcmp olt double %fabs.1, 0x3FE0000000000000
  %and = and i1 %is, %is.1
  %select = select i1 %and, double %mul.1, double %log
  %atan2 = call double @nvf.atan2.f64(double %im, double %add)
  %pair = insertvalue { double, double } poison, double %select, 0
  %pair.1 = insertvalue { double, double } %pair, double %atan2, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.log1p.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %add = fadd double %re.1, 0x3FF0000000000000
  %add.1 = fadd double %re.1, 0x4000000000000000
  %mul = fmul double %im.1, %im.1
  %fmuladd = call double @llvm.fmuladd.f64(double %re.1, double %add.1, double %mul)
  %log1p = call double @nvf.log1p.f64(double %fmuladd)
  %mul.1 = fmul double %log1p, 0x3FE0000000000000
  %hypot = call double @hypot(double %add, double %im.1)
  %log = call double @nvf.log.f64(double %hypot)
  %fabs = call double @llvm.fabs.f64(double %re.1)
  %is = fcmp olt double %fabs, 0x3FE0000000000000
  %fabs.1 = call double @llvm.fabs.f64(double %im.1)
  %is.1 = fcmp olt double %fabs.1, 0x3FE0000000000000
  %and = and i1 %is, %is.1
  %select = select i1 %and, double %mul.1, double %log
  %atan2 = call double @nvf.atan2.f64(double %im.1, double %add)
  %pair.2 = insertvalue { double, double } poison, double %select, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %atan2, 1
  %re.2 = extractvalue { double, double } %pair.3, 0
  %im.2 = extractvalue { double, double } %pair.3, 1
  %fptrunc = fptrunc double %re.2 to float
  %fptrunc.1 = fptrunc double %im.2 to float
  %pair.4 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.5 = insertvalue { float, float } %pair.4, float %fptrunc.1, 1
  ret { float, float } %pair.5
}

define internal { double, double } @nvf.reciprocal.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %pair = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.1 = insertvalue { double, double } %pair, double 0x0000000000000000, 1
  %re = extractvalue { double, double } %pair.1, 0
  %im = extractvalue { double, double } %pair.1, 1
  %re.1 = extractvalue { double, double } %x, 0
  %im.1 = extractvalue { double, double } %x, 1
  %is = fcmp oeq double %re.1, 0x0000000000000000
  %is.1 = fcmp oeq double %im.1, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.1)
  %fabs.1 = call double @llvm.fabs.f64(double %im.1)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.1, double %im.1
  %select.1 = select i1 %is.2, double %im.1, double %re.1
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im, double %div, double %re)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re, double %div, double %im)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im)
  %neg.1 = fneg double %re
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.1)
  %div.3 = fdiv double %re, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.1)
  %div.4 = fdiv double %im, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.2 = insertvalue { double, double } poison, double %select.4, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %select.5, 1
  ret { double, double } %pair.3
}

define internal { float, float } @nvf.reciprocal.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %pair.2 = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.3 = insertvalue { double, double } %pair.2, double 0x0000000000000000, 1
  %re.1 = extractvalue { double, double } %pair.3, 0
  %im.1 = extractvalue { double, double } %pair.3, 1
  %re.2 = extractvalue { double, double } %pair.1, 0
  %im.2 = extractvalue { double, double } %pair.1, 1
  %is = fcmp oeq double %re.2, 0x0000000000000000
  %is.1 = fcmp oeq double %im.2, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.2)
  %fabs.1 = call double @llvm.fabs.f64(double %im.2)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.2, double %im.2
  %select.1 = select i1 %is.2, double %im.2, double %re.2
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.1, double %div, double %re.1)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.1, double %div, double %im.1)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re.1
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im.1)
  %neg.1 = fneg double %re.1
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.1, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.2)
  %div.3 = fdiv double %re.1, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.2)
  %div.4 = fdiv double %im.1, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.4 = insertvalue { double, double } poison, double %select.4, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %select.5, 1
  %re.3 = extractvalue { double, double } %pair.5, 0
  %im.3 = extractvalue { double, double } %pair.5, 1
  %fptrunc = fptrunc double %re.3 to float
  %fptrunc.1 = fptrunc double %im.3 to float
  %pair.6 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.7 = insertvalue { float, float } %pair.6, float %fptrunc.1, 1
  ret { float, float } %pair.7
}

define internal { double, double } @nvf.rsqrt.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %csqrt = call { double, double } @csqrt(double %re, double %im)
  %pair = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.1 = insertvalue { double, double } %pair, double 0x0000000000000000, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %re.2 = extractvalue { double, double } %csqrt, 0
  %im.2 = extractvalue { double, double } %csqrt, 1
  %is = fcmp oeq double %re.2, 0x0000000000000000
  %is.1 = fcmp oeq double %im.2, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.2)
  %fabs.1 = call double @llvm.fabs.f64(double %im.2)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.2, double %im.2
  %select.1 = select i1 %is.2, double %im.2, double %re.2
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.1, double %div, double %re.1)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.1, double %div, double %im.1)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re.1
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im.1)
  %neg.1 = fneg double %re.1
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.1, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.2)
  %div.3 = fdiv double %re.1, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.2)
  %div.4 = fdiv double %im.1, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.2 = insertvalue { double, double } poison, double %select.4, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %select.5, 1
  ret { double, double } %pair.3
}

define internal { float, float } @nvf.rsqrt.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %csqrt = call { double, double } @csqrt(double %re.1, double %im.1)
  %pair.2 = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.3 = insertvalue { double, double } %pair.2, double 0x0000000000000000, 1
  %re.2 = extractvalue { double, double } %pair.3, 0
  %im.2 = extractvalue { double, double } %pair.3, 1
  %re.3 = extractvalue { double, double } %csqrt, 0
  %im.3 = extractvalue { double, double } %csqrt, 1
  %is = fcmp oeq double %re.3, 0x0000000000000000
  %is.1 = fcmp oeq double %im.3, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.3)
  %fabs.1 = call double @llvm.fabs.f64(double %im.3)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.3, double %im.3
  %select.1 = select i1 %is.2, double %im.3, double %re.3
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.2, double %div, double %re.2)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.2, double %div, double %im.2)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re.2
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im.2)
  %neg.1 = fneg double %re.2
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.2, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.3)
  %div.3 = fdiv double %re.2, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.3)
  %div.4 = fdiv double %im.2, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.4 = insertvalue { double, double } poison, double %select.4, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %select.5, 1
  %re.4 = extractvalue { double, double } %pair.5, 0
  %im.4 = extractvalue { double, double } %pair.5, 1
  %fptrunc = fptrunc double %re.4 to float
  %fptrunc.1 = fptrunc double %im.4 to float
  %pair.6 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.7 = insertvalue { float, float } %pair.6, float %fptrunc.1, 1
  ret { float, float } %pair.7
}

define internal { double, double } @nvf.sigmoid.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %neg = fneg double %re
  %neg.1 = fneg double %im
  %pair = insertvalue { double, double } poison, double %neg, 0
  %pair.1 = insertvalue { double, double } %pair, double %neg.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %cexp = call { double, double } @cexp(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %cexp, 0
  %im.2 = extractvalue { double, double } %cexp, 1
  %add = fadd double %re.2, 0x3FF0000000000000
  %pair.2 = insertvalue { double, double } poison, double %add, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %im.2, 1
  %pair.4 = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.5 = insertvalue { double, double } %pair.4, double 0x0000000000000000, 1
  %re.3 = extractvalue { double, double } %pair.5, 0
  %im.3 = extractvalue { double, double } %pair.5, 1
  %re.4 = extractvalue { double, double } %pair.3, 0
  %im.4 = extractvalue { double, double } %pair.3, 1
  %is = fcmp oeq double %re.4, 0x0000000000000000
  %is.1 = fcmp oeq double %im.4, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.4)
  %fabs.1 = call double @llvm.fabs.f64(double %im.4)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.4, double %im.4
  %select.1 = select i1 %is.2, double %im.4, double %re.4
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.3, double %div, double %re.3)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.3, double %div, double %im.3)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg.2 = fneg double %re.3
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.2, double %div, double %im.3)
  %neg.3 = fneg double %re.3
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.3, double %div, double %neg.3)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.4)
  %div.3 = fdiv double %re.3, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.4)
  %div.4 = fdiv double %im.3, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.6 = insertvalue { double, double } poison, double %select.4, 0
  %pair.7 = insertvalue { double, double } %pair.6, double %select.5, 1
  %re.5 = extractvalue { double, double } %pair.7, 0
  %im.5 = extractvalue { double, double } %pair.7, 1
  %is.3 = fcmp olt double %re, 0xC086280000000000
  %select.6 = select i1 %is.3, double 0x0000000000000000, double %re.5
  %select.7 = select i1 %is.3, double 0x0000000000000000, double %im.5
  %pair.8 = insertvalue { double, double } poison, double %select.6, 0
  %pair.9 = insertvalue { double, double } %pair.8, double %select.7, 1
  ret { double, double } %pair.9
}

define internal { float, float } @nvf.sigmoid.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %neg = fneg double %re.1
  %neg.1 = fneg double %im.1
  %pair.2 = insertvalue { double, double } poison, double %neg, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %neg.1, 1
  %re.2 = extractvalue { double, double } %pair.3, 0
  %im.2 = extractvalue { double, double } %pair.3, 1
  %cexp = call { double, double } @cexp(double %re.2, double %im.2)
  %re.3 = extractvalue { double, double } %cexp, 0
  %im.3 = extractvalue { double, double } %cexp, 1
  %add = fadd double %re.3, 0x3FF0000000000000
  %pair.4 = insertvalue { double, double } poison, double %add, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %im.3, 1
  %pair.6 = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.7 = insertvalue { double, double } %pair.6, double 0x0000000000000000, 1
  %re.4 = extractvalue { double, double } %pair.7, 0
  %im.4 = extractvalue { double, double } %pair.7, 1
  %re.5 = extractvalue { double, double } %pair.5, 0
  %im.5 = extractvalue { double, double } %pair.5, 1
  %is = fcmp oeq double %re.5, 0x0000000000000000
  %is.1 = fcmp oeq double %im.5, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.5)
  %fabs.1 = call double @llvm.fabs.f64(double %im.5)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.5, double %im.5
  %select.1 = select i1 %is.2, double %im.5, double %re.5
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.4, double %div, double %re.4)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.4, double %div, double %im.4)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg.2 = fneg double %re.4
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.2, double %div, double %im.4)
  %neg.3 = fneg double %re.4
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.4, double %div, double %neg.3)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.5)
  %div.3 = fdiv double %re.4, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.5)
  %div.4 = fdiv double %im.4, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.8 = insertvalue { double, double } poison, double %select.4, 0
  %pair.9 = insertvalue { double, double } %pair.8, double %select.5, 1
  %re.6 = extractvalue { double, double } %pair.9, 0
  %im.6 = extractvalue { double, double } %pair.9, 1
  %is.3 = fcmp olt double %re.1, 0xC086280000000000
  %select.6 = select i1 %is.3, double 0x0000000000000000, double %re.6
  %select.7 = select i1 %is.3, double 0x0000000000000000, double %im.6
  %pair.10 = insertvalue { double, double } poison, double %select.6, 0
  %pair.11 = insertvalue { double, double } %pair.10, double %select.7, 1
  %re.7 = extractvalue { double, double } %pair.11, 0
  %im.7 = extractvalue { double, double } %pair.11, 1
  %fptrunc = fptrunc double %re.7 to float
  %fptrunc.1 = fptrunc double %im.7 to float
  %pair.12 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.13 = insertvalue { float, float } %pair.12, float %fptrunc.1, 1
  ret { float, float } %pair.13
}

define internal { double, double } @nvf.silu.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %neg = fneg double %re
  %neg.1 = fneg double %im
  %pair = insertvalue { double, double } poison, double %neg, 0
  %pair.1 = insertvalue { double, double } %pair, double %neg.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %cexp = call { double, double } @cexp(double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %cexp, 0
  %im.2 = extractvalue { double, double } %cexp, 1
  %add = fadd double %re.2, 0x3FF0000000000000
  %pair.2 = insertvalue { double, double } poison, double %add, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %im.2, 1
  %pair.4 = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.5 = insertvalue { double, double } %pair.4, double 0x0000000000000000, 1
  %re.3 = extractvalue { double, double } %pair.5, 0
  %im.3 = extractvalue { double, double } %pair.5, 1
  %re.4 = extractvalue { double, double } %pair.3, 0
  %im.4 = extractvalue { double, double } %pair.3, 1
  %is = fcmp oeq double %re.4, 0x0000000000000000
  %is.1 = fcmp oeq double %im.4, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.4)
  %fabs.1 = call double @llvm.fabs.f64(double %im.4)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.4, double %im.4
  %select.1 = select i1 %is.2, double %im.4, double %re.4
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.3, double %div, double %re.3)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.3, double %div, double %im.3)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg.2 = fneg double %re.3
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.2, double %div, double %im.3)
  %neg.3 = fneg double %re.3
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.3, double %div, double %neg.3)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.4)
  %div.3 = fdiv double %re.3, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.4)
  %div.4 = fdiv double %im.3, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.6 = insertvalue { double, double } poison, double %select.4, 0
  %pair.7 = insertvalue { double, double } %pair.6, double %select.5, 1
  %re.5 = extractvalue { double, double } %pair.7, 0
  %im.5 = extractvalue { double, double } %pair.7, 1
  %is.3 = fcmp olt double %re, 0xC086280000000000
  %select.6 = select i1 %is.3, double 0x0000000000000000, double %re.5
  %select.7 = select i1 %is.3, double 0x0000000000000000, double %im.5
  %pair.8 = insertvalue { double, double } poison, double %select.6, 0
  %pair.9 = insertvalue { double, double } %pair.8, double %select.7, 1
  %re.6 = extractvalue { double, double } %x, 0
  %im.6 = extractvalue { double, double } %x, 1
  %re.7 = extractvalue { double, double } %pair.9, 0
  %im.7 = extractvalue { double, double } %pair.9, 1
  %mul = fmul double %re.6, %re.7
  %mul.1 = fmul double %im.6, %im.7
  %sub = fsub double %mul, %mul.1
  %mul.2 = fmul double %re.6, %im.7
  %mul.3 = fmul double %im.6, %re.7
  %add.1 = fadd double %mul.2, %mul.3
  %pair.10 = insertvalue { double, double } poison, double %sub, 0
  %pair.11 = insertvalue { double, double } %pair.10, double %add.1, 1
  ret { double, double } %pair.11
}

define internal { float, float } @nvf.silu.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %neg = fneg double %re.1
  %neg.1 = fneg double %im.1
  %pair.2 = insertvalue { double, double } poison, double %neg, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %neg.1, 1
  %re.2 = extractvalue { double, double } %pair.3, 0
  %im.2 = extractvalue { double, double } %pair.3, 1
  %cexp = call { double, double } @cexp(double %re.2, double %im.2)
  %re.3 = extractvalue { double, double } %cexp, 0
  %im.3 = extractvalue { double, double } %cexp, 1
  %add = fadd double %re.3, 0x3FF0000000000000
  %pair.4 = insertvalue { double, double } poison, double %add, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %im.3, 1
  %pair.6 = insertvalue { double, double } poison, double 0x3FF0000000000000, 0
  %pair.7 = insertvalue { double, double } %pair.6, double 0x0000000000000000, 1
  %re.4 = extractvalue { double, double } %pair.7, 0
  %im.4 = extractvalue { double, double } %pair.7, 1
  %re.5 = extractvalue { double, double } %pair.5, 0
  %im.5 = extractvalue { double, double } %pair.5, 1
  %is = fcmp oeq double %re.5, 0x0000000000000000
  %is.1 = fcmp oeq double %im.5, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.5)
  %fabs.1 = call double @llvm.fabs.f64(double %im.5)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.5, double %im.5
  %select.1 = select i1 %is.2, double %im.5, double %re.5
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.4, double %div, double %re.4)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.4, double %div, double %im.4)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg.2 = fneg double %re.4
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg.2, double %div, double %im.4)
  %neg.3 = fneg double %re.4
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.4, double %div, double %neg.3)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.5)
  %div.3 = fdiv double %re.4, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.5)
  %div.4 = fdiv double %im.4, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.8 = insertvalue { double, double } poison, double %select.4, 0
  %pair.9 = insertvalue { double, double } %pair.8, double %select.5, 1
  %re.6 = extractvalue { double, double } %pair.9, 0
  %im.6 = extractvalue { double, double } %pair.9, 1
  %is.3 = fcmp olt double %re.1, 0xC086280000000000
  %select.6 = select i1 %is.3, double 0x0000000000000000, double %re.6
  %select.7 = select i1 %is.3, double 0x0000000000000000, double %im.6
  %pair.10 = insertvalue { double, double } poison, double %select.6, 0
  %pair.11 = insertvalue { double, double } %pair.10, double %select.7, 1
  %re.7 = extractvalue { double, double } %pair.1, 0
  %im.7 = extractvalue { double, double } %pair.1, 1
  %re.8 = extractvalue { double, double } %pair.11, 0
  %im.8 = extractvalue { double, double } %pair.11, 1
  %mul = fmul double %re.7, %re.8
  %mul.1 = fmul double %im.7, %im.8
  %sub = fsub double %mul, %mul.1
  %mul.2 = fmul double %re.7, %im.8
  %mul.3 = fmul double %im.7, %re.8
  %add.1 = fadd double %mul.2, %mul.3
  %pair.12 = insertvalue { double, double } poison, double %sub, 0
  %pair.13 = insertvalue { double, double } %pair.12, double %add.1, 1
  %re.9 = extractvalue { double, double } %pair.13, 0
  %im.9 = extractvalue { double, double } %pair.13, 1
  %fptrunc = fptrunc double %re.9 to float
  %fptrunc.1 = fptrunc double %im.9 to float
  %pair.14 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.15 = insertvalue { float, float } %pair.14, float %fptrunc.1, 1
  ret { float, float } %pair.15
}

define internal { double, double } @nvf.sign.c128({ double, double } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %x, 0
  %im = extractvalue { double, double } %x, 1
  %re.1 = extractvalue { double, double } %x, 0
  %fabs = call double @llvm.fabs.f64(double %re.1)
  %im.1 = extractvalue { double, double } %x, 1
  %fabs.1 = call double @llvm.fabs.f64(double %im.1)
  %is = fcmp ogt double %fabs, %fabs.1
  %select = select i1 %is, double %fabs, double %fabs.1
  %bitcast = bitcast double %select to i64
  %and = and i64 %bitcast, 9218868437227405312
  %is.1 = icmp slt i64 %and, 4503599627370496
  %select.1 = select i1 %is.1, i64 4503599627370496, i64 %and
  %is.2 = icmp sgt i64 %select.1, 9209861237972664320
  %select.2 = select i1 %is.2, i64 9209861237972664320, i64 %select.1
  %sub = sub i64 9214364837600034816, %select.2
  %bitcast.1 = bitcast i64 %sub to double
  %bitcast.2 = bitcast i64 %select.2 to double
  %mul = fmul double %fabs, %bitcast.1
  %mul.1 = fmul double %fabs.1, %bitcast.1
  %mul.2 = fmul double %mul.1, %mul.1
  %fmuladd = call double @llvm.fmuladd.f64(double %mul, double %mul, double %mul.2)
  %sqrt = call double @llvm.sqrt.f64(double %fmuladd)
  %mul.3 = fmul double %sqrt, %bitcast.2
  %is.3 = fcmp oeq double %fabs, 0x7FF0000000000000
  %is.4 = fcmp oeq double %fabs.1, 0x7FF0000000000000
  %or = or i1 %is.3, %is.4
  %select.3 = select i1 %or, double 0x7FF0000000000000, double %mul.3
  %is.5 = fcmp oeq double %select.3, 0x0000000000000000
  %div = fdiv double %re, %select.3
  %select.4 = select i1 %is.5, double %re, double %div
  %div.1 = fdiv double %im, %select.3
  %select.5 = select i1 %is.5, double %im, double %div.1
  %pair = insertvalue { double, double } poison, double %select.4, 0
  %pair.1 = insertvalue { double, double } %pair, double %select.5, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.sign.c64({ float, float } %x) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %x, 0
  %im = extractvalue { float, float } %x, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { double, double } %pair.1, 0
  %im.1 = extractvalue { double, double } %pair.1, 1
  %re.2 = extractvalue { double, double } %pair.1, 0
  %fabs = call double @llvm.fabs.f64(double %re.2)
  %im.2 = extractvalue { double, double } %pair.1, 1
  %fabs.1 = call double @llvm.fabs.f64(double %im.2)
  %is = fcmp ogt double %fabs, %fabs.1
  %select = select i1 %is, double %fabs, double %fabs.1
  %bitcast = bitcast double %select to i64
  %and = and i64 %bitcast, 9218868437227405312
  %is.1 = icmp slt i64 %and, 4503599627370496
  %select.1 = select i1 %is.1, i64 4503599627370496, i64 %and
  %is.2 = icmp sgt i64 %select.1, 9209861237972664320
  %select.2 = select i1 %is.2, i64 9209861237972664320, i64 %select.1
  %sub = sub i64 9214364837600034816, %select.2
  %bitcast.1 = bitcast i64 %sub to double
  %bitcast.2 = bitcast i64 %select.2 to double
  %mul = fmul double %fabs, %bitcast.1
  %mul.1 = fmul double %fabs.1, %bitcast.1
  %mul.2 = fmul double %mul.1, %mul.1
  %fmuladd = call double @llvm.fmuladd.f64(double %mul, double %mul, double %mul.2)
  %sqrt = call double @llvm.sqrt.f64(double %fmuladd)
  %mul.3 = fmul double %sqrt, %bitcast.2
  %is.3 = fcmp oeq double %fabs, 0x7FF0000000000000
  %is.4 = fcmp oeq double %fabs.1, 0x7FF0000000000000
  %or = or i1 %is.3, %is.4
  %select.3 = select i1 %or, double 0x7FF0000000000000, double %mul.3
  %is.5 = fcmp oeq double %select.3, 0x0000000000000000
  %div = fdiv double %re.1, %select.3
  %select.4 = select i1 %is.5, double %re.1, double %div
  %div.1 = fdiv double %im.1, %select.3
  %select.5 = select i1 %is.5, double %im.1, double %div.1
  %pair.2 = insertvalue { double, double } poison, double %select.4, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %select.5, 1
  %re.3 = extractvalue { double, double } %pair.3, 0
  %im.3 = extractvalue { double, double } %pair.3, 1
  %fptrunc = fptrunc double %re.3 to float
  %fptrunc.1 = fptrunc double %im.3 to float
  %pair.4 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.5 = insertvalue { float, float } %pair.4, float %fptrunc.1, 1
  ret { float, float } %pair.5
}

define internal { double, double } @nvf.div.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %im = extractvalue { double, double } %a, 1
  %re.1 = extractvalue { double, double } %b, 0
  %im.1 = extractvalue { double, double } %b, 1
  %is = fcmp oeq double %re.1, 0x0000000000000000
  %is.1 = fcmp oeq double %im.1, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.1)
  %fabs.1 = call double @llvm.fabs.f64(double %im.1)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.1, double %im.1
  %select.1 = select i1 %is.2, double %im.1, double %re.1
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im, double %div, double %re)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re, double %div, double %im)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im)
  %neg.1 = fneg double %re
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.1)
  %div.3 = fdiv double %re, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.1)
  %div.4 = fdiv double %im, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair = insertvalue { double, double } poison, double %select.4, 0
  %pair.1 = insertvalue { double, double } %pair, double %select.5, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.div.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %im = extractvalue { float, float } %a, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { float, float } %b, 0
  %im.1 = extractvalue { float, float } %b, 1
  %fpext.2 = fpext float %re.1 to double
  %fpext.3 = fpext float %im.1 to double
  %pair.2 = insertvalue { double, double } poison, double %fpext.2, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %fpext.3, 1
  %re.2 = extractvalue { double, double } %pair.1, 0
  %im.2 = extractvalue { double, double } %pair.1, 1
  %re.3 = extractvalue { double, double } %pair.3, 0
  %im.3 = extractvalue { double, double } %pair.3, 1
  %is = fcmp oeq double %re.3, 0x0000000000000000
  %is.1 = fcmp oeq double %im.3, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.3)
  %fabs.1 = call double @llvm.fabs.f64(double %im.3)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.3, double %im.3
  %select.1 = select i1 %is.2, double %im.3, double %re.3
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.2, double %div, double %re.2)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.2, double %div, double %im.2)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re.2
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im.2)
  %neg.1 = fneg double %re.2
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.2, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.3)
  %div.3 = fdiv double %re.2, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.3)
  %div.4 = fdiv double %im.2, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.4 = insertvalue { double, double } poison, double %select.4, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %select.5, 1
  %re.4 = extractvalue { double, double } %pair.5, 0
  %im.4 = extractvalue { double, double } %pair.5, 1
  %fptrunc = fptrunc double %re.4 to float
  %fptrunc.1 = fptrunc double %im.4 to float
  %pair.6 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.7 = insertvalue { float, float } %pair.6, float %fptrunc.1, 1
  ret { float, float } %pair.7
}

define internal { double, double } @nvf.truediv.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %im = extractvalue { double, double } %a, 1
  %re.1 = extractvalue { double, double } %b, 0
  %im.1 = extractvalue { double, double } %b, 1
  %is = fcmp oeq double %re.1, 0x0000000000000000
  %is.1 = fcmp oeq double %im.1, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.1)
  %fabs.1 = call double @llvm.fabs.f64(double %im.1)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.1, double %im.1
  %select.1 = select i1 %is.2, double %im.1, double %re.1
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im, double %div, double %re)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re, double %div, double %im)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im)
  %neg.1 = fneg double %re
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.1)
  %div.3 = fdiv double %re, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.1)
  %div.4 = fdiv double %im, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair = insertvalue { double, double } poison, double %select.4, 0
  %pair.1 = insertvalue { double, double } %pair, double %select.5, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.truediv.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %im = extractvalue { float, float } %a, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { float, float } %b, 0
  %im.1 = extractvalue { float, float } %b, 1
  %fpext.2 = fpext float %re.1 to double
  %fpext.3 = fpext float %im.1 to double
  %pair.2 = insertvalue { double, double } poison, double %fpext.2, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %fpext.3, 1
  %re.2 = extractvalue { double, double } %pair.1, 0
  %im.2 = extractvalue { double, double } %pair.1, 1
  %re.3 = extractvalue { double, double } %pair.3, 0
  %im.3 = extractvalue { double, double } %pair.3, 1
  %is = fcmp oeq double %re.3, 0x0000000000000000
  %is.1 = fcmp oeq double %im.3, 0x0000000000000000
  %and = and i1 %is, %is.1
  %fabs = call double @llvm.fabs.f64(double %re.3)
  %fabs.1 = call double @llvm.fabs.f64(double %im.3)
  %is.2 = fcmp oge double %fabs, %fabs.1
  %select = select i1 %is.2, double %re.3, double %im.3
  %select.1 = select i1 %is.2, double %im.3, double %re.3
  %div = fdiv double %select.1, %select
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %div, double %select)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %im.2, double %div, double %re.2)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %re.2, double %div, double %im.2)
  %select.2 = select i1 %is.2, double %fmuladd.1, double %fmuladd.2
  %div.1 = fdiv double %select.2, %fmuladd
  %neg = fneg double %re.2
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %neg, double %div, double %im.2)
  %neg.1 = fneg double %re.2
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %im.2, double %div, double %neg.1)
  %select.3 = select i1 %is.2, double %fmuladd.3, double %fmuladd.4
  %div.2 = fdiv double %select.3, %fmuladd
  %fabs.2 = call double @llvm.fabs.f64(double %re.3)
  %div.3 = fdiv double %re.2, %fabs.2
  %select.4 = select i1 %and, double %div.3, double %div.1
  %fabs.3 = call double @llvm.fabs.f64(double %re.3)
  %div.4 = fdiv double %im.2, %fabs.3
  %select.5 = select i1 %and, double %div.4, double %div.2
  %pair.4 = insertvalue { double, double } poison, double %select.4, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %select.5, 1
  %re.4 = extractvalue { double, double } %pair.5, 0
  %im.4 = extractvalue { double, double } %pair.5, 1
  %fptrunc = fptrunc double %re.4 to float
  %fptrunc.1 = fptrunc double %im.4 to float
  %pair.6 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.7 = insertvalue { float, float } %pair.6, float %fptrunc.1, 1
  ret { float, float } %pair.7
}

define internal { double, double } @nvf.pow.c128({ double, double } %a, { double, double } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { double, double } %a, 0
  %im = extractvalue { double, double } %a, 1
  %re.1 = extractvalue { double, double } %b, 0
  %im.1 = extractvalue { double, double } %b, 1
  %cpow = call { double, double } @cpow(double %re, double %im, double %re.1, double %im.1)
  %re.2 = extractvalue { double, double } %cpow, 0
  %im.2 = extractvalue { double, double } %cpow, 1
  %re.3 = extractvalue { double, double } %b, 0
  %im.3 = extractvalue { double, double } %b, 1
  %is = fcmp oeq double %re.3, 0x0000000000000000
  %is.1 = fcmp oeq double %im.3, 0x0000000000000000
  %and = and i1 %is, %is.1
  %select = select i1 %and, double 0x3FF0000000000000, double %re.2
  %select.1 = select i1 %and, double 0x0000000000000000, double %im.2
  %pair = insertvalue { double, double } poison, double %select, 0
  %pair.1 = insertvalue { double, double } %pair, double %select.1, 1
  ret { double, double } %pair.1
}

define internal { float, float } @nvf.pow.c64({ float, float } %a, { float, float } %b) alwaysinline nounwind willreturn {
  %re = extractvalue { float, float } %a, 0
  %im = extractvalue { float, float } %a, 1
  %fpext = fpext float %re to double
  %fpext.1 = fpext float %im to double
  %pair = insertvalue { double, double } poison, double %fpext, 0
  %pair.1 = insertvalue { double, double } %pair, double %fpext.1, 1
  %re.1 = extractvalue { float, float } %b, 0
  %im.1 = extractvalue { float, float } %b, 1
  %fpext.2 = fpext float %re.1 to double
  %fpext.3 = fpext float %im.1 to double
  %pair.2 = insertvalue { double, double } poison, double %fpext.2, 0
  %pair.3 = insertvalue { double, double } %pair.2, double %fpext.3, 1
  %re.2 = extractvalue { double, double } %pair.1, 0
  %im.2 = extractvalue { double, double } %pair.1, 1
  %re.3 = extractvalue { double, double } %pair.3, 0
  %im.3 = extractvalue { double, double } %pair.3, 1
  %cpow = call { double, double } @cpow(double %re.2, double %im.2, double %re.3, double %im.3)
  %re.4 = extractvalue { double, double } %cpow, 0
  %im.4 = extractvalue { double, double } %cpow, 1
  %re.5 = extractvalue { double, double } %pair.3, 0
  %im.5 = extractvalue { double, double } %pair.3, 1
  %is = fcmp oeq double %re.5, 0x0000000000000000
  %is.1 = fcmp oeq double %im.5, 0x0000000000000000
  %and = and i1 %is, %is.1
  %select = select i1 %and, double 0x3FF0000000000000, double %re.4
  %select.1 = select i1 %and, double 0x0000000000000000, double %im.4
  %pair.4 = insertvalue { double, double } poison, double %select, 0
  %pair.5 = insertvalue { double, double } %pair.4, double %select.1, 1
  %re.6 = extractvalue { double, double } %pair.5, 0
  %im.6 = extractvalue { double, double } %pair.5, 1
  %fptrunc = fptrunc double %re.6 to float
  %fptrunc.1 = fptrunc double %im.6 to float
  %pair.6 = insertvalue { float, float } poison, float %fptrunc, 0
  %pair.7 = insertvalue { float, float } %pair.6, float %fptrunc.1, 1
  ret { float, float } %pair.7
}
