// meanfield_maps.h: what the files of a run of the mean field tell, and maps of its densities.
#pragma once

#include <vector>

#include "murmur/run.h"
#include "picture/figure.h"
#include "run/kept_json.h"

namespace murmur {

// A run of the mean field as its files tell it.
struct SeenMeanField {
  int d = 2;
  std::vector<double> t{};
  std::size_t cells = 0;
  std::vector<double> density{};  // (frames, cells) over the uniform one
  std::vector<double> grid{};     // (cells, d)
  KeptJson kept;                  // phases.json
  bool particles = false;         // cells count particles, and many may hold none
  // Of a causal field whose laws differ by label:
  std::vector<double> labels{};         // increasing
  std::vector<double> label_order{};    // (frames, labels)
  std::vector<double> label_density{};  // (labels, cells) of the last frame
  const double* frame(std::size_t k) const { return &density[k * cells]; }
  // 0 where there is no linear phase, the last time where it has not ended.
  double linear_until() const {
    const KeptJson linear = kept.at("phases").at("linear");
    return linear.is_null() ? 0 : linear.at("until").number_or(t.back());
  }
};

SeenMeanField see_meanfield(const RunReader& run);

// (latitudes, longitudes) of a field on the sphere of R^3, both in degrees, of one frame.
std::vector<double> density_over(const SeenMeanField& seen, std::size_t frame,
                                 const std::vector<double>& latitudes,
                                 const std::vector<double>& longitudes);

// The first frame at or after a time; the last one where there is none.
std::size_t frame_from(const SeenMeanField& seen, double t);

// Densities over angle and time (on the sphere at three times), and of a causal field by label.
std::vector<Panel> density_panels(const SeenMeanField& seen);

}  // namespace murmur
