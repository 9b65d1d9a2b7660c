// words_file.cpp: projects the layers of a traced transformer, flies its twin, and tells both.
#include "trace/words_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "core/axes.h"
#include "murmur/error.h"
#include "run/base64.h"
#include "trace/twin.h"

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

// Whether a token stands for no word: [CLS], [SEP], <s>, <|endoftext|>.
bool is_special(const std::string& token) {
  return token.size() > 2 && ((token.front() == '[' && token.back() == ']') ||
                              (token.front() == '<' && token.back() == '>'));
}

// The states of a frame that stand for words; all of them where none does.
HostSwarm words_of(const WordsText& text, const HostSwarm& x) {
  std::vector<int> kept;
  for (int i = 0; i < x.n(); ++i)
    if (!is_special(text.tokens[static_cast<std::size_t>(i)])) kept.push_back(i);
  if (kept.empty()) return x;
  HostSwarm some({static_cast<int>(kept.size()), x.d()});
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < some.n(); ++i) some.at(i, k) = x.at(kept[static_cast<std::size_t>(i)], k);
  return some;
}

// Three axes and the point that they start from.
class Projection {
 public:
  explicit Projection(const WordsTrace& trace) : d_(trace.d), mean_(trace.d, 0.0) {
    std::vector<HostSwarm> all;
    for (const WordsText& text : trace.texts)
      for (const HostSwarm& x : text.frames) all.push_back(words_of(text, x));
    double count = 0, total = 0;
    for (const HostSwarm& x : all) {
      count += x.n();
      for (int k = 0; k < d_; ++k)
        for (int i = 0; i < x.n(); ++i) mean_[static_cast<std::size_t>(k)] += x.at(i, k);
    }
    for (double& entry : mean_) entry /= count;
    axes_ = leading_axes(second_moment(all, true), d_, std::min(3, d_));
    for (const HostSwarm& x : all)
      for (int i = 0; i < x.n(); ++i) {
        for (int k = 0; k < d_; ++k) total += square(x.at(i, k) - mean_[k]);
        const std::array<double, 3> at = place(x, i);
        for (std::size_t a = 0; a < 3; ++a) share_[a] += square(at[a]);
      }
    for (double& share : share_) share = total > 0 ? share / total : 0;
  }

  std::array<double, 3> place(const HostSwarm& x, int i) const {
    std::array<double, 3> at{};
    for (std::size_t a = 0; a < axes_.size() / static_cast<std::size_t>(d_); ++a)
      for (int k = 0; k < d_; ++k)
        at[a] += axes_[a * static_cast<std::size_t>(d_) + k] * (x.at(i, k) - mean_[k]);
    return at;
  }

  void add_places(const HostSwarm& x, std::vector<float>& to) const {
    for (int i = 0; i < x.n(); ++i)
      for (const double entry : place(x, i)) to.push_back(static_cast<float>(entry));
  }

  std::vector<double> shares() const { return {share_.begin(), share_.end()}; }

 private:
  static double square(double v) { return v * v; }

  int d_;
  std::vector<double> mean_, axes_{};  // (d), (3, d)
  std::array<double, 3> share_{};      // of the variance
};

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

// (blocks, heads, n, n), a byte a weight.
Json attention_of(const WordsText& text) {
  if (text.attention.empty()) return nullptr;
  std::vector<std::uint8_t> bytes;
  for (const std::vector<float>& block : text.attention)
    for (const float weight : block)
      bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(weight, 0.f, 1.f))));
  return base64(std::as_bytes(std::span(bytes)));
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

Json text_of(const WordsTrace& trace, const WordsText& text, const Projection& projection) {
  std::vector<float> places, twin_places;
  std::vector<double> cosine, beta, tau, alignment, distance, still;
  Twin twin(text.frames.front(), {.causal = trace.causal, .engine = "reference"});
  for (std::size_t f = 0; f < text.frames.size(); ++f) {
    const HostSwarm& x = text.frames[f];
    TwinBlock block;
    if (f > 0) block = twin.advance(text.frames[f - 1], x, trace.block_beta[f - 1]);
    projection.add_places(x, places);
    projection.add_places(twin.x(), twin_places);
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

Json words_file(const WordsTrace& trace) {
  require_shape(trace);
  const Projection projection(trace);
  Json texts = Json::array();
  for (const WordsText& text : trace.texts) texts.push_back(text_of(trace, text, projection));
  return {{"schema", "murmur-words-1"},
          {"model", trace.model},
          {"family", trace.family},
          {"d", trace.d},
          {"heads", trace.heads},
          {"causal", trace.causal},
          {"axes", told(projection.shares())},
          {"texts", std::move(texts)},
          {"shared", shared_of(trace)}};
}

}  // namespace murmur
