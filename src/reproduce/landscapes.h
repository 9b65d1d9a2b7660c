// landscapes.h: swarms on the circle beside random units, as energies and as flights.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/landscape.h"

namespace murmur {

// What is laid over a preset with perceptron=gradient:M, d = 2.
struct Beside {
  std::string preset{};
  int seed = 0;  // of the units and of the start
  Perceptron::Activation activation = Perceptron::relu;
  Landscape::Kernel kernel = Landscape::scaled;
  double beta = 5;
  Landscape::Direction direction = Landscape::descent;
};

Landscape landscape_of(const Beside& beside);
Atoms start_of(const Beside& beside, int n);  // n tokens of mass 1/n where the preset puts them

// The tokens fly by the engine, and landscape.h reads their energy off every frame.
struct EnergyCourse {
  std::vector<double> times{}, energies{};
  int reversals = 0;  // frames at which it turned back by more than 1e-9 of energy_scale
  Atoms end{};
};
EnergyCourse fly_beside(const Beside& beside);

std::vector<double> angles_of(const Atoms& mu);  // (count) increasing, in (-pi, pi]
std::string name_of(Perceptron::Activation activation);
std::string name_of(Landscape::Kernel kernel);

}  // namespace murmur
