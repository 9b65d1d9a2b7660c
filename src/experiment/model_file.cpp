// model_file.cpp: finds the model in a run, and compares the run before the model is believed.
#include "experiment/model_file.h"

#include <span>
#include <string>
#include <variant>

#include "murmur/error.h"
#include "murmur/training.h"
#include "run/compare.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

fs::path model_path(const fs::path& run_or_file) {
  std::error_code ignored;
  if (!fs::is_directory(run_or_file, ignored)) return run_or_file;
  const bool is_run = fs::exists(run_or_file / "manifest.json", ignored);
  if (const fs::path trained = run_or_file / "model.safetensors"; fs::exists(trained, ignored)) {
    if (is_run) require_readable(run_or_file, free_training_settings());
    return trained;
  }
  if (const fs::path copy = run_or_file / "inputs/model.npy"; fs::exists(copy, ignored)) {
    if (is_run) require_readable(run_or_file, {});
    return copy;
  }
  throw Error(Fault::input, "there is no trained swarm in this folder", run_or_file.string(),
              "murmur train makes one; an unfinished training goes on with murmur train --resume");
}

}  // namespace

ModelFile read_model_file(const fs::path& run_or_file) {
  ModelFile model{model_path(run_or_file), {}};
  if (model.path.extension() == ".npy") {
    Array array = read_npy(model.path);
    auto* bytes = std::get_if<std::vector<std::uint8_t>>(&array.values);
    if (bytes == nullptr || array.shape.size() != 1)
      throw Error(Fault::input, "the array does not hold the bytes of a model", model.path.string(),
                  "give a model.safetensors that murmur train wrote");
    model.bytes = std::move(*bytes);
    return model;
  }
  const File file = File::reading(model.path);
  model.bytes.resize(file.size());
  file.read_at(0, std::as_writable_bytes(std::span(model.bytes)));
  return model;
}

TrainedSwarm read_trained_swarm(const fs::path& run_or_file) {
  const ModelFile file = read_model_file(run_or_file);
  return parse_trained_swarm(std::as_bytes(std::span(file.bytes)), file.path.string());
}

}  // namespace murmur
