// process.h: runs a tool that reads what the program gives it; no shell, no signals, no files left.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace murmur::picture {

struct Command {
  std::vector<std::string> words{};  // program and arguments, taken as they are
  std::filesystem::path output{};    // its standard output goes here; empty: nowhere
  std::string remedy{};              // when the program is missing
  std::string_view input{};          // its whole standard input, as a file; empty: what write sends
};

// A child process that reads a given text or what we write. What we write goes through a socket, so
// that a child that ends early shows as an error of write and never as SIGPIPE.
class Process {
 public:
  explicit Process(const Command& command);  // Error(tool) where the program is missing
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // a child still running is ended

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
  std::unique_ptr<std::FILE, FileCloser> complaints_;  // its standard error
  int input_ = -1;
  pid_t child_ = -1;
};

}  // namespace murmur::picture
