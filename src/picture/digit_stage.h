// digit_stage.h: the scene of a digit's trajectory: axes, targets, camera, and the layout of text.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "picture/digit_pictures.h"
#include "picture/stage.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

// A smooth step from 0 to 1 for s from 0 to 1, with slope 0 at both ends.
inline double smooth(double s) {
  const double u = std::clamp(s, 0.0, 1.0);
  return u * u * (3 - 2 * u);
}

// Sizes and places, in pixels.
struct DigitLayout {
  double unit = 1;    // 1 at 1280 x 720
  double height = 0;  // of the picture
  double margin = 36;
  double title_size = 0, text_size = 0, small_size = 0, clock_size = 0;
  double bar = 0;  // height of the progress bar
  std::vector<std::string> title{}, note{};
  double note_top = 0;  // baseline of the first line of the note
  Frame inset{};        // the picture
  Frame chances{};      // the verdict bars
  Frame scene{};        // the manifold
};

// The parts that stay the same over a film. Points are in scene units: 1 is the reach of the whole
// trajectory.
struct DigitStage {
  const DigitTrajectory* trajectory = nullptr;
  Stage swarm{};              // theme, shape, projection, colours and trails of the tokens
  std::vector<Point> gate{};  // (classes)
  double ring = 0.1;          // radius of a gate, scene units
  bool flat = false;          // d = 2: seen from above
  std::string axes_note{};    // explains the third axis where it is not a coordinate
  int verdict = 0;
  DigitLayout layout{};

  int blocks() const { return static_cast<int>(trajectory->frames.size()) - 1; }
  int classes() const { return static_cast<int>(trajectory->classes.size()); }
  const Theme& theme() const { return *swarm.theme; }
  Point place(double x, double y, double z) const;        // of the three axes, in scene units
  double unit() const { return swarm.projection.scale; }  // scene units per unit of length
  // Positions at t blocks and the trajectory of the last few before it.
  Past past(double t) const;
  std::vector<double> chances(double t) const;  // (classes)
  // The token that is read, or the mean of all, at t blocks: (d).
  std::vector<double> readout(double t) const;
  // (classes) how far that has moved from the centre towards each gate; 1 is the gate.
  std::vector<double> progress_to_gates(double t) const;
  // The place of the readout on the line from gate 0 to gate 1 of two: 0 to 1.
  double between_gates(double t) const;
  // Tokens that are at gate c, nearer than a fifth of its distance from the centre.
  int count_at_gate(int c, double t) const;
};

// Error(input) where parts of the trajectory do not fit each other or are not finite.
void check(const DigitTrajectory& trajectory);
DigitStage set_digit_stage(const DigitTrajectory& trajectory, const PictureStyle& style);

// The places of the picture's pixels on the floor, and their size there.
struct PixelPlaces {
  std::vector<double> column{}, row{};  // (width), (height)
  double width = 0, height = 0;
};
PixelPlaces pixel_places(const DigitTrajectory& trajectory);

// (n) the class whose target each token ends nearest to; -1 for the CLS token.
std::vector<int> choices(const DigitTrajectory& trajectory);

// A camera, and how the points that it sees become pixels.
struct CameraView {
  Camera camera{0, 0};
  double zoom = 1;        // pixels per unit of the camera's plane
  double cx = 0, cy = 0;  // pixels: where the camera aims
  double unit = 1;        // of lines and letters: 1 in a film of 1280 x 720
  Frame window{};         // tokens outside are not drawn

  Mark mark(const Point& p) const;    // not finite behind the eye
  double size(const Point& p) const;  // pixels per scene unit there
  double fog(const Point& p) const;   // 0 near, 1 far
};

// A film's clock: blocks done at a progress from 0 to 1; still at both ends.
struct FilmClock {
  double lead = 0, hold = 0;  // shares of the film before the first block and after the last
  int blocks = 1;
  double at(double progress) const;
};

// The camera's path: from above, where the digit can be read, down to where the trajectory is
// visible. At every moment the floor and the gates with their names are inside `room`; the camera
// moves back for tokens beyond them only as long as the floor fills two thirds of the height of the
// room that it could fill. Aim and zoom change smoothly.
class CameraPath {
 public:
  CameraPath(const DigitStage& stage, const Frame& room, const FilmClock& clock);
  CameraView at(double progress) const;  // of the film, 0 to 1

  // One shot that serves every moment.
  static CameraView still(const DigitStage& stage, const Frame& room);

 private:
  std::vector<double> zoom_{}, aim_x_{}, aim_y_{};  // at even steps of progress
  const DigitStage& stage_;
  Frame room_;
};

// The label of a token of a sentence, and the middle of its place.
struct PlacedWord {
  std::string text{};
  TextStyle style{};
  Mark token{};
  double x = 0, y = 0, width = 0;
  bool asked = false;
};
// Moves labels apart that cover each other; the asked one stays.
void push_apart(std::vector<PlacedWord>& words);
// The labels of the tokens at `marks`, pushed apart until none covers another or a token, as far as
// the window allows; `dot` is the radius of a token. Tokens outside get none.
std::vector<PlacedWord> place_words(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                                    const std::vector<Mark>& marks, double dot);

// The sentence broken into lines of that width: the left end of each word and its line.
struct WordInLine {
  std::string text{};
  double x = 0, width = 0;
  int line = 0;
};
std::vector<WordInLine> words_in_lines(Canvas& canvas, const DigitTrajectory& trajectory,
                                       double width, double size);
double sentence_size(const DigitLayout& layout);  // of its letters
inline constexpr double kSentenceLine = 1.4;      // the height of a line over that size

// The parts of a picture. `boldness` 0 to 1: how strongly the tokens show the colours of their
// classes.
struct Moment {
  double t = 0;              // blocks
  double verdict_shown = 0;  // 0 to 1: how far the verdict is shown
  double boldness = 1;
};
// Returns how many tokens are outside of the shot's window.
int draw_manifold(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                  const Moment& now);
void draw_ink(Canvas& canvas, const DigitStage& stage, const Frame& frame);
void draw_chances(Canvas& canvas, const DigitStage& stage, const Frame& frame, double t);
std::string verdict_sentence(const DigitStage& stage);

}  // namespace murmur::picture
