// next_word.cpp: lays sphere, charts and key of a picture of next words out, and films them.
#include "picture/next_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/encoder.h"
#include "picture/figure_file.h"
#include "picture/globe.h"
#include "picture/labels.h"
#include "picture/next_word_paint.h"
#include "picture/stage.h"

namespace murmur {

using namespace picture;

namespace {

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
                "the picture", "give one place and one reading a frame, and a frame that is there");
}

// One picture on the page: the sphere above or beside the charts.
class WordSheet {
 public:
  WordSheet(const Pen& pen, const DomeLook& look, const DomeStyle& style,
            const NextWordPicture& picture, const WordCast& cast)
      : pen_(pen), look_(look), theme_(*look.theme), p_(picture), cast_(cast) {
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
    paint_words(pen_, look_, p_, cast_, now, square_);
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
        if (cast_.rank[v] < 0) words.curves.push_back(curve(*who, static_cast<int>(v), 0.7));
      for (auto v = cast_.ranked.rbegin(); v != cast_.ranked.rend(); ++v) {
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
    WordCurve made{{}, cast_.colour(theme_, word), width};
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
  const WordCast& cast_;
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
  const WordCast cast(picture);
  const auto frames = static_cast<std::int64_t>(picture.times.size());
  const auto frame =
      static_cast<std::size_t>(picture.frame < 0 ? picture.frame + frames : picture.frame);
  draw_page(style, path, [&](cairo_t* cr) {
    paint_ground(cr, *look.theme);
    WordSheet(Pen(cr), look, style, picture, cast).paint({frame, 0});
  });
}

bool film_next_word(const NextWordPicture& picture, const DomeFilm& film,
                    const std::filesystem::path& mp4) {
  check(picture);
  const DomeStyle& style = film.style;
  check_size({style.style == FigureStyle::dark, style.width, style.height});
  const DomeLook look = dome_look(style);
  const WordCast cast(picture);
  const double seconds = film.seconds > 0 ? film.seconds : 8;
  const int frames = count_frames(film.fps, seconds);
  const double first = picture.times.front(), last = picture.times.back();
  const auto draw = [&](Canvas& canvas, int frame) {
    const double share = frames > 1 ? static_cast<double>(frame) / (frames - 1) : 1;
    paint_ground(canvas.cr(), *look.theme);
    WordSheet(Pen(canvas.cr()), look, style, picture, cast)
        .paint(instant_at(picture, first + share * (last - first)));
  };
  return film_page(film, seconds, draw, mp4);
}

}  // namespace murmur
