// random_weights.h: the two normalisations of random matrices, and the maps of 2312.10794, Fig. 5.
#pragma once

#include "murmur/experiment.h"
#include "reproduce/reproductions.h"

namespace murmur {

// How large random matrices are. The companion code of 2312.10794 (phase-diagrams.py) divides
// G1 G2 by sqrt(d): a score of two unit vectors is beta times a standard normal number, whatever d
// is. Entries of variance 1/d, as `query=gaussian` draws them, make it smaller by sqrt(d).
enum class RandomScale { companion, variance_1_over_d };
std::string_view name_of(RandomScale scale);

struct RandomEnsemble {
  const char* name;
  MatrixChoice::Kind query, key, value;
};

// One swarm with its own start and matrices, layers of 0.1 until t = 30.
struct RandomCell {
  RandomEnsemble ensemble;
  RandomScale scale = RandomScale::companion;
  double beta = 1;
  std::uint32_t replica = 0;
  bool only_end = false;  // else a frame every 0.5
};
ExperimentSpec spec_of(const RandomCell& cell, const FigureValues& values);
// With the matrices of its scale.
Experiment make_random(const RandomCell& cell, const ReproductionControl& control);

double close_pairs(const HostSwarm& x);  // the share of pairs with cosine above 0.999

// The cell beta = 4, t = 30 of the first map, in both scales, compared with numpy; then the maps.
// False when a signal came.
bool check_random_cells(const ReproductionControl& control, Reproduction& result);
bool draw_random_maps(const ReproductionControl& control, Reproduction& result);

}  // namespace murmur
