// estimate.cpp: what a sweep would cost, counted cell by cell before anything is simulated.
#include <map>
#include <optional>
#include <vector>

#include "experiment/given_model.h"
#include "experiment/rows.h"
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

// The specs of the cells of a grid, one after another: a parameter is read anew only where its
// value changes, so that a million cells are counted at once.
class CellSpecs {
 public:
  explicit CellSpecs(const Sweep& sweep)
      : sweep_(sweep), cell_(sweep.base), index_(sweep.axes.size(), kUnread) {
    for (const Axis& axis : sweep.axes) rows_.push_back(&experiment_row(axis.name));
  }

  // Of cell k with what its model says; nothing where a value is none that its parameter takes.
  std::optional<ExperimentSpec> operator()(std::int64_t k) try {
    for (std::size_t a = index_.size(); a-- > 0;) {
      const auto count = static_cast<std::int64_t>(sweep_.axes[a].values.size());
      set(a, static_cast<std::size_t>(k % count));
      k /= count;
    }
    const std::string& name = setting(cell_.words, "model").text;
    auto found = models_.find(name);
    if (found == models_.end()) found = models_.emplace(name, given_model(cell_)).first;
    return found->second ? with_model(cell_, *found->second).spec : cell_.spec;
  } catch (const Error&) {
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kUnread = static_cast<std::size_t>(-1);

  void set(std::size_t a, std::size_t index) {
    if (index_[a] == index) return;
    index_[a] = kUnread;  // also where it is refused below
    const Axis& axis = sweep_.axes[a];
    cell_.words[axis.name].text = axis.values[index];
    if (axis.numeric)
      rows_[a]->accept(cell_.words, axis.name, axis.numbers[index], cell_.spec);
    else
      rows_[a]->read(cell_.words, axis.name, cell_.spec);
    index_[a] = index;
  }

  const Sweep& sweep_;
  WordedSpec cell_;
  std::vector<std::size_t> index_;  // of the value that was read, one an axis
  std::vector<const Row<ExperimentSpec>*> rows_{};
  std::map<std::string, std::optional<GivenModel>> models_{};
};

}  // namespace

SweepEstimate estimate(const Sweep& sweep) {
  SweepEstimate all{.cells = sweep.grid()};
  const auto replicas = static_cast<double>(sweep.replicas);
  all.simulations = static_cast<double>(all.cells) * replicas;
  all.table_bytes = static_cast<double>(all.cells) * sweep.times * kBytesARow;
  CellSpecs specs(sweep);
  for (std::int64_t k = 0; k < all.cells; ++k) {
    const std::optional<ExperimentSpec> cell = specs(k);
    if (!cell) continue;  // a cell without a model or a step costs nothing
    const double pairs = cost_of(*cell) * replicas;
    if (const std::optional<double> rate = evaluation_rate(*cell))
      all.pairs += pairs * *rate;
    else
      all.pairs_per_moment += pairs;
  }
  return all;
}

}  // namespace murmur
