// main.cpp: the command line: finds the command, runs it, and turns errors into three lines.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "command.h"
#include "murmur/error.h"
#include "process.h"
#include "program.h"
#include "ranks.h"

namespace murmur::app {

namespace {

bool colour_wanted(const std::string& choice) {
  if (choice == "always") return true;
  const char* refused = std::getenv("NO_COLOR");
  if (choice == "never" || (refused != nullptr && refused[0] != '\0')) return false;
  return isatty(STDERR_FILENO) != 0;
}

// Prints an error of one process, or once for all ranks; returns the exit code.
int print_and_leave(const Error& error, const std::string& color) {
  return leave_ranks(static_cast<int>(error.fault), error,
                     [&](const Error& printed) { print_error("", printed, colour_wanted(color)); });
}

int run(int argc, char** argv) {
  CommandLine line;
  try {
    if (const std::optional<int> code = line.parse(argc, argv)) return *code;
    connect_ranks(line.command().name);
    return leave_ranks(line.run(), std::nullopt, {});
  } catch (const Error& error) {
    return print_and_leave(error, line.flags().color);
  }
}

}  // namespace
}  // namespace murmur::app

int main(int argc, char** argv) {
  using namespace murmur;
  app::program_argv.assign(argv, argv + argc);
  app::prepare_process();
  try {
    const int code = app::run(argc, argv);
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!written && !app::stdout_reader_is_gone())
      return app::print_and_leave({Fault::runtime, "standard output could not be written", "stdout",
                                   "check the disk, or the program that reads the output"},
                                  "auto");
    return code;
  } catch (const std::bad_alloc&) {
    return app::print_and_leave({Fault::runtime, "there is not enough memory for this",
                                 "allocation", "use fewer particles or keep fewer frames"},
                                "auto");
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    return app::print_and_leave({Fault::runtime, error.code().message(),
                                 path.empty() ? "a file or folder of the system" : path,
                                 "check the path, its length and its permissions"},
                                "auto");
  } catch (const std::system_error& error) {  // from std::thread
    return app::print_and_leave(
        {Fault::runtime, "the system could not start a thread: " + error.code().message(), "thread",
         "raise the limits of processes and memory: ulimit -u, ulimit -v"},
        "auto");
  } catch (const std::exception& error) {
    return app::print_and_leave({Fault::runtime, error.what(), "unexpected",
                                 "report it with the command line and murmur doctor"},
                                "auto");
  }
}
