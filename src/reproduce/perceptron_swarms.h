// perceptron_swarms.h: swarms with random perceptrons on the circle and the sphere, as energies and
// as simulations.
#pragma once

#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/landscape.h"
#include "reproduce/rules.h"

namespace murmur {

// A swarm of a preset with perceptron=gradient:M, and what is changed of the preset.
struct PerceptronCase {
  std::string preset{};
  int d = 2;
  int seed = 0;  // of the units and of the start
  Perceptron::Activation activation = Perceptron::relu;
  Landscape::Kernel kernel = Landscape::scaled;
  double beta = 5;
  Landscape::Direction direction = Landscape::descent;
};
// The case under a wrong model, with which our side is computed.
PerceptronCase with_wrong_model(PerceptronCase one, const WrongModel& wrong);

Landscape landscape_of(const PerceptronCase& one);
Atoms atoms_of(const HostSwarm& swarm);  // of mass 1/n each
Atoms start_of(const PerceptronCase& one,
               int n);  // n tokens of mass 1/n where the preset puts them

// A simulation by the engine, with the energy of every frame by landscape.h.
inline constexpr double kGained =
    1e-6;  // least `gained`: a thousand times the tolerance of a reversal
struct EnergyCurve {
  std::vector<double> times{}, energies{};
  int reversals = 0;  // frames at which it turns back by more than 1e-9 of energy_scale
  double gained = 0;  // from start to end the right way, over energy_scale
  Atoms end{};
};
EnergyCurve simulate_case(const PerceptronCase& one, const WrongModel& wrong = {});

// The gradient flow until nothing moves, every slope below 1e-8 of energy_scale, or steps or time
// are spent. Tokens closer than 1e-6 become one on the way.
struct Rest {
  Atoms mu{};
  double gradient = 0;  // the largest slope, over energy_scale
  bool reached = false;
};
struct RestLimits {
  int steps = 0;
  double time = 1e300;
};
Rest rest_of(const Landscape& landscape, const Atoms& start, const RestLimits& limits);

std::vector<double> angles_of(const Atoms& mu);  // (count) increasing, in (-pi, pi]
std::string name_of(Perceptron::Activation activation);
std::string name_of(Landscape::Kernel kernel);

}  // namespace murmur
