// manual_page.h: manual pages (man 1) of the program and of its commands, written from what they
// declare.
#pragma once

#include <string>

namespace murmur::app {

// The page of a command, murmur-COMMAND(1), or of the program where `command` is empty, as troff.
std::string manual_page(const std::string& command);

}  // namespace murmur::app
