; Transposed copies of rectangles.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.

declare <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float>)
declare <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float>)
declare i64 @llvm.smin.i64(i64, i64)

define internal void @nvf.transpose_tile16.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i8, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i8, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i8, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i8, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i8, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i8, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i8, ptr %row6, i64 %in_stride
  %row8 = getelementptr inbounds i8, ptr %row7, i64 %in_stride
  %row9 = getelementptr inbounds i8, ptr %row8, i64 %in_stride
  %row10 = getelementptr inbounds i8, ptr %row9, i64 %in_stride
  %row11 = getelementptr inbounds i8, ptr %row10, i64 %in_stride
  %row12 = getelementptr inbounds i8, ptr %row11, i64 %in_stride
  %row13 = getelementptr inbounds i8, ptr %row12, i64 %in_stride
  %row14 = getelementptr inbounds i8, ptr %row13, i64 %in_stride
  %row15 = getelementptr inbounds i8, ptr %row14, i64 %in_stride
  %v0 = load <16 x i8>, ptr %in, align 1
  %v1 = load <16 x i8>, ptr %row1, align 1
  %v2 = load <16 x i8>, ptr %row2, align 1
  %v3 = load <16 x i8>, ptr %row3, align 1
  %v4 = load <16 x i8>, ptr %row4, align 1
  %v5 = load <16 x i8>, ptr %row5, align 1
  %v6 = load <16 x i8>, ptr %row6, align 1
  %v7 = load <16 x i8>, ptr %row7, align 1
  %v8 = load <16 x i8>, ptr %row8, align 1
  %v9 = load <16 x i8>, ptr %row9, align 1
  %v10 = load <16 x i8>, ptr %row10, align 1
  %v11 = load <16 x i8>, ptr %row11, align 1
  %v12 = load <16 x i8>, ptr %row12, align 1
  %v13 = load <16 x i8>, ptr %row13, align 1
  %v14 = load <16 x i8>, ptr %row14, align 1
  %v15 = load <16 x i8>, ptr %row15, align 1
  %column1 = getelementptr inbounds i8, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i8, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i8, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i8, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i8, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i8, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i8, ptr %column6, i64 %out_stride
  %column8 = getelementptr inbounds i8, ptr %column7, i64 %out_stride
  %column9 = getelementptr inbounds i8, ptr %column8, i64 %out_stride
  %column10 = getelementptr inbounds i8, ptr %column9, i64 %out_stride
  %column11 = getelementptr inbounds i8, ptr %column10, i64 %out_stride
  %column12 = getelementptr inbounds i8, ptr %column11, i64 %out_stride
  %column13 = getelementptr inbounds i8, ptr %column12, i64 %out_stride
  %column14 = getelementptr inbounds i8, ptr %column13, i64 %out_stride
  %column15 = getelementptr inbounds i8, ptr %column14, i64 %out_stride
  %s0 = shufflevector <16 x i8> %v0, <16 x i8> %v1, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s1 = shufflevector <16 x i8> %v0, <16 x i8> %v1, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s2 = shufflevector <16 x i8> %v2, <16 x i8> %v3, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s3 = shufflevector <16 x i8> %v2, <16 x i8> %v3, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s4 = shufflevector <16 x i8> %v4, <16 x i8> %v5, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s5 = shufflevector <16 x i8> %v4, <16 x i8> %v5, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s6 = shufflevector <16 x i8> %v6, <16 x i8> %v7, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s7 = shufflevector <16 x i8> %v6, <16 x i8> %v7, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s8 = shufflevector <16 x i8> %v8, <16 x i8> %v9, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s9 = shufflevector <16 x i8> %v8, <16 x i8> %v9, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s10 = shufflevector <16 x i8> %v10, <16 x i8> %v11, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s11 = shufflevector <16 x i8> %v10, <16 x i8> %v11, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s12 = shufflevector <16 x i8> %v12, <16 x i8> %v13, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s13 = shufflevector <16 x i8> %v12, <16 x i8> %v13, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s14 = shufflevector <16 x i8> %v14, <16 x i8> %v15, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23>
  %s15 = shufflevector <16 x i8> %v14, <16 x i8> %v15, <16 x i32> <i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s16 = shufflevector <16 x i8> %s0, <16 x i8> %s2, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s17 = shufflevector <16 x i8> %s0, <16 x i8> %s2, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s18 = shufflevector <16 x i8> %s1, <16 x i8> %s3, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s19 = shufflevector <16 x i8> %s1, <16 x i8> %s3, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s20 = shufflevector <16 x i8> %s4, <16 x i8> %s6, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s21 = shufflevector <16 x i8> %s4, <16 x i8> %s6, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s22 = shufflevector <16 x i8> %s5, <16 x i8> %s7, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s23 = shufflevector <16 x i8> %s5, <16 x i8> %s7, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s24 = shufflevector <16 x i8> %s8, <16 x i8> %s10, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s25 = shufflevector <16 x i8> %s8, <16 x i8> %s10, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s26 = shufflevector <16 x i8> %s9, <16 x i8> %s11, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s27 = shufflevector <16 x i8> %s9, <16 x i8> %s11, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s28 = shufflevector <16 x i8> %s12, <16 x i8> %s14, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s29 = shufflevector <16 x i8> %s12, <16 x i8> %s14, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s30 = shufflevector <16 x i8> %s13, <16 x i8> %s15, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23>
  %s31 = shufflevector <16 x i8> %s13, <16 x i8> %s15, <16 x i32> <i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s32 = shufflevector <16 x i8> %s16, <16 x i8> %s20, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s33 = shufflevector <16 x i8> %s16, <16 x i8> %s20, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s34 = shufflevector <16 x i8> %s17, <16 x i8> %s21, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s35 = shufflevector <16 x i8> %s17, <16 x i8> %s21, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s36 = shufflevector <16 x i8> %s18, <16 x i8> %s22, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s37 = shufflevector <16 x i8> %s18, <16 x i8> %s22, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s38 = shufflevector <16 x i8> %s19, <16 x i8> %s23, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s39 = shufflevector <16 x i8> %s19, <16 x i8> %s23, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s40 = shufflevector <16 x i8> %s24, <16 x i8> %s28, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s41 = shufflevector <16 x i8> %s24, <16 x i8> %s28, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s42 = shufflevector <16 x i8> %s25, <16 x i8> %s29, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s43 = shufflevector <16 x i8> %s25, <16 x i8> %s29, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s44 = shufflevector <16 x i8> %s26, <16 x i8> %s30, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s45 = shufflevector <16 x i8> %s26, <16 x i8> %s30, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s46 = shufflevector <16 x i8> %s27, <16 x i8> %s31, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23>
  %s47 = shufflevector <16 x i8> %s27, <16 x i8> %s31, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s48 = shufflevector <16 x i8> %s32, <16 x i8> %s40, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s49 = shufflevector <16 x i8> %s32, <16 x i8> %s40, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s50 = shufflevector <16 x i8> %s33, <16 x i8> %s41, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s51 = shufflevector <16 x i8> %s33, <16 x i8> %s41, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s52 = shufflevector <16 x i8> %s34, <16 x i8> %s42, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s53 = shufflevector <16 x i8> %s34, <16 x i8> %s42, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s54 = shufflevector <16 x i8> %s35, <16 x i8> %s43, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s55 = shufflevector <16 x i8> %s35, <16 x i8> %s43, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s56 = shufflevector <16 x i8> %s36, <16 x i8> %s44, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s57 = shufflevector <16 x i8> %s36, <16 x i8> %s44, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s58 = shufflevector <16 x i8> %s37, <16 x i8> %s45, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s59 = shufflevector <16 x i8> %s37, <16 x i8> %s45, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s60 = shufflevector <16 x i8> %s38, <16 x i8> %s46, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s61 = shufflevector <16 x i8> %s38, <16 x i8> %s46, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s62 = shufflevector <16 x i8> %s39, <16 x i8> %s47, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s63 = shufflevector <16 x i8> %s39, <16 x i8> %s47, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  store <16 x i8> %s48, ptr %out, align 1
  store <16 x i8> %s49, ptr %column1, align 1
  store <16 x i8> %s50, ptr %column2, align 1
  store <16 x i8> %s51, ptr %column3, align 1
  store <16 x i8> %s52, ptr %column4, align 1
  store <16 x i8> %s53, ptr %column5, align 1
  store <16 x i8> %s54, ptr %column6, align 1
  store <16 x i8> %s55, ptr %column7, align 1
  store <16 x i8> %s56, ptr %column8, align 1
  store <16 x i8> %s57, ptr %column9, align 1
  store <16 x i8> %s58, ptr %column10, align 1
  store <16 x i8> %s59, ptr %column11, align 1
  store <16 x i8> %s60, ptr %column12, align 1
  store <16 x i8> %s61, ptr %column13, align 1
  store <16 x i8> %s62, ptr %column14, align 1
  store <16 x i8> %s63, ptr %column15, align 1
  ret void
}

define internal void @nvf.transpose_tiles16.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 16
  %last_column = sub nsw i64 %columns, 16
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i8, ptr %in, i64 %start
  %to = getelementptr inbounds i8, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i8, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i8, ptr %to, i64 %line
  call void @nvf.transpose_tile16.b8(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 16
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 16
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_tile8.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i8, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i8, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i8, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i8, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i8, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i8, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i8, ptr %row6, i64 %in_stride
  %v0 = load <8 x i8>, ptr %in, align 1
  %v1 = load <8 x i8>, ptr %row1, align 1
  %v2 = load <8 x i8>, ptr %row2, align 1
  %v3 = load <8 x i8>, ptr %row3, align 1
  %v4 = load <8 x i8>, ptr %row4, align 1
  %v5 = load <8 x i8>, ptr %row5, align 1
  %v6 = load <8 x i8>, ptr %row6, align 1
  %v7 = load <8 x i8>, ptr %row7, align 1
  %column1 = getelementptr inbounds i8, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i8, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i8, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i8, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i8, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i8, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i8, ptr %column6, i64 %out_stride
  %s0 = shufflevector <8 x i8> %v0, <8 x i8> %v1, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s1 = shufflevector <8 x i8> %v0, <8 x i8> %v1, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s2 = shufflevector <8 x i8> %v2, <8 x i8> %v3, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s3 = shufflevector <8 x i8> %v2, <8 x i8> %v3, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s4 = shufflevector <8 x i8> %v4, <8 x i8> %v5, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s5 = shufflevector <8 x i8> %v4, <8 x i8> %v5, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s6 = shufflevector <8 x i8> %v6, <8 x i8> %v7, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s7 = shufflevector <8 x i8> %v6, <8 x i8> %v7, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s8 = shufflevector <8 x i8> %s0, <8 x i8> %s2, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s9 = shufflevector <8 x i8> %s0, <8 x i8> %s2, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s10 = shufflevector <8 x i8> %s1, <8 x i8> %s3, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s11 = shufflevector <8 x i8> %s1, <8 x i8> %s3, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s12 = shufflevector <8 x i8> %s4, <8 x i8> %s6, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s13 = shufflevector <8 x i8> %s4, <8 x i8> %s6, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s14 = shufflevector <8 x i8> %s5, <8 x i8> %s7, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s15 = shufflevector <8 x i8> %s5, <8 x i8> %s7, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s16 = shufflevector <8 x i8> %s8, <8 x i8> %s12, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s17 = shufflevector <8 x i8> %s8, <8 x i8> %s12, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s18 = shufflevector <8 x i8> %s9, <8 x i8> %s13, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s19 = shufflevector <8 x i8> %s9, <8 x i8> %s13, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s20 = shufflevector <8 x i8> %s10, <8 x i8> %s14, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s21 = shufflevector <8 x i8> %s10, <8 x i8> %s14, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s22 = shufflevector <8 x i8> %s11, <8 x i8> %s15, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s23 = shufflevector <8 x i8> %s11, <8 x i8> %s15, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i8> %s16, ptr %out, align 1
  store <8 x i8> %s17, ptr %column1, align 1
  store <8 x i8> %s18, ptr %column2, align 1
  store <8 x i8> %s19, ptr %column3, align 1
  store <8 x i8> %s20, ptr %column4, align 1
  store <8 x i8> %s21, ptr %column5, align 1
  store <8 x i8> %s22, ptr %column6, align 1
  store <8 x i8> %s23, ptr %column7, align 1
  ret void
}

define internal void @nvf.transpose_tiles8.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 8
  %last_column = sub nsw i64 %columns, 8
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i8, ptr %in, i64 %start
  %to = getelementptr inbounds i8, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i8, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i8, ptr %to, i64 %line
  call void @nvf.transpose_tile8.b8(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 8
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 8
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_elements.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline minsize optsize nounwind willreturn {
entry:
  br label %columns.head
columns.head:
  %x = phi i64 [ 0, %entry ], [ %x.next, %columns.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %column, label %exit
column:
  %start = mul nsw i64 %x, %in_stride
  %from = getelementptr inbounds i8, ptr %in, i64 %start
  %to = getelementptr inbounds i8, ptr %out, i64 %x
  br label %head
head:
  %y = phi i64 [ 0, %column ], [ %y.next, %element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %element, label %columns.latch
element:
  %read = getelementptr inbounds i8, ptr %from, i64 %y
  %value = load i8, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %write = getelementptr inbounds i8, ptr %to, i64 %line
  store i8 %value, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %head
columns.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %columns.head
exit:
  ret void
}

define internal void @nvf.transpose.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %least = call i64 @llvm.smin.i64(i64 %rows, i64 %columns)
  %is16 = icmp sge i64 %least, 16
  br i1 %is16, label %tiles16, label %below16
tiles16:
  call void @nvf.transpose_tiles16.b8(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below16:
  %is8 = icmp sge i64 %least, 8
  br i1 %is8, label %tiles8, label %below8
tiles8:
  call void @nvf.transpose_tiles8.b8(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below8:
  call void @nvf.transpose_elements.b8(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
}

define internal void @nvf.transpose_tile16.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i16, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i16, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i16, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i16, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i16, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i16, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i16, ptr %row6, i64 %in_stride
  %row8 = getelementptr inbounds i16, ptr %row7, i64 %in_stride
  %row9 = getelementptr inbounds i16, ptr %row8, i64 %in_stride
  %row10 = getelementptr inbounds i16, ptr %row9, i64 %in_stride
  %row11 = getelementptr inbounds i16, ptr %row10, i64 %in_stride
  %row12 = getelementptr inbounds i16, ptr %row11, i64 %in_stride
  %row13 = getelementptr inbounds i16, ptr %row12, i64 %in_stride
  %row14 = getelementptr inbounds i16, ptr %row13, i64 %in_stride
  %row15 = getelementptr inbounds i16, ptr %row14, i64 %in_stride
  %v0 = load <16 x i16>, ptr %in, align 2
  %v1 = load <16 x i16>, ptr %row1, align 2
  %v2 = load <16 x i16>, ptr %row2, align 2
  %v3 = load <16 x i16>, ptr %row3, align 2
  %v4 = load <16 x i16>, ptr %row4, align 2
  %v5 = load <16 x i16>, ptr %row5, align 2
  %v6 = load <16 x i16>, ptr %row6, align 2
  %v7 = load <16 x i16>, ptr %row7, align 2
  %v8 = load <16 x i16>, ptr %row8, align 2
  %v9 = load <16 x i16>, ptr %row9, align 2
  %v10 = load <16 x i16>, ptr %row10, align 2
  %v11 = load <16 x i16>, ptr %row11, align 2
  %v12 = load <16 x i16>, ptr %row12, align 2
  %v13 = load <16 x i16>, ptr %row13, align 2
  %v14 = load <16 x i16>, ptr %row14, align 2
  %v15 = load <16 x i16>, ptr %row15, align 2
  %column1 = getelementptr inbounds i16, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i16, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i16, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i16, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i16, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i16, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i16, ptr %column6, i64 %out_stride
  %column8 = getelementptr inbounds i16, ptr %column7, i64 %out_stride
  %column9 = getelementptr inbounds i16, ptr %column8, i64 %out_stride
  %column10 = getelementptr inbounds i16, ptr %column9, i64 %out_stride
  %column11 = getelementptr inbounds i16, ptr %column10, i64 %out_stride
  %column12 = getelementptr inbounds i16, ptr %column11, i64 %out_stride
  %column13 = getelementptr inbounds i16, ptr %column12, i64 %out_stride
  %column14 = getelementptr inbounds i16, ptr %column13, i64 %out_stride
  %column15 = getelementptr inbounds i16, ptr %column14, i64 %out_stride
  %s0 = shufflevector <16 x i16> %v0, <16 x i16> %v1, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s1 = shufflevector <16 x i16> %v0, <16 x i16> %v1, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s2 = shufflevector <16 x i16> %v2, <16 x i16> %v3, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s3 = shufflevector <16 x i16> %v2, <16 x i16> %v3, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s4 = shufflevector <16 x i16> %v4, <16 x i16> %v5, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s5 = shufflevector <16 x i16> %v4, <16 x i16> %v5, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s6 = shufflevector <16 x i16> %v6, <16 x i16> %v7, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s7 = shufflevector <16 x i16> %v6, <16 x i16> %v7, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s8 = shufflevector <16 x i16> %s0, <16 x i16> %s2, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s9 = shufflevector <16 x i16> %s0, <16 x i16> %s2, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s10 = shufflevector <16 x i16> %s1, <16 x i16> %s3, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s11 = shufflevector <16 x i16> %s1, <16 x i16> %s3, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s12 = shufflevector <16 x i16> %s4, <16 x i16> %s6, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s13 = shufflevector <16 x i16> %s4, <16 x i16> %s6, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s14 = shufflevector <16 x i16> %s5, <16 x i16> %s7, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s15 = shufflevector <16 x i16> %s5, <16 x i16> %s7, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s16 = shufflevector <16 x i16> %s8, <16 x i16> %s12, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s17 = shufflevector <16 x i16> %s8, <16 x i16> %s12, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s18 = shufflevector <16 x i16> %s9, <16 x i16> %s13, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s19 = shufflevector <16 x i16> %s9, <16 x i16> %s13, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s20 = shufflevector <16 x i16> %s10, <16 x i16> %s14, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s21 = shufflevector <16 x i16> %s10, <16 x i16> %s14, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s22 = shufflevector <16 x i16> %s11, <16 x i16> %s15, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s23 = shufflevector <16 x i16> %s11, <16 x i16> %s15, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s16.as_float = bitcast <16 x i16> %s16 to <8 x float>
  %s16.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s16.as_float)
  %s16.fence = bitcast <8 x float> %s16.as_float.fence to <16 x i16>
  %s17.as_float = bitcast <16 x i16> %s17 to <8 x float>
  %s17.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s17.as_float)
  %s17.fence = bitcast <8 x float> %s17.as_float.fence to <16 x i16>
  %s18.as_float = bitcast <16 x i16> %s18 to <8 x float>
  %s18.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s18.as_float)
  %s18.fence = bitcast <8 x float> %s18.as_float.fence to <16 x i16>
  %s19.as_float = bitcast <16 x i16> %s19 to <8 x float>
  %s19.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s19.as_float)
  %s19.fence = bitcast <8 x float> %s19.as_float.fence to <16 x i16>
  %s20.as_float = bitcast <16 x i16> %s20 to <8 x float>
  %s20.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s20.as_float)
  %s20.fence = bitcast <8 x float> %s20.as_float.fence to <16 x i16>
  %s21.as_float = bitcast <16 x i16> %s21 to <8 x float>
  %s21.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s21.as_float)
  %s21.fence = bitcast <8 x float> %s21.as_float.fence to <16 x i16>
  %s22.as_float = bitcast <16 x i16> %s22 to <8 x float>
  %s22.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s22.as_float)
  %s22.fence = bitcast <8 x float> %s22.as_float.fence to <16 x i16>
  %s23.as_float = bitcast <16 x i16> %s23 to <8 x float>
  %s23.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s23.as_float)
  %s23.fence = bitcast <8 x float> %s23.as_float.fence to <16 x i16>
  %s24 = shufflevector <16 x i16> %v8, <16 x i16> %v9, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s25 = shufflevector <16 x i16> %v8, <16 x i16> %v9, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s26 = shufflevector <16 x i16> %v10, <16 x i16> %v11, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s27 = shufflevector <16 x i16> %v10, <16 x i16> %v11, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s28 = shufflevector <16 x i16> %v12, <16 x i16> %v13, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s29 = shufflevector <16 x i16> %v12, <16 x i16> %v13, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s30 = shufflevector <16 x i16> %v14, <16 x i16> %v15, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27>
  %s31 = shufflevector <16 x i16> %v14, <16 x i16> %v15, <16 x i32> <i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
  %s32 = shufflevector <16 x i16> %s24, <16 x i16> %s26, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s33 = shufflevector <16 x i16> %s24, <16 x i16> %s26, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s34 = shufflevector <16 x i16> %s25, <16 x i16> %s27, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s35 = shufflevector <16 x i16> %s25, <16 x i16> %s27, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s36 = shufflevector <16 x i16> %s28, <16 x i16> %s30, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s37 = shufflevector <16 x i16> %s28, <16 x i16> %s30, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s38 = shufflevector <16 x i16> %s29, <16 x i16> %s31, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 2, i32 3, i32 18, i32 19, i32 8, i32 9, i32 24, i32 25, i32 10, i32 11, i32 26, i32 27>
  %s39 = shufflevector <16 x i16> %s29, <16 x i16> %s31, <16 x i32> <i32 4, i32 5, i32 20, i32 21, i32 6, i32 7, i32 22, i32 23, i32 12, i32 13, i32 28, i32 29, i32 14, i32 15, i32 30, i32 31>
  %s40 = shufflevector <16 x i16> %s32, <16 x i16> %s36, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s41 = shufflevector <16 x i16> %s32, <16 x i16> %s36, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s42 = shufflevector <16 x i16> %s33, <16 x i16> %s37, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s43 = shufflevector <16 x i16> %s33, <16 x i16> %s37, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s44 = shufflevector <16 x i16> %s34, <16 x i16> %s38, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s45 = shufflevector <16 x i16> %s34, <16 x i16> %s38, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s46 = shufflevector <16 x i16> %s35, <16 x i16> %s39, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19, i32 8, i32 9, i32 10, i32 11, i32 24, i32 25, i32 26, i32 27>
  %s47 = shufflevector <16 x i16> %s35, <16 x i16> %s39, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 20, i32 21, i32 22, i32 23, i32 12, i32 13, i32 14, i32 15, i32 28, i32 29, i32 30, i32 31>
  %s40.as_float = bitcast <16 x i16> %s40 to <8 x float>
  %s40.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s40.as_float)
  %s40.fence = bitcast <8 x float> %s40.as_float.fence to <16 x i16>
  %s41.as_float = bitcast <16 x i16> %s41 to <8 x float>
  %s41.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s41.as_float)
  %s41.fence = bitcast <8 x float> %s41.as_float.fence to <16 x i16>
  %s42.as_float = bitcast <16 x i16> %s42 to <8 x float>
  %s42.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s42.as_float)
  %s42.fence = bitcast <8 x float> %s42.as_float.fence to <16 x i16>
  %s43.as_float = bitcast <16 x i16> %s43 to <8 x float>
  %s43.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s43.as_float)
  %s43.fence = bitcast <8 x float> %s43.as_float.fence to <16 x i16>
  %s44.as_float = bitcast <16 x i16> %s44 to <8 x float>
  %s44.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s44.as_float)
  %s44.fence = bitcast <8 x float> %s44.as_float.fence to <16 x i16>
  %s45.as_float = bitcast <16 x i16> %s45 to <8 x float>
  %s45.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s45.as_float)
  %s45.fence = bitcast <8 x float> %s45.as_float.fence to <16 x i16>
  %s46.as_float = bitcast <16 x i16> %s46 to <8 x float>
  %s46.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s46.as_float)
  %s46.fence = bitcast <8 x float> %s46.as_float.fence to <16 x i16>
  %s47.as_float = bitcast <16 x i16> %s47 to <8 x float>
  %s47.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s47.as_float)
  %s47.fence = bitcast <8 x float> %s47.as_float.fence to <16 x i16>
  %s48 = shufflevector <16 x i16> %s16.fence, <16 x i16> %s40.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s49 = shufflevector <16 x i16> %s16.fence, <16 x i16> %s40.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s50 = shufflevector <16 x i16> %s17.fence, <16 x i16> %s41.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s51 = shufflevector <16 x i16> %s17.fence, <16 x i16> %s41.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s52 = shufflevector <16 x i16> %s18.fence, <16 x i16> %s42.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s53 = shufflevector <16 x i16> %s18.fence, <16 x i16> %s42.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s54 = shufflevector <16 x i16> %s19.fence, <16 x i16> %s43.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s55 = shufflevector <16 x i16> %s19.fence, <16 x i16> %s43.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s56 = shufflevector <16 x i16> %s20.fence, <16 x i16> %s44.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s57 = shufflevector <16 x i16> %s20.fence, <16 x i16> %s44.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s58 = shufflevector <16 x i16> %s21.fence, <16 x i16> %s45.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s59 = shufflevector <16 x i16> %s21.fence, <16 x i16> %s45.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s60 = shufflevector <16 x i16> %s22.fence, <16 x i16> %s46.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s61 = shufflevector <16 x i16> %s22.fence, <16 x i16> %s46.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s62 = shufflevector <16 x i16> %s23.fence, <16 x i16> %s47.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s63 = shufflevector <16 x i16> %s23.fence, <16 x i16> %s47.fence, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  store <16 x i16> %s48, ptr %out, align 2
  store <16 x i16> %s50, ptr %column1, align 2
  store <16 x i16> %s52, ptr %column2, align 2
  store <16 x i16> %s54, ptr %column3, align 2
  store <16 x i16> %s56, ptr %column4, align 2
  store <16 x i16> %s58, ptr %column5, align 2
  store <16 x i16> %s60, ptr %column6, align 2
  store <16 x i16> %s62, ptr %column7, align 2
  store <16 x i16> %s49, ptr %column8, align 2
  store <16 x i16> %s51, ptr %column9, align 2
  store <16 x i16> %s53, ptr %column10, align 2
  store <16 x i16> %s55, ptr %column11, align 2
  store <16 x i16> %s57, ptr %column12, align 2
  store <16 x i16> %s59, ptr %column13, align 2
  store <16 x i16> %s61, ptr %column14, align 2
  store <16 x i16> %s63, ptr %column15, align 2
  ret void
}

define internal void @nvf.transpose_tiles16.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 16
  %last_column = sub nsw i64 %columns, 16
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i16, ptr %in, i64 %start
  %to = getelementptr inbounds i16, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i16, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i16, ptr %to, i64 %line
  call void @nvf.transpose_tile16.b16(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 16
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 16
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_tile8.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i16, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i16, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i16, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i16, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i16, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i16, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i16, ptr %row6, i64 %in_stride
  %v0 = load <8 x i16>, ptr %in, align 2
  %v1 = load <8 x i16>, ptr %row1, align 2
  %v2 = load <8 x i16>, ptr %row2, align 2
  %v3 = load <8 x i16>, ptr %row3, align 2
  %v4 = load <8 x i16>, ptr %row4, align 2
  %v5 = load <8 x i16>, ptr %row5, align 2
  %v6 = load <8 x i16>, ptr %row6, align 2
  %v7 = load <8 x i16>, ptr %row7, align 2
  %column1 = getelementptr inbounds i16, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i16, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i16, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i16, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i16, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i16, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i16, ptr %column6, i64 %out_stride
  %s0 = shufflevector <8 x i16> %v0, <8 x i16> %v1, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s1 = shufflevector <8 x i16> %v0, <8 x i16> %v1, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s2 = shufflevector <8 x i16> %v2, <8 x i16> %v3, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s3 = shufflevector <8 x i16> %v2, <8 x i16> %v3, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s4 = shufflevector <8 x i16> %v4, <8 x i16> %v5, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s5 = shufflevector <8 x i16> %v4, <8 x i16> %v5, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s6 = shufflevector <8 x i16> %v6, <8 x i16> %v7, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %s7 = shufflevector <8 x i16> %v6, <8 x i16> %v7, <8 x i32> <i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
  %s8 = shufflevector <8 x i16> %s0, <8 x i16> %s2, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s9 = shufflevector <8 x i16> %s0, <8 x i16> %s2, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s10 = shufflevector <8 x i16> %s1, <8 x i16> %s3, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s11 = shufflevector <8 x i16> %s1, <8 x i16> %s3, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s12 = shufflevector <8 x i16> %s4, <8 x i16> %s6, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s13 = shufflevector <8 x i16> %s4, <8 x i16> %s6, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s14 = shufflevector <8 x i16> %s5, <8 x i16> %s7, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 2, i32 3, i32 10, i32 11>
  %s15 = shufflevector <8 x i16> %s5, <8 x i16> %s7, <8 x i32> <i32 4, i32 5, i32 12, i32 13, i32 6, i32 7, i32 14, i32 15>
  %s16 = shufflevector <8 x i16> %s8, <8 x i16> %s12, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s17 = shufflevector <8 x i16> %s8, <8 x i16> %s12, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s18 = shufflevector <8 x i16> %s9, <8 x i16> %s13, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s19 = shufflevector <8 x i16> %s9, <8 x i16> %s13, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s20 = shufflevector <8 x i16> %s10, <8 x i16> %s14, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s21 = shufflevector <8 x i16> %s10, <8 x i16> %s14, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s22 = shufflevector <8 x i16> %s11, <8 x i16> %s15, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s23 = shufflevector <8 x i16> %s11, <8 x i16> %s15, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i16> %s16, ptr %out, align 2
  store <8 x i16> %s17, ptr %column1, align 2
  store <8 x i16> %s18, ptr %column2, align 2
  store <8 x i16> %s19, ptr %column3, align 2
  store <8 x i16> %s20, ptr %column4, align 2
  store <8 x i16> %s21, ptr %column5, align 2
  store <8 x i16> %s22, ptr %column6, align 2
  store <8 x i16> %s23, ptr %column7, align 2
  ret void
}

define internal void @nvf.transpose_tiles8.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 8
  %last_column = sub nsw i64 %columns, 8
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i16, ptr %in, i64 %start
  %to = getelementptr inbounds i16, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i16, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i16, ptr %to, i64 %line
  call void @nvf.transpose_tile8.b16(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 8
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 8
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_tile4.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i16, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i16, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i16, ptr %row2, i64 %in_stride
  %v0 = load <4 x i16>, ptr %in, align 2
  %v1 = load <4 x i16>, ptr %row1, align 2
  %v2 = load <4 x i16>, ptr %row2, align 2
  %v3 = load <4 x i16>, ptr %row3, align 2
  %column1 = getelementptr inbounds i16, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i16, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i16, ptr %column2, i64 %out_stride
  %s0 = shufflevector <4 x i16> %v0, <4 x i16> %v1, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %s1 = shufflevector <4 x i16> %v0, <4 x i16> %v1, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %s2 = shufflevector <4 x i16> %v2, <4 x i16> %v3, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %s3 = shufflevector <4 x i16> %v2, <4 x i16> %v3, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %s4 = shufflevector <4 x i16> %s0, <4 x i16> %s2, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %s5 = shufflevector <4 x i16> %s0, <4 x i16> %s2, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %s6 = shufflevector <4 x i16> %s1, <4 x i16> %s3, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %s7 = shufflevector <4 x i16> %s1, <4 x i16> %s3, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x i16> %s4, ptr %out, align 2
  store <4 x i16> %s5, ptr %column1, align 2
  store <4 x i16> %s6, ptr %column2, align 2
  store <4 x i16> %s7, ptr %column3, align 2
  ret void
}

define internal void @nvf.transpose_tiles4.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 4
  %last_column = sub nsw i64 %columns, 4
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i16, ptr %in, i64 %start
  %to = getelementptr inbounds i16, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i16, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i16, ptr %to, i64 %line
  call void @nvf.transpose_tile4.b16(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 4
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 4
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_elements.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline minsize optsize nounwind willreturn {
entry:
  br label %columns.head
columns.head:
  %x = phi i64 [ 0, %entry ], [ %x.next, %columns.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %column, label %exit
column:
  %start = mul nsw i64 %x, %in_stride
  %from = getelementptr inbounds i16, ptr %in, i64 %start
  %to = getelementptr inbounds i16, ptr %out, i64 %x
  br label %head
head:
  %y = phi i64 [ 0, %column ], [ %y.next, %element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %element, label %columns.latch
element:
  %read = getelementptr inbounds i16, ptr %from, i64 %y
  %value = load i16, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %write = getelementptr inbounds i16, ptr %to, i64 %line
  store i16 %value, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %head
columns.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %columns.head
exit:
  ret void
}

define internal void @nvf.transpose.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %least = call i64 @llvm.smin.i64(i64 %rows, i64 %columns)
  %is16 = icmp sge i64 %least, 16
  br i1 %is16, label %tiles16, label %below16
tiles16:
  call void @nvf.transpose_tiles16.b16(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below16:
  %is8 = icmp sge i64 %least, 8
  br i1 %is8, label %tiles8, label %below8
tiles8:
  call void @nvf.transpose_tiles8.b16(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below8:
  %is4 = icmp sge i64 %least, 4
  br i1 %is4, label %tiles4, label %below4
tiles4:
  call void @nvf.transpose_tiles4.b16(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below4:
  call void @nvf.transpose_elements.b16(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
}

define internal void @nvf.transpose_tile16.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i32, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i32, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i32, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i32, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i32, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i32, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i32, ptr %row6, i64 %in_stride
  %row8 = getelementptr inbounds i32, ptr %row7, i64 %in_stride
  %row9 = getelementptr inbounds i32, ptr %row8, i64 %in_stride
  %row10 = getelementptr inbounds i32, ptr %row9, i64 %in_stride
  %row11 = getelementptr inbounds i32, ptr %row10, i64 %in_stride
  %row12 = getelementptr inbounds i32, ptr %row11, i64 %in_stride
  %row13 = getelementptr inbounds i32, ptr %row12, i64 %in_stride
  %row14 = getelementptr inbounds i32, ptr %row13, i64 %in_stride
  %row15 = getelementptr inbounds i32, ptr %row14, i64 %in_stride
  %v0 = load <16 x i32>, ptr %in, align 4
  %v1 = load <16 x i32>, ptr %row1, align 4
  %v2 = load <16 x i32>, ptr %row2, align 4
  %v3 = load <16 x i32>, ptr %row3, align 4
  %v4 = load <16 x i32>, ptr %row4, align 4
  %v5 = load <16 x i32>, ptr %row5, align 4
  %v6 = load <16 x i32>, ptr %row6, align 4
  %v7 = load <16 x i32>, ptr %row7, align 4
  %v8 = load <16 x i32>, ptr %row8, align 4
  %v9 = load <16 x i32>, ptr %row9, align 4
  %v10 = load <16 x i32>, ptr %row10, align 4
  %v11 = load <16 x i32>, ptr %row11, align 4
  %v12 = load <16 x i32>, ptr %row12, align 4
  %v13 = load <16 x i32>, ptr %row13, align 4
  %v14 = load <16 x i32>, ptr %row14, align 4
  %v15 = load <16 x i32>, ptr %row15, align 4
  %column1 = getelementptr inbounds i32, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i32, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i32, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i32, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i32, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i32, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i32, ptr %column6, i64 %out_stride
  %column8 = getelementptr inbounds i32, ptr %column7, i64 %out_stride
  %column9 = getelementptr inbounds i32, ptr %column8, i64 %out_stride
  %column10 = getelementptr inbounds i32, ptr %column9, i64 %out_stride
  %column11 = getelementptr inbounds i32, ptr %column10, i64 %out_stride
  %column12 = getelementptr inbounds i32, ptr %column11, i64 %out_stride
  %column13 = getelementptr inbounds i32, ptr %column12, i64 %out_stride
  %column14 = getelementptr inbounds i32, ptr %column13, i64 %out_stride
  %column15 = getelementptr inbounds i32, ptr %column14, i64 %out_stride
  %s0 = shufflevector <16 x i32> %v0, <16 x i32> %v1, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s1 = shufflevector <16 x i32> %v0, <16 x i32> %v1, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s2 = shufflevector <16 x i32> %v2, <16 x i32> %v3, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s3 = shufflevector <16 x i32> %v2, <16 x i32> %v3, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s4 = shufflevector <16 x i32> %s0, <16 x i32> %s2, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s5 = shufflevector <16 x i32> %s0, <16 x i32> %s2, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s6 = shufflevector <16 x i32> %s1, <16 x i32> %s3, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s7 = shufflevector <16 x i32> %s1, <16 x i32> %s3, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s4.as_float = bitcast <16 x i32> %s4 to <16 x float>
  %s4.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s4.as_float)
  %s4.fence = bitcast <16 x float> %s4.as_float.fence to <16 x i32>
  %s5.as_float = bitcast <16 x i32> %s5 to <16 x float>
  %s5.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s5.as_float)
  %s5.fence = bitcast <16 x float> %s5.as_float.fence to <16 x i32>
  %s6.as_float = bitcast <16 x i32> %s6 to <16 x float>
  %s6.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s6.as_float)
  %s6.fence = bitcast <16 x float> %s6.as_float.fence to <16 x i32>
  %s7.as_float = bitcast <16 x i32> %s7 to <16 x float>
  %s7.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s7.as_float)
  %s7.fence = bitcast <16 x float> %s7.as_float.fence to <16 x i32>
  %s8 = shufflevector <16 x i32> %v4, <16 x i32> %v5, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s9 = shufflevector <16 x i32> %v4, <16 x i32> %v5, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s10 = shufflevector <16 x i32> %v6, <16 x i32> %v7, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s11 = shufflevector <16 x i32> %v6, <16 x i32> %v7, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s12 = shufflevector <16 x i32> %s8, <16 x i32> %s10, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s13 = shufflevector <16 x i32> %s8, <16 x i32> %s10, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s14 = shufflevector <16 x i32> %s9, <16 x i32> %s11, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s15 = shufflevector <16 x i32> %s9, <16 x i32> %s11, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s12.as_float = bitcast <16 x i32> %s12 to <16 x float>
  %s12.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s12.as_float)
  %s12.fence = bitcast <16 x float> %s12.as_float.fence to <16 x i32>
  %s13.as_float = bitcast <16 x i32> %s13 to <16 x float>
  %s13.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s13.as_float)
  %s13.fence = bitcast <16 x float> %s13.as_float.fence to <16 x i32>
  %s14.as_float = bitcast <16 x i32> %s14 to <16 x float>
  %s14.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s14.as_float)
  %s14.fence = bitcast <16 x float> %s14.as_float.fence to <16 x i32>
  %s15.as_float = bitcast <16 x i32> %s15 to <16 x float>
  %s15.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s15.as_float)
  %s15.fence = bitcast <16 x float> %s15.as_float.fence to <16 x i32>
  %s16 = shufflevector <16 x i32> %v8, <16 x i32> %v9, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s17 = shufflevector <16 x i32> %v8, <16 x i32> %v9, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s18 = shufflevector <16 x i32> %v10, <16 x i32> %v11, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s19 = shufflevector <16 x i32> %v10, <16 x i32> %v11, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s20 = shufflevector <16 x i32> %s16, <16 x i32> %s18, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s21 = shufflevector <16 x i32> %s16, <16 x i32> %s18, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s22 = shufflevector <16 x i32> %s17, <16 x i32> %s19, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s23 = shufflevector <16 x i32> %s17, <16 x i32> %s19, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s20.as_float = bitcast <16 x i32> %s20 to <16 x float>
  %s20.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s20.as_float)
  %s20.fence = bitcast <16 x float> %s20.as_float.fence to <16 x i32>
  %s21.as_float = bitcast <16 x i32> %s21 to <16 x float>
  %s21.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s21.as_float)
  %s21.fence = bitcast <16 x float> %s21.as_float.fence to <16 x i32>
  %s22.as_float = bitcast <16 x i32> %s22 to <16 x float>
  %s22.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s22.as_float)
  %s22.fence = bitcast <16 x float> %s22.as_float.fence to <16 x i32>
  %s23.as_float = bitcast <16 x i32> %s23 to <16 x float>
  %s23.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s23.as_float)
  %s23.fence = bitcast <16 x float> %s23.as_float.fence to <16 x i32>
  %s24 = shufflevector <16 x i32> %v12, <16 x i32> %v13, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s25 = shufflevector <16 x i32> %v12, <16 x i32> %v13, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s26 = shufflevector <16 x i32> %v14, <16 x i32> %v15, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s27 = shufflevector <16 x i32> %v14, <16 x i32> %v15, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s28 = shufflevector <16 x i32> %s24, <16 x i32> %s26, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s29 = shufflevector <16 x i32> %s24, <16 x i32> %s26, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s30 = shufflevector <16 x i32> %s25, <16 x i32> %s27, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s31 = shufflevector <16 x i32> %s25, <16 x i32> %s27, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s28.as_float = bitcast <16 x i32> %s28 to <16 x float>
  %s28.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s28.as_float)
  %s28.fence = bitcast <16 x float> %s28.as_float.fence to <16 x i32>
  %s29.as_float = bitcast <16 x i32> %s29 to <16 x float>
  %s29.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s29.as_float)
  %s29.fence = bitcast <16 x float> %s29.as_float.fence to <16 x i32>
  %s30.as_float = bitcast <16 x i32> %s30 to <16 x float>
  %s30.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s30.as_float)
  %s30.fence = bitcast <16 x float> %s30.as_float.fence to <16 x i32>
  %s31.as_float = bitcast <16 x i32> %s31 to <16 x float>
  %s31.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s31.as_float)
  %s31.fence = bitcast <16 x float> %s31.as_float.fence to <16 x i32>
  %s32 = shufflevector <16 x i32> %s4.fence, <16 x i32> %s12.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s33 = shufflevector <16 x i32> %s20.fence, <16 x i32> %s28.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s34 = shufflevector <16 x i32> %s32, <16 x i32> %s33, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s35 = shufflevector <16 x i32> %s32, <16 x i32> %s33, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s36 = shufflevector <16 x i32> %s4.fence, <16 x i32> %s12.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s37 = shufflevector <16 x i32> %s20.fence, <16 x i32> %s28.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s38 = shufflevector <16 x i32> %s36, <16 x i32> %s37, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s39 = shufflevector <16 x i32> %s36, <16 x i32> %s37, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s40 = shufflevector <16 x i32> %s5.fence, <16 x i32> %s13.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s41 = shufflevector <16 x i32> %s21.fence, <16 x i32> %s29.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s42 = shufflevector <16 x i32> %s40, <16 x i32> %s41, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s43 = shufflevector <16 x i32> %s40, <16 x i32> %s41, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s44 = shufflevector <16 x i32> %s5.fence, <16 x i32> %s13.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s45 = shufflevector <16 x i32> %s21.fence, <16 x i32> %s29.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s46 = shufflevector <16 x i32> %s44, <16 x i32> %s45, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s47 = shufflevector <16 x i32> %s44, <16 x i32> %s45, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s48 = shufflevector <16 x i32> %s6.fence, <16 x i32> %s14.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s49 = shufflevector <16 x i32> %s22.fence, <16 x i32> %s30.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s50 = shufflevector <16 x i32> %s48, <16 x i32> %s49, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s51 = shufflevector <16 x i32> %s48, <16 x i32> %s49, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s52 = shufflevector <16 x i32> %s6.fence, <16 x i32> %s14.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s53 = shufflevector <16 x i32> %s22.fence, <16 x i32> %s30.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s54 = shufflevector <16 x i32> %s52, <16 x i32> %s53, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s55 = shufflevector <16 x i32> %s52, <16 x i32> %s53, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s56 = shufflevector <16 x i32> %s7.fence, <16 x i32> %s15.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s57 = shufflevector <16 x i32> %s23.fence, <16 x i32> %s31.fence, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s58 = shufflevector <16 x i32> %s56, <16 x i32> %s57, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s59 = shufflevector <16 x i32> %s56, <16 x i32> %s57, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s60 = shufflevector <16 x i32> %s7.fence, <16 x i32> %s15.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s61 = shufflevector <16 x i32> %s23.fence, <16 x i32> %s31.fence, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s62 = shufflevector <16 x i32> %s60, <16 x i32> %s61, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s63 = shufflevector <16 x i32> %s60, <16 x i32> %s61, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  store <16 x i32> %s34, ptr %out, align 4
  store <16 x i32> %s42, ptr %column1, align 4
  store <16 x i32> %s50, ptr %column2, align 4
  store <16 x i32> %s58, ptr %column3, align 4
  store <16 x i32> %s38, ptr %column4, align 4
  store <16 x i32> %s46, ptr %column5, align 4
  store <16 x i32> %s54, ptr %column6, align 4
  store <16 x i32> %s62, ptr %column7, align 4
  store <16 x i32> %s35, ptr %column8, align 4
  store <16 x i32> %s43, ptr %column9, align 4
  store <16 x i32> %s51, ptr %column10, align 4
  store <16 x i32> %s59, ptr %column11, align 4
  store <16 x i32> %s39, ptr %column12, align 4
  store <16 x i32> %s47, ptr %column13, align 4
  store <16 x i32> %s55, ptr %column14, align 4
  store <16 x i32> %s63, ptr %column15, align 4
  ret void
}

define internal void @nvf.transpose_tiles16.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 16
  %last_column = sub nsw i64 %columns, 16
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i32, ptr %in, i64 %start
  %to = getelementptr inbounds i32, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i32, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i32, ptr %to, i64 %line
  call void @nvf.transpose_tile16.b32(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 16
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 16
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_tile8.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i32, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i32, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i32, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i32, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i32, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i32, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i32, ptr %row6, i64 %in_stride
  %v0 = load <8 x i32>, ptr %in, align 4
  %v1 = load <8 x i32>, ptr %row1, align 4
  %v2 = load <8 x i32>, ptr %row2, align 4
  %v3 = load <8 x i32>, ptr %row3, align 4
  %v4 = load <8 x i32>, ptr %row4, align 4
  %v5 = load <8 x i32>, ptr %row5, align 4
  %v6 = load <8 x i32>, ptr %row6, align 4
  %v7 = load <8 x i32>, ptr %row7, align 4
  %column1 = getelementptr inbounds i32, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i32, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i32, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i32, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i32, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i32, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i32, ptr %column6, i64 %out_stride
  %s0 = shufflevector <8 x i32> %v0, <8 x i32> %v1, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %s1 = shufflevector <8 x i32> %v0, <8 x i32> %v1, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %s2 = shufflevector <8 x i32> %v2, <8 x i32> %v3, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %s3 = shufflevector <8 x i32> %v2, <8 x i32> %v3, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %s4 = shufflevector <8 x i32> %s0, <8 x i32> %s2, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %s5 = shufflevector <8 x i32> %s0, <8 x i32> %s2, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %s6 = shufflevector <8 x i32> %s1, <8 x i32> %s3, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %s7 = shufflevector <8 x i32> %s1, <8 x i32> %s3, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %s4.as_float = bitcast <8 x i32> %s4 to <8 x float>
  %s4.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s4.as_float)
  %s4.fence = bitcast <8 x float> %s4.as_float.fence to <8 x i32>
  %s5.as_float = bitcast <8 x i32> %s5 to <8 x float>
  %s5.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s5.as_float)
  %s5.fence = bitcast <8 x float> %s5.as_float.fence to <8 x i32>
  %s6.as_float = bitcast <8 x i32> %s6 to <8 x float>
  %s6.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s6.as_float)
  %s6.fence = bitcast <8 x float> %s6.as_float.fence to <8 x i32>
  %s7.as_float = bitcast <8 x i32> %s7 to <8 x float>
  %s7.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s7.as_float)
  %s7.fence = bitcast <8 x float> %s7.as_float.fence to <8 x i32>
  %s8 = shufflevector <8 x i32> %v4, <8 x i32> %v5, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %s9 = shufflevector <8 x i32> %v4, <8 x i32> %v5, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %s10 = shufflevector <8 x i32> %v6, <8 x i32> %v7, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %s11 = shufflevector <8 x i32> %v6, <8 x i32> %v7, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %s12 = shufflevector <8 x i32> %s8, <8 x i32> %s10, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %s13 = shufflevector <8 x i32> %s8, <8 x i32> %s10, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %s14 = shufflevector <8 x i32> %s9, <8 x i32> %s11, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %s15 = shufflevector <8 x i32> %s9, <8 x i32> %s11, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %s12.as_float = bitcast <8 x i32> %s12 to <8 x float>
  %s12.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s12.as_float)
  %s12.fence = bitcast <8 x float> %s12.as_float.fence to <8 x i32>
  %s13.as_float = bitcast <8 x i32> %s13 to <8 x float>
  %s13.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s13.as_float)
  %s13.fence = bitcast <8 x float> %s13.as_float.fence to <8 x i32>
  %s14.as_float = bitcast <8 x i32> %s14 to <8 x float>
  %s14.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s14.as_float)
  %s14.fence = bitcast <8 x float> %s14.as_float.fence to <8 x i32>
  %s15.as_float = bitcast <8 x i32> %s15 to <8 x float>
  %s15.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s15.as_float)
  %s15.fence = bitcast <8 x float> %s15.as_float.fence to <8 x i32>
  %s16 = shufflevector <8 x i32> %s4.fence, <8 x i32> %s12.fence, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s17 = shufflevector <8 x i32> %s4.fence, <8 x i32> %s12.fence, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s18 = shufflevector <8 x i32> %s5.fence, <8 x i32> %s13.fence, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s19 = shufflevector <8 x i32> %s5.fence, <8 x i32> %s13.fence, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s20 = shufflevector <8 x i32> %s6.fence, <8 x i32> %s14.fence, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s21 = shufflevector <8 x i32> %s6.fence, <8 x i32> %s14.fence, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %s22 = shufflevector <8 x i32> %s7.fence, <8 x i32> %s15.fence, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %s23 = shufflevector <8 x i32> %s7.fence, <8 x i32> %s15.fence, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %s16, ptr %out, align 4
  store <8 x i32> %s18, ptr %column1, align 4
  store <8 x i32> %s20, ptr %column2, align 4
  store <8 x i32> %s22, ptr %column3, align 4
  store <8 x i32> %s17, ptr %column4, align 4
  store <8 x i32> %s19, ptr %column5, align 4
  store <8 x i32> %s21, ptr %column6, align 4
  store <8 x i32> %s23, ptr %column7, align 4
  ret void
}

define internal void @nvf.transpose_tiles8.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 8
  %last_column = sub nsw i64 %columns, 8
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i32, ptr %in, i64 %start
  %to = getelementptr inbounds i32, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i32, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i32, ptr %to, i64 %line
  call void @nvf.transpose_tile8.b32(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 8
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 8
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_tile4.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i32, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i32, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i32, ptr %row2, i64 %in_stride
  %v0 = load <4 x i32>, ptr %in, align 4
  %v1 = load <4 x i32>, ptr %row1, align 4
  %v2 = load <4 x i32>, ptr %row2, align 4
  %v3 = load <4 x i32>, ptr %row3, align 4
  %column1 = getelementptr inbounds i32, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i32, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i32, ptr %column2, i64 %out_stride
  %s0 = shufflevector <4 x i32> %v0, <4 x i32> %v1, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %s1 = shufflevector <4 x i32> %v0, <4 x i32> %v1, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %s2 = shufflevector <4 x i32> %v2, <4 x i32> %v3, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %s3 = shufflevector <4 x i32> %v2, <4 x i32> %v3, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %s4 = shufflevector <4 x i32> %s0, <4 x i32> %s2, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %s5 = shufflevector <4 x i32> %s0, <4 x i32> %s2, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %s6 = shufflevector <4 x i32> %s1, <4 x i32> %s3, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %s7 = shufflevector <4 x i32> %s1, <4 x i32> %s3, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x i32> %s4, ptr %out, align 4
  store <4 x i32> %s5, ptr %column1, align 4
  store <4 x i32> %s6, ptr %column2, align 4
  store <4 x i32> %s7, ptr %column3, align 4
  ret void
}

define internal void @nvf.transpose_tiles4.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 4
  %last_column = sub nsw i64 %columns, 4
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i32, ptr %in, i64 %start
  %to = getelementptr inbounds i32, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i32, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i32, ptr %to, i64 %line
  call void @nvf.transpose_tile4.b32(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 4
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 4
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_elements.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline minsize optsize nounwind willreturn {
entry:
  br label %columns.head
columns.head:
  %x = phi i64 [ 0, %entry ], [ %x.next, %columns.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %column, label %exit
column:
  %start = mul nsw i64 %x, %in_stride
  %from = getelementptr inbounds i32, ptr %in, i64 %start
  %to = getelementptr inbounds i32, ptr %out, i64 %x
  br label %head
head:
  %y = phi i64 [ 0, %column ], [ %y.next, %element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %element, label %columns.latch
element:
  %read = getelementptr inbounds i32, ptr %from, i64 %y
  %value = load i32, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %write = getelementptr inbounds i32, ptr %to, i64 %line
  store i32 %value, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %head
columns.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %columns.head
exit:
  ret void
}

define internal void @nvf.transpose.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %least = call i64 @llvm.smin.i64(i64 %rows, i64 %columns)
  %is16 = icmp sge i64 %least, 16
  br i1 %is16, label %tiles16, label %below16
tiles16:
  call void @nvf.transpose_tiles16.b32(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below16:
  %is8 = icmp sge i64 %least, 8
  br i1 %is8, label %tiles8, label %below8
tiles8:
  call void @nvf.transpose_tiles8.b32(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below8:
  %is4 = icmp sge i64 %least, 4
  br i1 %is4, label %tiles4, label %below4
tiles4:
  call void @nvf.transpose_tiles4.b32(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below4:
  call void @nvf.transpose_elements.b32(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
}

define internal void @nvf.transpose_tile8.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i64, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i64, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i64, ptr %row2, i64 %in_stride
  %row4 = getelementptr inbounds i64, ptr %row3, i64 %in_stride
  %row5 = getelementptr inbounds i64, ptr %row4, i64 %in_stride
  %row6 = getelementptr inbounds i64, ptr %row5, i64 %in_stride
  %row7 = getelementptr inbounds i64, ptr %row6, i64 %in_stride
  %v0 = load <8 x i64>, ptr %in, align 8
  %v1 = load <8 x i64>, ptr %row1, align 8
  %v2 = load <8 x i64>, ptr %row2, align 8
  %v3 = load <8 x i64>, ptr %row3, align 8
  %v4 = load <8 x i64>, ptr %row4, align 8
  %v5 = load <8 x i64>, ptr %row5, align 8
  %v6 = load <8 x i64>, ptr %row6, align 8
  %v7 = load <8 x i64>, ptr %row7, align 8
  %column1 = getelementptr inbounds i64, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i64, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i64, ptr %column2, i64 %out_stride
  %column4 = getelementptr inbounds i64, ptr %column3, i64 %out_stride
  %column5 = getelementptr inbounds i64, ptr %column4, i64 %out_stride
  %column6 = getelementptr inbounds i64, ptr %column5, i64 %out_stride
  %column7 = getelementptr inbounds i64, ptr %column6, i64 %out_stride
  %s0 = shufflevector <8 x i64> %v0, <8 x i64> %v1, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s1 = shufflevector <8 x i64> %v0, <8 x i64> %v1, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s0.as_float = bitcast <8 x i64> %s0 to <16 x float>
  %s0.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s0.as_float)
  %s0.fence = bitcast <16 x float> %s0.as_float.fence to <8 x i64>
  %s1.as_float = bitcast <8 x i64> %s1 to <16 x float>
  %s1.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s1.as_float)
  %s1.fence = bitcast <16 x float> %s1.as_float.fence to <8 x i64>
  %s2 = shufflevector <8 x i64> %v2, <8 x i64> %v3, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s3 = shufflevector <8 x i64> %v2, <8 x i64> %v3, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s2.as_float = bitcast <8 x i64> %s2 to <16 x float>
  %s2.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s2.as_float)
  %s2.fence = bitcast <16 x float> %s2.as_float.fence to <8 x i64>
  %s3.as_float = bitcast <8 x i64> %s3 to <16 x float>
  %s3.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s3.as_float)
  %s3.fence = bitcast <16 x float> %s3.as_float.fence to <8 x i64>
  %s4 = shufflevector <8 x i64> %v4, <8 x i64> %v5, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s5 = shufflevector <8 x i64> %v4, <8 x i64> %v5, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s4.as_float = bitcast <8 x i64> %s4 to <16 x float>
  %s4.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s4.as_float)
  %s4.fence = bitcast <16 x float> %s4.as_float.fence to <8 x i64>
  %s5.as_float = bitcast <8 x i64> %s5 to <16 x float>
  %s5.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s5.as_float)
  %s5.fence = bitcast <16 x float> %s5.as_float.fence to <8 x i64>
  %s6 = shufflevector <8 x i64> %v6, <8 x i64> %v7, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s7 = shufflevector <8 x i64> %v6, <8 x i64> %v7, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s6.as_float = bitcast <8 x i64> %s6 to <16 x float>
  %s6.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s6.as_float)
  %s6.fence = bitcast <16 x float> %s6.as_float.fence to <8 x i64>
  %s7.as_float = bitcast <8 x i64> %s7 to <16 x float>
  %s7.as_float.fence = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %s7.as_float)
  %s7.fence = bitcast <16 x float> %s7.as_float.fence to <8 x i64>
  %s8 = shufflevector <8 x i64> %s0.fence, <8 x i64> %s2.fence, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s9 = shufflevector <8 x i64> %s4.fence, <8 x i64> %s6.fence, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s10 = shufflevector <8 x i64> %s8, <8 x i64> %s9, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s11 = shufflevector <8 x i64> %s8, <8 x i64> %s9, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s12 = shufflevector <8 x i64> %s0.fence, <8 x i64> %s2.fence, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s13 = shufflevector <8 x i64> %s4.fence, <8 x i64> %s6.fence, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s14 = shufflevector <8 x i64> %s12, <8 x i64> %s13, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s15 = shufflevector <8 x i64> %s12, <8 x i64> %s13, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s16 = shufflevector <8 x i64> %s1.fence, <8 x i64> %s3.fence, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s17 = shufflevector <8 x i64> %s5.fence, <8 x i64> %s7.fence, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s18 = shufflevector <8 x i64> %s16, <8 x i64> %s17, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s19 = shufflevector <8 x i64> %s16, <8 x i64> %s17, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s20 = shufflevector <8 x i64> %s1.fence, <8 x i64> %s3.fence, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s21 = shufflevector <8 x i64> %s5.fence, <8 x i64> %s7.fence, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s22 = shufflevector <8 x i64> %s20, <8 x i64> %s21, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s23 = shufflevector <8 x i64> %s20, <8 x i64> %s21, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  store <8 x i64> %s10, ptr %out, align 8
  store <8 x i64> %s18, ptr %column1, align 8
  store <8 x i64> %s14, ptr %column2, align 8
  store <8 x i64> %s22, ptr %column3, align 8
  store <8 x i64> %s11, ptr %column4, align 8
  store <8 x i64> %s19, ptr %column5, align 8
  store <8 x i64> %s15, ptr %column6, align 8
  store <8 x i64> %s23, ptr %column7, align 8
  ret void
}

define internal void @nvf.transpose_tiles8.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 8
  %last_column = sub nsw i64 %columns, 8
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i64, ptr %in, i64 %start
  %to = getelementptr inbounds i64, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i64, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i64, ptr %to, i64 %line
  call void @nvf.transpose_tile8.b64(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 8
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 8
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_tile4.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
  %row1 = getelementptr inbounds i64, ptr %in, i64 %in_stride
  %row2 = getelementptr inbounds i64, ptr %row1, i64 %in_stride
  %row3 = getelementptr inbounds i64, ptr %row2, i64 %in_stride
  %v0 = load <4 x i64>, ptr %in, align 8
  %v1 = load <4 x i64>, ptr %row1, align 8
  %v2 = load <4 x i64>, ptr %row2, align 8
  %v3 = load <4 x i64>, ptr %row3, align 8
  %column1 = getelementptr inbounds i64, ptr %out, i64 %out_stride
  %column2 = getelementptr inbounds i64, ptr %column1, i64 %out_stride
  %column3 = getelementptr inbounds i64, ptr %column2, i64 %out_stride
  %s0 = shufflevector <4 x i64> %v0, <4 x i64> %v1, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %s1 = shufflevector <4 x i64> %v0, <4 x i64> %v1, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %s0.as_float = bitcast <4 x i64> %s0 to <8 x float>
  %s0.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s0.as_float)
  %s0.fence = bitcast <8 x float> %s0.as_float.fence to <4 x i64>
  %s1.as_float = bitcast <4 x i64> %s1 to <8 x float>
  %s1.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s1.as_float)
  %s1.fence = bitcast <8 x float> %s1.as_float.fence to <4 x i64>
  %s2 = shufflevector <4 x i64> %v2, <4 x i64> %v3, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %s3 = shufflevector <4 x i64> %v2, <4 x i64> %v3, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %s2.as_float = bitcast <4 x i64> %s2 to <8 x float>
  %s2.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s2.as_float)
  %s2.fence = bitcast <8 x float> %s2.as_float.fence to <4 x i64>
  %s3.as_float = bitcast <4 x i64> %s3 to <8 x float>
  %s3.as_float.fence = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %s3.as_float)
  %s3.fence = bitcast <8 x float> %s3.as_float.fence to <4 x i64>
  %s4 = shufflevector <4 x i64> %s0.fence, <4 x i64> %s2.fence, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %s5 = shufflevector <4 x i64> %s0.fence, <4 x i64> %s2.fence, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %s6 = shufflevector <4 x i64> %s1.fence, <4 x i64> %s3.fence, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %s7 = shufflevector <4 x i64> %s1.fence, <4 x i64> %s3.fence, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x i64> %s4, ptr %out, align 8
  store <4 x i64> %s6, ptr %column1, align 8
  store <4 x i64> %s5, ptr %column2, align 8
  store <4 x i64> %s7, ptr %column3, align 8
  ret void
}

define internal void @nvf.transpose_tiles4.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %last_row = sub nsw i64 %rows, 4
  %last_column = sub nsw i64 %columns, 4
  br label %columns.head
columns.head:
  %c = phi i64 [ 0, %entry ], [ %c.next, %columns.latch ]
  %c.inside = call i64 @llvm.smin.i64(i64 %c, i64 %last_column)
  %start = mul nsw i64 %c.inside, %in_stride
  %from = getelementptr inbounds i64, ptr %in, i64 %start
  %to = getelementptr inbounds i64, ptr %out, i64 %c.inside
  br label %rows.head
rows.head:
  %r = phi i64 [ 0, %columns.head ], [ %r.next, %rows.head ]
  %r.inside = call i64 @llvm.smin.i64(i64 %r, i64 %last_row)
  %tile.in = getelementptr inbounds i64, ptr %from, i64 %r.inside
  %line = mul nsw i64 %r.inside, %out_stride
  %tile.out = getelementptr inbounds i64, ptr %to, i64 %line
  call void @nvf.transpose_tile4.b64(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 4
  %more_rows = icmp slt i64 %r.next, %rows
  br i1 %more_rows, label %rows.head, label %columns.latch
columns.latch:
  %c.next = add nuw nsw i64 %c, 4
  %more_columns = icmp slt i64 %c.next, %columns
  br i1 %more_columns, label %columns.head, label %exit
exit:
  ret void
}

define internal void @nvf.transpose_elements.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline minsize optsize nounwind willreturn {
entry:
  br label %columns.head
columns.head:
  %x = phi i64 [ 0, %entry ], [ %x.next, %columns.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %column, label %exit
column:
  %start = mul nsw i64 %x, %in_stride
  %from = getelementptr inbounds i64, ptr %in, i64 %start
  %to = getelementptr inbounds i64, ptr %out, i64 %x
  br label %head
head:
  %y = phi i64 [ 0, %column ], [ %y.next, %element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %element, label %columns.latch
element:
  %read = getelementptr inbounds i64, ptr %from, i64 %y
  %value = load i64, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %write = getelementptr inbounds i64, ptr %to, i64 %line
  store i64 %value, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %head
columns.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %columns.head
exit:
  ret void
}

define internal void @nvf.transpose.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) noinline nounwind willreturn {
entry:
  %least = call i64 @llvm.smin.i64(i64 %rows, i64 %columns)
  %is8 = icmp sge i64 %least, 8
  br i1 %is8, label %tiles8, label %below8
tiles8:
  call void @nvf.transpose_tiles8.b64(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below8:
  %is4 = icmp sge i64 %least, 4
  br i1 %is4, label %tiles4, label %below4
tiles4:
  call void @nvf.transpose_tiles4.b64(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
below4:
  call void @nvf.transpose_elements.b64(ptr %out, i64 %out_stride, ptr %in, i64 %in_stride, i64 %rows, i64 %columns)
  ret void
}
