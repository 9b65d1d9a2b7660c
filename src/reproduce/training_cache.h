// training_cache.h: trainings that are done once: kept in directories, read back, gone on with.
#pragma once

#include <memory>

#include "reproduce/reproduce.h"

namespace murmur {

struct ShelvedTraining {
  std::filesystem::path directory{};
  TrainingSummary summary{};
};

class TrainingCache {
 public:
  TrainingCache(const ReproductionControl& control, std::filesystem::path folder);

  // The training of a spec on the control's pictures and threads, its changes laid over.
  Training describe(TrainingSpec spec) const;
  // Its pictures; those of the last digits and seed are held.
  const TrainingData& data_for(const Training& training);

  // Done before: read back. Interrupted: gone on with. Otherwise trained anew, below the folder at
  // KEY-eEPOCHS-sSEED; where a training of other parameters or pictures lies there, at the next
  // free KEY-eEPOCHS-sSEED-2, -3, ... Nothing when stopped by a signal. The null model of a
  // constant answer has its accuracy and no directory. An rnn learns in the swarm's place, with as
  // many parameters, where `kind` says so.
  enum class Kind { swarm, rnn };
  std::optional<ShelvedTraining> fetch(const std::string& key, const Training& training,
                                       Kind kind = Kind::swarm);

 private:
  // The place of a training: free, or holding the same one. `done`: it needs no more work.
  struct Place {
    std::filesystem::path directory{};
    bool there = false, done = false;
  };
  Place find_place(const std::string& key, const Training& training);
  Run go_on_with(const Place& place, const RunContents& contents) const;
  ProcessControl control_for(const Place& place) const;
  void tell(const Place& place, const TrainingSummary& summary) const;

  const ReproductionControl& control_;
  std::filesystem::path folder_;
  std::string held_{};  // digits, tokens and seed of data_
  std::unique_ptr<TrainingData> data_{};
};

// Whether two config.toml describe the same training: what never changes a result is passed over.
bool same_training(const std::string& config, const std::string& other);

}  // namespace murmur
