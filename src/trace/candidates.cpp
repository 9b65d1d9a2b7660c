// candidates.cpp: unembeddings of the likeliest next tokens, through the gain of the last norm.
#include "trace/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/formats.h"
#include "trace/word_axes.h"

namespace murmur {

namespace {

// The unembedding of a token, times the gain; behind a layer norm less its mean, which no state
// has.
std::vector<double> word_of(const Transformer& model, std::int64_t token) {
  const Linear& f = model.weights().unembedding;
  const float* const gain = model.weights().final_norm.gain;
  const Description& of = model.description();
  std::vector<double> w;
  for (std::ptrdiff_t k = 0; k < of.d; ++k)
    w.push_back((f.transposed ? f.w[k * f.pitch + token] : f.w[token * f.pitch + k]) *
                (gain != nullptr ? gain[k] : 1.0f));
  if (gain == nullptr || of.norm.kind != Norm::layer) return w;
  double mean = 0;
  for (const double entry : w) mean += entry / of.d;
  for (double& entry : w) entry -= mean;
  return w;
}

}  // namespace

Candidates candidates_of(const Transformer& model, const TracedText& text,
                         const LensRequest& request) {
  Candidates found;
  LensRequest wider = request;
  wider.top = kCandidates;
  const std::vector<LensRow> rows = logit_lens(model, text, wider);
  if (rows.empty()) return found;
  const int d = model.description().d;
  for (const SaidToken& said : rows.back().top) {
    const std::vector<double> w = word_of(model, said.id);
    double square = 0;
    for (const double entry : w) square += entry * entry;
    if (!(square > 0) || !std::isfinite(square)) continue;
    std::string name = readable(said.token);
    if (std::find(found.words.begin(), found.words.end(), name) != found.words.end())
      name += fmt::format(" ({})", said.id);
    found.words.push_back(std::move(name));
    for (const double entry : w) found.points.data.push_back(entry / std::sqrt(square));
    found.kappa += std::sqrt(d * square);
  }
  found.points.rows = static_cast<int>(found.words.size());
  found.points.cols = d;
  if (!found.words.empty()) found.kappa /= static_cast<double>(found.words.size());
  return found;
}

void write_candidates(const std::filesystem::path& run, const Candidates& candidates) {
  if (candidates.words.empty()) return;
  Array points = array_of(candidates.points.data);
  points.shape = {candidates.words.size(), static_cast<std::size_t>(candidates.points.cols)};
  write_npy(run / "candidates.npy", points);
  write_file_atomically(run / "candidates.txt",
                        fmt::format("{}\n", fmt::join(candidates.words, "\n")));
}

}  // namespace murmur
