// landscape_tables.h: critical points and best measures as tables of text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "murmur/landscape.h"
#include "picture/page.h"

namespace murmur {

TextTable points_table(const Search& search);
TextTable places_table(const Landscape& landscape, const Atoms& mu);
TextTable scan_table(std::span<const ScanPoint> scan);
// The meanings of the values that occur in the columns `certified` and `atoms`.
std::vector<std::string> certificate_notes(const Landscape& landscape,
                                           std::span<const CriticalPoint> points);

}  // namespace murmur
