// replicas.cpp: copies small swarms to the GPU, runs their steps in a few launches, and copies
// results back.
#include "ensemble/cuda/replicas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/elementary.h"
#include "device/device.h"
#include "ensemble/block.h"
#include "ensemble/cuda/replica_kernel.h"
#include "flow/runge_kutta.h"

namespace murmur {

namespace {

constexpr double kPairsOfLaunch = 1e11;  // about half a second, between two checks of the signal
constexpr int kLeastMajor = 9;

// As pair_sums_of in ensemble.cpp, except that here i is among the j.
cuda::ReplicaForces forces_of(const ReplicasSetting& s) {
  const double size = std::fabs(s.beta);
  const ClockKernel kernel = kernel_of(s.clock);
  const double clock = kernel.over_max     ? elementary::exp(size - s.beta)
                       : kernel.times_beta ? s.beta * elementary::exp(size)
                                           : elementary::exp(size);
  return {s.beta * std::numbers::log2e, size * std::numbers::log2e, clock / s.shape.n,
          s.weighting == Attention::softmax};
}

cuda::ReplicaSteps steps_of(const ReplicasSetting& s) {
  cuda::ReplicaSteps steps;
  steps.dt = s.dt;
  const Tableau* tableau = tableau_of(s.method);
  if (tableau == nullptr) return steps;
  steps.stages = tableau->stages;
  for (int i = 0; i < steps.stages; ++i) {
    steps.b[i] = tableau->b[i];
    for (int j = 0; j < i; ++j) steps.a[i][j] = tableau->a[i][j];
  }
  return steps;
}

std::vector<double> starts(const ReplicasSetting& setting, const ReplicasWork& work) {
  std::vector<double> x;  // (count, n, d)
  for (std::int64_t r = 0; r < work.count; ++r) {
    const HostSwarm start = work.start(work.first + r);
    ensemble::check_start(start, setting.shape, work.first + r);
    const std::vector<double> rows = to_rows(start);
    x.insert(x.end(), rows.begin(), rows.end());
  }
  return x;
}

Outcome lost_at(double t, std::int64_t replica, double dt) {
  return {Ending::not_finite, t, -1,
          "a velocity or position of replica " + std::to_string(replica) +
              " stopped being a finite number before t = " + std::to_string(t) + ", in steps of " +
              std::to_string(dt),
          "try a smaller dt or beta, clock=U2 (USA overflows beyond beta 709), or method=dopri5"};
}

}  // namespace

bool gpu_replicas_know(const ReplicasSetting& s) {
  const bool fixed =
      s.method == Method::layers || s.method == Method::euler || s.method == Method::rk4;
  return fixed && s.shape.d >= 2 && s.shape.d <= 4 && s.shape.n >= 1 &&
         s.shape.n <= cuda::kMostReplicaParticles;
}

ReplicasResult advance_replicas_on_gpu(const ReplicasSetting& setting, const ReplicasWork& work) {
  ensemble::check(setting, work);
  cuda::need_gpu({"engine = cuda", "use engine=auto"}, kLeastMajor);
  const auto [n, d] = setting.shape;
  const auto count = static_cast<std::size_t>(work.count);
  const std::size_t times = work.times.size();
  ReplicasResult result;
  const double none = std::numeric_limits<double>::quiet_NaN();
  result.readings.assign(count * times, {none, none, none, 0});
  if (count == 0) return result;

  const std::vector<double> start = starts(setting, work);
  cuda::Room<double> x;
  cuda::Room<int> until, lost;
  cuda::Room<cuda::ReplicaNumbers> numbers;
  cuda::ReplicaLaunch launch{.n = n, .d = d, .swarms = work.count, .forces = forces_of(setting)};
  launch.steps = steps_of(setting);
  launch.close = setting.pair_threshold;
  launch.linked = 1 - setting.cluster_tol;
  launch.x = x.upload(std::span<const double>(start));
  launch.lost = lost.need(count);
  launch.pitch = static_cast<int>(std::max<std::size_t>(times, 1));
  cuda::ReplicaNumbers* all = numbers.need(count * static_cast<std::size_t>(launch.pitch));

  const double pairs = static_cast<double>(work.count) * n * n * std::max(launch.steps.stages, 1);
  const auto most = static_cast<std::int64_t>(
      work.signal == nullptr ? 1e9 : std::clamp(kPairsOfLaunch / pairs, 1.0, 1e9));
  std::int64_t step = 0;
  std::size_t time = 0;
  const std::int64_t last = times == 0 ? 0 : std::llround(work.times.back() / setting.dt);
  while (time < times) {
    if (work.signal != nullptr && work.signal->load() != 0) {
      result.outcome = {Ending::interrupted, static_cast<double>(step) * setting.dt, -1, {}, {}};
      return result;
    }
    const std::int64_t end = std::min(last, step + most);
    std::vector<int> stops;
    const std::size_t first = time;
    for (; time < times && std::llround(work.times[time] / setting.dt) <= end; ++time)
      stops.push_back(static_cast<int>(std::llround(work.times[time] / setting.dt) - step));
    launch.readings = static_cast<int>(stops.size());
    launch.until = stops.empty() ? nullptr : until.upload(std::span<const int>(stops));
    launch.count = static_cast<int>(end - step);
    launch.numbers = all + first;
    cuda::launch_replicas(launch);
    cuda::inspect(cudaGetLastError());
    step = end;
    const std::vector<int> bad = cuda::fetch(launch.lost, count);
    const auto found = std::find(bad.begin(), bad.end(), 1);
    if (found == bad.end()) continue;
    result.outcome = lost_at(static_cast<double>(step) * setting.dt,
                             work.first + (found - bad.begin()), setting.dt);
    return result;
  }
  const std::vector<cuda::ReplicaNumbers> found = cuda::fetch(all, count * launch.pitch);
  for (std::size_t at = 0; at < result.readings.size(); ++at)
    result.readings[at] = {found[at].close, found[at].cosines, found[at].order,
                           static_cast<int>(found[at].clusters)};
  result.outcome = {Ending::finished, times == 0 ? 0.0 : work.times.back(), -1, {}, {}};
  if (!work.keep_last) return result;
  const std::vector<double> end = cuda::fetch(launch.x, start.size());
  for (std::size_t r = 0; r < count; ++r)
    result.last.push_back(from_rows(setting.shape, end.data() + r * n * d));
  return result;
}

}  // namespace murmur
