// replicas_of.cpp: the setting of many small swarms out of the one description of their forces.
#include "ensemble/ensemble.h"
#include "murmur/error.h"

namespace murmur {

ReplicasSetting replicas_of(const Dynamics& dynamics, const FlowSettings& flow, Shape shape) {
  if (!replicas_know(dynamics, flow.method))
    throw Error(Fault::input, "these forces are not carried many swarms at a time", "the dynamics",
                "use SA or USA with Q = K = V = I on the sphere, without noise, by layers, euler, "
                "rk4 or dopri5");
  const auto& attention = std::get<Attention>(dynamics.sublayers.front().forces.front());
  return {.shape = shape,
          .beta = attention.beta,
          .weighting = attention.weighting,
          .clock = dynamics.clock,
          .method = flow.method,
          .dt = flow.dt,
          .tolerance = flow.tolerance};
}

}  // namespace murmur
