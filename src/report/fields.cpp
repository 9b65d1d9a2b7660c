// fields.cpp: evaluates the maps of a block of a trained swarm on grids of places.
#include "report/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"

namespace murmur {

namespace {

constexpr int kMostHeads = 8;  // in one picture

struct FieldGrid {
  int dimensions;
  int side;  // places along an axis
  double z;  // third coordinate, where only two are shown
};

// Query, key and value of head h and, where it is wanted, the feed-forward. A head of fewer
// coordinates than are shown has arrows along the first ones.
std::vector<VectorField> fields_on(const TrainedSwarm& swarm, int block, int h,
                                   const FieldGrid& grid, bool feed_forward) {
  const Architecture& a = swarm.architecture;
  const int shown = grid.dimensions, width = width_of_head(a);
  std::vector<VectorField> fields(feed_forward ? 4 : 3);
  int points = 1;
  for (int k = 0; k < shown; ++k) points *= grid.side;
  for (int p = 0; p < points; ++p) {
    std::vector<double> x(static_cast<std::size_t>(a.d));
    for (int k = 0, rest = p; k < shown; ++k, rest /= grid.side)
      x[k] = kPlaneHalfWidth * (2.0 * (rest % grid.side) / (grid.side - 1) - 1);
    if (shown == 2 && a.d > 2) x[2] = grid.z;
    const BlockFields at = fields_at(swarm, block, x);
    const Vector* const arrows[] = {&at.query, &at.key, &at.value, &at.feed_forward};
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (arrows[f]->empty()) continue;
      const int known = f < 3 ? width : a.d, first = f < 3 ? h * width : 0;
      const auto part = [&](int k) { return k < known ? (*arrows[f])[first + k] : 0.0; };
      for (int k = 0; k < shown; ++k) {
        fields[f].at.push_back(x[k]);
        fields[f].arrow.push_back(part(k));
      }
      if (shown == 2 && a.d > 2) fields[f].out.push_back(part(2));
    }
  }
  for (std::size_t f = 0; f < fields.size(); ++f) fields[f].name = kFieldNames[f];
  std::erase_if(fields, [](const VectorField& field) { return field.at.empty(); });
  return fields;
}

void check(const TrainedSwarm& swarm, const FieldRequest& request) {
  const Architecture& a = swarm.architecture;
  const auto refuse = [](const std::string& what, const std::string& where,
                         const std::string& remedy) {
    throw Error(Fault::input, what, where, remedy);
  };
  if (request.block < 0 || request.block >= a.blocks)
    refuse(fmt::format("there is no block {}", request.block),
           fmt::format("block={}", request.block),
           fmt::format("use block=0 to block={}", a.blocks - 1));
  const bool attends = a.interaction == Architecture::attention;
  if (request.head && (*request.head < 0 || *request.head >= a.heads || !attends))
    refuse(fmt::format("there is no head {}", *request.head), fmt::format("head={}", *request.head),
           attends ? fmt::format("use head=0 to head={}", a.heads - 1)
                   : "leave it out: the swarm has no attention");
  if (request.space && a.d < 3)
    refuse(fmt::format("the tokens have {} coordinates, and space has three", a.d), "view=space",
           "use view=plane");
  if (a.d < 3 &&
      std::any_of(request.heights.begin(), request.heights.end(), [](double z) { return z != 0; }))
    refuse("the tokens have two coordinates, and no height", "z", "leave z out");
}

std::string caption_of(const TrainedSwarm& swarm, const FieldRequest& request, bool rows_of_heads) {
  const Architecture& a = swarm.architecture;
  const bool attends = a.interaction == Architecture::attention;
  const std::string head = !attends || a.heads == 1 ? ""
                           : rows_of_heads          ? " of each head"
                                           : fmt::format(" of head {}", request.head.value_or(0));
  std::string text = attends && !rows_of_heads
                         ? fmt::format("Query, key and value{}, and the feed-forward", head)
                     : attends ? fmt::format("Query, key and value{}", head)
                               : std::string("The maps");
  text +=
      " of " + std::string(a.shared ? "the shared block" : fmt::format("block {}", request.block));
  if (a.d == 2) return text + " at each place of the plane.";
  if (request.space)
    text += " at each place of space";
  else if (request.heights.size() == 1)
    text += fmt::format(" at each place of the plane z = {:g}", request.heights.front());
  else
    text += " at each place of three planes, z = \u22125, 0 and 5";
  return text + (a.d > 3 ? fmt::format("; the first {} of {} coordinates, the others at 0.",
                                       request.space ? "three" : "two", a.d)
                         : ".");
}

}  // namespace

FieldSheet fields_of(const TrainedSwarm& swarm, const FieldRequest& request) {
  check(swarm, request);
  const Architecture& a = swarm.architecture;
  const bool rows_of_heads = !request.head && a.heads > 1 && !request.space &&
                             request.heights.size() == 1 &&
                             a.interaction == Architecture::attention;
  FieldSheet sheet;
  sheet.dimensions = request.space ? 3 : 2;
  sheet.colour_by_row = rows_of_heads;
  sheet.title = a.shared ? "Vector fields of the shared block"
                         : fmt::format("Vector fields of block {}", request.block);
  sheet.caption = caption_of(swarm, request, rows_of_heads);
  if (rows_of_heads) {
    const FieldGrid grid{2, 11, request.heights.front()};
    for (int h = 0; h < std::min(a.heads, kMostHeads); ++h) {
      sheet.rows.push_back(fields_on(swarm, request.block, h, grid, false));
      sheet.row_names.push_back(fmt::format("head {}", h));
    }
    if (a.heads > kMostHeads)
      sheet.caption += fmt::format(" The first {} of {} heads.", kMostHeads, a.heads);
    return sheet;
  }
  const bool several = request.heights.size() > 1 && !request.space;
  for (const double z : request.space ? std::vector<double>{0} : request.heights) {
    const FieldGrid grid{sheet.dimensions, request.space ? 5 : several ? 9 : 11, z};
    sheet.rows.push_back(fields_on(swarm, request.block, request.head.value_or(0), grid, true));
    if (several)
      sheet.row_names.push_back(fmt::format("z = {}{:g}", z < 0 ? "\u2212" : "", std::abs(z)));
  }
  if (sheet.rows.front().empty())
    throw Error(Fault::input, "the swarm has no map that could be drawn", "in the architecture",
                "use interaction=attention, or hidden other than 0");
  return sheet;
}

}  // namespace murmur
