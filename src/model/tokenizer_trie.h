// tokenizer_trie.h: all keys that begin at a place of a text, found in one walk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace murmur::tokenizer {

// Byte strings with a value each. The children of a node lie side by side, in the order of bytes.
class Trie {
 public:
  struct Key {
    std::string_view text;  // not empty
    std::uint32_t value = 0;
  };
  Trie() : Trie(std::vector<Key>{}) {}
  explicit Trie(std::vector<Key> keys);  // of equal texts the last one holds

  // Calls visit(length, value) for each key that `text` begins with, the shortest first. Returns
  // how many bytes of the text were looked at.
  template <class Visit>
  std::size_t visit_prefixes(std::string_view text, Visit&& visit) const {
    if (text.empty()) return 0;
    std::uint32_t node = first_[static_cast<unsigned char>(text[0])];
    for (std::size_t length = 1;; ++length) {
      if (node == kNone) return length;
      if (nodes_[node].value != kNone) visit(length, nodes_[node].value);
      if (length == text.size()) return length;
      node = child(nodes_[node], static_cast<unsigned char>(text[length]));
    }
  }

  bool begins(unsigned char byte) const { return first_[byte] != kNone; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Node {
    std::uint32_t children = 0;  // the first one's place
    std::uint32_t value = kNone;
    std::uint16_t count = 0;  // of children
    unsigned char byte = 0;   // that leads here
  };
  std::uint32_t child(const Node& node, unsigned char byte) const;

  std::array<std::uint32_t, 256> first_{};
  std::vector<Node> nodes_{};
};

}  // namespace murmur::tokenizer
