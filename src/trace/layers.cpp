// layers.cpp: reads layers text by text, and flies the ideal flow beside them.
#include "trace/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "murmur/transport.h"
#include "run/formats.h"
#include "trace/trace_run.h"
#include "trace/twin.h"

namespace murmur {

namespace {

// Of the ideal flow that is not causal: its energy exists.
class Energies {
 public:
  Energies(const HostSwarm& x, double beta)
      : e_(ideal_flow({.start = x, .beta = beta, .frames = 2})) {}
  std::vector<double> row(const HostSwarm& x) const {
    return observe(x, e_.dynamics, observe_settings(e_));
  }
  double at(const std::vector<double>& row, const char* name) const {
    return row[observable_column(e_.dynamics, name)];
  }

 private:
  Experiment e_;
};

// Those in which there are pairs.
std::vector<TextSpan> several_of(const TraceFile& file, const RunReader& run) {
  std::vector<TextSpan> texts = texts_of(file, run);
  std::erase_if(texts, [](const TextSpan& s) { return s.n < 2; });
  return texts;
}

// A frame of one text, less norm and angle.
LayerReading reading_of(const HostSwarm& x, double beta) {
  const Energies energies(x, beta);
  const std::vector<double> row = energies.row(x);
  return {.mean_cos = energies.at(row, "mean_cos"),
          .min_cos = energies.at(row, "min_cos"),
          .max_cos = energies.at(row, "max_cos"),
          .clusters = energies.at(row, "clusters"),
          .effective_rank = energies.at(row, "effective_rank"),
          .energy_scaled = energies.at(row, "energy_scaled")};
}

}  // namespace

double mean_angle(const HostSwarm& x, const HostSwarm& y) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += (x.at(i, k) - y.at(i, k)) * (x.at(i, k) - y.at(i, k));
    sum += 2 * std::asin(std::min(1.0, std::sqrt(square) / 2));
  }
  return sum / x.n();
}

std::vector<TextSpan> texts_of(const TraceFile& file, const RunReader& run) {
  std::vector<TextSpan> texts;
  int first = 0;
  for (const TraceFile::Text& text : file.texts) {
    texts.push_back({first, static_cast<int>(text.tokens.size())});
    first += texts.back().n;
  }
  if (first != run.shape().n)
    throw Error(Fault::input,
                fmt::format("trace.json speaks of {} tokens, frames have {}", first, run.shape().n),
                run.directory().string(), "trace the text again");
  return texts;
}

HostSwarm part_of(const HostSwarm& x, const TextSpan& s) {
  HostSwarm part({s.n, x.d()});
  for (int k = 0; k < x.d(); ++k)
    std::copy_n(x.axis(k) + s.first, static_cast<std::size_t>(s.n), part.axis(k));
  return part;
}

double beta_of(const TraceFile& file, int block) {
  if (file.block_beta.empty()) return flow_beta(file.beta);
  return file.block_beta[static_cast<std::size_t>(block) % file.block_beta.size()];
}

std::vector<LayerReading> layer_readings(const TracedText& text, double beta) {
  std::vector<LayerReading> rows;
  HostSwarm before;
  for (int f = 0; f < text.frames(); ++f) {
    std::vector<double> norms;
    HostSwarm x = on_the_sphere(text, f, &norms);
    LayerReading r = reading_of(x, beta);
    r.layer = f;
    for (const double norm : norms) r.norm += norm / text.n();
    if (f > 0) r.angle = mean_angle(before, x);
    before = std::move(x);
    rows.push_back(r);
  }
  return rows;
}

std::vector<LayerReading> layer_readings(const RunReader& run, const TraceFile& file) {
  const std::vector<TextSpan> texts = several_of(file, run);
  const std::vector<double> norms = read_npy(run.directory() / "norms.npy").doubles();
  if (norms.size() != static_cast<std::size_t>(run.frames()) * run.shape().n)
    throw Error(Fault::input, "norms.npy does not fit the frames", run.directory().string(),
                "trace the text again");
  std::vector<LayerReading> rows;
  HostSwarm before;
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, texts.size()));
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    const HostSwarm x = run.frame(f);
    LayerReading r{.layer = static_cast<int>(f)};
    for (const TextSpan& s : texts) {
      const HostSwarm part = part_of(x, s);
      const LayerReading one = reading_of(part, flow_beta(file.beta));
      r.mean_cos += share * one.mean_cos;
      r.min_cos += share * one.min_cos;
      r.max_cos += share * one.max_cos;
      r.clusters += share * one.clusters;
      r.effective_rank += share * one.effective_rank;
      r.energy_scaled += share * one.energy_scaled;
      if (f > 0) r.angle += share * mean_angle(part_of(before, s), part);
      for (int i = s.first; i < s.first + s.n; ++i)
        r.norm += share * norms[static_cast<std::size_t>(f) * run.shape().n + i] / s.n;
    }
    before = x;
    rows.push_back(r);
  }
  return rows;
}

std::vector<TwinReading> twin_flight(const RunReader& run, const TraceFile& file) {
  std::vector<TextSpan> texts = several_of(file, run);
  std::erase_if(texts, [](const TextSpan& s) { return s.n > kMostTwinTokens; });
  if (texts.empty())
    throw Error(Fault::input, fmt::format("no text has from 2 to {} tokens", kMostTwinTokens),
                run.directory().string(), "trace a text of some other length");
  std::vector<TwinReading> rows(static_cast<std::size_t>(run.frames()));
  const double share = 1.0 / static_cast<double>(texts.size());
  for (const TextSpan& s : texts) {
    HostSwarm real = part_of(run.frame(0), s);
    const HostSwarm first = real;
    Twin twin(real, {.causal = file.causal});
    const Energies energies(real, flow_beta(file.beta));
    for (std::int64_t f = 0; f < run.frames(); ++f) {
      TwinReading& r = rows[static_cast<std::size_t>(f)];
      r.layer = static_cast<int>(f);
      if (f > 0) {
        const HostSwarm next = part_of(run.frame(f), s);
        const TwinBlock block = twin.advance(real, next, beta_of(file, static_cast<int>(f) - 1));
        real = next;
        r.beta = block.beta;
        r.tau += share * block.tau;
        r.alignment += share * block.alignment;
      }
      r.distance += share * distance_between(real, twin.x());
      r.w2 += share * assignment_distance(real, twin.x(), Ground::chord).distance;
      r.still += share * distance_between(real, first);
      r.still_w2 += share * assignment_distance(real, first, Ground::chord).distance;
      const std::vector<double> row = energies.row(twin.x());
      r.mean_cos += share * energies.at(row, "mean_cos");
      r.energy_scaled += share * energies.at(row, "energy_scaled");
    }
  }
  return rows;
}

}  // namespace murmur
