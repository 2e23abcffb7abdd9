; Transposed copies of rectangles.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.



define internal void @nvf.transpose_tile.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
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

define internal void @nvf.transpose.b8(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) nounwind willreturn {
entry:
  %whole_rows = and i64 %rows, -16
  %whole_columns = and i64 %columns, -16
  br label %tiles
tiles:
  %c = phi i64 [ 0, %entry ], [ %c.next, %tiles.latch ]
  %more_tiles = icmp slt i64 %c, %whole_columns
  br i1 %more_tiles, label %tile.head, label %rest
tile.head:
  %r = phi i64 [ 0, %tiles ], [ %r.next, %tile ]
  %inside = icmp slt i64 %r, %whole_rows
  br i1 %inside, label %tile, label %tiles.latch
tile:
  %from = mul nsw i64 %c, %in_stride
  %from.r = add nsw i64 %from, %r
  %to = mul nsw i64 %r, %out_stride
  %to.c = add nsw i64 %to, %c
  %tile.in = getelementptr inbounds i8, ptr %in, i64 %from.r
  %tile.out = getelementptr inbounds i8, ptr %out, i64 %to.c
  call void @nvf.transpose_tile.b8(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 16
  br label %tile.head
tiles.latch:
  %c.next = add nuw nsw i64 %c, 16
  br label %tiles
rest:
  %x = phi i64 [ 0, %tiles ], [ %x.next, %rest.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %rest.column, label %exit
rest.column:
  %is_tiled = icmp slt i64 %x, %whole_columns
  %first = select i1 %is_tiled, i64 %whole_rows, i64 0
  %start = mul nsw i64 %x, %in_stride
  br label %rest.head
rest.head:
  %y = phi i64 [ %first, %rest.column ], [ %y.next, %rest.element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %rest.element, label %rest.latch
rest.element:
  %source = add nsw i64 %start, %y
  %read = getelementptr inbounds i8, ptr %in, i64 %source
  %element = load i8, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %target = add nsw i64 %line, %x
  %write = getelementptr inbounds i8, ptr %out, i64 %target
  store i8 %element, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %rest.head
rest.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %rest
exit:
  ret void
}

define internal void @nvf.transpose_tile.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
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
  %s48 = shufflevector <16 x i16> %s16, <16 x i16> %s40, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s49 = shufflevector <16 x i16> %s16, <16 x i16> %s40, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s50 = shufflevector <16 x i16> %s17, <16 x i16> %s41, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s51 = shufflevector <16 x i16> %s17, <16 x i16> %s41, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s52 = shufflevector <16 x i16> %s18, <16 x i16> %s42, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s53 = shufflevector <16 x i16> %s18, <16 x i16> %s42, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s54 = shufflevector <16 x i16> %s19, <16 x i16> %s43, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s55 = shufflevector <16 x i16> %s19, <16 x i16> %s43, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s56 = shufflevector <16 x i16> %s20, <16 x i16> %s44, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s57 = shufflevector <16 x i16> %s20, <16 x i16> %s44, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s58 = shufflevector <16 x i16> %s21, <16 x i16> %s45, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s59 = shufflevector <16 x i16> %s21, <16 x i16> %s45, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s60 = shufflevector <16 x i16> %s22, <16 x i16> %s46, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s61 = shufflevector <16 x i16> %s22, <16 x i16> %s46, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %s62 = shufflevector <16 x i16> %s23, <16 x i16> %s47, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %s63 = shufflevector <16 x i16> %s23, <16 x i16> %s47, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
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

define internal void @nvf.transpose.b16(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) nounwind willreturn {
entry:
  %whole_rows = and i64 %rows, -16
  %whole_columns = and i64 %columns, -16
  br label %tiles
tiles:
  %c = phi i64 [ 0, %entry ], [ %c.next, %tiles.latch ]
  %more_tiles = icmp slt i64 %c, %whole_columns
  br i1 %more_tiles, label %tile.head, label %rest
tile.head:
  %r = phi i64 [ 0, %tiles ], [ %r.next, %tile ]
  %inside = icmp slt i64 %r, %whole_rows
  br i1 %inside, label %tile, label %tiles.latch
tile:
  %from = mul nsw i64 %c, %in_stride
  %from.r = add nsw i64 %from, %r
  %to = mul nsw i64 %r, %out_stride
  %to.c = add nsw i64 %to, %c
  %tile.in = getelementptr inbounds i16, ptr %in, i64 %from.r
  %tile.out = getelementptr inbounds i16, ptr %out, i64 %to.c
  call void @nvf.transpose_tile.b16(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 16
  br label %tile.head
tiles.latch:
  %c.next = add nuw nsw i64 %c, 16
  br label %tiles
rest:
  %x = phi i64 [ 0, %tiles ], [ %x.next, %rest.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %rest.column, label %exit
rest.column:
  %is_tiled = icmp slt i64 %x, %whole_columns
  %first = select i1 %is_tiled, i64 %whole_rows, i64 0
  %start = mul nsw i64 %x, %in_stride
  br label %rest.head
rest.head:
  %y = phi i64 [ %first, %rest.column ], [ %y.next, %rest.element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %rest.element, label %rest.latch
rest.element:
  %source = add nsw i64 %start, %y
  %read = getelementptr inbounds i16, ptr %in, i64 %source
  %element = load i16, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %target = add nsw i64 %line, %x
  %write = getelementptr inbounds i16, ptr %out, i64 %target
  store i16 %element, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %rest.head
rest.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %rest
exit:
  ret void
}

define internal void @nvf.transpose_tile.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
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
  %s8 = shufflevector <16 x i32> %v4, <16 x i32> %v5, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s9 = shufflevector <16 x i32> %v4, <16 x i32> %v5, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s10 = shufflevector <16 x i32> %v6, <16 x i32> %v7, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s11 = shufflevector <16 x i32> %v6, <16 x i32> %v7, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s12 = shufflevector <16 x i32> %s8, <16 x i32> %s10, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s13 = shufflevector <16 x i32> %s8, <16 x i32> %s10, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s14 = shufflevector <16 x i32> %s9, <16 x i32> %s11, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s15 = shufflevector <16 x i32> %s9, <16 x i32> %s11, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s16 = shufflevector <16 x i32> %v8, <16 x i32> %v9, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s17 = shufflevector <16 x i32> %v8, <16 x i32> %v9, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s18 = shufflevector <16 x i32> %v10, <16 x i32> %v11, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s19 = shufflevector <16 x i32> %v10, <16 x i32> %v11, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s20 = shufflevector <16 x i32> %s16, <16 x i32> %s18, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s21 = shufflevector <16 x i32> %s16, <16 x i32> %s18, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s22 = shufflevector <16 x i32> %s17, <16 x i32> %s19, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s23 = shufflevector <16 x i32> %s17, <16 x i32> %s19, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s24 = shufflevector <16 x i32> %v12, <16 x i32> %v13, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s25 = shufflevector <16 x i32> %v12, <16 x i32> %v13, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s26 = shufflevector <16 x i32> %v14, <16 x i32> %v15, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %s27 = shufflevector <16 x i32> %v14, <16 x i32> %v15, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %s28 = shufflevector <16 x i32> %s24, <16 x i32> %s26, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s29 = shufflevector <16 x i32> %s24, <16 x i32> %s26, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s30 = shufflevector <16 x i32> %s25, <16 x i32> %s27, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %s31 = shufflevector <16 x i32> %s25, <16 x i32> %s27, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %s32 = shufflevector <16 x i32> %s4, <16 x i32> %s12, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s33 = shufflevector <16 x i32> %s20, <16 x i32> %s28, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s34 = shufflevector <16 x i32> %s32, <16 x i32> %s33, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s35 = shufflevector <16 x i32> %s32, <16 x i32> %s33, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s36 = shufflevector <16 x i32> %s4, <16 x i32> %s12, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s37 = shufflevector <16 x i32> %s20, <16 x i32> %s28, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s38 = shufflevector <16 x i32> %s36, <16 x i32> %s37, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s39 = shufflevector <16 x i32> %s36, <16 x i32> %s37, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s40 = shufflevector <16 x i32> %s5, <16 x i32> %s13, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s41 = shufflevector <16 x i32> %s21, <16 x i32> %s29, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s42 = shufflevector <16 x i32> %s40, <16 x i32> %s41, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s43 = shufflevector <16 x i32> %s40, <16 x i32> %s41, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s44 = shufflevector <16 x i32> %s5, <16 x i32> %s13, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s45 = shufflevector <16 x i32> %s21, <16 x i32> %s29, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s46 = shufflevector <16 x i32> %s44, <16 x i32> %s45, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s47 = shufflevector <16 x i32> %s44, <16 x i32> %s45, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s48 = shufflevector <16 x i32> %s6, <16 x i32> %s14, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s49 = shufflevector <16 x i32> %s22, <16 x i32> %s30, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s50 = shufflevector <16 x i32> %s48, <16 x i32> %s49, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s51 = shufflevector <16 x i32> %s48, <16 x i32> %s49, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s52 = shufflevector <16 x i32> %s6, <16 x i32> %s14, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s53 = shufflevector <16 x i32> %s22, <16 x i32> %s30, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s54 = shufflevector <16 x i32> %s52, <16 x i32> %s53, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s55 = shufflevector <16 x i32> %s52, <16 x i32> %s53, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s56 = shufflevector <16 x i32> %s7, <16 x i32> %s15, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s57 = shufflevector <16 x i32> %s23, <16 x i32> %s31, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s58 = shufflevector <16 x i32> %s56, <16 x i32> %s57, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %s59 = shufflevector <16 x i32> %s56, <16 x i32> %s57, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s60 = shufflevector <16 x i32> %s7, <16 x i32> %s15, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %s61 = shufflevector <16 x i32> %s23, <16 x i32> %s31, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
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

define internal void @nvf.transpose.b32(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) nounwind willreturn {
entry:
  %whole_rows = and i64 %rows, -16
  %whole_columns = and i64 %columns, -16
  br label %tiles
tiles:
  %c = phi i64 [ 0, %entry ], [ %c.next, %tiles.latch ]
  %more_tiles = icmp slt i64 %c, %whole_columns
  br i1 %more_tiles, label %tile.head, label %rest
tile.head:
  %r = phi i64 [ 0, %tiles ], [ %r.next, %tile ]
  %inside = icmp slt i64 %r, %whole_rows
  br i1 %inside, label %tile, label %tiles.latch
tile:
  %from = mul nsw i64 %c, %in_stride
  %from.r = add nsw i64 %from, %r
  %to = mul nsw i64 %r, %out_stride
  %to.c = add nsw i64 %to, %c
  %tile.in = getelementptr inbounds i32, ptr %in, i64 %from.r
  %tile.out = getelementptr inbounds i32, ptr %out, i64 %to.c
  call void @nvf.transpose_tile.b32(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 16
  br label %tile.head
tiles.latch:
  %c.next = add nuw nsw i64 %c, 16
  br label %tiles
rest:
  %x = phi i64 [ 0, %tiles ], [ %x.next, %rest.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %rest.column, label %exit
rest.column:
  %is_tiled = icmp slt i64 %x, %whole_columns
  %first = select i1 %is_tiled, i64 %whole_rows, i64 0
  %start = mul nsw i64 %x, %in_stride
  br label %rest.head
rest.head:
  %y = phi i64 [ %first, %rest.column ], [ %y.next, %rest.element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %rest.element, label %rest.latch
rest.element:
  %source = add nsw i64 %start, %y
  %read = getelementptr inbounds i32, ptr %in, i64 %source
  %element = load i32, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %target = add nsw i64 %line, %x
  %write = getelementptr inbounds i32, ptr %out, i64 %target
  store i32 %element, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %rest.head
rest.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %rest
exit:
  ret void
}

define internal void @nvf.transpose_tile.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride) noinline nounwind willreturn {
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
  %s2 = shufflevector <8 x i64> %v2, <8 x i64> %v3, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s3 = shufflevector <8 x i64> %v2, <8 x i64> %v3, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s4 = shufflevector <8 x i64> %v4, <8 x i64> %v5, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s5 = shufflevector <8 x i64> %v4, <8 x i64> %v5, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s6 = shufflevector <8 x i64> %v6, <8 x i64> %v7, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %s7 = shufflevector <8 x i64> %v6, <8 x i64> %v7, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %s8 = shufflevector <8 x i64> %s0, <8 x i64> %s2, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s9 = shufflevector <8 x i64> %s4, <8 x i64> %s6, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s10 = shufflevector <8 x i64> %s8, <8 x i64> %s9, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s11 = shufflevector <8 x i64> %s8, <8 x i64> %s9, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s12 = shufflevector <8 x i64> %s0, <8 x i64> %s2, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s13 = shufflevector <8 x i64> %s4, <8 x i64> %s6, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s14 = shufflevector <8 x i64> %s12, <8 x i64> %s13, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s15 = shufflevector <8 x i64> %s12, <8 x i64> %s13, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s16 = shufflevector <8 x i64> %s1, <8 x i64> %s3, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s17 = shufflevector <8 x i64> %s5, <8 x i64> %s7, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s18 = shufflevector <8 x i64> %s16, <8 x i64> %s17, <8 x i32> <i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13>
  %s19 = shufflevector <8 x i64> %s16, <8 x i64> %s17, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s20 = shufflevector <8 x i64> %s1, <8 x i64> %s3, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
  %s21 = shufflevector <8 x i64> %s5, <8 x i64> %s7, <8 x i32> <i32 2, i32 3, i32 6, i32 7, i32 10, i32 11, i32 14, i32 15>
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

define internal void @nvf.transpose.b64(ptr noalias %out, i64 %out_stride, ptr noalias readonly %in, i64 %in_stride, i64 %rows, i64 %columns) nounwind willreturn {
entry:
  %whole_rows = and i64 %rows, -8
  %whole_columns = and i64 %columns, -8
  br label %tiles
tiles:
  %c = phi i64 [ 0, %entry ], [ %c.next, %tiles.latch ]
  %more_tiles = icmp slt i64 %c, %whole_columns
  br i1 %more_tiles, label %tile.head, label %rest
tile.head:
  %r = phi i64 [ 0, %tiles ], [ %r.next, %tile ]
  %inside = icmp slt i64 %r, %whole_rows
  br i1 %inside, label %tile, label %tiles.latch
tile:
  %from = mul nsw i64 %c, %in_stride
  %from.r = add nsw i64 %from, %r
  %to = mul nsw i64 %r, %out_stride
  %to.c = add nsw i64 %to, %c
  %tile.in = getelementptr inbounds i64, ptr %in, i64 %from.r
  %tile.out = getelementptr inbounds i64, ptr %out, i64 %to.c
  call void @nvf.transpose_tile.b64(ptr %tile.out, i64 %out_stride, ptr %tile.in, i64 %in_stride)
  %r.next = add nuw nsw i64 %r, 8
  br label %tile.head
tiles.latch:
  %c.next = add nuw nsw i64 %c, 8
  br label %tiles
rest:
  %x = phi i64 [ 0, %tiles ], [ %x.next, %rest.latch ]
  %more_columns = icmp slt i64 %x, %columns
  br i1 %more_columns, label %rest.column, label %exit
rest.column:
  %is_tiled = icmp slt i64 %x, %whole_columns
  %first = select i1 %is_tiled, i64 %whole_rows, i64 0
  %start = mul nsw i64 %x, %in_stride
  br label %rest.head
rest.head:
  %y = phi i64 [ %first, %rest.column ], [ %y.next, %rest.element ]
  %more_elements = icmp slt i64 %y, %rows
  br i1 %more_elements, label %rest.element, label %rest.latch
rest.element:
  %source = add nsw i64 %start, %y
  %read = getelementptr inbounds i64, ptr %in, i64 %source
  %element = load i64, ptr %read
  %line = mul nsw i64 %y, %out_stride
  %target = add nsw i64 %line, %x
  %write = getelementptr inbounds i64, ptr %out, i64 %target
  store i64 %element, ptr %write
  %y.next = add nuw nsw i64 %y, 1
  br label %rest.head
rest.latch:
  %x.next = add nuw nsw i64 %x, 1
  br label %rest
exit:
  ret void
}
