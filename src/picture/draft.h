// draft.h: a picture made by another program, which takes its place only when it is whole.
#pragma once

#include <filesystem>

namespace murmur::picture {

// A file written beside its place by a tool: takes the place on `keep`, is removed otherwise.
class Draft {
 public:
  // Error(runtime) where a directory, a device or a pipe is in the way.
  explicit Draft(const std::filesystem::path& place);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();
  const std::filesystem::path& path() const { return path_; }

  // Error(runtime) unless `tool` left a file that begins and ends as its kind does: a tool that
  // found the disk full may cut its file off and still report success.
  void keep(const char* tool);

 private:
  std::filesystem::path place_, path_;
  bool kept_ = false;
};

// Whether the bytes of a file begin and end as those of an .svg, .png, .gif, .pdf or .mp4 do, by
// `ending`.
bool is_whole_picture(const std::filesystem::path& file, const std::string& ending);

}  // namespace murmur::picture
