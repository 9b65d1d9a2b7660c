// trace_file.cpp: writes and reads trace.json.
#include "trace/trace_file.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/checked.h"
#include "model/transformer.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "trace/parts.h"

namespace murmur {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json json_of(const LensRow& row) {
  Json says = Json::array();
  for (const PredictedToken& said : row.top)
    says.push_back({{"id", said.id}, {"token", said.token}, {"probability", said.probability}});
  return {{"layer", row.frame},
          {"says", std::move(says)},
          {"entropy", row.entropy},
          {"rank_of_last", row.rank},
          {"probability_of_last", row.probability}};
}

LensRow lens_row(const KeptJson& kept) {
  LensRow row{.frame = kept.at("layer").small_whole(),
              .entropy = kept.at("entropy").number_or(0),
              .probability = kept.at("probability_of_last").number_or(0),
              .rank = kept.at("rank_of_last").small_whole()};
  for (const KeptJson& said : kept.at("says").list())
    row.top.push_back(
        {said.at("id").whole(), said.at("probability").number_or(0), said.at("token").text()});
  return row;
}

Json json_of(const TraceFile::Text& text) {
  Json lens = Json::array();
  for (const LensRow& row : text.lens) lens.push_back(json_of(row));
  return {{"text", text.text},
          {"given", text.given},
          {"ids", text.ids},
          {"tokens", text.tokens},
          {"lens", std::move(lens)}};
}

TraceFile::Text text_of(const KeptJson& kept) {
  TraceFile::Text text{.text = kept.at("text").text(),
                       .given = static_cast<std::size_t>(kept.at("given").whole())};
  for (const KeptJson& id : kept.at("ids").list()) text.ids.push_back(id.whole());
  text.tokens = kept.at("tokens").texts();
  for (const KeptJson& row : kept.at("lens").list()) text.lens.push_back(lens_row(row));
  return text;
}

Json json_of(const Patching& p) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < p.places.size(); ++k)
    rows.push_back({{"layer", p.places[k].frame},
                    {"token", p.places[k].place},
                    {"logit_difference", p.patched[k]},
                    {"recovered", p.recovered(k)}});
  return {{"answers", {p.answers.first, p.answers.second}},
          {"first", p.first},
          {"second", p.second},
          {"patched", std::move(rows)}};
}

Patching patching_of(const KeptJson& kept) {
  const std::vector<KeptJson> answers = kept.at("answers").list();
  if (answers.size() != 2) kept.at("answers").refuse("does not name two tokens");
  Patching p{.answers = {answers[0].whole(), answers[1].whole()},
             .first = kept.at("first").number(),
             .second = kept.at("second").number()};
  for (const KeptJson& row : kept.at("patched").list()) {
    p.places.push_back({row.at("layer").small_whole(), row.at("token").small_whole()});
    p.patched.push_back(row.at("logit_difference").number());
  }
  return p;
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// The numbers of a head by their names in trace.json, in order.
template <class Head, class Visit>
void each_number(Head& h, const Visit& visit) {
  visit("beta", h.beta);
  visit("misfit", h.misfit);
  visit("uniform_misfit", h.uniform);
  visit("entropy", h.entropy);
  visit("entropy_share", h.entropy_share);
  visit("sink", h.sink);
  visit("first", h.first);
  visit("qk_symmetry", h.qk.symmetry);
  visit("qk_positivity", h.qk.positivity);
  visit("qk_radius", h.qk.radius);
  visit("qk_identity", h.qk.identity);
  visit("ov_symmetry", h.ov.symmetry);
  visit("ov_positivity", h.ov.positivity);
  visit("ov_radius", h.ov.radius);
  visit("ov_identity", h.ov.identity);
  visit("ov_leading_re", h.leading.re);
  visit("ov_leading_im", h.leading.im);
  visit("ov_leading_next", h.leading.next);
  visit("ov_leading_heard", h.leading.heard);
}

Json json_of(const HeadReading& h) {
  Json json = {{"block", h.block}, {"head", h.head}, {"sink_at", h.sink_at}};
  each_number(h, [&](const char* name, double value) { json[name] = finite(value); });
  return json;
}

HeadReading head_of(const KeptJson& kept) {
  HeadReading h{.block = kept.at("block").small_whole(),
                .head = kept.at("head").small_whole(),
                .sink_at = kept.at("sink_at").small_whole()};
  each_number(h, [&](const char* name, double& value) {
    if (kept.has(name))  // traces of earlier versions have fewer numbers
      value = kept.at(name).number_or(std::numeric_limits<double>::quiet_NaN());
  });
  return h;
}

Json numbers_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(finite(value));
  return list;
}

Json json_of(const PartReading& part) {
  return {{"part", part.part},
          {"mean_cos", numbers_of(part.mean_cos)},
          {"clusters", numbers_of(part.clusters)},
          {"effective_rank", numbers_of(part.effective_rank)}};
}

std::vector<double> numbers_or_nan(const KeptJson& kept) {
  std::vector<double> values;
  for (const KeptJson& value : kept.list())
    values.push_back(value.number_or(std::numeric_limits<double>::quiet_NaN()));
  return values;
}

PartReading part_of(const KeptJson& kept) {
  PartReading part{kept.at("part").text(), numbers_or_nan(kept.at("mean_cos")),
                   numbers_or_nan(kept.at("clusters")), numbers_or_nan(kept.at("effective_rank"))};
  if (std::find(kParts.begin(), kParts.end(), part.part) == kParts.end())
    kept.at("part").refuse("is not a part that can be left out");
  if (part.clusters.size() != part.mean_cos.size() ||
      part.effective_rank.size() != part.mean_cos.size())
    kept.refuse("has columns of other lengths");
  return part;
}

}  // namespace

Json json_of(const TraceFile& trace) {
  Json texts = Json::array(), swapped = Json::array(), heads = Json::array(), parts = Json::array();
  for (const PartReading& part : trace.parts) parts.push_back(json_of(part));
  for (const HeadReading& head : trace.by_head) heads.push_back(json_of(head));
  for (const TraceFile::Text& text : trace.texts) texts.push_back(json_of(text));
  for (const auto& [i, j] : trace.swapped) swapped.push_back({i, j});
  return {{"schema", "murmur-trace-1"},
          {"made_by", trace.made_by},
          {"model", trace.model},
          {"sha256", trace.sha256},
          {"family", trace.family},
          {"blocks", trace.blocks},
          {"heads", trace.heads},
          {"d", trace.d},
          {"vocabulary", trace.vocabulary},
          {"causal", trace.causal},
          {"beta", trace.beta},
          {"block_beta", trace.block_beta},
          {"repeat", trace.repeat},
          {"feed_forward", trace.feed_forward},
          {"random_weights", trace.random_weights ? Json(*trace.random_weights) : Json(nullptr)},
          {"swapped", std::move(swapped)},
          {"by_head", std::move(heads)},
          {"texts", std::move(texts)},
          {"patching", trace.patching ? json_of(*trace.patching) : Json(nullptr)},
          {"attention", trace.attention},
          {"norms", trace.norms},
          {"parts", std::move(parts)},
          {"candidates", {{"words", trace.candidates.words}, {"kappa", trace.candidates.kappa}}}};
}

void write_trace_file(const fs::path& run, const TraceFile& trace) {
  write_file_atomically(run / "trace.json", json_text(json_of(trace), 1) + "\n");
}

TraceFile read_trace_file(const fs::path& run) {
  const KeptJson kept = KeptJson::read(run / "trace.json");
  if (kept.at("schema").text() != "murmur-trace-1") kept.at("schema").refuse("is not known here");
  TraceFile trace{.made_by = kept.at("made_by").texts(),
                  .model = kept.at("model").text(),
                  .sha256 = kept.at("sha256").texts_by_name(),
                  .family = kept.at("family").text(),
                  .blocks = kept.at("blocks").small_whole(),
                  .heads = kept.at("heads").small_whole(),
                  .d = kept.at("d").small_whole(1),
                  .vocabulary = kept.at("vocabulary").small_whole(),
                  .causal = kept.at("causal").flag(),
                  .beta = kept.at("beta").number(),
                  .block_beta = kept.at("block_beta").numbers(),
                  .repeat = kept.at("repeat").small_whole(1),
                  .feed_forward = kept.at("feed_forward").flag()};
  if (!product_of(
          {static_cast<std::uint64_t>(trace.blocks), static_cast<std::uint64_t>(trace.repeat)},
          kMostConfigured))
    kept.at("repeat").refuse("makes more blocks than there can be");
  if (!kept.at("random_weights").is_null())
    trace.random_weights = kept.at("random_weights").natural();
  for (const KeptJson& two : kept.at("swapped").list()) {
    const std::vector<KeptJson> blocks = two.list();
    if (blocks.size() != 2) two.refuse("does not name two blocks");
    trace.swapped.emplace_back(blocks[0].small_whole(), blocks[1].small_whole());
  }
  for (const KeptJson& head : kept.at("by_head").list()) trace.by_head.push_back(head_of(head));
  for (const KeptJson& text : kept.at("texts").list()) trace.texts.push_back(text_of(text));
  if (!kept.at("patching").is_null()) trace.patching = patching_of(kept.at("patching"));
  if (kept.has("attention")) trace.attention = kept.at("attention").flag();
  if (kept.has("norms")) trace.norms = kept.at("norms").flag();
  if (kept.has("candidates"))
    trace.candidates = {.words = kept.at("candidates").at("words").texts(),
                        .kappa = kept.at("candidates").at("kappa").number()};
  if (kept.has("parts"))
    for (const KeptJson& part : kept.at("parts").list()) trace.parts.push_back(part_of(part));
  return trace;
}

}  // namespace murmur
