// kept_heads.h: attention and spectra of single heads, read from a traced run.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "murmur/matrix.h"
#include "murmur/run.h"
#include "trace/trace_file.h"

namespace murmur {

// The weights (n, n) of one head of a block with weights (heads, n, n), or their mean over all
// heads. Error(input) for a head that does not exist.
Matrix head_weights(const Array& pattern, std::optional<int> head);

struct TraceHead {
  int text = 0, block = 0;
  std::optional<int> head{};  // empty: the mean over all heads
};
struct TraceAttention {
  Matrix weights{};                   // (n, n): row i has the weights of token i
  std::vector<std::string> tokens{};  // (n)
};
// Error(input) if the run has no activations, and for a text, block or head that does not exist.
TraceAttention trace_attention(const RunReader& run, const TraceFile& file, const TraceHead& of);

// Reads spectra.npy of a run; Error(input) if it is missing or has another shape.
struct Spectra {
  std::size_t blocks = 0, heads = 0, w = 0;
  std::vector<double> values{};  // (blocks, heads, 2, w, 2)

  // map 0: Q^T K, 1: O V.
  std::complex<double> at(std::size_t block, std::size_t head, std::size_t map,
                          std::size_t k) const {
    const std::size_t at = (((block * heads + head) * 2 + map) * w + k) * 2;
    return {values[at], values[at + 1]};
  }
};
Spectra read_spectra(const RunReader& run);

}  // namespace murmur
