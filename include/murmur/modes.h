// modes.h: what one frame shows beyond a row of numbers: histograms, modes, attention, centres.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/matrix.h"
#include "murmur/observe.h"
#include "murmur/swarm.h"

namespace murmur {

// How the cosines of the pairs i < j spread over [-1, 1]; in R^d those of the directions x / |x|.
struct CosineHistogram {
  std::vector<double> edge{};         // (bins + 1) from -1 to 1; a bin holds its lower edge,
  std::vector<std::int64_t> count{};  // (bins)     the last one both
  std::int64_t pairs = 0;             // all n (n - 1) / 2, or the same sample as in observe()
};
CosineHistogram cosine_histogram(const HostSwarm& x, int bins,
                                 const ObserveSettings& settings = {});

// m_k = sum_i m_i e^{i k theta_i} for k = 0 .. modes, of the directions of a swarm with d = 2.
std::vector<std::complex<double>> fourier_amplitudes(const HostSwarm& x, int modes);

// a_k = sum_ij m_i m_j C_k(x_i . x_j) / C_k(1) for k = 0 .. modes, with C_k the Gegenbauer
// polynomial of index d/2 - 1: by the addition theorem the power of the harmonics of degree k,
// invariant under rotations.
//   d = 2:  a_k = |m_k|^2        d = 3:  a_k = 4 pi / (2 k + 1) sum_m |sum_i m_i Y_km(x_i)|^2
// These two forms serve d = 2 and 3 at any n; for d > 3 the pairs are summed, and above
// settings.max_exact sampled. Error(input) for d = 1.
std::vector<double> mode_powers(const HostSwarm& x, int modes,
                                const ObserveSettings& settings = {});

// sqrt(max(a_k, 0)), the amplitude of degree k; 1 for k = 0 and, for a Dirac mass, for every k.
std::vector<double> mode_amplitudes(const HostSwarm& x, int modes,
                                    const ObserveSettings& settings = {});

// The heads that act at time t, in the order of the sublayers; with `redraw` each interval has its
// own.
std::vector<Attention> heads_of(const Dynamics& dynamics, double t);

// (n, n): a_ij, how much i attends to j in head `head` of heads_of(dynamics, t); each row sums to
// 1, or to 0 where no j is allowed. For softmax, hard and sinkhorn heads as in attention.h; rows of
// unnormalised heads are divided by their sums. Scores are those of the dynamics, with its gains,
// norms or e^{tV}. Error(input) without such a head, or for n > 8,192.
Matrix attention_weights(const HostSwarm& x, const Dynamics& dynamics, int head, double t);

// (n): row i of the same matrix, for swarms of any size; those of sinkhorn heads need all of it.
struct AttentionRow {
  int head = 0, i = 0;
  double t = 0;
};
Vector attention_row(const HostSwarm& x, const Dynamics& dynamics, const AttentionRow& row);

// Number of singular values above tol times the largest.
int numerical_rank(const Matrix& a, double tol = 1e-6);

// (n) sum_i a_ij, the attention that each j receives; n in all where no row is empty.
std::vector<double> attention_received(const Matrix& weights);

// The leaders of 2305.05465: the j, ascending, with sum_i a_ij > share n.
std::vector<int> leaders(const Matrix& weights, double share = 0.5);

// Centres in the order of the tokens (2411.04990). The first token is one; another is when it lies
// farther than delta (angle on the sphere, distance in R^d)
enum class Centres {
  ordinary,  // from all earlier centres: Renyi parking
  strong,    // from all earlier tokens
};
std::vector<int> renyi_centres(const HostSwarm& x, Manifold manifold, double delta, Centres kind);

// Where the density of a swarm has its local maxima, ascending (2412.09080):
//   circle:  sum_i m_i e^{beta cos(theta - theta_i)}, theta in [0, 2 pi)     sphere, d = 2
//   line:    sum_i m_i e^{-beta (y - y_i)^2 / 2}                             `axis` of R^d
// The derivative is read on a grid of an eighth of beta^{-1/2}; a cell that a bound on the third
// derivative does not clear is halved, up to 2^-12 of itself. A flat density has none.
struct DensityRequest {
  double beta = 1;
  int axis = 0;  // coordinate of R^d; the circle has no choice
};
std::vector<double> density_modes(const HostSwarm& x, Manifold manifold,
                                  const DensityRequest& request);

}  // namespace murmur
