// cuda_engine.cpp: the engine on an NVIDIA GPU and its field, the same sums for swarms in host
// memory, and the measured limits of the GPU.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "core/device_engine.h"
#include "core/elementary.h"
#include "core/host_field.h"
#include "core/overloaded.h"
#include "core/sums.h"
#include "device/device.h"
#include "engine/cuda/cuda.h"
#include "engine/cuda/device_forces.h"
#include "engine/cuda/probes.h"
#include "engine/cuda/room.h"
#include "engine/cuda/sums_kernels.h"
#include "engine/simd/head.h"
#include "murmur/engine.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur {

namespace cuda {

namespace {

class CudaField final : public Field {
 public:
  CudaField(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums);

  const Dynamics& dynamics() const override { return dynamics_; }
  int sublayers() const override { return static_cast<int>(dynamics_.sublayers.size()); }
  bool active(double t, int sublayer) const override {
    return dynamics_.sublayers[sublayer].active(t);
  }
  void drift(double t, int sublayer, const Swarm& x, Swarm& a) override;
  void velocity(double t, const Swarm& x, Swarm& v) override;
  void retract(const Swarm& x, std::span<const Term> terms, Swarm& y) override;
  void keep_lengths(double t, const Swarm& x, Swarm& y) override;
  double error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) override;
  void noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) override;
  void diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) override;
  ClosePair nearest_pair(const Swarm& x, double delta) override;
  ParticleSums particle_sums(const Swarm& x, int threads) override;
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override;
  void wait() const override { inspect(cudaDeviceSynchronize()); }
  bool on_device() const override { return true; }
  const ErrorBound* error_bound() const override {
    return sums_ == GpuSums::moments ? &forces_.error_bound() : nullptr;
  }

 private:
  bool keeps_lengths(double t) const;
  bool on_sphere() const { return dynamics_.manifold == Manifold::sphere; }
  const DeviceSwarm& force_points(double t, const DeviceSwarm& x);
  void normalise_drift(double t, DriftNorm norm, const DeviceSwarm& x, DeviceSwarm& a);
  void scale_to_arc_length(DeviceSwarm& v);
  const double* gain(double t);
  // Returns x, or the directions of its particles if the dynamics changes norms.
  ConstPlaces observed(const DeviceSwarm& x);

  const Dynamics dynamics_;
  const int n0_;  // particles before any merging
  const GpuSums sums_;
  ForcesOnDevice forces_;
  std::unique_ptr<DeviceSwarm> force_points_{};
  Room<double> gain_{}, scratch_{}, result_{}, observed_{}, directions_{}, image_{};
  Room<double> matrix_{};
  Room<std::byte> bytes_{};
};

CudaField::CudaField(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums)
    : dynamics_(dynamics), n0_(shape.n), sums_(sums), forces_(dynamics_, shape, precision, sums) {}

void CudaField::drift(double t, int sublayer, const Swarm& x, Swarm& a) {
  if (kernel_of(dynamics_.clock).arc_length) return velocity(t, x, a);
  stop_point();
  clear(device(a).places());
  if (!active(t, sublayer)) return;
  forces_.add(t, sublayer, force_points(t, device(x)), all_tiles(x.shape().n), device(a));
  if (keeps_lengths(t)) {
    DriftNorm lengths;
    lengths.by_lengths = true;
    return cuda::normalise_drift(lengths, device(x).places(), device(a).places());
  }
  normalise_drift(t, {}, device(x), device(a));
}

void CudaField::velocity(double t, const Swarm& x, Swarm& v) {
  stop_point();
  const DeviceSwarm& at = force_points(t, device(x));
  clear(device(v).places());
  for (int sublayer = 0; sublayer < sublayers(); ++sublayer)
    if (active(t, sublayer)) forces_.add(t, sublayer, at, all_tiles(x.shape().n), device(v));
  DriftNorm norm;
  norm.project = on_sphere();
  normalise_drift(t, norm, device(x), device(v));
  if (kernel_of(dynamics_.clock).arc_length) scale_to_arc_length(device(v));
}

bool CudaField::keeps_lengths(double t) const {
  return dynamics_.normalisation == LayerNorm::mix && t <= dynamics_.mix_until;
}

const double* CudaField::gain(double t) {
  const Vector g = gain_at(dynamics_, t);
  return g.empty() ? nullptr : gain_.upload(std::span<const double>(g));
}

const DeviceSwarm& CudaField::force_points(double t, const DeviceSwarm& x) {
  const double* g = gain(t);
  const bool normalised = moves_norms(dynamics_);
  if (g == nullptr && !normalised) return x;
  if (!force_points_ || force_points_->shape() != x.shape())
    force_points_ = std::make_unique<DeviceSwarm>(x.shape(), x.masses);
  force_points_->masses = x.masses;
  to_force_points(x.places(), normalised, g, force_points_->places());
  return *force_points_;
}

// Applies the layer norm to a drift; see HostField::normalise_drift.
void CudaField::normalise_drift(double t, DriftNorm norm, const DeviceSwarm& x, DeviceSwarm& a) {
  norm.gain = gain(t);
  switch (dynamics_.normalisation) {
    case LayerNorm::post:
    case LayerNorm::pre:
      break;
    case LayerNorm::peri:
      norm.norm = DriftNorm::set_lengths;
      break;
    case LayerNorm::mix:
      if (keeps_lengths(t)) norm.norm = DriftNorm::tangential;
      break;
    case LayerNorm::ngpt:
      norm.norm = DriftNorm::set_lengths;
      norm.amount = dynamics_.speed;
      break;
    case LayerNorm::sqrt:
      norm.norm = DriftNorm::scale;
      norm.amount = std::sqrt(t + 1);
  }
  cuda::normalise_drift(norm, x.places(), a.places());
}

//   v <- ln(beta) v / sqrt(n sum_i m_i |v_i|^2)
void CudaField::scale_to_arc_length(DeviceSwarm& v) {
  double* square = result_.need(1);
  speed_square(v.places(), v.mass(), n0_ - v.masses->massless,
               scratch_.need(reduce_scratch(v.shape().n)), square);
  cuda::scale_to_arc_length(elementary::log(first_beta(dynamics_)), square, v.places());
}

void CudaField::retract(const Swarm& from, std::span<const Term> terms, Swarm& to) {
  const DeviceSwarm& x = device(from);
  DeviceSwarm& y = device(to);
  assert(x.shape() == y.shape());
  StepTerms step;
  assert(terms.size() <= kMostTerms);
  for (const Term& term : terms)
    step.term[step.count++] = {term.scale, device(*term.along).data(),
                               device(*term.along).stride()};
  cuda::retract(x.places(), step, on_sphere(), y.places());
  y.masses = x.masses;
}

void CudaField::keep_lengths(double t, const Swarm& x, Swarm& y) {
  if (keeps_lengths(t)) cuda::keep_lengths(device(x).places(), device(y).places());
}

double CudaField::error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) {
  const int n = a.shape().n;
  double* sum = result_.need(1);
  error_square(device(a).places(), device(b).places(), tolerance.rtol, tolerance.atol,
               scratch_.need(reduce_scratch(n)), sum);
  return std::sqrt(fetch(sum, 1)[0] / n);
}

void CudaField::noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) {
  cuda::noise_increment(
      {step.random.seed, step.random.replica, static_cast<std::uint32_t>(step.moment)},
      std::sqrt(2 * step.noise * step.h), on_sphere(), device(x).places(), device(out).places());
  device(out).masses = device(x).masses;
}

// The length of a step is that of brownian_step in core/noise.cpp.
void CudaField::diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) {
  const double time = step.noise * step.h;
  const int d = x.shape().d;
  const double deviation = std::sqrt(2 * time / (on_sphere() ? 1 + (d - 2) * time / 3 : 1));
  cuda::diffuse({step.random.seed, step.random.replica, static_cast<std::uint32_t>(step.moment)},
                deviation, on_sphere(), device(x).places(), device(y).places());
  device(y).masses = device(x).masses;
}

PairPart add_parts(const std::vector<PairPart>& parts) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  PairPart all{0, kInfinity, -kInfinity, 0, 0, 0};
  for (const PairPart& part : parts) {
    all.sum += part.sum;
    all.min = std::min(all.min, part.min);
    all.max = std::max(all.max, part.max);
    all.close += part.close;
    all.gibbs += part.gibbs;
    all.weight += part.weight;
  }
  return all;
}

ConstPlaces CudaField::observed(const DeviceSwarm& x) {
  if (!moves_norms(dynamics_)) return x.places();
  const auto [n, d] = x.shape();
  const Places directions{observed_.need(x.stride() * d), x.stride(), n, d};
  to_directions(x.places(), directions);
  return directions;
}

ClosePair CudaField::nearest_pair(const Swarm& x, double delta) {
  const int n = x.shape().n, parts = nearest_parts(n);
  if (n < 2) return {delta * delta, -1, -1};
  const std::size_t sorting = nearest_bytes(n);
  std::byte* room = bytes_.need(sorting + static_cast<std::size_t>(parts) * sizeof(NearPair));
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
  const ConstPlaces u = observed(x);
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

// The same sums as sum_pairs of core/sums.cpp.
PairSums CudaField::pair_sums(const Swarm& swarm, const PairRequest& request) {
  const DeviceSwarm& x = device(swarm);
  const auto [n, d] = x.shape();
  PairSumInput q{.x = observed(x), .mass = x.mass()};
  q.beta = request.beta, q.anchor = request.anchor, q.threshold = request.threshold;
  if (request.directions) {
    const Places directions{directions_.need(x.stride() * d), x.stride(), n, d};
    to_directions(q.x, directions);
    q.x = directions;
  }
  q.y = q.x;
  if (!request.matrix.empty()) {
    std::vector<double> transposed(request.matrix.data.size());  // (d, d), transposed
    for (int r = 0; r < d; ++r)
      for (int c = 0; c < d; ++c)
        transposed[static_cast<std::size_t>(c) * d + r] = request.matrix(r, c);
    double* image = image_.need(x.stride() * d);
    apply({d, d, matrix_.upload(std::span<const double>(transposed)), nullptr}, q.x, false, image,
          x.stride());
    q.y = {image, x.stride(), n, d};
  }
  const bool sampled = is_sampled(n, request.sample);
  const std::int64_t pairs = sampled ? request.sample.pairs : std::int64_t{n} * (n - 1) / 2;
  const int parts = sampled ? drawn_parts(pairs) : pair_parts(n);
  const auto most = static_cast<std::size_t>(std::max(parts, diagonal_parts(n)));
  auto* part = reinterpret_cast<PairPart*>(bytes_.need(most * sizeof(PairPart)));
  sampled ? drawn_pairs(q, request.sample.seed, pairs, part) : all_pairs(q, part);
  const PairPart off = add_parts(fetch(part, static_cast<std::size_t>(parts)));
  diagonal_pairs(q, part);
  const PairPart on = add_parts(fetch(part, static_cast<std::size_t>(diagonal_parts(n))));

  PairSums sums;
  sums.pairs = static_cast<double>(pairs);
  sums.mean = sums.min = sums.max = sums.close = std::numeric_limits<double>::quiet_NaN();
  if (pairs > 0) {
    sums.mean = off.sum / sums.pairs;
    sums.min = off.min;
    sums.max = off.max;
    sums.close = off.close / sums.pairs;
  }
  const double scale = sampled ? (1 - on.weight) / off.weight : 2;
  sums.gibbs = on.gibbs + (pairs > 0 ? scale * off.gibbs : 0);
  return sums;
}

void copy_to_gpu(const HostSwarm& x, DeviceSwarm& to) {
  inspect(cudaMemcpy2D(to.data(), to.stride() * sizeof(double), x.axis(0),
                       x.stride() * sizeof(double), x.n() * sizeof(double),
                       static_cast<std::size_t>(x.d()), cudaMemcpyHostToDevice));
}

// Copies the particles from `first` on, as many as `to` has.
void copy_to_host(const DeviceSwarm& from, int first, HostSwarm& to) {
  inspect(cudaMemcpy2D(to.axis(0), to.stride() * sizeof(double), from.data() + first,
                       from.stride() * sizeof(double), to.n() * sizeof(double),
                       static_cast<std::size_t>(to.d()), cudaMemcpyDeviceToHost));
}

// Every rank sends all particles to its GPU, which sums the forces on the rank's own. Particles
// move, and observables are summed, on the host.
class HostSumsField final : public HostField {
 public:
  HostSumsField(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums)
      : HostField(dynamics, shape), sums_(sums), forces_(dynamics_, shape, precision, sums) {}

  const ErrorBound* error_bound() const override {
    return sums_ == GpuSums::moments ? &forces_.error_bound() : nullptr;
  }
  int shared_block() const override { return kRowTile; }
  void wait() const override { inspect(cudaDeviceSynchronize()); }
  bool on_device() const override { return true; }

  void add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a) override {
    add_rows(ask, share.everybody(x), share.first(), a);
  }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    add_rows(ask, x, 0, a);
  }

  // a_i += the forces on particle first + i.
  void add_rows(const Ask& ask, const HostSwarm& x, int first, HostSwarm& a) {
    if (x.n() == 0 || a.n() == 0) return;
    place(x);
    clear(a_->places());
    forces_.add(ask.t, ask.sublayer, *x_, tiles_of(first, first + a.n()), *a_);
    if (back_.shape() != a.shape()) back_ = HostSwarm(a.shape());
    copy_to_host(*a_, first, back_);
    for (int k = 0; k < a.d(); ++k)
      for (int i = 0; i < a.n(); ++i) a.at(i, k) += back_.at(i, k);
  }

  void place(const HostSwarm& x) {
    if (!x_ || x_->shape() != x.shape() || x_->masses->host != x.mass) {
      x_ = std::make_unique<DeviceSwarm>(x.shape(), std::make_shared<Masses>(x.mass));
      a_ = std::make_unique<DeviceSwarm>(x.shape(), x_->masses);
    }
    copy_to_gpu(x, *x_);
  }

  const GpuSums sums_;
  ForcesOnDevice forces_;
  std::unique_ptr<DeviceSwarm> x_{}, a_{};
  HostSwarm back_{};
};

class HostSumsEngine final : public HostEngine {
 public:
  HostSumsEngine(std::unique_ptr<Engine> device, Precision precision, GpuSums sums)
      : device_(std::move(device)), precision_(precision), sums_(sums) {}

  std::string name() const override { return device_->name(); }
  std::optional<Unsupported> unsupported_reason(const Dynamics& dynamics,
                                                Shape shape) const override {
    return device_->unsupported_reason(dynamics, shape);
  }
  bool same_when_shared() const override { return false; }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<HostSumsField>(dynamics, shape, precision_, sums_);
  }

  std::unique_ptr<Engine> device_;
  const Precision precision_;
  const GpuSums sums_;
};

std::unique_ptr<Engine> make_host_engine(std::unique_ptr<Engine> device, Precision precision,
                                         GpuSums sums) {
  return std::make_unique<HostSumsEngine>(std::move(device), precision, sums);
}

constexpr int kLeastMajor = 9;  // compute capability that the kernels are made for

std::optional<Unsupported> unsupported_force(const Dynamics& dynamics) {
  if (by_kind(dynamics).others)
    return Unsupported{"the cuda engine has no kernel for the limit of many heads",
                       "use engine=reference or engine=auto"};
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* head = head_of(force))
        if (const char* why = simd::unsupported_attention(*head))
          return Unsupported{
              std::string("the cuda engine has no kernel for attention ") + why,
              "use engine=reference or engine=auto: hard, sinkhorn, alibi and rescaled "
              "attention are computed there"};
  return std::nullopt;
}

class CudaEngine final : public DeviceEngine {
 public:
  CudaEngine(Precision precision, GpuSums sums) : precision_(precision), sums_(sums) {
    need_gpu({"engine = cuda", "use engine=auto"}, kLeastMajor);
  }

  std::string name() const override {
    return std::string(sums_ == GpuSums::moments ? "cuda-moments " : "cuda ") +
           (precision_ == Precision::f32 ? "f32 " : "f64 ") + gpu_name();
  }

  std::optional<Unsupported> unsupported_reason(const Dynamics& dynamics,
                                                Shape shape) const override {
    if (auto why = unsupported_force(dynamics)) return why;
    if (sums_ == GpuSums::moments && shape.d != 3)
      return Unsupported{"moments on the GPU are for S^2, and d is " + std::to_string(shape.d),
                         "use d=3, or engine=cuda"};
    return room_for(shape);
  }

  std::optional<Unsupported> room_for(Shape shape) const override {
    std::size_t available = 0, all = 0;
    inspect(cudaMemGetInfo(&available, &all));
    return too_large(shape, precision_, sums_, available);
  }

  std::unique_ptr<Engine> in_host_memory() const override {
    return make_host_engine(std::make_unique<CudaEngine>(precision_, sums_), precision_, sums_);
  }

  std::unique_ptr<Swarm> place(const HostSwarm& x) override {
    auto there = std::make_unique<DeviceSwarm>(x.shape(), std::make_shared<Masses>(x.mass));
    if (x.n() > 0) copy_to_gpu(x, *there);
    return there;
  }

  HostSwarm fetch(const Swarm& x) override {
    const DeviceSwarm& from = device(x);
    HostSwarm here(x.shape());
    here.mass = from.masses->host;
    if (here.n() > 0) copy_to_host(from, 0, here);
    return here;
  }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<CudaField>(dynamics, shape, precision_, sums_);
  }

  const Precision precision_;
  const GpuSums sums_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Engine> make_cuda_engine(Precision precision, GpuSums sums) {
  return std::make_unique<cuda::CudaEngine>(precision, sums);
}

std::string gpu_name() {
  cudaDeviceProp gpu{};
  const int which = cuda::chosen_gpu();
  if (which < 0 || cudaGetDeviceProperties(&gpu, which) != cudaSuccess) return "";
  return gpu.name;
}

void choose_gpu(int rank_here) { cuda::choose_gpu_of(rank_here); }

bool built_with_cuda() { return true; }

namespace {

void wait_for_gpu() { cuda::inspect(cudaDeviceSynchronize()); }

double best_seconds(const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int turn = -1; turn < 5; ++turn) {
    wait_for_gpu();
    const auto start = std::chrono::steady_clock::now();
    work();
    wait_for_gpu();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (turn >= 0) best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

GpuLimits probe_gpu() {
  cuda::need_gpu({"murmur bench", "bench without a GPU"});
  constexpr int kBlocks = 8192;
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  cuda::Room<std::byte> from, to;
  const auto rate = [&](cuda::Probe kind) {
    void* scratch = to.need(kBytes);
    const double seconds = best_seconds([&] { cuda::start_probe(kind, kBlocks, scratch); });
    cuda::inspect(cudaGetLastError());
    return cuda::probed_operations(kind, kBlocks) / seconds;
  };
  GpuLimits limits;
  limits.fma_f32 = rate(cuda::Probe::fma_f32);
  limits.fma_f64 = rate(cuda::Probe::fma_f64);
  limits.exp2_f32 = rate(cuda::Probe::exp2_f32);
  limits.half_products = rate(cuda::Probe::half_products);
  const double seconds = best_seconds([&] {
    cuda::inspect(
        cudaMemcpyAsync(to.need(kBytes), from.need(kBytes), kBytes, cudaMemcpyDeviceToDevice));
  });
  limits.memory_bytes = 2.0 * kBytes / seconds;
  return limits;
}

}  // namespace murmur
