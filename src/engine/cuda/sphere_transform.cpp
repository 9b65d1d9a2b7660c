// sphere_transform.cpp: moves the tiles of the GPU to waves on the host, and their grids back.
#include "engine/cuda/sphere_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/moments/harmonic_sums.h"
#include "engine/moments/transform_sums.h"

namespace murmur::cuda {

namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kLeastCut = 5e-15;  // rounding is larger anyway

static_assert(kTileCells == moments::kTileCells && kTileMargin == moments::kMargin);

// Lists the additions of the parts of each tile, kAddedAtOnce at a time until one is left.
// `tile_of` has the tile of each part, tile after tile. The last list writes to the tiles
// themselves.
std::vector<Added> list_additions(std::vector<int>& tile_of, bool& last) {
  std::vector<Added> list;
  std::vector<int> left;
  last = true;
  for (std::size_t begin = 0; begin < tile_of.size();) {
    std::size_t end = begin;
    while (end < tile_of.size() && tile_of[end] == tile_of[begin] && end - begin < kAddedAtOnce)
      ++end;
    last = last && (end == tile_of.size() || tile_of[end] != tile_of[begin]);
    list.push_back({static_cast<int>(left.size()), static_cast<int>(begin), static_cast<int>(end)});
    left.push_back(tile_of[begin]);
    begin = end;
  }
  if (last)
    for (std::size_t e = 0; e < list.size(); ++e) list[e].out = left[e];
  tile_of = std::move(left);
  return list;
}

}  // namespace

SphereTransform::SphereTransform() = default;
SphereTransform::~SphereTransform() = default;

double SphereTransform::Bound::mean_bound(double z) const {
  if (!(z > 2 * eps)) return std::numeric_limits<double>::infinity();
  return 2 * eps / z + 4 * scores + 4 * kUnit + off;
}

void SphereTransform::sort(const ConstPlaces& x, Points& points) {
  const auto n = static_cast<std::size_t>(x.n);
  double* angles = points.angles.need(2 * n);
  points.sorted = {x.n, angles, angles + n, points.from.need(n)};
  std::uint32_t* keys = keys_.need(3 * n);
  const std::size_t bytes = tile_sort_bytes(x.n);
  int* first = points.first.need(static_cast<std::size_t>(grid_.tiles) + 1);
  sort_by_tile(grid_, x, {keys, keys + n, keys + 2 * n, sort_room_.need(bytes), bytes},
               points.sorted, first);
  const std::vector<int> begin = fetch(first, static_cast<std::size_t>(grid_.tiles) + 1);
  points.list.clear();
  for (int tile = 0; tile < grid_.tiles; ++tile)
    for (int at = begin[tile]; at < begin[tile + 1]; at += kRunPoints)
      points.list.push_back({tile, at, std::min(at + kRunPoints, begin[tile + 1])});
  points.runs.upload(std::span<const Run>(points.list));
}

int SphereTransform::spread(const double* mass) {
  const auto count = static_cast<int>(sources_.list.size());
  double* tiles = tiles_.need(static_cast<std::size_t>(grid_.tiles) * kTileNumbers);
  inspect(cudaMemsetAsync(tiles, 0,
                          static_cast<std::size_t>(grid_.tiles) * kTileNumbers * sizeof(double)));
  double* part = parts_[0].need(static_cast<std::size_t>(count) * kTileNumbers);
  spread_runs(grid_, sources_.sorted, mass, sources_.runs.need(0), count, part);
  std::vector<int> tile_of;
  for (const Run& run : sources_.list) tile_of.push_back(run.tile);
  int adds = kRunPoints / 4 + 4 + 4;  // of a run, and of four tiles
  int from = 0;
  for (bool last = false; !last; from ^= 1) {
    const std::vector<Added> list = list_additions(tile_of, last);
    double* to = last ? tiles : parts_[from ^ 1].need(tile_of.size() * kTileNumbers);
    add_parts(added_.upload(std::span<const Added>(list)), static_cast<int>(list.size()),
              parts_[from].need(0), to);
    adds += kAddedAtOnce;
  }
  return adds;
}

// Returns the grid in the layout of TransformSums: kMargin cells around, zero next to the columns.
std::vector<double> SphereTransform::fetched_grid() {
  double* cells = cells_.need(static_cast<std::size_t>(grid_.bands) * grid_.cells);
  assemble(grid_, tiles_.need(0), cells);
  std::vector<double> grid(waves_->rows() * waves_->row());
  inspect(cudaMemcpy2D(grid.data() + kTileMargin, waves_->row() * sizeof(double), cells,
                       grid_.cells * sizeof(double), grid_.cells * sizeof(double),
                       static_cast<std::size_t>(grid_.bands), cudaMemcpyDeviceToHost));
  return grid;
}

bool SphereTransform::sum(const Request& r, const Sums& to, Bound& bound) {
  const double uniform = moments::exponential_series(3, r.rho, 1).a[0];
  const double cut = std::fmax(kLeastCut, 0.02 * r.tolerance * uniform);
  if (!waves_ || cut != cut_ || std::fabs(r.rho - rho_) > 16 * kUnit * r.rho) {
    if (moments::degree_for(3, r.rho, cut, moments::kMostTransformDegree) == moments::kNoDegree)
      return false;
    waves_ = std::make_unique<moments::TransformSums>(r.rho, cut);
    rho_ = r.rho, cut_ = cut;
    const moments::Window& window = waves_->window();
    grid_ = angle_grid(waves_->cells(), window.width, window.sharpness);
  }
  sort(r.x, sources_);
  const int adds = spread(r.mass);
  const moments::TransformSums::Series series = waves_->series_of({fetched_grid(), r.off}, 0, true);
  if (r.targets.at != nullptr) sort(r.targets, targets_);
  const Points& at = r.targets.at != nullptr ? targets_ : sources_;
  const double* grids = grids_.upload(std::span<const double>(series.grid));
  sum_runs(grid_, at.sorted, const_cast<Room<Run>&>(at.runs).need(0),
           static_cast<int>(at.list.size()), grids, waves_->row(), to);
  bound.degree = waves_->degree();
  bound.eps = series.mass * waves_->error(adds);
  bound.scores = r.rho * (2 * r.off + 32 * kUnit);
  bound.off = r.off;
  return true;
}

}  // namespace murmur::cuda
