// matrices.h: query, key and value matrices out of settings: identity, random, typed, or from a
// file.
#pragma once

#include <string>
#include <vector>

#include "experiment/forces.h"
#include "murmur/experiment.h"
#include "murmur/random.h"

namespace murmur {

// Independent normal entries of the given deviation; entry e is drawn by particle e of `who`.
Matrix gaussian(Shape shape, double deviation, Draw who);

// (rows, cols) of one matrix, (count, rows, cols) of more: as query, key and value take them.
Array stacked(const std::vector<Matrix>& all);

bool is_random(const MatrixChoice& matrix);

// heads as given, or as the first three-dimensional matrix file has it; `inputs` holds the files
// that were read already.
int number_of_heads(const DynamicsSpec& spec, const Record& inputs = {});

// The matrices of all heads; empty stands for the identity. `redraw` counts the draws before.
struct HeadMatrices {
  const DynamicsRequest& request;
  int d, heads;
  std::uint32_t redraw;
  // What was typed or came from files is added by name, and read once; what was drawn once for
  // all times is added as drawn_NAME.
  Record& inputs;

  std::vector<Matrix> query() const;
  std::vector<Matrix> key() const;
  // As chosen, or Q^T K or -Q^T K of the two given.
  std::vector<Matrix> value(const std::vector<Matrix>& query, const std::vector<Matrix>& key) const;

 private:
  std::vector<Matrix> chosen(const MatrixChoice& matrix, const std::string& name,
                             Stream stream) const;
  std::vector<Matrix> given(const MatrixChoice& matrix, const std::string& name) const;
};

// Refuses an array with a number that is not finite, quoting the word of `key`.
void check_finite(const Settings& words, const std::string& key, const Array& array);

}  // namespace murmur
