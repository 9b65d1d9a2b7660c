// fuzz_points.cpp: any text either holds the points or the scan of a landscape, or is refused by an
// Error: what is read back fits together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "experiment/landscape_setup.h"
#include "murmur/error.h"

using namespace murmur;

namespace {

void check(const CriticalPoint& point, int d) {
  const Matrix& x = point.mu.x;
  if (x.cols != d || x.rows < 1) std::abort();
  if (x.data.size() != static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(d)) std::abort();
  if (point.mu.mass.size() != static_cast<std::size_t>(x.rows)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int d : {2, 3}) {
    try {
      for (const CriticalPoint& point : search_of(KeptJson::parse(text, "input"), d).points)
        check(point, d);
    } catch (const Error&) {
    }
    try {
      const std::vector<ScanPoint> scan = scan_of(KeptJson::parse(text, "input"), d);
      for (const ScanPoint& point : scan) check(point.best, d);
      csv_of(scan);
    } catch (const Error&) {
    }
  }
  return 0;
}
