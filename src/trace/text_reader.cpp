// text_reader.cpp: reads a text by the reference pass, and writes the JSON of the view Words:
// layers projected to three axes, the ideal flow from the same tokens, attention and the logit
// lens.
#include "murmur/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <string_view>

#include "model/model_folder.h"
#include "murmur/error.h"
#include "run/base64.h"
#include "run/json_text.h"
#include "trace/effective_beta.h"
#include "trace/lens.h"
#include "trace/traced.h"
#include "trace/twin.h"
#include "trace/word_axes.h"
#include "trace/words_run.h"

namespace murmur {

namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json numbers_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(finite_or_null<Json>(rounded(value)));
  return list;
}

// The axes of the words of all layers and texts.
WordAxes axes_of(const WordsTrace& trace) {
  std::vector<HostSwarm> all;
  for (const WordsText& text : trace.texts)
    for (const HostSwarm& x : text.frames) all.push_back(words_among(text.tokens, x));
  return WordAxes(all);
}

void add_places(const WordAxes& axes, const HostSwarm& x, std::vector<float>& to) {
  for (int i = 0; i < x.n(); ++i)
    for (const double entry : axes.place(x, i)) to.push_back(static_cast<float>(entry));
}

std::string floats(const std::vector<float>& values) {
  return base64(std::as_bytes(std::span(values)));
}

// (blocks, heads, n, n), of half precision.
Json attention_of(const WordsText& text) {
  if (text.attention.empty()) return nullptr;
  std::vector<std::uint16_t> halves;
  for (const std::vector<float>& block : text.attention)
    for (const float weight : block) halves.push_back(half_of_share(weight));
  return base64(std::as_bytes(std::span(halves)));
}

Json lens_of(const WordsText& text) {
  Json layers = Json::array();
  for (const LensRow& row : text.lens) {
    Json said = Json::array();
    for (const PredictedToken& token : row.top)
      said.push_back({{"token", token.token}, {"probability", rounded(token.probability)}});
    layers.push_back(std::move(said));
  }
  return layers;
}

void require_shape(const WordsTrace& trace) {
  for (const WordsText& text : trace.texts)
    if (const auto n = static_cast<int>(text.tokens.size()); n > kMostWordsTokens)
      throw Error(
          Fault::input,
          fmt::format("a text has {} tokens, the page shows {} at most", n, kMostWordsTokens),
          text.text.substr(0, 60), "trace a shorter text");
}

Json text_of(const WordsTrace& trace, const WordsText& text, const WordAxes& axes) {
  std::vector<float> places, twin_places;
  std::vector<double> cosine, beta, tau, alignment, distance, still;
  Twin twin(text.frames.front(), {.causal = trace.causal, .engine = "reference"});
  for (std::size_t f = 0; f < text.frames.size(); ++f) {
    const HostSwarm& x = text.frames[f];
    TwinBlock block;
    if (f > 0) block = twin.advance(text.frames[f - 1], x, trace.block_beta[f - 1]);
    add_places(axes, x, places);
    add_places(axes, twin.x(), twin_places);
    cosine.push_back(mean_cosine(x));
    beta.push_back(block.beta);
    tau.push_back(block.tau);
    alignment.push_back(block.alignment);
    distance.push_back(distance_between(x, twin.x()));
    still.push_back(distance_between(x, text.frames.front()));
  }
  return {{"text", text.text},
          {"given", text.given},
          {"tokens", text.tokens},
          {"places", floats(places)},
          {"attention", attention_of(text)},
          {"mean_cos", numbers_of(cosine)},
          {"lens", lens_of(text)},
          {"twin",
           {{"places", floats(twin_places)},
            {"beta", numbers_of(beta)},
            {"tau", numbers_of(tau)},
            {"alignment", numbers_of(alignment)},
            {"distance", numbers_of(distance)},
            {"still", numbers_of(still)}}}};
}

// Tokens that both of the first two texts have, the k-th of one paired with the k-th of the other,
// and the cosine between them in each layer.
Json shared_of(const WordsTrace& trace) {
  Json rows = Json::array();
  if (trace.texts.size() < 2) return rows;
  const WordsText &first = trace.texts[0], &second = trace.texts[1];
  std::map<std::int64_t, std::vector<int>> places;
  for (std::size_t j = second.ids.size(); j-- > 0;)
    places[second.ids[j]].push_back(static_cast<int>(j));
  for (std::size_t i = 0; i < first.ids.size(); ++i) {
    std::vector<int>& left = places[first.ids[i]];
    if (left.empty()) continue;
    const int j = left.back();
    left.pop_back();
    std::vector<double> cosine;
    for (std::size_t f = 0; f < first.frames.size(); ++f) {
      double sum = 0;
      for (int k = 0; k < trace.d; ++k)
        sum += first.frames[f].at(static_cast<int>(i), k) * second.frames[f].at(j, k);
      cosine.push_back(sum);
    }
    rows.push_back(
        {{"token", first.tokens[i]}, {"first", i}, {"second", j}, {"cosine", numbers_of(cosine)}});
  }
  return rows;
}

}  // namespace

// A share in [2^(e-15), 2^(e-14)) is 1024 + m units of 2^(e-25), one below 2^-14 is m units of
// 2^-24. Rounding up from the last unit gives the first number of the next power.
std::uint16_t half_of_share(float share) {
  const double w = std::clamp(static_cast<double>(share), 0.0, 1.0);
  if (w < 0x1p-14) return static_cast<std::uint16_t>(std::lrint(w * 0x1p24));
  int exponent = 0;
  const double part = std::frexp(w, &exponent);  // in [1/2, 1)
  return static_cast<std::uint16_t>((exponent + 13) * 1024 + std::lrint(part * 2048));
}

Json words_file(const WordsTrace& trace) {
  require_shape(trace);
  const WordAxes axes = axes_of(trace);
  Json texts = Json::array();
  for (const WordsText& text : trace.texts) texts.push_back(text_of(trace, text, axes));
  return {{"schema", "murmur-words-2"},
          {"model", trace.model},
          {"family", trace.family},
          {"d", trace.d},
          {"heads", trace.heads},
          {"causal", trace.causal},
          {"axes", numbers_of({axes.shares().begin(), axes.shares().end()})},
          {"texts", std::move(texts)},
          {"shared", shared_of(trace)}};
}

namespace {

constexpr PassOptions kPass{.engine = PassEngine::reference};
constexpr std::int64_t kEndOfText = 2;

}  // namespace

struct TextReader::Parts {
  Model model;
  Llama2cVocabulary vocabulary;

  TracedText traced(const std::string& text, int more) const {
    std::vector<std::int64_t> ids = vocabulary.encode(text);
    const std::size_t given = ids.size();
    if (more < 0 || more > kMostTokens || static_cast<int>(given) + more > kMostTokens)
      throw Error(
          Fault::input,
          fmt::format("the text has {} tokens, and the model is to write {} more", given, more),
          "text", fmt::format("keep to {} tokens in all", kMostTokens));
    if (more > 0)
      ids = continued(*model, std::move(ids), {.tokens = more, .end = kEndOfText}, kPass);
    TracedText made = trace_prompt(*model, nullptr, {.name = text, .ids = std::move(ids)}, kPass);
    made.given = given;
    for (std::size_t i = 0; i < made.tokens.size(); ++i)
      made.tokens[i] = vocabulary.token(made.prompt.ids[i]);
    return made;
  }

  WordsText words_of(const TracedText& text) const {
    WordsText made{.text = vocabulary.decode(text.prompt.ids),
                   .given = text.given,
                   .ids = text.prompt.ids,
                   .tokens = text.tokens,
                   .attention = text.trace.attention,
                   .lens = logit_lens(*model, text, {.place = text.n() - 1, .pass = kPass})};
    for (LensRow& row : made.lens)
      for (PredictedToken& said : row.top) said.token = vocabulary.token(said.id);
    for (int f = 0; f < text.frames(); ++f) made.frames.push_back(project_to_sphere(text, f));
    return made;
  }
};

TextReader::TextReader(std::span<const std::byte> weights, std::span<const std::byte> tokenizer) {
  const std::string_view tokens(reinterpret_cast<const char*>(tokenizer.data()), tokenizer.size());
  auto parts = std::make_unique<Parts>(
      Parts{parse_llama2c(weights, "the weights"), Llama2cVocabulary(tokens, "the tokeniser")});
  const auto vocabulary = static_cast<std::size_t>(parts->model->description().vocabulary);
  if (parts->vocabulary.size() != vocabulary)
    throw Error(Fault::input,
                fmt::format("the weights have {} tokens, the tokeniser {}", vocabulary,
                            parts->vocabulary.size()),
                "the tokeniser", "give the tokeniser that belongs to the weights");
  parts_ = std::move(parts);
}

TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;
TextReader::~TextReader() = default;

int TextReader::d() const { return parts_->model->description().d; }
int TextReader::layers() const { return parts_->model->description().layers; }
int TextReader::heads() const { return parts_->model->description().heads; }

ReadText TextReader::read(const std::string& text, int more, const std::string& name) const {
  const Description& of = parts_->model->description();
  const TracedText traced = parts_->traced(text, more);
  ReadText made;
  for (int f = 0; f < traced.frames(); ++f)
    made.states.insert(made.states.end(), traced.state(f).begin(), traced.state(f).end());
  for (const std::vector<float>& block : traced.trace.attention)
    made.attention.insert(made.attention.end(), block.begin(), block.end());
  WordsTrace file{.model = name,
                  .family = of.family,
                  .d = of.d,
                  .heads = of.heads,
                  .causal = of.causal,
                  .block_beta = common_beta(std::span(&traced, 1), of).by_block};
  file.texts.push_back(parts_->words_of(traced));
  made.words = json_text(words_file(file));
  return made;
}

}  // namespace murmur
