// dome_paint.cpp: draws a translucent sphere with parallels and meridians, and on it the query, the
// field of vision, keys, values and arrows of a token.
#include "picture/dome_paint.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "murmur/token_move.h"

namespace murmur::picture {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kPieces = 96;  // straight pieces of a circle

using Place = std::array<double, 3>;

// The points of the sphere at one angle from its middle, by their turn around it.
class Circle {
 public:
  Circle(const Place& middle, double angle) : middle_(middle), angle_(angle) {
    const int least = std::fabs(middle[0]) < std::fabs(middle[1]) ? 0 : 1;
    Place axis{};
    axis[std::fabs(middle[2]) < std::fabs(middle[least]) ? 2 : least] = 1;
    u_ = cross(middle, axis);
    const double size = std::hypot(u_[0], u_[1], u_[2]);
    for (double& c : u_) c /= size;
    v_ = cross(middle, u_);
  }
  Place operator()(double turn) const {
    Place p{};
    for (int c = 0; c < 3; ++c)
      p[c] = std::cos(angle_) * middle_[c] +
             std::sin(angle_) * (std::cos(turn) * u_[c] + std::sin(turn) * v_[c]);
    return p;
  }

 private:
  static Place cross(const Place& a, const Place& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  Place middle_, u_{}, v_{};
  double angle_;
};

}  // namespace

void paint_ground(cairo_t* cr, const Theme& theme) {
  const Colour c = theme.dark ? rgb(0x10151f) : theme.centre;
  cairo_set_source_rgb(cr, c.red, c.green, c.blue);
  cairo_paint(cr);
}

Globe::Globe(const Pen& pen, const Theme& theme, const Camera& camera, const Frame& square,
             double line)
    : pen_(pen),
      cr_(pen.cr()),
      theme_(theme),
      camera_(camera),
      x_(square.x + square.width / 2),
      y_(square.y + square.height / 2),
      radius_(0.46 * std::min(square.width, square.height)),
      line_(line) {}

Globe::Spot Globe::at(const std::array<double, 3>& place) const {
  const Sight s = camera_.project(
      {static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2])});
  return {x_ + radius_ * s.x, y_ - radius_ * s.y, s.depth};
}

void Globe::disc(double x, double y, double r) const {
  cairo_new_sub_path(cr_);
  cairo_arc(cr_, x, y, r, 0, 2 * kPi);
}

void Globe::body() const {
  const Pattern fill =
      Canvas::radial(x_ - 0.38 * radius_, y_ - 0.45 * radius_, 0.04 * radius_, x_, y_, radius_);
  Canvas::stop(fill, 0, theme_.lit, theme_.dark ? 0.55 : 1);
  Canvas::stop(fill, 0.8, theme_.body, theme_.dark ? 0.75 : 0.8);
  Canvas::stop(fill, 1, theme_.limb, theme_.dark ? 0.9 : 0.85);
  cairo_set_source(cr_, fill.get());
  disc(x_, y_, radius_);
  cairo_fill(cr_);
}

void Globe::outline() const {
  disc(x_, y_, radius_);
  pen_.ink(theme_.line, 0.5);
  cairo_set_line_width(cr_, 1.1 * line_);
  cairo_stroke(cr_);
}

template <class At>
void Globe::curve(const At& point, bool near) const {
  bool drawing = false;
  for (int k = 0; k <= kPieces; ++k) {
    const Spot s = at(point(2 * kPi * k / kPieces));
    const bool here = front(s) == near;
    if (here) (drawing ? cairo_line_to : cairo_move_to)(cr_, s.x, s.y);
    drawing = here;
  }
}

void Globe::graticule(bool near) const {
  for (int step = -2; step <= 2; ++step)
    curve(
        [&](double s) {
          const double z = step * kPi / 6;
          return Place{std::cos(z) * std::cos(s), std::cos(z) * std::sin(s), std::sin(z)};
        },
        near);
  for (int step = 0; step < 6; ++step)
    curve(
        [&](double s) {
          const double a = step * kPi / 6;
          return Place{std::cos(s) * std::cos(a), std::cos(s) * std::sin(a), std::sin(s)};
        },
        near);
  pen_.ink(theme_.line, 0.7 * (near ? theme_.line_front : theme_.line_back));
  cairo_set_line_width(cr_, 0.7 * line_);
  cairo_stroke(cr_);
}

void Globe::cap_edge(const Place& middle, double angle, bool near) const {
  curve(Circle(middle, angle), near);
}

void Globe::cap(const Place& middle, double angle, bool near) const {
  const Circle circle(middle, angle);
  // On the outline of the sphere, at a turn anticlockwise from the right.
  const auto holds = [&](double turn) {
    const double h = Camera::horizon(), out = std::sqrt(1 - h * h);
    const Point p = camera_.on_sphere({out * std::cos(turn), out * std::sin(turn), h});
    return middle[0] * p.x + middle[1] * p.y + middle[2] * p.z >= std::cos(angle);
  };
  std::vector<Spot> spots;
  int first = -1, here = 0;  // the first on this side after one that is not
  for (int k = 0; k < kPieces; ++k) spots.push_back(at(circle(2 * kPi * k / kPieces)));
  for (int k = 0; k < kPieces; ++k) {
    if (front(spots[k]) != near) continue;
    ++here;
    if (front(spots[(k + kPieces - 1) % kPieces]) != near) first = k;
  }
  cairo_new_path(cr_);
  for (int k = 0; k < here; ++k) {
    const Spot& s = spots[(std::max(first, 0) + k) % kPieces];
    cairo_line_to(cr_, s.x, s.y);
  }
  if (first < 0) {  // the circle is on one side: the outline is within the cap, or it is not
    cairo_close_path(cr_);
    if (holds(0)) disc(x_, y_, radius_);
  } else {  // back along the outline, through the cap
    const Spot &start = spots[first], &end = spots[(first + here - 1) % kPieces];
    const double from = std::atan2(y_ - end.y, end.x - x_);
    double to = std::atan2(y_ - start.y, start.x - x_);
    if (to < from) to += 2 * kPi;
    if (holds((from + to) / 2))
      cairo_arc_negative(cr_, x_, y_, radius_, -from, -to);
    else
      cairo_arc(cr_, x_, y_, radius_, -from, -to);
    cairo_close_path(cr_);
  }
  cairo_set_fill_rule(cr_, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_fill(cr_);
  cairo_set_fill_rule(cr_, CAIRO_FILL_RULE_WINDING);
}

void Globe::rimmed(const std::string& text, double x, double baseline,
                   const TextStyle& style) const {
  const std::string words = clean_text(text);
  const double width = pen_.text_width(words, style.size, style.bold);
  const double left = style.align == Align::left     ? x
                      : style.align == Align::centre ? x - width / 2
                                                     : x - width;
  cairo_save(cr_);
  cairo_move_to(cr_, left, baseline);
  cairo_text_path(cr_, words.c_str());
  pen_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.85 * style.alpha);
  cairo_set_line_width(cr_, 3.2 * line_);
  cairo_stroke_preserve(cr_);
  pen_.ink(style.colour, style.alpha);
  cairo_fill(cr_);
  cairo_restore(cr_);
}

namespace {

constexpr double kReach = 0.82;       // of the radius: the longest way of the arrows
constexpr double kStem = 0.24;        // of the radius: the longest key
constexpr std::size_t kThreads = 12;  // lines from the keys attended to most to their values

double length(const Arrow3& a) { return std::hypot(a[0], a[1], a[2]); }

Arrow3 sum(const Arrow3& a, const Arrow3& b, double share = 1) {
  return {a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]};
}

double dot(const Arrow3& a, const Arrow3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Draws one sphere.
class Painter {
 public:
  Painter(const Pen& pen, const DomeLook& look, const DomeView& view, const Frame& square)
      : pen_(pen),
        cr_(pen.cr()),
        look_(fitted(look, square)),
        theme_(*look.theme),
        view_(view),
        globe_(pen, theme_, view.camera, inner(square, view.longest), look_.line),
        cx_(globe_.x()),
        cy_(globe_.y()),
        radius_(globe_.radius()) {}

  void paint(const DomePicture& picture, const DomeHead& head) {
    const Points keys = points_of(head.keys, head.weights, head.groups);
    const Points values = points_of(head.values, head.parts, head.value_groups);
    globe_.body();
    globe_.graticule(false);
    for (const bool near : {false, true}) {
      vision(head, near);
      draw_keys(head, keys, near);
      draw_values(head, values, near);
      query(head, near);
      if (near) break;
      links(head);
      token();
      arrows(picture, head);
      globe_.graticule(true);
    }
    globe_.outline();
    counts(keys, view_.parts.keys, false);
    counts(values, view_.parts.messages, true);
  }

 private:
  // Points of the sphere, drawn as one where they overlap, the heaviest first.
  struct Points {
    std::vector<KeyGroup> groups{};
    double most = 0;  // weight of one point
    int many = 0;
  };
  static Points points_of(const std::vector<Arrow3>& places, const std::vector<double>& weights,
                          std::vector<int> groups) {
    Points points;
    if (places.empty()) return points;
    Matrix rows = zeros(static_cast<int>(places.size()), 3);
    for (int j = 0; j < rows.rows; ++j)
      for (int c = 0; c < 3; ++c) rows(j, c) = places[j][c];
    for (int j = 0, next = 0; groups.size() < places.size(); ++j)
      groups.push_back(length(places[j]) > 0 ? next++ : -1);
    points.groups = summarise_groups(rows, weights, groups);
    std::stable_sort(points.groups.begin(), points.groups.end(),
                     [](const KeyGroup& a, const KeyGroup& b) { return a.weight > b.weight; });
    if (!points.groups.empty()) points.most = points.groups[0].weight;
    points.many = std::max<int>(4, static_cast<int>(places.size()) / 20);
    return points;
  }

  // Lines of small spheres are thinner.
  static DomeLook fitted(DomeLook look, const Frame& square) {
    look.line *= std::clamp(square.width / (36 * look.em), 0.6, 1.0);
    return look;
  }

  using Spot = Globe::Spot;
  Spot at(const Arrow3& a) const { return globe_.at(a); }
  static bool front(const Spot& s) { return Globe::front(s); }
  void disc(double x, double y, double r) const { globe_.disc(x, y, r); }

  // Room for the stems of keys around the sphere.
  static Frame inner(const Frame& square, double longest) {
    const double off = longest > 0 ? 0.5 * (1 - 1 / (1 + 0.85 * kStem)) * square.width : 0;
    return {square.x + off, square.y + off, square.width - 2 * off, square.height - 2 * off};
  }

  static Arrow3 place_of(const KeyGroup& group) {
    return {group.place[0], group.place[1], group.place[2]};
  }

  double radius_of(double weight, double share, double whole) const {
    return std::max(1.6 * look_.line, whole * radius_ * std::sqrt(share * weight));
  }

  // Ten caps, one over another: the shade is the factor that a key of the mean length has there;
  // the line is where it is one half.
  void vision(const DomeHead& head, bool near) const {
    if (length(head.query) == 0 || head.concentration == 0 || view_.parts.query <= 0) return;
    const Arrow3 middle = sum({}, head.query, head.concentration > 0 ? 1 : -1);
    for (int k = 0; k < 10; ++k) {
      pen_.ink(look_.query, (near ? 1.0 : 0.6) * kVision * view_.parts.query);
      globe_.cap(middle, attention_angle(head.concentration, 0.05 + 0.1 * k), near);
    }
    globe_.cap_edge(middle, attention_angle(head.concentration, 0.5), near);
    pen_.ink(look_.query, (near ? 0.75 : 0.35) * view_.parts.query);
    cairo_set_line_width(cr_, 1.2 * look_.line);
    cairo_stroke(cr_);
  }

  // A disc for keys that overlap, and for each key a speck and a stem as long as it is.
  void draw_keys(const DomeHead& head, const Points& points, bool near) const {
    const double alpha = view_.parts.keys * (near ? 0.85 : 0.45);
    const auto colour = [&](double weight) {
      return weight_colour(look_, points.most > 0 ? view_.parts.weights * weight / points.most : 0);
    };
    const double heaviest = *std::max_element(head.weights.begin(), head.weights.end());
    for (const KeyGroup& group : points.groups) {
      const Spot s = at(place_of(group));
      if (front(s) != near) continue;
      disc(s.x, s.y, radius_of(group.weight, view_.parts.weights, KeyDiscs{}.ball));
      pen_.ink(colour(group.weight), alpha);
      cairo_fill_preserve(cr_);
      pen_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.8 * alpha);
      cairo_set_line_width(cr_, 0.8 * look_.line);
      cairo_stroke(cr_);
    }
    for (std::size_t j = 0; j < head.keys.size(); ++j) {
      const Spot s = at(head.keys[j]);
      if (length(head.keys[j]) == 0 || front(s) != near) continue;
      const double share = heaviest > 0 ? view_.parts.weights * head.weights[j] / heaviest : 0;
      pen_.ink(mix(weight_colour(look_, share), theme_.ink, 0.2 + 0.3 * share),
               view_.parts.keys * (near ? 0.9 : 0.45));
      disc(s.x, s.y, 1.1 * look_.line);
      cairo_fill(cr_);
      if (view_.longest > 0 && !head.lengths.empty()) stem(head.keys[j], head.lengths[j], share);
    }
  }

  // Outwards from its place, in the ink of the speck.
  void stem(const Arrow3& key, double size, double share) const {
    const Spot foot = at(key);
    const Spot tip = at(sum(key, key, view_.parts.keys * kStem * size / view_.longest));
    cairo_move_to(cr_, foot.x, foot.y);
    cairo_line_to(cr_, tip.x, tip.y);
    cairo_set_line_width(cr_, (0.9 + 1.3 * share) * look_.line);
    cairo_stroke(cr_);
    disc(tip.x, tip.y, (1.4 + share) * look_.line);
    cairo_fill(cr_);
  }

  void draw_values(const DomeHead& head, const Points& points, bool near) const {
    const double grown = view_.parts.messages, alpha = grown * (near ? 0.9 : 0.45);
    if (grown <= 0) return;
    for (const KeyGroup& group : points.groups) {
      const Spot s = at(place_of(group));
      if (front(s) != near) continue;
      trace_diamond(cr_, s.x, s.y, radius_of(group.weight, grown, kValueDiamonds.ball));
      pen_.ink(look_.value, alpha * (group.weight > 0 ? 1 : 0.5));
      cairo_fill_preserve(cr_);
      pen_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.8 * alpha);
      cairo_set_line_width(cr_, 0.8 * look_.line);
      cairo_stroke(cr_);
    }
    for (const Arrow3& value : head.values) {
      const Spot s = at(value);
      if (length(value) == 0 || front(s) != near) continue;
      disc(s.x, s.y, 0.9 * look_.line);
      pen_.ink(mix(look_.value, theme_.ink, 0.5), 0.8 * alpha);
      cairo_fill(cr_);
    }
  }

  // The number of points that overlap, where they have weight or are many: in the disc where there
  // is room, else to its right. A number that would cover another is left out.
  void counts(const Points& points, double alpha, bool values) {
    for (const KeyGroup& group : points.groups) {
      const bool told = group.weight > 0.02 * points.most || group.count >= points.many;
      if (group.count < 2 || !told || alpha <= 0) continue;
      const Spot s = at(place_of(group));
      const double r = radius_of(group.weight, values ? alpha : view_.parts.weights,
                                 values ? kValueDiamonds.ball : KeyDiscs{}.ball);
      const std::string words = std::to_string(group.count);
      const double size = 0.8 * look_.em, width = pen_.text_width(words, size, true);
      const bool within = width < 1.5 * r * (values ? 0.7 : 1);
      const double x = within ? s.x : s.x + r + 0.25 * look_.em + width / 2;
      const Frame box{x - width / 2, s.y - 0.5 * size, width, size};
      const auto covers = [&](const Frame& other) {
        return box.x < other.x + other.width && other.x < box.x + box.width &&
               box.y < other.y + other.height && other.y < box.y + box.height;
      };
      if (std::any_of(taken_.begin(), taken_.end(), covers)) continue;
      taken_.push_back(box);
      const Colour beside = values ? mix(look_.value, theme_.ink, 0.3) : theme_.ink;
      globe_.rimmed(words, x, s.y + 0.36 * size,
                    {.size = size,
                     .colour = beside,
                     .bold = true,
                     .align = Align::centre,
                     .alpha = (front(s) ? 1 : 0.6) * alpha});
    }
  }

  // From the keys attended to most to their values; in a film the messages travel along them.
  void links(const DomeHead& head) const {
    const double grown = view_.parts.messages;
    const double most = *std::max_element(head.weights.begin(), head.weights.end());
    if (grown <= 0 || most <= 0 || head.values.empty()) return;
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < head.keys.size(); ++j)
      if (length(head.keys[j]) > 0 && length(head.values[j]) > 0 && head.weights[j] > 0.02 * most)
        order.push_back(j);
    const std::size_t count = std::min(order.size(), kThreads);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(),
                      [&](auto a, auto b) { return head.weights[a] > head.weights[b]; });
    for (std::size_t k = 0; k < count; ++k) {
      const Arrow3 &key = head.keys[order[k]], &value = head.values[order[k]];
      const double share = head.weights[order[k]] / most;
      const Spot from = at(key), to = at(sum(key, sum(value, key, -1), grown));
      cairo_move_to(cr_, from.x, from.y);
      cairo_line_to(cr_, to.x, to.y);
      pen_.ink(look_.value, 0.12 + 0.28 * share);
      cairo_set_line_width(cr_, (0.6 + 1.0 * share) * look_.line);
      cairo_stroke(cr_);
      if (grown >= 1) continue;
      disc(to.x, to.y, 2.2 * look_.line);
      pen_.ink(look_.value);
      cairo_fill(cr_);
    }
  }

  void token() const {
    disc(cx_, cy_, 3.4 * look_.line);
    pen_.ink(theme_.ink);
    cairo_fill(cr_);
  }

  // A line to the sphere, and a ring with a dot where it meets it.
  void query(const DomeHead& head, bool near) {
    if (length(head.query) == 0 || view_.parts.query <= 0) return;
    const Spot end = at(head.query);
    if (!near) {
      const Spot tip = at(sum({}, head.query, view_.parts.query));
      const double dashes[] = {4 * look_.line, 3 * look_.line};
      cairo_move_to(cr_, cx_, cy_);
      cairo_line_to(cr_, tip.x, tip.y);
      pen_.ink(look_.query, 0.9);
      cairo_set_line_width(cr_, 1.6 * look_.line);
      cairo_set_dash(cr_, dashes, 2, 0);
      cairo_stroke(cr_);
      cairo_set_dash(cr_, nullptr, 0, 0);
    }
    if (front(end) != near || view_.parts.query < 1) return;
    const double alpha = near ? 1 : 0.6;
    for (const bool halo : {true, false}) {
      disc(end.x, end.y, 6.5 * look_.line);
      pen_.ink(halo ? theme_.centre : look_.query, halo ? 0.8 * alpha : alpha);
      cairo_set_line_width(cr_, (halo ? 4.4 : 2.2) * look_.line);
      cairo_stroke(cr_);
    }
    disc(end.x, end.y, 2 * look_.line);
    pen_.ink(look_.query, alpha);
    cairo_fill(cr_);
    taken_.push_back({end.x + 0.6 * look_.em, end.y - 0.6 * look_.em, look_.em, look_.em});
    globe_.rimmed(
        "q", end.x + 1.1 * look_.em, end.y + 0.35 * look_.em,
        {.size = 1.05 * look_.em, .colour = look_.query, .bold = true, .align = Align::centre});
  }

  void arrow(const Arrow3& from, const Arrow3& way, Colour colour, double width,
             double alpha = 1) const {
    const Spot a = at(from), b = at(sum(from, way));
    paint_arrow(pen_, {a.x, a.y, b.x, b.y}, colour, width * look_.line, alpha);
  }

  // Head to tail: this head's message, those of the others, feed-forward; then their sum.
  void arrows(const DomePicture& picture, const DomeHead& head) const {
    const DomeParts& parts = view_.parts;
    const auto scaled = [&](const Arrow3& a, double share) {
      return sum({}, a, share * view_.scale);
    };
    const Arrow3 own = scaled(head.message, 1), all = scaled(picture.messages, 1);
    if (parts.move > 0) move(picture);  // wide, and below what it is made of
    if (parts.messages > 0) {
      arrow({}, scaled(head.message, parts.messages), look_.value, 2.6);
      const Arrow3 rest = sum(all, own, -1);
      if (length(rest) > 0.01 && parts.messages >= 1) arrow(own, rest, look_.value, 1.8, 0.55);
    }
    if (parts.feed_forward > 0)
      arrow(all, scaled(picture.feed_forward, parts.feed_forward), look_.feed_forward, 2.6);
  }

  void move(const DomePicture& picture) const {
    const Arrow3 to = sum({}, picture.move, view_.scale);
    const Arrow3 end =
        sum(sum({}, picture.messages, view_.scale), picture.feed_forward, view_.scale);
    if (length(sum(to, end, -1)) > 0.01) {
      const Spot a = at(end), b = at(to);
      const double dashes[] = {2 * look_.line, 2.5 * look_.line};
      cairo_move_to(cr_, a.x, a.y);
      cairo_line_to(cr_, b.x, b.y);
      pen_.ink(theme_.quiet);
      cairo_set_line_width(cr_, 1.5 * look_.line);
      cairo_set_dash(cr_, dashes, 2, 0);
      cairo_stroke(cr_);
      cairo_set_dash(cr_, nullptr, 0, 0);
    }
    arrow({}, sum({}, picture.move, view_.parts.move * view_.scale), look_.move, 6.5, 0.85);
  }

  const Pen& pen_;
  cairo_t* cr_;
  const DomeLook look_;
  const Theme& theme_;
  const DomeView& view_;
  const Globe globe_;
  double cx_, cy_, radius_;
  std::vector<Frame> taken_{};  // by letters
};

// By weight, so that it is short where heavy keys lie on all sides.
Arrow3 mean_key(const DomeHead& head) {
  Arrow3 mean{};
  for (std::size_t j = 0; j < head.keys.size(); ++j)
    mean = sum(mean, head.keys[j], head.weights[j]);
  return mean;
}

// The greatest distance from the middle that the arrows of a picture reach, drawn head to tail.
double reach_of(const DomePicture& p) {
  double most =
      std::max({length(p.messages), length(p.move), length(sum(p.messages, p.feed_forward))});
  for (const DomeHead& head : p.heads) most = std::max(most, length(head.message));
  return most;
}

}  // namespace

DomeLook dome_look(const DomeStyle& style) {
  const bool dark = style.style == FigureStyle::dark, large = style.style == FigureStyle::slides;
  const Theme& theme = theme_of(dark);
  const double unit = std::sqrt(style.width * style.height / (1280.0 * 720.0));
  return {.theme = &theme,
          .query = class_colour(0, dark),
          .key = class_colour(2, dark),
          .value = class_colour(4, dark),
          .feed_forward = theme.ink,
          .move = class_colour(1, dark),
          .em = (large ? 19 : 14.5) * unit,
          .line = (large ? 1.5 : 1.15) * unit};
}

DomeParts dome_parts(double share) {
  const double at = kDomeParts * std::clamp(share, 0.0, 1.0);
  const auto part = [&](int k) {
    const double s = std::clamp(2 * (at - k), 0.0, 1.0);
    return s * s * (3 - 2 * s);
  };
  return {part(0), part(1), part(2), part(3), part(4), part(5)};
}

Camera dome_camera(const std::vector<DomePicture>& pictures) {
  const auto sidewards = [](const Arrow3& eye, const Arrow3& way) {
    const double size = length(way), along = size > 0 ? dot(eye, way) / size : 0;
    return size > 0 ? 1 - along * along : 0;
  };
  double best = -1e300, azimuth = 0.6, elevation = 0.35;
  for (int turn = 0; turn < 36; ++turn)
    for (const double high : {0.15, 0.35, 0.6, -0.3}) {
      const double a = turn * kPi / 18;
      const Arrow3 eye{std::cos(high) * std::cos(a), std::cos(high) * std::sin(a), std::sin(high)};
      double value = 0;
      for (const DomePicture& p : pictures) {
        for (const DomeHead& head : p.heads)
          value += (std::min(dot(eye, head.query), 0.72) + 0.6 * dot(eye, mean_key(head))) /
                   static_cast<double>(p.heads.size());
        value += 0.4 * sidewards(eye, p.move) + 0.2 * sidewards(eye, p.messages) +
                 0.2 * sidewards(eye, p.feed_forward);
      }
      if (value > best + 1e-9) best = value, azimuth = a, elevation = high;
    }
  return {azimuth, elevation};
}

double arrow_scale(const std::vector<DomePicture>& pictures) {
  double most = 0;
  for (const DomePicture& p : pictures) most = std::max(most, reach_of(p));
  return most > 0 ? kReach / most : 1;
}

double longest_key(const std::vector<DomePicture>& pictures, std::size_t head) {
  double most = 0;
  for (const DomePicture& p : pictures)
    for (const double size : p.heads[head].lengths) most = std::max(most, size);
  return most;
}

void trace_diamond(cairo_t* cr, double x, double y, double r) {
  cairo_move_to(cr, x, y - r);
  cairo_line_to(cr, x + r, y);
  cairo_line_to(cr, x, y + r);
  cairo_line_to(cr, x - r, y);
  cairo_close_path(cr);
}

Colour weight_colour(const DomeLook& look, double share) {
  const Colour none = mix(look.theme->quiet, look.theme->centre, 0.45);
  return mix(none, look.key, std::sqrt(std::clamp(share, 0.0, 1.0)));
}

void paint_arrow(const Pen& pen, std::array<double, 4> way, Colour colour, double width,
                 double alpha) {
  cairo_t* cr = pen.cr();
  const auto [x0, y0, x1, y1] = way;
  const double dx = x1 - x0, dy = y1 - y0, size = std::hypot(dx, dy);
  if (size < 0.6 * width) return;
  const double head = std::min(0.6 * size, 4.2 * width), ux = dx / size, uy = dy / size;
  pen.ink(colour, alpha);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
  cairo_set_line_width(cr, width);
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1 - 0.8 * head * ux, y1 - 0.8 * head * uy);
  cairo_stroke(cr);
  cairo_move_to(cr, x1, y1);
  cairo_line_to(cr, x1 - head * ux - 0.42 * head * uy, y1 - head * uy + 0.42 * head * ux);
  cairo_line_to(cr, x1 - head * ux + 0.42 * head * uy, y1 - head * uy - 0.42 * head * ux);
  cairo_close_path(cr);
  cairo_fill(cr);
}

void paint_dome(const Pen& pen, const DomeLook& look, const DomePicture& picture, std::size_t head,
                const DomeView& view, const Frame& square) {
  Painter(pen, look, view, square).paint(picture, picture.heads[head]);
}

}  // namespace murmur::picture
