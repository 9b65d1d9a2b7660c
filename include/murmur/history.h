// history.h: what takes several frames: genealogies of clusters, plateaus, rates, crossing times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/observe.h"
#include "murmur/swarm.h"

namespace murmur {

// Frames one after the other, read when asked for; all of one shape, times ascending.
struct History {
  std::int64_t count = 0;
  std::function<double(std::int64_t)> time{};
  std::function<HostSwarm(std::int64_t)> frame{};
};
History history_of(std::vector<double> times, std::vector<HostSwarm> frames);

// A number for each time. Times ascend; entries that are not finite are skipped.
struct Series {
  std::vector<double> t{}, value{};
};

// One cluster for as long as its members stay the same particles.
struct Lineage {
  int id = 0;                          // its place in Genealogy::clusters
  int size = 0;                        // particles
  double mass = 0;                     // of 1 in all
  int first_member = 0;                // its particle of the smallest index
  std::int64_t born = 0, last = 0;     // frames that show it first and last
  std::vector<int> from{}, becomes{};  // ids before and after; empty at the start and at the end
};

// Clusters that gave way to others between two frames.
struct Regrouping {
  enum Kind { merge, split, exchange } kind = merge;  // many to one, one to many, many to many
  double after = 0, by = 0;                           // times of the frames before and after
  std::vector<int> from{}, to{};                      // ids of Genealogy::clusters
};

struct Genealogy {
  std::vector<Lineage> clusters{};  // in order of birth, then of first member
  std::vector<Regrouping> events{};
};
const char* name_of(Regrouping::Kind kind);

// Follows the clusters of a dynamics (observe.h) from frame to frame by the particles they share.
// What happens between two frames is one event for each group of clusters it involves.
Genealogy genealogy(const History& history, const Dynamics& dynamics, double tol = 1e-3);

// The clock tau of a series: t itself, or ln t, which leaves out t <= 0.
struct PlateauRule {
  bool log_time = false;
  // Between two neighbouring times the series is flat when
  //   |v' - v| / (max v - min v)  <  slope (tau' - tau) / (tau_last - tau_first),
  // so a straight line has slope 1.
  double slope = 0.1;
  // A plateau is a longest flat stretch of at least this share of tau_last - tau_first. Two that
  // follow one another at levels closer than slope / 10 of max v - min v count as one.
  double length = 0.03;
};

struct Plateau {
  double start = 0, end = 0;
  double level = 0;                 // mean over tau
  std::optional<double> rise = {};  // when the series is half-way from the plateau before to this
};
std::vector<Plateau> plateaus(const Series& series, const PlateauRule& rule = {});

// First time at which the series passes `level`, up or down, on straight lines between its points.
std::optional<double> crossing_time(const Series& series, double level);

struct Growth {
  double rate = 0, error = 0;  // slope of ln |value| by least squares, and its standard error
  double from = 0, to = 0;     // times of the first and last point used
  int points = 0;
};
struct Window {
  double low = 0, high = 0;
};
// Fits the longest stretch of consecutive points with low < |value| < high.
// Error(input) where it has fewer than three.
Growth growth_rate(const Series& series, Window window);

// sqrt( sum_i m_i |x_i(t) - y_i|^2 ) for every frame: how far a swarm is from `reference`. Where y
// is a metastable state, growth_rate of this is its rate of escape.
Series distance_from(const History& history, const HostSwarm& reference);

// How many clusters, the heaviest first, hold the fraction `share` of the mass: the atoms of the
// measure that a swarm has become, whatever the order of its particles. Error(input) unless share
// lies in (0, 1].
int atoms_holding(const Clusters& clusters, double share = 0.99);

struct AtomRule {
  double share = 0.99;
  double tol = 1e-3;  // of clusters
};
Series atoms_over_time(const History& history, const Dynamics& dynamics, const AtomRule& rule = {});

struct NearClustering {
  std::optional<double> all{};   // first time at which every pair has cosine > 1 - delta
  std::optional<double> part{};  // first time at which the fraction `share` of the pairs has
};
struct NearClusteringRequest {
  double delta = 1e-3;
  double share = 0.5;
};
// Between frames the smallest cosine, and the fraction of close pairs, are taken as straight lines.
NearClustering near_clustering(const History& history, const NearClusteringRequest& request,
                               const ObserveSettings& settings = {});

}  // namespace murmur
