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

bool is_ours(const Json& json) {
  return json.is_object() && json.contains("schema") && json["schema"].is_string() &&
         json["schema"].get_ref<const std::string&>().starts_with(family);
}

std::string text_or_nothing(const Json& json) {
  return json.is_null() ? std::string() : json.get<std::string>();
}

MadeOf made_of(const Json& settings, const Json& inputs) {
  MadeOf made{.settings = settings.at("text"), .settings_sha256 = settings.at("sha256")};
  made.before = settings.at("before").get<std::vector<std::string>>();
  if (settings.contains("next")) {
    made.next = settings.at("next").at("text");
    made.next_sha256 = settings.at("next").at("sha256");
  }
  made.inputs = inputs.get<std::map<std::string, std::string>>();
  return made;
}

Json settings_json(const MadeOf& made) {
  Json json = {{"sha256", made.settings_sha256}, {"text", made.settings}, {"before", made.before}};
  if (!made.next_sha256.empty()) json["next"] = {{"sha256", made.next_sha256}, {"text", made.next}};
  return json;
}

Manifest from_json(const Json& json) {
  Manifest m;
  m.status = json.at("status");
  m.command = json.at("command");
  m.argv = json.at("argv").get<std::vector<std::string>>();
  m.version = json.at("version");
  m.commit = json.at("commit");
  m.engine = json.at("engine");
  m.seed = json.at("seed");
  m.cpu = json.at("machine").at("cpu");
  m.cores = json.at("machine").at("cores");
  m.started = json.at("started");
  m.finished = text_or_nothing(json.at("finished"));
  m.seconds = json.at("seconds");
  for (const Json& resume : json.at("resumes"))
    m.resumes.push_back({resume.at("at"), resume.at("argv").get<std::vector<std::string>>()});
  m.sentence = json.at("sentence");
  for (const auto& [name, number] : json.at("numbers").items())
    m.numbers[name] = number.is_null() ? std::nan("") : number.get<double>();
  m.sha256 = json.at("sha256").get<std::map<std::string, std::string>>();
  if (json.contains("settings")) m.made_of = made_of(json.at("settings"), json.at("inputs"));
  if (json.contains("parent")) {
    const Json& parent = json.at("parent");
    m.parent = Parent{parent.at("run"), parent.at("settings_sha256"), parent.at("t")};
  }
  return m;
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Manifest parse_manifest(const std::string& text, const std::string& where) {
  const char* damaged = "restore manifest.json, or make the run again from its config.toml";
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& problem) {
    throw Error(Fault::input, "the manifest of the run is damaged: it is not JSON", where, damaged);
  }
  if (!is_ours(json))
    throw Error(Fault::input, "this manifest.json was not written by murmur", where,
                "give a directory that murmur made");
  if (json["schema"] != schema_of_runs() || json.value("schema_version", Json()) != layout)
    throw Error(Fault::input,
                fmt::format("the run is laid out as {}; this murmur knows {}",
                            json["schema"].get<std::string>(), schema_of_runs()),
                where, "use the murmur that wrote it, or make the run again from its config.toml");
  try {
    return from_json(json);
  } catch (const Json::exception& problem) {
    throw Error(Fault::input, fmt::format("the manifest of the run is damaged: {}", problem.what()),
                where, damaged);
  }
}

Manifest read_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "manifest.json";
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw Error(Fault::input, "this is not a run directory: it holds no manifest.json",
                directory.string(), "give a directory that murmur made, for example runs/NAME-0-1");
  return parse_manifest(read_text(path), path.string());
}

bool is_run_directory(const std::filesystem::path& path) try {
  return is_ours(Json::parse(read_text(path / "manifest.json"), nullptr, false));
} catch (const Error&) {
  return false;
}

}  // namespace murmur
