; Mean and sum of squared deviations in one pass over the values.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare float @llvm.fmuladd.f32(float, float, float)

define internal { float, float, float } @nvf.merge_moments.m32({ float, float, float } %a, { float, float, float } %b) alwaysinline nounwind willreturn {
  %mean = extractvalue { float, float, float } %a, 0
  %deviations = extractvalue { float, float, float } %a, 1
  %count = extractvalue { float, float, float } %a, 2
  %mean.1 = extractvalue { float, float, float } %b, 0
  %deviations.1 = extractvalue { float, float, float } %b, 1
  %count.1 = extractvalue { float, float, float } %b, 2
  %add = fadd float %count, %count.1
  %is = fcmp oeq float %add, 0x0000000000000000
  %div = fdiv float %count.1, %add
  %select = select i1 %is, float 0x0000000000000000, float %div
  %sub = fsub float %mean.1, %mean
  %mul = fmul float %sub, %select
  %mul.1 = fmul float %sub, %count
  %add.1 = fadd float %deviations, %deviations.1
  %fmuladd = call float @llvm.fmuladd.f32(float %mul.1, float %mul, float %add.1)
  %add.2 = fadd float %mean, %mul
  %moments = insertvalue { float, float, float } poison, float %add.2, 0
  %moments.1 = insertvalue { float, float, float } %moments, float %fmuladd, 1
  %moments.2 = insertvalue { float, float, float } %moments.1, float %add, 2
  ret { float, float, float } %moments.2
}
