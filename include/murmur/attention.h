// attention.h: the force that draws each particle towards those it attends to.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

//   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
//   softmax (SA):  A_i = sum_j a_ij (V x_j + b_V),   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik}
//   plain  (USA):  A_i = sum_j m_j e^{s_ij} (V x_j + b_V)
// The sums run over j that i can see: all, or the past j <= i; with or without j = i.
// Where i sees nobody, A_i = 0.
struct Attention {                  // one head; several heads are several forces
  double beta = 1.0;                // inverse temperature; 0: all weigh the same
  Matrix query{}, key{};            // (k, d) each; empty means identity
  Matrix value{};                   // (d, d); empty means identity
  Vector query_bias{}, key_bias{};  // (k); empty means zero
  Vector value_bias{};              // (d); empty means zero
  bool relative = false;  // value acts on x_j - x_i (Euclidean, V-rescaled, pure attraction)
  bool self = true;       // whether i attends to itself
  enum Reach { all, past } reach = all;  // past: causal, j <= i
  enum Scale { softmax, plain } scale = softmax;
};

}  // namespace murmur
