// tokenizer_model.cpp: vocabulary, trie, and the models: byte pair encoding, unigram, WordPiece and
// whole words.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "model/tokenizer_parts.h"
#include "murmur/error.h"

namespace murmur::tokenizer {

Vocabulary::Vocabulary(TokenList tokens, const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Fault::input, what, where + ": model.vocab", "download the tokenizer.json again");
  };
  const std::size_t count = tokens.size();
  const bool listed = tokens.ids.empty();  // a token's place is its id
  std::uint64_t highest = count == 0 ? 0 : count - 1;
  for (const std::uint64_t id : tokens.ids) highest = std::max(highest, id);
  if (highest >= 2 * count + 65'536)
    refuse(fmt::format("the id {} is out of range: there are {} tokens", highest, count));
  of_id_.resize(count == 0 ? 0 : highest + 1);
  by_text_.reserve(count);
  std::vector<std::size_t> ends = std::move(tokens.ends);
  texts_ = std::move(tokens.texts);
  std::size_t begin = 0;
  for (std::size_t k = 0; k < count; ++k) {
    // The data() of an empty token is not null, that of an unused id is.
    const std::string_view text = std::string_view(texts_).substr(begin, ends[k] - begin);
    const auto id = static_cast<TokenId>(listed ? k : tokens.ids[k]);
    if (of_id_[id].data() != nullptr) refuse(fmt::format("the id {} stands for two tokens", id));
    of_id_[id] = text;
    if (!by_text_.insert_or_assign(text, id).second && !listed)
      refuse(fmt::format("the token {} has two ids", text));
    begin = ends[k];
  }
  bytes_.resize(256);
  for (std::size_t b = 0; b < 256; ++b) bytes_[b] = id(fmt::format("<0x{:02X}>", b));
}

std::optional<TokenId> Vocabulary::id(std::string_view token) const {
  const auto found = by_text_.find(token);
  return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string_view> Vocabulary::token(TokenId id) const {
  if (id >= of_id_.size() || of_id_[id].data() == nullptr) return std::nullopt;
  return of_id_[id];
}

std::optional<TokenId> Vocabulary::byte_id(unsigned char byte) const { return bytes_[byte]; }

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

namespace {

struct Merge {
  std::uint32_t rank = 0;  // the merge with the lowest rank is made first
  TokenId id = 0;          // of the merged token
};

// Merges by the pair of ids that they join. Open addressing; at most half of the slots are used.
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

  // The slot of the pair, or the free slot where it belongs.
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

// One token of a word; `gone` if it was merged into its neighbour.
struct Symbol {
  TokenId id = 0;
  std::int64_t before = -1, after = -1;  // neighbours; -1 for none
  bool gone = false;
};

struct Candidate {
  std::uint32_t rank = 0;
  TokenId id = 0;                                 // of the merged pair
  std::int64_t at = 0;                            // place of its left half
  bool operator<(const Candidate& other) const {  // the queue's top is the greatest
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

// Byte pair encoding: merges neighbours, the earliest learnt merge first.
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

  // Appends the ids of the characters; an unknown one becomes bytes, or the unknown token, or
  // nothing.
  void begin_with_letters(std::string_view word, std::vector<TokenId>& ids, Budget& budget) const {
    const std::size_t most = word.size() * (1 + prefix_.size() + suffix_.size());  // bytes and ids
    budget.require_room(most);
    budget.spend(most);
    bool unknown_waits = false;  // an unknown token is appended when a known one follows
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
        continue;  // bytes come before a waiting unknown token, as in the library
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
      if (merge == nullptr || merge->id != best.id) continue;  // one of the two has changed
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

namespace {

constexpr double kUnknownPenalty = 10;

// Of all segmentations of a word the most probable one:
//   maximise  sum_k log p(token_k)   over tokens that together are the word   (T. Kudo, 2018)
// by Viterbi over the places of the word; a trie gives the tokens that begin at a place. A
// character that is no token costs 10 more than the least probable token.
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
  struct Best {  // the best segmentation up to a place
    double score = 0;
    std::size_t from = kNowhere;
    bool unknown = false;  // its last token is unknown
  };

  // The parts of the best segmentation, in order; adjacent unknown parts are joined.
  std::vector<std::string_view> best_parts(std::string_view word, Budget& budget) const {
    std::vector<Best> best(word.size() + 1);
    for (std::size_t at = 0; at < word.size();) {
      const double here = best[at].score;
      std::size_t after = at;
      next_character(word, after);
      bool covered = false;  // a token is exactly this character
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

namespace {

// Takes the longest token that fits, from the left. A word that cannot be covered is the unknown
// token. Pieces after the first have a prefix.
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
  // The start of the last character of a text.
  static std::size_t characters_end(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  }

  TokenId unknown_;
  std::string prefix_;
  std::size_t most_;  // characters; longer words are unknown
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
