// recording.h: a trajectory held in memory: its frames in double precision, computed piece by
// piece, with branches that leave it and massless particles carried along.
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

struct Edit {  // where a token is put before a branch goes on
  int token = 0;
  std::vector<double> place{};  // (d)
};

class Recording {
 public:
  // Error(input) where the frames of the whole schedule would not fit into memory.
  explicit Recording(Experiment experiment, std::shared_ptr<const TrainedSwarm> trained = {});

  // Leaves `from` at one of its frames. Without edits it goes on as `from` does, bit for
  // bit; an edited swarm starts there as if new, in the same schedule and the same noise.
  Recording(const Recording& from, std::int64_t frame, std::span<const Edit> edits);

  // Goes on until `count` further frames are kept, or the end; the first call keeps frame first()
  // as well. How the frames are asked for never changes them. Returns the number of the first frame
  // that was not handed out before; kept() is one past the last. After `seconds` it comes back with
  // what there is, which may be nothing; a step that has begun is finished first.
  std::int64_t advance(std::int64_t count,
                       double seconds = std::numeric_limits<double>::infinity());

  const Experiment& experiment() const { return experiment_; }
  const TrainedSwarm* trained() const { return trained_.get(); }
  std::int64_t first() const { return first_; }
  std::int64_t kept() const { return first_ + static_cast<std::int64_t>(times_.size()); }
  const std::optional<Outcome>& ended() const { return ended_; }

  // Error(input) unless the frame is kept.
  double time(std::int64_t frame) const;
  HostSwarm swarm(std::int64_t frame) const;
  std::span<const double> rows(std::int64_t frame) const;  // (n, d)

  // (count, d): velocities that particles without mass would have at `rows` (count, d). They come
  // last in the order of tokens, and nobody sees them.
  std::vector<double> velocity(std::int64_t frame, std::span<const double> rows) const;

  // (frames, rows, d): where such particles, at `rows` in one frame, are in the next `count` of the
  // frames kept, or in as many as all of them stay finite. The swarm goes once more beside them,
  // by its own method and without merging.
  std::vector<double> carry(std::int64_t frame, std::int64_t count,
                            std::span<const double> rows) const;

  // (3, d): the directions in which the frames kept so far spread most; coordinates up to d = 3.
  std::vector<double> axes() const;

 private:
  void prepare();
  void keep(double t, std::span<const double> rows);
  void check_frame(std::int64_t frame) const;
  void begin_at(std::int64_t frame, FlowState& state) const;  // a state that is new there
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
  // (kept, or one less): where to go on after each frame; frames within one step share it.
  std::vector<std::shared_ptr<const FlowState>> states_{};
  std::optional<Outcome> ended_{};
};

// A sample x (n, d) of a trained swarm as an experiment like any other: method layers, dt the
// residual's factor, a frame a block. `blocks`: 0 for those it was trained with.
Experiment experiment_of(const TrainedSwarm& swarm, HostSwarm x, int blocks,
                         const std::string& engine);

}  // namespace murmur
