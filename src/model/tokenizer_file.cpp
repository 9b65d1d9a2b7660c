// tokenizer_file.cpp: reads a tokenizer.json in one pass with bounded depth, and names the field
// that is wrong.
#include "model/tokenizer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/tokenizer_parts.h"
#include "murmur/error.h"

namespace murmur::tokenizer {

namespace {

constexpr std::size_t kMostRoom = std::size_t{1} << 30;  // ICU counts in 32 bits

[[noreturn]] void refuse(const char* what) {
  throw Error(Fault::input, what, "the parts of the tokeniser", "use another tokeniser");
}

}  // namespace

Budget::Budget(std::size_t given)
    : room_(std::min(66 * given + 65'536, kMostRoom)), left_(2'000 * given + 4'000'000) {}

void Budget::refuse_room() { refuse("the tokeniser makes texts longer without end"); }
void Budget::refuse_work() { refuse("the tokeniser takes too long for this text"); }

void Field::refuse(std::string_view what, std::string_view remedy) const {
  const std::string name = key_.empty() ? "the whole" : key_;
  throw Error(Fault::input, fmt::format("{} {}", name, what), fmt::format("{}: {}", file_, name),
              std::string(remedy.empty() ? "download the tokenizer.json again" : remedy));
}

void Field::count_part() const {
  if (++budget_->parts > kMostParts)
    refuse(fmt::format("is one of more than {} parts", kMostParts), "use another tokeniser");
}

void Field::count_expression(std::size_t characters) const {
  budget_->expression_characters += characters;
  if (budget_->expression_characters > kMostExpressionCharacters)
    refuse(fmt::format("is one of expressions of more than {} characters together",
                       kMostExpressionCharacters),
           "use another tokeniser");
}

bool Field::has(const std::string& key) const {
  if (!value_->is_object()) refuse("is not an object");
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

Field Field::at(const std::string& key) const {
  const std::string inner = key_.empty() ? key : key_ + "." + key;
  if (!has(key)) Field(*this, *value_, inner).refuse("is missing");
  return Field(*this, *value_->find(key), inner);
}

std::vector<Field> Field::list(std::size_t most) const {
  if (!value_->is_array()) refuse("is not a list");
  if (value_->size() > most) refuse(fmt::format("has more than {} entries", most));
  std::vector<Field> found;
  for (const nlohmann::json& value : *value_)
    found.push_back(Field(*this, value, fmt::format("{}[{}]", key_, found.size())));
  return found;
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  if (!value_->is_object()) refuse("is not an object");
  std::vector<std::pair<std::string, Field>> found;
  for (const auto& [key, value] : value_->items())
    found.emplace_back(key, Field(*this, value, key_ + "." + key));
  return found;
}

std::string Field::text() const {
  if (!value_->is_string()) refuse("is not a text");
  return value_->get<std::string>();
}

char32_t Field::character() const {
  const std::string text = this->text();
  const std::u32string points = code_points(text);
  if (points.size() != 1) refuse("is not one character");
  return points[0];
}

bool Field::flag() const {
  if (!value_->is_boolean()) refuse("is neither true nor false");
  return value_->get<bool>();
}

std::uint32_t Field::whole(std::uint32_t most) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > most)
    refuse(fmt::format("is not a whole number from 0 to {}", most));
  return value_->get<std::uint32_t>();
}

std::string Field::text_or(const std::string& key, std::string_view otherwise) const {
  return has(key) ? at(key).text() : std::string(otherwise);
}

bool Field::flag_or(const std::string& key, bool otherwise) const {
  return has(key) ? at(key).flag() : otherwise;
}

void refuse_type(const Field& field, const std::string& type,
                 const std::vector<std::string>& known) {
  field.refuse(fmt::format("is of the type {}, which is not known here", type),
               fmt::format("use a tokeniser made of {}", fmt::join(known, ", ")));
}

std::string_view TokenList::text(std::size_t k) const {
  const std::size_t begin = k == 0 ? 0 : ends[k - 1];
  return std::string_view(texts).substr(begin, ends[k] - begin);
}

void TokenList::add(std::string_view text) {
  texts += text;
  ends.push_back(texts.size());
}

namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostValues = std::size_t{1} << 22;  // without vocabulary and merges
constexpr const char* kRemedy = "download the tokenizer.json again";

// The JSON library calls these functions for each token of the text. They return true to continue,
// and throw for every fault.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Reader(TokenizerFile& file, const std::string& where) : file_(file), where_(where) {}

  bool null() override { return scalar(nullptr, Seen::other); }
  bool boolean(bool value) override { return scalar(value, Seen::other); }
  bool number_integer(std::int64_t value) override { return scalar(value, Seen::number); }
  bool number_unsigned(std::uint64_t value) override { return scalar(value, Seen::number); }
  bool number_float(double value, const std::string&) override {
    return scalar(value, Seen::number);
  }
  bool string(std::string& value) override {
    if (place_ == Place::merges) return merge_text(value);
    return scalar(std::move(value), Seen::text);
  }
  bool binary(Json::binary_t&) override { refuse("the file", "holds binary values"); }

  bool start_object(std::size_t) override { return start(Json::object()); }
  bool start_array(std::size_t) override { return start(Json::array()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const Json::exception&) override {
    throw Error(Fault::input, "the file is no JSON in UTF-8, or cut off",
                fmt::format("{}: byte {}", where_, at), kRemedy);
  }

 private:
  enum class Place { document, vocabulary, merges };
  enum class Seen { text, number, other };

  [[noreturn]] void refuse(const char* field, std::string_view what) const {
    throw Error(Fault::input, fmt::format("{} {}", field, what),
                fmt::format("{}: {}", where_, field), kRemedy);
  }

  bool scalar(Json value, Seen seen) {
    if (place_ == Place::vocabulary) return token(std::move(value), seen);
    if (place_ == Place::merges) refuse("model.merges", "holds what is no merge");
    put(std::move(value));
    return true;
  }

  // Stores a value of the rest at its place. The pointer is valid until the parent gets another
  // value.
  Json* put(Json value) {
    if (++values_ > kMostValues)
      refuse("the file", fmt::format("holds more than {} values", kMostValues));
    if (open_.empty()) return &(file_.rest = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool start(Json value) {
    if (++depth_ > kDeepest)
      refuse("the file", fmt::format("is nested more than {} levels deep", kDeepest));
    if (place_ != Place::document) return start_inside(value.is_object());
    if (open_.size() == 2 && in_model_ && (key_ == "vocab" || key_ == "merges"))
      return enter(key_ == "vocab", value.is_object());
    if (open_.size() == 1 && open_[0]->is_object())
      in_model_ = key_ == "model" && value.is_object();
    open_.push_back(put(std::move(value)));
    return true;
  }

  bool enter(bool vocabulary, bool object) {
    bool& had = vocabulary ? file_.has_vocabulary : file_.has_merges;
    const char* name = vocabulary ? "model.vocab" : "model.merges";
    if (std::exchange(had, true)) refuse(name, "is there twice");
    if (!vocabulary && object) refuse(name, "is not a list");
    place_ = vocabulary ? Place::vocabulary : Place::merges;
    by_key_ = object;
    inner_ = 0;
    return true;
  }

  bool start_inside(bool object) {
    const char* name = place_ == Place::vocabulary ? "model.vocab" : "model.merges";
    if (object || by_key_ || inner_ != 0) refuse(name, "is nested too deep");
    inner_ = 1;
    held_ = 0;
    return true;
  }

  bool end() {
    --depth_;
    if (place_ == Place::document) {
      open_.pop_back();
    } else if (inner_ == 1) {
      if (held_ != 2)
        refuse(place_ == Place::vocabulary ? "model.vocab" : "model.merges",
               "has a row that is no pair");
      inner_ = 0;
    } else {
      place_ = Place::document;
    }
    return true;
  }

  bool token(Json value, Seen seen) {
    TokenList& list = file_.vocabulary;
    if (by_key_) {
      if (!value.is_number_unsigned())
        refuse("model.vocab", fmt::format("gives {} an id that is no whole number from 0", key_));
      list.add(key_);
      list.ids.push_back(value.get<std::uint64_t>());
      return true;
    }
    if (inner_ == 0 || seen != (held_ == 0 ? Seen::text : Seen::number) || held_ > 1)
      refuse("model.vocab", "has a row that is not [token, score]");
    if (held_++ == 0)
      list.add(value.get_ref<const std::string&>());
    else
      list.scores.push_back(value.get<double>());
    return true;
  }

  // "left right" in older files, ["left", "right"] in newer ones.
  bool merge_text(const std::string& text) {
    MergeList& list = file_.merges;
    if (inner_ == 1) {
      if (held_ > 1) refuse("model.merges", "has a row that is no pair");
      (held_++ == 0 ? list.left : list.right).add(text);
      return true;
    }
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      refuse("model.merges", fmt::format("holds {}, which is not two tokens", text));
    list.left.add(std::string_view(text).substr(0, space));
    list.right.add(std::string_view(text).substr(space + 1));
    return true;
  }

  TokenizerFile& file_;
  const std::string& where_;
  std::vector<Json*> open_{};  // objects and lists of the rest that are being read
  std::string key_{};          // the last one
  std::size_t depth_ = 0, values_ = 0;
  Place place_ = Place::document;
  bool in_model_ = false;  // the object at depth 2 is `model`
  bool by_key_ = false;    // the vocabulary is an object
  int inner_ = 0;          // inside a row of vocabulary or merges
  int held_ = 0;           // values of that row
};

}  // namespace

TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& where) {
  TokenizerFile file;
  Reader reader(file, where);
  Json::sax_parse(text, &reader);
  return file;
}

}  // namespace murmur::tokenizer
