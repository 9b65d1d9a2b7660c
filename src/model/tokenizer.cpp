// tokenizer.cpp: the parts of a tokeniser put together: encoding and decoding.
#include "murmur/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "model/tokenizer_added.h"
#include "model/tokenizer_decode.h"
#include "model/tokenizer_file.h"
#include "model/tokenizer_limits.h"
#include "model/tokenizer_model.h"
#include "model/tokenizer_normalise.h"
#include "model/tokenizer_post.h"
#include "model/tokenizer_split.h"
#include "model/tokenizer_unicode.h"
#include "murmur/error.h"
#include "run/file.h"

namespace murmur {

using namespace tokenizer;

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 28;
constexpr std::size_t kBytesOfToken = 16;  // budgeted for each id; real tokens have 4 or 5
constexpr std::size_t kLongestText = std::size_t{1} << 28;  // ICU counts in 32 bits

// Words come again in a text: the ids of short ones are remembered while it is encoded.
class WordMemory {
 public:
  WordMemory(const Model& model, Budget& budget) : model_(model), budget_(budget) {}

  void encode(const std::string& word, std::vector<TokenId>& ids) {
    find_or_make(word, ids);
    budget_.require_room(ids.size());
  }

 private:
  void find_or_make(const std::string& word, std::vector<TokenId>& ids) {
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

// Older files do not say what their model is: it shows in the fields that only one kind has.
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
  Normaliser normaliser{};  // empty: the text stays as it is
  Splitter splitter{};      // empty: the text is one word
  std::unique_ptr<const Model> model{};
  Frame frame{};
  Decoder decoder{};  // empty: tokens are joined by spaces
  Limits limits{};
  std::size_t size = 0;

  std::optional<std::string_view> token(TokenId id) const {
    if (const AddedToken* found = added.by_id(id)) return found->text;
    return vocabulary->token(id);
  }
  void encode_piece(Piece piece, WordMemory& words, std::vector<TokenId>& ids) const;
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
    parts->frame = make_frame(root.at("post_processor"),
                              [&](TokenId id) { return parts->token(id).has_value(); });
  if (root.has("decoder")) parts->decoder = make_decoder(root.at("decoder"));
  parts->limits = limits_of(root);
  parts->size = parts->vocabulary->size();
  for (const AddedToken& token : parts->added.all())
    parts->size = std::max<std::size_t>(parts->size, std::size_t{token.id} + 1);
  return Tokenizer(std::move(parts));
}

void Tokenizer::Parts::encode_piece(Piece piece, WordMemory& words,
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
  WordMemory words(*parts_->model, budget);
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
  const Frame frame = options.special ? parts_->frame : Frame{};
  if (options.limits) truncate(ids, parts_->limits, frame.before.size() + frame.after.size());
  ids.insert(ids.begin(), frame.before.begin(), frame.before.end());
  ids.insert(ids.end(), frame.after.begin(), frame.after.end());
  if (options.limits) pad(ids, parts_->limits);
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, DecodeOptions options) const {
  std::vector<std::string> texts;
  std::size_t given = 0;  // bytes of all tokens, and one for each
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
