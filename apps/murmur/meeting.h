// meeting.h: ranks that are dealt units of work meet in a folder that all see, without MPI: the
// death of one of them is no matter to the others.
#pragma once

#include <filesystem>
#include <string>

#include "command.h"
#include "run/claims.h"

namespace murmur::app {

// What the first rank tells the others before they begin.
struct Told {
  std::string where{};   // the folder to work in
  std::string config{};  // what is worked on, to be the same for all
  int failed = 0;        // exit code of a first rank that could not begin
};

// One for each start by mpirun or srun, below the folder of runs; gone when the first rank leaves.
class Meeting {
 public:
  explicit Meeting(const Flags& flags);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  bool first() const;
  void tell(const Told& told);  // by the first, once
  // By the others: waits for it. From here on their errors are their own and are told by them.
  // Error(verification) where the program or `config` are not the first rank's.
  Told hear(const std::string& config);
  const Claims& claims() const { return claims_; }

 private:
  std::filesystem::path folder_;
  Claims claims_;
};

}  // namespace murmur::app
