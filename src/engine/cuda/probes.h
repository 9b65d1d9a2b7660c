// probes.h: kernels that do one thing alone, for the limits of a GPU.
#pragma once

namespace murmur::cuda {

enum class Probe { fma_f32, fma_f64, exp2_f32, half_products };
// Starts one, by so many blocks; `scratch` has eight bytes a block and stays as it is.
void probe(Probe kind, int blocks, void* scratch);
// Multiply-adds or powers of two that it does.
double probed_operations(Probe kind, int blocks);

}  // namespace murmur::cuda
