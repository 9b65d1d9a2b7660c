// tokenizer_unigram.cpp: the unigram model: of all ways to cut a word the most probable one.
//
//   maximise  sum_k log p(token_k)   over tokens that together are the word   (T. Kudo, 2018)
//
// by Viterbi over the places of the word, with the tokens that begin at a place from a trie. A
// character that no token is costs 10 more than the least probable token.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "model/tokenizer_model.h"
#include "model/tokenizer_trie.h"
#include "model/tokenizer_unicode.h"
#include "murmur/error.h"

namespace murmur::tokenizer {
namespace {

constexpr double kUnknownPenalty = 10;

class Unigram : public Model {
 public:
  Unigram(const Field& field, const Vocabulary& vocabulary, std::vector<double> scores)
      : Model(vocabulary),
        scores_(std::move(scores)),
        falls_to_bytes_(field.flag_or("byte_fallback", false)) {
    if (field.has("unk_id")) {
      unknown_ = field.at("unk_id").whole(std::numeric_limits<TokenId>::max());
      if (*unknown_ >= scores_.size()) field.at("unk_id").refuse("is not in the vocabulary");
    }
    double least = std::numeric_limits<double>::infinity();
    std::vector<Trie::Key> keys;
    for (std::size_t id = 0; id < scores_.size(); ++id) {
      least = std::min(least, scores_[id]);
      const std::string_view token = *vocabulary.token(static_cast<TokenId>(id));
      if (!token.empty()) keys.push_back({token, static_cast<TokenId>(id)});
    }
    trie_ = Trie(std::move(keys));
    unknown_score_ = least - kUnknownPenalty;
  }

  void encode(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const override {
    for (const std::string_view part : best_parts(word, budget)) {
      if (const std::optional<TokenId> id = vocabulary_.id(part))
        ids.push_back(*id);
      else if (!falls_to_bytes_ || !append_bytes(part, vocabulary_, ids))
        ids.push_back(unknown_.value());
    }
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  struct Best {  // way to a place
    double score = 0;
    std::size_t from = kNowhere;
    bool unknown = false;  // its last token
  };

  // The parts of the best way, in order; neighbours that are unknown are one part.
  std::vector<std::string_view> best_parts(std::string_view word, Budget& budget) const {
    std::vector<Best> best(word.size() + 1);
    for (std::size_t at = 0; at < word.size();) {
      const double here = best[at].score;
      std::size_t after = at;
      next_character(word, after);
      bool covered = false;  // some token is this character
      const auto offer = [&](std::size_t to, double score, bool unknown) {
        if (best[to].from == kNowhere || here + score > best[to].score)
          best[to] = {here + score, at, unknown};
      };
      budget.spend(trie_.visit_prefixes(word.substr(at), [&](std::size_t length, TokenId id) {
        offer(at + length, scores_[id], unknown_ && id == *unknown_);
        covered = covered || at + length == after;
      }));
      if (!covered) {
        if (!unknown_)
          throw Error(Fault::input,
                      "a character is unknown, and the tokeniser has no unknown token",
                      fmt::format("byte {} of {}", at, word), "write the text without it");
        offer(after, unknown_score_, true);
      }
      at = after;
    }
    std::vector<std::string_view> parts;
    bool joins = false;
    for (std::size_t end = word.size(); end > 0; end = best[end].from) {
      const std::size_t begin = best[end].from;
      if (joins && best[end].unknown)
        parts.back() = word.substr(begin, end - begin + parts.back().size());
      else
        parts.push_back(word.substr(begin, end - begin));
      joins = best[end].unknown;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

  std::vector<double> scores_;
  Trie trie_{};
  std::optional<TokenId> unknown_{};
  double unknown_score_ = 0;
  bool falls_to_bytes_;
};

}  // namespace

std::unique_ptr<const Model> make_unigram(const Field& field, const Vocabulary& vocabulary,
                                          std::vector<double> scores) {
  return std::make_unique<const Unigram>(field, vocabulary, std::move(scores));
}

}  // namespace murmur::tokenizer
