// tokenizer_trie.cpp: a trie made of sorted keys, level by level.
#include "model/tokenizer_trie.h"

#include <algorithm>

namespace murmur::tokenizer {

Trie::Trie(std::vector<Key> keys) {
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.text < b.text; });
  first_.fill(kNone);
  // The keys that share a node's path are a range [begin, end) of the sorted keys.
  struct Range {
    std::size_t begin, end, depth;
    std::uint32_t node;
  };
  const auto add_children = [&](const Range& range, std::vector<Range>& level) {
    std::size_t from = range.begin;
    while (from < range.end && keys[from].text.size() == range.depth) ++from;
    while (from < range.end) {
      const char byte = keys[from].text[range.depth];
      std::size_t to = from + 1;
      while (to < range.end && keys[to].text[range.depth] == byte) ++to;
      level.push_back({from, to, range.depth + 1, static_cast<std::uint32_t>(nodes_.size())});
      Node made;
      made.byte = static_cast<unsigned char>(byte);
      for (std::size_t k = from; k < to && keys[k].text.size() == range.depth + 1; ++k)
        made.value = keys[k].value;
      nodes_.push_back(made);
      from = to;
    }
  };
  std::vector<Range> level, next;
  add_children({0, keys.size(), 0, kNone}, level);
  for (const Range& range : level) first_[nodes_[range.node].byte] = range.node;
  while (!level.empty()) {
    next.clear();
    for (const Range& range : level) {
      const auto children = static_cast<std::uint32_t>(nodes_.size());
      add_children(range, next);
      nodes_[range.node].children = children;
      nodes_[range.node].count = static_cast<std::uint16_t>(nodes_.size() - children);
    }
    level.swap(next);
  }
}

std::uint32_t Trie::child(const Node& node, unsigned char byte) const {
  const auto begin = nodes_.begin() + node.children, end = begin + node.count;
  const auto found = std::lower_bound(
      begin, end, byte, [](const Node& candidate, unsigned char b) { return candidate.byte < b; });
  if (found == end || found->byte != byte) return kNone;
  return static_cast<std::uint32_t>(found - nodes_.begin());
}

}  // namespace murmur::tokenizer
