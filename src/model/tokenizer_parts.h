// tokenizer_parts.h: the parts of a tokenizer.json in the order in which a text passes them: added
// tokens, normalisers, pre-tokenisers, models, post-processors and limits; the decoders; and the
// characters of Unicode, by ICU. All texts are valid UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/tokenizer_file.h"
#include "murmur/tokenizer.h"

namespace murmur::tokenizer {

// Returns the character that begins at `at`, and moves `at` behind it.
char32_t next_character(std::string_view text, std::size_t& at);
char32_t last_character(std::string_view text);  // of a text that is not empty
void append(std::string& text, char32_t character);
std::u32string code_points(std::string_view text);
std::string utf8_of(std::u32string_view points);
std::size_t characters_in(std::string_view text);
bool is_utf8(std::string_view bytes);
// Replaces each longest part of an incomplete character with U+FFFD (Unicode 15, 3.9, table 3-8).
std::string repaired_utf8(std::string_view bytes);

bool is_space(char32_t c);        // White_Space
bool is_punctuation(char32_t c);  // ispunct for ASCII, else category P
bool is_number(char32_t c);       // category N
bool is_word(char32_t c);         // \w: alphabetic, mark, decimal digit, connector, joiner
bool is_mark(char32_t c);         // category M
bool is_nonspacing_mark(char32_t c);
bool is_other(char32_t c);  // control, format, ends of private use

enum class NormalForm { nfc, nfd, nfkc, nfkd };
std::string normal_form(std::string_view text, NormalForm form);
std::string lower_case(std::string_view text);  // character by character: no final sigma
// Calls `visit` with each extended grapheme cluster.
void visit_graphemes(std::string_view text, const std::function<void(std::string_view)>& visit);

// Writes each byte as a character, as GPT-2: printable bytes of Latin-1 as themselves, the others,
// in order, as U+0100, U+0101, ...
std::string byte_level_text(std::string_view bytes);

// The byte that byte_level_text writes as this character; -1 for other characters.
int byte_of_character(char32_t c);

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
  char32_t mark = 0x2581;
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
