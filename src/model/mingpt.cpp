// mingpt.cpp: reads a GPT of minGPT out of one JSON file, its tensors in base64.
//
// {"config": {n_layer, n_head, n_embd, vocab_size, block_size}, NAME: {shape, dtype, data}, ...}
// with minGPT's names: those of the hub's GPT-2, but maps lie (out, in).
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/bind.h"
#include "model/model_folder.h"
#include "murmur/error.h"
#include "run/base64.h"
#include "run/kept_json.h"
#include "run/source.h"

namespace murmur {

namespace {

Weights::Tensor tensor_of(const KeptJson& json, Storage& storage) {
  if (json.at("dtype").text() != "torch.float32") json.at("dtype").refuse("is not torch.float32");
  Weights::Tensor tensor;
  for (const KeptJson& axis : json.at("shape").list())
    tensor.shape.push_back(static_cast<std::size_t>(axis.whole(1)));
  const auto bytes = bytes_of_base64(json.at("data").text());
  if (!bytes) json.at("data").refuse("is not base64");
  if (bytes_of(Element::f32, tensor.shape) != bytes->size())
    json.at("data").refuse("does not hold as many numbers as the shape says");
  auto values = std::make_shared<std::vector<float>>(bytes->size() / sizeof(float));
  std::memcpy(values->data(), bytes->data(), bytes->size());
  tensor.values = values->data();
  storage.push_back(std::move(values));
  return tensor;
}

}  // namespace

Model parse_mingpt(std::string_view text, const std::string& where) {
  const KeptJson kept = KeptJson::parse(text, where);
  if (!kept.has("config"))
    throw Error(Fault::input, "the file is no GPT of minGPT: it has no config", where,
                "give a folder with config.json and weights, or minGPT's tensors as JSON");
  Weights weights;
  for (const auto& [name, value] : kept.members())
    if (name != "config") weights.tensors[name] = tensor_of(value, weights.storage);
  nlohmann::json config = kept.at("config").json();
  if (!config.is_object()) kept.at("config").refuse("is no object");
  config["model_type"] = "gpt2";
  if (config.contains("block_size")) config["n_positions"] = config["block_size"];
  Family family = family_of(config, where);
  family.names.transposed = false;
  family.tied = false;
  return with_weights(family, std::move(weights), where);
}

Model read_mingpt(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  return parse_mingpt({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace murmur
