// export.cpp: murmur export: the trajectory of a run as npy, csv or extended XYZ, the table of a
// reading, or a trace for the page.
#include <fmt/format.h>

#include "command.h"
#include "murmur/error.h"
#include "report/readings.h"
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

// The table of a reading with its default options, as CSV, or as JSON by the ending of the file.
void export_table(const RunReader& reader, const Reading& reading,
                  const std::filesystem::path& path) {
  const std::filesystem::path directory = reader.directory();
  const RunView view(reader, directory.string(),
                     [directory] { return settings_of_run(directory); });
  const Table table = reading.compute(view, ReadingOptions(reading.name, reading.options));
  write_file_atomically(
      path, path.extension() == ".json" ? json_text(json_of(table), 1) + "\n" : csv_of(table));
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
  else if (const Reading* reading = find_reading(format); reading != nullptr && has_table(*reading))
    export_table(reader, *reading, path);
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
  return {
      "export",
      "Write the trajectory of a run as npy, csv or extended XYZ, or a trace for the page.",
      "  murmur export runs/flock-0-1 -o film.xyz\n"
      "  murmur export runs/flock-0-1 --format csv -o film.csv\n"
      "  murmur export runs/flock-0-1 --format counts -o counts.json\n"
      "  murmur export runs/trace-0-1 -o words.json    # for the view Words of the studio",
      [](Options& sub, Flags&) {
        sub.add_option(
            "--format", format_option,
            "npy, csv, xyz, a reading of murmur measure such as counts, for a trace words (.json); "
            "default: the ending of the file");
      },
      run};
}

}  // namespace murmur::app
