// dome.cpp: lays spheres, key and words out on a picture, and films the parts one after another.
#include "picture/dome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/error.h"
#include "murmur/token_move.h"
#include "picture/dome_paint.h"
#include "picture/labels.h"
#include "picture/process.h"
#include "picture/render.h"
#include "picture/stage.h"

namespace murmur {

using namespace picture;

namespace {

constexpr const char* kPartNames[kDomeParts] = {"query",    "keys",         "weights",
                                                "messages", "feed-forward", "move"};
constexpr std::size_t kMostHeads = 16;

void check(const std::vector<DomePicture>& pictures) {
  const auto refuse = [](const std::string& what) {
    throw Error(Fault::input, what, "the dome of a token",
                "give one head to sixteen, with a weight for every key, all finite");
  };
  if (pictures.empty()) refuse("there is nothing to draw");
  for (const DomePicture& p : pictures) {
    if (p.heads.empty() || p.heads.size() > kMostHeads)
      refuse(fmt::format("there are {} heads to draw", p.heads.size()));
    bool good = true;
    for (const DomeHead& head : p.heads) {
      good = good && !head.keys.empty() && head.keys.size() == head.weights.size();
      for (const Arrow3& key : head.keys)
        for (const double c : key) good = good && std::isfinite(c);
      const std::size_t n = head.keys.size();
      const auto fits = [n](const auto& list) { return list.empty() || list.size() == n; };
      good = good && fits(head.lengths) && fits(head.groups) && fits(head.values) &&
             head.values.size() == head.parts.size() && fits(head.value_groups);
      for (const double a : head.weights) good = good && a >= 0 && a <= 1 + 1e-9;
      for (const Arrow3* a : {&head.query, &head.message})
        for (const double c : *a) good = good && std::isfinite(c);
    }
    for (const Arrow3* a : {&p.messages, &p.feed_forward, &p.correction, &p.move})
      for (const double c : *a) good = good && std::isfinite(c);
    if (!good) refuse("the parts of a token's move do not fit each other");
  }
}

// The parts that stay the same over a film.
struct PageSetup {
  explicit PageSetup(const std::vector<DomePicture>& pictures, const DomeStyle& how, bool in_parts)
      : style(how),
        look(dome_look(how)),
        camera(dome_camera(pictures)),
        scale(arrow_scale(pictures)),
        film(in_parts) {
    for (std::size_t h = 0; h < pictures[0].heads.size(); ++h)
      longest.push_back(longest_key(pictures, h));
  }
  DomeStyle style;
  DomeLook look;
  Camera camera;
  double scale;
  std::vector<double> longest{};  // key of each head
  bool film;
};

// One picture on the page.
class DomePage {
 public:
  DomePage(const Pen& pen, const PageSetup& setup, const DomePicture& picture)
      : pen_(pen), setup_(setup), look_(setup.look), theme_(*look_.theme), picture_(picture) {
    const double em = look_.em, width = setup.style.width, height = setup.style.height;
    Canvas ruler(8, 8);
    caption_ = ruler.wrap(picture.caption, width - 2 * kMargin * em, kSmall * em, false, 5);
    const double top = (picture.subtitle.empty() ? 3.0 : 4.6) * em;
    double bottom = height - (1.0 + 1.3 * static_cast<double>(caption_.size())) * em;
    if (setup.film) bottom -= kStrip * em;
    beside_ = width > 1.15 * height;
    const double key_width = beside_ ? kKey * em : 0, key_height = beside_ ? 0 : 10.9 * em;
    key_ = beside_ ? Frame{width - key_width - kMargin * em, top, key_width, bottom - top}
                   : Frame{kMargin * em, bottom - key_height, width - 2 * kMargin * em, key_height};
    room_ = {kMargin * em, top, width - key_width - (beside_ ? 2.5 : 2) * kMargin * em,
             bottom - key_height - top};
    bottom_ = bottom;
  }

  void paint(const DomeParts& parts, int part) {
    heading();
    spheres(parts);
    key(parts.weights);
    if (setup_.film) strip(part);
    double baseline = bottom_ + (setup_.film ? kStrip : 0.0) * look_.em + 1.1 * look_.em;
    for (const std::string& line : caption_) {
      pen_.text(kMargin * look_.em, baseline, line,
                {.size = kSmall * look_.em, .colour = theme_.quiet});
      baseline += 1.3 * look_.em;
    }
  }

 private:
  static constexpr double kMargin = 1.6, kSmall = 0.86, kKey = 18, kEntry = 2.6,
                          kStrip = 4.0;  // em

  void heading() const {
    const double em = look_.em;
    pen_.text(kMargin * em, 2.2 * em, picture_.title,
              {.size = 1.45 * em, .colour = theme_.ink, .bold = true});
    pen_.text(kMargin * em, 3.9 * em, picture_.subtitle, {.size = em, .colour = theme_.quiet});
  }

  void spheres(const DomeParts& parts) {
    const double em = look_.em;
    const auto count = static_cast<int>(picture_.heads.size());
    const double head = count > 1 || !picture_.heads[0].name.empty() ? 2.7 * em : 0;
    int columns = 1;
    for (int c = 1; c <= count; ++c) {
      const int rows = (count + c - 1) / c;
      const double side = std::min(room_.width / c, room_.height / rows - head);
      if (side > side_ + 1e-9) side_ = side, columns = c;
    }
    const int rows = (count + columns - 1) / columns;
    const double wide = room_.width / columns, high = room_.height / rows;
    DomeView view{setup_.camera, setup_.scale, 0, parts};
    for (int h = 0; h < count; ++h) {
      view.longest = setup_.longest[h];
      const double x = room_.x + (h % columns + 0.5) * wide;
      const double y = room_.y + (h / columns) * high;
      const DomeHead& shown = picture_.heads[h];
      if (head > 0)
        pen_.text(x, y + 1.1 * em, shown.name,
                  {.size = em, .colour = theme_.ink, .bold = true, .align = Align::centre});
      if (head > 0 && (count > 1 || !beside_))
        pen_.text(x, y + 2.4 * em,
                  fmt::format("attends to {} tokens", short_number(shown.attended)),
                  {.size = kSmall * em, .colour = theme_.quiet, .align = Align::centre});
      paint_dome(pen_, look_, picture_, static_cast<std::size_t>(h), view,
                 {x - side_ / 2, y + head + (high - head - side_) / 2, side_, side_});
    }
  }

  struct Entry {
    enum Sample { query, vision, keys, stem, values, arrow, thin, dashes } sample;
    Colour colour;
    std::string words, more{};
  };

  std::vector<Entry> entries() const {
    const auto long_ = [](double value) { return fmt::format("length {}", short_number(value)); };
    std::vector<Entry> all{{Entry::query, look_.query, "query q", "the direction of attention"},
                           {Entry::vision, look_.query, "field of vision", vision_words()},
                           {Entry::keys, look_.key, "keys k_j", "area: weight; number: how many"}};
    if (*std::max_element(setup_.longest.begin(), setup_.longest.end()) > 0)
      all.push_back({Entry::stem, look_.key, "length of a key", longest_words()});
    all.push_back({Entry::values, look_.value, "values v_j", "area: a_ij |v_j|"});
    if (picture_.all_heads == 1) {
      all.push_back({Entry::arrow, look_.value, "message", long_(picture_.messages_length)});
    } else {
      const bool one = picture_.heads.size() == 1;
      all.push_back({Entry::arrow, look_.value, "message of the head",
                     one ? long_(picture_.heads[0].message_length) : ""});
      all.push_back({Entry::thin, look_.value, "of the other heads",
                     "all together: " + long_(picture_.messages_length)});
    }
    if (picture_.has_feed_forward)
      all.push_back(
          {Entry::arrow, look_.feed_forward, "feed-forward", long_(picture_.feed_forward_length)});
    if (picture_.correction_length > 1e-9 * picture_.move_length)
      all.push_back({Entry::dashes, theme_.quiet, picture_.correction_name,
                     long_(picture_.correction_length)});
    all.push_back({Entry::arrow, look_.move, picture_.move_name, long_(picture_.move_length)});
    return all;
  }

  // Half of the weight: how far from the query.
  std::string vision_words() const {
    if (picture_.heads.size() > 1) return "line: half the weight";
    const double c = picture_.heads[0].concentration;
    if (c == 0) return "all directions alike";
    const double angle = attention_angle(c, 0.5) * 180 / std::numbers::pi;
    return angle < 180 ? fmt::format("half the weight at {:.0f}\u00b0", angle)
                       : "more than half everywhere";
  }

  std::string longest_words() const {
    return picture_.heads.size() > 1 ? "stem; longest of each head"
                                     : fmt::format("stem; mean {}, longest {}",
                                                   short_number(picture_.heads[0].mean_length),
                                                   short_number(setup_.longest[0]));
  }

  void sample(const Entry& entry, double x, double y) const {
    const double em = look_.em, line = look_.line;
    cairo_t* cr = pen_.cr();
    const double dashes[] = {2 * line, 2.5 * line};
    switch (entry.sample) {
      case Entry::query:
        cairo_arc(cr, x + 1.1 * em, y, 5 * line, 0, 2 * std::numbers::pi);
        pen_.ink(entry.colour);
        cairo_set_line_width(cr, 2 * line);
        cairo_stroke(cr);
        return;
      case Entry::keys:
        for (const double share : {0.05, 0.35, 1.0}) {
          const double r = (0.12 + 0.33 * std::sqrt(share)) * em;
          cairo_arc(cr, x + (0.2 + 1.7 * share) * em, y, r, 0, 2 * std::numbers::pi);
          pen_.ink(weight_colour(look_, share));
          cairo_fill(cr);
        }
        return;
      case Entry::vision:
        for (int k = 0; k < 10; ++k) {
          cairo_arc(cr, x + 1.1 * em, y, (1.0 - 0.085 * k) * em, 0, 2 * std::numbers::pi);
          pen_.ink(entry.colour, 1.4 * kVision);
          cairo_fill(cr);
        }
        return;
      case Entry::stem:
        cairo_move_to(cr, x + 0.7 * em, y + 0.7 * em);
        cairo_line_to(cr, x + 1.5 * em, y - 0.7 * em);
        pen_.ink(mix(entry.colour, theme_.ink, 0.35));
        cairo_set_line_width(cr, 1.2 * line);
        cairo_stroke(cr);
        for (const double end : {-1.0, 1.0}) {
          cairo_arc(cr, x + (1.1 + 0.4 * end) * em, y - 0.7 * end * em, 1.6 * line, 0,
                    2 * std::numbers::pi);
          cairo_fill(cr);
        }
        return;
      case Entry::values:
        for (const double share : {0.05, 0.35, 1.0}) {
          trace_diamond(cr, x + (0.2 + 1.7 * share) * em, y, (0.14 + 0.36 * std::sqrt(share)) * em);
          pen_.ink(entry.colour);
          cairo_fill(cr);
        }
        return;
      case Entry::arrow:
        return paint_arrow(pen_, {x, y, x + 2.2 * em, y}, entry.colour, 3 * line);
      case Entry::thin:
        return paint_arrow(pen_, {x, y, x + 2.2 * em, y}, entry.colour, 1.8 * line, 0.55);
      case Entry::dashes:
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + 2.2 * em, y);
        pen_.ink(entry.colour);
        cairo_set_line_width(cr, 1.4 * line);
        cairo_set_dash(cr, dashes, 2, 0);
        cairo_stroke(cr);
        cairo_set_dash(cr, nullptr, 0, 0);
    }
  }

  void key(double weights) const {
    const double em = look_.em;
    const std::vector<Entry> all = entries();
    const double radius = setup_.scale > 0 ? 1 / setup_.scale : 0;
    const std::string unit = fmt::format("arrows: the radius is {}", short_number(radius));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double x = beside_ ? key_.x : key_.x + static_cast<double>(k % 3) * key_.width / 3;
      const double y = key_.y + (beside_ ? 1.2 + kEntry * static_cast<double>(k)
                                         : 1.2 + 2.7 * static_cast<double>(k / 3)) *
                                    em;
      sample(all[k], x, y);
      pen_.text(x + 2.9 * em, y + 0.1 * em, all[k].words, {.size = em, .colour = theme_.ink});
      pen_.text(x + 2.9 * em, y + 1.25 * em, all[k].more,
                {.size = kSmall * em, .colour = theme_.quiet});
    }
    if (!beside_) {
      pen_.text(key_.x, key_.y + 10.1 * em, unit, {.size = kSmall * em, .colour = theme_.quiet});
      return;
    }
    const double below = key_.y + (1.2 + kEntry * static_cast<double>(all.size())) * em;
    pen_.text(key_.x, below, unit, {.size = kSmall * em, .colour = theme_.quiet});
    if (picture_.heads.size() == 1) weight_bars(below + 2.4 * em, weights);
  }

  // The tokens that are attended to most, as bars.
  void weight_bars(double y, double alpha) const {
    if (alpha <= 0) return;
    const double em = look_.em;
    const DomeHead& head = picture_.heads[0];
    const double room = key_.y + key_.height - y - 2 * em;
    const int most = std::clamp(static_cast<int>(room / (1.4 * em)) - 1, 0, 8);
    const std::size_t rows = std::min<std::size_t>(most, head.weights.size());
    if (rows < 2) return;
    std::vector<std::size_t> order(head.weights.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rows), order.end(),
        [&](auto a, auto b) {
          return head.weights[a] != head.weights[b] ? head.weights[a] > head.weights[b] : a < b;
        });
    const double top = head.weights[order[0]], small = kSmall * em;
    const double x = key_.x, right = key_.x + key_.width;
    const double columns[] = {right - (head.lengths.empty() ? 2.8 : 6.4) * em, right - 3.3 * em};
    const auto cell = [&](double at, double line, const std::string& words, Colour colour) {
      pen_.text(at, line, words,
                {.size = small, .colour = colour, .align = Align::right, .alpha = alpha});
    };
    pen_.text(x, y, fmt::format("attends to {} tokens", short_number(head.attended)),
              {.size = em, .colour = theme_.ink, .bold = true, .alpha = alpha});
    const double heading = y + 1.4 * em;
    pen_.text(x, heading, "token", {.size = small, .colour = theme_.quiet, .alpha = alpha});
    cell(columns[0], heading, "weight", theme_.quiet);
    if (!head.lengths.empty()) cell(columns[1] + 0.3 * em, heading, "length", theme_.quiet);
    cell(right, heading, "angle", theme_.quiet);
    for (std::size_t k = 0; k < rows; ++k) {
      const double line = y + (2.8 + 1.4 * static_cast<double>(k)) * em;
      const std::size_t j = order[k];
      const bool own = j == static_cast<std::size_t>(picture_.token);
      pen_.text(x, line, own ? fmt::format("{} (itself)", j) : std::to_string(j),
                {.size = small, .colour = theme_.ink, .alpha = alpha});
      const double left = x + 5.2 * em, full = columns[0] - 3.2 * em - left;
      const double share = top > 0 ? head.weights[j] / top : 0;
      cairo_rectangle(pen_.cr(), left, line - 0.62 * em, alpha * full * share, 0.72 * em);
      pen_.ink(weight_colour(look_, share), alpha);
      cairo_fill(pen_.cr());
      const double percent = 100 * head.weights[j];
      cell(columns[0], line,
           percent < 9.95 ? fmt::format("{:.2g}\u202f%", percent)
                          : fmt::format("{:.0f}\u202f%", percent),
           theme_.ink);
      if (!head.lengths.empty())
        cell(columns[1] + 0.3 * em, line, short_number(head.lengths[j]), theme_.ink);
      cell(right, line, angle_words(head, j), theme_.ink);
    }
  }

  // Between the query and a key.
  static std::string angle_words(const DomeHead& head, std::size_t j) {
    double along = 0, q = 0, k = 0;
    for (int c = 0; c < 3; ++c) {
      along += head.query[c] * head.keys[j][c];
      q += head.query[c] * head.query[c], k += head.keys[j][c] * head.keys[j][c];
    }
    if (q == 0 || k == 0) return "";
    return fmt::format("{:.0f}\u00b0",
                       std::acos(std::clamp(along, -1.0, 1.0)) * 180 / std::numbers::pi);
  }

  // The names of the parts, the one that is being added in bold.
  void strip(int part) const {
    const double em = look_.em, y = bottom_ + 1.4 * em;
    double x = kMargin * em;
    for (int k = 0; k < kDomeParts; ++k) {
      const std::string name =
          fmt::format("{} {}", k + 1, k + 1 == kDomeParts ? picture_.move_name : kPartNames[k]);
      pen_.text(x, y, name,
                {.size = em,
                 .colour = k <= part ? theme_.ink : theme_.quiet,
                 .bold = k == part,
                 .alpha = k <= part ? 1 : 0.7});
      x += pen_.text_width(name, em, true) + 1.6 * em;
    }
    pen_.text(kMargin * em, y + 1.6 * em, part_words(part), {.size = em, .colour = theme_.ink});
  }

  // The part that is being added, in a sentence.
  std::string part_words(int part) const {
    const DomeHead& head = picture_.heads[0];
    const bool stems = !head.lengths.empty(), sees = head.concentration != 0;
    switch (part) {
      case 0:
        return sees ? "The token looks along its query q. The shade is its field of vision."
                    : "The query plays no part: the token attends to all tokens alike.";
      case 1:
        return stems ? "Each token has a key: a point, with a stem as long as the key."
                     : "Each token has a key: a point.";
      case 2:
        if (!sees) return "All keys have the same weight.";
        return stems ? "The closer a key is to q, and the longer it is, the greater its weight."
                     : "The closer a key is to q, the greater its weight.";
      case 3:
        return "Each token sends its value, a diamond. Their sum by weight is the message.";
      case 4:
        return picture_.has_feed_forward
                   ? "The feed-forward adds a push that depends on the token itself."
                   : "There is no feed-forward here.";
      default:
        return fmt::format("All of it together is the {} of the token.", picture_.move_name);
    }
  }

  const Pen& pen_;
  const PageSetup& setup_;
  const DomeLook& look_;
  const Theme& theme_;
  const DomePicture& picture_;
  Frame room_{}, key_{};
  std::vector<std::string> caption_{};
  double bottom_ = 0, side_ = 0;
  bool beside_ = true;
};

// Interpolates between two spheres of the same tokens, so that the film does not jump.
DomePicture between(const DomePicture& from, const DomePicture& to, double share) {
  DomePicture now = to;
  if (from.heads.size() != to.heads.size()) return now;
  const auto lay = [&](const Arrow3& a, const Arrow3& b) {
    Arrow3 c{};
    double square = 0;
    for (int k = 0; k < 3; ++k) c[k] = (1 - share) * a[k] + share * b[k], square += c[k] * c[k];
    if (square < 1e-12) return b;
    for (double& v : c) v /= std::sqrt(square);
    return c;
  };
  for (std::size_t h = 0; h < now.heads.size(); ++h) {
    if (from.heads[h].keys.size() != to.heads[h].keys.size()) return to;
    for (std::size_t j = 0; j < now.heads[h].keys.size(); ++j)
      now.heads[h].keys[j] = lay(from.heads[h].keys[j], to.heads[h].keys[j]);
    for (std::size_t j = 0; j < std::min(from.heads[h].lengths.size(), to.heads[h].lengths.size());
         ++j)
      now.heads[h].lengths[j] =
          (1 - share) * from.heads[h].lengths[j] + share * to.heads[h].lengths[j];
  }
  return now;
}

}  // namespace

void picture::draw_page(const DomeStyle& style, const std::filesystem::path& path,
                        const std::function<void(cairo_t*)>& paint) {
  if (path.extension() == ".png") {
    Canvas canvas(style.width, style.height);
    paint(canvas.cr());
    return canvas.save(path);
  }
  constexpr double kPoints = 0.6;  // of a vector figure, a pixel
  write_figure(path, {kPoints * style.width, kPoints * style.height}, [&](cairo_t* cr) {
    cairo_scale(cr, kPoints, kPoints);
    paint(cr);
  });
}

bool picture::film_page(const DomeFilm& film, double seconds,
                        const std::function<void(Canvas&, int)>& draw,
                        const std::filesystem::path& mp4) {
  const DomeStyle& style = film.style;
  return encode({.style = {style.style == FigureStyle::dark, style.width, style.height},
                 .fps = film.fps,
                 .seconds = seconds,
                 .threads = film.threads,
                 .stop = film.stop},
                {.draw = draw}, mp4);
}

void draw_dome(const DomePicture& picture, const DomeStyle& style,
               const std::filesystem::path& path) {
  check({picture});
  check_ending(path);
  check_size({style.style == FigureStyle::dark, style.width, style.height});
  const PageSetup setup({picture}, style, false);
  const auto paint = [&](cairo_t* cr) {
    paint_ground(cr, *setup.look.theme);
    DomePage(Pen(cr), setup, picture).paint({}, kDomeParts - 1);
  };
  draw_page(style, path, paint);
}

bool film_domes(const std::vector<DomePicture>& pictures, const DomeFilm& film,
                const std::filesystem::path& mp4) {
  check(pictures);
  const DomeStyle& style = film.style;
  check_size({style.style == FigureStyle::dark, style.width, style.height});
  const PageSetup setup(pictures, style, true);
  const double seconds =
      film.seconds > 0 ? film.seconds : 3.0 * static_cast<double>(pictures.size());
  const int frames = count_frames(film.fps, seconds);
  const auto draw = [&](Canvas& canvas, int frame) {
    const double at = static_cast<double>(pictures.size()) * frame / frames;
    const auto which = std::min(pictures.size() - 1, static_cast<std::size_t>(at));
    const double share = at - static_cast<double>(which);
    const int part = std::min(kDomeParts - 1, static_cast<int>(kDomeParts * share));
    DomeParts parts = dome_parts(share);
    DomePicture now = pictures[which];
    if (which > 0) {  // the keys are there from before: they move to where they are now
      parts.keys = 1;
      const double moved = std::min(1.0, kDomeParts * share / 1.5);
      if (moved < 1) now = between(pictures[which - 1], now, moved);
    }
    paint_ground(canvas.cr(), *setup.look.theme);
    DomePage(Pen(canvas.cr()), setup, now).paint(parts, part);
  };
  return film_page(film, seconds, draw, mp4);
}

}  // namespace murmur
