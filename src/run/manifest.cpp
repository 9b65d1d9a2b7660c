// manifest.cpp: manifest.json to plain data and back.
#include "run/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "generated/version.h"
#include "murmur/error.h"
#include "murmur/run.h"
#include "run/file.h"
#include "run/json_text.h"
#include "run/kept_json.h"

namespace murmur {
namespace {

using Json = nlohmann::ordered_json;

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

MadeOf made_of(const KeptJson& settings, const KeptJson& inputs) {
  MadeOf made{.settings = settings.at("text").text(),
              .settings_sha256 = settings.at("sha256").text(),
              .before = settings.at("before").texts(),
              .inputs = inputs.texts_by_name()};
  if (settings.has("next")) {
    made.next = settings.at("next").at("text").text();
    made.next_sha256 = settings.at("next").at("sha256").text();
  }
  return made;
}

Json settings_json(const MadeOf& made) {
  Json json = {{"sha256", made.settings_sha256}, {"text", made.settings}, {"before", made.before}};
  if (!made.next_sha256.empty()) json["next"] = {{"sha256", made.next_sha256}, {"text", made.next}};
  return json;
}

Manifest manifest_of(const KeptJson& kept) {
  Manifest m;
  m.status = kept.at("status").text();
  m.command = kept.at("command").text();
  m.argv = kept.at("argv").texts();
  m.version = kept.at("version").text();
  m.commit = kept.at("commit").text();
  m.engine = kept.at("engine").text();
  m.seed = kept.at("seed").natural();
  m.cpu = kept.at("machine").at("cpu").text();
  m.cores = kept.at("machine").at("cores").small_whole();
  m.started = kept.at("started").text();
  const KeptJson finished = kept.at("finished");
  if (!finished.is_null()) m.finished = finished.text();
  m.seconds = kept.at("seconds").number();
  for (const KeptJson& resume : kept.at("resumes").list())
    m.resumes.push_back({resume.at("at").text(), resume.at("argv").texts()});
  m.sentence = kept.at("sentence").text();
  for (const auto& [name, number] : kept.at("numbers").members())
    m.numbers[name] = number.number_or(std::nan(""));
  m.sha256 = kept.at("sha256").texts_by_name();
  if (kept.has("settings")) m.made_of = made_of(kept.at("settings"), kept.at("inputs"));
  if (kept.has("parent")) {
    const KeptJson parent = kept.at("parent");
    m.parent = Parent{parent.at("run").text(), parent.at("settings_sha256").text(),
                      parent.at("t").number()};
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
  m.cpu = cpu_model();
  m.cores = static_cast<int>(std::thread::hardware_concurrency());
  m.started = utc_now();
  return m;
}

std::string to_json(const Manifest& m) {
  Json resumes = Json::array();
  for (const Resumption& r : m.resumes) resumes.push_back({{"at", r.at}, {"argv", r.argv}});
  Json json = {
      {"schema", schema_of_runs()},
      {"schema_version", layout},
      {"status", m.status},
      {"sentence", m.sentence},
      {"command", m.command},
      {"argv", m.argv},
      {"engine", m.engine},
      {"seed", m.seed},
      {"version", m.version},
      {"commit", m.commit},
      {"machine", {{"cpu", m.cpu}, {"cores", m.cores}}},
      {"started", m.started},
      {"finished", m.finished.empty() ? Json() : Json(m.finished)},
      {"seconds", m.seconds},
      {"resumed", m.resumes.size()},
      {"resumes", resumes},
      {"numbers", m.numbers},
      {"sha256", m.sha256},
  };
  if (m.made_of) {
    json["settings"] = settings_json(*m.made_of);
    json["inputs"] = m.made_of->inputs;
  }
  if (m.parent)
    json["parent"] = {
        {"run", m.parent->run}, {"settings_sha256", m.parent->settings_sha256}, {"t", m.parent->t}};
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
  return parse_manifest(read_text(path), path.string());
}

bool is_run_directory(const std::filesystem::path& path) try {
  return is_ours(json_of_text(read_text(path / "manifest.json")));
} catch (const Error&) {
  return false;
}

}  // namespace murmur
