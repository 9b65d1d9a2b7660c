// fuzz_words.cpp: any lines key=value either make an experiment, which its own config.toml makes
// again, or are refused: laws, matrices, schedules, numbers.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "small_settings.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    sources.assignments.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  try {
    const Settings settings = gather(sources);
    if (!fuzz::are_small(settings)) return 0;
    const std::string config = make_experiment(settings).config;
    Settings again = gather({});
    for (const auto& [key, value] : parse_experiment(config, "config", ".")) again[key] = value;
    if (make_experiment(again).config != config) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
