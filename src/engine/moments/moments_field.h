// moments_field.h: the field of the moments engine: heads by sums with bounds, and perceptrons.
#pragma once

#include <memory>

#include "engine/moments/moments.h"

namespace murmur::moments {

class CircleSums;

// A head whose drift on the circle is one Fourier series (circle_sums.h): query and key the
// identity, beta >= 0, no biases.
bool is_circle_head(const Attention& head, const Dynamics& dynamics, int d);

// The largest that V can make of a unit vector, or a little more.
double size_of(const Matrix& value);

// How far from right an unnormalised head of |V| = 1 can be that is one Fourier series, times
// `scale`, and added to the sum of a particle among so many other forces.
double circle_bound(const CircleSums& sums, int n, double scale, int additions);

// Nanoseconds of one core for one evaluation of a head.
double cost_of(const Attention& head, const Dynamics& dynamics, Shape shape);

std::unique_ptr<Field> make_moments_field(const Dynamics& dynamics, Shape shape,
                                          const MomentsChoice& choice);

}  // namespace murmur::moments
