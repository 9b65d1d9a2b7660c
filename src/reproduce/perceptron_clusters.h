// perceptron_clusters.h: the two halves of the figure: tokens of equal mass, and best measures.
#pragma once

#include "reproduce/landscapes.h"
#include "reproduce/reproductions.h"

namespace murmur {

inline constexpr const char* kClusters = "perceptron-clusters";
inline constexpr const char* kRootBeta = "root of the inverse temperature √β";  // of an axis

// What the code of 2601.21366 counts with ReLU and the scaled kernel, with its own seeds.
struct CompanionCount {
  double beta, clusters, heaviest;
};
inline constexpr CompanionCount kCompanion[] = {
    {5, 5, 0.595}, {15, 7, 0.740}, {25, 11, 0.690}, {50, 17, 0.600}};

struct TokenClusters {
  double count = 0, heaviest = 0;  // the mass of one of them
};
// How few arcs of that length hold all tokens, laid from behind the widest gap on.
TokenClusters arcs_of(const Atoms& mu, double length);

// The swarm of the companion code, token by token: its counts must come out exactly.
void check_companion(const ReproductionControl& control, Reproduction& result);

// n equal tokens on the gradient flow, their clusters counted within 1/(2 sqrt(beta)) at four
// times, beside the counts of 2601.21366; on the circle with both kernels, and on the sphere.
void check_tokens(const ReproductionControl& control, Reproduction& result);

// Best measures, their masses free, each certified: how many atoms there are over beta.
void check_measures(const ReproductionControl& control, Reproduction& result);

// A slope over seeds: its mean and the standard error of it.
struct Slope {
  double mean = 0, error = 0;
  int seeds = 0;
};
Slope slope_of(const std::vector<double>& slopes);

}  // namespace murmur
