// probes.h: the vector instructions that were chosen, and the limits of one core, as measured.
#pragma once

namespace murmur::simd {

struct CoreLimits {     // of one core, per second
  double fma_f32 = 0;   // fused multiply-adds, lane by lane
  double fma_f64 = 0;   //
  double exp2_f32 = 0;  // powers of two by the function of the kernels, each added to a sum
  double exp2_f64 = 0;  //
  double memory_bytes =
      0;  // of a = b + s c over arrays larger than any cache: two read, one written
};

// Measures everything, in about half a second of the processor and with 384 MB of memory.
CoreLimits probe_core();
// Measures everything except memory.
CoreLimits probe_arithmetic();

const char* target_name();  // "AVX3", "AVX2", "SSE4", ...

}  // namespace murmur::simd
