// dome.h: the move of a token of a run, read from its files, as a picture and as a film.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/training.h"
#include "picture/dome.h"
#include "report/report.h"

namespace murmur {

// Which token, when, and which of its heads; the program chooses what is left out.
struct DomeRequest {
  std::optional<int> token{};            // else the one that moves most
  std::optional<int> head{};             // else all of them
  std::optional<std::int64_t> block{};   // of the method `layers`, from 0
  std::optional<double> t{};             // the stored frame nearest to it
  std::optional<std::int64_t> frame{};   // negative: from the end; else the first
  std::int64_t most = 0;                 // pictures of a film; 0: every block, or twelve of a flow
  std::optional<std::size_t> picture{};  // of a training: in the test set; else its first sample
};

// The states of a swarm from which moves are computed.
struct DomeStates {
  std::string name{};  // of the run
  Dynamics dynamics{};
  EngineChoice engine{};
  bool layers = true;
  double dt = 1;                // of `layers`
  std::vector<double> times{};  // (frames)
  std::function<HostSwarm(std::int64_t frame)> frame{};
};
// The index of the time that is nearest to t.
std::int64_t nearest_frame(std::span<const double> times, double t);

DomeStates states_of_simulation(const RunReader& run, const Experiment& e);
// Of sample k of a trained swarm, block after block; `name` names the run and the sample.
DomeStates states_of_training(const TrainedSwarm& swarm, const SampleSet& samples, std::size_t k,
                              const std::string& name);

// The picture that is asked for. Error(input) where there is no such token, block, frame or head,
// and where nothing attends.
DomePicture dome_of_states(const DomeStates& states, const DomeRequest& request);
// The same token through the blocks, or through frames of a flow, from the one asked for on.
std::vector<DomePicture> domes_of_states(const DomeStates& states, const DomeRequest& request);

// The section of a page: the figure, and where films are wanted the film; nothing where no token
// attends to others, or none moves.
void add_dome(RunReport& report, const DomeStates& states);

}  // namespace murmur
