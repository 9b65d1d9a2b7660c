// process.h: runs a tool that reads what the program gives it, and takes over the picture or film
// it writes only when that is whole; no shell, no signals, no files left behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "picture/canvas.h"
#include "picture/picture.h"

namespace murmur::picture {

struct Command {
  std::vector<std::string> words{};  // program and arguments, taken as they are
  std::filesystem::path output{};    // receives its standard output; empty: nothing does
  std::string remedy{};              // when the program is missing
  std::string_view input{};          // all of its input; empty: the bytes that `write` sends
};

// A child process that reads a given text, or the bytes that `write` sends. They go through a
// socket, so that a child that ends early causes an error of `write` and never SIGPIPE.
class Process {
 public:
  explicit Process(const Command& command);  // Error(tool) where the program is missing
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // ends a child that is still running

  void write(const void* bytes, std::size_t size);  // Error(runtime) when the child is gone
  void write(std::string_view text) { write(text.data(), text.size()); }
  void finish();  // closes the input and waits; Error(runtime) unless the child succeeded

 private:
  [[noreturn]] void fail();
  int open_input(std::string_view text);  // what the child reads from
  void close_input();
  int wait();
  int wait_unless_stopped();  // which throws Stopped

  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, FileCloser> errors_;  // its standard error
  int input_ = -1;
  pid_t child_ = -1;
};

// The file that a tool writes, under a temporary name: `keep` moves it to its place; otherwise it
// is removed.
class ToolOutput {
 public:
  // Error(runtime) where a directory, a device or a pipe is in the way.
  explicit ToolOutput(const std::filesystem::path& place);
  ToolOutput(const ToolOutput&) = delete;
  ToolOutput& operator=(const ToolOutput&) = delete;
  ~ToolOutput();
  const std::filesystem::path& path() const { return path_; }

  // Error(runtime) unless `tool` left a file that begins and ends as its kind does: a tool that
  // found the disk full may cut its file off and still report success.
  void keep(const char* tool);

 private:
  std::filesystem::path target_, path_;
  bool kept_ = false;
};

// Whether the bytes of a file begin and end as those of an .svg, .png, .gif, .pdf or .mp4 do, by
// `ending`.
bool is_whole_picture(const std::filesystem::path& file, const std::string& ending);

struct Encoding {
  PictureStyle style{};
  int fps = 30;
  double seconds = 8;
  int threads = 0;               // 0: all cores
  std::function<bool()> stop{};  // called between batches of frames
};

// round(fps * seconds); Error(input) where that is not a possible film.
int count_frames(int fps, double seconds);

// The frames of a film: `prepare` is called for every frame in order, on one thread, before `draw`,
// which is called for many frames at once.
struct FrameSource {
  std::function<void(int frame)> prepare{};  // may be empty
  std::function<void(Canvas& canvas, int frame)> draw{};
};

// Returns false when stopped; nothing is kept then, or after an Error.
bool encode(const Encoding& encoding, const FrameSource& source, const std::filesystem::path& film);

}  // namespace murmur::picture
