// fuzz_request.cpp: any bytes either ask for a file below the root or are refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "peak_allocation.h"
#include "serve/serve.h"

using namespace murmur;

namespace {

// What a path that was let pass must never hold, whatever the rules that let it pass were.
void check_path(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') std::abort();
  if (("/" + path).find("/.") != std::string::npos) std::abort();
  for (const char* part : {"//", "\\"})
    if (path.find(part) != std::string::npos) std::abort();
  for (const char c : path)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::AllocationLimit limit(size);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const HttpRequest asked = read_request(bytes, 8127);
  if (asked.length > size || (asked.status == 0 && size > 17'000)) std::abort();
  if (asked.status == 200) {
    if (asked.length == 0 || bytes.find("8127") == std::string_view::npos) std::abort();
    check_path(asked.path);
    // The rest of the connection is never a part of this request.
    if (read_request(bytes.substr(0, asked.length), 8127).path != asked.path) std::abort();
  } else if (asked.keep) {
    std::abort();
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{size}}) {
    const auto part = part_of(bytes, length), named = part_of(asked.range, length);
    for (const auto& found : {part, named})
      if (found && (found->length > length || found->first > length - found->length)) std::abort();
  }
  if (media_type(asked.path).empty() || cache_rule(asked.path).empty()) std::abort();
  return 0;
}
