// mapped_file.cpp: maps files, keeps a table of them that a signal handler may read, and finds the
// tensors of safetensors files.
#include "model/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "murmur/error.h"
#include "run/tensor_places.h"

namespace murmur {

namespace {

std::array<std::atomic<const MappedFile*>, 4096> all_mapped{};

// Returns whether `old` was in the table.
bool replace(const MappedFile* old, const MappedFile* by) {
  for (std::atomic<const MappedFile*>& place : all_mapped)
    if (const MappedFile* held = old; place.compare_exchange_strong(held, by)) return true;
  return false;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path.string()) {
  const auto refuse = [&](const char* what) {
    throw Error(Fault::input, what, path_, "check the path and its permissions");
  };
  // O_NONBLOCK: a pipe without a writer is refused below; opening it does not wait.
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) refuse("the file cannot be read");
  struct stat facts {};
  const bool regular = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const auto size = regular ? static_cast<std::size_t>(facts.st_size) : 0;
  void* const at = size == 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (!regular) refuse("the file is not a regular file");
  if (size == 0) refuse("the file is empty");
  if (at == MAP_FAILED) refuse("the file cannot be mapped");
  bytes_ = {static_cast<const std::byte*>(at), size};
  if (replace(nullptr, this)) return;
  munmap(at, size);
  refuse("too many files are mapped at once");
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  replace(this, nullptr);
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages(std::span<const std::byte> part) const {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = (at + page - 1) / page * page,
                       end = (at + part.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

const char* mapped_file_at(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const std::atomic<const MappedFile*>& place : all_mapped)
    if (const MappedFile* const file = place.load(); file != nullptr) {
      const auto begin = reinterpret_cast<std::uintptr_t>(file->bytes().data());
      if (at >= begin && at - begin < file->bytes().size()) return file->path().c_str();
    }
  return nullptr;
}

namespace fs = std::filesystem;

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
      file->release_pages({at, tensor.size() * (whole ? sizeof(float) : sizeof(std::uint16_t))});
    }
    if (!tensors.try_emplace(name, std::move(tensor)).second)
      throw Error(Fault::input, fmt::format("the tensor '{}' is in two files", name), path.string(),
                  "download the model again");
  }
}

}  // namespace murmur
