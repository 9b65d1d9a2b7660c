// reference_engine.cpp: the definition of right: plain loops in double, in the order of the
// formulas.
#include <algorithm>
#include <string_view>
#include <vector>

#include "core/elementary.h"
#include "core/host_field.h"
#include "core/many_heads.h"
#include "core/overloaded.h"
#include "core/perceptron_at.h"
#include "engine/reference/attention.h"
#include "engine/reference/attention_adjoint.h"
#include "murmur/external.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

bool is_multiple_of_identity(const Matrix& m) {
  return m.empty() || m == scaled_identity(m.rows, m(0, 0));
}

//   A_i = W_out s(W_in x_i + b_in) + b_out
void add_perceptron(const Perceptron& p, const HostSwarm& x, HostSwarm& out) {
  const std::vector<double> z = reference::affine(p.in, p.in_bias, x);  // (n, h)
  const int h = p.in.rows;
  std::vector<double> active(h);
  for (int i = 0; i < x.n(); ++i) {
    stop_point();
    for (int m = 0; m < h; ++m)
      active[m] = activate(p.activation, z[static_cast<std::size_t>(i) * h + m]);
    for (int c = 0; c < x.d(); ++c) {
      double sum = 0;
      for (int m = 0; m < h; ++m) sum += p.out(c, m) * active[m];
      out.at(i, c) += p.out_bias.empty() ? sum : sum + p.out_bias[c];
    }
  }
}

//   A_i = g sum_j m_j (p(c_ij) x_j + q(c_ij) x_i),   c_ij = <x_i, x_j>;   g = 1, or e^{-beta}, beta
// in clocks u2 and u3
void add_many_heads(const ManyHeads& heads, Clock clock, const HostSwarm& x, HostSwarm& out) {
  const ClockKernel kernel = kernel_of(clock);
  const double scale = (kernel.over_max ? elementary::exp(-heads.beta) : 1.0) *
                       (kernel.times_beta ? heads.beta : 1.0);
  std::vector<double> sum(x.d());
  for (int i = 0; i < x.n(); ++i) {
    stop_point();
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int j = 0; j < x.n(); ++j) {
      double c = 0;
      for (int k = 0; k < x.d(); ++k) c += x.at(i, k) * x.at(j, k);
      const Pull pull = pull_at(heads, x.d(), c);
      for (int k = 0; k < x.d(); ++k)
        sum[k] += x.mass[j] * (pull.to_other * x.at(j, k) + pull.to_self * x.at(i, k));
    }
    for (int k = 0; k < x.d(); ++k) out.at(i, k) += scale * sum[k];
  }
}

void make_tangential(std::vector<Force>& forces) {
  for (Force& force : forces)
    std::visit(Overloaded{[](Attention& a) {
                            a.relative = a.relative || is_multiple_of_identity(a.value);
                          },
                          [](Perceptron&) {}, [](ManyHeads&) {}},
               force);
}

class ReferenceField final : public HostField {
 public:
  ReferenceField(const Dynamics& dynamics, Shape shape, const std::vector<ExternalForce>& external)
      : HostField(dynamics, shape), external_(external), tangential_(dynamics.sublayers) {
    for (Sublayer& sublayer : tangential_) make_tangential(sublayer.forces);
  }
  // Functions of the caller have no derivative that is known here.
  PairAdjoint* pair_adjoint() override { return external_.empty() ? pair_adjoint_.get() : nullptr; }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& out) override {
    add_described(ask, x, out);
    if (ask.sublayer + 1 == sublayers())
      for (const ExternalForce& force : external_) force.add(ask.t, x, out);
  }

  void add_described(const Ask& ask, const HostSwarm& x, HostSwarm& out) const {
    const Sublayer& sublayer = dynamics_.sublayers[ask.sublayer];
    if (sublayer.forces_end.empty())
      return add_all(ask, (ask.tangential ? tangential_[ask.sublayer] : sublayer).forces, x, out);
    std::vector<Force> now = forces_at(sublayer, ask.t);
    if (ask.tangential) make_tangential(now);
    add_all(ask, now, x, out);
  }

  void add_all(const Ask& ask, const std::vector<Force>& forces, const HostSwarm& x,
               HostSwarm& out) const {
    for (const Force& force : forces)
      std::visit(Overloaded{[&](const Attention& a) {
                              reference::add_attention(a, {ask.t, dynamics_.clock}, x, out);
                            },
                            [&](const Perceptron& p) { add_perceptron(p, x, out); },
                            [&](const ManyHeads& heads) {
                              add_many_heads(heads, dynamics_.clock, x, out);
                            }},
                 force);
  }

  const std::vector<ExternalForce> external_;
  std::vector<Sublayer> tangential_;  // the same forces along the sphere, with less rounding
  std::unique_ptr<PairAdjoint> pair_adjoint_ = reference::make_pair_adjoint();
};

constexpr std::string_view kWith = " with ";

std::string name_with(const std::vector<std::string>& forces) {
  std::string name = "reference";
  for (std::size_t k = 0; k < forces.size(); ++k)
    name += (k == 0 ? std::string(kWith) : ",") + forces[k];
  return name;
}

class ReferenceEngine final : public HostEngine {
 public:
  explicit ReferenceEngine(std::vector<ExternalForce> external) : external_(std::move(external)) {}
  // A run says in its manifest which functions moved it.
  std::string name() const override {
    std::vector<std::string> names;
    for (const ExternalForce& force : external_) names.push_back(force.name);
    return name_with(names);
  }
  // The definition of right knows everything that a Dynamics can say.
  std::optional<Unknown> knows(const Dynamics&, Shape) const override { return std::nullopt; }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<ReferenceField>(dynamics, shape, external_);
  }

  const std::vector<ExternalForce> external_;
};

}  // namespace

std::vector<std::string> external_of_engine(const std::string& engine) {
  const std::size_t with = engine.find(kWith);
  if (with == std::string::npos || engine.substr(0, with) != "reference") return {};
  std::vector<std::string> names(1);
  for (const char c : engine.substr(with + kWith.size()))
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

std::unique_ptr<Engine> make_reference_engine() { return make_reference_engine({}); }

std::unique_ptr<Engine> make_reference_engine(std::vector<ExternalForce> forces) {
  return std::make_unique<ReferenceEngine>(std::move(forces));
}

}  // namespace murmur
