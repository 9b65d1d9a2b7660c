// resume.h: what may change when a run goes on: T alone, and it may only grow.
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
  bool longer;  // than the run was to be
};

// The run's settings with the T of `words`, made anew by `make`, whose setups have a schedule. None
// where it is already finished at that T, which is then told.
template <typename Make>
auto resumed(const Flags& flags, const std::filesystem::path& directory, const Words& words,
             Settings settings, const Make& make)
    -> std::optional<Resumed<decltype(make(settings))>> {
  if (!words.plain.empty()) usage("a resumed run takes no preset", "leave it out");
  auto setup = make(settings);
  const double old_T = setup.schedule.T;
  for (const std::string& assignment : words.assignments) {
    if (assignment.rfind("T=", 0) != 0)
      throw Error(Fault::input, fmt::format("{} cannot change in a resumed run", assignment),
                  directory.string(), "only a larger T is accepted; start a new run for the rest");
    settings["T"] = {assignment.substr(2), "command line: " + assignment, {}};
    setup = make(settings);
  }
  const double T = setup.schedule.T;
  if (T < old_T)
    throw Error(Fault::input, fmt::format("T = {:g} is below the run's T = {:g}", T, old_T),
                directory.string(), "give a larger T, or none");
  if (T > old_T || RunReader(directory).status() != "done")
    return Resumed<decltype(make(settings))>{std::move(setup), T > old_T};
  require_whole(directory);
  if (flags.json)
    report({{"run", directory.string()}, {"status", "done"}, {"t", old_T}});
  else
    data(directory.string() + "\n");
  say(flags, fmt::format("the run is already finished at T = {:g}", old_T));
  return std::nullopt;
}

}  // namespace murmur::app
