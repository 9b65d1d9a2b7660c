// command.cpp: words, talk and files that the commands share.
#include "command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "embedding.h"
#include "murmur/error.h"
#include "murmur/external.h"
#include "murmur/forces.h"
#include "murmur/stop.h"
#include "printable.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "startup.h"
#include "variables.h"

namespace murmur::app {

namespace fs = std::filesystem;

Words sort_words(const std::vector<std::string>& words) {
  Words sorted;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    bool assigns = equals != std::string::npos && equals > 0;
    for (std::size_t k = 0; assigns && k < equals; ++k)
      assigns = std::isalnum(static_cast<unsigned char>(word[k])) != 0 || word[k] == '_' ||
                word[k] == '-';
    (assigns ? sorted.assignments : sorted.plain).push_back(word);
  }
  return sorted;
}

std::string names_of(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& p : parameters) text += (text.empty() ? "" : ", ") + std::string(p.name);
  return text;
}

Settings settings_of(const Words& words, std::span<const Parameter> table,
                     const std::string& section) {
  if (words.plain.size() > 1)
    usage(fmt::format("there is more than one preset or path: {} and {}", words.plain[0],
                      words.plain[1]),
          "give one; parameters are written key=value without spaces");
  Sources sources;
  if (!words.plain.empty()) sources.base = words.plain[0];
  sources.environment = murmur_variables();
  sources.assignments = words.assignments;
  sources.section = section;
  Settings settings = gather(sources, table);
  settings["xdg"] = {data_home(), "environment variable XDG_DATA_HOME", {}};
  return settings;
}

std::string data_home() {
  const char *xdg = std::getenv("XDG_DATA_HOME"), *home = std::getenv("HOME");
  if (xdg != nullptr && xdg[0] != '\0') return xdg;
  return home != nullptr && home[0] != '\0' ? std::string(home) + "/.local/share" : "";
}

Settings settings_of_run(const fs::path& directory, const std::vector<std::string>& assignments,
                         std::span<const Parameter> table) {
  if (table.data() == parameters().data()) {
    const RunReader run(directory);
    const RunKind& kind = kind_of(run);
    if (!kind.no_swarm.what.empty()) refuse(run, kind.no_swarm);
  }
  Settings settings = gather({(directory / "config.toml").string(), {}, assignments}, table);
  if (table.data() == parameters().data())
    add_external(settings,
                 external_of_engine(kept_manifest(RunReader(directory)).at("engine").text()));
  return settings;
}

namespace {

// What was printed before a line of talk is seen before it, where both go to one place. By fputs,
// not fmt::print: an error that cannot be told is not an error of its own.
void tell_on_stderr(const std::string& text) {
  if (embedding != nullptr) {
    embedding->talk += text;
    return;
  }
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace

void say(const Flags& flags, const std::string& line) {
  if (flags.quiet) return;
  tell_on_stderr(printable(line) + "\n");
}

void complain(const std::string& about, const Error& error, bool red) {
  tell_on_stderr(fmt::format("{}murmur: {}{}{}\n  where: {}\n  do:    {}\n", red ? "\033[31m" : "",
                             about.empty() ? "" : printable_line(about) + ": ",
                             printable_line(error.summary), red ? "\033[0m" : "",
                             printable_line(error.where), printable_line(error.remedy)));
}

void complain_undrawn(const std::string& about, const Error& error) {
  complain(about, error);
  if (error.fault == Fault::runtime) undrawn = static_cast<int>(Fault::runtime);
}

namespace {
std::string* diverted = nullptr;  // data goes there instead of to stdout
}

void data(const std::string& text) {
  const std::string shown = printable(text);
  if (diverted != nullptr)
    diverted->append(shown);
  else if (embedding != nullptr)
    embedding->data += shown;
  else
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

DataFile::DataFile(const Flags& flags) : flags_(flags) {
  if (flags.out.empty()) return;
  output_file(flags);  // refuses before anything is computed
  diverted = &text_;
}

DataFile::~DataFile() { diverted = nullptr; }

void DataFile::write() {
  if (diverted == nullptr) return;
  write_file_atomically(flags_.out, text_);
  say(flags_, flags_.out);
}

void report(const nlohmann::json& object) { data(json_text(object, 2) + "\n"); }

namespace {
int watching = 0;                     // how many watches there are, all of one thread
std::optional<StopScope> noticing{};  // while there is one: computations look at the signal
}  // namespace

SignalWatch::SignalWatch() {
  if (++watching > 1) return;
  noticing.emplace(&caught_signal);
  if (embedding == nullptr) note_signals();
}

SignalWatch::~SignalWatch() {
  if (--watching > 0) return;
  noticing.reset();
  if (embedding == nullptr) end_at_signals();
}

void usage(const std::string& what, const std::string& remedy) {
  throw Error(Fault::usage, what, "command line", remedy);
}

fs::path output_file(const Flags& flags) {
  const fs::path path(flags.out);
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    usage(fmt::format("{} is a directory", flags.out), "give the path of a file");
  if (fs::exists(path, ignored) && fs::file_size(path, ignored) > 0 && !flags.force)
    usage(fmt::format("{} is already there", flags.out), "choose another name, or add --force");
  if (!path.parent_path().empty() && !fs::is_directory(path.parent_path(), ignored))
    throw Error(Fault::runtime, "the output's folder is not there", path.parent_path().string(),
                "make the folder first, or choose another");
  return path;
}

Run create_run(const Flags& flags, const std::string& name, const RunContents& contents) {
  if (!flags.out.empty()) return Run::create(flags.out, contents, flags.force);
  for (int tries = 0;; ++tries) try {  // another process may take the number first
      return Run::create(free_run_directory(flags.runs, name, contents.seed), contents, false);
    } catch (const Error& error) {
      if (error.fault != Fault::usage || tries == 1000) throw;
    }
}

fs::path find_run(const Flags& flags, const std::string& word) {
  if (is_run_directory(word)) return word;
  const fs::path below = fs::path(flags.runs) / word;
  if (is_run_directory(below)) return below;
  for (const fs::path& directory : {fs::path(word), below}) {
    const fs::path manifest = directory / "manifest.json";
    std::error_code ignored;
    if (fs::exists(manifest, ignored) && !fs::is_regular_file(manifest, ignored))
      throw Error(Fault::input, "the manifest.json there is not a regular file", manifest.string(),
                  "put back the file that murmur wrote");
  }
  throw Error(Fault::input, fmt::format("{} is not a run directory", word), word,
              "murmur runs lists the runs; a run holds a manifest.json");
}

}  // namespace murmur::app
