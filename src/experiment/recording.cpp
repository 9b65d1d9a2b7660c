// recording.cpp: advances a flow and pauses when enough frames are stored.
#include "murmur/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/axes.h"
#include "murmur/error.h"

namespace murmur {

namespace {

constexpr double kMostNumbers = 8'388'608;  // 2^23 doubles, 64 MiB
constexpr std::int64_t kFramesOfAxes = 64;

std::size_t numbers_of(Shape shape) {
  return static_cast<std::size_t>(shape.n) * static_cast<std::size_t>(shape.d);
}

// Projects given positions onto the manifold.
void retract(HostSwarm& x, Manifold manifold, const std::string& where) {
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    if (!std::isfinite(square) || (manifold == Manifold::sphere && square == 0))
      throw Error(Fault::input, "a position is not in the habitat", fmt::format("{} {}", where, i),
                  manifold == Manifold::sphere ? "give finite numbers that are not all 0"
                                               : "give finite numbers");
    if (manifold == Manifold::sphere && std::fabs(square - 1) > 1e-15)
      for (int k = 0; k < x.d(); ++k) x.at(i, k) /= std::sqrt(square);
  }
}

}  // namespace

Recording::Recording(Experiment experiment, std::shared_ptr<const TrainedSwarm> trained)
    : experiment_(std::move(experiment)), trained_(std::move(trained)) {
  state_ = start(experiment_.swarm);
  prepare();
}

void Recording::prepare() {
  const Shape shape = experiment_.swarm.shape();
  const std::int64_t frames = experiment_.schedule.frames() - first_;
  const double numbers = static_cast<double>(frames) * static_cast<double>(numbers_of(shape));
  if (numbers > kMostNumbers)
    throw TooManyFrames(
        {Fault::input,
         fmt::format("{} frames of {} particles with {} coordinates are too many to store", frames,
                     shape.n, shape.d),
         fmt::format("frames x n x d = {:.3g}, at most {:.3g}", numbers, kMostNumbers),
         "keep fewer frames (save=every:... or a smaller T), or make n or d smaller"},
        frames, shape);
  engine_ = make_engine(experiment_.engine);
  field_ = prepare_field(experiment_, *engine_);
}

Recording::Recording(const Recording& from, std::int64_t frame, std::span<const Edit> edits)
    : experiment_(from.experiment_), trained_(from.trained_), first_(frame) {
  const double t = from.time(frame);
  HostSwarm x = from.swarm(frame);
  for (const Edit& edit : edits) {
    if (edit.token < 0 || edit.token >= x.n() ||
        edit.place.size() != static_cast<std::size_t>(x.d()))
      throw Error(Fault::input, "there is no such particle, or its position has other coordinates",
                  fmt::format("particle {}, {} coordinates", edit.token, edit.place.size()),
                  fmt::format("give a particle from 0 to {} and {} numbers", x.n() - 1, x.d()));
    HostSwarm one = from_rows({1, x.d()}, edit.place.data());
    retract(one, experiment_.dynamics.manifold, "boid");
    for (int k = 0; k < x.d(); ++k) x.at(edit.token, k) = one.at(0, k);
  }
  prepare();
  FlowState anew = start(x);
  from.begin_at(frame, anew);
  const auto index = static_cast<std::size_t>(frame - from.first_);
  if (edits.empty() && index < from.states_.size()) {
    state_ = *from.states_[index];
    state_.next_frame = frame + 1;
  } else {
    state_ = std::move(anew);
  }
  keep(t, to_rows(x));
  states_.push_back(std::make_shared<FlowState>(state_));
}

void Recording::begin_at(std::int64_t frame, FlowState& state) const {
  const Schedule& schedule = experiment_.schedule;
  state.t = time(frame);
  if (frame >= schedule.frames() || schedule.time(frame) != state.t)
    throw Error(Fault::input, "the trajectory ended at this frame",
                fmt::format("frame {}, t = {:g}", frame, state.t), "branch from an earlier frame");
  if (is_fixed(experiment_.flow.method))
    state.step = static_cast<std::int64_t>(std::llround(state.t / experiment_.flow.dt));
  state.next_frame = frame + 1;
}

void Recording::keep(double t, std::span<const double> rows) {
  times_.push_back(t);
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

std::int64_t Recording::advance(std::int64_t count, double seconds) {
  using Now = std::chrono::steady_clock;
  const Now::time_point start = Now::now();
  const std::int64_t begin = handed_;
  const auto wanted =
      static_cast<std::size_t>(begin + std::max<std::int64_t>(count, 0) + (begin == 0 ? 1 : 0));
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& x) { keep(t, to_rows(x)); };
  watch.pause = [&](const FlowState& now, const std::function<FlowState&()>& fetch) {
    if (states_.size() < times_.size()) {
      const bool same_step = !states_.empty() && states_.back()->step == now.step;
      std::shared_ptr<const FlowState> here =
          same_step ? states_.back() : std::make_shared<const FlowState>(fetch());
      states_.resize(times_.size(), here);
    }
    return times_.size() >= wanted ||
           std::chrono::duration<double>(Now::now() - start).count() >= seconds;
  };
  if (!ended_ && times_.size() < wanted) {
    const Outcome outcome =
        murmur::advance({*engine_, *field_, experiment_.flow, experiment_.random},
                        experiment_.schedule, state_, watch);
    if (outcome.ending != Ending::interrupted) ended_ = outcome;
  }
  handed_ = static_cast<std::int64_t>(times_.size());
  return first_ + begin;
}

void Recording::check_frame(std::int64_t frame) const {
  if (frame < first_ || frame >= kept())
    throw Error(Fault::input, "this frame has not been computed", fmt::format("frame {}", frame),
                kept() > first_ ? fmt::format("ask for frames {} to {}", first_, kept() - 1)
                                : "call advance first");
}

double Recording::time(std::int64_t frame) const {
  check_frame(frame);
  return times_[static_cast<std::size_t>(frame - first_)];
}

std::span<const double> Recording::rows(std::int64_t frame) const {
  check_frame(frame);
  const std::size_t size = numbers_of(experiment_.swarm.shape());
  return {rows_.data() + static_cast<std::size_t>(frame - first_) * size, size};
}

HostSwarm Recording::swarm(std::int64_t frame) const {
  HostSwarm x = from_rows(experiment_.swarm.shape(), rows(frame).data());
  x.mass = experiment_.swarm.mass;
  return x;
}

HostSwarm Recording::joined(std::int64_t frame, std::span<const double> rows) const {
  const HostSwarm sample = swarm(frame);
  const int n = sample.n(), d = sample.d(), some = static_cast<int>(rows.size()) / d;
  HostSwarm probes = from_rows({some, d}, rows.data());
  retract(probes, experiment_.dynamics.manifold, "place");
  HostSwarm all({n + some, d});
  for (int k = 0; k < d; ++k) {
    std::copy_n(sample.axis(k), n, all.axis(k));
    std::copy_n(probes.axis(k), some, all.axis(k) + n);
  }
  all.mass.assign(static_cast<std::size_t>(n + some), 0.0);
  std::copy(sample.mass.begin(), sample.mass.end(), all.mass.begin());
  return all;
}

std::vector<double> Recording::velocity(std::int64_t frame, std::span<const double> rows) const {
  const double t = time(frame);
  const std::size_t turn = numbers_of(experiment_.swarm.shape());
  std::vector<double> velocities;
  for (std::size_t begin = 0; begin < rows.size(); begin += turn) {
    const std::size_t some = std::min(turn, rows.size() - begin);
    const HostSwarm all = joined(frame, rows.subspan(begin, some));
    const auto field = engine_->prepare_known(experiment_.dynamics, all.shape());
    const auto x = engine_->place(all);
    const auto v = x->like();
    field->velocity(t, *x, *v);
    const std::vector<double> found = to_rows(engine_->fetch(*v));
    velocities.insert(velocities.end(), found.end() - static_cast<std::ptrdiff_t>(some),
                      found.end());
  }
  return velocities;
}

std::vector<double> Recording::carry(std::int64_t frame, std::int64_t count,
                                     std::span<const double> rows) const {
  const std::int64_t wanted = std::clamp<std::int64_t>(count, 0, kept() - 1 - frame);
  FlowState state = start(joined(frame, rows));
  begin_at(frame, state);
  std::vector<double> ways;
  std::int64_t came = 0;
  FlowWatch watch;
  watch.frame = [&](double, const HostSwarm& x) {
    const std::vector<double> all = to_rows(x);
    if (came++ < wanted)
      ways.insert(ways.end(), all.end() - static_cast<std::ptrdiff_t>(rows.size()), all.end());
  };
  watch.pause = [&](const FlowState&, const auto&) { return came >= wanted; };
  FlowSettings flow = experiment_.flow;
  flow.merge = 0;
  const auto field = engine_->prepare_known(experiment_.dynamics, state.x.shape());
  if (wanted > 0)
    murmur::advance({*engine_, *field, flow, experiment_.random}, experiment_.schedule, state,
                    watch);
  return ways;
}

std::vector<double> Recording::axes() const {
  const int d = experiment_.swarm.d();
  std::vector<double> identity(static_cast<std::size_t>(3) * d, 0.0);
  for (int k = 0; k < std::min(3, d); ++k) identity[static_cast<std::size_t>(k) * d + k] = 1;
  if (d <= 3 || times_.empty()) return identity;
  const auto last = static_cast<std::int64_t>(times_.size()) - 1;
  const std::int64_t looks = std::min(last, kFramesOfAxes - 1);
  std::vector<HostSwarm> seen;
  for (std::int64_t look = 0; look <= looks; ++look)
    seen.push_back(swarm(first_ + (looks > 0 ? look * last / looks : 0)));
  const bool centred = experiment_.dynamics.manifold == Manifold::space;
  return leading_axes(second_moment(seen, centred), d, 3);
}

Experiment experiment_of(const TrainedSwarm& swarm, HostSwarm x, int blocks,
                         const std::string& engine) {
  const Architecture& a = swarm.architecture;
  Experiment e;
  e.dynamics = dynamics_of(a, swarm.doubles());
  e.swarm = std::move(x);
  fit_to_manifold(e.swarm, Manifold::space, "the given positions");
  e.flow.method = Method::layers;
  e.flow.dt = a.residual;
  e.schedule = {.T = (blocks > 0 ? blocks : a.blocks) * a.residual, .every = a.residual};
  e.engine.name = engine;
  e.engine.name = resolve_engine(e.engine, e.swarm.shape(), e.dynamics);
  e.inputs["model"] = {};
  return e;
}

}  // namespace murmur
