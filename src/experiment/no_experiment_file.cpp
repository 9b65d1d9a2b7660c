// no_experiment_file.cpp: stands in for experiment_file.cpp where settings come by words alone.
#include "experiment/experiment_file.h"
#include "murmur/error.h"

namespace murmur {

Settings base_settings(std::span<const Parameter>, const Sources& sources) {
  throw Error(Fault::input, "there are no experiment files here", sources.base,
              "give the parameters themselves");
}

}  // namespace murmur
