// probes.h: kernels that measure the limits of a GPU, each with one kind of operation.
#pragma once

namespace murmur::cuda {

enum class Probe { fma_f32, fma_f64, exp2_f32, half_products };
// Starts a probe of that many blocks; `scratch` has eight bytes per block and is not changed.
void start_probe(Probe kind, int blocks, void* scratch);
// Returns the number of its multiply-adds or powers of two.
double probed_operations(Probe kind, int blocks);

}  // namespace murmur::cuda
