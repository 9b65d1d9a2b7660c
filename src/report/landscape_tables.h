// landscape_tables.h: critical points and best measures as tables for people.
#pragma once

#include <span>

#include "murmur/landscape.h"
#include "picture/page.h"

namespace murmur {

TextTable points_table(const Search& search);
TextTable places_table(const Landscape& landscape, const Atoms& mu);
TextTable scan_table(std::span<const ScanPoint> scan);

}  // namespace murmur
