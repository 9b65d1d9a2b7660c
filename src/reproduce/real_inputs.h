// real_inputs.h: trained transformers as they lie in a folder, and inputs of the kind of each.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/open_model.h"
#include "trace/traced.h"

namespace murmur {

struct RealModel {
  const char* name;
  const char* path;  // below a folder of models
  const char* reads;
  bool causal;
  std::vector<Prompt> (*inputs)(const OpenedModel& model, const std::filesystem::path& place,
                                int count);
};
std::span<const RealModel> real_models_known();

// Where a model lies: below the first folder that has it.
std::optional<std::filesystem::path> place_of(const RealModel& model,
                                              const std::vector<std::filesystem::path>& folders);

// Sentence k of a small grammar: "One sunny morning the brave rabbit ran behind the old house, and
// then he found a tiny key." Drawn from the stream `prompts`, each by itself.
std::string own_sentence(int k);

// A list of six letters out of three, then the five first of it in order: what minGPT's model that
// sorts has read once it has answered all but the last letter. (11)
std::vector<std::int64_t> list_to_sort(int k);

// A spectrum (frames, features) that begins `shift` frames later, and is spoken at `rate` times its
// speed; frames beyond its ends are those at the ends.
struct Spoken {
  int frames = 0, features = 0;
};
std::vector<float> spoken_otherwise(const std::vector<float>& spectrum, const Spoken& shape,
                                    double shift, double rate);

}  // namespace murmur
