// error.h: the error of a wrong request: what happened, where, and what to do about it.
#pragma once

#include <exception>
#include <string>

namespace murmur {

// The kinds of refusal. The number is the exit code of the command line.
enum class Fault {
  runtime = 1,       // a failure of the machine: disk full, file unreadable, process died
  usage = 2,         // the command line is wrong
  input = 3,         // a parameter, experiment, data or model file is wrong
  numerical = 4,     // the computation ended without a usable number
  jobs = 5,          // a sweep finished with failed jobs
  tool = 6,          // an optional tool is missing
  verification = 7,  // two things that must agree do not
};

class Error : public std::exception {
 public:
  Error(Fault fault, std::string what, std::string where, std::string remedy)
      : fault(fault), summary(std::move(what)), where(std::move(where)), remedy(std::move(remedy)) {
    text_ = summary + "\n" + this->where + "\n" + this->remedy;
  }
  const char* what() const noexcept override { return text_.c_str(); }

  Fault fault;
  std::string summary;  // what
  std::string where;    // file:line:column, parameter, or time and particle
  std::string remedy;   // what to do

 private:
  std::string text_;
};

}  // namespace murmur
