// device_engine.h: an engine whose swarms are in a memory of its own, which is not the host's.
#pragma once

#include <memory>
#include <optional>

#include "murmur/engine.h"

namespace murmur {

class DeviceEngine : public Engine {
 public:
  // Nothing where that memory holds a flow of such a swarm, else the reason: can be asked before
  // any particle is drawn.
  virtual std::optional<Unknown> room_for(Shape shape) const = 0;
  // The same sums for swarms in host memory, which ranks can share.
  virtual std::unique_ptr<Engine> in_host_memory() const = 0;
};

}  // namespace murmur
