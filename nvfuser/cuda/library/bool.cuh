// Operations on truth values: what the rules for integers give for 0 and 1.

__device__ inline bool bitwise_not_bool(bool x) { return !x; }

__device__ inline bool abs_bool(bool x) { return x; }

__device__ inline bool neg_bool(bool x) { return x; }

__device__ inline bool ceil_bool(bool x) { return x; }

__device__ inline bool floor_bool(bool x) { return x; }

__device__ inline bool round_bool(bool x) { return x; }

__device__ inline bool trunc_bool(bool x) { return x; }

__device__ inline bool relu_bool(bool x) { return x; }

__device__ inline bool sign_bool(bool x) { return x; }

__device__ inline bool isnan_bool(bool) { return false; }

__device__ inline bool isinf_bool(bool) { return false; }

__device__ inline bool isposinf_bool(bool) { return false; }

__device__ inline bool isneginf_bool(bool) { return false; }

__device__ inline bool isfinite_bool(bool) { return true; }

__device__ inline bool isreal_bool(bool) { return true; }

__device__ inline bool signbit_bool(bool) { return false; }

__device__ inline bool gcd_bool(bool a, bool b) { return a || b; }

__device__ inline bool lcm_bool(bool a, bool b) { return a && b; }

__device__ inline bool div_bool(bool a, bool b) { return a || !b; }

__device__ inline bool floor_div_bool(bool a, bool b) { return a || !b; }

__device__ inline bool pow_bool(bool a, bool b) { return a || !b; }

__device__ inline bool mod_bool(bool a, bool b) { return a && !b; }

__device__ inline bool fmod_bool(bool a, bool b) { return a && !b; }

__device__ inline bool remainder_bool(bool a, bool b) { return a && !b; }
