// export.cpp: murmur export: a run's trajectory as npy, csv or extended XYZ.
#include <fmt/format.h>

#include "command.h"
#include "report/figures.h"
#include "run/compare.h"
#include "run/identity.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

std::string format_option;

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (sorted.plain.size() != 1 || !sorted.assignments.empty())
    usage("export takes one run", "murmur export RUN -o FILE.xyz");
  if (flags.out.empty()) usage("there is no output file", "add -o FILE.npy, .csv or .xyz");
  const RunReader reader(find_run(flags, sorted.plain[0]));
  require_kind_with_frames(reader);
  require_frames(reader);
  const std::filesystem::path path = output_file(flags);
  require_same_settings(reader.directory(), kind_of(reader).free);
  if (!is_being_written(reader.directory())) require_whole(reader.directory());
  const std::string ending = path.extension().string();
  const std::string by_ending = ending.empty() ? "" : ending.substr(1);
  export_trajectory(reader, format_option.empty() ? by_ending : format_option, path);
  if (flags.json)
    report({{"out", path.string()}, {"frames", reader.frames()}, {"n", reader.shape().n}});
  say(flags, fmt::format("{} frames of {} particles -> {}", reader.frames(), reader.shape().n,
                         path.string()));
  return 0;
}

}  // namespace

Command export_command() {
  return {"export", "Write a run's trajectory as npy, csv or extended XYZ.",
          "  murmur export runs/flock-0-1 -o flight.xyz\n"
          "  murmur export runs/flock-0-1 --format csv -o flight.csv",
          [](Options& sub, Flags&) {
            sub.add_option("--format", format_option, "npy, csv or xyz; else by the file's ending");
          },
          run};
}

}  // namespace murmur::app
