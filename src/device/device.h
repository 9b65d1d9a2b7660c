// device.h: memory and matrix products of a GPU, with failures thrown as errors.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <vector>

namespace murmur::cuda {

// Throws Error(runtime) if the call failed.
void inspect(cudaError_t outcome);
void inspect(cublasStatus_t outcome);

// Which setting needs a GPU, and what to do without: the second and third line of an error.
struct Asked {
  const char *where, *instead;
};
inline constexpr Asked kTraining{"device=cuda", "use device=cpu"};

// Throws Error(tool) unless there is a driver and an NVIDIA GPU that the kernels can run on.
void need_gpu(const Asked& asked = kTraining, int least_major = 0);

// Returns the GPU of this process: ranks of one machine use its GPUs in turn. -1: there is none.
void choose_gpu_of(int rank_here);
int chosen_gpu();

// Memory of the GPU, kept between calls.
template <class T>
class Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { cudaFree(data_); }

  // Returns memory for `count` values, uninitialised.
  T* need(std::size_t count) {
    if (count > size_) {
      inspect(cudaFree(data_));
      data_ = nullptr, size_ = 0;
      inspect(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
      size_ = count;
    }
    return data_;
  }
  T* upload(std::span<const T> values) {
    T* to = need(values.size());
    inspect(cudaMemcpy(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
    return to;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Pinned memory of the host, which the GPU copies from and to directly, kept between calls.
class HostRoom {
 public:
  HostRoom() = default;
  HostRoom(const HostRoom&) = delete;
  HostRoom& operator=(const HostRoom&) = delete;
  ~HostRoom() { cudaFreeHost(data_); }

  std::byte* need(std::size_t bytes) {
    if (bytes > size_) {
      inspect(cudaFreeHost(data_));
      data_ = nullptr, size_ = 0;
      inspect(cudaMallocHost(reinterpret_cast<void**>(&data_), bytes));
      size_ = bytes;
    }
    return data_;
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// A stream for copies and launches.
class Stream {
 public:
  Stream() { inspect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }
  void wait() const { inspect(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

template <class T>
std::vector<T> fetch(const T* from, std::size_t count) {
  std::vector<T> values(count);
  inspect(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// `count` row-major matrices (rows, cols), one after another.
struct Matrices {
  const float* at = nullptr;
  int rows = 0, cols = 0;
  int count = 1;
};

enum class Turn { none, left, right };  // which factor is transposed

// Products in plain single precision (no TF32), the same bits every time.
class Products {
 public:
  Products();
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  struct Blend {
    float scale = 1, keep = 0;
  };
  //   c <- scale op(a) op(b) + keep c, of each of the matrices; c is (rows, cols) of op(a) op(b)
  void multiply(const Matrices& a, const Matrices& b, Turn turn, float* c, Blend blend);
  void multiply(const Matrices& a, const Matrices& b, Turn turn, float* c) {
    multiply(a, b, turn, c, {});
  }
  cublasHandle_t handle() const { return handle_; }  // for products of other kinds

 private:
  cublasHandle_t handle_ = nullptr;
  Room<std::byte> workspace_{};
};

}  // namespace murmur::cuda
