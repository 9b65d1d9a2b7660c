// recorded_flow.cpp: a flow remembered by some of its states, and the way back through its steps.
#include <algorithm>
#include <cassert>
#include <utility>

#include "core/host_field.h"
#include "core/particle_vectors.h"
#include "flow/step_watch.h"
#include "gradient/step_adjoint.h"
#include "murmur/error.h"
#include "murmur/gradient.h"

namespace murmur {

namespace {

// Where a frame lies: at the beginning of a step, or of the one after the last; or within a step.
struct FramePlace {
  std::int64_t step;
  double theta;
  bool inside;
};

void add(const HostSwarm& from, HostSwarm& to) {
  for (int k = 0; k < from.d(); ++k)
    for (int i = 0; i < from.n(); ++i) to.axis(k)[i] += from.axis(k)[i];
}

}  // namespace

struct RecordedFlow::Parts {
  Flow flow;
  GradientSettings settings;
  Outcome outcome{};
  std::vector<double> times{};
  std::vector<HostSwarm> frames{};
  std::vector<FramePlace> places{};
  std::vector<RecordedStep> steps{};
  std::int64_t stride = 1;        // between two states that are kept
  std::vector<HostSwarm> kept{};  // at steps 0, stride, 2 stride, ...

  void fly(const Schedule& schedule, const HostSwarm& start);
  void keep(const HostSwarm& x);
  std::size_t room() const { return static_cast<std::size_t>(std::max(settings.states, 2)); }
};

namespace {

// The way back through one recorded flow.
class WayBack {
 public:
  WayBack(const Flow& flow, std::span<const RecordedStep> steps, std::span<const FramePlace> places,
          std::span<const HostSwarm> cotangents)
      : steps_(steps),
        places_(places),
        cotangents_(cotangents),
        adjoint_(flow, flow.field, cotangents[0]) {}

  // From the state x at step `first`: `to.x` is the cotangent of the state at step `last`, without
  // the frame there, and becomes that at `first`.
  void go(std::int64_t first, std::int64_t last, const HostSwarm& x, Cotangents to);
  void add_frame_at(std::int64_t step, HostSwarm& w) const;

  std::int64_t room = 2;         // states at each level
  std::function<bool()> stop{};  // after every step

 private:
  void back(std::int64_t step, const HostSwarm& x, Cotangents to);
  std::size_t first_place(std::int64_t step) const;  // of the frames at or within it

  std::span<const RecordedStep> steps_;
  std::span<const FramePlace> places_;
  std::span<const HostSwarm> cotangents_;
  StepAdjoint adjoint_;
};

std::size_t WayBack::first_place(std::int64_t step) const {
  const auto before = [](const FramePlace& place, std::int64_t at) { return place.step < at; };
  return std::lower_bound(places_.begin(), places_.end(), step, before) - places_.begin();
}

void WayBack::add_frame_at(std::int64_t step, HostSwarm& w) const {
  for (std::size_t f = first_place(step); f < places_.size() && places_[f].step == step; ++f)
    if (!places_[f].inside) add(cotangents_[f], w);
}

void WayBack::back(std::int64_t step, const HostSwarm& x, Cotangents to) {
  std::vector<InnerCotangent> within;
  for (std::size_t f = first_place(step); f < places_.size() && places_[f].step == step; ++f)
    if (places_[f].inside) within.push_back({places_[f].theta, cotangents_[f]});
  adjoint_.backward(steps_[step], x, within, to);
  add_frame_at(step, to.x);
  if (stop && stop())
    throw Error(Fault::runtime, "the way back was interrupted",
                "t = " + std::to_string(steps_[step].t), "let it run to the start");
}

// A stretch of more steps than there is room for is cut into parts, whose beginnings are kept.
void WayBack::go(std::int64_t first, std::int64_t last, const HostSwarm& x, Cotangents to) {
  const std::int64_t part = std::max<std::int64_t>(1, (last - first + room - 1) / room);
  std::vector<HostSwarm> begins{x};  // at first, first + part, ...
  HostSwarm at = x;
  for (std::int64_t step = first; step + 1 < last; ++step) {
    adjoint_.forward(steps_[step], at);
    if ((step + 1 - first) % part == 0) begins.push_back(at);
  }
  for (std::size_t b = begins.size(); b-- > 0;) {
    const std::int64_t from = first + static_cast<std::int64_t>(b) * part;
    if (from >= last) continue;
    if (part == 1)
      back(from, begins[b], to);
    else
      go(from, std::min(from + part, last), begins[b], to);
  }
}

// Fields in host memory that have an adjoint.
bool has_adjoint(Field& field) {
  auto* in_host = dynamic_cast<HostField*>(&field);
  return in_host != nullptr && in_host->pair_adjoint() != nullptr;
}

}  // namespace

std::optional<Unknown> gradient_unknown(const Flow& flow) {
  const Dynamics& dynamics = flow.field.dynamics();
  if (jumps(dynamics))
    return Unknown{"hard attention jumps from one token to another: it has no gradient",
                   "use dynamics=SA with a large beta"};
  if (flow.settings.merge > 0)
    return Unknown{"particles that merge have no gradient: who meets whom jumps", "use merge=0"};
  if (row_of(flow.settings.method).stepping == Stepping::cvode)
    return Unknown{"gradients go through explicit steps, and bdf's are implicit",
                   "use method=dopri5, tsit5, dop853 or one of fixed steps"};
  if (!has_adjoint(flow.field))
    return Unknown{"the engine " + flow.engine.name() + " computes no gradients",
                   "use engine=reference or engine=simd, and no functions of one's own"};
  return std::nullopt;
}

// Once there is no room for another state every second one goes.
void RecordedFlow::Parts::keep(const HostSwarm& x) {
  if (static_cast<std::int64_t>(steps.size()) % stride != 0) return;
  if (kept.size() == room()) {
    for (std::size_t s = 1; 2 * s < kept.size(); ++s) kept[s] = std::move(kept[2 * s]);
    kept.resize((kept.size() + 1) / 2);
    stride *= 2;
    if (static_cast<std::int64_t>(steps.size()) % stride != 0) return;
  }
  kept.push_back(x);
}

void RecordedFlow::Parts::fly(const Schedule& schedule, const HostSwarm& start) {
  const bool fixed = is_fixed(flow.settings.method);
  FlowWatch watch;
  watch.frame = [&](double t, const Frame& frame) {
    const auto count = static_cast<std::int64_t>(steps.size());
    const bool inside = !fixed && count > 0;
    const double theta = inside ? (t - steps.back().t) / steps.back().h : 0;
    places.push_back({inside ? count - 1 : count, theta, inside});
    times.push_back(t);
    frames.push_back(frame.host);
  };
  if (settings.stop)
    watch.pause = [&](const FlowState&, const std::function<FlowState&()>&) {
      return settings.stop();
    };
  FlowState state = murmur::start(start);
  outcome =
      advance_watched(flow, schedule, state,
                      {watch, [&](const StepTaken& step) {
                         keep(host(step.x));
                         steps.push_back({step.t, step.h, static_cast<std::int64_t>(steps.size())});
                       }});
}

RecordedFlow::RecordedFlow(const Flow& flow, const Schedule& schedule, const HostSwarm& start,
                           const GradientSettings& settings) {
  if (const auto unknown = gradient_unknown(flow))
    throw Error(Fault::input, unknown->what, "gradient", unknown->remedy);
  parts_ = std::make_unique<Parts>(Parts{flow, settings});
  parts_->fly(schedule, start);
}
RecordedFlow::~RecordedFlow() = default;
RecordedFlow::RecordedFlow(RecordedFlow&&) noexcept = default;
RecordedFlow& RecordedFlow::operator=(RecordedFlow&&) noexcept = default;

const Outcome& RecordedFlow::outcome() const { return parts_->outcome; }
std::span<const double> RecordedFlow::times() const { return parts_->times; }
std::span<const HostSwarm> RecordedFlow::frames() const { return parts_->frames; }
std::int64_t RecordedFlow::steps() const { return static_cast<std::int64_t>(parts_->steps.size()); }

FlowGradient RecordedFlow::backward(std::span<const HostSwarm> cotangents) const {
  const Parts& p = *parts_;
  if (!p.outcome.ok())
    throw Error(Fault::numerical,
                "the flow did not reach its end: " +
                    (p.outcome.what.empty() ? "it was interrupted" : p.outcome.what),
                "t = " + std::to_string(p.outcome.t),
                p.outcome.remedy.empty() ? "let it run to its end" : p.outcome.remedy);
  if (cotangents.size() != p.frames.size())
    throw Error(Fault::input,
                "there are " + std::to_string(cotangents.size()) + " cotangents for " +
                    std::to_string(p.frames.size()) + " frames",
                "gradient", "give one a frame");
  for (const HostSwarm& w : cotangents)
    if (w.shape() != p.frames[0].shape())
      throw Error(Fault::input, "a cotangent has not the shape of its frame", "gradient",
                  "give (n, d) numbers a frame");
  const Dynamics& dynamics = p.flow.field.dynamics();
  FlowGradient found{p.frames[0], Vector(p.frames[0].n()),
                     zero_gradient(dynamics, p.frames[0].d())};
  clear(found.start);
  WayBack way(p.flow, p.steps, p.places, cotangents);
  way.room = static_cast<std::int64_t>(p.room());
  way.stop = p.settings.stop;
  const auto end = static_cast<std::int64_t>(p.steps.size());
  way.add_frame_at(end, found.start);
  for (std::size_t s = p.kept.size(); s-- > 0;) {
    const std::int64_t first = static_cast<std::int64_t>(s) * p.stride;
    way.go(first, std::min(first + p.stride, end), p.kept[s],
           {found.start, found.mass, found.dynamics});
  }
  const HostSwarm& start = p.kept.empty() ? p.frames[0] : p.kept[0];  // T = 0 takes no step
  if (dynamics.manifold == Manifold::sphere) project(start, found.start);
  return found;
}

std::vector<HostSwarm> RecordedFlow::frames_from(const HostSwarm& start, Field& field) const {
  const Parts& p = *parts_;
  StepAdjoint steps(p.flow, field, start);
  std::vector<HostSwarm> frames;
  HostSwarm x = start;
  std::size_t next = 0;
  const auto is_next = [&](std::size_t step, bool inside) {
    return next < p.places.size() && p.places[next].step == static_cast<std::int64_t>(step) &&
           p.places[next].inside == inside;
  };
  for (std::size_t step = 0; step <= p.steps.size(); ++step) {
    for (; is_next(step, false); ++next) frames.push_back(x);
    for (; is_next(step, true); ++next)
      frames.push_back(steps.between(p.steps[step], x, p.places[next].theta));
    if (step < p.steps.size()) steps.forward(p.steps[step], x);
  }
  return frames;
}

LossGradient gradient(const RecordedFlow& recorded, const FrameLoss& loss) {
  std::vector<HostSwarm> cotangents(recorded.frames().begin(), recorded.frames().end());
  for (HostSwarm& w : cotangents) clear(w);
  LossGradient found;
  found.loss = loss(recorded.frames(), cotangents);
  found.gradient = recorded.backward(cotangents);
  return found;
}

}  // namespace murmur
