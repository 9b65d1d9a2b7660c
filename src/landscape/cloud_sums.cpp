// cloud_sums.cpp: kernel sums of a cloud by certified sums, plus the contributions of the units.
#include "landscape/cloud_sums.h"

#include <cmath>
#include <limits>

#include "engine/moments/head_sums.h"
#include "murmur/swarm.h"

namespace murmur::landscape {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr double kPromise = 1e-12;  // tolerance of a sum and of a mean

HostSwarm swarm_of(const MatrixXd& x) {
  HostSwarm swarm({static_cast<int>(x.cols()), static_cast<int>(x.rows())});
  for (int i = 0; i < swarm.n(); ++i)
    for (int k = 0; k < swarm.d(); ++k) swarm.at(i, k) = x(k, i);
  return swarm;
}

HostSwarm swarm_of(const Cloud& mu) {
  HostSwarm swarm = swarm_of(mu.x);
  swarm.mass.assign(mu.m.data(), mu.m.data() + mu.count());
  return swarm;
}

moments::PairKernel kernel_of(const Terrain& terrain) {
  moments::PairKernel kernel{.beta = terrain.beta(), .anchor = terrain.anchor()};
  if (!terrain.has_matrix()) return kernel;
  const int d = terrain.d();
  const MatrixXd axes = MatrixXd::Identity(d, d), scores = terrain.scores_between(axes, axes);
  kernel.matrix = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) kernel.matrix(i, j) = scores(i, j);
  return kernel;
}

// Sums in order, with enough bits for any number of terms.
double weighted(const VectorXd& m, const VectorXd& values) {
  long double sum = 0;
  for (int i = 0; i < m.size(); ++i) sum += static_cast<long double>(m[i]) * values[i];
  return static_cast<double>(sum);
}

}  // namespace

struct CloudSums::Sums {
  moments::KernelSums kernel;
};

CloudSums::CloudSums(const Terrain& terrain, int count, Wanted wanted, int threads)
    : terrain_(terrain), wanted_(wanted) {
  if (count < kLeastCertified || terrain.d() > moments::kMostCoordinates) return;
  sums_.reset(new Sums{{kernel_of(terrain),
                        {.shape = {count, terrain.d()},
                         .mean = wanted == Wanted::slopes,
                         .tolerance = kPromise,
                         .threads = threads}}});
}

CloudSums::~CloudSums() = default;

CloudReading CloudSums::by_pairs(const Cloud& mu) const {
  CloudReading r;
  const double share = terrain_.pair_rounding(mu.count()), units = terrain_.potential_rounding();
  if (wanted_ == Wanted::slopes)
    r.slopes = terrain_.slopes(mu, &r.values);
  else
    r.values = terrain_.values(mu);
  const VectorXd sums = terrain_.kernels(mu.x) * mu.m;
  r.value_bounds = (share * sums.array() / terrain_.beta() + units).matrix();
  r.slope_bounds = (2 * share * terrain_.score_norm() * sums.array() + 2 * units).matrix();
  const double half = 1 / (2 * terrain_.beta());
  r.pairs = {half * mu.m.dot(sums), 2 * half * share * mu.m.dot(sums)};
  r.energy = {terrain_.energy(mu), r.pairs.rounding + units};
  return r;
}

CloudReading CloudSums::read(const Cloud& mu) {
  if (!certified()) return by_pairs(mu);
  const int n = mu.count(), d = terrain_.d();
  const double beta = terrain_.beta(), norm = terrain_.score_norm();
  const double units = terrain_.potential_rounding();
  const bool slopes = wanted_ == Wanted::slopes;
  const HostSwarm y = swarm_of(mu);
  CloudReading r;
  VectorXd sums(n), errors(n);  // of kernels, and bounds on them
  r.values.resize(n);
  r.value_bounds.resize(n);
  if (slopes) r.slopes.resize(d, n), r.slope_bounds.resize(n);
  sums_->kernel.evaluate(y, y, [&](const moments::KernelSum& at) {
    const int i = at.i;
    const VectorXd x = mu.x.col(i);
    sums[i] = at.value;
    errors[i] = at.value * at.value_bound;
    VectorXd gradient = VectorXd::Zero(d);
    r.values[i] = at.value / beta;
    if (slopes) {
      VectorXd mean(d);
      for (int k = 0; k < d; ++k) mean[k] = at.mean[k * at.stride];
      MatrixXd scratch;
      gradient = at.value * terrain_.sources(mean, scratch);
      r.slope_bounds[i] = at.value * norm * (1 + at.value_bound) *
                              (at.mean_bound + at.value_bound + 4 * (d + 4) * kUnit) +
                          2 * units;
    }
    terrain_.add_units(x, &r.values[i], gradient);
    r.value_bounds[i] = errors[i] / beta + 2 * kUnit * at.value / beta + units;
    if (slopes) r.slopes.col(i) = gradient - x.dot(gradient) * x;
  });
  VectorXd potential = VectorXd::Zero(n);
  for (int i = 0; i < n && terrain_.units() > 0; ++i)
    potential[i] = terrain_.potential(mu.x.col(i));
  const double sum = weighted(mu.m, sums);
  r.pairs = {sum / (2 * beta), (weighted(mu.m, errors) + 4 * kUnit * sum) / (2 * beta)};
  r.energy = {r.pairs.value + weighted(mu.m, potential), r.pairs.rounding + 2 * units};
  return r;
}

VectorXd CloudSums::values_at(const Cloud& mu, const MatrixXd& places) {
  VectorXd f(places.cols());
  if (!certified() || places.cols() < kLeastCertified) {
    for (int i = 0; i < f.size(); ++i) f[i] = terrain_.value(mu, places.col(i));
    return f;
  }
  sums_->kernel.evaluate(swarm_of(mu), swarm_of(places), [&](const moments::KernelSum& at) {
    f[at.i] = at.value / terrain_.beta() + terrain_.potential(places.col(at.i));
  });
  return f;
}

}  // namespace murmur::landscape
