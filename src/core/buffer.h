// buffer.h: aligned memory for vector kernels, kept between calls.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>

namespace murmur::simd {

template <class T>
hwy::AlignedFreeUniquePtr<T[]> allocate(std::size_t count) {
  auto memory = hwy::AllocateAligned<T>(count);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <class T>
class Buffer {
 public:
  // Returns memory for `count` values, uninitialised.
  T* need(std::size_t count) {
    if (count > size_) {
      data_ = allocate<T>(count);
      size_ = count;
    }
    return data_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace murmur::simd
