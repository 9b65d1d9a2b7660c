// serial.cpp: replaces two libraries in builds that have only headers: blocks run one after another
// without oneTBB, and aligned memory comes without Highway's library.
#include <hwy/aligned_allocator.h>
#include <hwy/base.h>

#include <cstdlib>

#include "core/parallel.h"
#include "murmur/stop.h"

namespace murmur {

void for_blocks(int blocks, int, const std::function<void(int)>& work) {
  for (int block = 0; block < blocks; ++block) {
    stop_point();
    work(block);
  }
}

void run_in_thread(const std::function<void()>& work) { work(); }

}  // namespace murmur

namespace hwy {

// Rounds up to the multiple of HWY_ALIGNMENT that aligned_alloc requires; custom allocators are not
// used here.
void* AllocateAlignedBytes(size_t size, AllocPtr, void*) {
  return std::aligned_alloc(HWY_ALIGNMENT,
                            (size + HWY_ALIGNMENT - 1) / HWY_ALIGNMENT * HWY_ALIGNMENT);
}

void FreeAlignedBytes(const void* pointer, FreePtr, void*) {
  std::free(const_cast<void*>(pointer));
}

}  // namespace hwy
