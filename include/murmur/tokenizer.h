// tokenizer.h: text to token ids and back, by the tokenizer.json of a trained transformer.
//
//   text -> added tokens cut out -> normaliser -> pre-tokeniser -> model -> post-processor -> ids
//   ids -> tokens -> decoder -> text
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace murmur {

using TokenId = std::uint32_t;

struct EncodeOptions {
  bool special = true;  // with the tokens of the post-processor, such as [CLS] and [SEP]
  bool limits = false;  // truncated and padded as the file requires
};

struct DecodeOptions {
  bool special = false;  // special tokens are part of the text
};

// The tokeniser of one file. It does not change once made; any number of threads may share it.
class Tokenizer {
 public:
  // `path` is a tokenizer.json or a folder that holds one. Throws Error(input) with the invalid
  // part.
  static Tokenizer read(const std::filesystem::path& path);
  static Tokenizer parse(std::string_view json, const std::string& where);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  std::vector<TokenId> encode(std::string_view text, EncodeOptions options = {}) const;
  std::string decode(std::span<const TokenId> ids, DecodeOptions options = {}) const;

  std::size_t size() const;                            // ids are below it; some may be unused
  std::optional<std::string> token(TokenId id) const;  // its spelling in the vocabulary
  std::optional<TokenId> id(std::string_view token) const;

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts_;
};

}  // namespace murmur
