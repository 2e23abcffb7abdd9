// Types that CUDA C++ does not have without headers: their bits, with no arithmetic.

struct half {
  unsigned short bits;
};

struct bfloat16 {
  unsigned short bits;
};

struct float8_e4m3fn {
  unsigned char bits;
};

struct float8_e5m2 {
  unsigned char bits;
};

struct float8_e8m0fnu {
  unsigned char bits;
};

// The low four bits of a byte; the others are zero.
struct float4_e2m1fn {
  unsigned char bits;
};

// Two elements as they lie in memory, the first in the low half.
struct float4_e2m1fn_x2 {
  unsigned char bits;
};

struct alignas(8) complex_f32 {
  float re;
  float im;
};

struct alignas(16) complex_f64 {
  double re;
  double im;
};
