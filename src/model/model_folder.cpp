// model_folder.cpp: reads config.json and the weights beside it.
#include "model/model_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "model/bind.h"
#include "murmur/error.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLongestText = 64 << 20;  // of config.json and of an index

[[noreturn]] void refuse(const std::string& what, const fs::path& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where.string(), remedy);
}

std::string text_of(const fs::path& path) {
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  if (gone) refuse("the file cannot be read", path, "give a folder with config.json and weights");
  if (size > kLongestText) refuse("the file is too long", path, "give the file of the model");
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');  // no more: a file of /proc has the size 0 and may never end
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// The name of something in a folder, and not a way out of it.
bool is_entry_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

}  // namespace

void refuse_pickled(const fs::path& where) {
  refuse("the weights are pickled, and a pickle may run any program", where,
         "convert them to safetensors, in Python: safetensors.torch.save_file(torch.load(FILE, "
         "weights_only=True), \"model.safetensors\")");
}

bool is_pickled(const fs::path& file) {
  const std::string end = file.extension().string();
  if (end == ".pt" || end == ".pth" || end == ".ckpt" || end == ".pkl") return true;
  std::error_code ignored;
  if (end != ".bin" || !fs::is_regular_file(file, ignored)) return false;  // a pipe would wait
  unsigned char b[4] = {};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(b), sizeof b);
  const bool zip = b[0] == 'P' && b[1] == 'K' && b[2] == 3 && b[3] == 4;
  const bool bare = b[0] == 0x80 && b[1] >= 2 && b[1] <= 5 && (b[2] != 0 || b[3] != 0);
  return zip || bare;  // as a size of llama2.c either would be beyond any model's
}

// refs/main names the newest state, or there is only one.
fs::path state_of_model(const fs::path& folder) {
  const fs::path all = folder / "snapshots";
  if (!fs::is_directory(all)) return folder;
  if (fs::exists(folder / "refs" / "main")) {
    std::string name = text_of(folder / "refs" / "main");
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back()))) name.pop_back();
    if (!is_entry_name(name))
      refuse("refs/main names no folder in snapshots", folder / "refs" / "main",
             "download the model again, or name one of the folders in snapshots");
    if (fs::is_directory(all / name)) return all / name;
  }
  std::vector<fs::path> states;
  for (const auto& entry : fs::directory_iterator(all)) states.push_back(entry.path());
  if (states.size() != 1)
    refuse("the cache holds several states of the model", all, "name one of the folders in it");
  return states[0];
}

namespace {

// The files that the index of a model in shards names, each in this folder.
std::set<std::string> shards(const fs::path& index) {
  const nlohmann::json json = json_of_model(text_of(index), index.string());
  std::set<std::string> files;
  const bool known =
      json.is_object() && json.contains("weight_map") && json["weight_map"].is_object();
  if (!known) refuse("the index has no weight_map", index, "download the model again");
  for (const auto& [name, file] : json["weight_map"].items()) {
    const bool plain = file.is_string() && is_entry_name(file.get<std::string>());
    if (!plain) refuse("the index names a file outside of its folder", index, "download it again");
    files.insert(file.get<std::string>());
  }
  return files;
}

bool is_keyword_transformer(const fs::path& path) {
  Weights weights;
  weights.add(path);
  return weights.tensors.count("patch_proj.weight") > 0;
}

}  // namespace

// Beside the weights there may be tensors of other programs: model*.safetensors goes before all,
// and without config.json only a keyword transformer is known by its tensors.
std::vector<fs::path> weight_files(const fs::path& folder) {
  std::vector<fs::path> files, named;  // named: model*.safetensors
  if (const fs::path index = folder / "model.safetensors.index.json"; fs::exists(index)) {
    for (const std::string& file : shards(index)) files.push_back(folder / file);
    return files;
  }
  const bool described = fs::exists(folder / "config.json");
  bool pickled = false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string(),
                      end = entry.path().extension().string();
    if (end == ".safetensors" && (described || is_keyword_transformer(entry.path()))) {
      files.push_back(entry.path());
      if (name.rfind("model", 0) == 0) named.push_back(entry.path());
    }
    pickled = pickled || name.rfind("pytorch_model", 0) == 0 || is_pickled(entry.path());
  }
  if (named.size() == 1) return named;
  if (files.size() == 1) return files;
  if (files.empty() && pickled) refuse_pickled(folder);
  if (!described)
    refuse("the folder has no config.json", folder, "give a folder with config.json and weights");
  refuse(files.empty() ? "the folder has no safetensors" : "the folder has several safetensors",
         folder, "give a folder with config.json and model.safetensors");
}

namespace {

// Heads of the keyword transformers are 64 wide (2104.00769, Table 1).
nlohmann::json config_of(const Weights& weights, const fs::path& folder) {
  const auto axis = [&](const char* name, std::size_t k) -> std::size_t {
    const auto at = weights.tensors.find(name);
    if (at == weights.tensors.end() || at->second.shape.size() <= k)
      refuse(fmt::format("the keyword transformer has no tensor '{}'", name), folder,
             "write a config.json with model_type kwt");
    return at->second.shape[k];
  };
  const std::size_t d = axis("patch_proj.weight", 0);
  int layers = 0;
  while (weights.tensors.count(fmt::format("layers.{}.q.weight", layers)) > 0) ++layers;
  return {{"model_type", "kwt"},
          {"hidden_size", d},
          {"num_hidden_layers", layers},
          {"num_attention_heads", std::max<std::size_t>(1, d / 64)},
          {"intermediate_size", axis("layers.0.fc1.weight", 0)},
          {"num_frames", axis("pos_embed", 0) - 1},
          {"num_features", axis("patch_proj.weight", 1)},
          {"num_labels", axis("head.weight", 0)}};
}

}  // namespace

Model read_model(const fs::path& given) {
  if (!fs::is_directory(given))
    refuse("there is no such folder", given, "give a folder with config.json and weights");
  const fs::path folder = state_of_model(given);
  const fs::path config = folder / "config.json";
  std::optional<Family> family;
  if (fs::exists(config)) family = parse_family(text_of(config), config.string());
  Weights weights;
  for (const fs::path& file : weight_files(folder)) weights.add(file);
  if (!family) family = family_of(config_of(weights, folder), folder.string());
  return with_weights(*family, std::move(weights), folder.string());
}

}  // namespace murmur
