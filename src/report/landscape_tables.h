// landscape_tables.h: critical points and best measures as tables for people.
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
// What the words of the columns `certified` and `atoms` mean, of those that are there.
std::vector<std::string> certificate_notes(const Landscape& landscape,
                                           std::span<const CriticalPoint> points);

}  // namespace murmur
