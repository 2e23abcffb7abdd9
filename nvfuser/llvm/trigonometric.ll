; Trigonometric functions and their inverses.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @tan(double) nounwind willreturn
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fmuladd.f32(float, float, float)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.fshl.i64(i64, i64, i64)

@nvf.two_over_pi = internal unnamed_addr constant [20 x i64] [i64 2734261102, i64 5639655903442982865, i64 -777753015244122727, i64 4342473078829310891, i64 -2397105353169539526, i64 4777706639329930986, i64 707507269693991708, i64 -5680825566320511499, i64 3367360484035293222, i64 -5449498205491177927, i64 -8983773108913283189, i64 -4757727296935651329, i64 -2448383628201225845, i64 6488118194924322511, i64 2867396270665121638, i64 -7034646611969459513, i64 -1448486193522591241, i64 -8479553612853583951, i64 2273575677276139590, i64 -253490567792575456], align 64

define internal float @nvf.sin.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fmuladd = call float @llvm.fmuladd.f32(float %fabs, float 0x3FE45F3060000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fma = call float @llvm.fma.f32(float %sub, float 0xBFF921FB60000000, float %fabs)
  %fma.1 = call float @llvm.fma.f32(float %sub, float 0x3E6777A5C0000000, float %fma)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0x3CDEE59DA0000000, float %fma.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = fsub float %fabs, %fabs
  %is = fcmp oge float %fabs, 0x4100000000000000
  %bitcast.1 = bitcast float %fabs to i32
  %and = and i32 %bitcast.1, 8388607
  %or = or i32 %and, 8388608
  %lshr = lshr i32 %bitcast.1, 23
  %sub.2 = sub i32 %lshr, 144
  %and.1 = and i32 %sub.2, 32
  %is.1 = icmp ne i32 %and.1, 0
  %select = select i1 %is.1, i32 1850622997, i32 10680707
  %select.1 = select i1 %is.1, i32 704390999, i32 1850622997
  %select.2 = select i1 %is.1, i32 -772459299, i32 704390999
  %select.3 = select i1 %is.1, i32 -1059364203, i32 -772459299
  %select.4 = select i1 %is.1, i32 -1724103792, i32 -1059364203
  %select.5 = select i1 %is.1, i32 1107186019, i32 -1724103792
  %and.2 = and i32 %sub.2, 64
  %is.2 = icmp ne i32 %and.2, 0
  %select.6 = select i1 %is.2, i32 %select.2, i32 %select
  %select.7 = select i1 %is.2, i32 %select.3, i32 %select.1
  %select.8 = select i1 %is.2, i32 %select.4, i32 %select.2
  %select.9 = select i1 %is.2, i32 %select.5, i32 %select.3
  %fshl = call i32 @llvm.fshl.i32(i32 %select.6, i32 %select.7, i32 %sub.2)
  %fshl.1 = call i32 @llvm.fshl.i32(i32 %select.7, i32 %select.8, i32 %sub.2)
  %fshl.2 = call i32 @llvm.fshl.i32(i32 %select.8, i32 %select.9, i32 %sub.2)
  %zext = zext i32 %or to i64
  %mul = mul i32 %or, %fshl
  %zext.1 = zext i32 %mul to i64
  %shl = shl i64 %zext.1, 32
  %zext.2 = zext i32 %fshl.1 to i64
  %mul.1 = mul i64 %zext, %zext.2
  %zext.3 = zext i32 %fshl.2 to i64
  %mul.2 = mul i64 %zext, %zext.3
  %lshr.1 = lshr i64 %mul.2, 32
  %add = add i64 %shl, %mul.1
  %add.1 = add i64 %add, %lshr.1
  %lshr.2 = lshr i64 %add.1, 61
  %add.2 = add i64 %lshr.2, 1
  %lshr.3 = lshr i64 %add.2, 1
  %trunc = trunc i64 %lshr.3 to i32
  %shl.1 = shl i64 %add.1, 2
  %sitofp = sitofp i64 %shl.1 to double
  %mul.3 = fmul double %sitofp, 0x3BF921FB54442D18
  %select.10 = select i1 %is, i32 %trunc, i32 %bitcast
  %fptrunc = fptrunc double %mul.3 to float
  %select.11 = select i1 %is, float %fptrunc, float %fmuladd.1
  %add.3 = fadd float %select.11, %sub.1
  %mul.4 = fmul float %add.3, %add.3
  %mul.5 = fmul float %add.3, %mul.4
  %fmuladd.2 = call float @llvm.fmuladd.f32(float 0xBF29953E00000000, float %mul.4, float 0x3F81107780000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %mul.4, float 0xBFC5555460000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %mul.5, float %fmuladd.3, float %add.3)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float 0x3EF99E9020000000, float %mul.4, float 0xBF56C0C2A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %mul.4, float 0x3FA55554A0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul.4, float %fmuladd.6, float 0xBFE0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul.4, float %fmuladd.7, float 0x3FF0000000000000)
  %and.3 = and i32 %select.10, 1
  %is.3 = icmp ne i32 %and.3, 0
  %select.12 = select i1 %is.3, float %fmuladd.8, float %fmuladd.4
  %and.4 = and i32 %select.10, 2
  %shl.2 = shl i32 %and.4, 30
  %bitcast.2 = bitcast float %x to i32
  %and.5 = and i32 %bitcast.2, -2147483648
  %xor = xor i32 %shl.2, %and.5
  %bitcast.3 = bitcast float %select.12 to i32
  %xor.1 = xor i32 %bitcast.3, %xor
  %bitcast.4 = bitcast i32 %xor.1 to float
  ret float %bitcast.4
}

; @nvf.sin.f32 where @nvf.sin_is_usual.f32.
define internal float @nvf.sin_usual.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fmuladd = call float @llvm.fmuladd.f32(float %fabs, float 0x3FE45F3060000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fma = call float @llvm.fma.f32(float %sub, float 0xBFF921FB60000000, float %fabs)
  %fma.1 = call float @llvm.fma.f32(float %sub, float 0x3E6777A5C0000000, float %fma)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0x3CDEE59DA0000000, float %fma.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = fsub float %fabs, %fabs
  %mul = fmul float %fmuladd.1, %fmuladd.1
  %mul.1 = fmul float %fmuladd.1, %mul
  %fmuladd.2 = call float @llvm.fmuladd.f32(float 0xBF29953E00000000, float %mul, float 0x3F81107780000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %mul, float 0xBFC5555460000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %mul.1, float %fmuladd.3, float %fmuladd.1)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float 0x3EF99E9020000000, float %mul, float 0xBF56C0C2A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %mul, float 0x3FA55554A0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.6, float 0xBFE0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.7, float 0x3FF0000000000000)
  %and = and i32 %bitcast, 1
  %is = icmp ne i32 %and, 0
  %select = select i1 %is, float %fmuladd.8, float %fmuladd.4
  %and.1 = and i32 %bitcast, 2
  %shl = shl i32 %and.1, 30
  %bitcast.1 = bitcast float %x to i32
  %and.2 = and i32 %bitcast.1, -2147483648
  %xor = xor i32 %shl, %and.2
  %bitcast.2 = bitcast float %select to i32
  %xor.1 = xor i32 %bitcast.2, %xor
  %bitcast.3 = bitcast i32 %xor.1 to float
  ret float %bitcast.3
}

define internal i1 @nvf.sin_is_usual.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ult float %fabs, 0x4100000000000000
  ret i1 %is
}

define internal double @nvf.sin.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fma = call double @llvm.fma.f64(double %sub, double 0xBFF921FB54442D18, double %fabs)
  %fma.1 = call double @llvm.fma.f64(double %sub, double 0xBC91A62633145C07, double %fma)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0x391F1976B7ED8FBC, double %fma.1)
  %bitcast = bitcast double %fmuladd to i64
  %is = fcmp oge double %fabs, 0x41B0000000000000
  %bitcast.1 = bitcast double %fabs to i64
  %and = and i64 %bitcast.1, 4503599627370495
  %or = or i64 %and, 4503599627370496
  %lshr = lshr i64 %bitcast.1, 52
  %sub.1 = sub i64 %lshr, 1045
  %lshr.1 = lshr i64 %sub.1, 6
  %and.1 = and i64 %lshr.1, 15
  %element = getelementptr i64, ptr @nvf.two_over_pi, i64 %and.1
  %word = load i64, ptr %element, align 8
  %add = add i64 %and.1, 1
  %element.1 = getelementptr i64, ptr @nvf.two_over_pi, i64 %add
  %word.1 = load i64, ptr %element.1, align 8
  %add.1 = add i64 %and.1, 2
  %element.2 = getelementptr i64, ptr @nvf.two_over_pi, i64 %add.1
  %word.2 = load i64, ptr %element.2, align 8
  %add.2 = add i64 %and.1, 3
  %element.3 = getelementptr i64, ptr @nvf.two_over_pi, i64 %add.2
  %word.3 = load i64, ptr %element.3, align 8
  %fshl = call i64 @llvm.fshl.i64(i64 %word, i64 %word.1, i64 %sub.1)
  %fshl.1 = call i64 @llvm.fshl.i64(i64 %word.1, i64 %word.2, i64 %sub.1)
  %fshl.2 = call i64 @llvm.fshl.i64(i64 %word.2, i64 %word.3, i64 %sub.1)
  %lshr.2 = lshr i64 %fshl, 32
  %and.2 = and i64 %fshl, 4294967295
  %lshr.3 = lshr i64 %fshl.1, 32
  %and.3 = and i64 %fshl.1, 4294967295
  %lshr.4 = lshr i64 %fshl.2, 32
  %and.4 = and i64 %fshl.2, 4294967295
  %lshr.5 = lshr i64 %or, 32
  %and.5 = and i64 %or, 4294967295
  %mul = mul i64 %and.5, %and.4
  %lshr.6 = lshr i64 %mul, 32
  %mul.1 = mul i64 %and.5, %lshr.4
  %add.3 = add i64 %mul.1, %lshr.6
  %mul.2 = mul i64 %lshr.5, %and.4
  %and.6 = and i64 %add.3, 4294967295
  %add.4 = add i64 %mul.2, %and.6
  %and.7 = and i64 %add.4, 4294967295
  %lshr.7 = lshr i64 %add.3, 32
  %lshr.8 = lshr i64 %add.4, 32
  %add.5 = add i64 %lshr.7, %lshr.8
  %mul.3 = mul i64 %and.5, %and.3
  %add.6 = add i64 %mul.3, %add.5
  %mul.4 = mul i64 %lshr.5, %lshr.4
  %and.8 = and i64 %add.6, 4294967295
  %add.7 = add i64 %mul.4, %and.8
  %and.9 = and i64 %add.7, 4294967295
  %lshr.9 = lshr i64 %add.6, 32
  %lshr.10 = lshr i64 %add.7, 32
  %add.8 = add i64 %lshr.9, %lshr.10
  %mul.5 = mul i64 %and.5, %lshr.3
  %add.9 = add i64 %mul.5, %add.8
  %mul.6 = mul i64 %lshr.5, %and.3
  %and.10 = and i64 %add.9, 4294967295
  %add.10 = add i64 %mul.6, %and.10
  %and.11 = and i64 %add.10, 4294967295
  %lshr.11 = lshr i64 %add.9, 32
  %lshr.12 = lshr i64 %add.10, 32
  %add.11 = add i64 %lshr.11, %lshr.12
  %shl = shl i64 %and.11, 32
  %or.1 = or i64 %and.9, %shl
  %mul.7 = mul i64 %and.5, %and.2
  %mul.8 = mul i64 %lshr.5, %lshr.3
  %add.12 = add i64 %mul.7, %mul.8
  %add.13 = add i64 %add.12, %add.11
  %mul.9 = mul i64 %and.5, %lshr.2
  %mul.10 = mul i64 %lshr.5, %and.2
  %add.14 = add i64 %mul.9, %mul.10
  %shl.1 = shl i64 %add.14, 32
  %add.15 = add i64 %add.13, %shl.1
  %lshr.13 = lshr i64 %add.15, 61
  %add.16 = add i64 %lshr.13, 1
  %lshr.14 = lshr i64 %add.16, 1
  %shl.2 = shl i64 %add.15, 2
  %lshr.15 = lshr i64 %or.1, 62
  %or.2 = or i64 %shl.2, %lshr.15
  %add.17 = add i64 %or.2, 2048
  %ashr = ashr i64 %add.17, 12
  %shl.3 = shl i64 %ashr, 12
  %sub.2 = sub i64 %or.2, %shl.3
  %add.18 = add i64 %ashr, 4843621399236968448
  %bitcast.2 = bitcast i64 %add.18 to double
  %sub.3 = fsub double %bitcast.2, 0x4338000000000000
  %add.19 = add i64 %sub.2, 4843621399236968448
  %bitcast.3 = bitcast i64 %add.19 to double
  %sub.4 = fsub double %bitcast.3, 0x4338000000000000
  %shl.4 = shl i64 %or.1, 2
  %lshr.16 = lshr i64 %shl.4, 12
  %or.3 = or i64 %lshr.16, 4607182418800017408
  %bitcast.4 = bitcast i64 %or.3 to double
  %sub.5 = fsub double %bitcast.4, 0x3FF0000000000000
  %add.20 = fadd double %sub.4, %sub.5
  %mul.11 = fmul double %add.20, 0x3BF921FB54442D18
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub.3, double 0x3951A62633145C07, double %mul.11)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %sub.3, double 0x3CB921FB54442D18, double %fmuladd.2)
  %select = select i1 %is, i64 %lshr.14, i64 %bitcast
  %select.1 = select i1 %is, double %fmuladd.3, double %fmuladd.1
  %sub.6 = fsub double %fabs, %fabs
  %add.21 = fadd double %select.1, %sub.6
  %mul.12 = fmul double %add.21, %add.21
  %mul.13 = fmul double %add.21, %mul.12
  %fmuladd.4 = call double @llvm.fmuladd.f64(double 0x3DE5D8DAAA4D55BD, double %mul.12, double 0xBE5AE5E52BFB0925)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.12, double 0x3EC71DE355D20659)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul.12, double 0xBF2A01A019BF0604)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %mul.12, double 0x3F8111111110F754)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %mul.12, double 0xBFC5555555555548)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %mul.13, double %fmuladd.8, double %add.21)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double 0xBDA8FA61928D94DD, double %mul.12, double 0x3E21EE9DB210223F)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %mul.12, double 0xBE927E4F7F0C8091)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %mul.12, double 0x3EFA01A019C8E635)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %mul.12, double 0xBF56C16C16C15011)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %mul.12, double 0x3FA555555555554B)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %mul.12, double %fmuladd.14, double 0xBFE0000000000000)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %mul.12, double %fmuladd.15, double 0x3FF0000000000000)
  %and.12 = and i64 %select, 1
  %is.1 = icmp ne i64 %and.12, 0
  %select.2 = select i1 %is.1, double %fmuladd.16, double %fmuladd.9
  %and.13 = and i64 %select, 2
  %shl.5 = shl i64 %and.13, 62
  %bitcast.5 = bitcast double %x to i64
  %and.14 = and i64 %bitcast.5, -9223372036854775808
  %xor = xor i64 %shl.5, %and.14
  %bitcast.6 = bitcast double %select.2 to i64
  %xor.1 = xor i64 %bitcast.6, %xor
  %bitcast.7 = bitcast i64 %xor.1 to double
  ret double %bitcast.7
}

; @nvf.sin.f64 where @nvf.sin_is_usual.f64.
define internal double @nvf.sin_usual.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fma = call double @llvm.fma.f64(double %sub, double 0xBFF921FB54442D18, double %fabs)
  %fma.1 = call double @llvm.fma.f64(double %sub, double 0xBC91A62633145C07, double %fma)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0x391F1976B7ED8FBC, double %fma.1)
  %bitcast = bitcast double %fmuladd to i64
  %mul = fmul double %fmuladd.1, %fmuladd.1
  %mul.1 = fmul double %fmuladd.1, %mul
  %fmuladd.2 = call double @llvm.fmuladd.f64(double 0x3DE5D8DAAA4D55BD, double %mul, double 0xBE5AE5E52BFB0925)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul, double 0x3EC71DE355D20659)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul, double 0xBF2A01A019BF0604)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul, double 0x3F8111111110F754)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul, double 0xBFC5555555555548)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.6, double %fmuladd.1)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double 0xBDA8FA61928D94DD, double %mul, double 0x3E21EE9DB210223F)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul, double 0xBE927E4F7F0C8091)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %mul, double 0x3EFA01A019C8E635)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %mul, double 0xBF56C16C16C15011)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %mul, double 0x3FA555555555554B)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.12, double 0xBFE0000000000000)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.13, double 0x3FF0000000000000)
  %and = and i64 %bitcast, 1
  %is = icmp ne i64 %and, 0
  %select = select i1 %is, double %fmuladd.14, double %fmuladd.7
  %and.1 = and i64 %bitcast, 2
  %shl = shl i64 %and.1, 62
  %bitcast.1 = bitcast double %x to i64
  %and.2 = and i64 %bitcast.1, -9223372036854775808
  %xor = xor i64 %shl, %and.2
  %bitcast.2 = bitcast double %select to i64
  %xor.1 = xor i64 %bitcast.2, %xor
  %bitcast.3 = bitcast i64 %xor.1 to double
  ret double %bitcast.3
}

define internal i1 @nvf.sin_is_usual.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ult double %fabs, 0x41B0000000000000
  ret i1 %is
}

define internal float @nvf.cos.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fmuladd = call float @llvm.fmuladd.f32(float %fabs, float 0x3FE45F3060000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fma = call float @llvm.fma.f32(float %sub, float 0xBFF921FB60000000, float %fabs)
  %fma.1 = call float @llvm.fma.f32(float %sub, float 0x3E6777A5C0000000, float %fma)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0x3CDEE59DA0000000, float %fma.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = fsub float %fabs, %fabs
  %is = fcmp oge float %fabs, 0x4100000000000000
  %bitcast.1 = bitcast float %fabs to i32
  %and = and i32 %bitcast.1, 8388607
  %or = or i32 %and, 8388608
  %lshr = lshr i32 %bitcast.1, 23
  %sub.2 = sub i32 %lshr, 144
  %and.1 = and i32 %sub.2, 32
  %is.1 = icmp ne i32 %and.1, 0
  %select = select i1 %is.1, i32 1850622997, i32 10680707
  %select.1 = select i1 %is.1, i32 704390999, i32 1850622997
  %select.2 = select i1 %is.1, i32 -772459299, i32 704390999
  %select.3 = select i1 %is.1, i32 -1059364203, i32 -772459299
  %select.4 = select i1 %is.1, i32 -1724103792, i32 -1059364203
  %select.5 = select i1 %is.1, i32 1107186019, i32 -1724103792
  %and.2 = and i32 %sub.2, 64
  %is.2 = icmp ne i32 %and.2, 0
  %select.6 = select i1 %is.2, i32 %select.2, i32 %select
  %select.7 = select i1 %is.2, i32 %select.3, i32 %select.1
  %select.8 = select i1 %is.2, i32 %select.4, i32 %select.2
  %select.9 = select i1 %is.2, i32 %select.5, i32 %select.3
  %fshl = call i32 @llvm.fshl.i32(i32 %select.6, i32 %select.7, i32 %sub.2)
  %fshl.1 = call i32 @llvm.fshl.i32(i32 %select.7, i32 %select.8, i32 %sub.2)
  %fshl.2 = call i32 @llvm.fshl.i32(i32 %select.8, i32 %select.9, i32 %sub.2)
  %zext = zext i32 %or to i64
  %mul = mul i32 %or, %fshl
  %zext.1 = zext i32 %mul to i64
  %shl = shl i64 %zext.1, 32
  %zext.2 = zext i32 %fshl.1 to i64
  %mul.1 = mul i64 %zext, %zext.2
  %zext.3 = zext i32 %fshl.2 to i64
  %mul.2 = mul i64 %zext, %zext.3
  %lshr.1 = lshr i64 %mul.2, 32
  %add = add i64 %shl, %mul.1
  %add.1 = add i64 %add, %lshr.1
  %lshr.2 = lshr i64 %add.1, 61
  %add.2 = add i64 %lshr.2, 1
  %lshr.3 = lshr i64 %add.2, 1
  %trunc = trunc i64 %lshr.3 to i32
  %shl.1 = shl i64 %add.1, 2
  %sitofp = sitofp i64 %shl.1 to double
  %mul.3 = fmul double %sitofp, 0x3BF921FB54442D18
  %select.10 = select i1 %is, i32 %trunc, i32 %bitcast
  %fptrunc = fptrunc double %mul.3 to float
  %select.11 = select i1 %is, float %fptrunc, float %fmuladd.1
  %add.3 = fadd float %select.11, %sub.1
  %mul.4 = fmul float %add.3, %add.3
  %mul.5 = fmul float %add.3, %mul.4
  %fmuladd.2 = call float @llvm.fmuladd.f32(float 0xBF29953E00000000, float %mul.4, float 0x3F81107780000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %mul.4, float 0xBFC5555460000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %mul.5, float %fmuladd.3, float %add.3)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float 0x3EF99E9020000000, float %mul.4, float 0xBF56C0C2A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %mul.4, float 0x3FA55554A0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul.4, float %fmuladd.6, float 0xBFE0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul.4, float %fmuladd.7, float 0x3FF0000000000000)
  %and.3 = and i32 %select.10, 1
  %is.3 = icmp ne i32 %and.3, 0
  %select.12 = select i1 %is.3, float %fmuladd.4, float %fmuladd.8
  %bitcast.2 = bitcast float %select.12 to i32
  %add.4 = add i32 %select.10, 1
  %and.4 = and i32 %add.4, 2
  %shl.2 = shl i32 %and.4, 30
  %xor = xor i32 %bitcast.2, %shl.2
  %bitcast.3 = bitcast i32 %xor to float
  ret float %bitcast.3
}

; @nvf.cos.f32 where @nvf.cos_is_usual.f32.
define internal float @nvf.cos_usual.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fmuladd = call float @llvm.fmuladd.f32(float %fabs, float 0x3FE45F3060000000, float 0x4168000000000000)
  %sub = fsub float %fmuladd, 0x4168000000000000
  %fma = call float @llvm.fma.f32(float %sub, float 0xBFF921FB60000000, float %fabs)
  %fma.1 = call float @llvm.fma.f32(float %sub, float 0x3E6777A5C0000000, float %fma)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %sub, float 0x3CDEE59DA0000000, float %fma.1)
  %bitcast = bitcast float %fmuladd to i32
  %sub.1 = fsub float %fabs, %fabs
  %mul = fmul float %fmuladd.1, %fmuladd.1
  %mul.1 = fmul float %fmuladd.1, %mul
  %fmuladd.2 = call float @llvm.fmuladd.f32(float 0xBF29953E00000000, float %mul, float 0x3F81107780000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %mul, float 0xBFC5555460000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %mul.1, float %fmuladd.3, float %fmuladd.1)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float 0x3EF99E9020000000, float %mul, float 0xBF56C0C2A0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %mul, float 0x3FA55554A0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.6, float 0xBFE0000000000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %mul, float %fmuladd.7, float 0x3FF0000000000000)
  %and = and i32 %bitcast, 1
  %is = icmp ne i32 %and, 0
  %select = select i1 %is, float %fmuladd.4, float %fmuladd.8
  %bitcast.1 = bitcast float %select to i32
  %add = add i32 %bitcast, 1
  %and.1 = and i32 %add, 2
  %shl = shl i32 %and.1, 30
  %xor = xor i32 %bitcast.1, %shl
  %bitcast.2 = bitcast i32 %xor to float
  ret float %bitcast.2
}

define internal i1 @nvf.cos_is_usual.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ult float %fabs, 0x4100000000000000
  ret i1 %is
}

define internal double @nvf.cos.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fma = call double @llvm.fma.f64(double %sub, double 0xBFF921FB54442D18, double %fabs)
  %fma.1 = call double @llvm.fma.f64(double %sub, double 0xBC91A62633145C07, double %fma)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0x391F1976B7ED8FBC, double %fma.1)
  %bitcast = bitcast double %fmuladd to i64
  %is = fcmp oge double %fabs, 0x41B0000000000000
  %bitcast.1 = bitcast double %fabs to i64
  %and = and i64 %bitcast.1, 4503599627370495
  %or = or i64 %and, 4503599627370496
  %lshr = lshr i64 %bitcast.1, 52
  %sub.1 = sub i64 %lshr, 1045
  %lshr.1 = lshr i64 %sub.1, 6
  %and.1 = and i64 %lshr.1, 15
  %element = getelementptr i64, ptr @nvf.two_over_pi, i64 %and.1
  %word = load i64, ptr %element, align 8
  %add = add i64 %and.1, 1
  %element.1 = getelementptr i64, ptr @nvf.two_over_pi, i64 %add
  %word.1 = load i64, ptr %element.1, align 8
  %add.1 = add i64 %and.1, 2
  %element.2 = getelementptr i64, ptr @nvf.two_over_pi, i64 %add.1
  %word.2 = load i64, ptr %element.2, align 8
  %add.2 = add i64 %and.1, 3
  %element.3 = getelementptr i64, ptr @nvf.two_over_pi, i64 %add.2
  %word.3 = load i64, ptr %element.3, align 8
  %fshl = call i64 @llvm.fshl.i64(i64 %word, i64 %word.1, i64 %sub.1)
  %fshl.1 = call i64 @llvm.fshl.i64(i64 %word.1, i64 %word.2, i64 %sub.1)
  %fshl.2 = call i64 @llvm.fshl.i64(i64 %word.2, i64 %word.3, i64 %sub.1)
  %lshr.2 = lshr i64 %fshl, 32
  %and.2 = and i64 %fshl, 4294967295
  %lshr.3 = lshr i64 %fshl.1, 32
  %and.3 = and i64 %fshl.1, 4294967295
  %lshr.4 = lshr i64 %fshl.2, 32
  %and.4 = and i64 %fshl.2, 4294967295
  %lshr.5 = lshr i64 %or, 32
  %and.5 = and i64 %or, 4294967295
  %mul = mul i64 %and.5, %and.4
  %lshr.6 = lshr i64 %mul, 32
  %mul.1 = mul i64 %and.5, %lshr.4
  %add.3 = add i64 %mul.1, %lshr.6
  %mul.2 = mul i64 %lshr.5, %and.4
  %and.6 = and i64 %add.3, 4294967295
  %add.4 = add i64 %mul.2, %and.6
  %and.7 = and i64 %add.4, 4294967295
  %lshr.7 = lshr i64 %add.3, 32
  %lshr.8 = lshr i64 %add.4, 32
  %add.5 = add i64 %lshr.7, %lshr.8
  %mul.3 = mul i64 %and.5, %and.3
  %add.6 = add i64 %mul.3, %add.5
  %mul.4 = mul i64 %lshr.5, %lshr.4
  %and.8 = and i64 %add.6, 4294967295
  %add.7 = add i64 %mul.4, %and.8
  %and.9 = and i64 %add.7, 4294967295
  %lshr.9 = lshr i64 %add.6, 32
  %lshr.10 = lshr i64 %add.7, 32
  %add.8 = add i64 %lshr.9, %lshr.10
  %mul.5 = mul i64 %and.5, %lshr.3
  %add.9 = add i64 %mul.5, %add.8
  %mul.6 = mul i64 %lshr.5, %and.3
  %and.10 = and i64 %add.9, 4294967295
  %add.10 = add i64 %mul.6, %and.10
  %and.11 = and i64 %add.10, 4294967295
  %lshr.11 = lshr i64 %add.9, 32
  %lshr.12 = lshr i64 %add.10, 32
  %add.11 = add i64 %lshr.11, %lshr.12
  %shl = shl i64 %and.11, 32
  %or.1 = or i64 %and.9, %shl
  %mul.7 = mul i64 %and.5, %and.2
  %mul.8 = mul i64 %lshr.5, %lshr.3
  %add.12 = add i64 %mul.7, %mul.8
  %add.13 = add i64 %add.12, %add.11
  %mul.9 = mul i64 %and.5, %lshr.2
  %mul.10 = mul i64 %lshr.5, %and.2
  %add.14 = add i64 %mul.9, %mul.10
  %shl.1 = shl i64 %add.14, 32
  %add.15 = add i64 %add.13, %shl.1
  %lshr.13 = lshr i64 %add.15, 61
  %add.16 = add i64 %lshr.13, 1
  %lshr.14 = lshr i64 %add.16, 1
  %shl.2 = shl i64 %add.15, 2
  %lshr.15 = lshr i64 %or.1, 62
  %or.2 = or i64 %shl.2, %lshr.15
  %add.17 = add i64 %or.2, 2048
  %ashr = ashr i64 %add.17, 12
  %shl.3 = shl i64 %ashr, 12
  %sub.2 = sub i64 %or.2, %shl.3
  %add.18 = add i64 %ashr, 4843621399236968448
  %bitcast.2 = bitcast i64 %add.18 to double
  %sub.3 = fsub double %bitcast.2, 0x4338000000000000
  %add.19 = add i64 %sub.2, 4843621399236968448
  %bitcast.3 = bitcast i64 %add.19 to double
  %sub.4 = fsub double %bitcast.3, 0x4338000000000000
  %shl.4 = shl i64 %or.1, 2
  %lshr.16 = lshr i64 %shl.4, 12
  %or.3 = or i64 %lshr.16, 4607182418800017408
  %bitcast.4 = bitcast i64 %or.3 to double
  %sub.5 = fsub double %bitcast.4, 0x3FF0000000000000
  %add.20 = fadd double %sub.4, %sub.5
  %mul.11 = fmul double %add.20, 0x3BF921FB54442D18
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub.3, double 0x3951A62633145C07, double %mul.11)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %sub.3, double 0x3CB921FB54442D18, double %fmuladd.2)
  %select = select i1 %is, i64 %lshr.14, i64 %bitcast
  %select.1 = select i1 %is, double %fmuladd.3, double %fmuladd.1
  %sub.6 = fsub double %fabs, %fabs
  %add.21 = fadd double %select.1, %sub.6
  %mul.12 = fmul double %add.21, %add.21
  %mul.13 = fmul double %add.21, %mul.12
  %fmuladd.4 = call double @llvm.fmuladd.f64(double 0x3DE5D8DAAA4D55BD, double %mul.12, double 0xBE5AE5E52BFB0925)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.12, double 0x3EC71DE355D20659)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul.12, double 0xBF2A01A019BF0604)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %mul.12, double 0x3F8111111110F754)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %mul.12, double 0xBFC5555555555548)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %mul.13, double %fmuladd.8, double %add.21)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double 0xBDA8FA61928D94DD, double %mul.12, double 0x3E21EE9DB210223F)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %mul.12, double 0xBE927E4F7F0C8091)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %mul.12, double 0x3EFA01A019C8E635)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %mul.12, double 0xBF56C16C16C15011)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %mul.12, double 0x3FA555555555554B)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %mul.12, double %fmuladd.14, double 0xBFE0000000000000)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %mul.12, double %fmuladd.15, double 0x3FF0000000000000)
  %and.12 = and i64 %select, 1
  %is.1 = icmp ne i64 %and.12, 0
  %select.2 = select i1 %is.1, double %fmuladd.9, double %fmuladd.16
  %bitcast.5 = bitcast double %select.2 to i64
  %add.22 = add i64 %select, 1
  %and.13 = and i64 %add.22, 2
  %shl.5 = shl i64 %and.13, 62
  %xor = xor i64 %bitcast.5, %shl.5
  %bitcast.6 = bitcast i64 %xor to double
  ret double %bitcast.6
}

; @nvf.cos.f64 where @nvf.cos_is_usual.f64.
define internal double @nvf.cos_usual.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fma = call double @llvm.fma.f64(double %sub, double 0xBFF921FB54442D18, double %fabs)
  %fma.1 = call double @llvm.fma.f64(double %sub, double 0xBC91A62633145C07, double %fma)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0x391F1976B7ED8FBC, double %fma.1)
  %bitcast = bitcast double %fmuladd to i64
  %mul = fmul double %fmuladd.1, %fmuladd.1
  %mul.1 = fmul double %fmuladd.1, %mul
  %fmuladd.2 = call double @llvm.fmuladd.f64(double 0x3DE5D8DAAA4D55BD, double %mul, double 0xBE5AE5E52BFB0925)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul, double 0x3EC71DE355D20659)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul, double 0xBF2A01A019BF0604)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul, double 0x3F8111111110F754)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul, double 0xBFC5555555555548)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.6, double %fmuladd.1)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double 0xBDA8FA61928D94DD, double %mul, double 0x3E21EE9DB210223F)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul, double 0xBE927E4F7F0C8091)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %mul, double 0x3EFA01A019C8E635)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %mul, double 0xBF56C16C16C15011)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %mul, double 0x3FA555555555554B)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.12, double 0xBFE0000000000000)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.13, double 0x3FF0000000000000)
  %and = and i64 %bitcast, 1
  %is = icmp ne i64 %and, 0
  %select = select i1 %is, double %fmuladd.7, double %fmuladd.14
  %bitcast.1 = bitcast double %select to i64
  %add = add i64 %bitcast, 1
  %and.1 = and i64 %add, 2
  %shl = shl i64 %and.1, 62
  %xor = xor i64 %bitcast.1, %shl
  %bitcast.2 = bitcast i64 %xor to double
  ret double %bitcast.2
}

define internal i1 @nvf.cos_is_usual.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ult double %fabs, 0x41B0000000000000
  ret i1 %is
}

define internal float @nvf.tan.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fpext = fpext float %fabs to double
  %fmuladd = call double @llvm.fmuladd.f64(double %fpext, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFF921FB54400000, double %fpext)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0xBDD0B4611A626331, double %fmuladd.1)
  %bitcast = bitcast double %fmuladd to i64
  %trunc = trunc i64 %bitcast to i32
  %sub.1 = fsub double %fpext, %fpext
  %is = fcmp oge float %fabs, 0x4100000000000000
  %bitcast.1 = bitcast float %fabs to i32
  %and = and i32 %bitcast.1, 8388607
  %or = or i32 %and, 8388608
  %lshr = lshr i32 %bitcast.1, 23
  %sub.2 = sub i32 %lshr, 144
  %and.1 = and i32 %sub.2, 32
  %is.1 = icmp ne i32 %and.1, 0
  %select = select i1 %is.1, i32 1850622997, i32 10680707
  %select.1 = select i1 %is.1, i32 704390999, i32 1850622997
  %select.2 = select i1 %is.1, i32 -772459299, i32 704390999
  %select.3 = select i1 %is.1, i32 -1059364203, i32 -772459299
  %select.4 = select i1 %is.1, i32 -1724103792, i32 -1059364203
  %select.5 = select i1 %is.1, i32 1107186019, i32 -1724103792
  %and.2 = and i32 %sub.2, 64
  %is.2 = icmp ne i32 %and.2, 0
  %select.6 = select i1 %is.2, i32 %select.2, i32 %select
  %select.7 = select i1 %is.2, i32 %select.3, i32 %select.1
  %select.8 = select i1 %is.2, i32 %select.4, i32 %select.2
  %select.9 = select i1 %is.2, i32 %select.5, i32 %select.3
  %fshl = call i32 @llvm.fshl.i32(i32 %select.6, i32 %select.7, i32 %sub.2)
  %fshl.1 = call i32 @llvm.fshl.i32(i32 %select.7, i32 %select.8, i32 %sub.2)
  %fshl.2 = call i32 @llvm.fshl.i32(i32 %select.8, i32 %select.9, i32 %sub.2)
  %zext = zext i32 %or to i64
  %mul = mul i32 %or, %fshl
  %zext.1 = zext i32 %mul to i64
  %shl = shl i64 %zext.1, 32
  %zext.2 = zext i32 %fshl.1 to i64
  %mul.1 = mul i64 %zext, %zext.2
  %zext.3 = zext i32 %fshl.2 to i64
  %mul.2 = mul i64 %zext, %zext.3
  %lshr.1 = lshr i64 %mul.2, 32
  %add = add i64 %shl, %mul.1
  %add.1 = add i64 %add, %lshr.1
  %lshr.2 = lshr i64 %add.1, 61
  %add.2 = add i64 %lshr.2, 1
  %lshr.3 = lshr i64 %add.2, 1
  %trunc.1 = trunc i64 %lshr.3 to i32
  %shl.1 = shl i64 %add.1, 2
  %sitofp = sitofp i64 %shl.1 to double
  %mul.3 = fmul double %sitofp, 0x3BF921FB54442D18
  %select.10 = select i1 %is, i32 %trunc.1, i32 %trunc
  %select.11 = select i1 %is, double %mul.3, double %fmuladd.2
  %add.3 = fadd double %select.11, %sub.1
  %mul.4 = fmul double %add.3, %add.3
  %mul.5 = fmul double %add.3, %mul.4
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0xBE5A9604D993810B, double %mul.4, double 0x3EC71D76974D9A66)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.4, double 0xBF2A019F9329E9AA)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.4, double 0x3F81111110C823FF)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul.4, double 0xBFC55555555521F3)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %mul.5, double %fmuladd.6, double %add.3)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double 0x3E21BBDB09DD6D93, double %mul.4, double 0xBE927E008E29E7CD)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul.4, double 0x3EFA019FA5A1AE6E)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %mul.4, double 0xBF56C16C1671BC22)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %mul.4, double 0x3FA5555555552DA7)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %mul.4, double %fmuladd.11, double 0xBFE0000000000000)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %mul.4, double %fmuladd.12, double 0x3FF0000000000000)
  %and.3 = and i32 %select.10, 1
  %is.3 = icmp ne i32 %and.3, 0
  %neg = fneg double %fmuladd.13
  %select.12 = select i1 %is.3, double %neg, double %fmuladd.7
  %select.13 = select i1 %is.3, double %fmuladd.7, double %fmuladd.13
  %div = fdiv double %select.12, %select.13
  %fptrunc = fptrunc double %div to float
  %bitcast.2 = bitcast float %fptrunc to i32
  %bitcast.3 = bitcast float %x to i32
  %and.4 = and i32 %bitcast.3, -2147483648
  %xor = xor i32 %bitcast.2, %and.4
  %bitcast.4 = bitcast i32 %xor to float
  ret float %bitcast.4
}

; @nvf.tan.f32 where @nvf.tan_is_usual.f32.
define internal float @nvf.tan_usual.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fpext = fpext float %fabs to double
  %fmuladd = call double @llvm.fmuladd.f64(double %fpext, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %sub = fsub double %fmuladd, 0x4338000000000000
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %sub, double 0xBFF921FB54400000, double %fpext)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %sub, double 0xBDD0B4611A626331, double %fmuladd.1)
  %bitcast = bitcast double %fmuladd to i64
  %trunc = trunc i64 %bitcast to i32
  %sub.1 = fsub double %fpext, %fpext
  %mul = fmul double %fmuladd.2, %fmuladd.2
  %mul.1 = fmul double %fmuladd.2, %mul
  %fmuladd.3 = call double @llvm.fmuladd.f64(double 0xBE5A9604D993810B, double %mul, double 0x3EC71D76974D9A66)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul, double 0xBF2A019F9329E9AA)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul, double 0x3F81111110C823FF)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul, double 0xBFC55555555521F3)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.6, double %fmuladd.2)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double 0x3E21BBDB09DD6D93, double %mul, double 0xBE927E008E29E7CD)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul, double 0x3EFA019FA5A1AE6E)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %mul, double 0xBF56C16C1671BC22)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %mul, double 0x3FA5555555552DA7)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.11, double 0xBFE0000000000000)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %mul, double %fmuladd.12, double 0x3FF0000000000000)
  %and = and i32 %trunc, 1
  %is = icmp ne i32 %and, 0
  %neg = fneg double %fmuladd.13
  %select = select i1 %is, double %neg, double %fmuladd.7
  %select.1 = select i1 %is, double %fmuladd.7, double %fmuladd.13
  %div = fdiv double %select, %select.1
  %fptrunc = fptrunc double %div to float
  %bitcast.1 = bitcast float %fptrunc to i32
  %bitcast.2 = bitcast float %x to i32
  %and.1 = and i32 %bitcast.2, -2147483648
  %xor = xor i32 %bitcast.1, %and.1
  %bitcast.3 = bitcast i32 %xor to float
  ret float %bitcast.3
}

define internal i1 @nvf.tan_is_usual.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %is = fcmp ult float %fabs, 0x4100000000000000
  ret i1 %is
}

define internal double @nvf.tan.f64(double %x) alwaysinline nounwind willreturn {
  %tan = call double @tan(double %x)
  ret double %tan
}

define internal float @nvf.asin.f32(float %x) alwaysinline nounwind willreturn {
  %fpext = fpext float %x to double
  %fabs = call double @llvm.fabs.f64(double %fpext)
  %is = fcmp ogt double %fabs, 0x3FE0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0xBFE0000000000000, double 0x3FE0000000000000)
  %mul = fmul double %fabs, %fabs
  %select = select i1 %is, double %fmuladd, double %mul
  %sqrt = call double @llvm.sqrt.f64(double %select)
  %select.1 = select i1 %is, double %sqrt, double %fabs
  %mul.1 = fmul double %select.1, %select
  %fmuladd.1 = call double @llvm.fmuladd.f64(double 0x3FA0570FA02F8ADC, double %select, double 0xBF6700E1FE8641A9)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %select, double 0x3F930DBFDD07DC6D)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %select, double 0x3F90E10E84D3E5A6)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %select, double 0x3F97027FF5308340)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %select, double 0x3F9F1AB4173FE6FE)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %select, double 0x3FA6DB762C0A65CC)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %select, double 0x3FB333331F24271A)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %select, double 0x3FC555555565AC34)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.8, double %select.1)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double 0xC000000000000000, double 0x3FF921FB54442D18)
  %add = fadd double %fmuladd.10, 0x3C91A62633145C07
  %select.2 = select i1 %is, double %add, double %fmuladd.9
  %copysign = call double @llvm.copysign.f64(double %select.2, double %fpext)
  %fptrunc = fptrunc double %copysign to float
  ret float %fptrunc
}

define internal double @nvf.asin.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x3FE0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0xBFE0000000000000, double 0x3FE0000000000000)
  %mul = fmul double %fabs, %fabs
  %select = select i1 %is, double %fmuladd, double %mul
  %sqrt = call double @llvm.sqrt.f64(double %select)
  %select.1 = select i1 %is, double %sqrt, double %fabs
  %mul.1 = fmul double %select.1, %select
  %fmuladd.1 = call double @llvm.fmuladd.f64(double 0x3FAABABC07CBE5DF, double %select, double 0xBFB1F72A8ED9F307)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %select, double 0x3FB06EE8F8CD0410)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %select, double 0xBF9828CAF5C0B843)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %select, double 0x3F90E0808C04CA7A)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %select, double 0x3F73D47E36172D1C)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %select, double 0x3F821A0822928A15)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %select, double 0x3F83DE2953FC0B71)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %select, double 0x3F87ABA842CF29DB)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %select, double 0x3F8C995D3485BFB6)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %select, double 0x3F91C4EDECDE6832)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %select, double 0x3F96E8BA1EFC33D5)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %select, double 0x3F9F1C71C7806C56)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %select, double 0x3FA6DB6DB6DAA79C)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %select, double 0x3FB3333333333405)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %fmuladd.14, double %select, double 0x3FC5555555555555)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.15, double %select.1)
  %fmuladd.17 = call double @llvm.fmuladd.f64(double %fmuladd.16, double 0xC000000000000000, double 0x3FF921FB54442D18)
  %add = fadd double %fmuladd.17, 0x3C91A62633145C07
  %select.2 = select i1 %is, double %add, double %fmuladd.16
  %copysign = call double @llvm.copysign.f64(double %select.2, double %x)
  ret double %copysign
}

define internal float @nvf.acos.f32(float %x) alwaysinline nounwind willreturn {
  %fpext = fpext float %x to double
  %fabs = call double @llvm.fabs.f64(double %fpext)
  %is = fcmp ogt double %fabs, 0x3FE0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0xBFE0000000000000, double 0x3FE0000000000000)
  %mul = fmul double %fabs, %fabs
  %select = select i1 %is, double %fmuladd, double %mul
  %sqrt = call double @llvm.sqrt.f64(double %select)
  %select.1 = select i1 %is, double %sqrt, double %fabs
  %mul.1 = fmul double %select.1, %select
  %fmuladd.1 = call double @llvm.fmuladd.f64(double 0x3FA0570FA02F8ADC, double %select, double 0xBF6700E1FE8641A9)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %select, double 0x3F930DBFDD07DC6D)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %select, double 0x3F90E10E84D3E5A6)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %select, double 0x3F97027FF5308340)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %select, double 0x3F9F1AB4173FE6FE)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %select, double 0x3FA6DB762C0A65CC)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %select, double 0x3FB333331F24271A)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %select, double 0x3FC555555565AC34)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.8, double %select.1)
  %add = fadd double %fmuladd.9, %fmuladd.9
  %is.1 = fcmp olt double %fpext, 0x0000000000000000
  %sub = fsub double 0x400921FB54442D18, %add
  %add.1 = fadd double %sub, 0x3CA1A62633145C07
  %select.2 = select i1 %is.1, double %add.1, double %add
  %copysign = call double @llvm.copysign.f64(double %fmuladd.9, double %fpext)
  %sub.1 = fsub double 0x3FF921FB54442D18, %copysign
  %add.2 = fadd double %sub.1, 0x3C91A62633145C07
  %select.3 = select i1 %is, double %select.2, double %add.2
  %fptrunc = fptrunc double %select.3 to float
  ret float %fptrunc
}

define internal double @nvf.acos.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x3FE0000000000000
  %fmuladd = call double @llvm.fmuladd.f64(double %fabs, double 0xBFE0000000000000, double 0x3FE0000000000000)
  %mul = fmul double %fabs, %fabs
  %select = select i1 %is, double %fmuladd, double %mul
  %sqrt = call double @llvm.sqrt.f64(double %select)
  %select.1 = select i1 %is, double %sqrt, double %fabs
  %mul.1 = fmul double %select.1, %select
  %fmuladd.1 = call double @llvm.fmuladd.f64(double 0x3FAABABC07CBE5DF, double %select, double 0xBFB1F72A8ED9F307)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %select, double 0x3FB06EE8F8CD0410)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %select, double 0xBF9828CAF5C0B843)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %select, double 0x3F90E0808C04CA7A)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %select, double 0x3F73D47E36172D1C)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %select, double 0x3F821A0822928A15)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %select, double 0x3F83DE2953FC0B71)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %select, double 0x3F87ABA842CF29DB)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %select, double 0x3F8C995D3485BFB6)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %fmuladd.9, double %select, double 0x3F91C4EDECDE6832)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %fmuladd.10, double %select, double 0x3F96E8BA1EFC33D5)
  %fmuladd.12 = call double @llvm.fmuladd.f64(double %fmuladd.11, double %select, double 0x3F9F1C71C7806C56)
  %fmuladd.13 = call double @llvm.fmuladd.f64(double %fmuladd.12, double %select, double 0x3FA6DB6DB6DAA79C)
  %fmuladd.14 = call double @llvm.fmuladd.f64(double %fmuladd.13, double %select, double 0x3FB3333333333405)
  %fmuladd.15 = call double @llvm.fmuladd.f64(double %fmuladd.14, double %select, double 0x3FC5555555555555)
  %fmuladd.16 = call double @llvm.fmuladd.f64(double %mul.1, double %fmuladd.15, double %select.1)
  %add = fadd double %fmuladd.16, %fmuladd.16
  %is.1 = fcmp olt double %x, 0x0000000000000000
  %sub = fsub double 0x400921FB54442D18, %add
  %add.1 = fadd double %sub, 0x3CA1A62633145C07
  %select.2 = select i1 %is.1, double %add.1, double %add
  %copysign = call double @llvm.copysign.f64(double %fmuladd.16, double %x)
  %sub.1 = fsub double 0x3FF921FB54442D18, %copysign
  %add.2 = fadd double %sub.1, 0x3C91A62633145C07
  %select.3 = select i1 %is, double %select.2, double %add.2
  ret double %select.3
}

define internal float @nvf.atan.f32(float %x) alwaysinline nounwind willreturn {
  %fpext = fpext float %x to double
  %fabs = call double @llvm.fabs.f64(double %fpext)
  %is = fcmp ogt double %fabs, 0x3FF0000000000000
  %select = select i1 %is, double 0x3FF0000000000000, double %fabs
  %select.1 = select i1 %is, double %fabs, double 0x3FF0000000000000
  %mul = fmul double %select.1, 0x3FDA827999FCEF32
  %is.1 = fcmp ogt double %select, %mul
  %sub = fsub double %select, %select.1
  %select.2 = select i1 %is.1, double %sub, double %select
  %add = fadd double %select, %select.1
  %select.3 = select i1 %is.1, double %add, double %select.1
  %div = fdiv double %select.2, %select.3
  %mul.1 = fmul double %div, %div
  %mul.2 = fmul double %div, %mul.1
  %fmuladd = call double @llvm.fmuladd.f64(double 0xBFA36A7D24724B77, double %mul.1, double 0x3FB1E5ACC40F9501)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.1, double 0xBFB7082676DC6AF7)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.1, double 0x3FBC6D1E37F87954)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.1, double 0xBFC2490C2D1C20C0)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.1, double 0x3FC999991FAF9278)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.1, double 0xBFD5555554EDE3EF)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %mul.2, double %fmuladd.5, double %div)
  %add.1 = fadd double %fmuladd.6, 0x3C81A62633145C07
  %add.2 = fadd double %add.1, 0x3FE921FB54442D18
  %select.4 = select i1 %is.1, double %add.2, double %fmuladd.6
  %sub.1 = fsub double 0x3FF921FB54442D18, %select.4
  %add.3 = fadd double %sub.1, 0x3C91A62633145C07
  %select.5 = select i1 %is, double %add.3, double %select.4
  %copysign = call double @llvm.copysign.f64(double %select.5, double %fpext)
  %fptrunc = fptrunc double %copysign to float
  ret float %fptrunc
}

define internal double @nvf.atan.f64(double %x) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %x)
  %is = fcmp ogt double %fabs, 0x3FF0000000000000
  %select = select i1 %is, double 0x3FF0000000000000, double %fabs
  %select.1 = select i1 %is, double %fabs, double 0x3FF0000000000000
  %mul = fmul double %select.1, 0x3FDA827999FCEF32
  %is.1 = fcmp ogt double %select, %mul
  %sub = fsub double %select, %select.1
  %select.2 = select i1 %is.1, double %sub, double %select
  %add = fadd double %select, %select.1
  %select.3 = select i1 %is.1, double %add, double %select.1
  %div = fdiv double %select.2, %select.3
  %mul.1 = fmul double %div, %div
  %mul.2 = fmul double %div, %mul.1
  %fmuladd = call double @llvm.fmuladd.f64(double 0xBF92523BA2348D58, double %mul.1, double 0x3FA37B53A4B4231A)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.1, double 0xBFA9CC5F64741819)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.1, double 0x3FADF0C788A2770E)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.1, double 0xBFB10EB874528912)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.1, double 0x3FB3B1114EA3841A)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.1, double 0xBFB745CF8A301DE6)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul.1, double 0x3FBC71C70E43D5F4)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %mul.1, double 0xBFC24924922A979D)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %mul.1, double 0x3FC9999999995802)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul.1, double 0xBFD555555555553D)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %mul.2, double %fmuladd.9, double %div)
  %add.1 = fadd double %fmuladd.10, 0x3C81A62633145C07
  %add.2 = fadd double %add.1, 0x3FE921FB54442D18
  %select.4 = select i1 %is.1, double %add.2, double %fmuladd.10
  %sub.1 = fsub double 0x3FF921FB54442D18, %select.4
  %add.3 = fadd double %sub.1, 0x3C91A62633145C07
  %select.5 = select i1 %is, double %add.3, double %select.4
  %copysign = call double @llvm.copysign.f64(double %select.5, double %x)
  ret double %copysign
}

define internal float @nvf.atan2.f32(float %a, float %b) alwaysinline nounwind willreturn {
  %fpext = fpext float %a to double
  %fpext.1 = fpext float %b to double
  %fabs = call double @llvm.fabs.f64(double %fpext.1)
  %fabs.1 = call double @llvm.fabs.f64(double %fpext)
  %is = fcmp ogt double %fabs.1, %fabs
  %select = select i1 %is, double %fabs, double %fabs.1
  %select.1 = select i1 %is, double %fabs.1, double %fabs
  %is.1 = fcmp oeq double %select.1, 0x0000000000000000
  %select.2 = select i1 %is.1, double 0x3FF0000000000000, double %select.1
  %is.2 = fcmp oeq double %select, 0x7FF0000000000000
  %is.3 = fcmp oeq double %select.2, 0x7FF0000000000000
  %and = and i1 %is.2, %is.3
  %select.3 = select i1 %and, double 0x3FF0000000000000, double %select
  %select.4 = select i1 %and, double 0x3FF0000000000000, double %select.2
  %mul = fmul double %select.4, 0x3FDA827999FCEF32
  %is.4 = fcmp ogt double %select.3, %mul
  %sub = fsub double %select.3, %select.4
  %select.5 = select i1 %is.4, double %sub, double %select.3
  %add = fadd double %select.3, %select.4
  %select.6 = select i1 %is.4, double %add, double %select.4
  %div = fdiv double %select.5, %select.6
  %mul.1 = fmul double %div, %div
  %mul.2 = fmul double %div, %mul.1
  %fmuladd = call double @llvm.fmuladd.f64(double 0xBFA36A7D24724B77, double %mul.1, double 0x3FB1E5ACC40F9501)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.1, double 0xBFB7082676DC6AF7)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.1, double 0x3FBC6D1E37F87954)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.1, double 0xBFC2490C2D1C20C0)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.1, double 0x3FC999991FAF9278)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.1, double 0xBFD5555554EDE3EF)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %mul.2, double %fmuladd.5, double %div)
  %add.1 = fadd double %fmuladd.6, 0x3C81A62633145C07
  %add.2 = fadd double %add.1, 0x3FE921FB54442D18
  %select.7 = select i1 %is.4, double %add.2, double %fmuladd.6
  %sub.1 = fsub double 0x3FF921FB54442D18, %select.7
  %add.3 = fadd double %sub.1, 0x3C91A62633145C07
  %select.8 = select i1 %is, double %add.3, double %select.7
  %bitcast = bitcast double %fpext.1 to i64
  %is.5 = icmp slt i64 %bitcast, 0
  %sub.2 = fsub double 0x400921FB54442D18, %select.8
  %add.4 = fadd double %sub.2, 0x3CA1A62633145C07
  %select.9 = select i1 %is.5, double %add.4, double %select.8
  %copysign = call double @llvm.copysign.f64(double %select.9, double %fpext)
  %fptrunc = fptrunc double %copysign to float
  ret float %fptrunc
}

define internal double @nvf.atan2.f64(double %a, double %b) alwaysinline nounwind willreturn {
  %fabs = call double @llvm.fabs.f64(double %b)
  %is = fcmp ogt double %fabs, 0x7E70000000000000
  %fabs.1 = call double @llvm.fabs.f64(double %a)
  %is.1 = fcmp ogt double %fabs.1, 0x7E70000000000000
  %or = or i1 %is, %is.1
  %select = select i1 %or, double 0x39B0000000000000, double 0x3FF0000000000000
  %fabs.2 = call double @llvm.fabs.f64(double %b)
  %mul = fmul double %fabs.2, %select
  %fabs.3 = call double @llvm.fabs.f64(double %a)
  %mul.1 = fmul double %fabs.3, %select
  %is.2 = fcmp ogt double %mul.1, %mul
  %select.1 = select i1 %is.2, double %mul, double %mul.1
  %select.2 = select i1 %is.2, double %mul.1, double %mul
  %is.3 = fcmp oeq double %select.2, 0x0000000000000000
  %select.3 = select i1 %is.3, double 0x3FF0000000000000, double %select.2
  %is.4 = fcmp oeq double %select.1, 0x7FF0000000000000
  %is.5 = fcmp oeq double %select.3, 0x7FF0000000000000
  %and = and i1 %is.4, %is.5
  %select.4 = select i1 %and, double 0x3FF0000000000000, double %select.1
  %select.5 = select i1 %and, double 0x3FF0000000000000, double %select.3
  %mul.2 = fmul double %select.5, 0x3FDA827999FCEF32
  %is.6 = fcmp ogt double %select.4, %mul.2
  %sub = fsub double %select.4, %select.5
  %select.6 = select i1 %is.6, double %sub, double %select.4
  %add = fadd double %select.4, %select.5
  %select.7 = select i1 %is.6, double %add, double %select.5
  %div = fdiv double %select.6, %select.7
  %mul.3 = fmul double %div, %div
  %mul.4 = fmul double %div, %mul.3
  %fmuladd = call double @llvm.fmuladd.f64(double 0xBF92523BA2348D58, double %mul.3, double 0x3FA37B53A4B4231A)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.3, double 0xBFA9CC5F64741819)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.3, double 0x3FADF0C788A2770E)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.3, double 0xBFB10EB874528912)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.3, double 0x3FB3B1114EA3841A)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.3, double 0xBFB745CF8A301DE6)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul.3, double 0x3FBC71C70E43D5F4)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %mul.3, double 0xBFC24924922A979D)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double %mul.3, double 0x3FC9999999995802)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %fmuladd.8, double %mul.3, double 0xBFD555555555553D)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %mul.4, double %fmuladd.9, double %div)
  %add.1 = fadd double %fmuladd.10, 0x3C81A62633145C07
  %add.2 = fadd double %add.1, 0x3FE921FB54442D18
  %select.8 = select i1 %is.6, double %add.2, double %fmuladd.10
  %sub.1 = fsub double 0x3FF921FB54442D18, %select.8
  %add.3 = fadd double %sub.1, 0x3C91A62633145C07
  %select.9 = select i1 %is.2, double %add.3, double %select.8
  %bitcast = bitcast double %b to i64
  %is.7 = icmp slt i64 %bitcast, 0
  %sub.2 = fsub double 0x400921FB54442D18, %select.9
  %add.4 = fadd double %sub.2, 0x3CA1A62633145C07
  %select.10 = select i1 %is.7, double %add.4, double %select.9
  %copysign = call double @llvm.copysign.f64(double %select.10, double %a)
  ret double %copysign
}
