// next_word_paint.cpp: words as labelled points on the sphere with the flock, and charts over time.
#include "picture/next_word_paint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/globe.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

constexpr int kColoured = 6;        // words with a colour of their own
constexpr std::size_t kNamed = 40;  // as many words are all named; of more, the coloured ones
constexpr double kPi = std::numbers::pi;

Place3 between(const Place3& a, const Place3& b, double share, bool unit) {
  Place3 c{};
  double square = 0;
  for (int k = 0; k < 3; ++k) c[k] = (1 - share) * a[k] + share * b[k], square += c[k] * c[k];
  if (unit && square > 1e-12)
    for (double& v : c) v /= std::sqrt(square);
  return c;
}

double length(const Place3& a) { return std::hypot(a[0], a[1], a[2]); }
bool is_unit(const Place3& a) { return std::fabs(length(a) - 1) < 1e-6; }

// A place of a frame, moved on to the instant; along the sphere where both ends lie on it.
Place3 moved(const Place3& from, const Place3& to, double share) {
  return between(from, to, share, is_unit(from) && is_unit(to));
}

// The sphere at one instant.
class WordPainter {
 public:
  WordPainter(const Pen& pen, const DomeLook& look, const NextWordPicture& picture,
              const WordCast& cast, const Instant& now, const Frame& square)
      : pen_(pen),
        cr_(pen.cr()),
        look_(look),
        theme_(*look.theme),
        p_(picture),
        cast_(cast),
        now_(now),
        after_(std::min(now.before + 1, picture.times.size() - 1)),
        globe_(pen, theme_, cast.camera, square, look.line) {}

  void paint() {
    if (!p_.circle) {
      globe_.body();
      globe_.graticule(false);
      side(false);
      globe_.graticule(true);
    }
    side(true);
    globe_.outline();
    names();
  }

 private:
  using Spot = Globe::Spot;
  bool is_near(const Spot& s) const { return p_.circle || Globe::front(s); }

  void side(bool near) const {
    swarm(near);
    words(near);
    path(p_.token, near);
    spoken(near);
  }

  void swarm(bool near) const {
    const std::size_t n = p_.swarm[now_.before].size();
    const double r =
        look_.line * std::clamp(5.2 * std::pow(30.0 / static_cast<double>(n + 1), 0.25), 1.2, 4.5);
    const Colour colour = mix(theme_.ink, theme_.body, near ? 0.45 : 0.7);
    for (std::size_t i = 0; i < n; ++i) {
      const Spot s = globe_.at(moved(p_.swarm[now_.before][i], p_.swarm[after_][i], now_.share));
      if (is_near(s) != near) continue;
      globe_.disc(s.x, s.y, r);
      pen_.ink(colour, near ? 0.75 : 0.35);
      cairo_fill(cr_);
    }
  }

  double probability(const SpokenPlace& who, int word) const {
    return (1 - now_.share) * who.probability[now_.before][word] +
           now_.share * who.probability[after_][word];
  }

  double word_radius(int v) const {
    return look_.line * (3.2 + 11 * std::sqrt(probability(p_.token, v)));
  }

  // A ring as wide as the word is probable, the unlikely first.
  void words(bool near) const {
    for (std::size_t v = 0; v < p_.points.size(); ++v) {
      const Spot s = globe_.at(p_.points[v]);
      if (is_near(s) != near) continue;
      const Colour colour = cast_.colour(theme_, static_cast<int>(v));
      globe_.disc(s.x, s.y, word_radius(static_cast<int>(v)));
      pen_.ink(colour, near ? 0.32 : 0.14);
      cairo_fill_preserve(cr_);
      pen_.ink(colour, near ? 1 : 0.5);
      cairo_set_line_width(cr_, 1.7 * look_.line);
      cairo_stroke(cr_);
    }
  }

  // Where the chosen token came from, one side at a time.
  void path(const SpokenPlace& who, bool near) const {
    bool drawing = false;
    for (std::size_t k = 0; k <= now_.before + 1; ++k) {
      const bool last = k == now_.before + 1;
      const Place3 place =
          last ? moved(who.place[now_.before], who.place[after_], now_.share) : who.place[k];
      const Spot s = globe_.at(place);
      const bool here = is_near(s) == near;
      if (here) (drawing ? cairo_line_to : cairo_move_to)(cr_, s.x, s.y);
      drawing = here;
    }
    pen_.ink(theme_.ink, near ? 0.8 : 0.35);
    cairo_set_line_width(cr_, 1.6 * look_.line);
    cairo_stroke(cr_);
  }

  // The token as a filled disc, the mean as a hollow diamond.
  void spoken(bool near) const {
    const auto place = [&](const SpokenPlace& who) {
      return globe_.at(moved(who.place[now_.before], who.place[after_], now_.share));
    };
    const double alpha = near ? 1 : 0.55, r = 5.4 * look_.line;
    const Spot mean = place(p_.mean), token = place(p_.token);
    if (is_near(mean) == near) {
      cairo_move_to(cr_, mean.x, mean.y - 1.25 * r);
      cairo_line_to(cr_, mean.x + 1.25 * r, mean.y);
      cairo_line_to(cr_, mean.x, mean.y + 1.25 * r);
      cairo_line_to(cr_, mean.x - 1.25 * r, mean.y);
      cairo_close_path(cr_);
      pen_.ink(theme_.centre, alpha);
      cairo_fill_preserve(cr_);
      pen_.ink(theme_.ink, alpha);
      cairo_set_line_width(cr_, 1.8 * look_.line);
      cairo_stroke(cr_);
    }
    if (is_near(token) == near) {
      globe_.disc(token.x, token.y, r);
      pen_.ink(theme_.ink, alpha);
      cairo_fill_preserve(cr_);
      pen_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.9 * alpha);
      cairo_set_line_width(cr_, 1.2 * look_.line);
      cairo_stroke(cr_);
    }
  }

  struct Label {
    double left, top, right, bottom;
    bool meets(const Label& o) const {
      return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
    }
  };

  // Names beside their points, the most probable first; one that finds no free place is left out.
  void names() const {
    std::vector<Label> taken;
    for (const SpokenPlace* who : {&p_.token, &p_.mean}) {
      const Spot s = globe_.at(moved(who->place[now_.before], who->place[after_], now_.share));
      const double r = 6 * look_.line;
      taken.push_back({s.x - r, s.y - r, s.x + r, s.y + r});
    }
    std::vector<int> order = cast_.ranked;
    if (p_.words.size() <= kNamed)
      for (std::size_t v = 0; v < p_.words.size(); ++v)
        if (cast_.rank[v] < 0) order.push_back(static_cast<int>(v));
    for (const int v : order) {
      const Spot s = globe_.at(p_.points[v]);
      const bool near = is_near(s);
      const double size = (near ? 1.0 : 0.82) * look_.em, r = word_radius(v) + 0.35 * look_.em;
      const double width = pen_.text_width(p_.words[v], size, near), high = 0.75 * size;
      const std::array<std::array<double, 2>, 4> tries{{{s.x + r, s.y + high / 2},
                                                        {s.x - r - width, s.y + high / 2},
                                                        {s.x - width / 2, s.y - r},
                                                        {s.x - width / 2, s.y + r + high}}};
      for (const auto& [x, baseline] : tries) {
        const Label label{x - 2, baseline - high - 2, x + width + 2, baseline + 0.25 * size};
        if (std::any_of(taken.begin(), taken.end(), [&](const Label& o) { return o.meets(label); }))
          continue;
        taken.push_back(label);
        const Colour colour = cast_.rank[v] < 0 ? theme_.quiet : cast_.colour(theme_, v);
        globe_.rimmed(p_.words[v], x, baseline,
                      {.size = size, .colour = colour, .bold = near, .alpha = near ? 1 : 0.6});
        break;
      }
    }
  }

  const Pen& pen_;
  cairo_t* cr_;
  const DomeLook& look_;
  const Theme& theme_;
  const NextWordPicture& p_;
  const WordCast& cast_;
  const Instant& now_;
  std::size_t after_;
  const Globe globe_;
};

// From above for the circle; else with the end of the token and of the mean towards the eye.
Camera camera_for(const NextWordPicture& p) {
  if (p.circle) return {-kPi / 2, kPi / 2};
  Place3 to = between(p.token.place.back(), p.mean.place.back(), 0.5, false);
  if (length(to) < 1e-3) to = p.token.place.back();
  const double high = std::asin(std::clamp(to[2] / std::max(length(to), 1e-9), -1.0, 1.0));
  return {std::atan2(to[1], to[0]) + 0.45, std::clamp(high + 0.25, -0.9, 0.9)};
}

}  // namespace

WordCast::WordCast(const NextWordPicture& picture)
    : rank(picture.words.size(), -1), camera(camera_for(picture)) {
  const std::size_t count = picture.words.size();
  std::vector<double> most(count);
  for (std::size_t v = 0; v < count; ++v)
    for (const SpokenPlace* who : {&picture.token, &picture.mean})
      for (const Vector& p : who->probability) most[v] = std::max(most[v], p[v]);
  for (std::size_t v = 0; v < count; ++v) ranked.push_back(static_cast<int>(v));
  std::stable_sort(ranked.begin(), ranked.end(), [&](int a, int b) { return most[a] > most[b]; });
  ranked.resize(std::min<std::size_t>(ranked.size(), kColoured));
  for (std::size_t k = 0; k < ranked.size(); ++k) rank[ranked[k]] = static_cast<int>(k);
}

Colour WordCast::colour(const Theme& theme, int word) const {
  return class_colour(rank[word], theme.dark);
}

Instant instant_at(const NextWordPicture& picture, double t) {
  const std::vector<double>& times = picture.times;
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  if (after == times.end()) return {times.size() - 1, 0};
  if (after == times.begin()) return {0, 0};
  const auto k = static_cast<std::size_t>(after - times.begin() - 1);
  return {k, (t - times[k]) / (times[k + 1] - times[k])};
}

double time_at(const NextWordPicture& picture, const Instant& now) {
  const std::size_t after = std::min(now.before + 1, picture.times.size() - 1);
  return (1 - now.share) * picture.times[now.before] + now.share * picture.times[after];
}

void paint_words(const Pen& pen, const DomeLook& look, const NextWordPicture& picture,
                 const WordCast& cast, const Instant& now, const Frame& square) {
  WordPainter(pen, look, picture, cast, now, square).paint();
}

void paint_chart(const Pen& pen, const DomeLook& look, const NextWordPicture& picture,
                 const WordChart& chart, const Instant& now, const Frame& room) {
  const Theme& theme = *look.theme;
  const double em = look.em, small = 0.86 * em;
  cairo_t* cr = pen.cr();
  const double first = picture.times.front(), last = std::max(picture.times.back(), first + 1e-12);
  const Frame plot{room.x + 3.4 * em, room.y + 1.7 * em, room.width - 3.8 * em,
                   room.height - (chart.clock ? 4.4 : 2.4) * em};
  const auto x = [&](double t) { return plot.x + plot.width * (t - first) / (last - first); };
  const auto y = [&](double v) {
    const double share = (v - chart.low) / (chart.high - chart.low);
    return plot.y + plot.height * (1 - std::clamp(share, 0.0, 1.0));
  };
  pen.text(room.x, room.y + 0.8 * em, chart.label, {.size = small, .colour = theme.ink});
  cairo_set_line_width(cr, 0.8 * look.line);
  const Ticks levels = nice_ticks(chart.low, chart.high, plot.height > 9 * em ? 4 : 2);
  for (const double level : levels.at) {
    cairo_move_to(cr, plot.x, y(level));
    cairo_line_to(cr, plot.x + plot.width, y(level));
    pen.ink(theme.line, level == levels.at.front() ? 0.45 : 0.18);
    cairo_stroke(cr);
    pen.text(plot.x - 0.5 * em, y(level) + 0.3 * em, levels.text(level),
             {.size = small, .colour = theme.quiet, .align = Align::right});
  }
  const double here = x(time_at(picture, now));
  const double dashes[] = {4.5 * look.line, 3 * look.line};
  for (const bool past : {false, true}) {
    cairo_save(cr);
    cairo_rectangle(cr, past ? plot.x - em : here, plot.y - em,
                    past ? here - plot.x + em : plot.x + plot.width + em - here,
                    plot.height + 2 * em);
    cairo_clip(cr);
    for (const WordCurve& curve : chart.curves) {
      for (std::size_t k = 0; k < curve.value.size(); ++k)
        cairo_line_to(cr, x(picture.times[k]), y(curve.value[k]));
      pen.ink(curve.colour, past ? 1 : 0.28);
      cairo_set_line_width(cr, curve.width * look.line);
      cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
      if (curve.dashed) cairo_set_dash(cr, dashes, 2, 0);
      cairo_stroke(cr);
      cairo_set_dash(cr, nullptr, 0, 0);
    }
    cairo_restore(cr);
  }
  cairo_move_to(cr, here, plot.y);
  cairo_line_to(cr, here, plot.y + plot.height);
  pen.ink(theme.quiet, 0.8);
  cairo_set_line_width(cr, look.line);
  cairo_stroke(cr);
  if (!chart.clock) return;
  const Ticks times = nice_ticks(first, last, plot.width > 30 * em ? 6 : 4);
  const double foot = plot.y + plot.height;
  for (const double t : times.at)
    pen.text(x(t), foot + 1.3 * em, times.text(t),
             {.size = small, .colour = theme.quiet, .align = Align::centre});
  pen.text(plot.x + plot.width / 2, foot + 2.6 * em, "time t",
           {.size = small, .colour = theme.ink, .align = Align::centre});
}

}  // namespace murmur::picture
