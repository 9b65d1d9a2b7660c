// tokenizer_added.cpp: reads the added tokens of a file and finds them in a text.
#include "model/tokenizer_added.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/tokenizer_unicode.h"

namespace murmur::tokenizer {
namespace {

constexpr TokenId kHighestId = 1u << 24;

bool single(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && is_word(last_character(text.substr(0, begin)))) return false;
  std::size_t at = end;
  return end == text.size() || !is_word(next_character(text, at));
}

std::size_t blanks_before(std::string_view text, std::size_t end, std::size_t least) {
  while (end > least && is_space(last_character(text.substr(0, end)))) {
    --end;
    while (end > least && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  return end;
}

std::size_t blanks_behind(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size() && is_space(next_character(text, at));) begin = at;
  return begin;
}

}  // namespace

AddedTokens::AddedTokens(const Field& list, const Vocabulary& vocabulary) {
  for (const Field& field : list.list()) {
    AddedToken token;
    token.text = field.at("content").text();
    if (token.text.empty()) continue;
    token.id = field.at("id").whole(kHighestId);
    token.special = field.flag_or("special", false);
    token.single_word = field.flag_or("single_word", false);
    token.left = field.flag_or("lstrip", false);
    token.right = field.flag_or("rstrip", false);
    token.normalised = field.flag_or("normalized", !token.special);
    const std::optional<TokenId> known = vocabulary.id(token.text);
    if (known && *known != token.id)
      field.refuse(fmt::format("is {} with the id {}, and the vocabulary says {}", token.text,
                               token.id, *known));
    const auto other = vocabulary.token(token.id);
    if (other && *other != token.text)
      field.refuse(
          fmt::format("has the id {}, which the vocabulary gives to {}", token.id, *other));
    if (!by_id_.emplace(token.id, all_.size()).second)
      field.refuse(fmt::format("has the id {}, as one before it has", token.id));
    if (!by_text_.emplace(token.text, all_.size()).second)
      field.refuse(fmt::format("is {}, as one before it is", token.text));
    all_.push_back(std::move(token));
  }
}

void AddedTokens::prepare(const Normaliser& normaliser) {
  std::vector<Trie::Key> raw, normalised;
  std::size_t given = 0, made = 0;
  for (const AddedToken& token : all_) given += token.text.size();
  Budget budget(given);
  looks_.reserve(all_.size());  // the keys refer to them
  for (std::size_t k = 0; k < all_.size(); ++k) {
    Piece look{all_[k].text, true, &budget};
    if (all_[k].normalised && normaliser) normaliser(look);
    budget.require_room(made += look.text.size());
    looks_.push_back(std::move(look.text));
    if (!looks_[k].empty())
      (all_[k].normalised ? normalised : raw).push_back({looks_[k], static_cast<std::uint32_t>(k)});
  }
  raw_ = Trie(std::move(raw));
  normalised_ = Trie(std::move(normalised));
}

std::optional<AddedTokens::Found> AddedTokens::find(std::string_view text, std::size_t from,
                                                    const Trie& trie, Budget& budget) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!trie.begins(static_cast<unsigned char>(text[begin]))) continue;
    Found found{begin, begin, nullptr};
    budget.spend(trie.visit_prefixes(text.substr(begin), [&](std::size_t length, std::uint32_t k) {
      found = {begin, begin + length, &all_[k]};
    }));
    if (found.token == nullptr) continue;
    if (!found.token->single_word || single(text, found.begin, found.end)) return found;
    begin = found.end - 1;  // what is refused is not searched again
  }
  return std::nullopt;
}

std::vector<Cut> AddedTokens::cut(Piece piece, bool normalised) const {
  const Trie& trie = normalised ? normalised_ : raw_;
  const std::string_view text = piece.text;
  std::vector<Cut> cuts;
  std::size_t done = 0, from = 0;
  const auto keep = [&](std::size_t begin, std::size_t end) {
    if (end > begin)
      cuts.push_back({{std::string(text.substr(begin, end - begin)), piece.at_start && begin == 0,
                       piece.budget},
                      std::nullopt});
  };
  while (const std::optional<Found> found = find(text, from, trie, *piece.budget)) {
    from = found->end;
    if (found->begin < done) continue;  // inside the blanks that the one before took
    std::size_t begin = found->begin, end = found->end;
    if (found->token->left) begin = blanks_before(text, begin, done);
    if (found->token->right) end = blanks_behind(text, end);
    keep(done, begin);
    cuts.push_back({{}, found->token->id});
    done = end;
  }
  keep(done, text.size());
  return cuts;
}

const AddedToken* AddedTokens::by_id(TokenId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &all_[found->second];
}

const AddedToken* AddedTokens::by_text(std::string_view text) const {
  const auto found = by_text_.find(std::string(text));
  return found == by_text_.end() ? nullptr : &all_[found->second];
}

}  // namespace murmur::tokenizer
