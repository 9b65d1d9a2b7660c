// refused.h: what a refused request said, for tests that make wrong ones.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

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

}  // namespace murmur
