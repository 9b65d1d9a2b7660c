// fuzz_manifest.cpp: any text either is a manifest, which is written and read back alike, or is
// refused; and any text gives rows of observables that are whole.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "murmur/error.h"
#include "run/formats.h"
#include "run/manifest.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = to_json(parse_manifest(text, "input"));
    if (to_json(parse_manifest(written, "written")) != written) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
