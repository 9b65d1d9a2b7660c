// imported.cpp: reads stacked hidden states, and attention where it is beside them.
#include "trace/imported.h"

#include <fmt/format.h>

#include <cmath>

#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostLayers = 100'000;
constexpr std::size_t kMostTokens = 1'000'000;

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

std::string shape_text(const Array& array) {
  return fmt::format("({})", fmt::join(array.shape, ", "));
}

// Without the axis of a batch of one, which stands behind the layers.
std::vector<std::size_t> shape_of(const Array& array, std::size_t axes) {
  std::vector<std::size_t> shape = array.shape;
  if (shape.size() == axes + 1 && shape[1] == 1) shape.erase(shape.begin() + 1);
  return shape;
}

std::vector<float> floats_of(const Array& array, const std::string& where) {
  std::vector<float> values;
  for (const double value : array.doubles()) {
    values.push_back(static_cast<float>(value));
    if (!std::isfinite(values.back()))
      refuse("a number of the states is not finite in single precision", where,
             "save states without NaN, infinity and numbers beyond 3e38");
  }
  return values;
}

std::vector<std::vector<float>> slices(const Array& array, std::size_t count,
                                       const std::string& where) {
  const std::vector<float> all = floats_of(array, where);
  const auto size = static_cast<std::ptrdiff_t>(all.size() / count);
  std::vector<std::vector<float>> parts;
  for (auto at = all.begin(); at != all.end(); at += size) parts.emplace_back(at, at + size);
  return parts;
}

Record tensors_of(const Import& request) {
  const std::string ending = request.file.extension().string();
  if (ending == ".npy") {
    Record record;
    record[request.tensor] = read_npy(request.file);
    return record;
  }
  if (ending != ".safetensors")
    refuse("states are read from .npy and .safetensors", request.file.string(),
           "save them by numpy.save or safetensors");
  return read_safetensors(request.file).tensors;
}

}  // namespace

Imported import_states(const Import& request) {
  const Record tensors = tensors_of(request);
  auto at = tensors.find(request.tensor);
  if (at == tensors.end() && tensors.size() == 1) at = tensors.begin();
  if (at == tensors.end())
    refuse(fmt::format("the file has no tensor '{}'", request.tensor), request.file.string(),
           "name the one with the states: --tensor NAME");
  const std::string where = request.file.string() + ": " + at->first;
  const std::vector<std::size_t> shape = shape_of(at->second, 3);
  if (shape.size() != 3 || shape[0] < 2 || shape[1] < 1 || shape[2] < 2 || shape[0] > kMostLayers ||
      shape[1] > kMostTokens || shape[2] > kMostTokens)
    refuse(fmt::format("states of shape {} are no layers of tokens", shape_text(at->second)), where,
           "save shape (layers, tokens, d): the embedded tokens, then the state after every block");
  Imported made;
  Trace& trace = made.text.trace;
  const std::size_t blocks = shape[0] - 1, n = shape[1];
  trace.n = static_cast<int>(n);
  trace.d = static_cast<int>(shape[2]);
  std::vector<std::vector<float>> states = slices(at->second, shape[0], where);
  trace.before.assign(states.begin(), states.end() - 1);
  trace.after.assign(states.begin() + 1, states.end());
  if (const auto heads = tensors.find("attentions"); heads != tensors.end()) {
    const std::vector<std::size_t> of = shape_of(heads->second, 4);
    if (of.size() != 4 || of[0] != blocks || of[1] < 1 || of[1] > kMostTokens || of[2] != n ||
        of[3] != n)
      refuse(fmt::format("attentions of shape {} do not belong to states of shape {}",
                         shape_text(heads->second), shape_text(at->second)),
             request.file.string() + ": attentions",
             "save shape (layers - 1, heads, tokens, tokens)");
    trace.attention = slices(heads->second, blocks, request.file.string() + ": attentions");
    trace.heads = static_cast<int>(of[1]);
  }
  if (!request.tokens.empty() && request.tokens.size() != n)
    refuse(fmt::format("there are {} tokens by name, and the states have {}", request.tokens.size(),
                       n),
           "--tokens", "give a token a line");
  for (std::size_t i = 0; i < n; ++i)
    made.text.tokens.push_back(request.tokens.empty() ? fmt::format("{}", i) : request.tokens[i]);
  made.text.given = n;
  made.text.prompt.name = request.file.string();
  made.of.family = "imported";
  made.of.d = trace.d;
  made.of.layers = static_cast<int>(blocks);
  made.of.heads = trace.heads;
  made.of.causal = request.causal;
  made.of.blocks.resize(blocks);
  return made;
}

}  // namespace murmur
