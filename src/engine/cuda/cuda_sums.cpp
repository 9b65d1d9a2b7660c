// cuda_sums.cpp: sums of observables and the nearest pair, made on the GPU and added up here.
#include <cmath>
#include <limits>

#include "core/sums.h"
#include "engine/cuda/cuda_field.h"
#include "engine/cuda/sums_kernels.h"

namespace murmur::cuda {

namespace {

PairPart added(const std::vector<PairPart>& parts) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  PairPart all{0, kInfinity, -kInfinity, 0, 0, 0};
  for (const PairPart& part : parts) {
    all.sum += part.sum;
    all.least = std::min(all.least, part.least);
    all.most = std::max(all.most, part.most);
    all.close += part.close;
    all.gibbs += part.gibbs;
    all.weight += part.weight;
  }
  return all;
}

}  // namespace

ConstPlaces CudaField::measured(const DeviceSwarm& x) {
  if (!moves_norms(dynamics_)) return x.places();
  const auto [n, d] = x.shape();
  const Places turned{turned_.need(x.stride() * d), x.stride(), n, d};
  to_directions(x.places(), turned);
  return turned;
}

ClosePair CudaField::nearest_pair(const Swarm& x, double delta) {
  const int n = x.shape().n, parts = nearest_parts(n);
  if (n < 2) return {delta * delta, -1, -1};
  const std::size_t sorting = nearest_bytes(n);
  std::byte* room = room_.need(sorting + static_cast<std::size_t>(parts) * sizeof(NearPair));
  auto* part = reinterpret_cast<NearPair*>(room + sorting);
  nearest(device(x).places(), delta, room, part);
  ClosePair best{delta * delta, -1, -1};
  for (const NearPair& p : fetch(part, static_cast<std::size_t>(parts))) {
    if (p.i < 0) continue;
    const bool nearer =
        best.i < 0 || p.square < best.square ||
        (p.square == best.square && (p.i < best.i || (p.i == best.i && p.j < best.j)));
    if (nearer) best = {p.square, p.i, p.j};
  }
  return best;
}

ParticleSums CudaField::particle_sums(const Swarm& swarm, int) {
  const DeviceSwarm& x = device(swarm);
  const auto [n, d] = x.shape();
  ParticleSums sums;
  double* scratch = scratch_.need(reduce_scratch(n));
  double* to = result_.need(3);
  norm_sums(x.places(), x.mass(), scratch, to);
  const std::vector<double> norms = fetch(to, 3);
  sums.measurable = norms[2] < 1e150;
  if (!sums.measurable) return sums;
  sums.radius = norms[0];
  sums.norm_drift = norms[1];
  const ConstPlaces u = measured(x);
  double* mean = result_.need(static_cast<std::size_t>(d) + 3);
  centre(u, x.mass(), scratch, mean);
  sums.mean = fetch(mean, static_cast<std::size_t>(d));
  const int side = std::min(n, d);
  const std::size_t entries = static_cast<std::size_t>(side) * side;
  double* matrix = matrix_.need(entries);
  inspect(cudaMemsetAsync(matrix, 0, entries * sizeof(double)));
  gram(u, scratch, matrix);
  sums.gram = {side, side, fetch(matrix, entries)};
  return sums;
}

// As sum_pairs of core/pair_sums.cpp.
PairSums CudaField::pair_sums(const Swarm& swarm, const PairRequest& request) {
  const DeviceSwarm& x = device(swarm);
  const auto [n, d] = x.shape();
  PairQuestion q{.x = measured(x), .mass = x.mass()};
  q.beta = request.beta, q.anchor = request.anchor, q.threshold = request.threshold;
  if (request.directions) {
    const Places turned{directed_.need(x.stride() * d), x.stride(), n, d};
    to_directions(q.x, turned);
    q.x = turned;
  }
  q.y = q.x;
  if (!request.matrix.empty()) {
    std::vector<double> turned(request.matrix.data.size());  // (d, d), transposed
    for (int r = 0; r < d; ++r)
      for (int c = 0; c < d; ++c)
        turned[static_cast<std::size_t>(c) * d + r] = request.matrix(r, c);
    double* image = image_.need(x.stride() * d);
    apply({d, d, matrix_.upload(std::span<const double>(turned)), nullptr}, q.x, false, image,
          x.stride());
    q.y = {image, x.stride(), n, d};
  }
  const bool sampled = is_sampled(n, request.sample);
  const std::int64_t pairs = sampled ? request.sample.pairs : std::int64_t{n} * (n - 1) / 2;
  const int parts = sampled ? drawn_parts(pairs) : pair_parts(n);
  const auto most = static_cast<std::size_t>(std::max(parts, own_parts(n)));
  auto* part = reinterpret_cast<PairPart*>(room_.need(most * sizeof(PairPart)));
  sampled ? drawn_pairs(q, request.sample.seed, pairs, part) : all_pairs(q, part);
  const PairPart off = added(fetch(part, static_cast<std::size_t>(parts)));
  own_pairs(q, part);
  const PairPart on = added(fetch(part, static_cast<std::size_t>(own_parts(n))));

  PairSums sums;
  sums.pairs = static_cast<double>(pairs);
  sums.mean = sums.min = sums.max = sums.close = std::numeric_limits<double>::quiet_NaN();
  if (pairs > 0) {
    sums.mean = off.sum / sums.pairs;
    sums.min = off.least;
    sums.max = off.most;
    sums.close = off.close / sums.pairs;
  }
  const double scale = sampled ? (1 - on.weight) / off.weight : 2;
  sums.gibbs = on.gibbs + (pairs > 0 ? scale * off.gibbs : 0);
  return sums;
}

}  // namespace murmur::cuda
