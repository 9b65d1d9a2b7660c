// fuzz_recipe.cpp: any bytes either hold a recipe or do not; what is put in is found again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "peak_allocation.h"
#include "picture/recipe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace murmur;
  const fuzz::AllocationLimit limit(16 << 20);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto found = picture::recipe_in(bytes);
  if (found && found->size() > size) std::abort();
  for (const char* ending : {".png", ".gif", ".svg", ".pdf"})
    if (picture::with_recipe(std::string(bytes), ending, "").size() != size) std::abort();
  picture::with_recipe(std::string(bytes), ".png", "{}");
  picture::with_recipe(std::string(bytes), ".gif", "{}");
  picture::with_recipe(std::string(bytes), ".svg", "{}");
  if (size > 0) picture::with_recipe(std::string(bytes), ".pdf", "{}");
  return 0;
}
