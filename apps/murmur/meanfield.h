// meanfield.h: how runs of the command meanfield go on.
#pragma once

#include <string>

#include "command.h"

namespace murmur::app {

int resume_meanfield(const Flags& flags, const std::string& word, const Words& words);

}  // namespace murmur::app
