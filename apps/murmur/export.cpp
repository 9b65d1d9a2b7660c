// export.cpp: murmur export: the trajectory of a run as npy, csv or extended XYZ; a trace for the
// page.
#include <fmt/format.h>

#include "command.h"
#include "murmur/error.h"
#include "report/figures.h"
#include "run/compare.h"
#include "run/formats.h"
#include "run/identity.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "trace/words_run.h"

namespace murmur::app {

namespace {

std::string format_option;

// Writes the file that the view Words of the page reads.
void export_words(const RunReader& reader, const std::filesystem::path& path) {
  if (reader.command() != "trace")
    throw Error(Fault::input, "only a traced transformer can be exported as words",
                reader.directory().string(),
                "create one with murmur trace, or use npy, csv or xyz");
  write_file_atomically(path, json_text(words_file(words_of_run(reader))) + "\n");
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  if (arguments.positional.size() != 1 || !arguments.assignments.empty())
    throw_usage_error("export takes one run", "murmur export RUN -o FILE.xyz");
  if (flags.out.empty())
    throw_usage_error("there is no output file",
                      "add -o FILE.npy, .csv or .xyz, for a trace FILE.json");
  const RunReader reader(find_run(flags, arguments.positional[0]));
  require_kind_with_frames(reader);
  require_frames(reader);
  const std::filesystem::path path = output_path(flags);
  require_same_settings(reader.directory(), kind_of(reader).free);
  if (!is_being_written(reader.directory())) require_whole(reader.directory());
  const SignalWatch watch;
  const std::string ending = path.extension().string();
  const std::string by_ending = ending.empty() ? "" : ending.substr(1);
  const std::string format = format_option.empty() ? by_ending : format_option;
  if (format == "words" || format == "json")
    export_words(reader, path);
  else
    export_trajectory(reader, format, path);
  if (flags.json)
    print_json({{"out", path.string()}, {"frames", reader.frames()}, {"n", reader.shape().n}});
  print_message(flags, fmt::format("{} frames of {} particles -> {}", reader.frames(),
                                   reader.shape().n, path.string()));
  return 0;
}

}  // namespace

Command export_command() {
  return {"export",
          "Write the trajectory of a run as npy, csv or extended XYZ, or a trace for the page.",
          "  murmur export runs/flock-0-1 -o film.xyz\n"
          "  murmur export runs/flock-0-1 --format csv -o film.csv\n"
          "  murmur export runs/trace-0-1 -o words.json    # for the view Words of the studio",
          [](Options& sub, Flags&) {
            sub.add_option(
                "--format", format_option,
                "npy, csv, xyz, for a trace words (.json); default: the ending of the file");
          },
          run};
}

}  // namespace murmur::app
