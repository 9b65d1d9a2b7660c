// gradient.h: the gradient of a loss of a simulated swarm with respect to starts, masses and
// parameters.
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

// d loss / d (each number) of the computed trajectory: the adjoint of every step, including stages,
// retractions and interpolated frames. Lengths of adaptive steps count as constants.
struct FlowGradient {
  HostSwarm start{};  // (n, d) in x_i(0); on the sphere its tangential part
  Vector mass{};      // (n) in each mass separately, without the constraint that they sum to 1
  // In the dynamics: a dynamics of the same form that holds derivatives. Every matrix and bias of a
  // force is filled in; if it was left out, with the derivative at the identity or at zero. `beta`,
  // `alibi` (0 if there is none), query, key, value and biases of heads; matrices and biases of
  // perceptrons; beta and value of ManyHeads; all of these at both ends if forces change in time
  // (beta once, in `forces`); `gain`, `gain_end`, `speed` and, unless it is 0, `noise`, with the
  // draws as constants. Times and other fields are unchanged.
  Dynamics dynamics{};
};

struct GradientSettings {
  // Number of states that the backward pass stores at each of its levels. Flows with more steps
  // store some states and repeat the steps between them, about once for every factor of `states` in
  // the number of steps.
  int states = 512;
  // Called after every step; true: the flow ends as interrupted, or `backward` throws
  // Error(runtime).
  std::function<bool()> stop{};
};

// Returns nothing if a flow has a gradient, else the reason: hard attention, merging, the method
// bdf, and engines other than `reference` and `simd`.
std::optional<Unsupported> gradient_unsupported_reason(const Flow& flow);

// A flow that ran to the end of a schedule and can be differentiated. The flow's engine and field
// have to exist as long as this object. Not for use by several threads at once.
class RecordedFlow {
 public:
  // Throws Error(input) if `gradient_unsupported_reason` returns a reason.
  RecordedFlow(const Flow& flow, const Schedule& schedule, const HostSwarm& start,
               const GradientSettings& settings = {});
  ~RecordedFlow();
  RecordedFlow(RecordedFlow&&) noexcept;
  RecordedFlow& operator=(RecordedFlow&&) noexcept;

  const Outcome& outcome() const;
  std::span<const double> times() const;      // of the frames
  std::span<const HostSwarm> frames() const;  // as `advance` shows them
  std::int64_t steps() const;

  // Takes the cotangents d loss / d frame, one per frame. Throws Error(numerical) unless the flow
  // finished.
  FlowGradient backward(std::span<const HostSwarm> cotangents) const;

  // Repeats the same steps from another start and with another field, for a dynamics of the same
  // form, and returns the frames: the function that `backward` differentiates.
  std::vector<HostSwarm> frames_from(const HostSwarm& start, Field& field) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// A loss of the frames of a flow: returns its value and writes its cotangents, one per frame, which
// are zero at first.
using FrameLoss =
    std::function<double(std::span<const HostSwarm> frames, std::span<HostSwarm> cotangents)>;

struct LossGradient {
  double loss = 0;
  FlowGradient gradient{};
};

// Runs the flow and differentiates it in one call. Throws Error(numerical) unless the flow
// finishes.
LossGradient gradient(const RecordedFlow& recorded, const FrameLoss& loss);

// A reference to one array of numbers of a dynamics.
struct ParameterSpan {
  std::string name{};  // sublayers.0.forces.0.query, ..., gain, gain_end, speed, noise
  std::vector<std::size_t> shape{};
  std::span<double> values{};
};

// Lists every number that has a gradient; a dynamics and its gradient have the same order. Matrices
// and biases that were left out are filled in first, which changes no velocity.
std::vector<ParameterSpan> parameter_spans(Dynamics& dynamics, int d);

}  // namespace murmur
