// device_engine.h: an engine whose swarms are in device memory.
#pragma once

#include <memory>
#include <optional>

#include "murmur/engine.h"

namespace murmur {

class DeviceEngine : public Engine {
 public:
  // Returns nothing if a flow of such a swarm fits into that memory, else the reason. Needs no
  // particles.
  virtual std::optional<Unsupported> room_for(Shape shape) const = 0;
  // An engine with the same sums for swarms in host memory, which ranks can share.
  virtual std::unique_ptr<Engine> in_host_memory() const = 0;
};

}  // namespace murmur
