// The dtypes: one row each. Everything that is told of a dtype is a column here, so that a new one
// is a row, and its functions in the two math libraries.
//
// A row is X(enumerator, printed, summary, kind, signed, bits, significand, compute, part,
//            lowest, highest, torch, numpy, dlpack, lanes,
//            llvm, llvmMemory, llvmSuffix, cuda, cudaMemory, cudaSuffix, storage)
//
//   printed       as the IR is printed
//   bits          storage bits of one element; Index counts as int64
//   significand   explicit precision of floating types, for promotion and tolerances
//   compute       the dtype in which its values are computed, and that of a variable in a register
//   part          the dtype of the real part
//   lowest, highest  of floating types; integers have them from their bits
//   torch         its name in torch, and that in NumPy and ml_dtypes; null where there is none
//   numpy         the kind in NumPy's array interface; 0 where NumPy itself has no such dtype
//   dlpack, lanes DLPack's code and lanes, of `bits` bits in all; 0 lanes where DLPack has no such
//                 dtype or where another one stands for it
//   llvm, cuda    the type of a variable, that of an element in memory, and the suffix of the
//                 functions of the math library, null where nothing is computed in it
//   storage       what both libraries call a type that is only stored, in the names of conversions
#pragma once

// clang-format off
#define NVF_DATA_TYPES(X)                                                                          \
  X(Double, "double", "64-bit floating point", Floating, true, 64, 53, Double, Double,             \
    -kInfinity, kInfinity, "float64", 'f', Float, 1,                                               \
    "double", "double", "f64", "double", "double", "f64", nullptr)                                 \
  X(Float, "float", "32-bit floating point", Floating, true, 32, 24, Float, Float,                 \
    -kInfinity, kInfinity, "float32", 'f', Float, 1,                                               \
    "float", "float", "f32", "float", "float", "f32", nullptr)                                     \
  X(Half, "__half", "16-bit IEEE floating point", Floating, true, 16, 11, Float, Half,             \
    -kInfinity, kInfinity, "float16", 'f', Float, 1,                                               \
    "i16", "i16", nullptr, "nvf::half", "nvf::half", nullptr, "half")                              \
  X(Int, "int64_t", "64-bit signed integer", Integral, true, 64, 0, Int, Int,                      \
    0, 0, "int64", 'i', Int, 1,                                                                    \
    "i64", "i64", "i64", "long long", "long long", "int", nullptr)                                 \
  X(Int32, "int", "32-bit signed integer", Integral, true, 32, 0, Int32, Int32,                    \
    0, 0, "int32", 'i', Int, 1,                                                                    \
    "i32", "i32", "i32", "int", "int", "int", nullptr)                                             \
  X(Int16, "int16_t", "16-bit signed integer", Integral, true, 16, 0, Int16, Int16,                \
    0, 0, "int16", 'i', Int, 1,                                                                    \
    "i16", "i16", "i16", "short", "short", "int", nullptr)                                         \
  X(Int8, "int8_t", "8-bit signed integer", Integral, true, 8, 0, Int8, Int8,                      \
    0, 0, "int8", 'i', Int, 1,                                                                     \
    "i8", "i8", "i8", "signed char", "signed char", "int", nullptr)                                \
  X(UInt8, "uint8_t", "8-bit unsigned integer", Integral, false, 8, 0, UInt8, UInt8,               \
    0, 0, "uint8", 'u', UInt, 1,                                                                   \
    "i8", "i8", "u8", "unsigned char", "unsigned char", "int", nullptr)                            \
  X(UInt16, "uint16_t", "16-bit unsigned integer", Integral, false, 16, 0, UInt16, UInt16,         \
    0, 0, "uint16", 'u', UInt, 1,                                                                  \
    "i16", "i16", "u16", "unsigned short", "unsigned short", "int", nullptr)                       \
  X(UInt32, "uint32_t", "32-bit unsigned integer", Integral, false, 32, 0, UInt32, UInt32,         \
    0, 0, "uint32", 'u', UInt, 1,                                                                  \
    "i32", "i32", "u32", "unsigned", "unsigned", "int", nullptr)                                   \
  X(UInt64, "uint64_t", "64-bit unsigned integer", Integral, false, 64, 0, UInt64, UInt64,         \
    0, 0, "uint64", 'u', UInt, 1,                                                                  \
    "i64", "i64", "u64", "unsigned long long", "unsigned long long", "int", nullptr)               \
  X(Index, "nvfuser_index_t", "integer of extents and indices; int64 as a tensor", Integral,       \
    true, 64, 0, Index, Index, 0, 0, "int64", '\0', Int, 0,                                        \
    "i64", "i64", "i64", "long long", "long long", "int", nullptr)                                 \
  X(Bool, "bool", "truth value", Bool, false, 8, 0, Bool, Bool,                                    \
    0, 0, "bool", 'b', Bool, 1,                                                                    \
    /* any byte but 0 is true, whatever wrote it */                                                \
    "i1", "i8", "i1", "bool", "unsigned char", "bool", nullptr)                                    \
  X(BFloat16, "__bfloat", "16-bit floating point with the range of Float", Floating, true, 16, 8,  \
    Float, BFloat16, -kInfinity, kInfinity, "bfloat16", '\0', BFloat, 1,                           \
    "i16", "i16", nullptr, "nvf::bfloat16", "nvf::bfloat16", nullptr, "bfloat16")                  \
  X(Float8_e4m3fn, "__e4m3", "8-bit floating point, largest value 448", Floating, true, 8, 4,      \
    Float, Float8_e4m3fn, -448.0, 448.0, "float8_e4m3fn", '\0', Float8_e4m3fn, 1,                  \
    "i8", "i8", nullptr, "nvf::float8_e4m3fn", "nvf::float8_e4m3fn", nullptr, "float8_e4m3fn")     \
  X(Float8_e5m2, "__e5m2", "8-bit floating point with infinities", Floating, true, 8, 3,           \
    Float, Float8_e5m2, -kInfinity, kInfinity, "float8_e5m2", '\0', Float8_e5m2, 1,                \
    "i8", "i8", nullptr, "nvf::float8_e5m2", "nvf::float8_e5m2", nullptr, "float8_e5m2")           \
  X(Float8_e8m0fnu, "__e8m0", "power of two, the scale of a block", Floating, false, 8, 1,         \
    Float, Float8_e8m0fnu, 0x1p-127, 0x1p127, "float8_e8m0fnu", '\0', Float8_e8m0fnu, 1,           \
    "i8", "i8", nullptr, "nvf::float8_e8m0fnu", "nvf::float8_e8m0fnu", nullptr, "float8_e8m0fnu")  \
  X(Float4_e2m1fn, "__e2m1", "4-bit floating point, largest value 6", Floating, true, 4, 2,        \
    Float, Float4_e2m1fn, -6.0, 6.0, nullptr, '\0', Float4_e2m1fn, 0,                              \
    "i8", "i8", nullptr, "nvf::float4_e2m1fn", "nvf::float4_e2m1fn", nullptr, "float4_e2m1fn")     \
  X(Float4_e2m1fn_x2, "__e2m1_x2", "two Float4_e2m1fn in a byte", Floating, true, 8, 2,            \
    Float, Float4_e2m1fn_x2, -6.0, 6.0, "float4_e2m1fn_x2", '\0', Float4_e2m1fn, 2,                \
    "i8", "i8", nullptr, nullptr, nullptr, nullptr, nullptr)                                       \
  X(ComplexFloat, "std::complex<float>", "complex number of two Floats", Complex, true, 64, 24,    \
    ComplexFloat, Float, 0, 0, "complex64", 'c', Complex, 1,                                       \
    "{ float, float }", "{ float, float }", "c64",                                                 \
    "nvf::complex_f32", "nvf::complex_f32", "complex", nullptr)                                    \
  X(ComplexDouble, "std::complex<double>", "complex number of two Doubles", Complex, true, 128,    \
    53, ComplexDouble, Double, 0, 0, "complex128", 'c', Complex, 1,                                \
    "{ double, double }", "{ double, double }", "c128",                                            \
    "nvf::complex_f64", "nvf::complex_f64", "complex", nullptr)                                    \
  X(Null, "null_type", "no dtype; stands for one that is not given", None, false, 0, 0, Null,      \
    Null, 0, 0, nullptr, '\0', Int, 0,                                                             \
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)                                 \
  /* inside kernels only, and last: maximum m of Floats x, and sum of exp(x - m); mean, sum of   \
     squared deviations and number of Floats */                                                    \
  X(FloatExponentials, "exponentials<float>", "", None, false, 64, 0, FloatExponentials,           \
    FloatExponentials, 0, 0, nullptr, '\0', Int, 0,                                                \
    nullptr, nullptr, nullptr,                                                                     \
    "nvf::exponentials_f32", "nvf::exponentials_f32", nullptr, nullptr)                            \
  X(FloatMoments, "moments<float>", "", None, false, 96, 0, FloatMoments, FloatMoments,            \
    0, 0, nullptr, '\0', Int, 0,                                                                   \
    "{ float, float, float }", "{ float, float, float }", "m32",                                   \
    "nvf::moments_f32", "nvf::moments_f32", nullptr, nullptr)
// clang-format on
