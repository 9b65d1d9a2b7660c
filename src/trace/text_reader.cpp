// text_reader.cpp: reads a text by the reference pass, and lays out what the view Words shows.
#include "murmur/text_reader.h"

#include <fmt/format.h>

#include <string_view>

#include "model/llama2c.h"
#include "model/model_folder.h"
#include "murmur/error.h"
#include "run/json_text.h"
#include "trace/effective_beta.h"
#include "trace/lens.h"
#include "trace/traced.h"
#include "trace/words_file.h"

namespace murmur {

namespace {

constexpr PassOptions kPass{.engine = PassEngine::reference};
constexpr std::int64_t kEndOfText = 2;

}  // namespace

struct TextReader::Parts {
  Model model;
  Llama2cVocabulary vocabulary;

  TracedText traced(const std::string& text, int more) const {
    std::vector<std::int64_t> ids = vocabulary.encode(text);
    const std::size_t given = ids.size();
    if (more < 0 || more > kMostTokens || static_cast<int>(given) + more > kMostTokens)
      throw Error(Fault::input,
                  fmt::format("the text has {} tokens, and {} more are to be written", given, more),
                  "text", fmt::format("keep to {} tokens in all", kMostTokens));
    if (more > 0)
      ids = continued(*model, std::move(ids), {.tokens = more, .end = kEndOfText}, kPass);
    TracedText made = trace_prompt(*model, nullptr, {.name = text, .ids = std::move(ids)}, kPass);
    made.given = given;
    for (std::size_t i = 0; i < made.tokens.size(); ++i)
      made.tokens[i] = vocabulary.token(made.prompt.ids[i]);
    return made;
  }

  WordsText told(const TracedText& text) const {
    WordsText made{.text = vocabulary.decode(text.prompt.ids),
                   .given = text.given,
                   .ids = text.prompt.ids,
                   .tokens = text.tokens,
                   .attention = text.trace.attention,
                   .lens = logit_lens(*model, text, {.place = text.n() - 1, .pass = kPass})};
    for (LensRow& row : made.lens)
      for (SaidToken& said : row.top) said.token = vocabulary.token(said.id);
    for (int f = 0; f < text.frames(); ++f) made.frames.push_back(on_the_sphere(text, f));
    return made;
  }
};

TextReader::TextReader(std::span<const std::byte> weights, std::span<const std::byte> tokenizer) {
  const std::string_view tokens(reinterpret_cast<const char*>(tokenizer.data()), tokenizer.size());
  auto parts = std::make_unique<Parts>(
      Parts{parse_llama2c(weights, "the weights"), Llama2cVocabulary(tokens, "the tokeniser")});
  const auto vocabulary = static_cast<std::size_t>(parts->model->description().vocabulary);
  if (parts->vocabulary.size() != vocabulary)
    throw Error(Fault::input,
                fmt::format("the weights know {} tokens, the tokeniser {}", vocabulary,
                            parts->vocabulary.size()),
                "the tokeniser", "give the tokeniser that belongs to the weights");
  parts_ = std::move(parts);
}

TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;
TextReader::~TextReader() = default;

int TextReader::d() const { return parts_->model->description().d; }
int TextReader::layers() const { return parts_->model->description().layers; }
int TextReader::heads() const { return parts_->model->description().heads; }

ReadText TextReader::read(const std::string& text, int more, const std::string& name) const {
  const Description& of = parts_->model->description();
  const TracedText traced = parts_->traced(text, more);
  ReadText made;
  for (int f = 0; f < traced.frames(); ++f)
    made.states.insert(made.states.end(), traced.state(f).begin(), traced.state(f).end());
  for (const std::vector<float>& block : traced.trace.attention)
    made.attention.insert(made.attention.end(), block.begin(), block.end());
  WordsTrace file{.model = name,
                  .family = of.family,
                  .d = of.d,
                  .heads = of.heads,
                  .causal = of.causal,
                  .block_beta = common_beta(std::span(&traced, 1), of).by_block};
  file.texts.push_back(parts_->told(traced));
  made.words = json_text(words_file(file));
  return made;
}

}  // namespace murmur
