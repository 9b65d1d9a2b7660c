// render_dome.cpp: murmur render RUN figure=dome: reads its words, finds the swarm, draws.
#include "render_dome.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

#include "digits.h"
#include "murmur/error.h"
#include "recipe.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_word(const std::string& assignment, const std::string& what,
                              const std::string& remedy) {
  throw Error(Fault::input, what, "command line: " + assignment, remedy);
}

template <class Number>
Number number_of(const std::string& assignment, const char* kind) {
  const std::string text = assignment.substr(assignment.find('=') + 1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty())
    refuse_word(assignment, fmt::format("'{}' is not {}", text, kind),
                fmt::format("give {}", kind));
  return value;
}

double time_of(const std::string& assignment) {
  const double t = number_of<double>(assignment, "a time");
  if (!std::isfinite(t)) refuse_word(assignment, "the time is not finite", "give a time");
  return t;
}

}  // namespace

SwarmWords read_swarm_words(const Words& words) {
  SwarmWords read;
  DomeRequest& r = read.request;
  for (const std::string& assignment : words.assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    if (key == "figure") continue;
    if (key == "token") {
      r.token = number_of<int>(assignment, "the number of a token");
    } else if (key == "head") {
      if (assignment != "head=all") r.head = number_of<int>(assignment, "the number of a head");
    } else if (key == "block") {
      r.block = number_of<std::int64_t>(assignment, "the number of a block");
    } else if (key == "t") {
      r.t = time_of(assignment);
    } else if (key == "picture") {
      r.picture = number_of<std::size_t>(assignment, "the number of a test picture");
    } else if (key == "data") {
      read.data = assignment.substr(5);
      read.others.push_back(assignment);
    } else {
      read.others.push_back(assignment);
    }
  }
  return read;
}

namespace {

DomeStates states_of_trained(const RunReader& run, const SwarmWords& words) {
  for (const std::string& assignment : words.others)
    if (assignment.rfind("data=", 0) != 0)
      refuse_word(assignment, "a trained swarm is drawn as it is",
                  "a figure of it takes token, block or t, head, picture and data");
  const TrainedSwarm swarm = read_trained_swarm(run.directory());
  const std::string name = run.directory().filename().string();
  if (reads_words(swarm.task)) {
    const SampleSet test = test_sentences(swarm.task);
    const std::size_t sentence = words.request.picture.value_or(0);
    if (sentence >= test.samples())
      throw Error(Fault::input, fmt::format("there is no sentence {}", sentence), "picture",
                  fmt::format("the test has sentences 0 to {}", test.samples() - 1));
    return states_of_training(swarm, test, sentence,
                              fmt::format("{}, test sentence {}", name, sentence));
  }
  if (swarm.task == Task::same) {
    const std::size_t pair = words.request.picture.value_or(0);
    const ChosenPairs chosen = choose_pairs(fmt::format("test:{}", pair), words.data, swarm);
    return states_of_training(swarm, samples_of_chosen(chosen, swarm), 0,
                              fmt::format("{}, test pair {}", name, pair));
  }
  const Images images =
      read_data_set(data_folder(words.data.empty() ? swarm.data : words.data)).test;
  if (images.height != swarm.height || images.width != swarm.width)
    throw Error(Fault::input, "the pictures are not of the size that the swarm learned from",
                images.where, "give the pictures it learned from");
  std::vector<std::size_t> pictures;
  samples_of(images, swarm.digits, swarm.tokens, &pictures);
  if (pictures.empty())
    throw Error(Fault::input, "no test picture shows what the swarm tells apart", images.where,
                "give the pictures it learned from");
  const std::size_t picture = words.request.picture.value_or(pictures.front());
  if (picture >= images.count())
    throw Error(Fault::input, fmt::format("there is no picture {}", picture), images.where,
                fmt::format("it has pictures 0 to {}", images.count() - 1));
  SampleSet sample;
  add_sample(images, picture, images.labels.empty() ? -1 : class_of(swarm, images.labels[picture]),
             swarm.tokens, sample);
  return states_of_training(swarm, sample, 0, fmt::format("{}, test picture {}", name, picture));
}

}  // namespace

DomeStates states_of(const RunReader& run, const SwarmWords& words) {
  if (run.command() == "train") return states_of_trained(run, words);
  const RunKind& kind = kind_of(run);
  if (!kind.no_swarm.what.empty()) refuse(run, kind.no_swarm);
  require_kind_with_frames(run);
  if (words.request.picture)
    throw Error(Fault::input, "a simulation starts where it started",
                "command line: picture=", "leave it out; it is for trainings");
  return states_of_simulation(run, settings_of_run(run.directory(), words.others));
}

fs::path figure_path(const Flags& flags, const RunReader& run, const std::string& name) {
  const fs::path path =
      flags.out.empty() ? run.directory() / "figures" / (name + ".png") : output_file(flags);
  const std::string ending = path.extension().string();
  if (ending != ".png" && ending != ".svg" && ending != ".pdf" && ending != ".mp4")
    usage(fmt::format("there is no picture of the kind '{}'", ending),
          "use .png, .svg or .pdf for a figure, .mp4 for a film");
  return path;
}

int tell_drawn(const Flags& flags, const fs::path& path) {
  if (caught_signal != 0) {
    say(flags, "stopped; the film was not kept");
    return 128 + caught_signal;
  }
  if (flags.json)
    report({path.string()});
  else
    data(path.string() + "\n");
  return 0;
}

int render_dome(const Flags& flags, const RunReader& run, const Words& words,
                const DomeFlags& asked) {
  SwarmWords read = read_swarm_words(words);
  read.request.frame = asked.frame;
  const fs::path path = figure_path(flags, run, "dome");
  const DomeStates states = states_of(run, read);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of(ingredients_of(run, words.plain[0])));
  if (path.extension() == ".mp4") {
    const DomeFilm film{
        .style = asked.style, .fps = asked.fps, .seconds = asked.seconds, .stop = [] {
          return caught_signal != 0;
        }};
    film_domes(domes_of_states(states, read.request), film, path);
  } else {
    draw_dome(dome_of_states(states, read.request), asked.style, path);
  }
  return tell_drawn(flags, path);
}

}  // namespace murmur::app
