// checkpoint.h: checkpoint.safetensors: a state, how far the files reach, and what run it is of.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "murmur/run.h"
#include "run/identity.h"

namespace murmur {

inline constexpr const char* kCheckpointName = "checkpoint.safetensors";
inline constexpr const char* kPartingName = "parting.safetensors";  // where a branch begins

// The first bytes of a file's data, as they were when the checkpoint was written.
struct WrittenSoFar {
  std::uint64_t bytes = 0;  // after the header, of an npy file
  std::string sha256{};
};

// What a checkpoint says of its run. Those of earlier versions do not.
struct CheckpointFacts {
  std::string schema{};
  std::string settings_sha256{};
  Digests inputs{};
  std::map<std::string, WrittenSoFar> files{};
};

struct Checkpoint {
  Record state{};
  RunMark mark{};
  std::optional<CheckpointFacts> facts{};
};

// Nothing where there is none; Error(input) where its content does not match its digests.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& directory);
void write_checkpoint(const std::filesystem::path& directory, Checkpoint checkpoint);

// The state that a branch begins with, and its digest.
Record read_parting(const std::filesystem::path& directory);
void write_parting(const std::filesystem::path& directory, const Record& state);

}  // namespace murmur
