// reply.h: what a request comes back with: a JSON object and numbered arrays.
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

namespace murmur::facade {

using Json = nlohmann::json;
using Bytes = std::vector<std::byte>;

struct Reply {
  Json text = Json::object();
  std::vector<Bytes> arrays{};

  template <class T>
  void add(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    arrays.emplace_back(bytes.begin(), bytes.end());
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::span<const T>(values));
  }
};

// An object of numbers: less code for the page than a list of JSON values.
Json numbers(std::initializer_list<std::pair<const char*, double>> list);
Json texts(std::initializer_list<std::pair<const char*, const char*>> list);  // likewise

// Bytes as numbers; whatever is left over beyond whole ones is not looked at.
inline std::vector<double> doubles_of(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

}  // namespace murmur::facade
