// fuzz_config.cpp: any text either is an experiment or is refused by an Error.
#include <cstdint>
#include <string>

#include "murmur/error.h"
#include "murmur/experiment.h"

using namespace murmur;

namespace {

// Large swarms are valid and slow to make: the fuzzer looks for faults, not for patience.
bool small(const Settings& settings, const char* key, double most) {
  const std::string& text = settings.at(key).text;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return *end != '\0' || !(value > most);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    Settings settings = gather({});
    for (const auto& [key, value] : parse_experiment(text, "input", ".")) settings[key] = value;
    const bool cheap = small(settings, "n", 200) && small(settings, "d", 50) &&
                       small(settings, "heads", 4) &&
                       settings.at("perceptron").text.rfind("gaussian:", 0) != 0;
    if (cheap) parse_experiment(make_experiment(settings).config, "config", ".");
  } catch (const Error&) {
  }
  return 0;
}
