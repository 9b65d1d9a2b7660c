// target.h: the instruction set that run-time dispatch has chosen.
#pragma once

namespace murmur::simd {

const char* target_name();  // "AVX3", "AVX2", "SSE4", ...

}  // namespace murmur::simd
