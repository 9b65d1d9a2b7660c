// manifest.cpp: manifest.json to plain data and back.
#include "run/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "generated/version.h"
#include "murmur/error.h"
#include "murmur/run.h"
#include "run/describe.h"
#include "run/file.h"
#include "run/json_text.h"
#include "run/kept_json.h"

namespace murmur {
namespace {

constexpr int layout = 1;
constexpr std::string_view family = "murmur-run-";

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

bool is_ours(const nlohmann::json& json) {
  return json.is_object() && json.contains("schema") && json["schema"].is_string() &&
         json["schema"].get_ref<const std::string&>().starts_with(family);
}

Manifest manifest_of(const KeptJson& kept) {
  Manifest m;
  read_fields(kept, 0, m);
  if (m.made_of) kept.at("inputs");  // refuses a manifest without them
  for (const auto& [name, digest] : m.sha256) {
    const std::filesystem::path file = std::filesystem::path(name).lexically_normal();
    if (file.is_absolute() || *file.begin() == "..")
      kept.at("sha256").refuse(fmt::format("names {}, which is not in the run", name));
  }
  return m;
}

template <class Read>
auto or_damaged(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(Fault::input, fmt::format("the manifest of the run is damaged: {}", error.summary),
                error.where, "restore manifest.json, or make the run again from its config.toml");
  }
}

}  // namespace

std::string schema_of_runs() { return fmt::format("{}{}", family, layout); }

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Manifest manifest_of_now() {
  Manifest m;
  m.version = MURMUR_VERSION;
  m.commit = MURMUR_COMMIT;
  m.machine.cpu = cpu_model();
  m.machine.cores = static_cast<int>(std::thread::hardware_concurrency());
  m.started = utc_now();
  return m;
}

std::string to_json(const Manifest& m) {
  nlohmann::ordered_json json = {{"schema", schema_of_runs()}, {"schema_version", layout}};
  write_fields(m, json);
  return json_text(json, 2) + "\n";
}

Manifest parse_manifest(const std::string& text, const std::string& where) {
  const KeptJson kept = or_damaged([&] { return KeptJson::parse(text, where); });
  if (!is_ours(kept.json()))
    throw Error(Fault::input, "this manifest.json was not written by murmur", where,
                "give a directory that murmur made");
  const std::string schema = kept.at("schema").text();
  if (schema != schema_of_runs() || kept.json().value("schema_version", nlohmann::json()) != layout)
    throw Error(
        Fault::input,
        fmt::format("the run is laid out as {}; this murmur knows {}", schema, schema_of_runs()),
        where, "use the murmur that wrote it, or make the run again from its config.toml");
  return or_damaged([&] { return manifest_of(kept); });
}

Manifest read_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "manifest.json";
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw Error(Fault::input, "this is not a run directory: it holds no manifest.json",
                directory.string(), "give a directory that murmur made, for example runs/NAME-0-1");
  return parse_manifest(read_text(path, kLongestManifest), path.string());
}

bool is_run_directory(const std::filesystem::path& path) try {
  return is_ours(json_of_text(read_text(path / "manifest.json", kLongestManifest)));
} catch (const Error&) {
  return false;
}

}  // namespace murmur
