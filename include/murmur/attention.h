// attention.h: the force that draws each particle towards those it attends to.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

//   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
//   softmax (SA):  A_i = sum_j a_ij (V x_j + b_V),   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik}
//   unnormalised (USA):  A_i = sum_j m_j e^{s_ij} (V x_j + b_V)
//   hard:          A_i = mean of V x_j + b_V over the j of greatest s_ij, weighed by m_j
//   sinkhorn:      A_i = sum_j a_ij (V x_j + b_V),   a_ij = p_i m_j e^{s_ij} q_j with
//                  p, q such that sum_j a_ij = 1 and sum_i m_i a_ij = m_j
// SA and USA: 2312.10794; hard: 2407.01602, 2508.09628; sinkhorn: 2110.11773.
// The sums run over all j, or over j <= i with a causal mask (2411.04990); with or without j = i.
// An empty sum is A_i = 0. With a slope a = alibi > 0, which needs the causal mask, softmax adds
// -a (i - j) to s_ij, and unnormalised attention replaces m_j by
// e^{-a (i - j)} / sum_k e^{-a (i - k)} (2605.09213).
struct Attention {                  // one head; several heads are several forces
  double beta = 1.0;                // inverse temperature; 0: all weights are equal
  Matrix query{}, key{};            // (k, d) each; empty means identity
  Matrix value{};                   // (d, d); empty means identity
  Vector query_bias{}, key_bias{};  // (k); empty means zero
  Vector value_bias{};              // (d); empty means zero
  bool relative = false;  // value acts on x_j - x_i (Euclidean, V-rescaled, pure attraction)
  bool self = true;       // whether i attends to itself
  enum Mask { none, causal } mask = none;  // causal: the sums run over j <= i
  enum Weighting { softmax, unnormalised, hard, sinkhorn } weighting = softmax;
  double alibi = 0;       // slope a of the bias -a (i - j) of earlier tokens
  bool rescaled = false;  // x is z = e^{-tV} x of 2305.05465: scores of e^{tV} z; with relative
};

}  // namespace murmur
