// fuzz_config.cpp: any text either is an experiment or is refused by an Error.
#include <cstdint>
#include <string>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "small_settings.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    Settings settings = gather({});
    for (const auto& [key, value] : parse_experiment(text, "input", ".")) settings[key] = value;
    if (fuzz::are_small(settings))
      parse_experiment(make_experiment(settings).config, "config", ".");
  } catch (const Error&) {
  }
  return 0;
}
