// variables.h: environment variables that begin with MURMUR_, and those among them that say
// nothing.
#pragma once

#include <map>
#include <string>

#include "command.h"

namespace murmur::app {

// MURMUR_BETA of the environment, by name.
std::map<std::string, std::string> murmur_variables();

// One line of talk for each variable that is no parameter of any command: misspelt, it would be
// without effect and without a word.
void warn_of_unknown_variables(const Flags& flags);

}  // namespace murmur::app
