// hostile_models_test.cpp: folders of models that were made to do harm: sizes whose products
// overflow, tensors without rows, absurd numbers, pipes in the place of files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "model/golden.h"
#include "model/model_folder.h"
#include "refused.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
const fs::path kFamilies = fs::path(__FILE__).parent_path().parent_path() / "fixtures/families";

// A copy of a tiny model whose parts can be changed.
class Folder {
 public:
  explicit Folder(const char* family) {
    for (const char* file : {"config.json", "model.safetensors"})
      fs::copy_file(kFamilies / family / file, path() / file);
  }
  fs::path path() const { return directory_.path(); }
  void set(const std::string& key, const Json& value) const {
    Json config = Json::parse(std::ifstream(path() / "config.json"));
    config[key] = value;
    std::ofstream(path() / "config.json") << config;
  }
  // Every tensor whose name ends so has this shape, and zeros.
  void reshape(const std::string& ending, std::vector<std::size_t> shape) const {
    Safetensors all = read_safetensors(path() / "model.safetensors");
    for (auto& [name, array] : all.tensors)
      if (name.ends_with(ending)) {
        array.shape = shape;
        array.values = std::vector<float>(array.size());
      }
    write_safetensors(path() / "model.safetensors", all);
  }

 private:
  test::TemporaryDirectory directory_{};
};

std::function<void()> reading(const fs::path& path) {
  return [path] { open_model(path); };
}

// The family's model with one value of its configuration changed.
std::function<void()> with(const char* family, const char* key, const Json& value) {
  return [=] {
    const Folder folder(family);
    folder.set(key, value);
    read_model(folder.path());
  };
}

// 65536 x 65536 is 0 in 32 bits, 3033169 x 1416 is 8: tensors of these sizes were accepted, and
// memory outside of them was read.
TEST(HostileModels, HeadsTimesTheirWidthOverflow) {
  const auto folder = [](int heads, int width, std::size_t rows) {
    return [=] {
      const Folder llama("llama");
      llama.set("num_attention_heads", heads);
      llama.set("num_key_value_heads", heads);
      llama.set("head_dim", width);
      for (const char* map : {"q_proj.weight", "k_proj.weight", "v_proj.weight"})
        llama.reshape(map, {rows, 32});
      llama.reshape("o_proj.weight", {32, rows});
      read_model(llama.path());
    };
  };
  expect_refused({{"head_dim", folder(65536, 65536, 0)},
                  {"head_dim", folder(3033169, 1416, 8)},
                  {"head_dim", folder(1 << 24, 1 << 24, 0)}});
}

TEST(HostileModels, PatchesOfAPictureOverflow) {
  const Folder vit("vit");
  vit.set("patch_size", 1);
  vit.set("image_size", 65536);
  vit.reshape("position_embeddings", {1, 32});
  vit.reshape("projection.weight", {32, 1, 1, 1});
  expect_refused({{"image_size", reading(vit.path())}});
  const Folder coloured("vit");
  coloured.set("num_channels", 1 << 24);
  coloured.set("patch_size", 1 << 12);
  coloured.set("image_size", 1 << 12);
  expect_refused({{"num_channels", reading(coloured.path())}});
}

TEST(HostileModels, TensorsWithoutRows) {
  const Folder bert("bert");
  bert.reshape("token_type_embeddings.weight", {0, 32});
  expect_refused({{"token_type_embeddings", reading(bert.path())}});
}

TEST(HostileModels, AbsurdSharesOfRotations) {
  const auto rotated = [](double share) {
    return with("gpt_neox", "rope_parameters",
                {{"partial_rotary_factor", share}, {"rope_theta", 1e4}, {"rope_type", "default"}});
  };
  expect_refused({{"partial_rotary_factor", rotated(-1)},
                  {"partial_rotary_factor", rotated(1.5)},
                  {"partial_rotary_factor", rotated(1e300)},
                  {"partial_rotary_factor", with("phi3", "partial_rotary_factor", 1e300)}});
}

TEST(HostileModels, AbsurdNumbersOfTheConfiguration) {
  const auto turning = [](const Json& theta) {
    return with("llama", "rope_parameters", {{"rope_theta", theta}, {"rope_type", "default"}});
  };
  expect_refused({{"rope_theta", turning(0)},
                  {"rope_theta", turning(-1e4)},
                  {"rope_theta", turning(1e300)},
                  {"head_dim", with("llama", "head_dim", 0)},
                  {"num_key_value_heads", with("llama", "num_key_value_heads", 0)},
                  {"rms_norm_eps", with("llama", "rms_norm_eps", -1)},
                  {"layer_norm_eps", with("bert", "layer_norm_eps", 1e300)},
                  {"query_pre_attn_scalar", with("gemma2", "query_pre_attn_scalar", 0)},
                  {"attn_logit_softcapping", with("gemma2", "attn_logit_softcapping", -1)},
                  {"final_logit_softcapping", with("gemma2", "final_logit_softcapping", 1e300)},
                  {"max_position_embeddings", with("roberta", "pad_token_id", 1 << 24)}});
}

// The logits of a model that has none were read before the beginning of an empty array.
TEST(HostileModels, LogitsThatTheModelLacks) {
  const Model bert = read_model(kFamilies / "bert");
  Record golden;
  golden["input_ids"] = array_of(std::vector<std::int64_t>{1, 2});
  golden["logits_last"] = array_of(std::vector<double>(97, 0.0));
  expect_refused({{"nothing of this name", [&] { compare_with_golden(*bert, golden, "golden"); }}});
}

// A pipe that nobody writes to held the program without end.
TEST(HostileModels, PipesInThePlaceOfFiles) {
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json",
                           "model.safetensors.index.json", "tok512.bin"}) {
    const Folder folder("llama");
    fs::remove(folder.path() / name);
    ASSERT_EQ(mkfifo((folder.path() / name).c_str(), 0600), 0);
    const bool own = std::string(name).ends_with(".bin");
    expect_refused({{name, own ? [&] { open_tokenizer(folder.path() / "tok512.bin"); }
                               : reading(folder.path())}});
  }
  const test::TemporaryDirectory folder;
  for (const char* name : {"weights.bin", "nano.json", "tokenizer.json"}) {
    ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0);
    expect_refused(
        {{name, reading(folder / name)}, {name, [&] { open_tokenizer(folder / name); }}});
  }
  expect_refused({{"config.json", reading(folder.path())}});  // none of the pipes is opened
}

TEST(HostileModels, DevicesInThePlaceOfFiles) {
  for (const char* name : {"config.json", "model.safetensors"}) {
    const Folder folder("llama");
    fs::remove(folder.path() / name);
    fs::create_symlink("/dev/zero", folder.path() / name);
    expect_refused({{name, reading(folder.path())}});
  }
}

// The newest state of a model in the hub's cache is a folder in snapshots, and nothing else.
TEST(HostileModels, StatesOutsideOfTheCache) {
  for (const char* name : {"..", ".", "../..", "a/b", "/"}) {
    const test::TemporaryDirectory cache;
    fs::create_directories(cache / "snapshots/a/b");
    fs::create_directories(cache / "refs");
    std::ofstream(cache / "refs/main") << name << "\n";
    for (const char* place : {"", "snapshots", "snapshots/a", "snapshots/a/b"})
      fs::copy_file(kFamilies / "bert/config.json", cache.path() / place / "config.json");
    expect_refused({{"refs/main", reading(cache.path())}});
  }
}

TEST(HostileModels, ShardsThatAreNoFilesOfTheFolder) {
  for (const char* name : {"..", ".", "", "../model.safetensors"}) {
    const Folder folder("llama");
    Json index;
    index["weight_map"]["x"] = name;
    std::ofstream(folder.path() / "model.safetensors.index.json") << index;
    expect_refused({{"outside", reading(folder.path())}});
  }
}

TEST(HostileModels, HeadersOfLlama2cThatOverflow) {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "model.bin";
  const auto header = [&](std::vector<std::int32_t> numbers) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(4 * numbers.size()));
  };
  header({8, 16, 1, 2, 2, std::numeric_limits<std::int32_t>::min(), 4});
  expect_refused({{"sizes", reading(path)}});
  header({1 << 24, 1 << 24, 4096, 1 << 20, 1 << 20, 1 << 24, 1 << 24});
  expect_refused({{"the file holds 0", reading(path)}});
}

}  // namespace
}  // namespace murmur::testing
