// trace_file.cpp: writes and reads trace.json.
#include "trace/trace_file.h"

#include <algorithm>

#include "core/checked.h"
#include "model/transformer.h"
#include "run/describe.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/kept_json.h"
#include "trace/parts.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSchema = "murmur-trace-1";

// The readings of all parts must have as many frames.
void check(const PartReading& part, const KeptJson& kept) {
  if (std::find(kParts.begin(), kParts.end(), part.part) == kParts.end())
    kept.at("part").refuse("is not a part that can be left out");
  if (part.clusters.size() != part.mean_cos.size() ||
      part.effective_rank.size() != part.mean_cos.size())
    kept.refuse("has columns of other lengths");
}

// Readings of heads belong to the blocks and heads of the model.
void check_heads(const TraceFile& trace, const KeptJson& kept) {
  if (trace.by_head.empty()) return;
  const std::int64_t run = std::int64_t{trace.blocks} * trace.repeat;
  if (static_cast<std::int64_t>(trace.by_head.size()) != run * trace.heads)
    kept.at("by_head").refuse("does not have one reading for each head of each block");
  for (const HeadReading& head : trace.by_head)
    if (head.block < 0 || head.block >= run || head.head < 0 || head.head >= trace.heads)
      kept.at("by_head").refuse("names a head that the model does not have");
}

void check_texts(const TraceFile& trace, const KeptJson& kept) {
  for (const TraceFile::Text& text : trace.texts) {
    if (text.given > text.tokens.size())
      kept.at("texts").refuse("has a text with more given tokens than tokens");
    for (const LensRow& row : text.lens)
      if (row.top.empty()) kept.at("texts").refuse("has a layer that predicts nothing");
  }
  if (!trace.patching) return;
  if (trace.patching->places.empty()) kept.at("patching").refuse("has no place");
  const std::int64_t blocks = std::int64_t{trace.blocks} * trace.repeat;
  const std::size_t tokens = trace.texts.empty() ? 0 : trace.texts[0].tokens.size();
  for (const PatchPlace& at : trace.patching->places)
    if (at.frame > blocks || static_cast<std::size_t>(at.place) >= tokens)
      kept.at("patching").refuse("names a place that the trace does not have");
}

}  // namespace

nlohmann::ordered_json json_of(const TraceFile& trace) {
  nlohmann::ordered_json json = {{"schema", kSchema}};
  write_fields(trace, json);
  return json;
}

void write_trace_file(const fs::path& run, const TraceFile& trace) {
  write_file_atomically(run / "trace.json", json_text(json_of(trace), 1) + "\n");
}

TraceFile read_trace_file(const fs::path& run) {
  const KeptJson kept = KeptJson::read(run / "trace.json");
  if (kept.at("schema").text() != kSchema) kept.at("schema").refuse("is not known here");
  TraceFile trace;
  read_fields(kept, 0, trace);
  if (!product_of(
          {static_cast<std::uint64_t>(trace.blocks), static_cast<std::uint64_t>(trace.repeat)},
          kMostConfigured))
    kept.at("repeat").refuse("makes more blocks than there can be");
  check_heads(trace, kept);
  check_texts(trace, kept);
  for (std::size_t k = 0; k < trace.parts.size(); ++k)
    check(trace.parts[k], kept.at("parts").list()[k]);
  return trace;
}

}  // namespace murmur
