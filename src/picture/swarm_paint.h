// swarm_paint.h: paints particles, the trails behind them, their names and the lines between them,
// in any view.
#pragma once

#include <functional>
#include <vector>

#include "picture/names.h"
#include "picture/stage.h"

namespace murmur::picture {

// A particle on the canvas.
struct Dot {
  double x = 0, y = 0;  // pixels
  double depth = 0;     // drawn in rising order
  double radius = 1;    // pixels
  double fog = 0;       // 0: full colour, 1: gone
  int label = 0;
};

// Paints halos, then balls from far to near. Coinciding particles are drawn once, and many in one
// place glow more.
void paint_dots(Canvas& canvas, const Stage& stage, std::vector<Dot> dots);

// A place on the canvas and the layer it belongs to.
struct Mark {
  double x = 0, y = 0;
  int layer = 0;
};
using Place = std::function<Mark(const Point&)>;

// The particles of a scene seen face on, without depth.
std::vector<Dot> flat_dots(const Stage& stage, const Snapshot& now, const Place& place);
// The particles as a camera sees them: far ones smaller and up to `fog` dimmer.
std::vector<Dot> deep_dots(const Stage& stage, const Snapshot& now, const Camera& camera,
                           const Place& place, double fog);

struct TrailStyle {
  int layer = 0;
  double width = 2;    // pixels, at the young end
  double alpha = 0.7;  // there too
  double fog = 0;
  double pale = 0;  // share of the theme's ink in its colour
};
TrailStyle trail_style(const Stage& stage);  // for layer 0, as wide and strong as n allows

// (past, n) marks: every trailing particle of every snapshot through `place`.
std::vector<std::vector<Mark>> place_marks(const Stage& stage, const Past& past,
                                           const Place& place);

// The grid of a map where it is, and in the plane faintly where it was: what lies in the layer.
void paint_grid_of_map(Canvas& canvas, const Stage& stage, const std::vector<Point>& grid,
                       const Place& place, int layer);
// Rings where the particles of a map began.
void paint_starts(Canvas& canvas, const Stage& stage, const Place& place, int layer);

// The pieces of trails whose younger end is in the style's layer; they thin and fade with age.
void paint_trails(Canvas& canvas, const Stage& stage, const std::vector<std::vector<Mark>>& marks,
                  const TrailStyle& style);

// Collects where the named particles are at each frame of a film, and places their names.
class NameTracker {
 public:
  NameTracker(const Stage& stage, int width, int height);
  bool any() const { return !stage_.settings.names.empty(); }
  void add_frame(const std::vector<Point>& points, double azimuth);  // the next frame
  std::vector<std::vector<PlacedName>> plan(int fade) const;         // (frames seen)

 private:
  const Stage& stage_;
  NamePlan plan_{};
  std::vector<std::vector<NamedDot>> dots_{};
};

// Returns where a particle of the sphere is drawn: on the circle at its rim, else as the camera
// sees it.
Mark place_on_stage(const Stage& stage, const Point& p, double azimuth);

// Paints lines from each token to those that it attends to at this time, broad at the token that
// attends. The lines of one frame fade into those of the next over the first third of the time
// between.
void paint_ties(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place);

// Paints names over everything, each with a line to its dot where it is away from it.
void paint_names(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place);

}  // namespace murmur::picture
