// flow_record.h: the state of a flow as named arrays, for checkpoints, and how far it is.
#pragma once

#include <string>

#include "murmur/flow.h"
#include "murmur/matrix.h"
#include "murmur/run.h"

namespace murmur {

// `T` tells a continuation which frames are already kept.
Record record_of(const FlowState& state, double T);
// Error(input) unless the record is of a swarm of that shape.
FlowState state_of(const Record& record, Shape shape);

// A named array of a checkpoint: Error(input) where it is missing or empty.
const Array& entry(const Record& record, const std::string& name);

// The first frame still to be kept: after T was raised, the first one beyond the old T, `reached`.
std::int64_t next_frame_of(const Schedule& schedule, std::int64_t next_frame, double reached);

// How far a flow is on its way to T. `evaluations` are those of this process; clusters: -1 where
// they are not counted.
struct FlowReading {
  double t, T;
  std::int64_t evaluations_ever, evaluations;
  int clusters = -1;
};
Progress progress_of(const FlowReading& reading, Pace& pace);

}  // namespace murmur
