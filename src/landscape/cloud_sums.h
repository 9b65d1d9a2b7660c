// cloud_sums.h: the energy of a cloud, F and its slope at every atom, each with an error bound.
#pragma once

#include <memory>

#include "landscape/terrain.h"

namespace murmur::landscape {

struct CloudReading {
  VectorXd values{}, value_bounds{};  // (count) F
  MatrixXd slopes{};                  // (d, count) P grad F; if wanted
  VectorXd slope_bounds{};            // (count)
  Rounded pairs{}, energy{};          // pair part of E, and E
};

// Sums over clouds of few atoms, or with more than five coordinates, are computed pair by pair by
// Terrain, with a bound on rounding. Large ones use the certified sums of the moments engine:
// harmonics, transforms, cells or pairs, whichever is fastest by measured rates.
class CloudSums {
 public:
  // Clouds of a search are smaller; their pairs are cheap, and the search has its own threads.
  static constexpr int kLeastCertified = 2048;

  enum class Wanted { values, slopes };
  CloudSums(const Terrain& terrain, int count, Wanted wanted, int threads = 0);  // 0: all cores
  ~CloudSums();
  CloudSums(const CloudSums&) = delete;
  CloudSums& operator=(const CloudSums&) = delete;

  bool certified() const { return sums_ != nullptr; }
  CloudReading read(const Cloud& mu);
  VectorXd values_at(const Cloud& mu, const MatrixXd& places);  // (places) F

 private:
  CloudReading by_pairs(const Cloud& mu) const;

  struct Sums;
  const Terrain& terrain_;
  Wanted wanted_;
  std::unique_ptr<Sums> sums_;
};

}  // namespace murmur::landscape
