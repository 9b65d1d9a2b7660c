// attention.h: the force that draws each particle towards those it attends to.
#pragma once

#include "murmur/matrix.h"

namespace murmur {

//   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
//   softmax (SA):  A_i = sum_j a_ij (V x_j + b_V),   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik}
//   plain  (USA):  A_i = sum_j m_j e^{s_ij} (V x_j + b_V)
//   hard:          A_i = mean of V x_j + b_V over the j of greatest s_ij, weighed by m_j
//   sinkhorn:      A_i = sum_j a_ij (V x_j + b_V),   a_ij = p_i m_j e^{s_ij} q_j with
//                  p, q such that sum_j a_ij = 1 and sum_i m_i a_ij = m_j
// The sums run over j that i can see: all, or the past j <= i; with or without j = i.
// Where i sees nobody, A_i = 0. With a slope a = alibi > 0, which needs reach = past, softmax adds
// -a (i - j) to s_ij, and plain reads m_j as e^{-a (i - j)} / sum_k e^{-a (i - k)}.
struct Attention {                  // one head; several heads are several forces
  double beta = 1.0;                // inverse temperature; 0: all weigh the same
  Matrix query{}, key{};            // (k, d) each; empty means identity
  Matrix value{};                   // (d, d); empty means identity
  Vector query_bias{}, key_bias{};  // (k); empty means zero
  Vector value_bias{};              // (d); empty means zero
  bool relative = false;  // value acts on x_j - x_i (Euclidean, V-rescaled, pure attraction)
  bool self = true;       // whether i attends to itself
  enum Mask { none, causal } mask = none;  // causal: the sums run over j <= i
  enum Weighting { softmax, unnormalised, hard, sinkhorn } weighting = softmax;
  double alibi = 0;       // slope a: how much less those far back count
  bool rescaled = false;  // scores are read off e^{tV} x: z = e^{-tV} x moves, with relative = true
};

}  // namespace murmur
