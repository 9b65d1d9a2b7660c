// parameters.cpp: lists the numbers of a dynamics that have a gradient, by name and address.
#include "core/overloaded.h"
#include "murmur/gradient.h"

namespace murmur {

namespace {

struct Listing {
  std::vector<ParameterSpan>& all;
  int d;

  void number(const std::string& name, double& value) { all.push_back({name, {}, {&value, 1}}); }
  // An empty matrix is the identity, an empty bias zero.
  void matrix(const std::string& name, Matrix& m, int rows, int cols) {
    if (m.empty()) m = scaled_identity(rows, 1);
    all.push_back({name, {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)}, m.data});
  }
  void bias(const std::string& name, Vector& v, int size, double empty = 0) {
    if (v.empty()) v.assign(static_cast<std::size_t>(size), empty);
    all.push_back({name, {v.size()}, v});
  }

  void force(const std::string& at, Attention& a, bool numbers) {
    const int k = !a.query.empty() ? a.query.rows : !a.key.empty() ? a.key.rows : d;
    if (numbers) number(at + "beta", a.beta);
    matrix(at + "query", a.query, k, d);
    matrix(at + "key", a.key, k, d);
    matrix(at + "value", a.value, d, d);
    bias(at + "query_bias", a.query_bias, k);
    bias(at + "key_bias", a.key_bias, k);
    bias(at + "value_bias", a.value_bias, d);
    if (numbers && a.mask == Attention::causal) number(at + "alibi", a.alibi);
  }
  void force(const std::string& at, Perceptron& p, bool) {
    const int h = p.in.rows;
    matrix(at + "in", p.in, h, d);
    bias(at + "in_bias", p.in_bias, h);
    matrix(at + "out", p.out, d, h);
    bias(at + "out_bias", p.out_bias, d);
  }
  void force(const std::string& at, ManyHeads& heads, bool numbers) {
    if (!numbers) return;
    number(at + "beta", heads.beta);
    number(at + "value", heads.value);
  }
};

}  // namespace

std::vector<ParameterSpan> parameter_spans(Dynamics& dynamics, int d) {
  std::vector<ParameterSpan> all;
  Listing listing{all, d};
  for (std::size_t s = 0; s < dynamics.sublayers.size(); ++s)
    for (const bool end : {false, true}) {
      Sublayer& sublayer = dynamics.sublayers[s];
      std::vector<Force>& forces = end ? sublayer.forces_end : sublayer.forces;
      for (std::size_t f = 0; f < forces.size(); ++f) {
        const std::string at = "sublayers." + std::to_string(s) +
                               (end ? ".forces_end." : ".forces.") + std::to_string(f) + ".";
        std::visit([&](auto& force) { listing.force(at, force, !end); }, forces[f]);
      }
    }
  const bool gains = !dynamics.gain.empty() || !dynamics.gain_end.empty();
  if (gains) listing.bias("gain", dynamics.gain, d, 1);
  if (!dynamics.gain_end.empty()) listing.bias("gain_end", dynamics.gain_end, d);
  if (row_of(dynamics.normalisation).argument == LayerNormRow::speed)
    listing.number("speed", dynamics.speed);
  listing.number("noise", dynamics.noise);
  return all;
}

}  // namespace murmur
