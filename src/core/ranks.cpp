// ranks.cpp: makes errors of one rank errors of all, and refuses ranks that differ.
#include "murmur/ranks.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "murmur/error.h"

namespace murmur {

namespace {

// Parts of a text, each after its length: 3:abc.
std::string packed(const Error& error) {
  std::string text;
  for (const std::string& part : {error.summary, error.where, error.remedy})
    text += std::to_string(part.size()) + ":" + part;
  return text;
}

Error unpacked(Fault fault, const std::string& text) {
  std::string part[3];
  std::size_t at = 0;
  for (std::string& own : part) {
    const std::size_t colon = text.find(':', at);
    const std::size_t size = std::stoul(text.substr(at, colon - at));
    own = text.substr(colon + 1, size);
    at = colon + 1 + size;
  }
  return Error(fault, part[0], part[1], part[2]);
}

std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(Fault::runtime, error.what(), "unexpected",
                 "report it with the command line and murmur doctor");
  }
  return std::nullopt;
}

// Returns the first line of each text that differs; empty for a text that has ended.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  const auto line = [](const std::string& text, std::size_t at) {
    return at >= text.size() ? std::string() : text.substr(at, text.find('\n', at) - at);
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size() && line(a, i) == line(b, j)) {
    i += line(a, i).size() + 1;
    j += line(b, j).size() + 1;
  }
  return {line(a, i), line(b, j)};
}

}  // namespace

void together(Ranks* ranks, const std::function<void()>& work) {
  if (ranks == nullptr) return work();
  const std::optional<Error> own = error_of(work);
  const std::vector<std::int64_t> faults =
      ranks->gather(own ? static_cast<std::int64_t>(own->fault) : 0);
  const auto failed = std::find_if(faults.begin(), faults.end(), [](auto f) { return f != 0; });
  if (failed == faults.end()) return;
  const auto who = static_cast<int>(failed - faults.begin());
  Error error = unpacked(static_cast<Fault>(*failed),
                         ranks->broadcast_text(who, own ? packed(*own) : std::string()));
  if (who > 0)
    error = Error(error.fault, error.summary, error.where + " (rank " + std::to_string(who) + ")",
                  error.remedy);
  ranks->failed_together = true;
  throw error;
}

void on_first(Ranks* ranks, const std::function<void()>& work) {
  together(ranks, [&] {
    if (ranks == nullptr || ranks->first()) work();
  });
}

void require_alike(Ranks* ranks, std::span<const RequiredEqual> all) {
  if (ranks == nullptr) return;
  for (const RequiredEqual& likeness : all) {
    const std::string text = ranks->broadcast_text(0, likeness.text);
    const std::vector<std::int64_t> differ = ranks->gather(text == likeness.text ? 0 : 1);
    const auto other = std::find(differ.begin(), differ.end(), 1);
    if (other == differ.end()) continue;
    const auto who = static_cast<int>(other - differ.begin());
    const auto [first, second] = first_difference(text, ranks->broadcast_text(who, likeness.text));
    ranks->failed_together = true;
    throw Error(Fault::verification, "ranks disagree on " + likeness.what,
                "rank 0 has '" + first + "', rank " + std::to_string(who) + " has '" + second + "'",
                "start all ranks with one command, one program and one set of files");
  }
}

}  // namespace murmur
