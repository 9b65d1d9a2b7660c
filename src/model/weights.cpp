// weights.cpp: maps safetensors, and turns halves into floats.
#include "model/weights.h"

#include <fmt/format.h>

#include <cstdint>

#include "murmur/error.h"
#include "run/tensor_places.h"

namespace murmur {

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
      file->forget({at, tensor.size() * (whole ? sizeof(float) : sizeof(std::uint16_t))});
    }
    if (!tensors.try_emplace(name, std::move(tensor)).second)
      throw Error(Fault::input, fmt::format("the tensor '{}' is in two files", name), path.string(),
                  "download the model again");
  }
}

}  // namespace murmur
