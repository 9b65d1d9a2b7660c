// fuzz_tokenizer.cpp: any bytes either are a tokenizer.json, whose ids decode to UTF-8, or are
// refused by an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/tokenizer_parts.h"
#include "murmur/error.h"
#include "murmur/tokenizer.h"
#include "peak_allocation.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // JSON values and tries are larger than their text, and a text may grow to 66 times its length in
  // each of a few copies; all that is counted here is a fixed multiple of what was given.
  const fuzz::AllocationLimit limit(64 * size + 4'000'000);
  try {
    const Tokenizer tokenizer =
        Tokenizer::parse({reinterpret_cast<const char*>(data), size}, "input");
    for (const char* text :
         {"", "Hello, W\u00f6rld!  don't\n\t42", "a<s>b [MASK] \u4e2d\u6587e\u0301",
          "\U0001F600\u0007\uFFFD \u2581aaaaaaaaaaaaaaaab"}) {
      try {
        const std::vector<TokenId> ids = tokenizer.encode(text);
        for (const TokenId id : ids)
          if (!tokenizer.token(id)) std::abort();
        if (!tokenizer::is_utf8(tokenizer.decode(ids, {.special = true}))) std::abort();
        tokenizer.encode(text, {.special = false, .limits = false});
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
