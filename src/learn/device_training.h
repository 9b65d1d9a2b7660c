// device_training.h: training whose parameters and optimiser stay where the gradients are computed.
#pragma once

#include <functional>
#include <span>

#include "murmur/learn.h"

namespace murmur {

// What an Adjoint of a device may be as well.
class DeviceTraining {
 public:
  struct Update {
    BatchResult result{};
    double gradient = 0;  // its length before it was clipped
  };

  virtual ~DeviceTraining() = default;
  // To the device, and back; `optimiser` lends momentum and square alone.
  virtual void put(std::span<const float> parameters, const Optimiser& optimiser) = 0;
  virtual void get(std::span<float> parameters, Optimiser& optimiser) = 0;
  // backward, clip and Optimiser::update of one batch on the device, in the same roundings but for
  // the order of the sum that is the gradient's length; counts the update in `optimiser`, whose
  // momentum and square are left alone. `next` is asked, while the device computes, for the batch
  // after it, to be laid ready: its spans stay as they are until then. Null: unknown.
  virtual Update update(const Batch& batch, const Objective& objective, double clip,
                        Optimiser& optimiser, const std::function<const Batch*()>& next) = 0;
};

}  // namespace murmur
