// cells_cut.h: what a series in monomials loses where it is cut at a degree.
#pragma once

namespace murmur::moments {

// Of a value, and of the length of its gradient.
struct Cut {
  double value = 0, slope = 0;
};

// Where e^{<v, y_j - c>}, |v| <= r, is cut at degree p and summed with weights w_j that add up to
// 1:
//   sum_j w_j tau_j^{p+1} / (p+1)! e^{tau_j},   sum_j w_j |y_j - c| tau_j^p / p! e^{tau_j},
//   tau_j = r |y_j - c|.
// Of the powers of |y_j - c| four are summed, fourth = sum_j w_j |y_j - c|^4, and the others taken
// at their most, widest = max_j |y_j - c|. p >= 3.
Cut cut_of_sources(int p, double r, double fourth, double widest);

// Where the product of e^{<v, gamma>} with a polynomial of degree p is cut at degree p. Its
// homogeneous parts have |H_k(v)| <= h_k |v|^k, as symmetric forms too, so that with g = r |gamma|
//   sum_k h_k r^k E_{p-k+1}(g),   1/r sum_k h_k r^k (k E_{p-k+1}(g) + g E_{p-k}(g)),
//   E_m(g) = sum_{i >= m} g^i / i! <= e^g g^m / m!.
// h_k is norms[k * stride].
Cut cut_of_product(const double* norms, int stride, int p, double r, double gamma);

}  // namespace murmur::moments
