// estimate.cpp: what a sweep would cost, counted cell by cell before anything is simulated.
#include "experiment/given_model.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "sweep/cells.h"

namespace murmur {

namespace {

constexpr double kBytesARow = 100;

// Evaluations in a unit of time; nothing where the method chooses its own steps.
std::optional<double> evaluation_rate(const ExperimentSpec& cell) {
  const MethodRow& method = row_of(cell.method);
  if (method.embedded_order > 0) return std::nullopt;
  return method.stages / cell.dt;
}

// A cell's spec with what its model says; a model is read once.
class Modelled {
 public:
  ExperimentSpec operator()(const WordedSpec& cell) {
    const std::string& name = setting(cell.words, "model").text;
    auto found = models_.find(name);
    if (found == models_.end()) found = models_.emplace(name, given_model(cell)).first;
    return found->second ? with_model(cell, *found->second).spec : cell.spec;
  }

 private:
  std::map<std::string, std::optional<GivenModel>> models_{};
};

}  // namespace

SweepEstimate estimate(const Sweep& sweep) {
  SweepEstimate all{.cells = sweep.grid()};
  const auto replicas = static_cast<double>(sweep.replicas);
  all.simulations = static_cast<double>(all.cells) * replicas;
  all.table_bytes = static_cast<double>(all.cells) * sweep.times * kBytesARow;
  Modelled modelled;
  for (std::int64_t k = 0; k < all.cells; ++k) try {
      const ExperimentSpec cell = modelled(spec_of_cell(sweep, grid_cell(sweep, k)));
      const double pairs = cost_of(cell) * replicas;
      if (const std::optional<double> rate = evaluation_rate(cell))
        all.pairs += pairs * *rate;
      else
        all.pairs_per_moment += pairs;
    } catch (const Error&) {  // a cell without a model or a step costs nothing
    }
  return all;
}

}  // namespace murmur
