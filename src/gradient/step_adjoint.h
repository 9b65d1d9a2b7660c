// step_adjoint.h: one step of a flow repeated, and gone back through.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/host_adjoint.h"
#include "flow/carrier.h"

namespace murmur {

struct RecordedStep {
  double t, h;
  std::int64_t number;  // which tells its noise from that of others
};

// The cotangent of a frame inside a step, at t + theta h.
struct InnerCotangent {
  double theta;
  const HostSwarm& w;
};

// Repeats the steps of Carrier (carrier.h) from where they began, with the lengths they had, and
// hands cotangents back through their stages. Fields are those of host engines.
class StepAdjoint {
 public:
  StepAdjoint(const Flow& flow, Field& field, const HostSwarm& like);

  // x becomes the end of the step.
  void forward(const RecordedStep& step, HostSwarm& x);
  // The swarm at t + theta h within the step from x.
  HostSwarm between(const RecordedStep& step, const HostSwarm& x, double theta);
  // `to.x`, the cotangent of the step's end, becomes that of its beginning x; what lies within adds
  // to it.
  void backward(const RecordedStep& step, const HostSwarm& x,
                std::span<const InnerCotangent> within, Cotangents to);

 private:
  using State = SwarmSystem::State;
  // A point of the step that stages are taken from or that it ends at: a weighted sum, retracted.
  void combine_back(const StageWeights& weights, int count, double h, HostSwarm& w);
  void spread(const StageWeights& weights, int count, double h, const HostSwarm& w);
  void enter(const RecordedStep& step);
  void stages(const RecordedStep& step, const HostSwarm& x, bool all);
  void stages_back(const RecordedStep& step, int count, Cotangents to);
  double last_velocity(const RecordedStep& step) const;
  NoiseStep noise_step(const RecordedStep& step, int half, double h) const;
  // As Carrier::add_drift: what a step of fixed length adds to `from`, noise included.
  struct Drift {
    Terms terms;
    double last_t;  // of its last velocity
    bool noisy;     // whether noise, if there is any, comes with it
  };
  HostSwarm drifted(const RecordedStep& step, const HostSwarm& start, const HostSwarm& from,
                    Drift drift) const;
  // w of what came of it becomes that of the sum from + terms; `start` gives lengths.
  struct DriftPush {
    HostSwarm &w, &d_from, &d_start;
    double& noise;
  };
  void drifted_back(const RecordedStep& step, const HostSwarm& start, const HostSwarm& from,
                    Drift drift, DriftPush to);
  // What Carrier::step_layers goes through: where each sublayer that acts begins, and its drift.
  struct Sublayers {
    std::vector<int> acting;
    std::vector<HostSwarm> from, drift;  // and the end behind the last of `from`
  };
  Sublayers through_sublayers(const RecordedStep& step, const HostSwarm& x, bool to_end);
  void layers_back(const RecordedStep& step, const HostSwarm& x, Cotangents to);
  std::vector<int> acting(double t) const;
  bool by_parts() const;  // noise, drift, noise
  Terms terms_of(const StageWeights& weights, int count, double h) const;

  const FlowSettings& settings_;
  const RandomKey random_;
  Field& field_;
  HostAdjoint adjoint_;
  const Tableau* tableau_;  // nullptr: layers
  SwarmSystem system_;
  std::int64_t evaluations_ = 0;  // that the driver counts, and nobody reads
  std::optional<RungeKutta<SwarmSystem>> driver_{};
  State x_;                         // the beginning of the step at hand
  std::vector<HostSwarm> d_stage_;  // cotangents of the stages' velocities
  std::vector<bool> pushed_;        // which of them are not zero
  HostSwarm d_start_;               // of x_
};

}  // namespace murmur
