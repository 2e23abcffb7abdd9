; Logarithms.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare double @llvm.fabs.f64(double)
declare double @llvm.fmuladd.f64(double, double, double)
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
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBFB3507CA0000000, float %sub.2, float 0x3FC0495460000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.2, float 0xBFC0DD3440000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.2, float 0x3FC22F7540000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.2, float 0xBFC546D8C0000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.2, float 0x3FC999F020000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.2, float 0xBFD0002360000000)
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

define internal double @nvf.log.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0x0010000000000000
  %mul = fmul double %x, 0x4330000000000000
  %select = select i1 %is, double %mul, double %x
  %bitcast = bitcast double %select to i64
  %select.1 = select i1 %is, double 0xC04A000000000000, double 0x0000000000000000
  %sub = sub i64 %bitcast, 4604544271217802189
  %ashr = ashr i64 %sub, 52
  %shl = shl i64 %ashr, 52
  %sub.1 = sub i64 %bitcast, %shl
  %bitcast.1 = bitcast i64 %sub.1 to double
  %trunc = trunc i64 %ashr to i32
  %sitofp = sitofp i32 %trunc to double
  %add = fadd double %sitofp, %select.1
  %sub.2 = fsub double %bitcast.1, 0x3FF0000000000000
  %mul.1 = fmul double %sub.2, %sub.2
  %mul.2 = fmul double %mul.1, 0x3FE0000000000000
  %add.1 = fadd double %sub.2, 0x4000000000000000
  %div = fdiv double %sub.2, %add.1
  %mul.3 = fmul double %div, %div
  %fmuladd = call double @llvm.fmuladd.f64(double 0x3FC2F09EC1860689, double %mul.3, double 0x3FC39A1456EEB956)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.3, double 0x3FC7466439C973D9)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.3, double 0x3FCC71C51F111B32)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.3, double 0x3FD2492494211F90)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.3, double 0x3FD999999997FB06)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.3, double 0x3FE5555555555593)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %mul.3, double %fmuladd.5, double %mul.2)
  %neg = fneg double %mul.2
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %div, double %fmuladd.6, double %neg)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %add, double 0xBD48432A1B0E2634, double %fmuladd.7)
  %add.2 = fadd double %sub.2, %fmuladd.8
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %add, double 0x3FE62E42FEFA4000, double %add.2)
  %is.1 = fcmp olt double %x, 0x7FF0000000000000
  %select.2 = select i1 %is.1, double %fmuladd.9, double %x
  %is.2 = fcmp oeq double %x, 0x0000000000000000
  %select.3 = select i1 %is.2, double 0xFFF0000000000000, double %select.2
  %is.3 = fcmp olt double %x, 0x0000000000000000
  %select.4 = select i1 %is.3, double 0x7FF8000000000000, double %select.3
  ret double %select.4
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
  %fmuladd.2 = call float @llvm.fmuladd.f32(float 0xBFB3507CA0000000, float %fmuladd.1, float 0x3FC0495460000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %fmuladd.1, float 0xBFC0DD3440000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fmuladd.1, float 0x3FC22F7540000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fmuladd.1, float 0xBFC546D8C0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fmuladd.1, float 0x3FC999F020000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fmuladd.1, float 0xBFD0002360000000)
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

define internal double @nvf.log1p.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp ogt double %x, 0x43B0000000000000
  %mul = fmul double %x, 0x3BF0000000000000
  %select = select i1 %is, double %mul, double %x
  %select.1 = select i1 %is, double 0x0000000000000000, double 0x3FF0000000000000
  %add = fadd double %select, %select.1
  %bitcast = bitcast double %add to i64
  %sub = sub i64 %bitcast, 4604544271217802189
  %ashr = ashr i64 %sub, 52
  %shl = shl i64 %ashr, 52
  %sub.1 = sub i64 %bitcast, %shl
  %bitcast.1 = bitcast i64 %sub.1 to double
  %sub.2 = sub i64 0, %ashr
  %shl.1 = shl i64 %sub.2, 52
  %add.1 = add i64 %shl.1, 4607182418800017408
  %bitcast.2 = bitcast i64 %add.1 to double
  %fmuladd = call double @llvm.fmuladd.f64(double %select.1, double %bitcast.2, double 0xBFF0000000000000)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %select, double %bitcast.2, double %fmuladd)
  %trunc = trunc i64 %ashr to i32
  %sitofp = sitofp i32 %trunc to double
  %select.2 = select i1 %is, double 0x4050000000000000, double 0x0000000000000000
  %add.2 = fadd double %sitofp, %select.2
  %mul.1 = fmul double %fmuladd.1, %fmuladd.1
  %mul.2 = fmul double %mul.1, 0x3FE0000000000000
  %add.3 = fadd double %fmuladd.1, 0x4000000000000000
  %div = fdiv double %fmuladd.1, %add.3
  %mul.3 = fmul double %div, %div
  %fmuladd.2 = call double @llvm.fmuladd.f64(double 0x3FC2F09EC1860689, double %mul.3, double 0x3FC39A1456EEB956)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.3, double 0x3FC7466439C973D9)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.3, double 0x3FCC71C51F111B32)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.3, double 0x3FD2492494211F90)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %fmuladd.5, double %mul.3, double 0x3FD999999997FB06)
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %fmuladd.6, double %mul.3, double 0x3FE5555555555593)
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %mul.3, double %fmuladd.7, double %mul.2)
  %neg = fneg double %mul.2
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %div, double %fmuladd.8, double %neg)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %add.2, double 0xBD48432A1B0E2634, double %fmuladd.9)
  %add.4 = fadd double %fmuladd.1, %fmuladd.10
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %add.2, double 0x3FE62E42FEFA4000, double %add.4)
  %fabs = call double @llvm.fabs.f64(double %x)
  %is.1 = fcmp olt double %fabs, 0x3C90000000000000
  %select.3 = select i1 %is.1, double %x, double %fmuladd.11
  %is.2 = fcmp olt double %x, 0x7FF0000000000000
  %select.4 = select i1 %is.2, double %select.3, double %x
  %is.3 = fcmp oeq double %x, 0xBFF0000000000000
  %select.5 = select i1 %is.3, double 0xFFF0000000000000, double %select.4
  %is.4 = fcmp olt double %x, 0xBFF0000000000000
  %select.6 = select i1 %is.4, double 0x7FF8000000000000, double %select.5
  ret double %select.6
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
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBFBBA9B220000000, float %sub.2, float 0x3FC7B99BA0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.2, float 0xBFC8812C40000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.2, float 0x3FCA354EC0000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.2, float 0xBFCEAAC740000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.2, float 0x3FD277BF80000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.2, float 0xBFD715ACA0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %sub.2, float 0x3FDEC70A00000000)
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

define internal double @nvf.log2.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0x0010000000000000
  %mul = fmul double %x, 0x4330000000000000
  %select = select i1 %is, double %mul, double %x
  %bitcast = bitcast double %select to i64
  %select.1 = select i1 %is, double 0xC04A000000000000, double 0x0000000000000000
  %sub = sub i64 %bitcast, 4604544271217802189
  %ashr = ashr i64 %sub, 52
  %shl = shl i64 %ashr, 52
  %sub.1 = sub i64 %bitcast, %shl
  %bitcast.1 = bitcast i64 %sub.1 to double
  %trunc = trunc i64 %ashr to i32
  %sitofp = sitofp i32 %trunc to double
  %add = fadd double %sitofp, %select.1
  %sub.2 = fsub double %bitcast.1, 0x3FF0000000000000
  %mul.1 = fmul double %sub.2, %sub.2
  %mul.2 = fmul double %mul.1, 0x3FE0000000000000
  %add.1 = fadd double %sub.2, 0x4000000000000000
  %div = fdiv double %sub.2, %add.1
  %mul.3 = fmul double %div, %div
  %fmuladd = call double @llvm.fmuladd.f64(double 0x3FC2F09EC1860689, double %mul.3, double 0x3FC39A1456EEB956)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.3, double 0x3FC7466439C973D9)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.3, double 0x3FCC71C51F111B32)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.3, double 0x3FD2492494211F90)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.3, double 0x3FD999999997FB06)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.3, double 0x3FE5555555555593)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %mul.3, double %fmuladd.5, double %mul.2)
  %neg = fneg double %mul.2
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %div, double %fmuladd.6, double %neg)
  %mul.4 = fmul double %sub.2, 0x3C7777D0FFDA0D24
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double 0x3FF71547652B82FE, double %mul.4)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %sub.2, double 0x3FF71547652B82FE, double %fmuladd.8)
  %add.2 = fadd double %add, %fmuladd.9
  %is.1 = fcmp olt double %x, 0x7FF0000000000000
  %select.2 = select i1 %is.1, double %add.2, double %x
  %is.2 = fcmp oeq double %x, 0x0000000000000000
  %select.3 = select i1 %is.2, double 0xFFF0000000000000, double %select.2
  %is.3 = fcmp olt double %x, 0x0000000000000000
  %select.4 = select i1 %is.3, double 0x7FF8000000000000, double %select.3
  ret double %select.4
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
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBFA0A4BE40000000, float %sub.2, float 0x3FAC8C8C20000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.2, float 0xBFAD804CC0000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.2, float 0x3FAF8F8F40000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.2, float 0xBFB276CA20000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.2, float 0x3FB63CC240000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %sub.2, float 0xBFBBCBF2C0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %sub.2, float 0x3FC287A780000000)
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

define internal double @nvf.log10.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp olt double %x, 0x0010000000000000
  %mul = fmul double %x, 0x4330000000000000
  %select = select i1 %is, double %mul, double %x
  %bitcast = bitcast double %select to i64
  %select.1 = select i1 %is, double 0xC04A000000000000, double 0x0000000000000000
  %sub = sub i64 %bitcast, 4604544271217802189
  %ashr = ashr i64 %sub, 52
  %shl = shl i64 %ashr, 52
  %sub.1 = sub i64 %bitcast, %shl
  %bitcast.1 = bitcast i64 %sub.1 to double
  %trunc = trunc i64 %ashr to i32
  %sitofp = sitofp i32 %trunc to double
  %add = fadd double %sitofp, %select.1
  %sub.2 = fsub double %bitcast.1, 0x3FF0000000000000
  %mul.1 = fmul double %sub.2, %sub.2
  %mul.2 = fmul double %mul.1, 0x3FE0000000000000
  %add.1 = fadd double %sub.2, 0x4000000000000000
  %div = fdiv double %sub.2, %add.1
  %mul.3 = fmul double %div, %div
  %fmuladd = call double @llvm.fmuladd.f64(double 0x3FC2F09EC1860689, double %mul.3, double 0x3FC39A1456EEB956)
  %fmuladd.1 = call double @llvm.fmuladd.f64(double %fmuladd, double %mul.3, double 0x3FC7466439C973D9)
  %fmuladd.2 = call double @llvm.fmuladd.f64(double %fmuladd.1, double %mul.3, double 0x3FCC71C51F111B32)
  %fmuladd.3 = call double @llvm.fmuladd.f64(double %fmuladd.2, double %mul.3, double 0x3FD2492494211F90)
  %fmuladd.4 = call double @llvm.fmuladd.f64(double %fmuladd.3, double %mul.3, double 0x3FD999999997FB06)
  %fmuladd.5 = call double @llvm.fmuladd.f64(double %fmuladd.4, double %mul.3, double 0x3FE5555555555593)
  %fmuladd.6 = call double @llvm.fmuladd.f64(double %mul.3, double %fmuladd.5, double %mul.2)
  %neg = fneg double %mul.2
  %fmuladd.7 = call double @llvm.fmuladd.f64(double %div, double %fmuladd.6, double %neg)
  %mul.4 = fmul double %sub.2, 0x3C695355BAAAFAD3
  %fmuladd.8 = call double @llvm.fmuladd.f64(double %fmuladd.7, double 0x3FDBCB7B1526E50E, double %mul.4)
  %fmuladd.9 = call double @llvm.fmuladd.f64(double %add, double 0xBD380433B83B532A, double %fmuladd.8)
  %fmuladd.10 = call double @llvm.fmuladd.f64(double %sub.2, double 0x3FDBCB7B1526E50E, double %fmuladd.9)
  %fmuladd.11 = call double @llvm.fmuladd.f64(double %add, double 0x3FD34413509F8000, double %fmuladd.10)
  %is.1 = fcmp olt double %x, 0x7FF0000000000000
  %select.2 = select i1 %is.1, double %fmuladd.11, double %x
  %is.2 = fcmp oeq double %x, 0x0000000000000000
  %select.3 = select i1 %is.2, double 0xFFF0000000000000, double %select.2
  %is.3 = fcmp olt double %x, 0x0000000000000000
  %select.4 = select i1 %is.3, double 0x7FF8000000000000, double %select.3
  ret double %select.4
}
