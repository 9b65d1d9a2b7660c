// dynamics.cpp: refuses dynamics whose shapes do not fit the particles.
#include "murmur/dynamics.h"

#include <string>

#include "murmur/error.h"

namespace murmur {

namespace {

std::string shape_text(int rows, int cols) {
  return "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
}

void require(bool good, const std::string& what, const std::string& remedy) {
  if (!good) throw Error(Fault::input, what, "in the dynamics", remedy);
}

void check_bias(const char* name, const Vector& bias, int length) {
  require(bias.empty() || static_cast<int>(bias.size()) == length,
          std::string(name) + " has " + std::to_string(bias.size()) + " entries, " +
              std::to_string(length) + " are needed",
          "give a vector of that length, or none");
}

void check_matrix(const char* name, const Matrix& m, int rows, int cols) {
  require(m.rows == rows && m.cols == cols,
          std::string(name) + " has shape " + shape_text(m.rows, m.cols) + ", " +
              shape_text(rows, cols) + " is needed",
          "give a matrix of that shape, or change d");
}

void check_force(const Attention& a, int d) {
  const int k_query = a.query.empty() ? d : a.query.rows;
  const int k_key = a.key.empty() ? d : a.key.rows;
  if (!a.query.empty()) check_matrix("query", a.query, k_query, d);
  if (!a.key.empty()) check_matrix("key", a.key, k_key, d);
  require(k_query == k_key,
          "query has " + std::to_string(k_query) + " rows and key has " + std::to_string(k_key),
          "queries and keys are compared: give both the same number of rows");
  if (!a.value.empty()) check_matrix("value", a.value, d, d);
  check_bias("query_bias", a.query_bias, k_query);
  check_bias("key_bias", a.key_bias, k_key);
  check_bias("value_bias", a.value_bias, d);
}

void check_force(const Perceptron& p, int d) {
  check_matrix("perceptron in", p.in, p.in.rows, d);
  check_matrix("perceptron out", p.out, d, p.in.rows);
  check_bias("perceptron in_bias", p.in_bias, p.in.rows);
  check_bias("perceptron out_bias", p.out_bias, d);
}

}  // namespace

void check(const Dynamics& dynamics, int d) {
  require(!dynamics.phases.empty(), "the dynamics has no phase", "give at least one force");
  for (const Phase& phase : dynamics.phases)
    for (const Force& force : phase.forces)
      std::visit([d](const auto& f) { check_force(f, d); }, force);
  if (dynamics.clock == Clock::u1) return;
  double beta = 0;
  for (const Phase& phase : dynamics.phases)
    for (const Force& force : phase.forces)
      if (const auto* a = std::get_if<Attention>(&force)) {
        require(a->scale == Attention::plain, "clocks U2 to U4 are those of USA",
                "use dynamics=USA, or clock=U1");
        beta = a->beta;
      }
  require(dynamics.clock != Clock::u4 || (beta > 1 && dynamics.phases.size() == 1),
          "the arc-length clock U4 runs at ln(beta)",
          "use beta > 1 and one phase, or another clock");
}

}  // namespace murmur
