// residual_depth.cpp: residual networks of L layers and their differential equation, with weights
// that are smooth in depth and with weights that are not.
#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"
#include "murmur/random.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"
#include "run/formats.h"

namespace murmur {

namespace {

constexpr const char* kName = figure::residual_depth;
constexpr double kT = 2;           // of the smooth network
constexpr std::size_t kKnots = 5;  // of its weights
constexpr int kTokens = 4;         // that have mass
constexpr int kSide = 13;          // of the grid of starts
constexpr double kReach = 2;       // of the grid, along both axes

// Independent normal numbers of one deviation, about `mean`; `which` selects the array.
Array drawn(std::vector<std::size_t> shape, double deviation, std::uint32_t which,
            const std::vector<double>& mean = {}) {
  std::size_t size = 1;
  for (const std::size_t axis : shape) size *= axis;
  std::vector<double> numbers(size);
  for (std::size_t e = 0; e < size; ++e)
    numbers[e] =
        (mean.empty() ? 0 : mean[e % mean.size()]) +
        deviation * Draw{1, Stream::target, static_cast<std::uint32_t>(e), which}.normal(0);
  Array array = array_of(std::move(numbers));
  array.shape = std::move(shape);
  return array;
}

MatrixChoice in_file(const std::filesystem::path& path, const Array& array) {
  write_npy(path, array);
  return {.kind = MatrixChoice::from_file, .file = path};
}

std::filesystem::path weights_folder(const Reproduction& result) {
  std::filesystem::create_directories(result.folder / "weights");
  return result.folder / "weights";
}

double distance(const HostSwarm& a, const HostSwarm& b) {  // root mean square over particles
  double sum = 0;
  for (int i = 0; i < a.n(); ++i)
    for (int k = 0; k < a.d(); ++k) sum += std::pow(a.at(i, k) - b.at(i, k), 2);
  return std::sqrt(sum / a.n());
}

ExperimentSpec in_the_plane(double T) {
  ExperimentSpec spec = preset_spec(kName);
  spec.n = spec.d = std::nullopt;
  spec.dynamics.interaction = Interaction::euclidean;
  spec.dynamics.beta = 1;
  spec.dynamics.query = spec.dynamics.key = {};
  spec.T = T;
  spec.save = SaveChoice{SaveChoice::final, 0, 0};
  spec.engine = {.name = "reference", .threads = 1};
  return spec;
}

ExperimentSpec as_flow(ExperimentSpec spec) {
  spec.method = Method::dop853;
  spec.tolerance = {1e-12, 1e-13};
  return spec;
}

// Four tokens of mass, then the grid row by row and column by column, without mass.
Matrix tokens_and_grid() {
  Matrix points = zeros(kTokens + 2 * kSide * kSide, 2);
  const double tokens[kTokens][2] = {{1, 0.4}, {-0.7, 1.1}, {-1, -0.6}, {0.5, -1.2}};
  for (int i = 0; i < kTokens; ++i)
    for (int k = 0; k < 2; ++k) points(i, k) = tokens[i][k];
  const auto place = [](int k) { return kReach * (2.0 * k / (kSide - 1) - 1); };
  for (int line = 0; line < kSide; ++line)
    for (int k = 0; k < kSide; ++k) {
      const int row = kTokens + line * kSide + k, column = row + kSide * kSide;
      points(row, 0) = points(column, 1) = place(k);
      points(row, 1) = points(column, 0) = place(line);
    }
  return points;
}

// Attention, then feed-forward; every array linear between its knots.
ExperimentSpec smooth_network(const std::filesystem::path& folder) {
  ExperimentSpec spec = in_the_plane(kT);
  spec.init = InitialPoints{tokens_and_grid()};
  const double angle[] = {0.3, -0.5, 0.4, -0.2};  // the mean of V: a slow rotation inwards
  spec.dynamics.query = in_file(folder / "query.npy", drawn({kKnots, 2, 2}, 0.6, 1));
  spec.dynamics.key = in_file(folder / "key.npy", drawn({kKnots, 2, 2}, 0.6, 2));
  spec.dynamics.value =
      in_file(folder / "value.npy", drawn({kKnots, 2, 2}, 0.3, 3, {angle, angle + 4}));
  write_npy(folder / "perceptron_in.npy", drawn({kKnots, 8, 2}, 0.7, 4));
  write_npy(folder / "perceptron_in_bias.npy", drawn({kKnots, 8}, 0.7, 5));
  write_npy(folder / "perceptron_out.npy", drawn({kKnots, 2, 8}, 0.35, 6));
  spec.dynamics.perceptron = {
      .kind = PerceptronChoice::from_file, .folder = folder, .file = "perceptron_*.npy"};
  spec.dynamics.activation = Perceptron::tanh;
  spec.dynamics.weights_in_time = WeightsInTime::linear;
  return spec;
}

HostSwarm carried(const ExperimentSpec& spec, NullModel null = NullModel::none) {
  Experiment e = make_experiment(spec);
  if (e.swarm.n() > kTokens)
    for (int i = 0; i < e.swarm.n(); ++i) e.swarm.mass[i] = i < kTokens ? 1.0 / kTokens : 0;
  return simulate_in_memory(e, null).last();
}

HostSwarm by_layers(ExperimentSpec spec, Method method, int layers,
                    NullModel null = NullModel::none) {
  spec.method = method;
  spec.dt = spec.T / layers;
  return carried(spec, null);
}

void add_grid(const HostSwarm& x, const char* line_of, const char* dots_of, ColumnTable& table) {
  for (int line = 0; line < 2 * kSide; ++line)
    for (int k = 0; k < kSide; ++k) {
      const int i = kTokens + line * kSide + k;
      if (line_of == nullptr && line >= kSide) return;  // the columns have the same points
      table.rows.push_back({x.at(i, 0), line_of ? x.at(i, 1) : kNoNumber,
                            dots_of ? x.at(i, 1) : kNoNumber,
                            static_cast<double>(line_of ? line : -1)});
    }
}

void draw_flow_map(const HostSwarm& start, const HostSwarm& flow, const HostSwarm& shallow,
                   Reproduction& result) {
  const std::vector<std::string> columns = {"x", "flow", "layers", "line"};
  ColumnTable before{"grid", columns}, after{"flow-map", columns};
  add_grid(start, "flow", nullptr, before);
  add_grid(flow, "flow", nullptr, after);
  add_grid(shallow, nullptr, "layers", after);
  const ColumnCurve lines{"flow", Curve::path, "", 0};
  result.figures.push_back({.name = kName,
                            .table = "grid",
                            .title = "A grid of starts",
                            .x = {.label = "first coordinate x_{1}"},
                            .y = {.label = "second coordinate x_{2}"},
                            .curves = {lines},
                            .apart = "line",
                            .equal_axes = true});
  result.figures.push_back(
      {.name = kName,
       .table = "flow-map",
       .title = "Carried to T: flow and 8 layers",
       .x = {.label = "first coordinate x_{1}"},
       .y = {.label = "second coordinate x_{2}"},
       .curves = {{"flow", Curve::path, "flow", 0}, {"layers", Curve::points, "8 layers", 1}},
       .apart = "line",
       .equal_axes = true});
  result.tables.push_back(std::move(before));
  result.tables.push_back(std::move(after));
}

// The slope between the last two points of a logarithmic plot.
double last_slope(const std::vector<int>& depths, const std::vector<double>& errors) {
  const std::size_t last = depths.size() - 1;
  return std::log(errors[last] / errors[last - 1]) /
         std::log(static_cast<double>(depths[last]) / depths[last - 1]);
}

bool check_smooth(const ReproductionControl& control, Reproduction& result) {
  const ExperimentSpec spec = smooth_network(weights_folder(result));
  const Matrix& points = std::get<InitialPoints>(spec.init).points;
  const HostSwarm start = from_rows({points.rows, 2}, points.data.data());
  const HostSwarm flow = carried(as_flow(spec));
  draw_flow_map(start, flow, by_layers(spec, Method::layers, 8), result);
  std::vector<int> depths;
  for (int layers = 8; layers <= control.values.whole("layers"); layers *= 2)
    depths.push_back(layers);
  const auto count = static_cast<int>(depths.size());
  std::vector<double> layered(depths.size()), midpoint(depths.size());
  for_blocks(count, control.threads, [&](int k) {
    if (control.stopped()) return;
    const WrongModel& wrong = control.wrong;
    const auto off = [&](Method method) {
      return distance(flow, by_layers(spec, wrong.method.value_or(method), depths[k], wrong.null));
    };
    layered[k] = off(Method::layers);
    midpoint[k] = off(Method::strang);
  });
  if (control.stopped()) return false;
  ColumnTable table{"smooth", {"layers", "1 / L", "layered", "1 / L²", "midpoint"}};
  for (int k = 0; k < count; ++k) {
    const double share = static_cast<double>(depths.back()) / depths[k];
    table.rows.push_back({static_cast<double>(depths[k]), layered.back() * share, layered[k],
                          midpoint.back() * share * share, midpoint[k]});
  }
  result.checks.push_back(
      check_near(rule::residual_depth_layers,
                 {"weights smooth in depth: exponent of L in the distance of layers from the flow",
                  -1, last_slope(depths, layered)},
                 0.05));
  result.checks.push_back(
      check_near(rule::residual_depth_midpoint,
                 {"the same by the midpoint rule", -2, last_slope(depths, midpoint)}, 0.1));
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kName,
                            .table = "smooth",
                            .title = "Weights smooth in depth",
                            .x = {.label = "number of layers L", .log = true},
                            .y = {.label = "distance from the flow at T", .log = true},
                            .curves = {{"1 / L", Curve::dashes, "1 / L", 1},
                                       {"layered", Curve::points, "layers", 1},
                                       {"1 / L²", Curve::dashes, "1 / L^{2}", 2},
                                       {"midpoint", Curve::points, "midpoint rule", 2}}});
  return true;
}

// One token that attends to itself: x' = a(t) x with a from a_0 to a_1 in a line.
//   L ln(x_L / x(T)) -> -(T/2) ( int a^2 dt + a_1 - a_0 )
void check_constant(const ReproductionControl& control, Reproduction& result) {
  constexpr double a0 = -1, a1 = 0.5, T = 2;
  const int layers = control.values.whole("constant_layers");
  const double shift = control.wrong.late ? (a1 - a0) / layers : 0;
  ExperimentSpec spec = in_the_plane(T);
  spec.init = InitialPoints{{1, 2, {1, 1}}};
  Array value = array_of(std::vector<double>{a0 + shift, 0, 0, 0, a1 + shift, 0, 0, 0});
  value.shape = {2, 2, 2};
  spec.dynamics.value = in_file(weights_folder(result) / "line.npy", value);
  spec.dynamics.weights_in_time = WeightsInTime::linear;
  const double x = by_layers(spec, Method::layers, layers, control.wrong.null).at(0, 0);
  const double integral = T * (a0 + a1) / 2, square = T * (a0 * a0 + a0 * a1 + a1 * a1) / 3;
  const double predicted = -T / 2 * (square + a1 - a0);
  result.checks.push_back(
      check_near_share(rule::residual_depth_constant,
                       {fmt::format("x' = a(t) x: L ln(x_L / x(T)) at L = {}", layers), predicted,
                        layers * (std::log(x) - integral)},
                       0.01));
}

// Independent value matrices in every layer, about a mean.
struct Independent {
  const char* rule;
  const char* name;
  bool diffusive;  // steps of sqrt(T / L) about the mean 0, instead of T / L
  double exponent, tolerance;
};

struct Network {
  int layers;
  std::uint32_t replica;
  std::filesystem::path folder;  // of its weights
};

double distance_from_mean(const Independent& kind, const Network& network,
                          const WrongModel& wrong) {
  const auto& [layers, replica, folder] = network;
  const std::vector<double> mean =
      kind.diffusive ? std::vector<double>(4) : std::vector<double>{-0.5, -1, 1, -0.5};
  const double h = kind.diffusive ? std::sqrt(1.0 / layers) : 1.0 / layers;
  ExperimentSpec spec = in_the_plane(h * layers);
  spec.init = InitialPoints{{4, 2, {1, 0.4, -0.7, 1.1, -1, -0.6, 0.5, -1.2}}};
  const auto count = static_cast<std::size_t>(layers);
  Array value =
      drawn({count, 2, 2}, 0.3, 100 + 4096 * replica + static_cast<std::uint32_t>(layers), mean);
  if (wrong.frozen) {
    auto& numbers = std::get<std::vector<double>>(value.values);
    for (std::size_t e = 4; e < numbers.size(); ++e) numbers[e] = numbers[e % 4];
  }
  spec.dynamics.value = in_file(folder / fmt::format("value-{}-{}.npy", layers, replica), value);
  ExperimentSpec of_mean = spec;
  of_mean.dynamics.value = {MatrixChoice::given, {2, 2, mean}};
  spec.dynamics.weights_in_time = WeightsInTime::piecewise;
  const double off =
      distance(by_layers(spec, Method::layers, layers, wrong.null), carried(as_flow(of_mean)));
  std::filesystem::remove(spec.dynamics.value.file);
  return off;
}

bool check_independent(const ReproductionControl& control, Reproduction& result) {
  constexpr Independent kinds[] = {
      {rule::residual_depth_independent, "steps of T/L", false, -0.5, 0.1},
      {rule::residual_depth_diffusive, "steps of √(T/L)", true, 0, 0.15}};
  const int replicas = control.values.whole("replicas");
  const std::filesystem::path folder = weights_folder(result);
  ColumnTable table{"independent", {"layers", "told", "distance", "error", "steps"}};
  for (const Independent& kind : kinds) {
    std::vector<double> x, y;
    const std::size_t first = table.rows.size();
    for (int layers = 16; layers <= control.values.whole("layers"); layers *= 4) {
      std::vector<double> square(replicas);
      for_blocks(replicas, control.threads, [&](int r) {
        if (control.stopped()) return;
        const Network network{layers, static_cast<std::uint32_t>(r), folder};
        square[r] = std::pow(distance_from_mean(kind, network, control.wrong), 2);
      });
      if (control.stopped()) return false;
      const Spread spread = spread_of(square);
      const double off = std::sqrt(spread.mean);
      x.push_back(std::log(layers));
      y.push_back(std::log(off));
      table.rows.push_back(
          {static_cast<double>(layers), 0.0, off, spread.error() / (2 * off), kind.name});
    }
    const Line line = fit_line(x, y);
    double level = 0;
    for (std::size_t k = 0; k < x.size(); ++k)
      level += (y[k] - kind.exponent * x[k]) / static_cast<double>(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      table.rows[first + k][1] = std::exp(level + kind.exponent * x[k]);
    result.checks.push_back(
        check_near(kind.rule,
                   {fmt::format("each layer with weights of its own, {}: exponent of L", kind.name),
                    kind.exponent, line.slope},
                   kind.tolerance));
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = kName,
       .table = "independent",
       .title = "Each layer with weights of its own",
       .x = {.label = "number of layers L", .log = true},
       .y = {.label = "distance from the flow of the mean", .log = true},
       .curves = {{"told", Curve::dashes, "L^{−1/2}, and constant"},
                  {"distance", Curve::points, "layers", Curve::kByPlace, "error"}},
       .by = "steps"});
  return true;
}

// One start under one repeated layer, under different layers, and under the flow with weights
// linear between these.
void compare_shared_and_free(Reproduction& result) {
  constexpr std::size_t kLayers = 24, d = 8;
  const double deviation = 1 / std::sqrt(static_cast<double>(d));
  ExperimentSpec spec = preset_spec(kName);
  const auto mean_cosines = [&](std::size_t layers, WeightsInTime in_time, Method method) {
    ExperimentSpec one = spec;
    const auto file = [&](const char* name, std::uint32_t which, double mean) {
      std::vector<double> identity(d * d);
      for (std::size_t k = 0; k < d; ++k) identity[k * (d + 1)] = mean;
      return in_file(weights_folder(result) / fmt::format("{}-{}.npy", name, layers),
                     drawn({layers, d, d}, deviation, which, identity));
    };
    one.dynamics.query = file("query", 11, 0);
    one.dynamics.key = file("key", 12, 0);
    one.dynamics.value = file("value", 13, 0.5);
    one.dynamics.weights_in_time = in_time;
    one.method = method;
    const Experiment e = make_experiment(one);
    const Simulated simulated = simulate_in_memory(e);
    const std::size_t column = observable_column(e.dynamics, "mean_cos");
    std::vector<double> cosines;
    for (std::size_t f = 0; f < simulated.frames.size(); ++f)
      cosines.push_back(observe(simulated.frames[f], e.dynamics,
                                observe_settings(e, simulated.times[f]))[column]);
    return cosines;
  };
  const auto shared = mean_cosines(1, WeightsInTime::piecewise, Method::layers);
  const auto free = mean_cosines(kLayers, WeightsInTime::piecewise, Method::layers);
  const auto flow = mean_cosines(kLayers, WeightsInTime::linear, Method::dopri5);
  ColumnTable table{"shared-and-free", {"layer", "shared", "free", "flow"}};
  for (std::size_t k = 0; k < shared.size(); ++k)
    table.rows.push_back({static_cast<double>(k), shared[k], free[k], flow[k]});
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = kName,
                            .table = "shared-and-free",
                            .title = "24 layers on the sphere, one start",
                            .x = {.label = "number of layers passed"},
                            .y = {.label = "mean cosine"},
                            .curves = {{"flow", Curve::line, "flow, interpolated", 1},
                                       {"shared", Curve::points, "one layer, shared", 0},
                                       {"free", Curve::points, "24 free layers", 1}}});
}

}  // namespace

std::optional<Reproduction> residual_depth(const ReproductionControl& control) {
  Reproduction result = new_result(control, kName);
  if (!check_smooth(control, result)) return std::nullopt;
  check_constant(control, result);
  if (!check_independent(control, result)) return std::nullopt;
  compare_shared_and_free(result);
  result.captions[kName] =
      "A residual network and its differential equation. A grid of starts is carried by attention "
      "and feed-forward whose weights are linear between five knots; the distance of L layers from "
      "the flow falls as 1/L, by the midpoint rule as 1/L². With independent weights in every "
      "layer there is no such flow: steps of T/L approach that of the mean weights as L^(−1/2), "
      "and steps of √(T/L) approach none. Last: one start under one layer repeated, under 24 "
      "layers of their own, and under the flow whose weights are linear between these.";
  return result;
}

}  // namespace murmur
