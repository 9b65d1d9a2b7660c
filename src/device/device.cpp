// device.cpp: chooses the GPU of a process, reports its failures, and runs cuBLAS with a fixed
// workspace.
#include "device/device.h"

#include <string>

#include "murmur/error.h"

namespace murmur::cuda {

namespace {

constexpr std::size_t kWorkspace = std::size_t{32}
                                   << 20;  // bytes; fixed, so that results have the same bits

int own_rank = 0;  // number among the ranks of this machine

constexpr const char* kWithout =
    "try again, or use the processor: device=cpu in training, engine=auto else";

}  // namespace

void inspect(cudaError_t outcome) {
  if (outcome == cudaSuccess) return;
  if (outcome == cudaErrorMemoryAllocation)
    throw Error(Fault::runtime, "the GPU has too little memory", "on the GPU",
                "use a smaller swarm, or the processor: device=cpu in training, engine=auto else");
  throw Error(Fault::runtime, std::string("the GPU failed: ") + cudaGetErrorString(outcome),
              "on the GPU", kWithout);
}

void inspect(cublasStatus_t outcome) {
  if (outcome == CUBLAS_STATUS_SUCCESS) return;
  throw Error(Fault::runtime,
              std::string("a matrix product failed: ") + cublasGetStatusString(outcome),
              "on the GPU", kWithout);
}

void choose_gpu_of(int rank_here) { own_rank = rank_here; }

int chosen_gpu() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return -1;
  return own_rank % devices;
}

void need_gpu(const Asked& asked, int least_major) {
  int devices = 0;
  const cudaError_t outcome = cudaGetDeviceCount(&devices);
  const std::string instead = asked.instead;
  if (outcome == cudaErrorInsufficientDriver)
    throw Error(Fault::tool, "there is no NVIDIA driver, or one that is too old", asked.where,
                instead + ", or see what nvidia-smi says");
  if (outcome != cudaSuccess || devices == 0)
    throw Error(Fault::tool, "there is no NVIDIA GPU", asked.where,
                instead + ", or see what nvidia-smi says");
  cudaDeviceProp gpu{};
  inspect(cudaSetDevice(own_rank % devices));
  inspect(cudaGetDeviceProperties(&gpu, own_rank % devices));
  if (gpu.major < least_major)
    throw Error(Fault::tool,
                std::string(gpu.name) + " is of compute capability " + std::to_string(gpu.major) +
                    "." + std::to_string(gpu.minor) + ", and " + std::to_string(least_major) +
                    ".0 is needed",
                asked.where, instead + " on this machine");
}

Products::Products() {
  need_gpu();
  inspect(cublasCreate(&handle_));
  inspect(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH));
  inspect(cublasSetWorkspace(handle_, workspace_.need(kWorkspace), kWorkspace));
}

Products::~Products() { cublasDestroy(handle_); }

// cuBLAS stores columns and we store rows, so it computes c^T = op(b)^T op(a)^T.
void Products::multiply(const Matrices& a, const Matrices& b, Turn turn, float* c, Blend blend) {
  const bool left = turn == Turn::left, right = turn == Turn::right;
  const int rows = left ? a.cols : a.rows, inner = left ? a.rows : a.cols;
  const int cols = right ? b.rows : b.cols;
  const auto turned = [](bool is) { return is ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto stride = [](int r, int k) { return static_cast<long long>(r) * k; };
  if (a.count == 1)
    return inspect(cublasSgemm(handle_, turned(right), turned(left), cols, rows, inner,
                               &blend.scale, b.at, b.cols, a.at, a.cols, &blend.keep, c, cols));
  inspect(cublasSgemmStridedBatched(handle_, turned(right), turned(left), cols, rows, inner,
                                    &blend.scale, b.at, b.cols, stride(b.rows, b.cols), a.at,
                                    a.cols, stride(a.rows, a.cols), &blend.keep, c, cols,
                                    stride(rows, cols), a.count));
}

}  // namespace murmur::cuda
