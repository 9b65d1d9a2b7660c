// device_training.h: training whose parameters and optimiser stay on the device that computes the
// gradients, and the schedule of samples on a GPU.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "murmur/learn.h"

namespace murmur {

// An Adjoint of a device may implement this too.
class DeviceTraining {
 public:
  struct Update {
    BatchResult result{};
    double gradient = 0;  // length of the gradient before clipping
  };

  virtual ~DeviceTraining() = default;
  // Copy to the device, and back. Of `optimiser` only momentum and square are copied.
  virtual void put(std::span<const float> parameters, const Optimiser& optimiser) = 0;
  virtual void get(std::span<float> parameters, Optimiser& optimiser) = 0;
  // backward, clip and Optimiser::update of one batch on the device, with the same roundings,
  // except that the gradient's length is summed in another order. Counts the update in `optimiser`
  // and does not change its momentum and square. While the device computes, the function calls
  // `next` for the batch that follows and prepares it; the spans of that batch must not change
  // until then. `next` returns null if the batch is unknown.
  virtual Update update(const Batch& batch, const Objective& objective, double clip,
                        Optimiser& optimiser, const std::function<const Batch*()>& next) = 0;
};

// Queue q is samples queue[first[q]] .. queue[first[q + 1] - 1]. A thread block has three queues:
// the samples that all its teams compute together, then one queue of each team.
struct Queues {
  std::vector<int> first{}, queue{};
};

// Distributes samples of these costs: the costliest first, each to the thread block with the lowest
// load, there to the team with the lowest load; ties go to the first. If the loads of two teams are
// uneven, they compute the costliest samples together. A thread block has one or two teams.
Queues distribute_samples(std::span<const double> cost, int thread_blocks, int teams_per_block);

}  // namespace murmur
