// flow_record.h: the state of a flow as named arrays for checkpoints, and the progress of a flow.
#pragma once

#include <string>

#include "murmur/flow.h"
#include "murmur/matrix.h"
#include "murmur/run.h"

namespace murmur {

// A continuation uses `T` to find which frames are already stored.
Record record_of(const FlowState& state, double T);
// Error(input) unless the record belongs to a swarm of that shape.
FlowState state_of(const Record& record, Shape shape);

// Returns a named array of a checkpoint; Error(input) if it is missing or empty.
const Array& entry(const Record& record, const std::string& name);

// Returns the first frame still to be stored. After T was raised this is the first one beyond the
// old T, `reached`.
std::int64_t next_frame_of(const Schedule& schedule, std::int64_t next_frame, double reached);

// Progress of a flow towards T. `evaluations` are those of this process; clusters is -1 if they are
// not counted.
struct FlowReading {
  double t, T;
  std::int64_t evaluations_ever, evaluations;
  int clusters = -1;
};
Progress progress_of(const FlowReading& reading, Pace& pace);

}  // namespace murmur
