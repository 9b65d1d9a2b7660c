// real_models.h: trained transformers in a folder, inputs for each, and what is read off them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/model_folder.h"
#include "reproduce/reproductions.h"
#include "trace/layers.h"
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

// Calls `read` for every known model in the folders of control.models, and `leave_open` for those
// that are missing. False when `read` returns false or a signal came.
bool visit_models(const ReproductionControl& control,
                  const std::function<void(const RealModel&)>& leave_open,
                  const std::function<bool(const RealModel&, const std::filesystem::path&)>& read);
// The open check of a model that is missing.
Check check_missing(const char* rule, const RealModel& model, const char* what, const char* when);

// Sentence k of a small grammar: "One sunny morning the brave rabbit ran behind the old house, and
// then he found a tiny key." Each is drawn independently from the stream `prompts`.
std::string own_sentence(int k);

// A list of six letters out of three, then the first five of it in order: the input of minGPT's
// sorting model when it has answered all but the last letter. (11)
std::vector<std::int64_t> list_to_sort(int k);

// A spectrum (frames, features) that begins `shift` frames later, at `rate` times its speed; frames
// beyond its ends repeat those at the ends.
struct Spoken {
  int frames = 0, features = 0;
};
std::vector<float> spoken_otherwise(const std::vector<float>& spectrum, const Spoken& shape,
                                    double shift, double rate);

// What is changed when a transformer is read.
struct RealReadingOptions {
  bool backwards = false;     // frames from the last to the first
  bool whole_blocks = false;  // the feed-forward is always kept
  int threads = 0;
};

// One input. Frames are the embedding and the state behind every block.
struct InputReading {
  int n = 0;                           // tokens
  std::vector<LayerReading> layers{};  // (frames)
  std::vector<double> leader{};        // (blocks) share of the most attended token, mean over heads
  std::vector<double> first{};      // (blocks) share of the first token, of the others' attention
  double even_first = 0;            // the same of even attention
  std::vector<double> alignment{};  // (blocks) of the move and the velocity of the flow
  double rank_attention_only = 0;   // last effective rank without feed-forward
  double reordered = 0;  // angle by which first and last block exchanged move the last states, over
                         // the angle from the first states to the last
};

struct RealReading {
  // Means over heads: 1 where all eigenvalues of Q^T K, or O V, are positive, -1: negative
  // (heads.h).
  double qk_positivity = 0, ov_positivity = 0;
  double beta = 1;  // of the ideal flow that fits all heads best; 1 where that is below 0
  std::vector<InputReading> inputs{};
};

// `exchanged` is the same transformer with its first and last block exchanged.
RealReading read_inputs(const Transformer& model, const Transformer& exchanged,
                        const std::vector<Prompt>& prompts, const RealReadingOptions& options);

}  // namespace murmur
