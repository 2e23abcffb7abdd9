; Functions of float for results of 16 bits.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare float @llvm.fabs.f32(float)
declare float @llvm.fmuladd.f32(float, float, float)

define internal float @nvf.exp_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %mul = fmul float %x, 0x3FF7154760000000
  %is = fcmp olt float %mul, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %mul
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul.1 = fmul float %fmuladd.3, %bitcast.1
  ret float %mul.1
}

define internal float @nvf.exp2_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp olt float %x, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %x
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul = fmul float %fmuladd.3, %bitcast.1
  ret float %mul
}

define internal float @nvf.gelu_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %fabs = call float @llvm.fabs.f32(float %x)
  %fmuladd = call float @llvm.fmuladd.f32(float 0xBE22BB4320000000, float %fabs, float 0x3E84CE3A80000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %fabs, float 0xBED458EA00000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %fabs, float 0x3F17371FE0000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %fabs, float 0xBF51529C40000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %fabs, float 0x3F82131BA0000000)
  %fmuladd.5 = call float @llvm.fmuladd.f32(float %fmuladd.4, float %fabs, float 0xBFABD39DC0000000)
  %fmuladd.6 = call float @llvm.fmuladd.f32(float %fmuladd.5, float %fabs, float 0xBFDD54ABE0000000)
  %fmuladd.7 = call float @llvm.fmuladd.f32(float %fmuladd.6, float %fabs, float 0xBFF26B7D60000000)
  %fmuladd.8 = call float @llvm.fmuladd.f32(float %fabs, float %fmuladd.7, float 0xBFF0000000000000)
  %is = fcmp olt float %fmuladd.8, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %fmuladd.8
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd.9 = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.10 = call float @llvm.fmuladd.f32(float %fmuladd.9, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.11 = call float @llvm.fmuladd.f32(float %fmuladd.10, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.12 = call float @llvm.fmuladd.f32(float %fmuladd.11, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul = fmul float %fmuladd.12, %bitcast.1
  %is.2 = fcmp ogt float %x, 0x0000000000000000
  %sub.2 = fsub float 0x3FF0000000000000, %mul
  %select.2 = select i1 %is.2, float %sub.2, float %mul
  %mul.1 = fmul float %x, %select.2
  ret float %mul.1
}

define internal float @nvf.gelu_tanh_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %mul = fmul float %x, %x
  %fmuladd = call float @llvm.fmuladd.f32(float %mul, float 0xBFBA5A7D00000000, float 0xC0026AEC20000000)
  %mul.1 = fmul float %x, %fmuladd
  %is = fcmp olt float %mul.1, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %mul.1
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd.1 = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %fmuladd.3, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul.2 = fmul float %fmuladd.4, %bitcast.1
  %add.2 = fadd float %mul.2, 0x3FF0000000000000
  %div = fdiv float 0x3FF0000000000000, %add.2
  %mul.3 = fmul float %x, %div
  ret float %mul.3
}

define internal float @nvf.sigmoid_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %mul = fmul float %x, 0xBFF7154760000000
  %is = fcmp olt float %mul, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %mul
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul.1 = fmul float %fmuladd.3, %bitcast.1
  %add.2 = fadd float %mul.1, 0x3FF0000000000000
  %div = fdiv float 0x3FF0000000000000, %add.2
  ret float %div
}

define internal float @nvf.silu_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %mul = fmul float %x, 0xBFF7154760000000
  %is = fcmp olt float %mul, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %mul
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul.1 = fmul float %fmuladd.3, %bitcast.1
  %add.2 = fadd float %mul.1, 0x3FF0000000000000
  %div = fdiv float 0x3FF0000000000000, %add.2
  %mul.2 = fmul float %x, %div
  ret float %mul.2
}

define internal float @nvf.tanh_narrow.f32(float %x) alwaysinline nounwind willreturn {
  %mul = fmul float %x, 0x4007154760000000
  %is = fcmp olt float %mul, 0xC05F800000000000
  %select = select i1 %is, float 0xC05F800000000000, float %mul
  %is.1 = fcmp ogt float %select, 0x4060000000000000
  %select.1 = select i1 %is.1, float 0x4060000000000000, float %select
  %add = fadd float %select.1, 0x4168000000000000
  %sub = fsub float %add, 0x4168000000000000
  %sub.1 = fsub float %select.1, %sub
  %fmuladd = call float @llvm.fmuladd.f32(float 0x3F94097C60000000, float %sub.1, float 0x3FBCA906C0000000)
  %fmuladd.1 = call float @llvm.fmuladd.f32(float %fmuladd, float %sub.1, float 0x3FDEBF1A00000000)
  %fmuladd.2 = call float @llvm.fmuladd.f32(float %fmuladd.1, float %sub.1, float 0x3FF62DFC80000000)
  %fmuladd.3 = call float @llvm.fmuladd.f32(float %fmuladd.2, float %sub.1, float 0x4000000000000000)
  %bitcast = bitcast float %add to i32
  %shl = shl i32 %bitcast, 23
  %add.1 = add i32 %shl, 1056964608
  %bitcast.1 = bitcast i32 %add.1 to float
  %mul.1 = fmul float %fmuladd.3, %bitcast.1
  %add.2 = fadd float %mul.1, 0x3FF0000000000000
  %div = fdiv float 0x4000000000000000, %add.2
  %sub.2 = fsub float 0x3FF0000000000000, %div
  %mul.2 = fmul float %x, %x
  %fmuladd.4 = call float @llvm.fmuladd.f32(float %mul.2, float 0xBFD5555560000000, float 0x3FF0000000000000)
  %mul.3 = fmul float %x, %fmuladd.4
  %fabs = call float @llvm.fabs.f32(float %x)
  %is.2 = fcmp olt float %fabs, 0x3FAEB851E0000000
  %select.2 = select i1 %is.2, float %mul.3, float %sub.2
  ret float %select.2
}
