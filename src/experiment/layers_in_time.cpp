// layers_in_time.cpp: files of weights with an axis of layers, held against each other.
#include "experiment/layers_in_time.h"

#include <fmt/format.h>

#include <cmath>

#include "experiment/matrices.h"
#include "experiment/perceptrons.h"
#include "experiment/words.h"

namespace murmur {

namespace {

constexpr std::size_t kMostLayers = 100'000;
constexpr const char* kKey = "weights_in_time";

void check_company(const DynamicsRequest& request, bool scores_change) {
  const DynamicsSpec& spec = request.spec;
  if (spec.redraw != 0)
    refuse(request.words, "redraw", "weights are drawn anew, or come in layers of files, not both",
           "use redraw=0, or weights_in_time=constant");
  if (spec.interaction == Interaction::rescaled)
    refuse(request.words, kKey, "rescaled attention has one V in e^{tV}",
           "use weights_in_time=constant, or dynamics=euclidean");
  const bool derived = spec.value.kind == MatrixChoice::query_key ||
                       spec.value.kind == MatrixChoice::minus_query_key;
  if (spec.weights_in_time == WeightsInTime::linear && derived && scores_change)
    refuse(request.words, "value", "Q^T K is not linear in time where Q or K is",
           "give V as a file, or use weights_in_time=piecewise");
}

}  // namespace

std::size_t number_of_layers(const DynamicsRequest& request, Record& inputs) {
  const DynamicsSpec& spec = request.spec;
  std::size_t layers = 0;
  const auto count = [&](const char* key, std::size_t more) {
    if (more == 0 || more > kMostLayers)
      refuse(request.words, key, fmt::format("has {} layers", more), "give 1 to 100,000 of them");
    if (layers != 0 && more != layers)
      refuse(request.words, key,
             fmt::format("has {} layers, and another file has {}", more, layers),
             "give all files the same number of layers");
    layers = more;
  };
  const std::pair<const char*, const MatrixChoice*> matrices[] = {
      {"query", &spec.query}, {"key", &spec.key}, {"value", &spec.value}};
  for (const auto& [name, matrix] : matrices) {
    if (name == std::string("value")) check_company(request, layers != 0);
    if (spec.interaction == Interaction::none || matrix->kind != MatrixChoice::from_file) continue;
    if (inputs.count(name) == 0) {
      Array array = read_matrices(*matrix, name);
      check_finite(request.words, name, array);
      inputs[name] = std::move(array);
    }
    if (inputs[name].shape.size() > 2) count(name, inputs[name].shape[0]);
  }
  for (const std::size_t more : layers_in_perceptron(request, inputs)) count("perceptron", more);
  if (layers == 0)
    refuse(request.words, kKey, "finds no file of weights with an axis of layers",
           "give query, key, value as (layers, k, d) or (layers, heads, k, d), a perceptron with "
           "in (layers, h, d), or use weights_in_time=constant");
  return layers;
}

double weights_until(const DynamicsRequest& request) {
  const std::optional<double>& until = request.spec.weights_until;
  if (!until) return request.T;
  if (!(*until > 0 && std::isfinite(*until))) positive(request.words, "weights_until");  // refuses
  return *until;
}

void check_weights_until(const DynamicsRequest& request) {
  if (request.spec.weights_until && request.spec.weights_in_time == WeightsInTime::constant)
    refuse(request.words, "weights_until", "there are no layers to end then",
           "use weights_in_time=piecewise or linear, or leave weights_until out");
}

}  // namespace murmur
