// reproductions.h: the functions behind the names of the table of reproductions.
#pragma once

#include "murmur/reproduce.h"

namespace murmur {

// Of some seeds' numbers; sd is the sample's, NaN for one number.
struct Spread {
  double mean = 0, sd = kNoNumber, low = 0, high = 0;
};
Spread spread_of(const std::vector<double>& values);

std::optional<Reproduction> swarm_table(const ReproductionControl& control);
std::optional<Reproduction> flock_argument(const ReproductionControl& control);

}  // namespace murmur
