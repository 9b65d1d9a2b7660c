// room.cpp: adds up the arrays of a flow on the GPU, and reports those that do not fit.
#include "engine/cuda/room.h"

#include <algorithm>
#include <string>

namespace murmur::cuda {

namespace {

constexpr int kSwarmsAtOnce = 18;  // of a step: its stages, both ends and intermediate ones
constexpr std::size_t kStripNumbers = std::size_t{1} << 26;

std::string gibibytes(std::size_t bytes) {
  const auto tenths = static_cast<long>(static_cast<double>(bytes) / 0x1p30 * 10 + 0.5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

std::size_t wide_bytes(Shape shape, Precision precision) {
  const auto n = static_cast<std::size_t>(whole_rows(shape.n));
  const auto d = static_cast<std::size_t>(shape.d);
  const auto rows = static_cast<std::size_t>(strip_rows(shape.n, n));
  const std::size_t parts = rows * d * (n / kSourcesAtOnce) * 4;
  return n * d * 12 + rows * n * 8 + (precision == Precision::f32 ? parts : 0);
}

}  // namespace

int strip_rows(int n, std::size_t pitch) {
  const auto most = static_cast<int>(std::max<std::size_t>(kStripNumbers / pitch / 256, 1) * 256);
  return std::min(n, most);
}

std::size_t swarm_bytes(Shape shape) {
  return (static_cast<std::size_t>(shape.n) + 31) * static_cast<std::size_t>(shape.d) * 8;
}

std::size_t pair_bytes(Shape shape, Precision precision) {
  const auto n = static_cast<std::size_t>(whole_rows(shape.n));
  const auto d = static_cast<std::size_t>(shape.d);
  const std::size_t own = n * (4 * d + 4) * 8;  // u, keys, sums, values
  if (shape.d < 2 || shape.d > 4) return own + wide_bytes(shape, precision);
  const std::size_t stretch = (d + 1) * n * (precision == Precision::f32 ? 4 : 8);
  const bool twice = precision == Precision::f32 && shape.d < 4 && shape.n <= kMostSymmetric;
  const auto strip = static_cast<std::size_t>(symmetric_strip(shape.n));
  const std::size_t symmetric = twice ? (n + strip - 1) / strip * stretch : 0;
  return own + std::max({symmetric, kStretchBytes, 2 * stretch}) + n * 84;
}

std::size_t transform_bytes(int n) {
  const auto count = static_cast<std::size_t>(n);
  return count * (3 * 8 + 4 * 4 + 16) + (std::size_t{1} << 30);
}

std::optional<Unsupported> too_large(Shape shape, Precision precision, GpuSums sums,
                                     std::size_t available) {
  const std::size_t wanted = kSwarmsAtOnce * swarm_bytes(shape) + pair_bytes(shape, precision) +
                             (sums == GpuSums::moments ? transform_bytes(shape.n) : 0);
  if (wanted <= available) return std::nullopt;
  return Unsupported{
      "n = " + std::to_string(shape.n) + " particles of d = " + std::to_string(shape.d) + " need " +
          gibibytes(wanted) + " of the GPU's memory, and " + gibibytes(available) + " are free",
      "use fewer particles, or engine=auto"};
}

}  // namespace murmur::cuda
