// next_word.cpp: what a swarm says next: murmur measure show=next-word, render figure=next-word.
#include "next_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "recipe.h"
#include "report/figures.h"
#include "report/next_word.h"
#include "run_kind.h"
#include "show.h"

namespace murmur::app {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// One frame: a row a word. All frames: a row a frame, with every probability in the JSON.
void show_next_word(const Flags& flags, const Subject& s, const ShowWords& words) {
  NextWordRequest request;
  if (s.is_run && !words.given("vocabulary"))
    use_words_of(RunReader(find_run(flags, s.name)), request);
  for (const std::string& key : NextWordRequest::keys())
    if (words.given(key)) request.set(key, words.text(key));
  const Shape shape = s.history.frame(0).shape();
  const Vocabulary vocabulary = vocabulary_for(request, shape, s.experiment.random.seed);
  const int token = token_for(request, shape);
  const auto said = [&](std::int64_t frame) {
    return said_by(s.history.frame(frame), token, vocabulary, request.rule);
  };
  if (words.given("frame") && !all_frames(words)) {
    const Said here = said(frame_of(s, words));
    Sheet sheet{{"word", "token", "mean"}};
    for (int v = 0; v < vocabulary.count(); ++v)
      sheet.rows.push_back(
          {vocabulary.word(v), here.token.probability[v], here.mean.probability[v]});
    return write(flags, sheet);
  }
  Sheet sheet{{"t"}};
  for (const char* who : {"token", "mean"})
    for (const char* what : {"word", "probability", "entropy", "outcomes", "above"})
      sheet.columns.push_back(fmt::format("{}_{}", who, what));
  if (flags.json)
    for (const char* who : {"token", "mean"})
      sheet.columns.push_back(fmt::format("{}_probabilities", who));
  for (std::int64_t f = 0; f < s.history.count; ++f) {
    const Said now = said(f);
    auto& row = sheet.rows.emplace_back(std::vector<Json>{s.history.time(f)});
    for (const NextWord* n : {&now.token, &now.mean})
      for (const Json& cell : {Json(vocabulary.word(n->best)), Json(n->probability[n->best]),
                               Json(n->entropy), Json(n->outcomes), Json(n->above)})
        row.push_back(cell);
    if (flags.json)
      for (const NextWord* n : {&now.token, &now.mean}) row.push_back(n->probability);
  }
  write(flags, sheet);
}

namespace {

// The frame of the picture that shows a frame of the run, negative from the end.
std::int64_t frame_drawn(const NextWordPicture& picture, const RunReader& run, std::int64_t asked) {
  const std::int64_t frame = asked < 0 ? run.frames() + asked : asked;
  if (frame < 0 || frame >= run.frames())
    throw Error(Fault::input, fmt::format("there is no frame {}", asked), run.directory().string(),
                fmt::format("the run has frames 0 to {}", run.frames() - 1));
  const auto at = std::lower_bound(picture.times.begin(), picture.times.end(), run.times()[frame]);
  return std::min<std::int64_t>(at - picture.times.begin(),
                                static_cast<std::int64_t>(picture.times.size()) - 1);
}

}  // namespace

int render_next_word(const Flags& flags, const RunReader& run, const Words& words,
                     const DomeFlags& asked, bool sized) {
  require_kind_with_frames(run);
  require_frames(run);
  NextWordRequest request;
  if (std::none_of(words.assignments.begin(), words.assignments.end(),
                   [](const std::string& word) { return word.rfind("vocabulary=", 0) == 0; }))
    use_words_of(run, request);
  std::vector<std::string> others;  // settings of the run, laid over
  for (const std::string& assignment : words.assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    if (key != "figure" && !request.set(key, assignment.substr(equals + 1)))
      others.push_back(assignment);
  }
  const fs::path path = figure_path(flags, run, "next-word");
  NextWordPicture picture = next_word_picture(
      worded_run(run, make_experiment(settings_of_run(run.directory(), others))), request);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of(ingredients_of(run, words.plain[0])));
  if (path.extension() == ".mp4") {
    film_next_word(picture,
                   {.style = asked.style,
                    .fps = asked.fps,
                    .seconds = asked.seconds,
                    .stop = [] { return caught_signal != 0; }},
                   path);
  } else {
    DomeStyle style = asked.style;
    if (!sized) style.width = kNextWordWidth, style.height = kNextWordHeight;
    if (asked.frame) picture.frame = frame_drawn(picture, run, *asked.frame);
    draw_next_word(picture, style, path);
  }
  return tell_drawn(flags, path);
}

}  // namespace murmur::app
