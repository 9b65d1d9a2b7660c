// reference_engine.cpp: the definition of right: plain loops in double, in the order of the
// formulas.
#include <vector>

#include "core/host_field.h"
#include "core/overloaded.h"
#include "core/perceptron_at.h"
#include "engine/reference/attention.h"

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
    for (int m = 0; m < h; ++m)
      active[m] = activate(p.activation, z[static_cast<std::size_t>(i) * h + m]);
    for (int c = 0; c < x.d(); ++c) {
      double sum = 0;
      for (int m = 0; m < h; ++m) sum += p.out(c, m) * active[m];
      out.at(i, c) += p.out_bias.empty() ? sum : sum + p.out_bias[c];
    }
  }
}

class ReferenceField final : public HostField {
 public:
  ReferenceField(const Dynamics& dynamics, Shape shape)
      : HostField(dynamics, shape), tangential_(dynamics.sublayers) {
    for (Sublayer& sublayer : tangential_)
      for (Force& force : sublayer.forces)
        std::visit(Overloaded{[](Attention& a) {
                                a.relative = a.relative || is_multiple_of_identity(a.value);
                              },
                              [](Perceptron&) {}},
                   force);
  }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& out) override {
    const std::vector<Sublayer>& sublayers = ask.tangential ? tangential_ : dynamics_.sublayers;
    for (const Force& force : sublayers[ask.sublayer].forces)
      std::visit(Overloaded{[&](const Attention& a) {
                              reference::add_attention(a, {ask.t, dynamics_.clock}, x, out);
                            },
                            [&](const Perceptron& p) { add_perceptron(p, x, out); }},
                 force);
  }

  std::vector<Sublayer> tangential_;  // the same forces along the sphere, with less rounding
};

class ReferenceEngine final : public HostEngine {
 public:
  std::string name() const override { return "reference"; }
  // The definition of right knows everything that a Dynamics can say.
  std::optional<Unknown> knows(const Dynamics&, Shape) const override { return std::nullopt; }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<ReferenceField>(dynamics, shape);
  }
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine() { return std::make_unique<ReferenceEngine>(); }

}  // namespace murmur
