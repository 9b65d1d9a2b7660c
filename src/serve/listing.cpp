// listing.cpp: the runs of a folder as the page sees them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "murmur/error.h"
#include "murmur/run.h"
#include "run/json_text.h"
#include "serve/serve.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

std::string encoded(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

nlohmann::json address_of(const fs::path& run, const char* file) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(run / file, ignored))) return nullptr;
  return fmt::format("/runs/{}/{}", encoded(run.filename().string()), file);
}

nlohmann::json row_of(const RunReader& run, const ShownKind& kind) {
  const fs::path& directory = run.directory();
  nlohmann::json row = {{"name", directory.filename().string()},
                        {"kind", run.command()},
                        {"status", run.status()},
                        {"n", run.shape().n},
                        {"d", run.shape().d},
                        {"frames", run.frames()},
                        {"digits", nullptr},
                        {"accuracy", nullptr},
                        {"model", address_of(directory, "model.safetensors")},
                        {"trajectory", address_of(directory, "trajectory.npy")},
                        {"times", address_of(directory, "times.npy")},
                        {"observables", address_of(directory, "observables.csv")},
                        {"summary", address_of(directory, "summary.json")},
                        {"config", address_of(directory, "config.toml")}};
  if (kind.facts) row.update(json_of_text(kind.facts(directory)));
  return row;
}

// Links are not followed, so that nothing outside the folder is ever shown.
std::vector<fs::path> runs_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const bool hidden = at->path().filename().string().front() == '.';
    if (!hidden && fs::is_directory(at->symlink_status(ignored)) &&
        fs::is_regular_file(fs::symlink_status(at->path() / "manifest.json", ignored)))
      found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string list_runs(const fs::path& runs, const std::vector<ShownKind>& kinds) {
  nlohmann::json rows = nlohmann::json::array();
  for (const fs::path& directory : runs_of(runs)) {
    const std::string name = directory.filename().string();
    try {
      const RunReader run(directory);
      for (const ShownKind& kind : kinds)
        if (kind.word == run.command()) rows.push_back(row_of(run, kind));
    } catch (const Error& error) {
      rows.push_back({{"name", name}, {"kind", "damaged"}, {"note", error.summary}});
    } catch (const fs::filesystem_error& error) {
      rows.push_back({{"name", name}, {"kind", "damaged"}, {"note", error.code().message()}});
    }
  }
  return json_text(rows, 2) + "\n";
}

}  // namespace murmur
