// tokenizer_model.h: the vocabulary of a tokeniser, and the models that turn a word into ids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/tokenizer_file.h"
#include "murmur/tokenizer.h"

namespace murmur::tokenizer {

class Vocabulary {
 public:
  // Error(input) if an id is used twice or is far beyond the number of tokens.
  Vocabulary(TokenList tokens, const std::string& where);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  std::size_t size() const { return of_id_.size(); }  // one more than the highest id
  std::size_t tokens() const { return by_text_.size(); }
  std::optional<TokenId> id(std::string_view token) const;
  std::optional<std::string_view> token(TokenId id) const;
  std::optional<TokenId> byte_id(unsigned char byte) const;  // of a token such as <0x0A>

 private:
  std::string texts_;
  std::unordered_map<std::string_view, TokenId> by_text_{};
  std::vector<std::string_view> of_id_{};  // data() is null for an unused id
  std::vector<std::optional<TokenId>> bytes_{};
};

// Byte strings, each with a value. Finds all keys that begin at a place of a text in one walk. The
// children of a node are adjacent, in the order of their bytes.
class Trie {
 public:
  struct Key {
    std::string_view text;  // not empty
    std::uint32_t value = 0;
  };
  Trie() : Trie(std::vector<Key>{}) {}
  explicit Trie(std::vector<Key> keys);  // for equal texts the last value counts

  // Calls visit(length, value) for each key that `text` starts with, the shortest first. Returns
  // the number of bytes of the text that were read.
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
    std::uint32_t children = 0;  // index of the first child
    std::uint32_t value = kNone;
    std::uint16_t count = 0;  // of children
    unsigned char byte = 0;   // the last byte of its path
  };
  std::uint32_t child(const Node& node, unsigned char byte) const;

  std::array<std::uint32_t, 256> first_{};
  std::vector<Node> nodes_{};
};

class Model {
 public:
  explicit Model(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Error(input) if the word exceeds the budget.
  virtual void encode(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const = 0;

 protected:
  const Vocabulary& vocabulary_;
};

std::unique_ptr<const Model> make_word_piece(const Field& field, const Vocabulary& vocabulary);
std::unique_ptr<const Model> make_word_level(const Field& field, const Vocabulary& vocabulary);
std::unique_ptr<const Model> make_bpe(const Field& field, const Vocabulary& vocabulary,
                                      const MergeList& merges);
std::unique_ptr<const Model> make_unigram(const Field& field, const Vocabulary& vocabulary,
                                          std::vector<double> scores);

// The id of the token in the field `key`; Error(input) if the vocabulary does not have it.
TokenId id_named(const Field& field, const std::string& key, const Vocabulary& vocabulary);

// Appends the ids of the bytes of a text; returns false, and appends none, if a byte has no id.
bool append_bytes(std::string_view text, const Vocabulary& vocabulary, std::vector<TokenId>& ids);

}  // namespace murmur::tokenizer
