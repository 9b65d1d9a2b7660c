// observe.h: measurements of a swarm: the table of observables, details of one frame, series of
// frames.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/matrix.h"
#include "murmur/swarm.h"

namespace murmur {

struct ObserveSettings {
  double cluster_tol = 1e-3;  // sphere: linked when <x_i, x_j> > 1 - tol; R^d: |x_i - x_j| < tol
  double pair_threshold = 0.999;  // for close_pairs, the fraction of pairs with a cosine above it
  std::uint64_t seed = 0;         // for the pair sample of large swarms; see observe_settings
  int max_exact = 20'000;         // above this many particles pair statistics are sampled
  std::int64_t sample_pairs = 10'000'000;
  int threads = 0;  // 0: all cores; the numbers do not depend on it
  double t = 0;     // time of the frame, for attention that changes with time
};

struct Observable {
  const char* name;     // column, axis, JSON key
  const char* symbol;   // in figures, TeX-free UTF-8
  const char* meaning;  // one line
  const char* equation = "";
  const char* range = "any number";
};

// All observables, in column order.
std::span<const Observable> observables();

// Returns the names of the observables that exist for this dynamics (energy needs V = +-Q^T K
// symmetric, ...).
std::vector<std::string> observable_names(const Dynamics& dynamics);

// Returns the index of a name in observable_names(dynamics), or their number if it is not one of
// them.
std::size_t observable_column(const Dynamics& dynamics, const std::string& name);

// One row of numbers, in the order of observable_names(dynamics). NaN if a value does not exist for
// this frame: an energy that overflows, the cosines of a single particle, anything computed from a
// swarm with a coordinate that is not finite.
std::vector<double> observe(const HostSwarm& x, const Dynamics& dynamics,
                            const ObserveSettings& settings);

// The same row of a swarm on its engine: the field computes sums over particles and pairs. Other
// observables are computed from `frame`, the same swarm in host memory: clusters, entropies of
// attention rows, and potentials of perceptrons.
std::vector<double> observe(Field& field, const Swarm& x, const HostSwarm& frame,
                            const ObserveSettings& settings);

struct Clusters {
  int count = 0;
  std::vector<int> label{};    // (n) 0 .. count-1, numbered by first member
  std::vector<int> size{};     // (count) particles
  std::vector<double> mass{};  // (count)
};

// Components of the graph of close pairs. Error(input) unless tol > 0 and x is finite.
Clusters clusters(const HostSwarm& x, Manifold manifold, double tol = 1e-3);

// The same on the manifold of a dynamics; where norms change too, of the directions x / |x|.
Clusters clusters(const HostSwarm& x, const Dynamics& dynamics, double tol = 1e-3);

// Components form chains: a row of particles, each close to the next, is one cluster even if its
// ends are far apart. A count is meaningful if no cluster is much wider than the tolerance, and if
// other tolerances give the same count.
struct ClusterCounts {
  static constexpr int kMostUnasked = 20'000;  // default limit of particles for this count
  int count = 0;                               // at tol
  int finer = 0, coarser = 0;                  // at tol / 10 and 10 tol
  // Of the widest cluster: largest distance of a member from the mean, in the units of tol
  double width = 0;
  bool chained = false;  // width > 10 tol
};
ClusterCounts count_clusters(const HostSwarm& x, const Dynamics& dynamics, double tol = 1e-3);

// Histogram of the cosines of the pairs i < j over [-1, 1]; in R^d of the directions x / |x|.
struct CosineHistogram {
  std::vector<double> edge{};         // (bins + 1) from -1 to 1; a bin holds its lower edge,
  std::vector<std::int64_t> count{};  // (bins)     the last one both edges
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
// Up to d = 5 and for moderate degrees (up to 160, 48 and 26 for d = 3, 4 and 5) these are sums
// over particles, to 1e-12, if that costs less than pairs; for d = 2 and 3 at any degree by plain
// loops. Otherwise the pairs are summed, and above settings.max_exact sampled. Error(input) for d =
// 1.
std::vector<double> mode_powers(const HostSwarm& x, int modes,
                                const ObserveSettings& settings = {});

// sqrt(max(a_k, 0)), the amplitude of degree k; 1 for k = 0 and, for a Dirac mass, for every k.
std::vector<double> mode_amplitudes(const HostSwarm& x, int modes,
                                    const ObserveSettings& settings = {});

// Returns the heads that act at time t, in the order of the sublayers; with `redraw` each interval
// has different heads.
std::vector<Attention> heads_of(const Dynamics& dynamics, double t);

// (n, n): a_ij, how much i attends to j in head `head` of heads_of(dynamics, t); each row sums to
// 1, or to 0 if no j is allowed. For softmax, hard and sinkhorn heads as in dynamics.h; rows of
// unnormalised heads are divided by their sums. Scores are those of the dynamics, with its gains,
// norms or e^{tV}. Error(input) without such a head, or for n > 8,192.
Matrix attention_weights(const HostSwarm& x, const Dynamics& dynamics, int head, double t);

// (n): row i of the same matrix, for swarms of any size; sinkhorn heads need the whole matrix.
struct AttentionRow {
  int head = 0, i = 0;
  double t = 0;
};
Vector attention_row(const HostSwarm& x, const Dynamics& dynamics, const AttentionRow& row);

// Returns the number of singular values above tol times the largest.
int numerical_rank(const Matrix& a, double tol = 1e-6);

// (n) sum_i a_ij, the attention that each j receives; the sum is n if no row is empty.
std::vector<double> attention_received(const Matrix& weights);

// Returns the leaders of 2305.05465: the j, ascending, with sum_i a_ij > share n.
std::vector<int> leaders(const Matrix& weights, double share = 0.5);

// Centres in the order of the tokens (2411.04990). The first token is one; another token is one if
// it is farther than delta (angle on the sphere, distance in R^d)
enum class Centres {
  ordinary,  // from all earlier centres: Renyi parking
  strong,    // from all earlier tokens
};
std::vector<int> renyi_centres(const HostSwarm& x, Manifold manifold, double delta, Centres kind);

// Returns the local maxima of the density of a swarm, ascending (2412.09080):
//   circle:  sum_i m_i e^{beta cos(theta - theta_i)}, theta in [0, 2 pi)     sphere, d = 2
//   line:    sum_i m_i e^{-beta (y - y_i)^2 / 2}                             `axis` of R^d
// The derivative is evaluated on a grid of beta^{-1/2} / 8. A cell in which a bound on the third
// derivative does not exclude a zero is halved, down to 2^-12 of its size. A flat density has no
// maxima.
struct DensityRequest {
  double beta = 1;
  int axis = 0;  // coordinate of R^d; not used on the circle
};
std::vector<double> density_modes(const HostSwarm& x, Manifold manifold,
                                  const DensityRequest& request);

// A sequence of frames, read on demand; all with the same shape, times ascending.
struct History {
  std::int64_t count = 0;
  std::function<double(std::int64_t)> time{};
  std::function<HostSwarm(std::int64_t)> frame{};
};
History history_of(std::vector<double> times, std::vector<HostSwarm> frames);

// A number for each time. Times ascend; entries that are not finite are skipped.
struct Series {
  std::vector<double> t{}, value{};
};

// One cluster as long as its members are the same particles.
struct Lineage {
  int id = 0;                          // its index in Genealogy::clusters
  int size = 0;                        // particles
  double mass = 0;                     // fraction of the total mass
  int first_member = 0;                // its particle with the smallest index
  std::int64_t born = 0, last = 0;     // its first and last frame
  std::vector<int> from{}, becomes{};  // ids before and after; empty at the start and at the end
};

// A change of clusters between two frames.
struct Regrouping {
  enum Kind { merge, split, exchange } kind = merge;  // many to one, one to many, many to many
  double after = 0, by = 0;                           // times of the frames before and after
  std::vector<int> from{}, to{};                      // ids of Genealogy::clusters
};

struct Genealogy {
  std::vector<Lineage> clusters{};  // in order of birth, then of first member
  std::vector<Regrouping> events{};
};
const char* name_of(Regrouping::Kind kind);

// Tracks the clusters of a dynamics from frame to frame by the particles they share. The change
// between two frames gives one event for each group of connected clusters.
Genealogy genealogy(const History& history, const Dynamics& dynamics, double tol = 1e-3);

// The clock tau of a series: t, or ln t, which leaves out t <= 0.
struct PlateauRule {
  bool log_time = false;
  // Between two neighbouring times the series is flat when
  //   |v' - v| / (max v - min v)  <  slope (tau' - tau) / (tau_last - tau_first),
  // so a straight line has slope 1.
  double slope = 0.1;
  // A plateau is a longest flat stretch of at least this share of tau_last - tau_first. Two that
  // follow one another at levels closer than slope / 10 of max v - min v count as one.
  double length = 0.03;
};

struct Plateau {
  double start = 0, end = 0;
  double level = 0;                 // mean over tau
  std::optional<double> rise = {};  // time at which the series is half-way from the plateau before
};
std::vector<Plateau> plateaus(const Series& series, const PlateauRule& rule = {});

// Returns the first time at which the series crosses `level`, interpolated linearly.
std::optional<double> crossing_time(const Series& series, double level);

struct Growth {
  double rate = 0, error = 0;  // slope of ln |value| by least squares, and its standard error
  double from = 0, to = 0;     // times of the first and last point used
  int points = 0;
};
struct Window {
  double low = 0, high = 0;
};
// Fits the longest stretch of consecutive points with low < |value| < high. Throws Error(input) if
// it has fewer than three.
Growth growth_rate(const Series& series, Window window);

// sqrt( sum_i m_i |x_i(t) - y_i|^2 ) for every frame: the distance of a swarm from `reference`. If
// y is a metastable state, growth_rate of this is its rate of escape.
Series distance_from(const History& history, const HostSwarm& reference);

// Returns how many clusters, the heaviest first, have the fraction `share` of the mass: the number
// of atoms of the swarm's measure. Error(input) unless share lies in (0, 1].
int atoms_holding(const Clusters& clusters, double share = 0.99);

struct AtomRule {
  double share = 0.99;
  double tol = 1e-3;  // of clusters
};
Series atoms_over_time(const History& history, const Dynamics& dynamics, const AtomRule& rule = {});

struct NearClustering {
  std::optional<double> all{};   // first time at which every pair has cosine > 1 - delta
  std::optional<double> part{};  // first time at which the fraction `share` of the pairs has
};
struct NearClusteringRequest {
  double delta = 1e-3;
  double share = 0.5;
};
// Between frames the smallest cosine and the fraction of close pairs are interpolated linearly.
NearClustering near_clustering(const History& history, const NearClusteringRequest& request,
                               const ObserveSettings& settings = {});

}  // namespace murmur
