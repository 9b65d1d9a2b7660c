// probes.h: what one core of this machine can do at most, measured: kernels are held against it.
#pragma once

namespace murmur::simd {

struct CoreLimits {         // of one core, a second
  double fma_f32 = 0;       // fused multiply-adds, lane by lane
  double fma_f64 = 0;       //
  double exp2_f32 = 0;      // powers of two by the function of the kernels, each added to a sum
  double exp2_f64 = 0;      //
  double memory_bytes = 0;  // of a = b + s c over arrays that no cache holds: two read, one written
};

// Takes about half a second of the processor, and 384 MB of memory while it runs.
CoreLimits probe_core();
// All but memory.
CoreLimits probe_arithmetic();

}  // namespace murmur::simd
