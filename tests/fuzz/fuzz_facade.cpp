// fuzz_facade.cpp: any requests to the page's core are answered: 0 with a reply, or a fault's three
// lines. Lines are requests one after another; what follows a zero byte comes with each of them.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "facade.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "small_settings.h"

using namespace murmur;
using Json = nlohmann::json;

namespace {

// Flights of small swarms with few frames alone, and few frames at a time.
bool is_cheap(const Json& request) {
  if (!request.is_object()) return true;
  for (const char* count : {"count", "frame", "height", "width", "finer"})
    if (request.contains(count) && request[count].is_number() && request[count] > 64) return false;
  if (!request.contains("words") || !request["words"].is_string()) return true;
  Sources sources;
  const std::string words = request["words"];
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t end = std::min(words.find('\n', from), words.size());
    sources.assignments.push_back(words.substr(from, end - from));
    from = end + 1;
  }
  try {
    const Settings settings = gather(sources);
    return fuzz::are_small(settings) && fuzz::at_most(settings, "n", 12) &&
           fuzz::at_most(settings, "T", 2) && fuzz::at_most(settings, "max_evaluations", 400);
  } catch (const Error&) {
    return true;
  }
}

void ask(const std::string& line, const std::string& bytes) {
  const Json request = Json::parse(line, nullptr, false);
  if (!request.is_discarded() && !is_cheap(request)) return;
  const int fault = murmur_ask(line.c_str(), bytes.data(), static_cast<int>(bytes.size()));
  const Json reply = Json::parse(murmur_text(), nullptr, false);
  if (reply.is_discarded() || fault < 0 || fault > 7) std::abort();
  for (int k = 0; k < murmur_arrays(); ++k)
    if (murmur_array_bytes(k) < 0) std::abort();
  if (fault == 0) return;
  for (const char* part : {"fault", "what", "where", "remedy"})
    if (!reply.contains(part)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = std::min(text.find('\0'), size);
  const std::string bytes = zero < size ? text.substr(zero + 1) : std::string();
  int asked = 0;
  for (std::size_t from = 0; from < zero && asked < 8; ++asked) {
    const std::size_t end = std::min(text.find('\n', from), zero);
    ask(text.substr(from, end - from), bytes);
    from = end + 1;
  }
  // Handles of one input mean nothing to the next. They are counted up and never used again.
  static int first = 1;
  for (int k = 0; k <= asked; ++k) {
    for (const char* kind : {"flight", "trained"})
      murmur_ask(Json{{"do", "close"}, {kind, first + k}}.dump().c_str(), nullptr, 0);
  }
  first += asked;
  return 0;
}
