// weights.cpp: maps safetensors, and turns halves into floats.
#include "model/weights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "murmur/error.h"
#include "run/tensor_places.h"

namespace murmur {

namespace fs = std::filesystem;

MappedFile::MappedFile(const fs::path& path) {
  const auto refuse = [&](const char* what) {
    throw Error(Fault::input, what, path.string(), "check the path and its permissions");
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse("the file cannot be read");
  struct stat facts {};
  const bool regular = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const auto size = regular ? static_cast<std::size_t>(facts.st_size) : 0;
  void* const at = size == 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (!regular) refuse("the file is not a regular one");
  if (size == 0) refuse("the file is empty");
  if (at == MAP_FAILED) refuse("the file cannot be mapped");
  bytes_ = {static_cast<const std::byte*>(at), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::forget(std::span<const std::byte> part) const {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = (at + page - 1) / page * page,
                       end = (at + part.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::size_t Weights::Tensor::size() const {
  std::size_t product = 1;
  for (const std::size_t axis : shape) product *= axis;
  return product;
}

void Weights::add(const fs::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const Source source = source_of(file->bytes(), path.string());
  storage.push_back(file);
  for (auto& [name, place] : tensor_places(source)) {
    Tensor tensor{.shape = place.shape};
    const bool whole = place.element == Element::f32;
    const bool half = place.element == Element::f16 || place.element == Element::bf16;
    const std::byte* const at = file->bytes().data() + place.begin;
    if (whole && reinterpret_cast<std::uintptr_t>(at) % alignof(float) == 0) {
      tensor.values = reinterpret_cast<const float*>(at);
    } else if (whole || half) {
      auto values = std::make_shared<std::vector<float>>(std::get<std::vector<float>>(
          read_values(source, place.begin, place.element, tensor.size())));
      tensor.values = values->data();
      storage.push_back(std::move(values));
      file->forget({at, tensor.size() * (whole ? sizeof(float) : sizeof(std::uint16_t))});
    }
    if (!tensors.try_emplace(name, std::move(tensor)).second)
      throw Error(Fault::input, fmt::format("the tensor '{}' is in two files", name), path.string(),
                  "download the model again");
  }
}

}  // namespace murmur
