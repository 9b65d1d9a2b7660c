// fuzz_model_folder.cpp: folders of models, config.json and safetensors made together. Any folder
// either is a transformer, whose pass gives as many numbers as it says, or is refused by an Error.
//
// The input chooses a family, changes its configuration by numbers that have done harm, and changes
// its tensors. Where a tensor is refused, it is given the shape that was asked for as long as that
// is small: so folders that are consistent and wrong reach the pass.
#include <fuzzer/FuzzedDataProvider.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/model_folder.h"
#include "murmur/error.h"

using namespace murmur;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
constexpr std::size_t kMostNumbers = 1 << 14;  // of a tensor that is made
constexpr int kMostRepairs = 60;

struct Tensor {
  std::vector<std::uint64_t> shape{};
  const char* type = "F32";
};
using Tensors = std::map<std::string, Tensor>;

constexpr const char* kConfigs[] = {
    R"({"model_type":"llama","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8})",
    R"({"model_type":"mistral","hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8,"sliding_window":2})",
    R"({"model_type":"qwen3","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8,"head_dim":2})",
    R"({"model_type":"gemma2","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8,"head_dim":2})",
    R"({"model_type":"phi3","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8})",
    R"({"model_type":"gpt2","n_embd":4,"n_layer":1,"n_head":2,"vocab_size":5,"n_positions":8})",
    R"({"model_type":"gpt_neox","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8,"rotary_pct":1})",
    R"({"model_type":"opt","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("ffn_dim":4,"vocab_size":5,"max_position_embeddings":8})",
    R"({"model_type":"bert","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8})",
    R"({"model_type":"roberta","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8,"pad_token_id":1})",
    R"({"model_type":"distilbert","dim":4,"n_layers":1,"n_heads":2,"hidden_dim":4,"vocab_size":5,)"
    R"("max_position_embeddings":8})",
    R"({"model_type":"albert","hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8,"embedding_size":2})",
    R"({"model_type":"modernbert","hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,)"
    R"("intermediate_size":4,"vocab_size":5,"max_position_embeddings":8})",
    R"({"model_type":"vit","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"patch_size":1,"image_size":2,"num_channels":1})",
    R"({"model_type":"kwt","hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
    R"("intermediate_size":4,"num_frames":3,"num_features":2,"num_labels":3})"};

constexpr const char* kKeys[] = {"hidden_size",
                                 "num_hidden_layers",
                                 "num_attention_heads",
                                 "num_key_value_heads",
                                 "head_dim",
                                 "intermediate_size",
                                 "vocab_size",
                                 "max_position_embeddings",
                                 "sliding_window",
                                 "partial_rotary_factor",
                                 "rotary_pct",
                                 "rope_theta",
                                 "rope_parameters",
                                 "rms_norm_eps",
                                 "layer_norm_eps",
                                 "query_pre_attn_scalar",
                                 "attn_logit_softcapping",
                                 "final_logit_softcapping",
                                 "pad_token_id",
                                 "patch_size",
                                 "image_size",
                                 "num_channels",
                                 "num_frames",
                                 "num_features",
                                 "num_labels",
                                 "embedding_size",
                                 "local_attention",
                                 "global_attn_every_n_layers",
                                 "n_embd",
                                 "n_head",
                                 "n_layer",
                                 "n_inner",
                                 "n_positions",
                                 "ffn_dim",
                                 "dim",
                                 "n_heads",
                                 "n_layers",
                                 "hidden_dim",
                                 "layer_types",
                                 "tie_word_embeddings",
                                 "use_parallel_residual",
                                 "use_sliding_window",
                                 "max_window_layers",
                                 "word_embed_proj_dim",
                                 "hidden_act",
                                 "model_type"};

constexpr const char* kValues[] = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "16",
    "64",
    "128",
    "256",
    "1024",
    "1416",
    "4096",
    "32768",
    "65535",
    "65536",
    "46341",
    "92682",
    "3033169",
    "16777215",
    "16777216",
    "16777217",
    "1073741824",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "-1",
    "-2147483648",
    "0.5",
    "-0.5",
    "1e-300",
    "1e300",
    "1e9",
    "null",
    "true",
    "false",
    "\"x\"",
    "[]",
    "{}",
    "[\"sliding_attention\"]",
    "[\"sliding_attention\",\"full_attention\"]",
    "{\"rope_theta\":1e4,\"rope_type\":\"default\",\"partial_rotary_factor\":0.5}",
    "{\"rope_theta\":-1,\"partial_rotary_factor\":1e300}",
    "\"relu\"",
    "\"silu\"",
    "\"gelu\"",
    "\"kwt\"",
    "\"vit\"",
    "\"bert\"",
    "\"llama\""};

template <std::size_t n>
const char* one_of(FuzzedDataProvider& input, const char* const (&list)[n]) {
  return list[input.ConsumeIntegralInRange<std::size_t>(0, n - 1)];
}

std::size_t bytes_of_type(const std::string& type) {
  return type == "F64" || type == "I64" ? 8 : type == "F16" || type == "BF16" ? 2 : 4;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Tensors of the shapes said, of the same few numbers over and over.
std::string safetensors(const Tensors& tensors, std::uint8_t number) {
  Json header = Json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    std::size_t size = bytes_of_type(tensor.type);
    for (const std::uint64_t axis : tensor.shape) size *= axis;
    header[name] = {{"dtype", tensor.type},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + size}}};
    const float value = static_cast<float>(number) / 64 - 1;
    std::string some(reinterpret_cast<const char*>(&value), sizeof value);
    while (data.size() % 4 != 0) data += '\0';
    for (std::size_t at = 0; at < size; ++at) data += some[at % some.size()];
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data;
}

bool is_small(const std::vector<std::uint64_t>& shape) {
  std::size_t size = 1;
  for (const std::uint64_t axis : shape) {
    if (axis > kMostNumbers) return false;
    size *= std::max<std::uint64_t>(axis, 1);
    if (size > kMostNumbers) return false;
  }
  return true;
}

std::string between(const std::string& text, const char* from, const char* to) {
  const auto begin = text.find(from);
  if (begin == std::string::npos) return "";
  const auto start = begin + std::string(from).size(), end = text.find(to, start);
  return end == std::string::npos ? "" : text.substr(start, end - start);
}

// Gives a tensor what the refusal asks for; false where it asks for nothing that can be given.
bool repaired(const std::string& told, Tensors& tensors) {
  const std::string name = between(told, "'", "'");
  if (name.empty()) return false;
  if (told.find("have no tensor") != std::string::npos) return tensors.try_emplace(name).second;
  if (told.find("is not of F32") != std::string::npos) {
    tensors[name].type = "F32";
    return true;
  }
  const std::string asked = between(told, "and not (", ")");
  if (told.find("has the shape") == std::string::npos || asked.empty()) return false;
  std::vector<std::uint64_t> shape;
  for (std::size_t at = 0; at < asked.size();) {
    const std::size_t end = std::min(asked.find(',', at), asked.size());
    shape.push_back(std::strtoull(asked.c_str() + at, nullptr, 10));
    at = end + 1;
  }
  if (!is_small(shape)) return false;
  tensors[name].shape = shape;
  return true;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check_pass(const Transformer& model, FuzzedDataProvider& input) {
  const Description& of = model.description();
  for (const PassEngine engine : {PassEngine::blas, PassEngine::reference}) {
    Trace trace;
    if (reads_tokens(of)) {
      std::vector<std::int64_t> ids;
      for (int k = input.ConsumeIntegralInRange(0, 5); k-- > 0;)
        ids.push_back(input.ConsumeIntegralInRange(-1, 6));
      trace = model.pass(ids, {.engine = engine});
      require(trace.n == static_cast<int>(ids.size()));
    } else {
      const auto size = of.frames > 0 ? static_cast<std::size_t>(of.frames) * of.features
                                      : static_cast<std::size_t>(of.channels) * of.image * of.image;
      if (size > kMostNumbers || input_tokens(of) > 64) return;
      trace = model.pass_picture(std::vector<float>(size, 0.5f), {.engine = engine});
    }
    const auto n = static_cast<std::size_t>(trace.n);
    require(trace.after.size() == static_cast<std::size_t>(of.layers));
    require(trace.last.size() == n * static_cast<std::size_t>(of.d));
    for (const auto& weights : trace.attention)
      require(weights.size() == static_cast<std::size_t>(of.heads) * n * n);
  }
}

// One folder for all inputs of a process; memory where there is such a place.
const fs::path& folder() {
  static const fs::path made = [] {
    const fs::path path = fs::path(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") /
                          ("murmur-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path);
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(folder(), ignored);
    });
    return path;
  }();
  return made;
}

// The tensors that one of the configurations asks for.
const Tensors& tensors_of(std::size_t which) {
  static std::array<Tensors, std::size(kConfigs)> known;
  if (!known[which].empty()) return known[which];
  write(folder() / "config.json", kConfigs[which]);
  for (Tensors tensors;;) {
    write(folder() / "model.safetensors", safetensors(tensors, 80));
    try {
      read_model(folder());
      return known[which] = tensors;
    } catch (const Error& error) {
      require(repaired(error.summary, tensors));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const auto which = input.ConsumeIntegralInRange<std::size_t>(0, std::size(kConfigs) - 1);
  Json config = Json::parse(kConfigs[which]);
  for (int k = input.ConsumeIntegralInRange(0, 4); k-- > 0;) {
    const char* const key = one_of(input, kKeys);
    config[key] = input.ConsumeBool()
                      ? Json(input.ConsumeIntegralInRange<std::int64_t>(-2, 1 << 25))
                      : Json::parse(one_of(input, kValues));
  }
  Tensors tensors = input.ConsumeIntegralInRange(0, 7) > 0 ? tensors_of(which) : Tensors{};
  const auto number = input.ConsumeIntegral<std::uint8_t>();
  const int repairs = input.ConsumeIntegralInRange(0, kMostRepairs);
  write(folder() / "config.json", config.dump());
  int changes = input.ConsumeIntegralInRange(0, 3);
  for (int k = 0;; ++k) try {
      std::string file = safetensors(tensors, number);
      if (k == repairs && input.ConsumeIntegralInRange(0, 7) == 0)  // torn or damaged
        for (int flips = input.ConsumeIntegralInRange(1, 4); flips-- > 0 && !file.empty();)
          file[input.ConsumeIntegralInRange<std::size_t>(0, file.size() - 1)] ^=
              static_cast<char>(1 << input.ConsumeIntegralInRange(0, 7));
      write(folder() / "model.safetensors", file);
      const Model model = read_model(folder());
      if (changes-- >
          0) {  // of a folder that was whole: one tensor less, wider, empty or of halves
        auto at = tensors.begin();
        std::advance(at, input.ConsumeIntegralInRange<std::size_t>(0, tensors.size() - 1));
        std::vector<std::uint64_t>& shape = at->second.shape;
        const int what = input.ConsumeIntegralInRange(0, 4);
        if (what == 0) tensors.erase(at);
        if (what == 1 && !shape.empty()) shape[0] = input.ConsumeIntegralInRange(0, 9);
        if (what == 2 && !shape.empty()) shape.back() = input.ConsumeIntegralInRange(0, 9);
        if (what == 3) shape.push_back(1);
        if (what == 4) at->second.type = input.ConsumeBool() ? "F16" : "I64";
        check_pass(*model, input);
        continue;
      }
      check_pass(*model, input);
      return 0;
    } catch (const Error& error) {
      if (k >= repairs || !repaired(error.summary, tensors)) return 0;
    }
}
