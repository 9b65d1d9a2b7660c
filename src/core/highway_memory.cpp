// highway_memory.cpp: stands in for Highway's library where only its headers are: aligned memory.
#include <hwy/aligned_allocator.h>
#include <hwy/base.h>

#include <cstdlib>

namespace hwy {

// The multiple of HWY_ALIGNMENT that aligned_alloc asks for; nothing here brings its own allocator.
void* AllocateAlignedBytes(size_t size, AllocPtr, void*) {
  return std::aligned_alloc(HWY_ALIGNMENT,
                            (size + HWY_ALIGNMENT - 1) / HWY_ALIGNMENT * HWY_ALIGNMENT);
}

void FreeAlignedBytes(const void* pointer, FreePtr, void*) {
  std::free(const_cast<void*>(pointer));
}

}  // namespace hwy
