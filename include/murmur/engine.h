// engine.h: the interface between a Dynamics and the machine that computes it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"

namespace murmur {

struct Tolerance {
  double rtol = 1e-8, atol = 1e-10;
};

struct Term {  // one term scale * along of a step
  double scale;
  const Swarm* along;
};

// A Dynamics made ready on one engine for one shape of swarm; owns all scratch.
// n may shrink after `prepare` (merging), never grow.
class Field {
 public:
  virtual ~Field() = default;
  virtual int sublayers() const = 0;
  virtual bool active(double, int) const { return true; }  // whether a sublayer acts at time t
  // A(t, x) of one sublayer before projection: what the method `layers` adds.
  virtual void drift(double t, int sublayer, const Swarm& x, Swarm& a) = 0;
  // The sum of all sublayers, projected onto the manifold's tangent space at x.
  virtual void velocity(double t, const Swarm& x, Swarm& v) = 0;
  // y = retraction of x + sum of terms; y may be x. Masses are copied.
  virtual void retract(const Swarm& x, std::span<const Term> terms, Swarm& y) = 0;
  // sqrt( mean_i ( |a_i - b_i| / (atol + rtol max(|a_i|, |b_i|)) )^2 ): below 1 is good enough.
  virtual double error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "reference", "simd f32 (AVX3)", ...
  virtual std::unique_ptr<Field> prepare(const Dynamics& dynamics, Shape shape) = 0;
  virtual std::unique_ptr<Swarm> place(const HostSwarm& x) = 0;
  virtual HostSwarm fetch(const Swarm& x) = 0;
};

enum class Precision { f32, f64 };

struct EngineChoice {
  std::string name = "auto";             // auto, reference, simd, moments
  Precision precision = Precision::f64;  // of the pair sums; positions are double everywhere
  int threads = 0;                       // 0: all cores
};

std::unique_ptr<Engine> make_reference_engine();
std::unique_ptr<Engine> make_simd_engine(Precision precision, int threads);

// Whether the vector kernels compute every force: softmax and unnormalised attention, neither with
// alibi nor rescaled, and perceptrons.
bool simd_knows(const Dynamics& dynamics);

// auto takes `reference` up to n^2 d = 32,768 for double precision and for what simd does not know,
// `simd` above; `moments` (moments.h) for 4096 particles or more in double precision that attend by
// softmax with beta up to 100, where it knows the dynamics. Error(input) where the engine asked for
// does not know it, or not in this precision.
std::string resolve_engine(const EngineChoice& choice, Shape shape, const Dynamics& dynamics = {});
std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape,
                                    const Dynamics& dynamics = {});

}  // namespace murmur
