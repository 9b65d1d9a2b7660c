// identity.cpp: holds config.toml and inputs/ against what the manifest and the checkpoint say.
#include "run/identity.h"

#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"
#include "run/checkpoint.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/manifest.h"
#include "run/sha256.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRestore =
    "restore it, or start a new run; murmur runs branch RUN KEY=VALUE makes one that goes on from "
    "here with changed settings";

// A line that says something: its number, the key before '=', and all of it without outer blanks.
struct Line {
  int number = 0;
  std::string key{}, text{};
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<Line> lines_of(const std::string& config, std::span<const std::string> free) {
  std::vector<Line> lines;
  int number = 0;
  for (std::size_t start = 0; start < config.size();) {
    const std::size_t end = std::min(config.find('\n', start), config.size());
    Line line{++number, {}, trimmed(config.substr(start, end - start))};
    start = end + 1;
    line.key = trimmed(line.text.substr(0, line.text.find('=')));
    const bool counts = !line.text.empty() && line.text[0] != '#' &&
                        std::find(free.begin(), free.end(), line.key) == free.end();
    if (counts) lines.push_back(std::move(line));
  }
  return lines;
}

const Line* find(const std::vector<Line>& lines, const std::string& key) {
  for (const Line& line : lines)
    if (line.key == key) return &line;
  return nullptr;
}

// A line as it can be shown: no bytes that are no letters, and not more than fits a line.
std::string shown(const std::string& line) {
  constexpr std::size_t most = 60;
  std::string text = line.substr(0, most);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return line.size() > most ? text + "..." : text;
}

void require_same_text(const fs::path& directory, const Manifest& manifest,
                       std::span<const std::string> free) {
  const fs::path path = directory / "config.toml";
  const std::string now = read_text(path);
  const std::string digest = sha256_of_text(now);
  const MadeOf& made = *manifest.made_of;
  if (digest == made.settings_sha256 || digest == made.next_sha256) return;
  const auto change = first_change(made.settings, now, free);
  if (!change) return;
  throw Error(Fault::input, "the run was made with other settings: " + sentence_of(*change),
              change->line > 0 ? fmt::format("{}:{}", path.string(), change->line) : path.string(),
              kRestore);
}

void require_same_inputs(const fs::path& directory, const Digests& made) {
  const Digests now = digests_of_inputs(directory);
  const auto refuse = [&](const std::string& name, const char* what) {
    throw Error(Fault::input, fmt::format("inputs/{} {}", name, what),
                (directory / "inputs" / name).string(), kRestore);
  };
  for (const auto& [name, digest] : made) {
    const auto found = now.find(name);
    if (found == now.end()) refuse(name, "was there when the run was made, and is gone");
    if (found->second != digest) refuse(name, "is not the input the run was made with");
  }
  for (const auto& [name, digest] : now)
    if (made.count(name) == 0) refuse(name, "was not there when the run was made");
}

// What a checkpoint was made with must be what the run is made of, or was before T was raised.
void require_same_checkpoint(const fs::path& directory, const Manifest& manifest,
                             const CheckpointFacts& facts) {
  const fs::path path = directory / kCheckpointName;
  const auto refuse = [&](const std::string& what) {
    throw Error(Fault::input, "the checkpoint is of another run: " + what, path.string(),
                "restore the one that belongs here, or delete it to start again from t = 0");
  };
  if (facts.schema != schema_of_runs())
    refuse(
        fmt::format("it is laid out as {}; this murmur knows {}", facts.schema, schema_of_runs()));
  const std::string now = sha256_of_text(read_text(directory / "config.toml"));
  std::vector<std::string> known{now};
  if (manifest.made_of) {
    known = manifest.made_of->before;
    known.push_back(manifest.made_of->settings_sha256);
  }
  if (std::find(known.begin(), known.end(), facts.settings_sha256) == known.end())
    refuse("its settings are not those of config.toml");
  if (facts.inputs != (manifest.made_of ? manifest.made_of->inputs : digests_of_inputs(directory)))
    refuse("its inputs are not those of inputs/");
}

}  // namespace

std::string sha256_of_text(std::string_view text) {
  Sha256 digest;
  digest.update(std::as_bytes(std::span(text.data(), text.size())));
  return digest.hex();
}

Digests digests_of_inputs(const fs::path& directory) {
  Digests digests;
  std::error_code none;
  for (fs::directory_iterator at(directory / "inputs", none), end; !none && at != end;
       at.increment(none)) {
    const std::string name = at->path().filename().string();
    if (at->path().extension() == ".npy" && name[0] != '.')
      digests[name] = sha256_of_file(at->path());
  }
  return digests;
}

std::optional<SettingsChange> first_change(const std::string& was, const std::string& is,
                                           std::span<const std::string> free) {
  const std::vector<Line> before = lines_of(was, free), now = lines_of(is, free);
  std::optional<SettingsChange> first;
  const auto note = [&](const SettingsChange& change) {
    if (first)
      ++first->others;
    else
      first = change;
  };
  for (const Line& line : now) {
    const Line* old = find(before, line.key);
    if (old == nullptr)
      note({line.number, {}, line.text});
    else if (old->text != line.text)
      note({line.number, old->text, line.text});
  }
  for (const Line& line : before)
    if (find(now, line.key) == nullptr) note({0, line.text, {}});
  if (!first && before.size() != now.size()) first = SettingsChange{0, "each line once", {}};
  return first;
}

std::string sentence_of(const SettingsChange& change) {
  const std::string was = shown(change.was), is = shown(change.is);
  std::string text;
  if (was.empty())
    text = fmt::format("{} is there now, and was not", is);
  else if (is.empty())
    text = fmt::format("{} was made, and is gone now", was);
  else
    text = fmt::format("{} was made, {} is there now", was, is);
  if (change.others > 0)
    text += fmt::format(" (and {} more line{})", change.others, change.others > 1 ? "s" : "");
  return text;
}

std::string require_same_settings(const fs::path& directory, std::span<const std::string> free) {
  const Manifest manifest = read_manifest(directory);
  if (manifest.made_of) {
    require_same_text(directory, manifest, free);
    require_same_inputs(directory, manifest.made_of->inputs);
  }
  std::optional<Checkpoint> checkpoint = read_checkpoint(directory);
  if (checkpoint && checkpoint->facts) {
    require_same_checkpoint(directory, manifest, *checkpoint->facts);
  } else if (!manifest.made_of || checkpoint) {
    return "this run is older than the digests of settings: that config.toml and inputs/ are those "
           "it was made with cannot be told";
  }
  return {};
}

}  // namespace murmur
