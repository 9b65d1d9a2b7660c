// resume.h: what may change when a run goes on: T, which may only grow, and who computes it.
#pragma once

#include <fmt/format.h>

#include <optional>

#include "command.h"
#include "murmur/error.h"
#include "murmur/run.h"
#include "run/compare.h"

namespace murmur::app {

template <typename Setup>
struct Resumed {
  Setup setup;
  bool changed;  // T or the engine: the settings are written anew
};

// The run's settings with the T of `words` and, where it `has_engine`, their engine, made anew by
// `make`, whose setups have a schedule. None where it is already finished at that T, which is then
// told.
template <typename Make>
auto resumed(const Flags& flags, const std::filesystem::path& directory, const Words& words,
             Settings settings, const Make& make, bool has_engine = false)
    -> std::optional<Resumed<decltype(make(settings))>> {
  if (!words.plain.empty()) usage("a resumed run takes no preset", "leave it out");
  bool other_engine = false;
  const auto take = [&](const std::string& key) {
    for (const std::string& assignment : words.assignments) {
      if (assignment.rfind(key + "=", 0) != 0) continue;
      settings[key] = {assignment.substr(key.size() + 1), "command line: " + assignment, {}};
      other_engine = other_engine || key == "engine";
    }
  };
  for (const std::string& assignment : words.assignments)
    if (assignment.rfind("T=", 0) != 0 && !(has_engine && assignment.rfind("engine=", 0) == 0))
      throw Error(Fault::input, fmt::format("{} cannot change in a resumed run", assignment),
                  directory.string(),
                  fmt::format("only a larger T{} is accepted; start a new run for the rest",
                              has_engine ? " or another engine" : ""));
  if (has_engine) take("engine");  // the first may not be on this machine
  auto setup = make(settings);
  const double old_T = setup.schedule.T;
  take("T");
  setup = make(settings);
  const double T = setup.schedule.T;
  if (T < old_T)
    throw Error(Fault::input, fmt::format("T = {:g} is below the run's T = {:g}", T, old_T),
                directory.string(), "give a larger T, or none");
  if (T > old_T || RunReader(directory).status() != "done")
    return Resumed<decltype(make(settings))>{std::move(setup), T > old_T || other_engine};
  require_whole(directory);
  if (flags.json)
    report({{"run", directory.string()}, {"status", "done"}, {"t", old_T}});
  else
    data(directory.string() + "\n");
  say(flags, fmt::format("the run is already finished at T = {:g}", old_T));
  return std::nullopt;
}

}  // namespace murmur::app
