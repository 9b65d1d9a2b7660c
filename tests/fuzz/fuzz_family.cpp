// fuzz_family.cpp: any bytes either are a config.json of a known family, whose sizes fit together,
// or are refused by an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/model_folder.h"
#include "murmur/error.h"
#include "peak_allocation.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // JSON values are larger than their text; beside them there is a choice for each layer.
  const fuzz::AllocationLimit limit(64 * size + 1'000'000);
  try {
    const Family family = parse_family({reinterpret_cast<const char*>(data), size}, "input");
    const Description& of = family.description;
    if (static_cast<int>(of.blocks.size()) != of.layers || of.heads < 1 || of.key_heads < 1 ||
        of.heads % of.key_heads != 0 || of.d < 1 || of.head_width < 1)
      std::abort();
    with_weights(family, {}, "input");  // there are none: refused by the first one's name
    std::abort();
  } catch (const Error&) {
  }
  return 0;
}
