// author_settings.h: the normalisation, initial law and parameters of the authors of each figure,
// and where ours differ.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace murmur {

// The only place of this comparison: `murmur reproduce NAME`, `murmur reproduce settings`, the
// pages and docs/reproduce.md are written from it.
struct AuthorSetting {
  const char* name;    // of the reproduction
  const char* theirs;  // empty: nothing of the kind is published
  const char* source;  // companion code FILE; place in the paper
  const char* ours;    // what differs; "the same" where nothing does
};
std::span<const AuthorSetting> author_settings();  // in the order of the table of reproductions
// Null for a name that is not in the table of reproductions.
const AuthorSetting* author_setting(std::string_view name);

// "normalisation: ... (source: ...)" and "ours: ...", one line each.
std::string lines_of(const AuthorSetting& setting);
std::string markdown_of_settings();  // one row per reproduction

}  // namespace murmur
