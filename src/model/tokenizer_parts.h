// tokenizer_parts.h: the parts of a tokenizer.json in the order in which a text passes them: added
// tokens, normalisers, pre-tokenisers, post-processors and limits; and the decoders.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/tokenizer_file.h"
#include "model/tokenizer_model.h"
#include "murmur/tokenizer.h"

namespace murmur::tokenizer {

// A range of bytes of a text. A search returns ranges that together are the whole text.
struct Range {
  std::size_t begin = 0, end = 0;
  bool match = false;
};

using Finder = std::function<std::vector<Range>(std::string_view, Budget&)>;

// Makes a search from a field {"String": ...} or {"Regex": ...}. Error(input) for an invalid
// expression.
Finder make_finder(const Field& field);
Finder make_regex_finder(const std::string& expression, const Field& field);
// Each character for which `holds` is true is a separate match.
std::vector<Range> find_characters(std::string_view text, bool (*holds)(char32_t));

// Replaces every match with `by`. Error(input) if the result exceeds the budget.
std::string replaced(std::string_view text, const Finder& find, std::string_view by,
                     Budget& budget);

// A part of the input text.
struct Piece {
  std::string text{};
  bool at_start = false;     // it starts at the start of the input text
  Budget* budget = nullptr;  // of the call
};

// Rewrites a piece of text.
using Normaliser = std::function<void(Piece&)>;

Normaliser make_normaliser(const Field& field);

struct AddedToken {
  TokenId id = 0;
  std::string text{};
  bool special = false;      // left out of decoded texts
  bool single_word = false;  // matches only if no letter or digit is next to it
  bool left = false;         // includes the blanks before it
  bool right = false;        // includes the blanks after it
  bool normalised = false;   // is searched in the normalised text
};

// A piece of text, or the id of an added token.
struct Cut {
  Piece piece{};
  std::optional<TokenId> id{};
};

// The added tokens of a file, which are cut out of a text first. From the left, the longest token
// that begins at a place is taken.
class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(const Field& list, const Vocabulary& vocabulary);
  // Normalises the tokens that are searched in the normalised text.
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
  std::vector<std::string> searched_{};  // the searched text of each token
  std::unordered_map<TokenId, std::size_t> by_id_{};
  std::unordered_map<std::string, std::size_t> by_text_{};
  Trie raw_{}, normalised_{};
};

// Blanks are written as a visible mark, as in SentencePiece.
struct Metaspace {
  enum class Prepend { always, first, never };
  char32_t mark = U'\u2581';
  Prepend prepend = Prepend::always;  // a mark before every piece, before the first one, or never
  bool split = true;                  // a word begins at every mark
};

// Reads a pre-tokeniser or decoder of this type; older files have add_prefix_space.
Metaspace metaspace_of(const Field& field);

// Appends the parts of a piece in order. The caller removes empty parts.
using Splitter = std::function<void(Piece, std::vector<Piece>&)>;

Splitter make_splitter(const Field& field);

// Splits all pieces; removes empty ones.
std::vector<Piece> split_all(const Splitter& split, std::vector<Piece> pieces);

struct AddedIds {
  std::vector<TokenId> before{}, after{};
};

// The ids around one text; templates for pairs of texts are ignored. Error(input) for an id that is
// not `known`.
AddedIds make_added_ids(const Field& field, const std::function<bool(TokenId)>& known);

struct Limits {
  std::optional<std::size_t> most{};  // ids, including those of the post-processor
  bool keeps_end = false;             // truncates on the left
  bool pads = false, pads_left = false;
  std::size_t length = 0;    // pads to at least this length
  std::size_t multiple = 1;  // pads to a multiple of this
  TokenId pad = 0;
};

Limits limits_of(const Field& root);
void truncate(std::vector<TokenId>& ids, const Limits& limits, std::size_t to_come);
void pad(std::vector<TokenId>& ids, const Limits& limits);

// Converts tokens in order to texts in order, which are joined at the end.
using Decoder = std::function<std::vector<std::string>(std::vector<std::string>, Budget&)>;

Decoder make_decoder(const Field& field);

}  // namespace murmur::tokenizer
