// simd_engine.cpp: the engine of vector kernels: one text over Highway, chosen at run time.
#include <variant>

#include "core/host_field.h"
#include "core/parallel.h"
#include "engine/simd/pair_forces.h"
#include "engine/simd/target.h"
#include "murmur/error.h"

namespace murmur {

namespace {

using simd::Head;
using simd::Layer;

class SimdField final : public HostField {
 public:
  SimdField(const Dynamics& dynamics, Shape shape, EngineChoice choice)
      : HostField(dynamics, shape),
        threads_(choice.threads),
        pair_forces_(choice.precision, choice.threads) {
    for (const Sublayer& sublayer : dynamics_.sublayers) {
      auto& forces = ready_.emplace_back();
      for (const Force& force : sublayer.forces)
        if (const auto* attention = std::get_if<Attention>(&force))
          forces.push_back(simd::fold(*attention, dynamics_.clock, shape.d));
        else
          forces.push_back(simd::layer(std::get<Perceptron>(force)));
    }
  }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    for (const auto& force : ready_[ask.sublayer])
      if (const auto* head = std::get_if<Head>(&force))
        pair_forces_.add(*head, x, a);
      else
        add_perceptron(std::get<Layer>(force), x, a);
  }

  void add_perceptron(const Layer& layer, const HostSwarm& x, HostSwarm& a) const {
    for_blocks((x.n() + simd::kBlock - 1) / simd::kBlock, threads_, [&](int block) {
      perceptron_block(layer, {x.axis(0), x.stride()}, {a.axis(0), a.stride(), a.n()}, block);
    });
  }

  int threads_;
  std::vector<std::vector<std::variant<Head, Layer>>> ready_;  // by phase
  simd::PairForces pair_forces_;
};

class SimdEngine final : public HostEngine {
 public:
  explicit SimdEngine(EngineChoice choice) : choice_(std::move(choice)) {}

  std::string name() const override {
    const bool single = choice_.precision == Precision::f32;
    return std::string("simd ") + (single ? "f32 " : "f64 ") + simd::target_name();
  }

  std::unique_ptr<Field> prepare(const Dynamics& dynamics, Shape shape) override {
    if (!simd_knows(dynamics))
      throw Error(Fault::input, "the simd engine has no kernel for this dynamics", "engine = simd",
                  "use engine=reference");
    return std::make_unique<SimdField>(dynamics, shape, choice_);
  }

 private:
  EngineChoice choice_;
};

}  // namespace

bool simd_knows(const Dynamics& dynamics) {
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const auto* a = std::get_if<Attention>(&force))
        if ((a->weighting != Attention::softmax && a->weighting != Attention::unnormalised) ||
            a->alibi != 0 || a->rescaled)
          return false;
  return true;
}

std::unique_ptr<Engine> make_simd_engine(Precision precision, int threads) {
  return std::make_unique<SimdEngine>(EngineChoice{"simd", precision, threads});
}

}  // namespace murmur
