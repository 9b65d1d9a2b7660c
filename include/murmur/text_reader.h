// text_reader.h: a small transformer of llama2.c reads texts, with the same bits here and in the
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

// Weights (.bin) and tokeniser (tok*.bin) in memory; texts are read by the reference pass.
class TextReader {
 public:
  static constexpr int kMostTokens = 96;  // of a text, those that the model writes with them

  // Error(input) for files that are off, or not of one model.
  TextReader(std::span<const std::byte> weights, std::span<const std::byte> tokenizer);
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;
  ~TextReader();

  int d() const;
  int layers() const;
  int heads() const;

  // Lets the model write up to `more` tokens behind the text, the likeliest each time, and traces
  // all; `name` is what the file calls the model. Error(input) beyond kMostTokens.
  ReadText read(const std::string& text, int more, const std::string& name) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace murmur
