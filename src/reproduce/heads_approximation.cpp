// heads_approximation.cpp: which fields of measures sums of H attention heads approximate, how fast
// in H, and the field of infinitely many random heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "reproduce/head_fields.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr const char* kName = figure::heads_approximation;
constexpr double kLeastDrawn = 1e-5;  // smaller errors are drawn at this height

// Heads of one kind that are trained for one field in R^d.
struct Case {
  HeadField field;
  bool softmax;
  int d;
};

struct TrainingPlan {
  std::vector<int> counts{};  // of heads
  int measures = 0, iterations = 0, seeds = 0;
};
TrainingPlan plan_of(int d, const FigureValues& values) {
  const bool plane = d == 2;
  return {.counts = values.wholes(plane ? "heads" : "space_heads"),
          .measures = values.whole("measures"),
          .iterations = values.whole(plane ? "iterations" : "space_iterations"),
          .seeds = values.whole(plane ? "seeds" : "space_seeds")};
}

// One seed of a case: errors by the number of heads.
struct SeedErrors {
  std::vector<double> train{}, test{}, sup{}, random{};  // relative
  std::vector<double> by_law{};    // test errors of the most heads, by kind of measures
  double many_tokens = kNoNumber;  // the same with four times as many tokens
};

constexpr std::uint32_t kTrain = 0, kTest = 1000, kMany = 2000;  // the first measures of each set
constexpr std::uint32_t kTested = 200;

SeedErrors errors_of_seed(const Case& c, const TrainingPlan& plan, int seed,
                          const ReproductionControl& control) {
  const FieldOfMeasures field(c.field, c.d);
  const auto sample = [&](std::uint32_t first, std::uint32_t count, int n, int law) {
    return sample_of(field, {static_cast<std::uint64_t>(seed), first, count, n, law});
  };
  const FieldSample seen =
      sample(kTrain, static_cast<std::uint32_t>(plan.measures), kTokens, kAllLaws);
  const FieldSample fresh = sample(kTest, kTested, kTokens, kAllLaws);
  const HeadTraining how{.iterations = plan.iterations,
                         .only_values = control.wrong.plain_scores,
                         .stop = [&] { return control.stopped(); }};
  HeadSum heads{.softmax = c.softmax}, random{.softmax = c.softmax};
  if (control.wrong.attention) heads.softmax = *control.wrong.attention == Interaction::SA;
  SeedErrors done;
  for (const int count : plan.counts) {
    for (int h = heads.count(); h < count; ++h) {
      const Eigen::MatrixXd scores = control.wrong.plain_scores
                                         ? Eigen::MatrixXd::Identity(c.d, c.d)
                                         : drawn_scores(c.d, seed, h);
      for (HeadSum* sum : {&heads, &random}) {
        sum->scores.push_back(scores);
        sum->values.push_back(Eigen::MatrixXd::Zero(c.d, c.d));
      }
    }
    train_heads(seen, how,
                heads);  // from the trained heads of the last count, and new ones with V = 0
    fit_values(seen, random);
    if (control.stopped()) return done;
    HeadSum tested = heads;
    for (Eigen::MatrixXd& value : tested.values)
      if (control.wrong.reversed)
        value = -value;
      else if (control.wrong.null == NullModel::still)
        value.setZero();
    done.train.push_back(error_of(heads, seen).mean);
    const FieldError error = error_of(tested, fresh);
    done.test.push_back(error.mean);
    done.sup.push_back(error.sup);
    done.random.push_back(error_of(random, fresh).mean);
  }
  for (int law = 0; law < kLaws; ++law)
    done.by_law.push_back(error_of(heads, sample(kTest, kTested, kTokens, law)).mean);
  done.many_tokens = error_of(heads, sample(kMany, kTested / 4, 4 * kTokens, kAllLaws)).mean;
  return done;
}

std::string weighting_name(bool softmax) { return softmax ? "softmax" : "unnormalised"; }

// The spread of a number over seeds.
template <class Read>
Spread spread_over(const std::vector<SeedErrors>& seeds_errors, const Read& read) {
  std::vector<double> all;
  for (const SeedErrors& a : seeds_errors) all.push_back(read(a));
  return spread_of(all);
}

// Two-sided 95 % of Student's law with count - 1 degrees of freedom.
double student(std::size_t count) {
  constexpr double kQuantiles[] = {kNoNumber, kNoNumber, 12.706, 4.303, 3.182, 2.776};
  return kQuantiles[std::min<std::size_t>(count, 5)];
}

// Slope of ln(test error) over ln(H), where the error is above what rounding and damping leave.
double slope_of(const TrainingPlan& plan, const SeedErrors& a) {
  std::vector<double> x, y;
  for (std::size_t k = 0; k < plan.counts.size(); ++k) {
    if (!(a.test[k] > kLeastDrawn)) continue;
    x.push_back(std::log(plan.counts[k]));
    y.push_back(std::log(a.test[k]));
  }
  return x.size() < 3 ? kNoNumber : fit_line(x, y).slope;
}

void add_rows(const Case& c, const TrainingPlan& plan, const std::vector<SeedErrors>& seeds_errors,
              Reproduction& result, ColumnTable& curves) {
  const std::string field = name_of(c.field), kind = weighting_name(c.softmax);
  for (std::size_t k = 0; k < plan.counts.size(); ++k) {
    const auto of = [&](std::vector<double> SeedErrors::*which) {
      return spread_over(seeds_errors, [&](const SeedErrors& a) { return (a.*which)[k]; });
    };
    const Spread train = of(&SeedErrors::train), test = of(&SeedErrors::test),
                 sup = of(&SeedErrors::sup), random = of(&SeedErrors::random);
    result.tables[0].rows.push_back({field, kind, static_cast<double>(c.d),
                                     static_cast<double>(plan.counts[k]), train.mean, test.mean,
                                     test.sd, sup.mean, random.mean});
    curves.rows.push_back({static_cast<double>(plan.counts[k]), std::max(test.mean, kLeastDrawn),
                           test.mean > kLeastDrawn ? test.sd : 0.0, field});
  }
  const Spread slope =
      spread_over(seeds_errors, [&](const SeedErrors& a) { return slope_of(plan, a); });
  const double half =
      student(seeds_errors.size()) * slope.sd / std::sqrt(static_cast<double>(seeds_errors.size()));
  std::vector<ColumnTable::Cell> last = {field, kind, static_cast<double>(c.d), slope.mean, half};
  for (int law = 0; law < kLaws; ++law)
    last.push_back(
        spread_over(seeds_errors, [&](const SeedErrors& a) { return a.by_law[law]; }).mean);
  last.push_back(
      spread_over(seeds_errors, [&](const SeedErrors& a) { return a.many_tokens; }).mean);
  result.tables[1].rows.push_back(std::move(last));
}

// Checks a field that is a head itself, a pair interaction for unnormalised heads, and a mean of
// heads.
void check_case(const Case& c, const TrainingPlan& plan,
                const std::vector<SeedErrors>& seeds_errors, Reproduction& result) {
  const auto mean = [&](std::size_t k) {
    return spread_over(seeds_errors, [&](const SeedErrors& a) { return a.test[k]; }).mean;
  };
  const std::string what =
      fmt::format("{}, {} heads, d = {}", name_of(c.field), weighting_name(c.softmax), c.d);
  const bool own = (c.field == HeadField::softmax_head && c.softmax) ||
                   (c.field == HeadField::energy && !c.softmax);
  if (own)
    result.checks.push_back(check_holds(rule::heads_approximation_own,
                                        {what + ": error of one", mean(0)}, mean(0) < 1e-6,
                                        "below 1e-6"));
  if (c.field == HeadField::second_moments && !c.softmax)
    result.checks.push_back(check_holds(
        rule::heads_approximation_pairs,
        {fmt::format("{}: error of {}", what, plan.counts.back()), mean(plan.counts.size() - 1)},
        mean(plan.counts.size() - 1) < 0.05, "below 0.05"));
  if (c.field != HeadField::mean_of_heads || !c.softmax) return;
  const FieldOfMeasures field(c.field, c.d);
  for (std::size_t k = 0; k < plan.counts.size(); ++k) {
    const double bound =
        spread_of_law(field, {0, kTest, kTested, kTokens, kAllLaws}) / std::sqrt(plan.counts[k]);
    result.checks.push_back(check_holds(
        rule::heads_approximation_maurey,
        {fmt::format("{}: error of {} over σ / √H = {:.3f}", what, plan.counts[k], bound),
         mean(k) / bound},
        mean(k) <= bound, "at most 1"));
  }
}

// Trains heads of each kind in R^2 and R^3, one panel each.
bool train_all(const ReproductionControl& control, Reproduction& result) {
  for (const int d : control.quick ? std::vector<int>{2} : std::vector<int>{2, 3})
    for (const bool softmax : {true, false}) {
      const TrainingPlan plan = plan_of(d, control.values);
      const std::vector<HeadField> fields = head_fields();
      const int seeds = plan.seeds, count = static_cast<int>(fields.size());
      std::vector<std::vector<SeedErrors>> all(fields.size(), std::vector<SeedErrors>(seeds));
      for_blocks(count * seeds, control.threads, [&](int job) {
        if (control.stopped()) return;
        all[job / seeds][job % seeds] =
            errors_of_seed({fields[job / seeds], softmax, d}, plan, job % seeds, control);
      });
      if (control.stopped()) return false;
      ColumnTable curves{fmt::format("{}-{}", weighting_name(softmax), d),
                         {"heads", "error", "sd", "field"}};
      for (int f = 0; f < count; ++f) {
        add_rows({fields[f], softmax, d}, plan, all[f], result, curves);
        check_case({fields[f], softmax, d}, plan, all[f], result);
      }
      result.figures.push_back(
          {.name = kName,
           .table = curves.name,
           .title = fmt::format("Trained {} heads, d = {}", weighting_name(softmax), d),
           .x = {.label = "number of heads H", .log = true},
           .y = {.label = "relative error on fresh measures", .log = true, .from = 5e-6, .to = 2},
           .curves = {{.column = "error", .error = "sd"}},
           .by = "field",
           .side_by_side = true});
      result.tables.push_back(std::move(curves));
      if (control.tell)
        control.tell(fmt::format("d = {}: {} heads trained", d, weighting_name(softmax)));
    }
  return true;
}

// A law of random heads whose limit is known in closed form.
struct HeadLaw {
  const char* name;
  MatrixChoice::Kind query, value;
  int d;
  double beta;
};
constexpr HeadLaw kLimits[] = {
    {"GOE scores, V = I", MatrixChoice::goe, MatrixChoice::identity, 3, 1.5},
    {"PSD scores, V = I", MatrixChoice::psd, MatrixChoice::identity, 6, 0.7},
    {"PSD scores, V = QᵀK", MatrixChoice::psd, MatrixChoice::query_key, 6, 0.7},
};

HostSwarm velocity_of(const ExperimentSpec& spec, NullModel null = NullModel::none) {
  const Experiment e = make_experiment(spec);
  const auto engine = make_engine({.name = "reference"}, null);
  const auto field = engine->prepare(e.dynamics, e.swarm.shape());
  const auto x = engine->place(e.swarm), v = engine->place(e.swarm);
  field->velocity(0, *x, *v);
  return engine->fetch(*v);
}

double product_of(const HostSwarm& a, const HostSwarm& b) {
  double sum = 0;
  for (int i = 0; i < a.n(); ++i)
    for (int k = 0; k < a.d(); ++k) sum += a.at(i, k) * b.at(i, k);
  return sum;
}

bool check_limits(const ReproductionControl& control, Reproduction& result) {
  const int replicas = control.values.whole("replicas");
  const std::vector<int> counts = {4, 16, 64, 256};
  ColumnTable table{"limit", {"heads", "distance", "sd", "root", "law"}};
  for (const HeadLaw& law : kLimits) {
    ExperimentSpec spec = preset_spec(kName);
    spec.d = law.d;
    spec.dynamics.beta = law.beta;
    spec.dynamics.query = {law.query};
    spec.dynamics.value = {law.value};
    ExperimentSpec limit = spec;
    limit.dynamics.heads = std::nullopt;
    limit.dynamics.head_scale = HeadScale::limit;
    const HostSwarm expected = velocity_of(limit);
    const double size = product_of(expected, expected);
    std::vector<double> x, y, along;
    for (const int count : counts) {
      std::vector<double> square(replicas), part(replicas);
      for_blocks(replicas, control.threads, [&](int r) {
        if (control.stopped()) return;
        ExperimentSpec one = spec;
        one.dynamics.heads = count;
        one.dynamics.head_scale = HeadScale::mean;
        one.init =
            InitialPoints{{expected.n(), expected.d(), to_rows(make_experiment(limit).swarm)}};
        one.n = one.d = std::nullopt;
        one.random.replica = static_cast<std::uint32_t>(1 + r);
        control.wrong.apply(one);
        const HostSwarm v = velocity_of(one, control.wrong.null);
        part[r] = product_of(v, expected) / size;
        square[r] = (product_of(v, v) + size - 2 * product_of(v, expected)) / size;
      });
      if (control.stopped()) return false;
      const Spread squares = spread_of(square);
      x.push_back(std::log(count));
      y.push_back(std::log(squares.mean) / 2);
      if (count == counts.back()) along = part;
      const double distance = std::sqrt(squares.mean);
      table.rows.push_back(
          {static_cast<double>(count), distance, squares.error() / (2 * distance), 0.0, law.name});
    }
    const Spread mean = spread_of(along);
    const double error = mean.error();
    result.checks.push_back(check_near(
        rule::heads_approximation_limit,
        {fmt::format("{}, d = {}: mean of {} velocities of 256 heads along the limit, over it",
                     law.name, law.d, replicas),
         1, mean.mean},
        3.5 * error));
    const Line line = fit_line(x, y);
    result.checks.push_back(check_near(
        rule::heads_approximation_limit_rate,
        {fmt::format("{}, d = {}: exponent of H in the distance to the limit", law.name, law.d),
         -0.5, line.slope},
        0.1));
    double level = 0;  // of the line of slope -1/2 through the middle of the points
    for (std::size_t k = 0; k < counts.size(); ++k)
      level += (y[k] + x[k] / 2) / static_cast<double>(counts.size());
    const std::size_t first = table.rows.size() - counts.size();
    for (std::size_t k = 0; k < counts.size(); ++k)
      table.rows[first + k][3] = std::exp(level - x[k] / 2);
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = kName,
       .table = "limit",
       .title = "H random heads and their limit",
       .x = {.label = "number of heads H", .log = true},
       .y = {.label = "distance of velocities / limit", .log = true},
       .curves = {{"root", Curve::dashes, "H^{−1/2}"},
                  {"distance", Curve::points, "mean of H heads", Curve::kByPlace, "sd"}},
       .by = "law"});
  return true;
}

}  // namespace

std::optional<Reproduction> heads(const ReproductionControl& control) {
  Reproduction result = new_result(control, kName);
  result.tables = {
      {"errors", {"field", "heads are", "d", "H", "train", "test", "sd", "sup", "random scores"}},
      {"rates",
       {"field", "heads are", "d", "exponent", "95 % ±", "uniform", "two clusters", "cap",
        "48 tokens"}}};
  if (!train_all(control, result) || !check_limits(control, result)) return std::nullopt;
  result.captions[kName] =
      "The error, relative to the field, that sums of H trained heads leave on measures they were "
      "not trained on; bars are standard deviations over seeds and go down to the axis where they "
      "are as large as the error, and errors below 1e-5 are drawn there. Marks of one H are drawn "
      "side by side. A field that is a head is fitted by one head of its kind. Unnormalised heads "
      "are linear in the measure: they reach second moments, and nothing that is not linear. "
      "Softmax heads see a mass of one point only linearly, and come to a standstill for second "
      "moments and for the energy's gradient. Last: the mean of H random unnormalised heads tends "
      "to its limit in closed form as H^(−1/2).";
  return result;
}

}  // namespace murmur
