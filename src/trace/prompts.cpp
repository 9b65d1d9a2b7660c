// prompts.cpp: makes tokens of texts and numbers of pictures, and reads states that another program
// has computed (imported.h).
#include "trace/prompts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "data/data_set.h"
#include "murmur/error.h"
#include "run/formats.h"
#include "run/kept_json.h"
#include "trace/imported.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

// The factor of all samples, then mean and deviation of each channel.
struct Scaling {
  double factor = 1.0 / 255;
  std::vector<double> mean{}, deviation{};  // (channels)
};

Scaling scaling_of(const fs::path& model, int channels) {
  const auto all = static_cast<std::size_t>(channels);
  Scaling s{.mean = std::vector<double>(all, 0.5), .deviation = std::vector<double>(all, 0.5)};
  const fs::path file = model / "preprocessor_config.json";
  if (!fs::exists(file)) return s;
  const KeptJson kept = KeptJson::read(file);
  if (kept.has("rescale_factor")) s.factor = kept.at("rescale_factor").number();
  const auto numbers = [&](const char* key, std::vector<double>& to) {
    if (!kept.has(key)) return;
    to = kept.at(key).numbers();
    if (to.size() != all) kept.at(key).refuse("does not have a number for each channel");
  };
  if (kept.has("do_normalize") && !kept.at("do_normalize").flag()) {
    s.mean.assign(all, 0.0);
    s.deviation.assign(all, 1.0);
    return s;
  }
  numbers("image_mean", s.mean);
  numbers("image_std", s.deviation);
  for (const double deviation : s.deviation)
    if (!(deviation > 0)) kept.at("image_std").refuse("holds a number that is not above 0");
  return s;
}

std::vector<float> pixels_of_npy(const fs::path& picture, const Description& of) {
  const Array array = read_npy(picture);
  const auto side = static_cast<std::size_t>(of.image);
  const std::vector<std::size_t> shape =
      of.frames > 0
          ? std::vector{static_cast<std::size_t>(of.frames), static_cast<std::size_t>(of.features)}
          : std::vector{static_cast<std::size_t>(of.channels), side, side};
  if (array.shape != shape)
    refuse(fmt::format("the array does not have the shape of the {} that the model reads",
                       of.frames > 0 ? "spectrum" : "picture"),
           picture.string(), fmt::format("save shape ({})", fmt::join(shape, ", ")));
  const std::vector<double> values = array.doubles();
  return {values.begin(), values.end()};
}

std::vector<float> pixels_of_png(const fs::path& picture, const Description& of,
                                 const fs::path& model) {
  const ColourPicture read = read_colours(picture, of.channels);
  if (read.height != of.image || read.width != of.image)
    refuse(fmt::format("the picture has {} x {} pixels, the model reads {} x {}", read.width,
                       read.height, of.image, of.image),
           picture.string(),
           fmt::format("scale it first: ffmpeg -i PICTURE -vf scale={}:{} SCALED.png", of.image,
                       of.image));
  const Scaling s = scaling_of(model, of.channels);
  const auto channels = static_cast<std::size_t>(of.channels);
  const std::size_t places = read.pixels.size() / channels;
  std::vector<float> pixels(read.pixels.size());
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t p = 0; p < places; ++p)
      pixels[c * places + p] = static_cast<float>(
          (s.factor * read.pixels[p * channels + c] - s.mean[c]) / s.deviation[c]);
  return pixels;
}

}  // namespace

Prompt prompt_of_text(const Tokenizer* tokenizer, const std::string& text) {
  if (tokenizer == nullptr)
    refuse("the model has no tokeniser", "text",
           "give token ids by --ids 5,17,3, or name one by --tokenizer FILE");
  Prompt prompt{.name = text};
  for (const TokenId id : tokenizer->encode(text)) prompt.ids.push_back(id);
  if (prompt.ids.empty())
    refuse("the text gives no token", "text", "give a text with at least one character");
  return prompt;
}

Prompt prompt_of_ids(const Tokenizer* tokenizer, const std::string& ids) {
  Prompt prompt;
  for (std::size_t from = 0; from <= ids.size();) {
    const std::size_t to = std::min(ids.find(',', from), ids.size());
    std::int64_t id = 0;
    const auto [at, wrong] = std::from_chars(ids.data() + from, ids.data() + to, id);
    if (wrong != std::errc{} || at != ids.data() + to || id < 0)
      refuse(fmt::format("'{}' is not a list of token ids", ids), "--ids",
             "write whole numbers with commas between: --ids 5,17,3");
    prompt.ids.push_back(id);
    from = to + 1;
  }
  if (tokenizer == nullptr) {
    prompt.name = ids;
    return prompt;
  }
  std::vector<TokenId> known;
  for (const std::int64_t id : prompt.ids)
    if (static_cast<std::size_t>(id) < tokenizer->size() &&
        tokenizer->token(static_cast<TokenId>(id)))
      known.push_back(static_cast<TokenId>(id));
  prompt.name = known.size() == prompt.ids.size() ? tokenizer->decode(known) : ids;
  return prompt;
}

Prompt prompt_of_picture(const fs::path& picture, const Description& of, const fs::path& model) {
  Prompt prompt{.name = picture.string()};
  if (of.frames > 0 && picture.extension() != ".npy")
    refuse("the model reads the frames of a spectrum", picture.string(),
           fmt::format("save them as npy of shape ({}, {})", of.frames, of.features));
  prompt.pixels = picture.extension() == ".npy" ? pixels_of_npy(picture, of)
                                                : pixels_of_png(picture, of, model);
  return prompt;
}

std::vector<std::string> texts_in(const std::string& all, bool whole) {
  std::vector<std::string> texts;
  if (whole) {
    std::string text = all;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (!text.empty()) texts.push_back(std::move(text));
    return texts;
  }
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t to = std::min(all.find('\n', from), all.size());
    std::string line = all.substr(from, to - from);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) texts.push_back(std::move(line));
    from = to + 1;
  }
  return texts;
}

namespace {

constexpr std::size_t kMostLayers = 100'000;
constexpr std::size_t kMostTokens = 1'000'000;

std::string shape_text(const Array& array) {
  return fmt::format("({})", fmt::join(array.shape, ", "));
}

// The shape without the axis of a batch of one, which follows the layers.
std::vector<std::size_t> shape_of(const Array& array, std::size_t axes) {
  std::vector<std::size_t> shape = array.shape;
  if (shape.size() == axes + 1 && shape[1] == 1) shape.erase(shape.begin() + 1);
  return shape;
}

std::vector<float> floats_of(const Array& array, const std::string& where) {
  std::vector<float> values;
  for (const double value : array.doubles()) {
    values.push_back(static_cast<float>(value));
    if (!std::isfinite(values.back()))
      refuse("a number of the states is not finite in single precision", where,
             "save states without NaN, infinity and numbers beyond 3e38");
  }
  return values;
}

std::vector<std::vector<float>> slices(const Array& array, std::size_t count,
                                       const std::string& where) {
  const std::vector<float> all = floats_of(array, where);
  const auto size = static_cast<std::ptrdiff_t>(all.size() / count);
  std::vector<std::vector<float>> parts;
  for (auto at = all.begin(); at != all.end(); at += size) parts.emplace_back(at, at + size);
  return parts;
}

Record tensors_of(const Import& request) {
  const std::string ending = request.file.extension().string();
  if (ending == ".npy") {
    Record record;
    record[request.tensor] = read_npy(request.file);
    return record;
  }
  if (ending != ".safetensors")
    refuse("states are read from .npy and .safetensors", request.file.string(),
           "save them by numpy.save or safetensors");
  return read_safetensors(request.file).tensors;
}

}  // namespace

Imported import_states(const Import& request) {
  const Record tensors = tensors_of(request);
  auto at = tensors.find(request.tensor);
  if (at == tensors.end() && tensors.size() == 1) at = tensors.begin();
  if (at == tensors.end())
    refuse(fmt::format("the file has no tensor '{}'", request.tensor), request.file.string(),
           "name the one with the states: --tensor NAME");
  const std::string where = request.file.string() + ": " + at->first;
  const std::vector<std::size_t> shape = shape_of(at->second, 3);
  if (shape.size() != 3 || shape[0] < 2 || shape[1] < 1 || shape[2] < 2 || shape[0] > kMostLayers ||
      shape[1] > kMostTokens || shape[2] > kMostTokens)
    refuse(fmt::format("states of shape {} are not layers of tokens", shape_text(at->second)),
           where,
           "save shape (layers, tokens, d): the embedded tokens, then the state after every block");
  Imported made;
  Trace& trace = made.text.trace;
  const std::size_t blocks = shape[0] - 1, n = shape[1];
  trace.n = static_cast<int>(n);
  trace.d = static_cast<int>(shape[2]);
  std::vector<std::vector<float>> states = slices(at->second, shape[0], where);
  trace.before.assign(states.begin(), states.end() - 1);
  trace.after.assign(states.begin() + 1, states.end());
  if (const auto heads = tensors.find("attentions"); heads != tensors.end()) {
    const std::vector<std::size_t> of = shape_of(heads->second, 4);
    if (of.size() != 4 || of[0] != blocks || of[1] < 1 || of[1] > kMostTokens || of[2] != n ||
        of[3] != n)
      refuse(fmt::format("attentions of shape {} do not belong to states of shape {}",
                         shape_text(heads->second), shape_text(at->second)),
             request.file.string() + ": attentions",
             "save shape (layers - 1, heads, tokens, tokens)");
    trace.attention = slices(heads->second, blocks, request.file.string() + ": attentions");
    trace.heads = static_cast<int>(of[1]);
  }
  if (!request.tokens.empty() && request.tokens.size() != n)
    refuse(
        fmt::format("--tokens gives {} tokens, and the states have {}", request.tokens.size(), n),
        "--tokens", "give one token per line");
  for (std::size_t i = 0; i < n; ++i)
    made.text.tokens.push_back(request.tokens.empty() ? fmt::format("{}", i) : request.tokens[i]);
  made.text.given = n;
  made.text.prompt.name = request.file.string();
  made.of.family = "imported";
  made.of.d = trace.d;
  made.of.layers = static_cast<int>(blocks);
  made.of.heads = trace.heads;
  made.of.causal = request.causal;
  made.of.blocks.resize(blocks);
  return made;
}

}  // namespace murmur
