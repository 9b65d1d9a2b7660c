// tokenizer_limits.cpp: reads truncation and padding of a tokenizer.json, and does them.
#include "model/tokenizer_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace murmur::tokenizer {
namespace {

constexpr std::uint32_t kLongestPadding = 1u << 18;  // ids; printed as JSON they take 100 MB

bool is_left(const Field& field) {
  const std::string word = field.text_or("direction", "Right");
  if (word != "Left" && word != "Right")
    field.at("direction").refuse(fmt::format("is {}, not Left or Right", word));
  return word == "Left";
}

}  // namespace

Limits limits_of(const Field& root) {
  Limits limits;
  if (root.has("truncation")) {
    const Field field = root.at("truncation");
    limits.most = field.at("max_length").whole(std::numeric_limits<std::uint32_t>::max());
    limits.keeps_end = is_left(field);
  }
  if (root.has("padding")) {
    const Field field = root.at("padding");
    limits.pads = true;
    limits.pads_left = is_left(field);
    limits.pad = field.at("pad_id").whole(std::numeric_limits<TokenId>::max() - 1);
    const Field strategy = field.at("strategy");
    if (!strategy.is_text())
      limits.length = strategy.at("Fixed").whole(kLongestPadding);
    else if (strategy.text() != "BatchLongest")
      strategy.refuse(fmt::format("is {}, which is not known here", strategy.text()),
                      "BatchLongest and Fixed are known");
    if (field.has("pad_to_multiple_of"))
      limits.multiple = std::max(1u, field.at("pad_to_multiple_of").whole(kLongestPadding));
  }
  return limits;
}

void truncate(std::vector<TokenId>& ids, const Limits& limits, std::size_t to_come) {
  if (!limits.most || ids.size() + to_come <= *limits.most) return;
  const std::size_t kept = *limits.most > to_come ? *limits.most - to_come : 0;
  if (limits.keeps_end)
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(kept));
  else
    ids.resize(kept);
}

void pad(std::vector<TokenId>& ids, const Limits& limits) {
  if (!limits.pads) return;
  const std::size_t least = std::max(ids.size(), limits.length);
  const std::size_t length = (least + limits.multiple - 1) / limits.multiple * limits.multiple;
  ids.insert(limits.pads_left ? ids.begin() : ids.end(), length - ids.size(), limits.pad);
}

}  // namespace murmur::tokenizer
