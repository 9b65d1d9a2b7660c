// training_cache.h: keeps trainings in directories, so that each is done once; reads them back and
// continues interrupted ones.
#pragma once

#include <memory>

#include "reproduce/reproduce.h"

namespace murmur {

struct StoredTraining {
  std::filesystem::path directory{};
  TrainingSummary summary{};
};

class TrainingCache {
 public:
  TrainingCache(const ReproductionControl& control, std::filesystem::path folder);

  // The training of a spec with the pictures, threads and changed parameters of the control.
  Training describe(TrainingSpec spec) const;
  // The data of a training; those of the last call are kept in memory.
  const TrainingData& data_for(const Training& training);

  // Reads back a finished training, continues an interrupted one, and otherwise trains in the
  // folder KEY-eEPOCHS-sSEED, or in the next free KEY-eEPOCHS-sSEED-2, -3, ... where a training of
  // other parameters or pictures is there. Returns nothing when stopped by a signal. The null model
  // of a constant answer has its accuracy and no directory. With Kind::rnn a recurrent network of
  // as many parameters replaces the swarm.
  enum class Kind { swarm, rnn };
  std::optional<StoredTraining> fetch(const std::string& key, const Training& training,
                                      Kind kind = Kind::swarm);

 private:
  // The directory of a training: free, or with the same training. `done`: it is finished.
  struct Place {
    std::filesystem::path directory{};
    bool there = false, done = false;
  };
  Place find_place(const std::string& key, const Training& training);
  Run reopen(const Place& place, const RunContents& contents) const;
  ProcessControl control_for(const Place& place) const;
  void tell(const Place& place, const TrainingSummary& summary) const;

  const ReproductionControl& control_;
  std::filesystem::path folder_;
  std::string data_key_{};  // digits, tokens and seed of data_
  std::unique_ptr<TrainingData> data_{};
};

// Whether two config.toml describe the same training. Ignores settings that never change a result.
bool same_training(const std::string& config, const std::string& other);

}  // namespace murmur
