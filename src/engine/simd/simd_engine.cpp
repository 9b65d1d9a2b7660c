// simd_engine.cpp: the engine of vector kernels, written once over Highway and chosen at run time.
#include <algorithm>
#include <variant>

#include "core/host_field.h"
#include "core/overloaded.h"
#include "core/parallel.h"
#include "engine/simd/pair_adjoint.h"
#include "engine/simd/pair_forces.h"
#include "engine/simd/probes.h"

namespace murmur {

namespace {

using simd::Head;
using simd::Layer;
using simd::NarrowHeads;

class SimdField final : public HostField {
 public:
  SimdField(const Dynamics& dynamics, Shape shape, EngineChoice choice)
      : HostField(dynamics, shape),
        threads_(choice.threads),
        pair_forces_(choice.precision, choice.threads),
        pair_adjoint_(simd::make_pair_adjoint(choice.threads)) {
    for (const Sublayer& sublayer : dynamics_.sublayers)
      prepared_.push_back(sublayer.forces_end.empty() ? prepare(sublayer.forces, shape.d)
                                                      : Prepared{});
  }
  PairAdjoint* pair_adjoint() override { return pair_adjoint_.get(); }

 private:
  using Prepared = std::vector<std::variant<Head, NarrowHeads, Layer>>;

  Prepared prepare(const std::vector<Force>& forces, int d) const {
    Prepared all;
    std::vector<Attention> heads;
    std::vector<Layer> layers;
    for (const Force& force : forces)
      std::visit(Overloaded{[&](const Attention& head) { heads.push_back(head); },
                            [&](const Perceptron& p) { layers.push_back(simd::prepare_layer(p)); },
                            [](const ManyHeads&) {}},  // refused by `unsupported_reason`
                 force);
    std::vector<Attention> narrow;
    for (const Attention& head : simd::merge_equal_heads(heads, d)) {
      if (simd::is_narrow(head, d))
        narrow.push_back(head);
      else
        all.push_back(simd::fold(head, dynamics_.clock, d));
    }
    if (!narrow.empty()) all.push_back(simd::fold_narrow(narrow, dynamics_.clock, d));
    all.insert(all.end(), layers.begin(), layers.end());
    return all;
  }

  // Matrices that change are prepared once per evaluation, which costs less than its pairs.
  const Prepared& prepared_at(const Ask& ask, int d) {
    const Sublayer& sublayer = dynamics_.sublayers[ask.sublayer];
    if (!sublayer.forces_end.empty())
      prepared_[ask.sublayer] = prepare(forces_at(sublayer, ask.t), d);
    return prepared_[ask.sublayer];
  }

  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    for (const auto& force : prepared_at(ask, x.d()))
      std::visit(Overloaded{[&](const Layer& layer) { add_perceptron(layer, x, a); },
                            [&](const auto& heads) { pair_forces_.add(heads, x, a); }},
                 force);
  }

  // A small swarm is gathered by every rank. Then the bits of a row do not depend on the ranks, and
  // all ranks choose the same kernel, because they choose it for the whole swarm. The blocks of a
  // large swarm are passed around a ring, each while the next is being sent.
  void add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a) override {
    const Prepared& forces = prepared_at(ask, x.d());
    const bool ring = share.all() >= kFewestInRing &&
                      std::all_of(forces.begin(), forces.end(), can_sum_by_blocks);
    const HostSwarm* all = ring ? nullptr : &share.everybody(x);
    if (!ring) pair_forces_.select_rows(share.first(), x.n());
    const auto add = [&](const auto& heads) {
      share.alone([&] { pair_forces_.add(heads, *all, a); });
    };
    for (const auto& force : forces)
      std::visit(
          Overloaded{[&](const Layer& layer) { add_perceptron(layer, x, a); },
                     [&](const Head& head) { ring ? add_by_blocks(head, share, x, a) : add(head); },
                     [&](const NarrowHeads& heads) { add(heads); }},
          force);
  }

  static constexpr int kFewestInRing = 1 << 16;

  static bool can_sum_by_blocks(const std::variant<Head, NarrowHeads, Layer>& force) {
    const Head* head = std::get_if<Head>(&force);
    return head != nullptr ? simd::PairForces::can_sum_by_blocks(*head)
                           : std::holds_alternative<Layer>(force);
  }

  void add_by_blocks(const Head& head, Share& share, const HostSwarm& x, HostSwarm& a) {
    double largest_mass = 0;
    for (const double mass : x.mass) largest_mass = std::max(largest_mass, mass);
    share.ranks().largest({&largest_mass, 1});
    pair_forces_.begin_blocks(head, x, largest_mass);
    simd::pass_blocks_around(share, x, [&](const HostSwarm& block) {
      share.alone([&] { pair_forces_.add_block(head, x, block); });
    });
    pair_forces_.finish_blocks(head, x, a);
  }

  void add_perceptron(const Layer& layer, const HostSwarm& x, HostSwarm& a) const {
    const double multiplications = 2.0 * x.n() * x.d() * layer.in.matrix.rows;
    const int threads = worthwhile_threads(multiplications, threads_);
    for_blocks((x.n() + simd::kBlock - 1) / simd::kBlock, threads, [&](int block) {
      perceptron_block(layer, {x.axis(0), x.stride()}, {a.axis(0), a.stride(), a.n()}, block);
    });
  }

  int threads_;
  std::vector<Prepared> prepared_{};  // by sublayer; of one that changes, for the last time asked
  simd::PairForces pair_forces_;
  std::unique_ptr<PairAdjoint> pair_adjoint_;
};

class SimdEngine final : public HostEngine {
 public:
  explicit SimdEngine(EngineChoice choice) : choice_(std::move(choice)) {}

  std::string name() const override {
    const bool single = choice_.precision == Precision::f32;
    return std::string("simd ") + (single ? "f32 " : "f64 ") + simd::target_name();
  }

  // When shared, each row is summed on its own, without the symmetric kernel.
  bool same_when_shared() const override { return false; }

  std::optional<Unsupported> unsupported_reason(const Dynamics& dynamics, Shape) const override {
    if (by_kind(dynamics).others)
      return Unsupported{"the simd engine has no kernel for the limit of many heads",
                         "use engine=reference or engine=auto"};
    for (const Sublayer& sublayer : dynamics.sublayers)
      for (const Force& force : sublayer.forces)
        if (const auto why = std::visit(
                Overloaded{[](const Attention& a) { return simd::unsupported_attention(a); },
                           [](const Perceptron&) -> const char* { return nullptr; },
                           [](const ManyHeads&) -> const char* { return nullptr; }},
                force))
          return Unsupported{
              std::string("the simd engine has no kernel for attention ") + why,
              "use engine=reference or engine=auto: hard, sinkhorn, alibi and rescaled "
              "attention are computed there"};
    return std::nullopt;
  }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<SimdField>(dynamics, shape, choice_);
  }

  EngineChoice choice_;
};

}  // namespace

std::unique_ptr<Engine> make_simd_engine(Precision precision, int threads) {
  return std::make_unique<SimdEngine>(EngineChoice{"simd", precision, threads});
}

}  // namespace murmur
