// matrices.h: query, key and value matrices and feed-forward parameters from settings: identity,
// random, typed, or from a file.
#pragma once

#include <string>
#include <vector>

#include "experiment/forces.h"
#include "murmur/experiment.h"
#include "murmur/random.h"

namespace murmur {

// Returns independent normal entries of the given deviation; entry e uses particle e of `who`.
Matrix gaussian(Shape shape, double deviation, Draw who);

// Returns (rows, cols) for one matrix, (count, rows, cols) for more, as query, key and value
// expect.
Array stacked(const std::vector<Matrix>& all);

bool is_random(const MatrixChoice& matrix);

// Returns heads as given, or the number in the first matrix file with an axis of heads. `inputs`
// holds the files that were already read.
int number_of_heads(const DynamicsSpec& spec, const Record& inputs = {});

// Returns the array of a file of matrices: the only one of an npy file, or the one with that name
// of a safetensors file.
Array read_matrices(const MatrixChoice& matrix, const std::string& name);

// Returns the numbers of `array` from `start` on as (rows, cols).
Matrix part_of(const Array& array, std::size_t start, Shape shape);

// The matrices of all heads; an empty matrix is the identity.
struct HeadMatrices {
  const DynamicsRequest& request;
  int d, heads;
  Turn turn;
  // Typed matrices and those from files are added by name, and read once; matrices that are drawn
  // only once are added as drawn_NAME.
  Record& inputs;

  std::vector<Matrix> query() const;
  std::vector<Matrix> key() const;
  // Returns V as chosen, or Q^T K or -Q^T K.
  std::vector<Matrix> value(const std::vector<Matrix>& query, const std::vector<Matrix>& key) const;

 private:
  std::vector<Matrix> chosen(const MatrixChoice& matrix, const std::string& name,
                             Stream stream) const;
  std::vector<Matrix> given(const MatrixChoice& matrix, const std::string& name) const;
  [[noreturn]] void refuse_shape(const std::string& name, const Array& array) const;
};

// Refuses an array with a number that is not finite, and quotes the value of `key`.
void check_finite(const Settings& words, const std::string& key, const Array& array);

// --- Perceptrons.

bool is_random(const PerceptronChoice& perceptron);

// Returns the number of parameters of a random perceptron; 0 if it is not random.
double numbers_of(const PerceptronChoice& perceptron, int d);

// Reads all arrays into `inputs`, and returns the number of layers of each array with an axis of
// layers.
std::vector<std::size_t> layers_in_perceptron(const DynamicsRequest& request, Record& inputs);

// Makes the perceptron. Parameters from files are added to `inputs` by name.
Perceptron perceptron_of(const DynamicsRequest& request, int d, const Turn& turn, Record& inputs);

}  // namespace murmur
