// named_stage.h: the names of particles and the lines between them, on the stage of a scene.
#pragma once

#include "picture/names.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

// What is needed to place names over a film: where the named particles are at each of its frames.
class NameStage {
 public:
  NameStage(const Stage& stage, int width, int height);
  bool any() const { return !stage_.settings.names.empty(); }
  void see(const std::vector<Point>& points, double azimuth);    // the next frame
  std::vector<std::vector<PlacedName>> planned(int fade) const;  // (frames seen)

 private:
  const Stage& stage_;
  NamePlan plan_{};
  std::vector<std::vector<NamedDot>> dots_{};
};

// Where a particle of the sphere is drawn: on the circle at its rim, else through the camera.
Mark place_on_stage(const Stage& stage, const Point& p, double azimuth);

// Lines from each listener to whom it hears at this time, broad at the listener. Those of one frame
// give way to the next within a third of the way between.
void paint_ties(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place);

// Names over everything, tied to their dots where they stand away from them.
void paint_names(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place);

}  // namespace murmur::picture
