// workshop.h: a folder to work in that is gone when the program is.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "murmur/error.h"

namespace murmur::app {

class Workshop {
 public:
  Workshop() {
    std::string name = (std::filesystem::temp_directory_path() / "murmur-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(Fault::runtime, "no folder could be made to work in",
                  std::filesystem::temp_directory_path().string(),
                  "set TMPDIR to a folder that you may write");
    path_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace murmur::app
