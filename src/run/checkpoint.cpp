// checkpoint.cpp: checkpoints to files and back; one whose bytes have changed is not believed.
#include "run/checkpoint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/sha256.h"
#include "run/source.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;
using Metadata = std::map<std::string, std::string>;

constexpr const char* kFactsDigest = "facts_sha256";

// Of names and values.
std::string digest_of(const Record& record) {
  Sha256 digest;
  for (const auto& [name, array] : record) {
    digest.update(std::as_bytes(std::span(name)));
    digest.update(bytes_of(array));
  }
  return digest.hex();
}

// Of all metadata but the digests of the whole.
std::string digest_of(const Metadata& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata)
    if (key != "sha256" && key != kFactsDigest) text += key + "\n" + value + "\n";
  return sha256_of_text(text);
}

Record with_mark(Record record, const RunMark& mark) {
  record["run/frames"] = array_of(mark.frames);
  record["run/observables_bytes"] = array_of(mark.observables_bytes);
  record["run/events_bytes"] = array_of(mark.events_bytes);
  return record;
}

std::int64_t take_number(Record& record, const std::string& name) {
  const auto entry = record.extract(name);
  const auto* values =
      entry ? std::get_if<std::vector<std::int64_t>>(&entry.mapped().values) : nullptr;
  if (values == nullptr || values->size() != 1 || values->front() < 0)
    throw Error(Fault::input, fmt::format("the number {} is not there", name), name, "");
  return values->front();
}

Metadata metadata_of(const CheckpointFacts& facts) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [name, so_far] : facts.files) files[name] = {so_far.bytes, so_far.sha256};
  Metadata metadata = {{"schema", facts.schema},
                       {"settings_sha256", facts.settings_sha256},
                       {"inputs", json_text(nlohmann::json(facts.inputs))},
                       {"files", json_text(files)}};
  metadata[kFactsDigest] = digest_of(metadata);
  return metadata;
}

std::optional<CheckpointFacts> facts_of(const Metadata& metadata, const fs::path& path) {
  if (metadata.size() <= 1) return std::nullopt;  // of an earlier version: its sha256 alone
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  if (text(kFactsDigest) != digest_of(metadata))
    throw Error(Fault::input, "what it says of its run does not match its digest", path.string(),
                "");
  CheckpointFacts facts{.schema = text("schema"), .settings_sha256 = text("settings_sha256")};
  try {
    facts.inputs = json_of_text(text("inputs")).get<Digests>();
    const nlohmann::json files = json_of_text(text("files"));
    for (const auto& [name, so_far] : files.items())
      facts.files[name] = {so_far.at(0).get<std::uint64_t>(), so_far.at(1).get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    throw Error(Fault::input, "what it says of its run cannot be read", path.string(), "");
  }
  return facts;
}

Safetensors read_with_digest(const fs::path& path) {
  Safetensors content = read_safetensors(path);
  if (content.metadata["sha256"] != digest_of(content.tensors))
    throw Error(Fault::input, "its content does not match its digest", path.string(), "");
  return content;
}

}  // namespace

std::optional<Checkpoint> read_checkpoint(const fs::path& directory) {
  const fs::path path = directory / kCheckpointName;
  if (std::error_code ignored; !fs::exists(fs::symlink_status(path, ignored))) return std::nullopt;
  try {
    Safetensors content = read_with_digest(path);
    Checkpoint checkpoint;
    checkpoint.facts = facts_of(content.metadata, path);
    checkpoint.mark.frames = take_number(content.tensors, "run/frames");
    checkpoint.mark.observables_bytes = take_number(content.tensors, "run/observables_bytes");
    checkpoint.mark.events_bytes = take_number(content.tensors, "run/events_bytes");
    checkpoint.state = std::move(content.tensors);
    return checkpoint;
  } catch (const Error& problem) {
    if (problem.fault == Fault::runtime) throw;  // it may be whole: not to be deleted
    throw Error(Fault::input, "the checkpoint is damaged: " + problem.summary, path.string(),
                "delete it to start again from the beginning");
  }
}

void write_checkpoint(const fs::path& directory, Checkpoint checkpoint) {
  Safetensors content{.tensors = with_mark(std::move(checkpoint.state), checkpoint.mark)};
  if (checkpoint.facts) content.metadata = metadata_of(*checkpoint.facts);
  content.metadata["sha256"] = digest_of(content.tensors);
  write_safetensors(directory / kCheckpointName, content);
}

Record read_parting(const fs::path& directory) {
  const fs::path path = directory / kPartingName;
  try {
    return read_with_digest(path).tensors;
  } catch (const Error& problem) {
    if (problem.fault == Fault::runtime) throw;
    throw Error(Fault::input,
                "the state that this branch begins with is damaged: " + problem.summary,
                path.string(), "restore it, or make the branch again: murmur runs branch");
  }
}

void write_parting(const fs::path& directory, const Record& state) {
  Safetensors content{.tensors = state};
  content.metadata["sha256"] = digest_of(content.tensors);
  write_safetensors(directory / kPartingName, content);
}

}  // namespace murmur
