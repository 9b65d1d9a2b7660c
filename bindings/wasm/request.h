// request.h: a request to a core of the page, its reply, and the function by which each core
// answers.
#pragma once

#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "murmur/error.h"

namespace murmur::facade {

using Json = nlohmann::json;
using Bytes = std::vector<std::byte>;

// A JSON object and numbered arrays.
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

// Bytes as numbers; bytes after the last whole number are ignored.
inline std::vector<double> doubles_of(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

// A whole number that fits into an int. The numbers of the page are doubles, whose conversion to
// int is undefined outside of its range.
int whole(const Json& object, const char* key);

struct Request {
  const Json& words;
  std::span<const std::byte> bytes;

  int whole(const char* key) const { return facade::whole(words, key); }
  int whole_or(const char* key, int otherwise) const {
    return words.contains(key) ? whole(key) : otherwise;
  }
};

// The object that a request names was closed, or never created.
struct ClosedHandle : Error {
  using Error::Error;
};

// Defined by each core: facade.cpp is the first core of the page, words.cpp the one that reads
// texts.
void answer(const Request& request, Reply& reply);

}  // namespace murmur::facade
