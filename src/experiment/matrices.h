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

// heads as given, or as the first matrix file with an axis of heads has it; `inputs` holds the
// files that were read already.
int number_of_heads(const DynamicsSpec& spec, const Record& inputs = {});

// The array of a file of matrices: the only one of an npy, the one of that name of a safetensors.
Array read_matrices(const MatrixChoice& matrix, const std::string& name);

// The numbers of `array` from `start` on, (rows, cols).
Matrix part_of(const Array& array, std::size_t start, Shape shape);

// The matrices of all heads; empty stands for the identity.
struct HeadMatrices {
  const DynamicsRequest& request;
  int d, heads;
  Turn turn;
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
  [[noreturn]] void refuse_shape(const std::string& name, const Array& array) const;
};

// Refuses an array with a number that is not finite, quoting the word of `key`.
void check_finite(const Settings& words, const std::string& key, const Array& array);

}  // namespace murmur
