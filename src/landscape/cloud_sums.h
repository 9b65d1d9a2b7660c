// cloud_sums.h: the energy of a cloud, F and its slope at every atom, each with a bound.
#pragma once

#include <memory>

#include "landscape/terrain.h"

namespace murmur::landscape {

struct CloudReading {
  VectorXd values{}, value_bounds{};  // (count) F
  MatrixXd slopes{};                  // (d, count) P grad F; where wanted
  VectorXd slope_bounds{};            // (count)
  Told pairs{}, energy{};             // the pairs' part of E, and E
};

// Clouds of few atoms, or of more than five coordinates, pair by pair as Terrain has it, with the
// bound of rounding. Large ones by the certified sums of the moments engine: through harmonics,
// transforms, cells or pairs, whichever costs least by measured rates.
class CloudSums {
 public:
  // Below it a search has its clouds, on threads of its own, and pairs cost as little.
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
