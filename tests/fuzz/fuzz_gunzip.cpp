// fuzz_gunzip.cpp: any bytes either unfold, piece by piece as in one, or are refused by an Error.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "data/data_set.h"
#include "murmur/error.h"

using namespace murmur;

namespace {

constexpr std::size_t kMost = 1u << 17;  // bytes; more would be time spent on clearing memory

// All that unfolds, in pieces of so many bytes and up to kMost; false where it is refused.
bool unfold(std::span<const std::byte> bytes, std::size_t piece, std::vector<std::byte>& out) {
  const Source source = source_of(bytes, "input");
  if (!is_gzip(source)) return false;
  try {
    Gunzip gunzip(source);
    std::vector<std::byte> part(piece);
    for (std::size_t got = piece; got == piece && out.size() < kMost;) {
      got = gunzip.read(part);
      if (got > piece) std::abort();
      out.insert(out.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  std::vector<std::byte> whole, pieces;
  const bool good = unfold(bytes, kMost, whole);
  const bool again = unfold(bytes, 1000, pieces);
  if (good && again && whole.size() < kMost && whole != pieces) std::abort();
  return 0;
}
