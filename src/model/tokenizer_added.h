// tokenizer_added.h: tokens that are cut out of a text before its words are looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer_normalise.h"
#include "model/tokenizer_trie.h"
#include "model/tokenizer_vocabulary.h"

namespace murmur::tokenizer {

struct AddedToken {
  TokenId id = 0;
  std::string text{};
  bool special = false;      // left out of decoded texts
  bool single_word = false;  // only where no letter or digit touches it
  bool left = false;         // takes the blanks before it
  bool right = false;        // takes the blanks behind it
  bool normalised = false;   // looked for in the normalised text
};

// A piece of text, or the id of an added token that stood there.
struct Cut {
  Piece piece{};
  std::optional<TokenId> id{};
};

// The added tokens of a file. The longest of those that begin at a place is taken, from the left.
class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(const Field& list, const Vocabulary& vocabulary);
  // Once the normaliser is there: how the tokens look that are searched for after it.
  void prepare(const Normaliser& normaliser);

  std::vector<Cut> cut(Piece piece, bool normalised) const;
  const std::vector<AddedToken>& all() const { return all_; }
  const AddedToken* by_id(TokenId id) const;
  const AddedToken* by_text(std::string_view text) const;

 private:
  struct Found {
    std::size_t begin = 0, end = 0;
    const AddedToken* token = nullptr;
  };
  std::optional<Found> find(std::string_view text, std::size_t from, const Trie& trie,
                            Budget& budget) const;

  std::vector<AddedToken> all_{};
  std::vector<std::string> looks_{};  // of the tokens, where they are searched for
  std::unordered_map<TokenId, std::size_t> by_id_{};
  std::unordered_map<std::string, std::size_t> by_text_{};
  Trie raw_{}, normalised_{};
};

}  // namespace murmur::tokenizer
