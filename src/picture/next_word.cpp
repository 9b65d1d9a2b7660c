// next_word.cpp: draws a vocabulary as points on the sphere with the swarm among them,
// and charts over time below, as a figure and as a film.
#include "picture/next_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "murmur/error.h"
#include "picture/dome_paint.h"
#include "picture/labels.h"
#include "picture/process.h"
#include "picture/render.h"
#include "picture/stage.h"

namespace murmur {

using namespace picture;

namespace {

// The parts that stay the same over a film.
struct WordColours {
  std::vector<int> ranked{};  // those that have a colour, the most probable first
  std::vector<int> rank{};    // (V) place among them; -1: grey
  Camera camera{0.6, 0.35};

  explicit WordColours(const NextWordPicture& picture);
  Colour colour(const Theme& theme, int word) const;
};

// An instant between frame `before` and the next one.
struct Instant {
  std::size_t before = 0;
  double share = 0;  // 0: at `before`
};

// A chart over the times of the picture; curves are drawn fully up to now, and faintly after.
struct WordCurve {
  std::vector<double> value{};  // (frames)
  Colour colour{};
  double width = 1;  // lines
  bool dashed = false;
};
struct WordChart {
  std::string label{};
  double low = 0, high = 1;
  bool clock = false;  // marks and label of the time axis
  std::vector<WordCurve> curves{};
};

constexpr int kColoured = 6;        // words with a colour of their own
constexpr std::size_t kNamed = 40;  // a larger vocabulary has only its coloured words named
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
              const WordColours& colours, const Instant& now, const Frame& square)
      : pen_(pen),
        cr_(pen.cr()),
        look_(look),
        theme_(*look.theme),
        p_(picture),
        colours_(colours),
        now_(now),
        after_(std::min(now.before + 1, picture.times.size() - 1)),
        globe_(pen, theme_, colours.camera, square, look.line) {}

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

  // Rings whose radius grows with the probability of the word, the least probable first.
  void words(bool near) const {
    for (std::size_t v = 0; v < p_.points.size(); ++v) {
      const Spot s = globe_.at(p_.points[v]);
      if (is_near(s) != near) continue;
      const Colour colour = colours_.colour(theme_, static_cast<int>(v));
      globe_.disc(s.x, s.y, word_radius(static_cast<int>(v)));
      pen_.ink(colour, near ? 0.32 : 0.14);
      cairo_fill_preserve(cr_);
      pen_.ink(colour, near ? 1 : 0.5);
      cairo_set_line_width(cr_, 1.7 * look_.line);
      cairo_stroke(cr_);
    }
  }

  // The path of the chosen token, one side of the sphere at a time.
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

  // Names next to their points, the most probable first; one that finds no free place is left out.
  void names() const {
    std::vector<Label> taken;
    for (const SpokenPlace* who : {&p_.token, &p_.mean}) {
      const Spot s = globe_.at(moved(who->place[now_.before], who->place[after_], now_.share));
      const double r = 6 * look_.line;
      taken.push_back({s.x - r, s.y - r, s.x + r, s.y + r});
    }
    std::vector<int> order = colours_.ranked;
    if (p_.words.size() <= kNamed)
      for (std::size_t v = 0; v < p_.words.size(); ++v)
        if (colours_.rank[v] < 0) order.push_back(static_cast<int>(v));
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
        const Colour colour = colours_.rank[v] < 0 ? theme_.quiet : colours_.colour(theme_, v);
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
  const WordColours& colours_;
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

WordColours::WordColours(const NextWordPicture& picture)
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

Colour WordColours::colour(const Theme& theme, int word) const {
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

void check(const NextWordPicture& p) {
  const std::size_t frames = p.times.size(), words = p.words.size();
  bool good = frames > 0 && words > 0 && p.points.size() == words && p.swarm.size() == frames;
  for (const SpokenPlace* who : {&p.token, &p.mean}) {
    good = good && who->place.size() == frames && who->probability.size() == frames &&
           who->outcomes.size() == frames;
    for (const Vector& p : who->probability) good = good && p.size() == words;
  }
  for (const auto& row : p.swarm) good = good && row.size() == p.swarm.front().size();
  good = good && std::is_sorted(p.times.begin(), p.times.end());
  const auto asked = p.frame < 0 ? p.frame + static_cast<std::int64_t>(frames) : p.frame;
  if (!good || asked < 0 || asked >= static_cast<std::int64_t>(frames))
    throw Error(Fault::input, "the parts of a picture of next words do not fit each other",
                "the picture",
                "give one place and one reading for each frame, and a frame that exists");
}

// One picture on the page: the sphere above or next to the charts.
class NextWordPage {
 public:
  NextWordPage(const Pen& pen, const DomeLook& look, const DomeStyle& style,
               const NextWordPicture& picture, const WordColours& colours)
      : pen_(pen), look_(look), theme_(*look.theme), p_(picture), colours_(colours) {
    const double em = look.em, width = style.width, height = style.height;
    Canvas ruler(8, 8);
    caption_ = ruler.wrap(picture.caption, width - 2 * kMargin * em, kSmall * em, false, 4);
    const double top = 4.8 * em;
    bottom_ = height - (1.4 + 1.3 * static_cast<double>(caption_.size())) * em;
    const double inner = width - 2 * kMargin * em, left = kMargin * em;
    if (width > 1.15 * height) {
      const double side = std::min(bottom_ - top, 0.52 * inner);
      square_ = {left, top + (bottom_ - top - side) / 2, side, side};
      charts_ = {left + side + 2 * em, top, inner - side - 2 * em, bottom_ - top};
    } else {
      const double side = std::min(inner, 0.56 * (bottom_ - top));
      square_ = {left + (inner - side) / 2, top, side, side};
      charts_ = {left, top + side + em, inner, bottom_ - top - side - em};
    }
  }

  void paint(const Instant& now) const {
    const double em = look_.em;
    pen_.text(kMargin * em, 2.2 * em, p_.title,
              {.size = 1.45 * em, .colour = theme_.ink, .bold = true});
    pen_.text(kMargin * em, 3.9 * em, p_.subtitle, {.size = em, .colour = theme_.quiet});
    WordPainter(pen_, look_, p_, colours_, now, square_).paint();
    clock(now);
    charts(now);
    double baseline = bottom_ + 1.5 * em;
    for (const std::string& line : caption_) {
      pen_.text(kMargin * em, baseline, line, {.size = kSmall * em, .colour = theme_.quiet});
      baseline += 1.3 * em;
    }
  }

 private:
  static constexpr double kMargin = 1.6, kSmall = 0.86;  // em

  void clock(const Instant& now) const {
    const Timeline timeline(p_.times, false);
    pen_.text(square_.x, square_.y + square_.height - 0.2 * look_.em,
              timeline.readout(time_at(p_, now)), {.size = look_.em, .colour = theme_.ink});
  }

  // The token's words and the mean's, the latter dashed; then how many are possible.
  void charts(const Instant& now) const {
    const double em = look_.em, key = 2.6 * em;
    WordChart words{.label = "probability of a word"};
    WordChart counts{
        .label = "possible words, exp of the entropy", .low = 0, .high = 2, .clock = true};
    for (const SpokenPlace* who : {&p_.mean, &p_.token}) {
      const bool dashed = who == &p_.mean;
      for (std::size_t v = p_.words.size(); v-- > 0;)
        if (colours_.rank[v] < 0) words.curves.push_back(curve(*who, static_cast<int>(v), 0.7));
      for (auto v = colours_.ranked.rbegin(); v != colours_.ranked.rend(); ++v) {
        words.curves.push_back(curve(*who, *v, dashed ? 1.4 : 2.2));
        words.curves.back().dashed = dashed;
      }
      for (const double count : who->outcomes)
        counts.high = std::max(counts.high, std::ceil(count));
      counts.curves.push_back({who->outcomes, theme_.ink, dashed ? 1.4 : 2.2, dashed});
    }
    const double high = charts_.height - key;
    samples({charts_.x, charts_.y, charts_.width, key});
    paint_chart(pen_, look_, p_, words, now,
                {charts_.x, charts_.y + key, charts_.width, 0.56 * high});
    paint_chart(pen_, look_, p_, counts, now,
                {charts_.x, charts_.y + key + 0.56 * high, charts_.width, 0.44 * high});
  }

  WordCurve curve(const SpokenPlace& who, int word, double width) const {
    WordCurve made{{}, colours_.colour(theme_, word), width};
    for (const Vector& p : who.probability) made.value.push_back(p[word]);
    return made;
  }

  // The key: the token's disc and line, the mean's diamond and dashes.
  void samples(const Frame& room) const {
    const double em = look_.em, y = room.y + 0.9 * em;
    cairo_t* cr = pen_.cr();
    double x = room.x;
    const double dashes[] = {4.5 * look_.line, 3 * look_.line};
    for (const bool mean : {false, true}) {
      const double r = 5.4 * look_.line;
      pen_.ink(theme_.ink);
      if (mean) {
        cairo_move_to(cr, x + r, y - 1.25 * r);
        cairo_line_to(cr, x + 2.25 * r, y);
        cairo_line_to(cr, x + r, y + 1.25 * r);
        cairo_line_to(cr, x - 0.25 * r, y);
        cairo_close_path(cr);
        cairo_set_line_width(cr, 1.8 * look_.line);
        cairo_stroke(cr);
      } else {
        cairo_arc(cr, x + r, y, r, 0, 6.2832);
        cairo_fill(cr);
      }
      cairo_move_to(cr, x + 1.6 * em, y);
      cairo_line_to(cr, x + 3.8 * em, y);
      cairo_set_line_width(cr, (mean ? 1.4 : 2.2) * look_.line);
      if (mean) cairo_set_dash(cr, dashes, 2, 0);
      cairo_stroke(cr);
      cairo_set_dash(cr, nullptr, 0, 0);
      const std::string& name = (mean ? p_.mean : p_.token).name;
      pen_.text(x + 4.3 * em, y + 0.33 * em, name, {.size = em, .colour = theme_.ink});
      x += 6.2 * em + pen_.text_width(name, em);
    }
  }

  const Pen& pen_;
  const DomeLook& look_;
  const Theme& theme_;
  const NextWordPicture& p_;
  const WordColours& colours_;
  Frame square_{}, charts_{};
  std::vector<std::string> caption_{};
  double bottom_ = 0;
};

}  // namespace

void draw_next_word(const NextWordPicture& picture, const DomeStyle& style,
                    const std::filesystem::path& path) {
  check(picture);
  check_ending(path);
  check_size({style.style == FigureStyle::dark, style.width, style.height});
  const DomeLook look = dome_look(style);
  const WordColours colours(picture);
  const auto frames = static_cast<std::int64_t>(picture.times.size());
  const auto frame =
      static_cast<std::size_t>(picture.frame < 0 ? picture.frame + frames : picture.frame);
  draw_page(style, path, [&](cairo_t* cr) {
    paint_ground(cr, *look.theme);
    NextWordPage(Pen(cr), look, style, picture, colours).paint({frame, 0});
  });
}

bool film_next_word(const NextWordPicture& picture, const DomeFilm& film,
                    const std::filesystem::path& mp4) {
  check(picture);
  const DomeStyle& style = film.style;
  check_size({style.style == FigureStyle::dark, style.width, style.height});
  const DomeLook look = dome_look(style);
  const WordColours colours(picture);
  const double seconds = film.seconds > 0 ? film.seconds : 8;
  const int frames = count_frames(film.fps, seconds);
  const double first = picture.times.front(), last = picture.times.back();
  const auto draw = [&](Canvas& canvas, int frame) {
    const double share = frames > 1 ? static_cast<double>(frame) / (frames - 1) : 1;
    paint_ground(canvas.cr(), *look.theme);
    NextWordPage(Pen(canvas.cr()), look, style, picture, colours)
        .paint(instant_at(picture, first + share * (last - first)));
  };
  return film_page(film, seconds, draw, mp4);
}

}  // namespace murmur
