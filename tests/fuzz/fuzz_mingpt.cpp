// fuzz_mingpt.cpp: any text either is a GPT of minGPT or is refused by an Error before more is
// allocated than it can hold.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/model_folder.h"
#include "murmur/error.h"
#include "peak_allocation.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    // A value of JSON takes some bytes of text and a node in memory; blocks may be 4,096.
    const fuzz::AllocationLimit limit(400 * size + 4'000'000);
    const Model model = parse_mingpt({reinterpret_cast<const char*>(data), size}, "input");
    const Description& of = model->description();
    if (of.d * 1.0 * of.vocabulary > static_cast<double>(size)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
