// model_folder.cpp: opens a transformer and its tokeniser by a path: a folder with config.json and
// safetensors, the JSON file of minGPT, or the files of llama2.c; each part gets its weights by the
// names of its family.
#include "model/model_folder.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>

#include "model/tokenizer_file.h"
#include "model/tokenizer_parts.h"
#include "murmur/error.h"
#include "run/base64.h"
#include "run/file.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "run/source.h"

namespace murmur {

namespace {

class Binder {
 public:
  Binder(const Family& family, const Weights& weights, const std::string& where)
      : of_(family.description), names_(family.names), tensors_(weights.tensors), where_(where) {
    const std::string probe = block_name(0) + names_.query + ".weight";
    if (tensors_.count(probe) == 0 && tensors_.count(names_.prefix + probe) > 0)
      prefix_ = names_.prefix;
  }

  TransformerWeights all(bool tied) {
    TransformerWeights w;
    const int width = of_.embedding_width;
    if (of_.patch > 0)
      picture(w);
    else if (of_.frames > 0)
      spectrum(w);
    else
      prompt(w, width, tied);
    w.embedding_norm = norm(names_.embedding_norm, width);
    if (width != of_.d) w.embedding_map = linear(names_.embedding_map, of_.d, width);
    w.final_norm = norm(names_.final_norm, of_.d);
    for (int layer = 0; layer < (of_.shared ? 1 : of_.layers); ++layer)
      w.blocks.push_back(block(layer));
    return w;
  }

  std::vector<std::vector<float>> made{};

 private:
  std::string block_name(int layer) const {
    std::string name = names_.block;
    const auto at = name.find("{}");
    return at == std::string::npos ? name : name.replace(at, 2, std::to_string(layer));
  }

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }

  // The values of a tensor of this shape; axes of size 1 do not count.
  const float* values(const std::string& name, std::vector<std::size_t> shape) {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) refuse(fmt::format("the weights have no tensor '{}'", name));
    const std::vector<std::size_t> asked = shape;
    const auto ones = [](std::size_t axis) { return axis == 1; };
    std::vector<std::size_t> held = at->second.shape;
    held.erase(std::remove_if(held.begin(), held.end(), ones), held.end());
    shape.erase(std::remove_if(shape.begin(), shape.end(), ones), shape.end());
    if (held != shape)
      refuse(fmt::format("the tensor '{}' has the shape ({}), and not ({})", name,
                         fmt::join(at->second.shape, ", "), fmt::join(asked, ", ")));
    if (at->second.values == nullptr)
      refuse(fmt::format("the tensor '{}' is not of F32, F16 or BF16", name));
    return at->second.values;
  }

  const float* keep(std::vector<float> values) {
    made.push_back(std::move(values));
    return made.back().data();
  }

  NormWeights norm(const std::string& name, int width) { return norm_at(prefix_, name, width); }

  NormWeights norm_at(const std::string& before, const std::string& name, int width) {
    NormWeights w;
    if (name.empty()) return w;
    const auto size = static_cast<std::size_t>(width);
    w.gain = values(before + name + ".weight", {size});
    if (has(before + name + ".bias")) w.bias = values(before + name + ".bias", {size});
    if (names_.gain_less_one) {
      std::vector<float> gain(w.gain, w.gain + width);
      for (float& entry : gain) entry += 1;
      w.gain = keep(std::move(gain));
    }
    return w;
  }

  Linear linear(const std::string& name, int out, int in) {
    return linear_at(prefix_ + name, out, in);
  }

  Linear linear_at(const std::string& name, int out, int in) {
    const auto rows = static_cast<std::size_t>(names_.transposed ? in : out);
    const auto cols = static_cast<std::size_t>(names_.transposed ? out : in);
    Linear f{
        .out = out, .in = in, .pitch = static_cast<int>(cols), .transposed = names_.transposed};
    f.w = values(name + ".weight", {rows, cols});
    if (has(name + ".bias")) f.bias = values(name + ".bias", {static_cast<std::size_t>(out)});
    return f;
  }

  // Rows [first, first + out) of a map.
  static Linear part(const Linear& f, int first, int out) {
    Linear some = f;
    some.out = out;
    some.w += f.transposed ? first : static_cast<std::ptrdiff_t>(first) * f.pitch;
    if (some.bias != nullptr) some.bias += first;
    return some;
  }

  // The rows of query (0), key (1) or value (2) of all heads, from a map that has the three of each
  // head in turn.
  Linear gathered(const Linear& f, int which) {
    const int width = of_.head_width;
    std::vector<float> w, bias;
    for (int head = 0; head < of_.heads; ++head) {
      const std::ptrdiff_t first = (3 * static_cast<std::ptrdiff_t>(head) + which) * width;
      w.insert(w.end(), f.w + first * f.in, f.w + (first + width) * f.in);
      if (f.bias != nullptr) bias.insert(bias.end(), f.bias + first, f.bias + first + width);
    }
    Linear some = f;
    some.out = of_.heads * width;
    some.w = keep(std::move(w));
    if (f.bias != nullptr) some.bias = keep(std::move(bias));
    return some;
  }

  void attention(const std::string& at, BlockWeights& w) {
    const int wide = of_.heads * of_.head_width, narrow = of_.key_heads * of_.head_width;
    if (names_.fused == Fused::apart) {
      w.query = linear_at(at + names_.query, wide, of_.d);
      w.key = linear_at(at + names_.key, narrow, of_.d);
      w.value = linear_at(at + names_.value, narrow, of_.d);
    } else {
      const Linear f = linear_at(at + names_.query, wide + 2 * narrow, of_.d);
      const bool stacked = names_.fused == Fused::stacked;
      w.query = stacked ? part(f, 0, wide) : gathered(f, 0);
      w.key = stacked ? part(f, wide, narrow) : gathered(f, 1);
      w.value = stacked ? part(f, wide + narrow, narrow) : gathered(f, 2);
    }
    w.out = linear_at(at + names_.out, of_.d, wide);
    w.query_norm = norm_at(at, names_.query_norm, of_.head_width);
    w.key_norm = norm_at(at, names_.key_norm, of_.head_width);
  }

  BlockWeights block(int layer) {
    const std::string at = prefix_ + block_name(layer);
    BlockWeights w;
    if (of_.blocks[static_cast<std::size_t>(layer)].first_norm)
      w.attention_norm = norm_at(at, names_.attention_norm, of_.d);
    w.attention_norm_after = norm_at(at, names_.attention_norm_after, of_.d);
    w.feed_forward_norm = norm_at(at, names_.feed_forward_norm, of_.d);
    w.feed_forward_norm_after = norm_at(at, names_.feed_forward_norm_after, of_.d);
    attention(at, w);
    if (names_.gate_and_up) {
      const Linear f = linear_at(at + names_.gate, 2 * of_.hidden, of_.d);
      w.gate = part(f, 0, of_.hidden);
      w.up = part(f, of_.hidden, of_.hidden);
    } else {
      if (of_.gated) w.gate = linear_at(at + names_.gate, of_.hidden, of_.d);
      w.up = linear_at(at + names_.up, of_.hidden, of_.d);
    }
    w.down = linear_at(at + names_.down, of_.d, of_.hidden);
    return w;
  }

  void prompt(TransformerWeights& w, int width, bool tied) {
    const auto rows = static_cast<std::size_t>(of_.vocabulary),
               wide = static_cast<std::size_t>(width);
    const std::string own = names_.unembedding + ".weight";
    const bool has_own = !names_.unembedding.empty() && has(own);
    const std::string tokens = prefix_ + names_.tokens + ".weight";
    w.tokens = values(!has(tokens) && tied && has_own ? own : tokens, {rows, wide});
    if (!names_.positions.empty())
      w.positions = values(prefix_ + names_.positions + ".weight",
                           {static_cast<std::size_t>(of_.context + of_.skipped_positions), wide});
    if (!names_.type.empty()) w.type = first_row(prefix_ + names_.type + ".weight", wide);
    if (names_.unembedding.empty()) return;
    if (!has_own && !tied) refuse(fmt::format("the weights have no tensor '{}'", own));
    w.unembedding = {.w = has_own ? values(own, {rows, wide}) : w.tokens,
                     .out = of_.vocabulary,
                     .in = width,
                     .pitch = width};
  }

  void picture(TransformerWeights& w) {
    const int across = of_.image / of_.patch;
    const auto d = static_cast<std::size_t>(of_.d);
    const auto side = static_cast<std::size_t>(of_.patch);
    w.class_token = values(prefix_ + "embeddings.cls_token", {d});
    w.positions = values(prefix_ + "embeddings.position_embeddings",
                         {static_cast<std::size_t>(across * across + 1), d});
    const std::string name = prefix_ + "embeddings.patch_embeddings.projection";
    const int in = of_.channels * of_.patch * of_.patch;  // family.cpp has checked its size
    w.patches = {
        .w = values(name + ".weight", {d, static_cast<std::size_t>(of_.channels), side, side}),
        .out = of_.d,
        .in = in,
        .pitch = in,
        .bias = values(name + ".bias", {d})};
  }

  void spectrum(TransformerWeights& w) {
    const auto d = static_cast<std::size_t>(of_.d);
    w.class_token = values("cls_token", {d});
    w.positions = values(names_.positions, {static_cast<std::size_t>(of_.frames) + 1, d});
    w.patches = linear_at("patch_proj", of_.d, of_.features);
    w.unembedding = linear_at(names_.unembedding, of_.vocabulary, of_.d);
  }

  const float* first_row(const std::string& name, std::size_t width) {
    const auto at = tensors_.find(name);
    const bool plain = at != tensors_.end() && at->second.shape.size() == 2;
    const std::size_t rows = plain ? at->second.shape[0] : 1;
    return values(name, {std::max<std::size_t>(rows, 1), width});
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Fault::input, what, where_,
                "give the weights that belong to config.json, in the layout of its family");
  }

  const Description& of_;
  const Names& names_;
  const std::map<std::string, Weights::Tensor>& tensors_;
  const std::string& where_;
  std::string prefix_{};
};

}  // namespace

Model with_weights(const Family& family, Weights weights, const std::string& where) {
  Binder binder(family, weights, where);
  TransformerWeights bound = binder.all(family.tied);
  return {family.description, std::move(bound), std::move(weights.storage), std::move(binder.made)};
}

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

// Whether a name is that of an entry in a folder, and does not leave the folder.
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
  if (end != ".bin" || !fs::is_regular_file(file, ignored)) return false;  // a pipe would block
  unsigned char b[4] = {};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(b), sizeof b);
  const bool zip = b[0] == 'P' && b[1] == 'K' && b[2] == 3 && b[3] == 4;
  const bool bare = b[0] == 0x80 && b[1] >= 2 && b[1] <= 5 && (b[2] != 0 || b[3] != 0);
  return zip || bare;  // neither is a valid first size of a llama2.c file
}

// refs/main names the newest state; without it there must be only one.
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

// The files in the index of a model in shards; each must be in this folder.
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

// The folder may also hold tensors of other programs: model*.safetensors is preferred, and without
// config.json only the tensors of a keyword transformer are recognised.
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

// The heads of the keyword transformers are 64 wide (2104.00769, Table 1).
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

namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kLargestFile = 64 << 20;

constexpr const char* kOwnTokenizer = "give the tokenizer.bin that belongs to the model";

// The budget refuses a file whose tokens are all parts of each other: its merges would not fit in
// memory.
nlohmann::json merges_of(const std::vector<ScoredToken>& tokens,
                         const std::unordered_map<std::string, std::size_t>& ids,
                         tokenizer::Budget budget) {
  std::vector<std::size_t> order(tokens.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tokens[a].score > tokens[b].score; });
  nlohmann::json merges = nlohmann::json::array();
  std::size_t bytes = 0;
  for (const std::size_t id : order) {
    const std::string& text = tokens[id].text;
    if (id < kLlama2cFixed) continue;
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::string left = text.substr(0, at), right = text.substr(at);
      budget.spend(text.size());
      if (ids.count(left) == 0 || ids.count(right) == 0) continue;
      budget.require_room(bytes += text.size());
      merges.push_back({left, right});
    }
  }
  return merges;
}

}  // namespace

Tokenizer parse_llama2c_tokenizer(std::string_view bytes, const std::string& where) {
  std::vector<ScoredToken> tokens = parse_llama2c_tokens(bytes, where);
  for (std::size_t id = 0; id < tokens.size(); ++id)
    if (!tokenizer::is_utf8(tokens[id].text))
      refuse(fmt::format("token {} of the tokeniser is not UTF-8", id), where, kOwnTokenizer);
  const char* const special[] = {"<unk>", "<s>", "</s>"};  // llama2.c knows these by their ids
  for (std::size_t id = 0; id < 3; ++id) tokens[id].text = special[id];
  std::unordered_map<std::string, std::size_t> ids;
  nlohmann::json vocabulary = nlohmann::json::object(), added = nlohmann::json::array();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (!ids.try_emplace(tokens[id].text, id).second)
      tokens[id].text = fmt::format("<{}>", id);  // no text gives it, as in llama2.c
    ids.try_emplace(tokens[id].text, id);
    vocabulary[tokens[id].text] = id;
  }
  for (std::size_t id = 0; id < 3; ++id)
    added.push_back({{"id", id}, {"content", special[id]}, {"special", true}});
  const nlohmann::json start = {{"id", "<s>"}, {"type_id", 0}};
  const nlohmann::json described = {
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", {{"type", "Prepend"}, {"prepend", " "}}},
      {"pre_tokenizer", nullptr},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {{{"SpecialToken", start}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"special_tokens",
         {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", nlohmann::json::array({"<s>"})}}}}}}},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<unk>"},
        {"byte_fallback", true},
        {"vocab", vocabulary},
        {"merges", merges_of(tokens, ids, tokenizer::Budget(bytes.size()))}}}};
  return Tokenizer::parse(json_text(described), where);
}

Tokenizer read_llama2c_tokenizer(const fs::path& path) {
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  if (gone || size > kLargestFile) refuse("the tokeniser cannot be read", path, kOwnTokenizer);
  return parse_llama2c_tokenizer(read_text(path), path.string());
}

namespace {

Tokenizer read_tokenizer(const fs::path& path) {
  return path.extension() == ".bin" ? read_llama2c_tokenizer(path) : Tokenizer::read(path);
}

bool names_llama2c_tokenizer(const fs::path& path) {
  return path.filename().string().starts_with("tok") && path.extension() == ".bin";
}

// The path of tokenizer.bin or tok512.bin, if the folder has exactly one such file.
std::optional<fs::path> llama2c_tokenizer_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (names_llama2c_tokenizer(entry.path())) found.push_back(entry.path());
  if (found.size() != 1) return std::nullopt;
  return found[0];
}

OpenedModel open_file(const fs::path& path) {
  if (is_pickled(path)) refuse_pickled(path);
  if (path.extension() != ".bin" && path.extension() != ".json")
    refuse("a single file of weights must be a .bin of llama2.c or a .json of minGPT", path,
           "give the folder with config.json and model.safetensors");
  OpenedModel opened{path.extension() == ".json" ? read_mingpt(path) : read_llama2c(path)};
  opened.files = {path};
  if (path.extension() == ".json") return opened;
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  if (const auto near = llama2c_tokenizer_in(folder)) opened.tokenizer = read_tokenizer(*near);
  return opened;
}

OpenedModel open_folder(const fs::path& given) {
  const fs::path folder = state_of_model(given);
  OpenedModel opened{read_model(folder)};
  opened.files = weight_files(folder);
  if (fs::exists(folder / "config.json")) opened.files.push_back(folder / "config.json");
  std::sort(opened.files.begin(), opened.files.end());
  if (fs::exists(folder / "tokenizer.json")) opened.tokenizer = Tokenizer::read(folder);
  return opened;
}

// Each block of a pass frees memory that the next one allocates again. Keeping it in the process
// avoids fetching its pages from the system, which takes a seventh of the pass of a small model.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD,
          32 << 20);  // the largest value that glibc accepts; larger blocks are returned
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace

Tokenizer open_tokenizer(const fs::path& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const bool weights = fs::is_regular_file(path, ignored) && path.extension() == ".bin" &&
                       !names_llama2c_tokenizer(path);
  if (!folder && !weights) return read_tokenizer(path);
  fs::path near = folder ? state_of_model(path) : path.parent_path();
  if (near.empty()) near = ".";
  if (!fs::exists(near / "tokenizer.json"))
    if (const auto found = llama2c_tokenizer_in(near)) return read_llama2c_tokenizer(*found);
  return Tokenizer::read(near);
}

OpenedModel open_model(const fs::path& path, const fs::path& tokenizer) {
  keep_freed_memory();
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    refuse(
        "there is no such model", path,
        "give a folder with config.json and model.safetensors, a .bin of llama2.c, or a .json of "
        "minGPT");
  OpenedModel opened = fs::is_directory(path, ignored) ? open_folder(path) : open_file(path);
  if (!tokenizer.empty()) opened.tokenizer = read_tokenizer(tokenizer);
  return opened;
}

}  // namespace murmur
