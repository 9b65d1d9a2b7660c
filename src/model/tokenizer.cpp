// tokenizer.cpp: puts the parts of a tokeniser together: encoding and decoding, with
// post-processors, decoders, truncation and padding.
#include "murmur/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/tokenizer_parts.h"
#include "murmur/error.h"
#include "run/file.h"

namespace murmur {

namespace tokenizer {
namespace {

constexpr TokenId kHighestId = std::numeric_limits<TokenId>::max() - 1;
constexpr std::size_t kMostIds = 65'536;  // that a post-processor adds to a text

void require_at_most(const AddedIds& added_ids, const Field& field) {
  if (added_ids.before.size() + added_ids.after.size() > kMostIds)
    field.refuse(fmt::format("adds more than {} ids", kMostIds), "use another tokeniser");
}

// [CLS] $A [SEP]; each is written [token, id].
AddedIds classes(const Field& field) {
  const auto id_of = [&](const char* key) {
    const std::vector<Field> pair = field.at(key).list();
    if (pair.size() != 2) field.at(key).refuse("is not a token with its id");
    return pair[1].whole(kHighestId);
  };
  return {{id_of("cls")}, {id_of("sep")}};
}

AddedIds of_template(const Field& field) {
  AddedIds added_ids;
  bool passed = false;  // the text itself
  for (const Field& part : field.at("single").list()) {
    if (part.has("Sequence")) {
      const std::string name = part.at("Sequence").at("id").text();
      if (name != "A" || passed)
        part.refuse(fmt::format("is the sequence {}, and not the only sequence A", name),
                    "a template for one text names the sequence A once");
      passed = true;
      continue;
    }
    const Field special = part.at("SpecialToken").at("id");
    const std::string name = special.text();
    const Field known = field.at("special_tokens");
    if (!known.has(name)) special.refuse(fmt::format("is {}, which special_tokens lacks", name));
    for (const Field& id : known.at(name).at("ids").list(kMostIds))
      (passed ? added_ids.after : added_ids.before).push_back(id.whole(kHighestId));
    require_at_most(added_ids, field);
  }
  if (!passed) field.at("single").refuse("does not name the sequence A");
  return added_ids;
}

AddedIds nothing(const Field&) { return {}; }

AddedIds added_ids_of(const Field& field);

AddedIds sequence(const Field& field) {
  AddedIds added_ids;
  for (const Field& part : field.at("processors").list(kMostParts)) {
    AddedIds outer = added_ids_of(part);
    outer.before.insert(outer.before.end(), added_ids.before.begin(), added_ids.before.end());
    added_ids.after.insert(added_ids.after.end(), outer.after.begin(), outer.after.end());
    added_ids.before = std::move(outer.before);
    require_at_most(added_ids, field);
  }
  return added_ids;
}

AddedIds added_ids_of(const Field& field) {
  static const Makers<AddedIds> makers = {{"BertProcessing", classes},
                                          {"ByteLevel", nothing},
                                          {"RobertaProcessing", classes},
                                          {"Sequence", sequence},
                                          {"TemplateProcessing", of_template}};
  return make_by_type(makers, field);
}

}  // namespace

AddedIds make_added_ids(const Field& field, const std::function<bool(TokenId)>& known) {
  const AddedIds added_ids = added_ids_of(field);
  for (const auto* ids : {&added_ids.before, &added_ids.after})
    for (const TokenId id : *ids)
      if (!known(id)) field.refuse(fmt::format("adds the id {}, which no token has", id));
  return added_ids;
}

namespace {

constexpr std::uint32_t kLongestPadding = 1u << 18;  // ids; printed as JSON they take 100 MB

bool is_left(const Field& field) {
  const std::string word = field.text_or("direction", "Right");
  if (word != "Left" && word != "Right")
    field.at("direction").refuse(fmt::format("is {}, not Left or Right", word));
  return word == "Left";
}

}  // namespace

Limits limits_of(const Field& root) {
  Limits limits;
  if (root.has("truncation")) {
    const Field field = root.at("truncation");
    limits.most = field.at("max_length").whole(std::numeric_limits<std::uint32_t>::max());
    limits.keeps_end = is_left(field);
  }
  if (root.has("padding")) {
    const Field field = root.at("padding");
    limits.pads = true;
    limits.pads_left = is_left(field);
    limits.pad = field.at("pad_id").whole(std::numeric_limits<TokenId>::max() - 1);
    const Field strategy = field.at("strategy");
    if (!strategy.is_text())
      limits.length = strategy.at("Fixed").whole(kLongestPadding);
    else if (strategy.text() != "BatchLongest")
      strategy.refuse(fmt::format("is {}, which is not known here", strategy.text()),
                      "BatchLongest and Fixed are known");
    if (field.has("pad_to_multiple_of"))
      limits.multiple = std::max(1u, field.at("pad_to_multiple_of").whole(kLongestPadding));
  }
  return limits;
}

void truncate(std::vector<TokenId>& ids, const Limits& limits, std::size_t to_come) {
  if (!limits.most || ids.size() + to_come <= *limits.most) return;
  const std::size_t kept = *limits.most > to_come ? *limits.most - to_come : 0;
  if (limits.keeps_end)
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(kept));
  else
    ids.resize(kept);
}

void pad(std::vector<TokenId>& ids, const Limits& limits) {
  if (!limits.pads) return;
  const std::size_t least = std::max(ids.size(), limits.length);
  const std::size_t length = (least + limits.multiple - 1) / limits.multiple * limits.multiple;
  ids.insert(limits.pads_left ? ids.begin() : ids.end(), length - ids.size(), limits.pad);
}

}  // namespace tokenizer

using namespace tokenizer;

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 28;
constexpr std::size_t kBytesOfToken = 16;  // budget per id; real tokens have 4 or 5
constexpr std::size_t kLongestText = std::size_t{1} << 28;  // ICU counts in 32 bits

// Words are repeated in a text: this stores the ids of short words while a text is encoded.
class WordCache {
 public:
  WordCache(const Model& model, Budget& budget) : model_(model), budget_(budget) {}

  void encode(const std::string& word, std::vector<TokenId>& ids) {
    append_ids(word, ids);
    budget_.require_room(ids.size());
  }

 private:
  void append_ids(const std::string& word, std::vector<TokenId>& ids) {
    if (word.size() > 64) return model_.encode(word, ids, budget_);
    const auto [found, anew] = places_.try_emplace(word, Place{});
    if (anew) {
      found->second.begin = known_.size();
      model_.encode(word, known_, budget_);
      found->second.end = known_.size();
    }
    const auto begin = known_.begin();
    ids.insert(ids.end(), begin + static_cast<std::ptrdiff_t>(found->second.begin),
               begin + static_cast<std::ptrdiff_t>(found->second.end));
  }

  struct Place {
    std::size_t begin = 0, end = 0;
  };
  const Model& model_;
  Budget& budget_;
  std::unordered_map<std::string, Place> places_{};
  std::vector<TokenId> known_{};
};

// Older files do not name the type of their model; fields that only one type has show it.
std::string type_of(const Field& model, const TokenizerFile& file) {
  if (model.has("type")) return model.at("type").text();
  if (file.has_merges) return "BPE";
  if (!file.vocabulary.scores.empty()) return "Unigram";
  return model.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}

std::unique_ptr<const Model> make_model(const Field& field, TokenizerFile& file,
                                        const Vocabulary& vocabulary) {
  const std::string type = type_of(field, file);
  const bool scored = type == "Unigram";
  if (scored != file.vocabulary.ids.empty() && vocabulary.tokens() > 0)
    field.refuse(scored ? "has a vocabulary without scores" : "has a vocabulary without ids");
  if (type == "WordPiece") return make_word_piece(field, vocabulary);
  if (type == "WordLevel") return make_word_level(field, vocabulary);
  if (type == "Unigram") return make_unigram(field, vocabulary, std::move(file.vocabulary.scores));
  if (type != "BPE") refuse_type(field, type, {"BPE", "Unigram", "WordLevel", "WordPiece"});
  if (!file.has_merges) field.refuse("has no merges");
  return make_bpe(field, vocabulary, file.merges);
}

}  // namespace

struct Tokenizer::Parts {
  std::unique_ptr<const Vocabulary> vocabulary{};
  AddedTokens added{};
  Normaliser normaliser{};  // empty: the text does not change
  Splitter splitter{};      // empty: the text is one word
  std::unique_ptr<const Model> model{};
  AddedIds added_ids{};
  Decoder decoder{};  // empty: tokens are joined by spaces
  Limits limits{};
  std::size_t size = 0;

  std::optional<std::string_view> token(TokenId id) const {
    if (const AddedToken* found = added.by_id(id)) return found->text;
    return vocabulary->token(id);
  }
  void encode_piece(Piece piece, WordCache& words, std::vector<TokenId>& ids) const;
};

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::read(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  const fs::path file = folder ? path / "tokenizer.json" : path;
  if (!fs::is_regular_file(file, error))
    throw Error(Fault::input,
                folder ? "the folder holds no tokenizer.json" : "there is no such tokenizer.json",
                file.string(), "give a tokenizer.json, or a model's folder that holds one");
  if (const std::uint64_t size = fs::file_size(file, error); error || size > kLargestFile)
    throw Error(Fault::input, fmt::format("the file is larger than {} bytes", kLargestFile),
                file.string(), "give a tokenizer.json");
  return parse(read_text(file), file.string());
}

Tokenizer Tokenizer::parse(std::string_view json, const std::string& where) {
  TokenizerFile file = parse_tokenizer_file(json, where);
  const Field root(file.rest, where);
  if (root.text_or("version", "1.0") != "1.0")
    root.at("version").refuse("is not 1.0", "use a tokenizer.json of version 1.0");
  const Field model = root.at("model");
  if (!file.has_vocabulary) model.refuse("has no vocab");
  auto parts = std::make_unique<Parts>();
  TokenList tokens;
  std::swap(tokens.texts, file.vocabulary.texts);
  std::swap(tokens.ends, file.vocabulary.ends);
  tokens.ids = file.vocabulary.ids;
  parts->vocabulary = std::make_unique<const Vocabulary>(std::move(tokens), where);
  if (root.has("normalizer")) parts->normaliser = make_normaliser(root.at("normalizer"));
  if (root.has("pre_tokenizer")) parts->splitter = make_splitter(root.at("pre_tokenizer"));
  parts->model = make_model(model, file, *parts->vocabulary);
  if (root.has("added_tokens"))
    parts->added = AddedTokens(root.at("added_tokens"), *parts->vocabulary);
  parts->added.prepare(parts->normaliser);
  if (root.has("post_processor"))
    parts->added_ids = make_added_ids(root.at("post_processor"),
                                      [&](TokenId id) { return parts->token(id).has_value(); });
  if (root.has("decoder")) parts->decoder = make_decoder(root.at("decoder"));
  parts->limits = limits_of(root);
  parts->size = parts->vocabulary->size();
  for (const AddedToken& token : parts->added.all())
    parts->size = std::max<std::size_t>(parts->size, std::size_t{token.id} + 1);
  return Tokenizer(std::move(parts));
}

void Tokenizer::Parts::encode_piece(Piece piece, WordCache& words,
                                    std::vector<TokenId>& ids) const {
  if (!splitter) return words.encode(piece.text, ids);
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  for (const Piece& word : split_all(splitter, std::move(pieces))) words.encode(word.text, ids);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  const auto refuse = [](const char* what, const char* remedy) {
    throw Error(Fault::input, what, "the text to encode", remedy);
  };
  if (text.size() > kLongestText) refuse("the text is too long", "cut it into parts below 256 MB");
  if (!is_utf8(text)) refuse("the text is not UTF-8", "write it in UTF-8");
  std::vector<TokenId> ids;
  Budget budget(text.size());
  WordCache words(*parts_->model, budget);
  for (Cut& raw : parts_->added.cut({std::string(text), true, &budget}, false)) {
    if (raw.id) {
      ids.push_back(*raw.id);
      continue;
    }
    if (parts_->normaliser) parts_->normaliser(raw.piece);
    for (Cut& normal : parts_->added.cut(std::move(raw.piece), true)) {
      if (normal.id)
        ids.push_back(*normal.id);
      else
        parts_->encode_piece(std::move(normal.piece), words, ids);
    }
  }
  const AddedIds added_ids = options.special ? parts_->added_ids : AddedIds{};
  if (options.limits)
    truncate(ids, parts_->limits, added_ids.before.size() + added_ids.after.size());
  ids.insert(ids.begin(), added_ids.before.begin(), added_ids.before.end());
  ids.insert(ids.end(), added_ids.after.begin(), added_ids.after.end());
  if (options.limits) pad(ids, parts_->limits);
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, DecodeOptions options) const {
  std::vector<std::string> texts;
  std::size_t given = 0;  // bytes of all tokens, plus one per token
  Budget budget(kBytesOfToken * ids.size());
  for (const TokenId id : ids) {
    const std::optional<std::string_view> token = parts_->token(id);
    if (!token)
      throw Error(Fault::input, fmt::format("no token has the id {}", id), "the ids to decode",
                  fmt::format("the ids of this vocabulary are below {}", parts_->size));
    budget.require_room(given += token->size() + 1);
    const AddedToken* added = parts_->added.by_text(*token);
    if (options.special || added == nullptr || !added->special) texts.emplace_back(*token);
  }
  std::string text;
  if (parts_->decoder) {
    for (const std::string& part : parts_->decoder(std::move(texts), budget)) text += part;
    return text;
  }
  for (std::size_t k = 0; k < texts.size(); ++k) text += (k > 0 ? " " : "") + texts[k];
  return text;
}

std::size_t Tokenizer::size() const { return parts_->size; }

std::optional<std::string> Tokenizer::token(TokenId id) const {
  const std::optional<std::string_view> found = parts_->token(id);
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

std::optional<TokenId> Tokenizer::id(std::string_view token) const {
  if (const AddedToken* found = parts_->added.by_text(token)) return found->id;
  return parts_->vocabulary->id(token);
}

}  // namespace murmur

namespace murmur::tokenizer {

namespace {

using Texts = std::vector<std::string>;

// The number of bytes of all texts, plus one per text.
std::size_t weight_of(const Texts& texts) {
  std::size_t weight = texts.size();
  for (const std::string& text : texts) weight += text.size();
  return weight;
}

std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

std::string with(const std::string& text, std::string_view old, std::string_view by,
                 Budget& budget) {
  budget.spend_on_search(text, old);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; !old.empty() && (at = text.find(old, from)) != std::string::npos;
       from = at + old.size()) {
    out.append(text, from, at - from);
    out.append(by);
  }
  return out.append(text, from, std::string::npos);
}

// Removes blanks before punctuation and in English contractions, as the decoder of BERT.
std::string tidied(std::string text, Budget& budget) {
  constexpr std::pair<const char*, const char*> rules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [old, by] : rules) text = with(text, old, by, budget);
  return text;
}

Decoder word_piece(const Field& field) {
  const std::string prefix = field.text_or("prefix", "##");
  const bool tidies = field.flag_or("cleanup", true);
  return [=](Texts texts, Budget& budget) {
    for (std::size_t k = 0; k < texts.size(); ++k) {
      if (k > 0 && texts[k].starts_with(prefix))
        texts[k].erase(0, prefix.size());
      else if (k > 0)
        texts[k] = " " + texts[k];
      if (tidies) texts[k] = tidied(std::move(texts[k]), budget);
    }
    return texts;
  };
}

// A token with a character that means no byte is written unchanged.
Decoder byte_level(const Field&) {
  return [](const Texts& texts, Budget&) {
    std::string bytes, own;
    for (const std::string& text : texts) {
      own.clear();
      for (std::size_t at = 0; at < text.size();) {
        const int byte = byte_of_character(next_character(text, at));
        if (byte < 0) {
          own = text;
          break;
        }
        own += static_cast<char>(byte);
      }
      bytes += own;
    }
    return Texts{repaired_utf8(bytes)};
  };
}

Decoder metaspace(const Field& field) {
  const Metaspace rule = metaspace_of(field);
  const std::string mark = utf8_of(std::u32string(1, rule.mark));
  const bool prepended = rule.prepend != Metaspace::Prepend::never;
  return [=](Texts texts, Budget& budget) {
    for (std::size_t k = 0; k < texts.size(); ++k)
      texts[k] = with(texts[k], mark, k == 0 && prepended ? "" : " ", budget);
    return texts;
  };
}

std::optional<unsigned char> byte_named(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : token.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = 16 * value + digit;
  }
  return static_cast<unsigned char>(value);
}

// Consecutive bytes that are not UTF-8 together become one U+FFFD per byte.
Decoder byte_fallback(const Field&) {
  return [](Texts texts, Budget&) {
    Texts out;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (is_utf8(bytes))
        out.push_back(bytes);
      else
        for (std::size_t k = 0; k < bytes.size(); ++k) out.emplace_back("\uFFFD");
      bytes.clear();
    };
    for (std::string& text : texts) {
      if (const auto byte = byte_named(text)) {
        bytes += static_cast<char>(*byte);
        continue;
      }
      flush();
      out.push_back(std::move(text));
    }
    flush();
    return out;
  };
}

Decoder fuse(const Field&) {
  return [](const Texts& texts, Budget&) { return Texts{joined(texts)}; };
}

Decoder replace(const Field& field) {
  const Finder find = make_finder(field.at("pattern"));
  const std::string by = field.at("content").text();
  return [=](Texts texts, Budget& budget) {
    std::size_t made = 0;
    for (std::string& text : texts) {
      text = replaced(text, find, by, budget);
      budget.require_room(made += text.size());
    }
    return texts;
  };
}

Decoder strip(const Field& field) {
  const std::string content = utf8_of(std::u32string(1, field.at("content").character()));
  const std::uint32_t start = field.at("start").whole(1u << 30);
  const std::uint32_t stop = field.at("stop").whole(1u << 30);
  return [=](Texts texts, Budget&) {
    for (std::string& text : texts) {
      std::size_t begin = 0, end = text.size();
      const std::string_view view = text;
      for (std::uint32_t k = 0; k < start && view.substr(begin).starts_with(content); ++k)
        begin += content.size();
      for (std::uint32_t k = 0;
           k < stop && end > begin && view.substr(begin, end - begin).ends_with(content); ++k)
        end -= content.size();
      text = text.substr(begin, end - begin);
    }
    return texts;
  };
}

Decoder bpe(const Field& field) {
  const std::string suffix = field.text_or("suffix", "</w>");
  return [=](Texts texts, Budget& budget) {
    for (std::size_t k = 0; k < texts.size(); ++k)
      texts[k] = with(texts[k], suffix, k + 1 < texts.size() ? " " : "", budget);
    return texts;
  };
}

// Joins repeated tokens and removes padding.
Decoder ctc(const Field& field) {
  const std::string pad = field.text_or("pad_token", "<pad>");
  const std::string delimiter = field.text_or("word_delimiter_token", "|");
  const bool tidies = field.flag_or("cleanup", true);
  return [=](Texts texts, Budget& budget) {
    Texts out;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      if (k > 0 && texts[k] == texts[k - 1]) continue;
      std::string text = with(texts[k], pad, "", budget);
      if (tidies) text = with(tidied(std::move(text), budget), delimiter, " ", budget);
      if (!text.empty()) out.push_back(std::move(text));
    }
    return out;
  };
}

Decoder decode_in_turn(const Field& field) {
  std::vector<Decoder> parts;
  for (const Field& part : field.at("decoders").list(kMostParts))
    parts.push_back(make_decoder(part));
  return [parts](Texts texts, Budget& budget) {
    for (const Decoder& part : parts) texts = part(std::move(texts), budget);
    return texts;
  };
}

}  // namespace

Decoder make_decoder(const Field& field) {
  static const Makers<Decoder> makers = {{"BPEDecoder", bpe},
                                         {"ByteFallback", byte_fallback},
                                         {"ByteLevel", byte_level},
                                         {"CTC", ctc},
                                         {"Fuse", fuse},
                                         {"Metaspace", metaspace},
                                         {"Replace", replace},
                                         {"Sequence", decode_in_turn},
                                         {"Strip", strip},
                                         {"WordPiece", word_piece}};
  return [made = make_by_type(makers, field)](Texts texts, Budget& budget) {
    budget.spend(weight_of(texts));
    texts = made(std::move(texts), budget);
    budget.require_room(weight_of(texts) - texts.size());
    return texts;
  };
}

}  // namespace murmur::tokenizer
