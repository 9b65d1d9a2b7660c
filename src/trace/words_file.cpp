// words_file.cpp: projects the layers of a traced transformer, flies its twin, and tells both.
#include "trace/words_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "murmur/error.h"
#include "run/base64.h"
#include "trace/twin.h"
#include "trace/word_axes.h"

namespace murmur {

namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json told(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values)
    list.push_back(std::isfinite(value) ? Json(rounded(value)) : Json(nullptr));
  return list;
}

// The axes of all words of all layers and texts.
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

// ( |sum_i x_i|^2 - n ) / ( n (n - 1) ) of unit vectors.
double mean_cosine(const HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    double sum = 0;
    for (int i = 0; i < x.n(); ++i) sum += x.at(i, k);
    square += sum * sum;
  }
  const double n = x.n();
  return n > 1 ? (square - n) / (n * (n - 1)) : std::nan("");
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
    for (const SaidToken& token : row.top)
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
          {"mean_cos", told(cosine)},
          {"lens", lens_of(text)},
          {"twin",
           {{"places", floats(twin_places)},
            {"beta", told(beta)},
            {"tau", told(tau)},
            {"alignment", told(alignment)},
            {"distance", told(distance)},
            {"still", told(still)}}}};
}

// Tokens that the first two texts both have, the k-th of one with the k-th of the other, and the
// cosine between them layer by layer.
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
        {{"token", first.tokens[i]}, {"first", i}, {"second", j}, {"cosine", told(cosine)}});
  }
  return rows;
}

}  // namespace

// A share in [2^(e-15), 2^(e-14)) is 1024 + m parts of 2^(e-25), one below 2^-14 m parts of 2^-24;
// rounding up from the last part is the first of the next power.
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
          {"axes", told({axes.shares().begin(), axes.shares().end()})},
          {"texts", std::move(texts)},
          {"shared", shared_of(trace)}};
}

}  // namespace murmur
