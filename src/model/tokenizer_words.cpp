// tokenizer_words.cpp: WordPiece, by the longest piece that fits, and words as they stand.
#include <fmt/format.h>

#include "model/tokenizer_model.h"
#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {
namespace {

// From the left, the longest token that the rest begins with; a word that cannot be covered is
// unknown as a whole. Pieces after the first carry a prefix.
class WordPiece : public Model {
 public:
  WordPiece(const Field& field, const Vocabulary& vocabulary)
      : Model(vocabulary),
        unknown_(id_named(field, "unk_token", vocabulary)),
        prefix_(field.text_or("continuing_subword_prefix", "##")),
        most_(field.has("max_input_chars_per_word")
                  ? field.at("max_input_chars_per_word").whole(1u << 20)
                  : 100) {}

  void encode(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const override {
    const auto look_up = [&](const std::string& token) {
      budget.spend(1 + token.size() / 16);
      return vocabulary_.id(token);
    };
    const std::size_t before = ids.size();
    if (characters_in(word) > most_) return ids.push_back(unknown_);
    std::string tried;
    for (std::size_t begin = 0; begin < word.size();) {
      tried = begin == 0 ? "" : prefix_;
      tried += word.substr(begin);
      std::size_t end = word.size();
      std::optional<TokenId> found = look_up(tried);
      while (!found && end > begin) {
        const std::size_t last = characters_end(word.substr(begin, end - begin));
        tried.resize(tried.size() - (end - begin - last));
        end = begin + last;
        if (end > begin) found = look_up(tried);
      }
      if (!found) {
        ids.resize(before);
        return ids.push_back(unknown_);
      }
      ids.push_back(*found);
      begin = end;
    }
  }

 private:
  // Where the last character of a text begins.
  static std::size_t characters_end(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  }

  TokenId unknown_;
  std::string prefix_;
  std::size_t most_;  // characters of a word that is looked at
};

class WordLevel : public Model {
 public:
  WordLevel(const Field& field, const Vocabulary& vocabulary) : Model(vocabulary) {
    if (field.has("unk_token")) unknown_ = vocabulary.id(field.at("unk_token").text());
  }

  void encode(std::string_view word, std::vector<TokenId>& ids, Budget&) const override {
    const std::optional<TokenId> found = vocabulary_.id(word);
    if (found || unknown_) ids.push_back(found ? *found : *unknown_);
  }

 private:
  std::optional<TokenId> unknown_{};
};

}  // namespace

TokenId id_named(const Field& field, const std::string& key, const Vocabulary& vocabulary) {
  const std::string token = field.at(key).text();
  const std::optional<TokenId> id = vocabulary.id(token);
  if (!id) field.at(key).refuse(fmt::format("is {}, which the vocabulary does not hold", token));
  return *id;
}

bool append_bytes(std::string_view text, const Vocabulary& vocabulary, std::vector<TokenId>& ids) {
  const std::size_t before = ids.size();
  for (const char c : text) {
    const std::optional<TokenId> id = vocabulary.byte_id(static_cast<unsigned char>(c));
    if (!id) {
      ids.resize(before);
      return false;
    }
    ids.push_back(*id);
  }
  return true;
}

std::unique_ptr<const Model> make_word_piece(const Field& field, const Vocabulary& vocabulary) {
  return std::make_unique<const WordPiece>(field, vocabulary);
}

std::unique_ptr<const Model> make_word_level(const Field& field, const Vocabulary& vocabulary) {
  return std::make_unique<const WordLevel>(field, vocabulary);
}

}  // namespace murmur::tokenizer
