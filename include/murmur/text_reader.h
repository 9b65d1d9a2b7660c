// text_reader.h: runs a small transformer of llama2.c on texts, with the same bits here and in the
// web page.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace murmur {

struct ReadText {
  std::string words{};             // JSON: the file of the view Words, schema murmur-words-2
  std::vector<float> states{};     // (layers + 1, n, d): the residual stream, embedded tokens first
  std::vector<float> attention{};  // (layers, heads, n, n)
};

// Weights (.bin) and tokeniser (tok*.bin) in memory; uses the reference forward pass.
class TextReader {
 public:
  static constexpr int kMostTokens = 96;  // of a text, including those that the model writes

  // Throws Error(input) for files that are invalid, or not of one model.
  TextReader(std::span<const std::byte> weights, std::span<const std::byte> tokenizer);
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;
  ~TextReader();

  int d() const;
  int layers() const;
  int heads() const;

  // Lets the model append up to `more` tokens, the most probable each time, and traces all; `name`
  // is the name of the model in the file. Throws Error(input) above kMostTokens.
  ReadText read(const std::string& text, int more, const std::string& name) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace murmur
