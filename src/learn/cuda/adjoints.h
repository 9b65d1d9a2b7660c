// adjoints.h: the two adjoints of a GPU, between which make_cuda_adjoint chooses.
#pragma once

#include <memory>

#include "murmur/learn.h"

namespace murmur {

void refuse_dropout(const Objective& objective);  // Error(input) where there is some

// By matrix products, any d; fused kernels for d = 2, 3, 4 and one head.
std::unique_ptr<Adjoint> make_wide_cuda_adjoint(const Architecture& architecture);
std::unique_ptr<Adjoint> make_narrow_cuda_adjoint(const Architecture& architecture);

}  // namespace murmur
