// transformer_test.cpp: the families of transformers against a reference library's own outputs, and
// what is refused before it is computed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/golden.h"
#include "model/model_folder.h"
#include "refused.h"
#include "run/base64.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kFamilies = fs::path(__FILE__).parent_path().parent_path() / "fixtures/families";
constexpr double kTolerance = 1e-5;  // of the largest entry: both sides are float32

void expect_held(const Model& model, const fs::path& golden,
                 const PassOptions& options = {.threads = 2}) {
  for (const GoldenCheck& check :
       compare_with_golden(*model, read_safetensors(golden).tensors, golden.string(), options))
    EXPECT_LT(check.error, kTolerance) << golden << ": " << check.name;
}

class Families : public ::testing::TestWithParam<const char*> {};

TEST_P(Families, AgreeWithTheReferenceLibrary) {
  const fs::path folder = kFamilies / GetParam();
  expect_held(read_model(folder), folder / "golden.safetensors");
}

// The definition of right, by plain loops, is held to the same.
TEST_P(Families, AgreeByTheReferencePassToo) {
  const fs::path folder = kFamilies / GetParam();
  expect_held(read_model(folder), folder / "golden.safetensors", {.engine = PassEngine::reference});
}

// The wrong model that the comparison rejects: one weight a block, of its feed-forward, half as
// large again.
TEST_P(Families, AreNotTakenForOneAnother) {
  const test::TemporaryDirectory copy;
  for (const char* file : {"config.json", "golden.safetensors"})
    fs::copy_file(kFamilies / GetParam() / file, copy.path() / file);
  Safetensors weights = read_safetensors(kFamilies / GetParam() / "model.safetensors");
  for (auto& [name, array] : weights.tensors)
    for (const char* down :
         {"output.dense.weight", "down_proj.weight", "lin2.weight", "c_proj.weight",
          "ffn_output.weight", "mlp.Wo.weight", "4h_to_h.weight", "fc2.weight"})
      if (name.ends_with(down)) std::get<std::vector<float>>(array.values)[0] *= 1.5f;
  write_safetensors(copy.path() / "model.safetensors", weights);
  double worst = 0;
  for (const GoldenCheck& check :
       compare_with_golden(*read_model(copy.path()),
                           read_safetensors(copy.path() / "golden.safetensors").tensors, "copy"))
    worst = std::max(worst, check.error);
  EXPECT_GT(worst, kTolerance);
}

// The same bits for any number of threads.
TEST_P(Families, DoNotDependOnThreads) {
  const Model model = read_model(kFamilies / GetParam());
  const auto golden = read_safetensors(kFamilies / GetParam() / "golden.safetensors").tensors;
  if (golden.count("case2.input_ids") == 0) return;
  const auto& ids = std::get<std::vector<std::int64_t>>(golden.at("case2.input_ids").values);
  EXPECT_EQ(model->pass(ids).last, model->pass(ids, {.threads = 4}).last);
}

INSTANTIATE_TEST_SUITE_P(Every, Families,
                         ::testing::ValuesIn(family_names().begin(), family_names().end()),
                         [](const auto& info) { return std::string(info.param); });

// MURMUR_MODELS names a folder with trained models that are not the project's own.
TEST(TrainedTransformers, AgreeWithTheirReferences) {
  const char* given = std::getenv("MURMUR_MODELS");
  if (given == nullptr) GTEST_SKIP() << "no folder of trained models is given by MURMUR_MODELS";
  const fs::path models = given;
  expect_held(read_llama2c(models / "stories260K/stories260K.bin"),
              models / "stories260K/golden.safetensors");
  expect_held(read_model(models / "tinystories-656K"),
              models / "tinystories-656K/golden.safetensors");
  if (fs::exists(models / "minilm/config.json"))
    expect_held(read_model(models / "minilm"), models / "minilm/golden.safetensors");
}

// Twelve blocks of one head; without config.json it is known by its tensors, whatever lies beside.
TEST(TrainedTransformers, OfOneHeadAgreeWithTheirReference) {
  const char* given = std::getenv("MURMUR_MODELS");
  if (given == nullptr) GTEST_SKIP() << "no folder of trained models is given by MURMUR_MODELS";
  const fs::path folder = fs::path(given) / "kwt1";
  const Model model = read_model(folder);
  EXPECT_EQ(model->description().heads, 1);
  for (const char* word : {"golden_yes.safetensors", "golden_no.safetensors"})
    expect_held(model, folder / word);
}

// The tiny one has heads of 16 coordinates, and without config.json heads are 64 wide: one head.
TEST(KeywordTransformers, AreKnownByTheirTensors) {
  const test::TemporaryDirectory copy;
  const fs::path own = kFamilies / "kwt";
  fs::copy_file(own / "model.safetensors", copy.path() / "weights.safetensors");
  fs::copy_file(own / "golden.safetensors", copy.path() / "golden.safetensors");
  const Description of = read_model(copy.path())->description();
  EXPECT_EQ(of.family, "kwt");
  EXPECT_EQ(of.heads, 1);
  EXPECT_EQ(of.layers, 3);
  EXPECT_EQ(of.frames, 9);
  EXPECT_EQ(of.features, 5);
  EXPECT_EQ(of.vocabulary, 4);
  fs::remove(copy.path() / "weights.safetensors");
  expect_refused({{"has no config.json", [&] { read_model(copy.path()); }}});
}

TEST(KeywordTransformers, ReadSpectraOfTheirSizeAlone) {
  const Model model = read_model(kFamilies / "kwt");
  const std::vector<float> spectrum(9 * 5, 0.1f), shorter(8 * 5, 0.1f);
  const Trace trace = model->pass_picture(spectrum);
  EXPECT_EQ(trace.n, 10);
  EXPECT_EQ(trace.last, model->pass_picture(spectrum, {.threads = 4}).last);
  expect_refused({{"9 frames of 5", [&] { model->pass_picture(shorter); }},
                  {"reads spectra", [&] {
                     model->pass(std::vector<std::int64_t>{1, 2});
                   }}});
}

// minGPT's tensors as JSON: those of the hub's tiny GPT-2, its maps turned, less the tied head.
nlohmann::json mingpt_of(const fs::path& folder) {
  const nlohmann::json config = nlohmann::json::parse(std::ifstream(folder / "config.json"));
  nlohmann::json all;
  for (const char* key : {"n_layer", "n_head", "n_embd", "vocab_size"})
    all["config"][key] = config.at(key);
  all["config"]["block_size"] = config.at("n_positions");
  for (auto& [name, array] : read_safetensors(folder / "model.safetensors").tensors) {
    auto values = std::get<std::vector<float>>(array.values);
    std::vector<std::size_t> shape = array.shape;
    const bool map = name.find("c_") != std::string::npos && name.ends_with(".weight");
    if (map) {
      std::vector<float> turned(values.size());
      for (std::size_t r = 0; r < shape[0]; ++r)
        for (std::size_t c = 0; c < shape[1]; ++c)
          turned[c * shape[0] + r] = values[r * shape[1] + c];
      values = turned;
      std::swap(shape[0], shape[1]);
    }
    all[name] = {{"shape", shape},
                 {"dtype", "torch.float32"},
                 {"data", base64(std::as_bytes(std::span(values)))}};
    if (name == "transformer.wte.weight") all["lm_head.weight"] = all[name];
  }
  return all;
}

TEST(MinGpt, IsReadOutOfJson) {
  const fs::path folder = kFamilies / "gpt2";
  const nlohmann::json right = mingpt_of(folder);
  expect_held(parse_mingpt(right.dump(), "nano.json"), folder / "golden.safetensors");
  nlohmann::json cut = right, other = right, type = right;
  cut["transformer.wpe.weight"]["data"] = "AAAA";
  other["transformer.wpe.weight"]["data"] = "?";
  type["transformer.wpe.weight"]["dtype"] = "torch.float16";
  expect_refused({{"as many numbers", [&] { parse_mingpt(cut.dump(), "nano.json"); }},
                  {"not base64", [&] { parse_mingpt(other.dump(), "nano.json"); }},
                  {"not torch.float32", [&] { parse_mingpt(type.dump(), "nano.json"); }},
                  {"no config", [] { parse_mingpt("{}", "nano.json"); }},
                  {"", [] { parse_mingpt("[", "nano.json"); }}});
}

// Tensors of single precision stay in the mapped file; halves are turned into floats.
TEST(Weights, AreMappedWhereTheyAreSingle) {
  const test::TemporaryDirectory folder;
  const fs::path path = folder.path() / "some.safetensors";
  Array three;
  three.shape = {3};
  three.values = std::vector<float>{1, 2, 3};
  write_safetensors(path, {.tensors = {{"a", three}, {"i", array_of(std::int64_t{4})}}});
  Weights weights;
  weights.add(path);
  EXPECT_EQ(weights.storage.size(), 1u);  // the file alone
  EXPECT_EQ(weights.tensors.at("a").values[2], 3);
  EXPECT_EQ(weights.tensors.at("i").values, nullptr);
  expect_refused({{"in two files", [&] { weights.add(path); }},
                  {"cannot be read", [&] { weights.add(folder.path() / "none"); }},
                  {"not a regular", [&] { weights.add(folder.path()); }}});
  std::ofstream(path).close();
  expect_refused({{"empty", [&] { Weights().add(path); }}});
}

class Folder {
 public:
  explicit Folder(const char* family) {
    for (const char* file : {"config.json", "model.safetensors"})
      fs::copy_file(kFamilies / family / file, path() / file);
  }
  fs::path path() const { return directory_.path(); }
  void change(const std::string& key, const nlohmann::json& value) const {
    nlohmann::json config = nlohmann::json::parse(std::ifstream(path() / "config.json"));
    config[key] = value;
    std::ofstream(path() / "config.json") << config;
  }

 private:
  test::TemporaryDirectory directory_{};
};

TEST(ModelFolders, AreRefusedWithTheReason) {
  const auto read = [](const fs::path& path) { return [path] { read_model(path); }; };
  expect_refused({{"no such folder", read("/nowhere")}});
  const Folder llama("llama");
  llama.change("model_type", "mamba");
  expect_refused({{"mamba", read(llama.path())}});
  llama.change("model_type", "llama");
  llama.change("hidden_size", 64);
  expect_refused({{"has the shape", read(llama.path())}});
  llama.change("hidden_size", 1e9);
  expect_refused({{"hidden_size", read(llama.path())}});
  llama.change("hidden_size", 32);
  llama.change("num_hidden_layers", 1'000'000);
  expect_refused({{"num_hidden_layers", read(llama.path())}});
  llama.change("num_hidden_layers", 4);
  expect_refused({{"model.layers.3.input_layernorm.weight", read(llama.path())}});
  llama.change("num_hidden_layers", 3);
  llama.change("rope_scaling", {{"type", "linear"}, {"factor", 2.0}});
  expect_refused({{"scaled", read(llama.path())}});
  std::ofstream(llama.path() / "config.json") << "[1";
  expect_refused({{"not JSON", read(llama.path())}});
}

// What would be computed otherwise is refused; older files without layer_types mean the same
// layers.
TEST(ModelFolders, SayWhatIsNotComputed) {
  const auto changed = [](const char* family, const char* key, const nlohmann::json& value) {
    return [=] {
      const Folder folder(family);
      folder.change(key, value);
      read_model(folder.path());
    };
  };
  expect_refused({{"relative", changed("bert", "position_embedding_type", "relative_key")},
                  {"another scale", changed("gpt2", "scale_attn_weights", false)},
                  {"another scale", changed("gpt2", "scale_attn_by_inverse_layer_idx", true)},
                  {"last norm", changed("opt", "_remove_final_layer_norm", true)}});
  const Folder gemma("gemma2");
  gemma.change("layer_types", nullptr);
  expect_held(read_model(gemma.path()), kFamilies / "gemma2/golden.safetensors");
}

TEST(ModelFolders, MayLieInShardsAndInTheCacheOfTheHub) {
  const test::TemporaryDirectory cache;
  const fs::path state = cache.path() / "snapshots" / "abc";
  fs::create_directories(state);
  fs::create_directories(cache.path() / "refs");
  std::ofstream(cache.path() / "refs" / "main") << "abc\n";
  fs::copy_file(kFamilies / "gpt2/config.json", state / "config.json");
  Safetensors whole = read_safetensors(kFamilies / "gpt2/model.safetensors"), half;
  nlohmann::json index;
  while (half.tensors.size() < whole.tensors.size())
    half.tensors.insert(whole.tensors.extract(whole.tensors.begin()));
  for (const auto& [name, array] : half.tensors) index["weight_map"][name] = "one.safetensors";
  for (const auto& [name, array] : whole.tensors) index["weight_map"][name] = "two.safetensors";
  write_safetensors(state / "one.safetensors", half);
  write_safetensors(state / "two.safetensors", whole);
  std::ofstream(state / "model.safetensors.index.json") << index;
  expect_held(read_model(cache.path()), kFamilies / "gpt2/golden.safetensors");
  index["weight_map"]["x"] = "../../elsewhere.safetensors";
  std::ofstream(state / "model.safetensors.index.json") << index;
  expect_refused({{"outside", [&] { read_model(cache.path()); }}});
}

TEST(ModelFolders, WithPickledWeightsAreRefusedWithTheRemedy) {
  const Folder bert("bert");
  fs::rename(bert.path() / "model.safetensors", bert.path() / "pytorch_model.bin");
  expect_refused({{"save_file", [&] { read_model(bert.path()); }}});
}

TEST(Prompts, AreRefusedBeforeAnythingIsComputed) {
  const Model model = read_model(kFamilies / "gpt2");
  const auto pass = [&](std::vector<std::int64_t> ids) { return [&, ids] { model->pass(ids); }; };
  expect_refused({{"no token", pass({})}});
  expect_refused({{"vocabulary", pass({97})}});
  expect_refused({{"vocabulary", pass({-1})}});
  expect_refused({{"65 tokens", pass(std::vector<std::int64_t>(65))}});
  expect_refused({{"tokens", [&] { model->pass_picture(std::vector<float>(784)); }}});
}

TEST(Llama2c, FilesAreHeldAgainstTheirHeader) {
  const test::TemporaryDirectory folder;
  const fs::path path = folder.path() / "model.bin";
  const auto write = [&](std::vector<std::int32_t> header, std::size_t numbers) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(header.data()),
              static_cast<std::streamsize>(4 * header.size()));
    const std::vector<float> zeros(numbers);
    out.write(reinterpret_cast<const char*>(zeros.data()),
              static_cast<std::streamsize>(4 * numbers));
  };
  const auto read = [&] { read_llama2c(path); };
  write({8, 16}, 0);
  expect_refused({{"seven numbers", read}});
  write({8, 16, 1, 2, 2, 10, -4}, 0);
  expect_refused({{"sizes", read}});
  write({4096, 11008, 32, 32, 32, 32000, 2048}, 10);
  expect_refused({{"the file holds 10", read}});
  // 80 of tokens, 16 of norms, 4 x 64 of attention, 3 x 128 of the feed-forward, 8, 4 x 4 of tables
  write({8, 16, 1, 2, 2, 10, 4}, 80 + 16 + 256 + 384 + 8 + 16);
  EXPECT_EQ(read_llama2c(path)->pass(std::vector<std::int64_t>{1, 2}).logits.size(), 20u);
}

}  // namespace
}  // namespace murmur::testing
