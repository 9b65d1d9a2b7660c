// fuzz_vocabulary.cpp: any text either is a vocabulary of unit points or is refused by an Error.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "murmur/error.h"
#include "murmur/readout.h"

using namespace murmur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Vocabulary read =
        parse_vocabulary(std::string(reinterpret_cast<const char*>(data), size), "input");
    const Matrix& points = read.points;
    if (points.rows < 1 || points.cols < 1) std::abort();
    if (points.data.size() != static_cast<std::size_t>(points.rows) * points.cols) std::abort();
    if (!read.words.empty() && read.words.size() != static_cast<std::size_t>(points.rows))
      std::abort();
    const NextWord said = next_word(read, Vector(points.cols, 1.0));
    if (!(said.entropy >= -1e-9) || !(said.outcomes <= points.rows * (1 + 1e-9))) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
