// recording.h: a trajectory in memory: frames in double precision, computed piece by piece, with
// branches and massless particles.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/training.h"

namespace murmur {

struct Edit {  // the new position of a token at the start of a branch
  int token = 0;
  std::vector<double> place{};  // (d)
};

// The frames of a schedule do not fit into memory.
struct TooManyFrames : Error {
  TooManyFrames(Error error, std::int64_t frames, Shape shape)
      : Error(std::move(error)), frames(frames), shape(shape) {}
  std::int64_t frames;
  Shape shape;
};

class Recording {
 public:
  // Throws TooManyFrames if the frames of the whole schedule would not fit into memory.
  explicit Recording(Experiment experiment, std::shared_ptr<const TrainedSwarm> trained = {});

  // Makes a branch of `from` at one of its frames. Without edits it continues with the same bits;
  // an edited swarm starts there like a new one, with the same schedule and noise.
  Recording(const Recording& from, std::int64_t frame, std::span<const Edit> edits);

  // Continues until `count` more frames are stored, or to the end; the first call also stores frame
  // first(). The frames do not depend on how they are requested. Returns the number of the first
  // frame that was not returned before; kept() is one past the last. After `seconds` it returns
  // with the frames so far, perhaps none; it finishes the current step first.
  std::int64_t advance(std::int64_t count,
                       double seconds = std::numeric_limits<double>::infinity());

  const Experiment& experiment() const { return experiment_; }
  const TrainedSwarm* trained() const { return trained_.get(); }
  std::int64_t first() const { return first_; }
  std::int64_t kept() const { return first_ + static_cast<std::int64_t>(times_.size()); }
  const std::optional<Outcome>& ended() const { return ended_; }

  // Throws Error(input) unless the frame is stored.
  double time(std::int64_t frame) const;
  HostSwarm swarm(std::int64_t frame) const;
  std::span<const double> rows(std::int64_t frame) const;  // (n, d)

  // (count, d): velocities that particles without mass would have at `rows` (count, d). They are
  // last in the order of tokens, and no token attends to them.
  std::vector<double> velocity(std::int64_t frame, std::span<const double> rows) const;

  // (frames, rows, d): positions of such particles, at `rows` in one frame, in the next `count`
  // stored frames, or as long as all of them are finite. The swarm is simulated again with them, by
  // its own method and without merging.
  std::vector<double> carry(std::int64_t frame, std::int64_t count,
                            std::span<const double> rows) const;

  // (3, d): the directions in which the frames so far spread most; coordinate axes up to d = 3.
  std::vector<double> axes() const;

 private:
  void prepare();
  void keep(double t, std::span<const double> rows);
  void check_frame(std::int64_t frame) const;
  void begin_at(std::int64_t frame, FlowState& state) const;  // an edited state
  // The swarm of a frame, then particles without mass at `rows`.
  HostSwarm joined(std::int64_t frame, std::span<const double> rows) const;

  Experiment experiment_;
  std::shared_ptr<const TrainedSwarm> trained_;
  std::unique_ptr<Engine> engine_{};
  std::unique_ptr<Field> field_{};
  FlowState state_{};
  std::int64_t first_ = 0, handed_ = 0;  // handed_: frames given out
  std::vector<double> times_{};          // (kept)
  std::vector<double> rows_{};           // (kept, n, d)
  // (kept, or one less): the state to continue from after each frame; frames within one step share
  // it.
  std::vector<std::shared_ptr<const FlowState>> states_{};
  std::optional<Outcome> ended_{};
};

// Returns an experiment of a sample x (n, d) with a trained swarm: method layers, dt the residual's
// factor, one frame per block. `blocks`: 0 for the trained number.
Experiment experiment_of(const TrainedSwarm& swarm, HostSwarm x, int blocks,
                         const std::string& engine);

}  // namespace murmur
