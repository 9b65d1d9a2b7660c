// tokenizer_file.h: a tokenizer.json as it is read: its fields, its lists of tokens and merges, and
// how much the file and each call may ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace murmur::tokenizer {

// A small tokenizer.json can ask for texts that fit in no memory and for endless work: parts that
// feed each other, long tokens that nearly match everywhere, templates of templates. Each call has
// a budget that grows with its input. It is counted, not timed, so the same call is refused on
// every machine.
//
//   room   bytes of all texts at a time, and ids: 66 per input byte, plus 65,536. No character of
//          Unicode becomes more than 33 bytes in any form, and bytes become at most two.
//   work   steps, each about one byte that is read: 2,000 per input byte, plus 4 million
class Budget {
 public:
  explicit Budget(std::size_t given);

  // Error(input) if there are more bytes or ids than the room.
  void require_room(std::size_t bytes) const {
    if (bytes > room_) refuse_room();
  }
  // Error(input) if fewer than `steps` are left.
  void spend(std::size_t steps) {
    if (steps > left_) refuse_work();
    left_ -= steps;
  }
  // Spends the work of a search for `wanted` in a text.
  void spend_on_search(std::string_view text, std::string_view wanted) {
    if (wanted.size() <= text.size()) spend(text.size() * (1 + wanted.size() / 64));
  }
  std::size_t left() const { return left_; }  // steps

 private:
  [[noreturn]] static void refuse_room();
  [[noreturn]] static void refuse_work();
  std::size_t room_, left_;
};

// The limits of a file over all its parts, counted while it is read.
struct FileBudget {
  std::size_t parts = 0;                  // normalisers, pre-tokenisers, decoders and the like
  std::size_t expression_characters = 0;  // of all regular expressions
};

inline constexpr std::size_t kMostParts = 1000;
inline constexpr std::size_t kMostExpressionCharacters = 20'000;

// One value of a JSON document, which must outlive it.
class Field {
 public:
  Field(const nlohmann::json& value, std::string file)
      : value_(&value), file_(std::move(file)), budget_(std::make_shared<FileBudget>()) {}

  bool has(const std::string& key) const;  // the key exists and is not null
  bool is_text() const { return value_->is_string(); }
  Field at(const std::string& key) const;  // of an object
  // The entries of an array of at most `most`.
  std::vector<Field> list(std::size_t most = std::size_t{1} << 20) const;
  std::vector<std::pair<std::string, Field>> members() const;

  std::string text() const;
  char32_t character() const;  // a text of one character
  bool flag() const;
  std::uint32_t whole(std::uint32_t most) const;  // 0 .. most

  std::string text_or(const std::string& key, std::string_view otherwise) const;
  bool flag_or(const std::string& key, bool otherwise) const;

  [[noreturn]] void refuse(std::string_view what, std::string_view remedy = {}) const;

  // Error(input) if the file has more parts, or longer expressions together, than the limits.
  void count_part() const;
  void count_expression(std::size_t characters) const;

 private:
  Field(const Field& parent, const nlohmann::json& value, std::string key)
      : value_(&value), file_(parent.file_), key_(std::move(key)), budget_(parent.budget_) {}

  const nlohmann::json* value_;
  std::string file_, key_{};  // key_: "pre_tokenizer.pretokenizers[1]"; empty for the whole
  std::shared_ptr<FileBudget> budget_;
};

// The makers of one kind of part, by the value of `type` in the file.
template <class Made>
using Makers = std::map<std::string, std::function<Made(const Field&)>>;

[[noreturn]] void refuse_type(const Field& field, const std::string& type,
                              const std::vector<std::string>& known);

template <class Made>
Made make_by_type(const Makers<Made>& makers, const Field& field) {
  field.count_part();
  const std::string type = field.at("type").text();
  const auto found = makers.find(type);
  if (found != makers.end()) return found->second(field);
  std::vector<std::string> known;
  for (const auto& [name, maker] : makers) known.push_back(name);
  refuse_type(field, type, known);
}

// Tokens of a file. All texts lie in one string, which saves allocations.
struct TokenList {
  std::string texts{};
  std::vector<std::size_t> ends{};   // the end of each text
  std::vector<std::uint64_t> ids{};  // of an object {token: id}
  std::vector<double> scores{};      // of a list [[token, score], ...]; their order is their id

  std::size_t size() const { return ends.size(); }
  std::string_view text(std::size_t k) const;
  void add(std::string_view text);
};

// Merges of two neighbours, as texts; a file lists them in the order in which they were learnt.
struct MergeList {
  TokenList left{}, right{};
};

// Vocabulary and merges are most of a file: hundreds of thousands of small values. The reader
// writes them to lists and makes no JSON values of them.
struct TokenizerFile {
  nlohmann::json rest{};   // without model.vocab and model.merges
  TokenList vocabulary{};  // model.vocab, an object or a list
  MergeList merges{};      // model.merges
  bool has_vocabulary = false, has_merges = false;
};

// Error(input) names the byte or the field that is wrong.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& where);

}  // namespace murmur::tokenizer
