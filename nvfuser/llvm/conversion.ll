; Conversions.
; Written by nvfuser/llvm/generator/generate.py; edit that, not this file.



define internal i16 @nvf.to_half.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %and = and i32 %bitcast, 2147483647
  %lshr = lshr i32 %bitcast, 16
  %and.1 = and i32 %lshr, 32768
  %lshr.1 = lshr i32 %and, 13
  %and.2 = and i32 %lshr.1, 1
  %add = add i32 %and, -939520001
  %add.1 = add i32 %add, %and.2
  %lshr.2 = lshr i32 %add.1, 13
  %bitcast.1 = bitcast i32 %and to float
  %add.2 = fadd float %bitcast.1, 0x3FE0000000000000
  %bitcast.2 = bitcast float %add.2 to i32
  %sub = sub i32 %bitcast.2, 1056964608
  %is = icmp ult i32 %and, 947912704
  %select = select i1 %is, i32 %sub, i32 %lshr.2
  %is.1 = icmp ugt i32 %select, 31744
  %select.1 = select i1 %is.1, i32 31744, i32 %select
  %is.2 = icmp ugt i32 %and, 2139095040
  %select.2 = select i1 %is.2, i32 32256, i32 %select.1
  %or = or i32 %select.2, %and.1
  %trunc = trunc i32 %or to i16
  ret i16 %trunc
}

define internal float @nvf.from_half.f32(i16 %x) alwaysinline nounwind willreturn {
  %zext = zext i16 %x to i32
  %and = and i32 %zext, 32767
  %and.1 = and i32 %zext, 32768
  %shl = shl i32 %and.1, 16
  %shl.1 = shl i32 %and, 13
  %bitcast = bitcast i32 %shl.1 to float
  %mul = fmul float %bitcast, 0x46F0000000000000
  %bitcast.1 = bitcast float %mul to i32
  %shl.2 = shl i32 %and, 13
  %or = or i32 %shl.2, 2139095040
  %is = icmp uge i32 %and, 31744
  %select = select i1 %is, i32 %or, i32 %bitcast.1
  %or.1 = or i32 %select, %shl
  %bitcast.2 = bitcast i32 %or.1 to float
  ret float %bitcast.2
}

define internal i16 @nvf.to_half.f64(double %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc double %x to float
  %to_half = call i16 @nvf.to_half.f32(float %fptrunc)
  ret i16 %to_half
}

define internal double @nvf.from_half.f64(i16 %x) alwaysinline nounwind willreturn {
  %from_half = call float @nvf.from_half.f32(i16 %x)
  %fpext = fpext float %from_half to double
  ret double %fpext
}

; Used in place of to_half.f32 where the host has the instruction.
define internal i16 @nvf.to_half_native.f32(float %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc float %x to half
  %bitcast = bitcast half %fptrunc to i16
  ret i16 %bitcast
}

; Used in place of from_half.f32 where the host has the instruction.
define internal float @nvf.from_half_native.f32(i16 %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast i16 %x to half
  %fpext = fpext half %bitcast to float
  ret float %fpext
}

define internal i16 @nvf.to_bfloat16.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %add = add i32 %bitcast, 32767
  %lshr = lshr i32 %bitcast, 16
  %and = and i32 %lshr, 1
  %add.1 = add i32 %add, %and
  %lshr.1 = lshr i32 %add.1, 16
  %is = fcmp uno float %x, 0x0000000000000000
  %select = select i1 %is, i32 32704, i32 %lshr.1
  %trunc = trunc i32 %select to i16
  ret i16 %trunc
}

define internal float @nvf.from_bfloat16.f32(i16 %x) alwaysinline nounwind willreturn {
  %zext = zext i16 %x to i32
  %shl = shl i32 %zext, 16
  %bitcast = bitcast i32 %shl to float
  ret float %bitcast
}

define internal i16 @nvf.to_bfloat16.f64(double %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc double %x to float
  %to_bfloat16 = call i16 @nvf.to_bfloat16.f32(float %fptrunc)
  ret i16 %to_bfloat16
}

define internal double @nvf.from_bfloat16.f64(i16 %x) alwaysinline nounwind willreturn {
  %from_bfloat16 = call float @nvf.from_bfloat16.f32(i16 %x)
  %fpext = fpext float %from_bfloat16 to double
  ret double %fpext
}

; Of what is computed of integers and of numbers with no more digits than the result.
define internal i16 @nvf.to_bfloat16_unchecked.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %add = add i32 %bitcast, 32767
  %lshr = lshr i32 %bitcast, 16
  %and = and i32 %lshr, 1
  %add.1 = add i32 %add, %and
  %lshr.1 = lshr i32 %add.1, 16
  %trunc = trunc i32 %lshr.1 to i16
  ret i16 %trunc
}

define internal i8 @nvf.to_float8_e4m3fn.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %and = and i32 %bitcast, 2147483647
  %lshr = lshr i32 %bitcast, 24
  %and.1 = and i32 %lshr, 128
  %lshr.1 = lshr i32 %and, 20
  %and.2 = and i32 %lshr.1, 1
  %add = add i32 %and, -1006108673
  %add.1 = add i32 %add, %and.2
  %lshr.2 = lshr i32 %add.1, 20
  %bitcast.1 = bitcast i32 %and to float
  %add.2 = fadd float %bitcast.1, 0x40D0000000000000
  %bitcast.2 = bitcast float %add.2 to i32
  %sub = sub i32 %bitcast.2, 1182793728
  %is = icmp ult i32 %and, 1015021568
  %select = select i1 %is, i32 %sub, i32 %lshr.2
  %is.1 = icmp ugt i32 %select, 126
  %select.1 = select i1 %is.1, i32 126, i32 %select
  %is.2 = icmp ugt i32 %and, 2139095040
  %select.2 = select i1 %is.2, i32 127, i32 %select.1
  %or = or i32 %select.2, %and.1
  %trunc = trunc i32 %or to i8
  ret i8 %trunc
}

define internal float @nvf.from_float8_e4m3fn.f32(i8 %x) alwaysinline nounwind willreturn {
  %zext = zext i8 %x to i32
  %and = and i32 %zext, 127
  %and.1 = and i32 %zext, 128
  %shl = shl i32 %and.1, 24
  %shl.1 = shl i32 %and, 20
  %bitcast = bitcast i32 %shl.1 to float
  %mul = fmul float %bitcast, 0x4770000000000000
  %bitcast.1 = bitcast float %mul to i32
  %is = icmp eq i32 %and, 127
  %select = select i1 %is, i32 2143289344, i32 %bitcast.1
  %or = or i32 %select, %shl
  %bitcast.2 = bitcast i32 %or to float
  ret float %bitcast.2
}

define internal i8 @nvf.to_float8_e4m3fn.f64(double %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc double %x to float
  %to_float8_e4m3fn = call i8 @nvf.to_float8_e4m3fn.f32(float %fptrunc)
  ret i8 %to_float8_e4m3fn
}

define internal double @nvf.from_float8_e4m3fn.f64(i8 %x) alwaysinline nounwind willreturn {
  %from_float8_e4m3fn = call float @nvf.from_float8_e4m3fn.f32(i8 %x)
  %fpext = fpext float %from_float8_e4m3fn to double
  ret double %fpext
}

define internal i8 @nvf.to_float8_e5m2.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %and = and i32 %bitcast, 2147483647
  %lshr = lshr i32 %bitcast, 24
  %and.1 = and i32 %lshr, 128
  %lshr.1 = lshr i32 %and, 21
  %and.2 = and i32 %lshr.1, 1
  %add = add i32 %and, -938475521
  %add.1 = add i32 %add, %and.2
  %lshr.2 = lshr i32 %add.1, 21
  %bitcast.1 = bitcast i32 %and to float
  %add.2 = fadd float %bitcast.1, 0x4060000000000000
  %bitcast.2 = bitcast float %add.2 to i32
  %sub = sub i32 %bitcast.2, 1124073472
  %is = icmp ult i32 %and, 947912704
  %select = select i1 %is, i32 %sub, i32 %lshr.2
  %is.1 = icmp ugt i32 %select, 124
  %select.1 = select i1 %is.1, i32 124, i32 %select
  %is.2 = icmp ugt i32 %and, 2139095040
  %select.2 = select i1 %is.2, i32 127, i32 %select.1
  %or = or i32 %select.2, %and.1
  %trunc = trunc i32 %or to i8
  ret i8 %trunc
}

define internal float @nvf.from_float8_e5m2.f32(i8 %x) alwaysinline nounwind willreturn {
  %zext = zext i8 %x to i32
  %and = and i32 %zext, 127
  %and.1 = and i32 %zext, 128
  %shl = shl i32 %and.1, 24
  %shl.1 = shl i32 %and, 21
  %bitcast = bitcast i32 %shl.1 to float
  %mul = fmul float %bitcast, 0x46F0000000000000
  %bitcast.1 = bitcast float %mul to i32
  %shl.2 = shl i32 %and, 21
  %or = or i32 %shl.2, 2139095040
  %is = icmp uge i32 %and, 124
  %select = select i1 %is, i32 %or, i32 %bitcast.1
  %or.1 = or i32 %select, %shl
  %bitcast.2 = bitcast i32 %or.1 to float
  ret float %bitcast.2
}

define internal i8 @nvf.to_float8_e5m2.f64(double %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc double %x to float
  %to_float8_e5m2 = call i8 @nvf.to_float8_e5m2.f32(float %fptrunc)
  ret i8 %to_float8_e5m2
}

define internal double @nvf.from_float8_e5m2.f64(i8 %x) alwaysinline nounwind willreturn {
  %from_float8_e5m2 = call float @nvf.from_float8_e5m2.f32(i8 %x)
  %fpext = fpext float %from_float8_e5m2 to double
  ret double %fpext
}

define internal i8 @nvf.to_float4_e2m1fn.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %and = and i32 %bitcast, 2147483647
  %lshr = lshr i32 %bitcast, 28
  %and.1 = and i32 %lshr, 8
  %lshr.1 = lshr i32 %and, 22
  %and.2 = and i32 %lshr.1, 1
  %add = add i32 %and, -1054867457
  %add.1 = add i32 %add, %and.2
  %lshr.2 = lshr i32 %add.1, 22
  %bitcast.1 = bitcast i32 %and to float
  %add.2 = fadd float %bitcast.1, 0x4150000000000000
  %bitcast.2 = bitcast float %add.2 to i32
  %sub = sub i32 %bitcast.2, 1249902592
  %is = icmp ult i32 %and, 1065353216
  %select = select i1 %is, i32 %sub, i32 %lshr.2
  %is.1 = icmp ugt i32 %select, 7
  %select.1 = select i1 %is.1, i32 7, i32 %select
  %is.2 = icmp ugt i32 %and, 2139095040
  %or = or i32 %select.1, %and.1
  %select.2 = select i1 %is.2, i32 7, i32 %or
  %trunc = trunc i32 %select.2 to i8
  ret i8 %trunc
}

define internal float @nvf.from_float4_e2m1fn.f32(i8 %x) alwaysinline nounwind willreturn {
  %zext = zext i8 %x to i32
  %and = and i32 %zext, 7
  %and.1 = and i32 %zext, 8
  %shl = shl i32 %and.1, 28
  %shl.1 = shl i32 %and, 22
  %bitcast = bitcast i32 %shl.1 to float
  %mul = fmul float %bitcast, 0x47D0000000000000
  %bitcast.1 = bitcast float %mul to i32
  %or = or i32 %bitcast.1, %shl
  %bitcast.2 = bitcast i32 %or to float
  ret float %bitcast.2
}

define internal i8 @nvf.to_float4_e2m1fn.f64(double %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc double %x to float
  %to_float4_e2m1fn = call i8 @nvf.to_float4_e2m1fn.f32(float %fptrunc)
  ret i8 %to_float4_e2m1fn
}

define internal double @nvf.from_float4_e2m1fn.f64(i8 %x) alwaysinline nounwind willreturn {
  %from_float4_e2m1fn = call float @nvf.from_float4_e2m1fn.f32(i8 %x)
  %fpext = fpext float %from_float4_e2m1fn to double
  ret double %fpext
}

define internal i8 @nvf.to_float8_e8m0fnu.f32(float %x) alwaysinline nounwind willreturn {
  %bitcast = bitcast float %x to i32
  %lshr = lshr i32 %bitcast, 23
  %and = and i32 %lshr, 255
  %lshr.1 = lshr i32 %bitcast, 22
  %and.1 = and i32 %lshr.1, 1
  %and.2 = and i32 %bitcast, 2147483647
  %is = icmp ule i32 %and.2, 4194304
  %add = add i32 %and, %and.1
  %select = select i1 %is, i32 0, i32 %add
  %is.1 = icmp eq i32 %and, 255
  %select.1 = select i1 %is.1, i32 %and, i32 %select
  %trunc = trunc i32 %select.1 to i8
  ret i8 %trunc
}

define internal float @nvf.from_float8_e8m0fnu.f32(i8 %x) alwaysinline nounwind willreturn {
  %zext = zext i8 %x to i32
  %is = icmp eq i32 %zext, 0
  %shl = shl i32 %zext, 23
  %select = select i1 %is, i32 4194304, i32 %shl
  %is.1 = icmp eq i32 %zext, 255
  %select.1 = select i1 %is.1, i32 2143289344, i32 %select
  %bitcast = bitcast i32 %select.1 to float
  ret float %bitcast
}

define internal i8 @nvf.to_float8_e8m0fnu.f64(double %x) alwaysinline nounwind willreturn {
  %fptrunc = fptrunc double %x to float
  %to_float8_e8m0fnu = call i8 @nvf.to_float8_e8m0fnu.f32(float %fptrunc)
  ret i8 %to_float8_e8m0fnu
}

define internal double @nvf.from_float8_e8m0fnu.f64(i8 %x) alwaysinline nounwind willreturn {
  %from_float8_e8m0fnu = call float @nvf.from_float8_e8m0fnu.f32(i8 %x)
  %fpext = fpext float %from_float8_e8m0fnu to double
  ret double %fpext
}

define internal i64 @nvf.to_i64.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp uno float %x, 0x0000000000000000
  %select = select i1 %is, float 0x0000000000000000, float %x
  %is.1 = fcmp olt float %select, 0xC3E0000000000000
  %select.1 = select i1 %is.1, float 0xC3E0000000000000, float %select
  %is.2 = fcmp oge float %select.1, 0x43E0000000000000
  %select.2 = select i1 %is.2, float 0x0000000000000000, float %select.1
  %fptosi = fptosi float %select.2 to i64
  %select.3 = select i1 %is.2, i64 9223372036854775807, i64 %fptosi
  ret i64 %select.3
}

define internal i32 @nvf.to_i32.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp uno float %x, 0x0000000000000000
  %select = select i1 %is, float 0x0000000000000000, float %x
  %is.1 = fcmp olt float %select, 0xC1E0000000000000
  %select.1 = select i1 %is.1, float 0xC1E0000000000000, float %select
  %is.2 = fcmp oge float %select.1, 0x41E0000000000000
  %select.2 = select i1 %is.2, float 0x0000000000000000, float %select.1
  %fptosi = fptosi float %select.2 to i32
  %select.3 = select i1 %is.2, i32 2147483647, i32 %fptosi
  ret i32 %select.3
}

define internal i64 @nvf.to_u64.f32(float %x) alwaysinline nounwind willreturn {
  %is = fcmp uno float %x, 0x0000000000000000
  %select = select i1 %is, float 0x0000000000000000, float %x
  %is.1 = fcmp olt float %select, 0x0000000000000000
  %select.1 = select i1 %is.1, float 0x0000000000000000, float %select
  %is.2 = fcmp oge float %select.1, 0x43F0000000000000
  %select.2 = select i1 %is.2, float 0x0000000000000000, float %select.1
  %fptoui = fptoui float %select.2 to i64
  %select.3 = select i1 %is.2, i64 -1, i64 %fptoui
  ret i64 %select.3
}

define internal i64 @nvf.to_i64.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp uno double %x, 0x0000000000000000
  %select = select i1 %is, double 0x0000000000000000, double %x
  %is.1 = fcmp olt double %select, 0xC3E0000000000000
  %select.1 = select i1 %is.1, double 0xC3E0000000000000, double %select
  %is.2 = fcmp oge double %select.1, 0x43E0000000000000
  %select.2 = select i1 %is.2, double 0x0000000000000000, double %select.1
  %fptosi = fptosi double %select.2 to i64
  %select.3 = select i1 %is.2, i64 9223372036854775807, i64 %fptosi
  ret i64 %select.3
}

define internal i32 @nvf.to_i32.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp uno double %x, 0x0000000000000000
  %select = select i1 %is, double 0x0000000000000000, double %x
  %is.1 = fcmp olt double %select, 0xC1E0000000000000
  %select.1 = select i1 %is.1, double 0xC1E0000000000000, double %select
  %is.2 = fcmp oge double %select.1, 0x41E0000000000000
  %select.2 = select i1 %is.2, double 0x0000000000000000, double %select.1
  %fptosi = fptosi double %select.2 to i32
  %select.3 = select i1 %is.2, i32 2147483647, i32 %fptosi
  ret i32 %select.3
}

define internal i64 @nvf.to_u64.f64(double %x) alwaysinline nounwind willreturn {
  %is = fcmp uno double %x, 0x0000000000000000
  %select = select i1 %is, double 0x0000000000000000, double %x
  %is.1 = fcmp olt double %select, 0x0000000000000000
  %select.1 = select i1 %is.1, double 0x0000000000000000, double %select
  %is.2 = fcmp oge double %select.1, 0x43F0000000000000
  %select.2 = select i1 %is.2, double 0x0000000000000000, double %select.1
  %fptoui = fptoui double %select.2 to i64
  %select.3 = select i1 %is.2, i64 -1, i64 %fptoui
  ret i64 %select.3
}
