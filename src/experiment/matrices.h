// matrices.h: query, key and value matrices out of settings: identity, random, typed, or from a
// file.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/random.h"

namespace murmur {

// Independent normal entries of the given deviation; entry e is drawn by particle e of `who`.
Matrix gaussian(Shape shape, double deviation, Draw who);

// Whether the value of `key` is drawn at random.
bool is_random_matrix(const Settings& settings, const std::string& key);

// heads as given, or as the first three-dimensional matrix file has it; `inputs` holds the files
// that were read already.
int number_of_heads(const Settings& settings, const Record& inputs = {});

// The matrices of all heads; empty stands for the identity. `redraw` counts the draws before.
struct HeadMatrices {
  const Settings& settings;
  int d, heads;
  std::uint32_t redraw;
  Record& inputs;  // what was typed or came from files is added by name, and read once

  std::vector<Matrix> named(const std::string& key, Stream stream) const;
  // As named, or Q^T K or -Q^T K of the two given.
  std::vector<Matrix> values(const std::vector<Matrix>& query,
                             const std::vector<Matrix>& key) const;

 private:
  std::vector<Matrix> given(const std::string& key) const;
};

// Refuses an array with a number that is not finite.
void check_finite(const Settings& settings, const std::string& key, const Array& array);

}  // namespace murmur
