// checkpoint.h: checkpoint.safetensors: a state, how far the files of the run reach, and the
// digests of the run.
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
  std::uint64_t bytes = 0;  // of an npy file: after its header
  std::string sha256{};
};

// Digests of the run to which a checkpoint belongs. Checkpoints of earlier versions lack them.
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

// Returns nothing if there is no checkpoint. Error(input) if its content does not match its
// digests.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& directory);
void write_checkpoint(const std::filesystem::path& directory, Checkpoint checkpoint);

// The state that a branch begins with, and its digest.
Record read_parting(const std::filesystem::path& directory);
void write_parting(const std::filesystem::path& directory, const Record& state);

}  // namespace murmur
