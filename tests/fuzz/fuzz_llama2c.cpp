// fuzz_llama2c.cpp: any bytes either are a model or a tokeniser of llama2.c, or are refused by an
// Error before more is allocated than they hold.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "model/model_folder.h"
#include "murmur/error.h"
#include "peak_allocation.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const fuzz::AllocationLimit limit(size + 4'096 * 256);
    const Model model = parse_llama2c(bytes, "input");
    const Description& of = model->description();
    if (of.d * 1.0 * of.vocabulary > size) std::abort();
  } catch (const Error&) {
  }
  try {
    // All cuts of all tokens in two are looked at, and what is found is told as a tokenizer.json.
    const fuzz::AllocationLimit limit(2'000 * size + 4'000'000);
    const Tokenizer tokenizer =
        parse_llama2c_tokenizer({reinterpret_cast<const char*>(data), size}, "input");
    for (const TokenId id : tokenizer.encode("Once upon a time\n"))
      if (!tokenizer.token(id)) std::abort();
  } catch (const Error&) {
  }
  try {
    // The page's own reader of the same files cuts texts alike, and any bytes at all.
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const Llama2cVocabulary vocabulary(text, "input");
    for (const std::string_view read : {std::string_view("Once upon a time\n"), text.substr(0, 64)})
      for (const std::int64_t id : vocabulary.encode(read))
        if (id < 0 || static_cast<std::size_t>(id) >= vocabulary.size()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
