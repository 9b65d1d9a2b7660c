// tokenizer_bpe.cpp: byte pair encoding: neighbours are merged, the earliest learnt merge first.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>

#include "model/tokenizer_model.h"
#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {
namespace {

struct Merge {
  std::uint32_t rank = 0;  // of two merges that are possible the lower rank is made
  TokenId id = 0;          // of both together
};

// Merges by the pair of ids that they join: open addressing, at most half full.
class MergeTable {
 public:
  explicit MergeTable(std::size_t count) : slots_(std::bit_ceil(2 * count + 1)) {}

  void set(TokenId left, TokenId right, Merge merge) {
    slots_[place(left, right)] = {left, right, merge};
  }

  const Merge* find(TokenId left, TokenId right) const {
    const Slot& slot = slots_[place(left, right)];
    return slot.left == kFree ? nullptr : &slot.merge;
  }

 private:
  static constexpr TokenId kFree = std::numeric_limits<TokenId>::max();
  struct Slot {
    TokenId left = kFree, right = kFree;
    Merge merge{};
  };

  // Where the pair stands, or where it would.
  std::size_t place(TokenId left, TokenId right) const {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    std::size_t at = (key ^ key >> 29) * 0x9E3779B97F4A7C15u >> 20;
    for (;; ++at) {
      const Slot& slot = slots_[at &= slots_.size() - 1];
      if (slot.left == kFree || (slot.left == left && slot.right == right)) return at;
    }
  }

  std::vector<Slot> slots_;
};

// One token of a word on the way; those that were merged away are empty.
struct Symbol {
  TokenId id = 0;
  std::int64_t before = -1, after = -1;  // neighbours; -1 for none
  bool gone = false;
};

struct Candidate {
  std::uint32_t rank = 0;
  TokenId id = 0;                                 // of the pair together
  std::int64_t at = 0;                            // place of its left half
  bool operator<(const Candidate& other) const {  // the queue's top is the greatest
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

class Bpe : public Model {
 public:
  Bpe(const Field& field, const Vocabulary& vocabulary, const MergeList& merges)
      : Model(vocabulary),
        merges_(merges.left.size()),
        prefix_(field.text_or("continuing_subword_prefix", "")),
        suffix_(field.text_or("end_of_word_suffix", "")),
        fuses_unknown_(field.flag_or("fuse_unk", false)),
        falls_to_bytes_(field.flag_or("byte_fallback", false)),
        whole_words_(field.flag_or("ignore_merges", false)) {
    if (field.has("unk_token")) unknown_ = id_named(field, "unk_token", vocabulary);
    if (field.has("dropout"))
      field.at("dropout").refuse("is set: merges would be left out at random",
                                 "set it to null in the tokenizer.json");
    for (std::size_t k = 0; k < merges.left.size(); ++k) add_merge(field, merges, k);
  }

  void encode(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const override {
    if (whole_words_)
      if (const std::optional<TokenId> whole = vocabulary_.id(word)) return ids.push_back(*whole);
    std::vector<TokenId> letters;
    letters.reserve(word.size());
    begin_with_letters(word, letters, budget);
    merge(letters, ids);
  }

 private:
  void add_merge(const Field& field, const MergeList& merges, std::size_t k) {
    const std::string_view left = merges.left.text(k), right = merges.right.text(k);
    const auto refuse = [&](const std::string& what) {
      field.refuse(fmt::format("has a merge of {} and {}, {}", left, right, what));
    };
    const auto id_of = [&](std::string_view token) {
      const std::optional<TokenId> id = vocabulary_.id(token);
      if (!id) refuse(fmt::format("and {} is not in the vocabulary", token));
      return *id;
    };
    const TokenId first = id_of(left), second = id_of(right);
    if (right.size() < prefix_.size()) refuse("which lacks the prefix of later pieces");
    const std::string both = std::string(left) + std::string(right.substr(prefix_.size()));
    const TokenId together = id_of(both);
    if (together == first || together == second) refuse("which leads back to one of them");
    merges_.set(first, second, {static_cast<std::uint32_t>(k), together});
  }

  // The ids of the characters; unknown ones become bytes, or the unknown token, or nothing.
  void begin_with_letters(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const {
    const std::size_t most = word.size() * (1 + prefix_.size() + suffix_.size());  // bytes and ids
    budget.require_room(most);
    budget.spend(most);
    bool unknown_waits = false;  // until something known follows
    std::string written;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      next_character(word, at);
      std::string_view letter = word.substr(begin, at - begin);
      if ((begin > 0 && !prefix_.empty()) || (at == word.size() && !suffix_.empty())) {
        written = begin > 0 ? prefix_ : "";
        written += letter;
        if (at == word.size()) written += suffix_;
        letter = written;
      }
      if (const std::optional<TokenId> id = vocabulary_.id(letter)) {
        if (unknown_waits) ids.push_back(*unknown_);
        unknown_waits = false;
        ids.push_back(*id);
      } else if (falls_to_bytes_ && append_bytes(letter, vocabulary_, ids)) {
        continue;  // bytes overtake an unknown token that waits, as in the library
      } else if (unknown_) {
        if (unknown_waits && !fuses_unknown_) ids.push_back(*unknown_);
        unknown_waits = true;
      }
    }
    if (unknown_waits) ids.push_back(*unknown_);
  }

  void merge(const std::vector<TokenId>& letters, std::vector<TokenId>& ids) const {
    const auto count = static_cast<std::int64_t>(letters.size());
    std::vector<Symbol> symbols(letters.size());
    std::vector<Candidate> found;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto place = static_cast<std::size_t>(k);
      symbols[place] = {letters[place], k - 1, k + 1 < count ? k + 1 : -1};
      if (k + 1 == count) break;
      if (const Merge* merge = merges_.find(letters[place], letters[place + 1]))
        found.push_back({merge->rank, merge->id, k});
    }
    std::priority_queue<Candidate> queue({}, std::move(found));
    const auto at = [&](std::int64_t k) -> Symbol& { return symbols[static_cast<std::size_t>(k)]; };
    const auto offer = [&](std::int64_t left, std::int64_t right) {
      if (left < 0 || right < 0) return;
      if (const Merge* merge = merges_.find(at(left).id, at(right).id))
        queue.push({merge->rank, merge->id, left});
    };
    while (!queue.empty()) {
      const Candidate best = queue.top();
      queue.pop();
      Symbol& left = at(best.at);
      if (left.gone || left.after < 0) continue;
      Symbol& right = at(left.after);
      const Merge* merge = merges_.find(left.id, right.id);
      if (merge == nullptr || merge->id != best.id) continue;  // one of them has changed
      left.id = best.id;
      right.gone = true;
      left.after = right.after;
      if (left.after >= 0) at(left.after).before = best.at;
      offer(left.before, best.at);
      offer(best.at, left.after);
    }
    for (const Symbol& symbol : symbols)
      if (!symbol.gone) ids.push_back(symbol.id);
  }

  MergeTable merges_;
  std::string prefix_, suffix_;  // of pieces after the first, of the last
  std::optional<TokenId> unknown_{};
  bool fuses_unknown_, falls_to_bytes_, whole_words_;
};

}  // namespace

std::unique_ptr<const Model> make_bpe(const Field& field, const Vocabulary& vocabulary,
                                      const MergeList& merges) {
  return std::make_unique<const Bpe>(field, vocabulary, merges);
}

}  // namespace murmur::tokenizer
