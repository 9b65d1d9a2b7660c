// show_distance.cpp: murmur measure show=distance: how far frames are from another measure.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "murmur/error.h"
#include "murmur/transport.h"
#include "show.h"

namespace murmur::app {

namespace {

// What frames are held against.
struct Other {
  std::string name;
  bool uniform = false;  // of the circle
  History history{};
};

Other other_of(const Flags& flags, const Subject& s, const ShowWords& words) {
  if (!words.given("to"))
    throw Error(Fault::input, "a distance is one to something", s.name,
                "add to=RUN, to=FILE.npy, to=start or to=uniform");
  Other other{words.text("to")};
  if (other.name == "uniform") {
    other.uniform = true;
  } else if (other.name == "start") {
    other.history = {1, s.history.time, [&s](std::int64_t) { return s.history.frame(0); }};
  } else {
    other.history = frames_of(flags, other.name);
    other.history.frame = [frame = other.history.frame, manifold = s.experiment.dynamics.manifold,
                           name = other.name](std::int64_t k) {
      HostSwarm x = frame(k);
      fit_to_manifold(x, manifold, fmt::format("{}: frame {}", name, k));
      return x;
    };
  }
  if (!other.uniform && other.history.count == 0)
    throw Error(Fault::input, "there are no frames yet", other.name, "let it fly first");
  return other;
}

// The frame that stands beside frame k: the only one, the one of the same number, or the last
// beside the last.
HostSwarm beside(const Subject& s, const Other& other, std::int64_t k) {
  if (other.history.count == 1) return other.history.frame(0);
  if (other.history.count == s.history.count) return other.history.frame(k);
  if (k == s.history.count - 1) return other.history.frame(other.history.count - 1);
  throw Error(
      Fault::input, "the frames of the two do not pair up",
      fmt::format("{} has {}, {} has {}", s.name, s.history.count, other.name, other.history.count),
      "compare runs of equally many frames, or leave frame out for the last ones");
}

class Ruler {
 public:
  Ruler(const Subject& s, const ShowWords& words)
      : kind_(words.text("distance")),
        circle_(s.experiment.dynamics.manifold == Manifold::sphere && s.history.frame(0).d() == 2),
        ground_(s.experiment.dynamics.manifold == Manifold::sphere ? Ground::arc : Ground::chord),
        sliced_{ground_, words.whole("slices"), s.experiment.random.seed,
                s.experiment.engine.threads},
        entropic_{.ground = ground_,
                  .epsilon = words.number("epsilon"),
                  .threads = s.experiment.engine.threads} {
    if (kind_ != "w2" && kind_ != "w1" && kind_ != "sliced" && kind_ != "entropic")
      words.refuse("distance", "not one of its values", "use distance=w2, w1, sliced or entropic");
  }

  std::vector<std::string> columns() const {
    if (kind_ == "sliced") return {"t", "sliced", "error"};
    if (kind_ == "entropic") return {"t", "entropic", "least", "most", "margin_error"};
    return {"t", kind_};
  }

  std::vector<nlohmann::json> row(double t, const HostSwarm& x, const HostSwarm& y) const {
    if (kind_ == "sliced") {
      const SlicedDistance found = sliced_distance(x, y, sliced_);
      return {t, found.distance, found.error};
    }
    if (kind_ == "entropic") {
      const EntropicDistance found = entropic_distance(x, y, entropic_);
      return {t, found.distance, found.min, found.most, found.margin_error};
    }
    if (circle_) return {t, circle_distance(circle_atoms(x), circle_atoms(y), power()).distance};
    return {t, assignment_distance(x, y, ground_, power()).distance};
  }

  std::vector<nlohmann::json> row_to_uniform(double t, const HostSwarm& x) const {
    if (!circle_ || kind_ == "sliced" || kind_ == "entropic")
      throw Error(Fault::input, "the uniform law is there for w1 and w2 on the circle",
                  "to=uniform",
                  "use d = 2 and distance=w2, or save points of it and say to=FILE.npy");
    return {t, circle_distance(circle_atoms(x), circle_uniform(), power()).distance};
  }

 private:
  int power() const { return kind_ == "w1" ? 1 : 2; }

  std::string kind_;
  bool circle_;
  Ground ground_;
  SlicedSettings sliced_;
  EntropicSettings entropic_;
};

}  // namespace

void show_distance(const Flags& flags, const Subject& s, const ShowWords& words) {
  const Ruler ruler(s, words);
  const Other other = other_of(flags, s, words);
  const bool all = all_frames(words);
  const std::int64_t first = all ? 0 : frame_of(s, words);
  const std::int64_t end = all ? s.history.count : first + 1;
  Sheet sheet{ruler.columns()};
  for (std::int64_t k = first; k < end; ++k) {
    const HostSwarm x = s.history.frame(k);
    const double t = s.history.time(k);
    sheet.rows.push_back(other.uniform ? ruler.row_to_uniform(t, x)
                                       : ruler.row(t, x, beside(s, other, k)));
  }
  write(flags, sheet);
}

}  // namespace murmur::app
