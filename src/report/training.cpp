// training.cpp: the page of a trained swarm: a trajectory, its test, its mistakes, its fields.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "report/digits.h"
#include "report/dome.h"
#include "report/heads.h"
#include "report/report.h"
#include "report/sentences.h"
#include "report/settling.h"
#include "run/file.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// Test accuracies of the companion code for 5 against 6, in percent.
struct Published {
  int blocks;
  bool shared;
  int d;
  double accuracy;
};
constexpr Published kPublished[] = {
    {1, true, 3, 89.68},  {1, false, 3, 89.68}, {2, true, 3, 95.03},
    {10, true, 3, 96.43}, {2, false, 3, 96.97}, {10, false, 100, 99.35},
};

const Published* published_for(const TrainedSwarm& swarm) {
  const Architecture& a = swarm.architecture;
  const bool as_published = swarm.task == Task::digits && swarm.digits == std::vector<int>{5, 6} &&
                            a.heads == 1 && a.hidden == 512 && a.residual == 0.1 && !a.position &&
                            a.interaction == Architecture::attention &&
                            a.readout == Architecture::mean;
  for (const Published& row : kPublished)
    if (as_published && row.blocks == a.blocks && row.shared == a.shared && row.d == a.d)
      return &row;
  return nullptr;
}

// A trained swarm before its examination.
struct Examination {
  TrainedSwarm swarm{};
  Images pictures{};                   // the test set
  std::vector<std::size_t> picture{};  // (samples) index of each sample's picture, or of its pair
  std::vector<PicturePair> pairs{};    // (samples) of pictures, where two are compared
  SampleSet samples{};
  Verdicts verdicts{};
  Matrix chances{};  // (samples, classes)
  std::size_t right() const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < samples.samples(); ++k)
      count += samples.label[k] == verdicts.verdict[k] ? 1 : 0;
    return count;
  }
  bool compares() const { return swarm.task == Task::same; }
  const char* noun() const { return compares() ? "pair" : "picture"; }
};

Picture picture_of(const Examination& e, std::size_t sample) {
  if (e.compares()) return picture_of_pair(e.pictures, e.pairs[sample]);
  const auto ink = e.pictures.picture(e.picture[sample]);
  return {e.pictures.height, e.pictures.width, {ink.begin(), ink.end()}};
}

DigitTrajectory trajectory_of(const Examination& e, std::size_t sample) {
  return e.compares()
             ? trajectory_of_pair(e.swarm, e.pictures, e.pairs[sample], e.samples.label[sample])
             : trajectory_of_picture(e.swarm, e.pictures, e.picture[sample]);
}

void gather_samples(Examination& e) {
  if (!e.compares()) {
    e.samples = samples_of(e.pictures, e.swarm.digits, e.swarm.tokens, &e.picture);
    return;
  }
  e.pairs = test_pairs_of(e.swarm, e.pictures);
  for (std::size_t k = 0; k < e.pairs.size(); ++k) {
    add_pair(e.pictures, e.pairs[k], e.pairs[k].same ? same_class : other_class, e.swarm.tokens,
             e.samples);
    e.picture.push_back(k);
  }
}

Examination examine(const ReportRequest& request) {
  Examination e;
  e.swarm = read_trained_swarm(request.run);
  const std::string& named = request.data.empty() ? e.swarm.data : request.data;
  e.pictures = read_data_set(request.find_data ? request.find_data(named) : fs::path(named)).test;
  if (e.pictures.height != e.swarm.height || e.pictures.width != e.swarm.width)
    throw Error(Fault::input,
                fmt::format("the pictures are {} x {} pixels, the swarm learned from {} x {}",
                            e.pictures.width, e.pictures.height, e.swarm.width, e.swarm.height),
                e.pictures.where, "give the pictures it learned from");
  gather_samples(e);
  e.verdicts = judge(e.swarm, e.samples, 0);
  e.chances = chances_of(e.verdicts.scores);
  return e;
}

// Samples that were judged wrongly (or rightly), the surest first.
std::vector<std::size_t> surest(const Examination& e, bool right) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < e.samples.samples(); ++k)
    if ((e.samples.label[k] == e.verdicts.verdict[k]) == right) chosen.push_back(k);
  const auto chance = [&](std::size_t k) {
    return e.chances(static_cast<int>(k), e.verdicts.verdict[k]);
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return chance(a) > chance(b); });
  return chosen;
}

std::vector<Mistake> mistakes_of(const Examination& e) {
  constexpr std::size_t kMost = 40;
  const std::vector<std::string> names = class_names(e.swarm);
  std::vector<Mistake> mistakes;
  for (const std::size_t k : surest(e, false)) {
    if (mistakes.size() == kMost) break;
    const int verdict = e.verdicts.verdict[k];
    mistakes.push_back({picture_of(e, k).pixels, names[e.samples.label[k]], names[verdict],
                        e.chances(static_cast<int>(k), verdict), e.picture[k]});
  }
  return mistakes;
}

// The sample to be shown: read rightly and surely, of a usual size, and whose tokens keep together
// best at their gate. Only the samples whose mean token ends nearest to it are tried.
std::size_t shown_sample(const Examination& e) {
  constexpr std::size_t kFlown = 24;
  std::vector<int> sizes;
  for (std::size_t k = 0; k < e.samples.samples(); ++k) sizes.push_back(e.samples.size_of(k));
  std::nth_element(sizes.begin(), sizes.begin() + sizes.size() / 2, sizes.end());
  const int usual = sizes[sizes.size() / 2];
  const Matrix& targets = e.swarm.architecture.targets;
  std::vector<std::size_t> right = surest(e, true);
  if (right.empty()) return 0;
  const auto from_gate = [&](std::size_t k, const auto& place) {
    double square = 0;
    for (int c = 0; c < targets.cols; ++c) {
      const double gap = place(c) - targets(e.verdicts.verdict[k], c);
      square += gap * gap;
    }
    return std::sqrt(square);
  };
  const auto mean_token = [&](std::size_t k) {
    return from_gate(k, [&](int c) { return e.verdicts.readout(static_cast<int>(k), c); });
  };
  std::erase_if(right, [&](std::size_t k) {
    return k != right.front() && (std::abs(e.samples.size_of(k) - usual) > std::max(1, usual / 5) ||
                                  e.chances(static_cast<int>(k), e.verdicts.verdict[k]) < 0.99);
  });
  std::stable_sort(right.begin(), right.end(),
                   [&](std::size_t a, std::size_t b) { return mean_token(a) < mean_token(b); });
  right.resize(std::min(kFlown, right.size()));
  std::vector<double> strayed;
  for (const std::size_t k : right) {
    const HostSwarm last = simulate_sample(e.swarm, e.samples, k).frames.back();
    double sum = 0;
    for (int i = 0; i < last.n(); ++i) sum += from_gate(k, [&](int c) { return last.at(i, c); });
    strayed.push_back(sum / last.n());
  }
  return right[std::min_element(strayed.begin(), strayed.end()) - strayed.begin()];
}

// The fields of one block over [-10, 10]^3, or a plane of it at height z: the first coordinates.
struct FieldGrid {
  int shown;     // coordinates of places and arrows
  int side;      // places along an axis
  double z = 0;  // third coordinate, where only two are shown
};
std::vector<VectorField> fields_on(const TrainedSwarm& swarm, int block, const FieldGrid& grid) {
  std::vector<VectorField> fields(4);
  for (int f = 0; f < 4; ++f) fields[f].name = kFieldNames[f];
  const int points = grid.shown == 3 ? grid.side * grid.side * grid.side : grid.side * grid.side;
  for (int p = 0; p < points; ++p) {
    std::vector<double> x(static_cast<std::size_t>(swarm.architecture.d));
    for (int k = 0, rest = p; k < grid.shown; ++k, rest /= grid.side)
      x[k] = kPlaneHalfWidth * (2.0 * (rest % grid.side) / (grid.side - 1) - 1);
    if (grid.shown == 2 && x.size() > 2) x[2] = grid.z;
    const BlockFields at = fields_at(swarm, block, x);
    const Vector* const arrows[] = {&at.query, &at.key, &at.value, &at.feed_forward};
    for (int f = 0; f < 4; ++f)
      for (int k = 0; k < grid.shown && !arrows[f]->empty(); ++k) {
        // Of query, key and value those of head 0: several heads have a picture of their own.
        const int known = f < 3 ? width_of_head(swarm.architecture) : swarm.architecture.d;
        fields[f].at.push_back(x[k]);
        fields[f].arrow.push_back(k < known ? (*arrows[f])[k] : 0);
      }
  }
  std::erase_if(fields, [](const VectorField& field) { return field.at.empty(); });
  return fields;
}

void add_curve(RunReport& report) {
  const RunReader reader(report.run());
  std::vector<std::string> names;
  for (const char* name : {"loss", "train_accuracy", "validation_accuracy", "rate"}) {
    const std::vector<double> column = reader.column(name);
    if (std::any_of(column.begin(), column.end(), [](double v) { return std::isfinite(v); }))
      names.emplace_back(name);
  }
  if (names.empty()) return;
  for (const char* ending : {"svg", "png", "pdf"})
    plot_observables(reader, names, {false, "epoch"},
                     report.figures / fmt::format("training.{}", ending));
  report.add_picture(
      {.heading = "The course of training",
       .picture = report.figures / "training.svg",
       .caption = "Against epochs; what it is validated with is kept back from learning."});
}

void add_examination(RunReport& report, const Examination& e) {
  const std::vector<std::string> names = class_names(e.swarm);
  draw_confusion(confusion_of(e.verdicts, e.samples.label, static_cast<int>(names.size())), names,
                 {}, report.figures / "confusion.png");
  report.add_picture({.heading = "The test",
                      .text = fmt::format("{} of {} test {}s are read rightly.", e.right(),
                                          e.samples.samples(), e.noun()),
                      .picture = report.figures / "confusion.png",
                      .caption = "Rows: what it is. Columns: what the swarm says."});
  const Picture first = picture_of(e, 0);
  draw_mistakes(mistakes_of(e), first.height, first.width, {}, report.figures / "mistakes.png");
  report.add_picture(
      {.heading = "Its mistakes",
       .picture = report.figures / "mistakes.png",
       .caption = "Wrong verdicts, the surest first, with their numbers in the test set."});
}

void add_trajectory(RunReport& report, const Examination& e, std::size_t k) {
  const DigitTrajectory trajectory = trajectory_of(e, k);
  const std::string which =
      fmt::format("Test {} {}, {} tokens.", e.noun(), e.picture[k], e.samples.size_of(k));
  draw_digit_trajectory(trajectory, {}, report.figures / "flight.png");
  draw_dissent(trajectory, {}, report.figures / "dissent.png");
  if (report.request.film) {
    make_folder_of_run(report.video);
    DigitFilm film;
    film.stop = report.request.stop;
    if (film_digit(trajectory, film, report.video / "flight.mp4"))
      report.add_picture(
          {.heading = "A flight", .text = which, .picture = report.video / "flight.mp4"});
  }
  report.add_picture({.heading = !report.request.film ? "A flight" : "",
                      .text = !report.request.film ? which : "",
                      .picture = report.figures / "flight.png",
                      .caption = "The same flight at a few blocks."});
  report.add_picture({.heading = "Who dissents",
                      .picture = report.figures / "dissent.png",
                      .caption = "The ink by the class whose target each token ends nearest to."});
}

void add_fields(RunReport& report, const TrainedSwarm& swarm, int block) {
  const Architecture& a = swarm.architecture;
  const std::string stem = fmt::format("fields-block-{}", block);
  const std::string which =
      a.shared ? "The block that is flown again and again." : fmt::format("Block {}.", block);
  const std::string rest =
      a.d > 3 ? fmt::format(" The first three of {} coordinates, the others at 0.", a.d) : "";
  const std::string caption =
      a.interaction == Architecture::attention && a.heads > 1
          ? "What query, key and value of head 0, and the feed-forward, make of a place."
          : "What query, key, value and feed-forward make of a place.";
  std::string heading =
      a.shared ? "Its vector fields" : fmt::format("Vector fields of block {}", block);
  std::vector<double> heights{-5, 0, 5};
  if (a.d == 2) heights = {0};
  if (a.d > 2) {
    draw_fields_in_space(fields_on(swarm, block, {3, 5}), {true, 1280, 960},
                         report.figures / (stem + ".png"));
    report.add_picture({.heading = heading,
                        .text = which + rest,
                        .picture = report.figures / (stem + ".png"),
                        .caption = caption});
    heading.clear();
  }
  std::vector<std::vector<VectorField>> planes;
  for (const double z : heights) planes.push_back(fields_on(swarm, block, {2, 11, z}));
  draw_fields_in_planes(planes, heights, {true, 1280, a.d == 2 ? 480 : 960},
                        report.figures / (stem + "-planes.png"));
  report.add_picture({.heading = heading,
                      .text = heading.empty() ? "" : which,
                      .picture = report.figures / (stem + "-planes.png"),
                      .caption = a.d == 2 ? caption : "The same in planes of constant height z."});
}

void add_facts(RunReport& report, const Examination& e) {
  const TrainingSummary s = read_summary(report.run());
  auto& facts = report.page.facts;
  const double accuracy = static_cast<double>(e.right()) /
                          static_cast<double>(std::max<std::size_t>(1, e.samples.samples()));
  facts.emplace_back(fmt::format("{:.2f}\u202f%", 100 * accuracy), "test accuracy");
  const Published* row =
      read_summary(report.run()).data == "mnist" ? published_for(e.swarm) : nullptr;
  if (row != nullptr) facts.emplace_back(fmt::format("{:.2f}\u202f%", row->accuracy), "published");
  if (std::isfinite(s.validation_accuracy))
    facts.emplace_back(fmt::format("{:.2f}\u202f%", 100 * s.validation_accuracy),
                       "validation accuracy");
  facts.emplace_back(fmt::format("{}", e.swarm.parameters.size()), "parameters");
  facts.emplace_back(fmt::format("{}", s.epochs), "epochs");
  facts.emplace_back(fmt::format("{:.0f}", s.images_per_second),
                     e.compares() ? "pairs a second" : "images a second");
  facts.emplace_back(fmt::format("{}", s.seed), "seed");
}

}  // namespace

void report_training(RunReport& report) {
  if (const TrainedSwarm swarm = read_trained_swarm(report.run()); reads_words(swarm.task)) {
    report_sentences(report, swarm);
    return add_curve(report);
  }
  const Examination e = examine(report.request);
  const Architecture& a = e.swarm.architecture;
  const std::vector<std::string> names = class_names(e.swarm);
  report.page.title =
      e.compares() ? fmt::format("The swarm that tells whether two digits of {} are the same",
                                 fmt::join(e.swarm.digits, ", "))
      : names.size() == 2 ? fmt::format("The swarm that tells {} from {}", names[0], names[1])
                          : fmt::format("The swarm that tells {} apart", fmt::join(names, ", "));
  report.page.lead = fmt::format(
      "{} is a token in R^{}. {} {} of attention and feed-forward move the flock; "
      "where it settles is the verdict.",
      e.compares() ? "Two digits stand side by side; every other pixel with ink"
                   : "Every pixel with ink",
      a.d, a.blocks,
      a.blocks == 1 ? "block"
      : a.shared    ? "rounds of one block"
                    : "blocks");
  add_facts(report, e);
  const std::size_t shown = shown_sample(e);
  add_trajectory(report, e, shown);
  if (report.stopped()) return;
  add_dome(report,
           states_of_training(e.swarm, e.samples, shown,
                              fmt::format("{}, test {} {}", report.run().filename().string(),
                                          e.noun(), e.picture[shown])));
  if (report.stopped()) return;
  add_examination(report, e);
  if (!report.stopped()) add_settling(report, e.swarm, e.samples);
  add_heads(report, e.swarm, e.samples);
  if (report.stopped()) return;
  add_curve(report);
  add_fields(report, e.swarm, 0);
  if (!a.shared && a.blocks > 1) add_fields(report, e.swarm, a.blocks - 1);
}

}  // namespace murmur
