// next_word.cpp: computes the next words over the frames of a run, as numbers and as a picture.
#include "report/next_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/axes.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "report/report.h"
#include "run/file.h"
#include "trace/trace_file.h"

namespace murmur {

namespace {

constexpr std::int64_t kMostFrames = 2000;  // of a picture: more look the same
constexpr int kMostTokens = 2000;

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& what,
                         const std::string& remedy) {
  throw Error(Fault::input, what, fmt::format("{}={}", key, value), remedy);
}

template <class Number>
bool read(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && last == end && !text.empty();
}

double finite_of(const std::string& key, const std::string& value) {
  double number = 0;
  if (!read(value, number) || !std::isfinite(number))
    refuse(key, value, fmt::format("{} is not a finite number", key),
           fmt::format("write a number, e.g. {}={}", key, key == "share" ? "0.05" : "16"));
  return number;
}

bool is_file(const std::string& text) {
  const std::string ending = std::filesystem::path(text).extension().string();
  return ending == ".npy" || ending == ".csv";
}

// (3, d): the coordinates up to d = 3.
std::vector<double> axes_of(const WordedRun& run, const Vocabulary& vocabulary) {
  const int d = vocabulary.points.cols;
  std::vector<double> axes(static_cast<std::size_t>(3) * d);
  if (d <= 3) {
    for (int k = 0; k < d; ++k) axes[static_cast<std::size_t>(k) * d + k] = 1;
    return axes;
  }
  const std::vector<HostSwarm> seen{
      directions_of(run.history.frame(0)), directions_of(run.history.frame(run.history.count - 1)),
      from_rows({vocabulary.points.rows, d}, vocabulary.points.data.data())};
  return leading_axes(second_moment(seen, false), d, 3);
}

Place3 seen(const std::vector<double>& axes, std::span<const double> x) {
  Place3 place{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t k = 0; k < x.size(); ++k) place[a] += axes[a * x.size() + k] * x[k];
  return place;
}

// A vocabulary of the directions of rows.
Vocabulary unit_rows(Matrix points, std::vector<std::string> words) {
  for (int v = 0; v < points.rows; ++v) {
    double square = 0;
    for (int k = 0; k < points.cols; ++k) square += points(v, k) * points(v, k);
    for (int k = 0; k < points.cols; ++k) points(v, k) /= std::sqrt(square);
  }
  return {std::move(points), std::move(words)};
}

// The mean as a swarm of one: within the ball, and in R^d its direction.
HostSwarm mean_of(const HostSwarm& x, Manifold manifold) {
  HostSwarm one = from_rows({1, x.d()}, mean_place(x).data());
  return manifold == Manifold::sphere ? one : directions_of(std::move(one));
}

std::string caption_of(const NextWordRequest& request, int d, int shown, int n) {
  std::string text = fmt::format(
      "Softmax over {} times the cosines to the words. The radius of a ring grows with the "
      "probability "
      "of its word; words of low probability have grey lines.",
      request.rule.kappa);
  if (d > 3) text += fmt::format(" Seen along three of {} axes; probabilities are of all.", d);
  if (shown < n) text += fmt::format(" Drawn are {} of {} tokens.", shown, n);
  return text;
}

// The swarm of a simulation that reads sentences; nothing for other runs.
std::optional<TrainedSwarm> sentence_reader(const RunReader& run) {
  const std::filesystem::path model = run.directory() / "inputs" / "model.npy";
  if (run.command() != "simulate" || !std::filesystem::exists(model)) return std::nullopt;
  TrainedSwarm swarm = read_trained_swarm(model);
  if (!reads_words(swarm.task)) return std::nullopt;
  return swarm;
}

// The learned table of words, as directions.
Vocabulary learned_words(const TrainedSwarm& swarm) {
  const Architecture& a = swarm.architecture;
  Matrix points = zeros(a.vocabulary, a.d);
  for (const TensorPlace& place : layout(a))
    if (place.name == "words")
      std::copy_n(swarm.parameters.begin() + static_cast<std::ptrdiff_t>(place.offset),
                  points.data.size(), points.data.begin());
  return unit_rows(std::move(points), vocabulary_of(swarm.task));
}

// (n) the words whose starts are nearest to the rows of the first frame; -1 for the CLS token.
std::vector<int> words_at_start(const TrainedSwarm& swarm, const HostSwarm& x) {
  const Architecture& a = swarm.architecture;
  const int n = x.n() - (a.readout == Architecture::cls ? 1 : 0);
  const std::vector<double> rows = to_rows(x), parameters = swarm.doubles();
  std::vector<int> words(static_cast<std::size_t>(x.n()), -1);
  std::vector<double> least(static_cast<std::size_t>(n), HUGE_VAL);
  for (int word = 0; word < a.vocabulary; ++word) {
    const std::vector<int> sentence(static_cast<std::size_t>(n), word);
    const Sample start = start_sample(a, parameters, sentence);
    for (int i = 0; i < n; ++i) {
      double square = 0;
      for (int k = 0; k < a.d; ++k) {
        const std::size_t at = static_cast<std::size_t>(i) * a.d + k;
        square += (rows[at] - start.rows[at]) * (rows[at] - start.rows[at]);
      }
      if (square < least[i]) least[i] = square, words[i] = word;
    }
  }
  return words;
}

// All distinct words, each at the direction of its first token in the first frame.
Vocabulary words_where_they_start(const RunReader& run, const std::vector<std::string>& words) {
  const HostSwarm x = directions_of(run.frame(0));
  std::vector<std::string> once;
  Matrix points{0, x.d(), {}};
  for (int i = 0; i < x.n(); ++i) {
    if (std::find(once.begin(), once.end(), words[i]) != once.end()) continue;
    once.push_back(words[i]);
    for (int k = 0; k < x.d(); ++k) points.data.push_back(x.at(i, k));
    ++points.rows;
  }
  return unit_rows(std::move(points), std::move(once));
}

}  // namespace

const std::vector<std::string>& NextWordRequest::keys() {
  static const std::vector<std::string> all{"vocabulary", "words", "kappa", "share", "token"};
  return all;
}

bool NextWordRequest::set(const std::string& key, const std::string& value) {
  if (key == "vocabulary") {
    if (is_file(value)) {
      file = value;
      own.reset();
    } else if (own.reset(); !read(value, count) || count < 1 || count > kMostWords) {
      refuse(key, value, "there is no such vocabulary",
             fmt::format("give a number of words, 1 to {}, or a .npy or .csv file", kMostWords));
    }
  } else if (key == "words") {
    words = value;
  } else if (key == "kappa") {
    rule.kappa = finite_of(key, value);
  } else if (key == "share") {
    rule.share = finite_of(key, value);
    if (!(rule.share >= 0 && rule.share < 1))
      refuse(key, value, "a share of probability lies between 0 and 1", "write share=0.05");
  } else if (key == "token") {
    if (value == "last") {
      token.reset();
    } else if (!read(value, token.emplace())) {
      refuse(key, value, "this is not the number of a token", "write token=0 or token=last");
    }
  } else {
    return false;
  }
  return true;
}

void use_vocabulary_of(const RunReader& run, NextWordRequest& request) {
  if (run.command() == "trace") {
    const TraceFile file = read_trace_file(run.directory());
    if (std::filesystem::exists(run.directory() / "candidates.npy")) {
      request.file = run.directory() / "candidates.npy";
      request.words = run.directory() / "candidates.txt";
      request.rule.kappa = file.candidates.kappa;
      if (!file.texts.empty())
        request.token = static_cast<int>(file.texts.front().tokens.size()) - 1;
    } else if (const std::vector<std::string> words = token_words(run); !words.empty()) {
      request.own = words_where_they_start(run, words);
    }
    return;
  }
  const std::optional<TrainedSwarm> reader = sentence_reader(run);
  if (!reader) return;
  request.own = learned_words(*reader);
  const std::vector<std::string> words = token_words(run);
  const std::vector<std::string>& all = vocabulary_of(reader->task);
  for (std::size_t i = 0; i < words.size() && !request.token; ++i)
    if (is_asked_about(reader->task, std::find(all.begin(), all.end(), words[i]) - all.begin()))
      request.token = static_cast<int>(i);
}

std::vector<std::string> token_words(const RunReader& run) {
  std::vector<std::string> words;
  if (run.command() == "trace") {
    for (const TraceFile::Text& text : read_trace_file(run.directory()).texts)
      words.insert(words.end(), text.tokens.begin(), text.tokens.end());
  } else if (const std::optional<TrainedSwarm> reader = sentence_reader(run)) {
    for (const int word : words_at_start(*reader, run.frame(0)))
      words.push_back(word < 0 ? "CLS" : vocabulary_of(reader->task)[word]);
  }
  if (static_cast<int>(words.size()) != run.shape().n) words.clear();
  return words;
}

Vocabulary vocabulary_for(const NextWordRequest& request, const Shape& shape, std::uint64_t seed) {
  if (request.file.empty()) {
    if (request.own && request.words.empty()) return *request.own;
    if (!request.words.empty())
      throw Error(Fault::input, "words need points of their own", "words=" + request.words.string(),
                  "give vocabulary=FILE.npy as well");
    return draw_vocabulary(request.count, shape.d, seed);
  }
  Vocabulary vocabulary = read_vocabulary(request.file, request.words);
  if (vocabulary.points.cols != shape.d)
    throw Error(
        Fault::input,
        fmt::format("words have {} coordinates, tokens {}", vocabulary.points.cols, shape.d),
        request.file.string(), fmt::format("give points of {} coordinates", shape.d));
  return vocabulary;
}

int token_for(const NextWordRequest& request, const Shape& shape) {
  const int token = request.token.value_or(shape.n - 1);
  if (token < 0 || token >= shape.n)
    refuse("token", std::to_string(token), fmt::format("there is no token {}", token),
           fmt::format("use token=0 to token={}", shape.n - 1));
  return token;
}

NextWordReading read_next_word(const HostSwarm& x, int token, const Vocabulary& vocabulary,
                               const ReadoutRule& rule) {
  return {next_word(vocabulary, token_place(x, token), rule),
          next_word(vocabulary, mean_place(x), rule)};
}

WordedRun worded_run(const RunReader& run, const Experiment& experiment) {
  return {run.directory().filename().string(),
          experiment.dynamics.manifold,
          experiment.random.seed,
          {run.frames(), [run](std::int64_t k) { return run.times()[k]; },
           [run, mass = experiment.swarm.mass](std::int64_t k) {
             HostSwarm x = run.frame(k);
             x.mass = mass;
             return x;
           }},
          token_words(run)};
}

NextWordPicture next_word_picture(const WordedRun& run, const NextWordRequest& request) {
  const Shape shape = run.history.frame(0).shape();
  const Vocabulary vocabulary = vocabulary_for(request, shape, run.seed);
  const int token = token_for(request, shape), stride = (shape.n + kMostTokens - 1) / kMostTokens;
  const std::vector<double> axes = axes_of(run, vocabulary);
  NextWordPicture picture{.circle = shape.d == 2};
  picture.token.name = run.tokens.empty() ? fmt::format("token {}", token)
                                          : fmt::format("“{}”, token {}", run.tokens[token], token);
  picture.mean.name = "mean of all";
  const auto d = static_cast<std::size_t>(shape.d);
  for (int v = 0; v < vocabulary.count(); ++v) {
    picture.words.push_back(vocabulary.word(v));
    picture.points.push_back(
        seen(axes, {vocabulary.points.data.data() + static_cast<std::size_t>(v) * d, d}));
  }
  const std::int64_t count = std::min(run.history.count, kMostFrames);
  for (std::int64_t f = 0; f < count; ++f) {
    const std::int64_t frame = count > 1 ? f * (run.history.count - 1) / (count - 1) : 0;
    const HostSwarm x = run.history.frame(frame);
    const HostSwarm u = run.manifold == Manifold::sphere ? x : directions_of(x);
    picture.times.push_back(run.history.time(frame));
    auto& row = picture.swarm.emplace_back();
    for (int i = 0; i < shape.n; i += stride) row.push_back(seen(axes, token_place(u, i)));
    const NextWordReading said = read_next_word(x, token, vocabulary, request.rule);
    picture.token.place.push_back(seen(axes, token_place(u, token)));
    const HostSwarm middle = mean_of(x, run.manifold);
    picture.mean.place.push_back(seen(axes, token_place(middle, 0)));
    for (const auto& [who, read] :
         {std::pair{&picture.token, &said.token}, {&picture.mean, &said.mean}}) {
      who->probability.push_back(read->probability);
      who->outcomes.push_back(read->outcomes);
    }
  }
  const Vector& end = picture.token.probability.back();
  const auto best = static_cast<int>(std::max_element(end.begin(), end.end()) - end.begin());
  picture.title = fmt::format("From swarm to next word: in the end “{}”, {:.0f}\u202f%",
                              vocabulary.word(best), 100 * end[best]);
  picture.subtitle =
      fmt::format("{}, n\u00a0=\u00a0{}, d\u00a0=\u00a0{}, {} words, κ\u00a0=\u00a0{:g}", run.name,
                  shape.n, shape.d, vocabulary.count(), request.rule.kappa);
  picture.caption =
      caption_of(request, shape.d, static_cast<int>(picture.swarm[0].size()), shape.n);
  return picture;
}

void add_next_word(RunReport& report, const WordedRun& run, const NextWordRequest& request) {
  const NextWordPicture picture = next_word_picture(run, request);
  std::vector<std::filesystem::path> drawn;
  for (const char* name : {"next-word.svg", "next-word.png"}) {
    drawn.push_back(report.figures / name);
    draw_next_word(picture, {report.style(), kNextWordWidth, kNextWordHeight}, drawn.back());
  }
  report.add_figure(drawn, "From swarm to next word",
                    fmt::format("{}: {:.3g} possible words at the start, {:.3g} at the end. {}",
                                picture.token.name, picture.token.outcomes.front(),
                                picture.token.outcomes.back(), picture.caption));
  if (!report.request.film) return;
  make_folder_of_run(report.video);
  const DomeFilm film{
      .style = {.style = FigureStyle::dark}, .fps = 15, .stop = report.request.stop};
  if (film_next_word(picture, film, report.video / "next-word.mp4"))
    report.add_picture(
        {.picture = report.video / "next-word.mp4", .caption = "The same as a film."});
}

}  // namespace murmur
