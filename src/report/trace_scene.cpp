// trace_scene.cpp: the scene of a traced text: tokens with their words, and lines to whom they
// attend.
#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"
#include "picture/labels.h"
#include "report/trace.h"
#include "run/formats.h"
#include "trace/kept_heads.h"
#include "trace/word_axes.h"

namespace murmur {

namespace {

constexpr int kMostNames = 64;  // more would find no room
constexpr int kMostTied = 512;  // tokens of a run whose attention is drawn
constexpr double kLeastShare = 0.01;
constexpr std::size_t kLongestName = 14;  // bytes, about

std::vector<std::string> tokens_of(const TraceFile& file) {
  std::vector<std::string> all;
  for (const TraceFile::Text& text : file.texts)
    all.insert(all.end(), text.tokens.begin(), text.tokens.end());
  return all;
}

std::string short_name(const std::string& token) {
  std::string name = readable(token);
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "\u2026";
}

// The asked one, then words, then marks such as [CLS]; of too many an even part.
std::vector<NamedParticle> names_of(const std::vector<std::string>& tokens,
                                    std::optional<int> asked) {
  std::vector<NamedParticle> names, marks;
  const int n = static_cast<int>(tokens.size()), stride = (n + kMostNames - 1) / kMostNames;
  if (asked)
    names.push_back({*asked, short_name(tokens[static_cast<std::size_t>(*asked)]), true, false});
  for (int i = 0; i < n; i += stride) {
    const std::string& token = tokens[static_cast<std::size_t>(i)];
    if (asked == i) continue;
    if (is_word(token))
      names.push_back({i, short_name(token)});
    else
      marks.push_back({i, short_name(token), false, true});
  }
  names.insert(names.end(), marks.begin(), marks.end());
  return names;
}

// Of every token the one that it attends to most, or all that the asked one attends to; never
// itself.
void add_ties(const Matrix& a, const TextSpan& text, std::optional<int> asked,
              std::vector<Tie>& ties) {
  for (int i = 0; i < text.n; ++i) {
    const int from = text.first + i;
    if (asked && *asked != from) continue;
    int most = i == 0 ? text.n - 1 : 0;
    for (int j = 0; j < text.n; ++j) {
      if (j == i) continue;
      if (a(i, j) > a(i, most)) most = j;
      if (asked && a(i, j) >= kLeastShare) ties.push_back({from, text.first + j, a(i, j)});
    }
    if (!asked && most != i && a(i, most) >= kLeastShare)
      ties.push_back({from, text.first + most, a(i, most)});
  }
}

// (frames - 1); empty where the run keeps no attention, or has too many tokens.
std::vector<std::vector<Tie>> ties_of(const RunReader& run, const TraceFile& file,
                                      const TraceSceneRequest& request) {
  const std::filesystem::path kept = run.directory() / "activations.safetensors";
  if (run.shape().n > kMostTied || !std::filesystem::exists(kept)) return {};
  const Record tensors = read_safetensors(kept).tensors;
  const std::vector<TextSpan> spans = texts_of(file, run);
  std::vector<std::vector<Tie>> ties;
  for (std::int64_t block = 0; block + 1 < run.frames(); ++block) {
    ties.emplace_back();
    for (std::size_t t = 0; t < spans.size(); ++t) {
      const auto at = tensors.find(fmt::format("text{}.blocks.{}.attn.hook_pattern", t, block));
      if (at == tensors.end()) return {};
      const auto n = static_cast<std::size_t>(spans[t].n);
      if (at->second.shape.size() != 3 || n == 0 || at->second.shape[1] != n ||
          at->second.shape[2] != n || at->second.size() == 0)
        throw Error(Fault::input, "the attention kept is not that of the tokens", kept.string(),
                    "trace the text again");
      add_ties(head_weights(at->second, request.head), spans[t], request.token, ties.back());
    }
  }
  return ties;
}

void require_there(const char* what, std::optional<int> asked, int count, const RunReader& run) {
  if (!asked || (*asked >= 0 && *asked < count)) return;
  throw Error(Fault::input, fmt::format("there is no {} {}", what, *asked),
              run.directory().string(),
              count > 0 ? fmt::format("use {}=0 to {}={}", what, what, count - 1)
                        : fmt::format("leave {}= out", what));
}

}  // namespace

void show_tokens(const RunReader& run, const TraceSceneRequest& request, SceneSettings& scene) {
  const TraceFile file = read_trace_file(run.directory());
  const std::vector<std::string> tokens = tokens_of(file);
  texts_of(file, run);  // refuses a file that is of other tokens
  require_there("token", request.token, run.shape().n, run);
  require_there("head", request.head, file.heads, run);
  if (file.texts.size() == 1) scene.title = file.texts.front().text;
  scene.names = names_of(tokens, request.token);
  scene.ties = ties_of(run, file, request);
  if (!scene.ties.empty()) {
    const std::string who =
        request.token ? fmt::format("whom \u201c{}\u201d attends to",
                                    short_name(tokens[static_cast<std::size_t>(*request.token)]))
                      : std::string("each token to the one that it attends to most beside itself");
    scene.caption += fmt::format(
        ". Lines: {}, in the block that acts ({}); broad at the listener, as its share is", who,
        request.head      ? fmt::format("head {}", *request.head)
        : file.heads == 1 ? std::string("its one head")
                          : fmt::format("mean of {} heads", file.heads));
  }
  if (run.shape().d <= 3) return;
  std::vector<HostSwarm> states;
  for (std::int64_t f = 0; f < run.frames(); ++f)
    states.push_back(words_among(tokens, run.frame(f)));
  const WordAxes axes(states);
  scene.axes = axes.axes();
  scene.centre = axes.centre();
  const auto& share = axes.shares();
  scene.axes_note = fmt::format(
      "S{} seen about the mean of all words, along the three axes on which the words of all layers "
      "spread most: the same at every layer, {:.0f} % of the spread.",
      picture::superscript(run.shape().d - 1), 100 * (share[0] + share[1] + share[2]));
}

}  // namespace murmur
