// no_experiment_file.cpp: replaces experiment_file.cpp in builds without files.
#include "experiment/config.h"
#include "murmur/error.h"

namespace murmur {

Settings base_settings(std::span<const Parameter>, const Sources& sources) {
  throw Error(Fault::input, "there are no experiment files here", sources.base,
              "give the parameters themselves");
}

}  // namespace murmur
