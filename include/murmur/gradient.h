// gradient.h: the gradient of a loss of a simulated swarm in everything that the simulation is made
// of.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/flow.h"

namespace murmur {

// d loss / d (each number), of the trajectory as it was computed: the adjoint of every step that
// was taken, stages, retractions and interpolated frames included. Steps of adaptive methods are
// frozen: their lengths do not count as functions of anything.
struct FlowGradient {
  HostSwarm start{};  // (n, d) in x_i(0); on the sphere along it
  Vector mass{};      // (n) in each mass by itself: they need not go on summing to 1
  // In the dynamics: one of the same form, whose numbers are derivatives. Every matrix and bias of
  // a force is filled in, with the derivative at the identity or at zero where it was left out.
  // `beta`, `alibi` (0 where there is none), query, key, value and biases of heads; matrices and
  // biases of perceptrons; beta and value of ManyHeads; all of these at both ends where forces
  // change in time (beta once, in `forces`); `gain`, `gain_end`, `speed`
  // and, where it is not 0, `noise`: its draws stay, as if the path of the noise had been given.
  // Times and everything else stay what they were.
  Dynamics dynamics{};
};

struct GradientSettings {
  // States of the swarm that are held at once on the way back, at each of its levels. Flows of more
  // steps keep some and repeat the stretches between: about once for every factor of so many steps.
  int states = 512;
  // After every step; true: on the way there the flow ends, interrupted, and on the way back
  // `backward` throws Error(runtime).
  std::function<bool()> stop{};
};

// Nothing where a flow has a gradient, else the reason: hard attention, merging, the method bdf,
// and engines other than `reference` and `simd`.
std::optional<Unknown> gradient_unknown(const Flow& flow);

// A flow that was carried to the end of a schedule and can be gone through backwards. The flow's
// engine and field have to stay. Not by several threads at once.
class RecordedFlow {
 public:
  // Error(input) where `gradient_unknown` has a reason.
  RecordedFlow(const Flow& flow, const Schedule& schedule, const HostSwarm& start,
               const GradientSettings& settings = {});
  ~RecordedFlow();
  RecordedFlow(RecordedFlow&&) noexcept;
  RecordedFlow& operator=(RecordedFlow&&) noexcept;

  const Outcome& outcome() const;
  std::span<const double> times() const;      // of the frames
  std::span<const HostSwarm> frames() const;  // as `advance` shows them
  std::int64_t steps() const;

  // From the cotangents d loss / d frame, one a frame. Error(numerical) unless the flow finished.
  FlowGradient backward(std::span<const HostSwarm> cotangents) const;

  // The frames of the same steps from another start and with another field, of a dynamics of the
  // same form: what a frozen trajectory is as a function of its numbers.
  std::vector<HostSwarm> frames_from(const HostSwarm& start, Field& field) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// A loss of the frames of a flow: returns its value and writes its cotangents, one a frame, which
// come as zeros.
using FrameLoss =
    std::function<double(std::span<const HostSwarm> frames, std::span<HostSwarm> cotangents)>;

struct LossGradient {
  double loss = 0;
  FlowGradient gradient{};
};

// Both in one call: there and back again. Error(numerical) unless the flow finishes.
LossGradient gradient(const RecordedFlow& recorded, const FrameLoss& loss);

// One array of numbers of a dynamics, where it lies.
struct ParameterSpan {
  std::string name{};  // sublayers.0.forces.0.query, ..., gain, gain_end, speed, noise
  std::vector<std::size_t> shape{};
  std::span<double> values{};
};

// Every number that has a gradient, in one order: of a dynamics and of its gradient the same
// places. Matrices and biases that were left out are filled in first, which changes no velocity.
std::vector<ParameterSpan> parameter_spans(Dynamics& dynamics, int d);

}  // namespace murmur
