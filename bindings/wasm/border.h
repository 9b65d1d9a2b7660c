// border.h: what a request is made of, and the one function that every core answers by.
#pragma once

#include <span>

#include "murmur/error.h"
#include "reply.h"

namespace murmur::facade {

// A whole number that an int holds; the page's numbers are doubles, which a plain conversion to int
// leaves undefined beyond its range.
int whole(const Json& object, const char* key);

struct Request {
  const Json& words;
  std::span<const std::byte> bytes;

  int whole(const char* key) const { return facade::whole(words, key); }
  int whole_or(const char* key, int otherwise) const {
    return words.contains(key) ? whole(key) : otherwise;
  }
};

// Whatever a request is about was closed, or never made.
struct Gone : Error {
  using Error::Error;
};

// The core's own: facade.cpp of the page's first core, words.cpp of the one that reads texts.
void answer(const Request& request, Reply& reply);

}  // namespace murmur::facade
