// real_inputs.cpp: sentences by a grammar, parts to machine, lists to sort, words spoken otherwise.
#include "reproduce/real_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "murmur/error.h"
#include "murmur/random.h"
#include "run/formats.h"
#include "trace/prompts.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

enum class Kind : std::uint32_t { sentence, part, list };

// One of `many` for slot `slot` of input k.
std::size_t pick(Kind kind, int k, int slot, std::size_t many) {
  const Draw draw{.stream = Stream::prompts,
                  .particle = static_cast<std::uint32_t>(k),
                  .step = static_cast<std::uint32_t>(slot),
                  .replica = static_cast<std::uint32_t>(kind)};
  return std::min(many - 1, static_cast<std::size_t>(draw.uniform(0) * static_cast<double>(many)));
}

constexpr std::array kTimes = {"sunny morning", "cold day",  "quiet evening", "rainy afternoon",
                               "summer night",  "windy day", "bright spring", "dark winter"};
constexpr std::array kQualities = {"little", "brave",  "old",   "happy",  "tiny",  "tired",
                                   "kind",   "clever", "shy",   "hungry", "funny", "big",
                                   "lost",   "gentle", "proud", "sleepy"};
constexpr std::array kOnes = {"girl",    "boy",  "dog",    "cat",   "rabbit", "bear",
                              "mouse",   "bird", "frog",   "duck",  "queen",  "farmer",
                              "teacher", "fox",  "mother", "friend"};
constexpr std::array kMoves = {"walked", "ran",    "jumped", "looked",
                               "waited", "played", "sang",   "slept"};
constexpr std::array kWheres = {"behind", "near", "under", "in front of"};
constexpr std::array kPlaces = {"house",  "tree",   "river", "garden", "bridge", "hill",
                                "school", "forest", "table", "door",   "boat",   "market"};
constexpr std::array kDeeds = {"found",   "saw",  "dropped", "wanted",
                               "carried", "made", "hid",     "bought"};
constexpr std::array kThings = {"ball", "key",  "book",  "flower", "cake", "box",
                                "hat",  "ring", "apple", "letter", "lamp", "stone"};

template <std::size_t N>
const char* word(const std::array<const char*, N>& words, int k, int slot) {
  return words[pick(Kind::sentence, k, slot, N)];
}

std::vector<Prompt> sentences(const OpenedModel& model, const fs::path&, int count) {
  std::vector<Prompt> prompts;
  for (int k = 0; k < count; ++k)
    prompts.push_back(
        prompt_of_text(model.tokenizer ? &*model.tokenizer : nullptr, own_sentence(k)));
  return prompts;
}

// A part by its geometry, holes, threads, finish, tolerance and number, <SOS>, and the steps that
// the model draws for it until <EOS>.
std::vector<Prompt> parts(const OpenedModel& model, const fs::path&, int count) {
  constexpr std::int64_t kBegin = 49, kEnd = 51;
  constexpr std::array<std::int64_t, 7> kFirst = {0, 7, 14, 16, 20, 24, 29};
  std::vector<Prompt> prompts;
  for (int k = 0; k < count; ++k) {
    Prompt prompt{.name = fmt::format("part {}", k)};
    for (int f = 0; f + 1 < static_cast<int>(kFirst.size()); ++f)
      prompt.ids.push_back(
          kFirst[f] + static_cast<std::int64_t>(pick(
                          Kind::part, k, f, static_cast<std::size_t>(kFirst[f + 1] - kFirst[f]))));
    prompt.ids.push_back(kBegin);
    prompt.ids = continued(
        *model.model, std::move(prompt.ids),
        {.tokens = 24, .temperature = 1, .seed = static_cast<std::uint64_t>(k), .end = kEnd}, {});
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

std::vector<Prompt> lists(const OpenedModel&, const fs::path&, int count) {
  std::vector<Prompt> prompts;
  for (int k = 0; k < count; ++k)
    prompts.push_back({.name = fmt::format("list {}", k), .ids = list_to_sort(k)});
  return prompts;
}

// The two spoken words that lie beside the model, each begun up to a tenth of a second earlier or
// later and spoken at 0.9, 1 and 1.1 of its speed: 126 in all. Fewer are spread over these.
std::vector<Prompt> keywords(const OpenedModel& model, const fs::path& place, int count) {
  constexpr int kShifts = 21, kRates = 3, kAll = 2 * kShifts * kRates;
  const Description& of = model.model->description();
  std::vector<std::vector<float>> words;
  for (const char* file : {"golden_yes.safetensors", "golden_no.safetensors"}) {
    const Record record = read_safetensors(place / file).tensors;
    const auto at = record.find("mfcc");
    const auto* values =
        at == record.end() ? nullptr : std::get_if<std::vector<float>>(&at->second.values);
    if (values == nullptr)
      throw Error(Fault::input, "the file holds no spectrum mfcc of F32", (place / file).string(),
                  "give the words that came with the model");
    words.push_back(*values);
  }
  std::vector<Prompt> prompts;
  const int many = std::min(count, kAll);
  for (int one = 0; one < many; ++one) {
    const int k = one * kAll / many;
    const int shift = k / 2 % kShifts - kShifts / 2, rate = k / 2 / kShifts;
    prompts.push_back(
        {.name = fmt::format("{} {:+d} x {:g}", k % 2 == 0 ? "yes" : "no", shift, 0.9 + 0.1 * rate),
         .pixels = spoken_otherwise(words[static_cast<std::size_t>(k % 2)],
                                    {of.frames, of.features}, shift, 0.9 + 0.1 * rate)});
  }
  return prompts;
}

}  // namespace

std::span<const RealModel> real_models_known() {
  static constexpr RealModel models[] = {
      {"MiniLM", "minilm", "sentences", false, sentences},
      {"stories260K", "stories260K/stories260K.bin", "sentences", true, sentences},
      {"TinyStories-656K", "tinystories-656K", "sentences", true, sentences},
      {"capp-gpt2", "capp-gpt2", "parts and the steps that make them", true, parts},
      {"gpt-nano", "gpt-nano-sort/gpt-nano-sort-model.json", "lists to sort", true, lists},
      {"KWT-1", "kwt1", "spoken words", false, keywords}};
  return models;
}

std::optional<fs::path> place_of(const RealModel& model, const std::vector<fs::path>& folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    const fs::path place = folder / model.path;
    if (fs::is_regular_file(place, ignored)) return place;
    if (!fs::is_directory(place, ignored)) continue;
    for (const auto& entry : fs::directory_iterator(place, ignored))
      if (entry.path().extension() == ".safetensors" &&
          entry.path().filename().string().rfind("golden", 0) != 0)
        return place;
  }
  return std::nullopt;
}

std::string own_sentence(int k) {
  return fmt::format("One {} the {} {} {} {} the {} {}, and then {} {} a {} {}.",
                     word(kTimes, k, 0), word(kQualities, k, 1), word(kOnes, k, 2),
                     word(kMoves, k, 3), word(kWheres, k, 4), word(kQualities, k, 5),
                     word(kPlaces, k, 6), pick(Kind::sentence, k, 7, 2) == 0 ? "he" : "she",
                     word(kDeeds, k, 8), word(kQualities, k, 9), word(kThings, k, 10));
}

std::vector<std::int64_t> list_to_sort(int k) {
  constexpr int kLength = 6;
  std::vector<std::int64_t> list;
  for (int slot = 0; slot < kLength; ++slot)
    list.push_back(static_cast<std::int64_t>(pick(Kind::list, k, slot, 3)));
  std::vector<std::int64_t> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  list.insert(list.end(), sorted.begin(), sorted.end() - 1);
  return list;
}

std::vector<float> spoken_otherwise(const std::vector<float>& spectrum, const Spoken& shape,
                                    double shift, double rate) {
  const double middle = (shape.frames - 1) / 2.0;
  std::vector<float> changed(spectrum.size());
  for (int f = 0; f < shape.frames; ++f) {
    const double from = std::clamp(middle + rate * (f - shift - middle), 0.0, shape.frames - 1.0);
    const int low = std::min(static_cast<int>(from), shape.frames - 2);
    const double part = from - low;
    for (int k = 0; k < shape.features; ++k) {
      const auto at = [&](int frame) {
        return static_cast<double>(spectrum[static_cast<std::size_t>(frame) * shape.features + k]);
      };
      changed[static_cast<std::size_t>(f) * shape.features + k] =
          static_cast<float>((1 - part) * at(low) + part * at(low + 1));
    }
  }
  return changed;
}

}  // namespace murmur
