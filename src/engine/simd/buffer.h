// buffer.h: aligned memory that a field keeps between evaluations.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>

namespace murmur::simd {

template <class T>
class Buffer {
 public:
  // Room for `count` values, of which nothing is known.
  T* need(std::size_t count) {
    if (count > size_) {
      data_ = hwy::AllocateAligned<T>(count);
      size_ = count;
    }
    return data_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace murmur::simd
