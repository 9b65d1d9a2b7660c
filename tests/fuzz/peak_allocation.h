// peak_allocation.h: counts what a fuzzed parser allocates, and aborts when it takes too much.
//
// Include once in a program: it replaces operator new and delete.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace murmur::fuzz {

inline std::size_t live_bytes = 0, peak_bytes = 0;

// While it lives, allocations may reach 4 x input + 64 KB above where they stood.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t input_size)
      : start_(live_bytes), most_(4 * input_size + 65'536) {
    peak_bytes = live_bytes;
  }
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
  ~AllocationLimit() {
    if (peak_bytes - start_ <= most_) return;
    std::fprintf(stderr, "allocated %zu bytes, %zu allowed\n", peak_bytes - start_, most_);
    std::abort();
  }

 private:
  std::size_t start_, most_;
};

}  // namespace murmur::fuzz

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(std::max<std::size_t>(size, 1));
  if (memory != nullptr) murmur::fuzz::live_bytes += malloc_usable_size(memory);
  murmur::fuzz::peak_bytes = std::max(murmur::fuzz::peak_bytes, murmur::fuzz::live_bytes);
  return memory;
}

void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory != nullptr) murmur::fuzz::live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
