// recording.h: a trajectory in memory: its frames in double precision, computed in pieces, with
// branches and massless particles.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/training.h"

namespace murmur {

struct Edit {  // a token that is moved at the start of a branch
  int token = 0;
  std::vector<double> place{};  // (d)
};

class Recording {
 public:
  // Error(input) if the frames of the whole schedule would not fit into memory.
  explicit Recording(Experiment experiment, std::shared_ptr<const TrainedSwarm> trained = {});

  // Branches from `from` at one of its frames. Without edits it continues bit for bit like `from`;
  // an edited swarm starts there as new, with the same schedule and noise.
  Recording(const Recording& from, std::int64_t frame, std::span<const Edit> edits);

  // Continues until `count` more frames are stored, or to the end; the first call also stores frame
  // first(). The sequence of calls does not change the frames. Returns the number of the first
  // frame that was not returned before; kept() is one past the last. Returns after `seconds` with
  // the frames so far, possibly none; a step that has begun is finished first.
  std::int64_t advance(std::int64_t count,
                       double seconds = std::numeric_limits<double>::infinity());

  const Experiment& experiment() const { return experiment_; }
  const TrainedSwarm* trained() const { return trained_.get(); }
  std::int64_t first() const { return first_; }
  std::int64_t kept() const { return first_ + static_cast<std::int64_t>(times_.size()); }
  const std::optional<Outcome>& ended() const { return ended_; }

  // Error(input) unless the frame is stored.
  double time(std::int64_t frame) const;
  HostSwarm swarm(std::int64_t frame) const;
  std::span<const double> rows(std::int64_t frame) const;  // (n, d)

  // (count, d): velocities that massless particles would have at `rows` (count, d). They are last
  // in the order of tokens, and no token attends to them.
  std::vector<double> velocity(std::int64_t frame, std::span<const double> rows) const;

  // (frames, rows, d): positions of such particles, at `rows` in one frame, in the next `count`
  // stored frames, or in as many as all of them stay finite. The swarm is simulated again with
  // them, by its own method and without merging.
  std::vector<double> carry(std::int64_t frame, std::int64_t count,
                            std::span<const double> rows) const;

  // (3, d): the directions in which the stored frames spread most; the coordinate axes up to d = 3.
  std::vector<double> axes() const;

 private:
  void prepare();
  void keep(double t, std::span<const double> rows);
  void check_frame(std::int64_t frame) const;
  void begin_at(std::int64_t frame, FlowState& state) const;  // a new state at that frame
  // The swarm of a frame, followed by massless particles at `rows`.
  HostSwarm joined(std::int64_t frame, std::span<const double> rows) const;

  Experiment experiment_;
  std::shared_ptr<const TrainedSwarm> trained_;
  std::unique_ptr<Engine> engine_{};
  std::unique_ptr<Field> field_{};
  FlowState state_{};
  std::int64_t first_ = 0, handed_ = 0;  // handed_: frames returned
  std::vector<double> times_{};          // (kept)
  std::vector<double> rows_{};           // (kept, n, d)
  // (kept, or one less): the state to continue from after each frame; frames within one step share
  // it.
  std::vector<std::shared_ptr<const FlowState>> states_{};
  std::optional<Outcome> ended_{};
};

// A sample x (n, d) of a trained swarm as an experiment like any other: method layers, dt =
// residual factor, one frame per block. `blocks`: 0 for the trained depth.
Experiment experiment_of(const TrainedSwarm& swarm, HostSwarm x, int blocks,
                         const std::string& engine);

}  // namespace murmur
