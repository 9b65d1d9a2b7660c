// words.cpp: the second core of the page: a small transformer reads texts.
#include <fmt/format.h>

#include <optional>

#include "murmur/text_reader.h"
#include "request.h"

namespace murmur::facade {

namespace {

std::optional<TextReader>& reader() {
  static std::optional<TextReader> instance;
  return instance;
}

// Loads `weights` bytes of weights, followed by the tokeniser.
void load(const Request& r, Reply& reply) {
  const int weights = r.whole("weights");
  if (weights < 0 || static_cast<std::size_t>(weights) > r.bytes.size())
    throw Error(Fault::input, "the weights are longer than the data", "the model's file",
                "give the weights, then the tokeniser");
  const auto cut = static_cast<std::size_t>(weights);
  reader().emplace(r.bytes.first(cut), r.bytes.subspan(cut));
  reply.text = {{"d", reader()->d()}, {"layers", reader()->layers()}, {"heads", reader()->heads()}};
}

void read(const Request& r, Reply& reply) {
  if (!reader())
    throw ClosedHandle(Fault::input, "there is no model yet", "model", "load its weights first");
  const ReadText made =
      reader()->read(r.words.at("text"), r.whole_or("more", 0), r.words.value("name", "llama2.c"));
  reply.text = {{"words", made.words}};
  reply.add(made.states);
  reply.add(made.attention);
}

}  // namespace

void answer(const Request& request, Reply& reply) {
  const std::string name = request.words.at("do");
  if (name == "model") return load(request, reply);
  if (name == "read") return read(request, reply);
  throw Error(Fault::usage, "there is no such request", name, "use model or read");
}

}  // namespace murmur::facade
