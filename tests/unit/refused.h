// refused.h: what a refused request said, for tests that make wrong ones.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "murmur/error.h"

namespace murmur {

// The fault that `act` was refused with, and its words; a failure when it was not.
inline Fault fault_of(const std::function<void()>& act, std::string* text = nullptr) {
  try {
    act();
  } catch (const Error& error) {
    if (text) *text = error.what();
    return error.fault;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Fault::runtime;
}

// Acts that are each refused as an input, with these words among others.
struct Refused {
  const char* words;
  std::function<void()> act;
};

inline void expect_refused(const std::vector<Refused>& all) {
  for (const auto& [words, act] : all) {
    std::string text;
    EXPECT_EQ(fault_of(act, &text), Fault::input) << words;
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
}

}  // namespace murmur
