// highway_memory.cpp: aligned memory for builds that have Highway's headers but not its library.
#include <hwy/aligned_allocator.h>
#include <hwy/base.h>

#include <cstdlib>

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
