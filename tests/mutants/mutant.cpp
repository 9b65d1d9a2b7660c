// mutant.cpp: tells a statement of the copied tree whether it is the one that is left out today.
//
// MUTANT=17 leaves out statement 17. Without it MUTANT_LOG names a file to which each statement
// that is reached appends its number, once a process. The names do not begin with MURMUR_, because
// the tests of the command line take those away from the program they start.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

bool murmur_mutant(int id) noexcept;

namespace {

int chosen() noexcept {
  static const int id = [] {
    const char* text = std::getenv("MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return id;
}

void note(int id) noexcept {
  static const char* const path = std::getenv("MUTANT_LOG");
  static std::array<std::atomic<bool>, 4096> seen{};
  if (path == nullptr || id >= static_cast<int>(seen.size()) || seen[id].exchange(true)) return;
  std::array<char, 16> line{};
  const int length = std::snprintf(line.data(), line.size(), "%d\n", id);
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, line.data(), static_cast<size_t>(length));
  ::close(file);
}

}  // namespace

bool murmur_mutant(int id) noexcept {
  if (chosen() == id) return true;
  if (chosen() == 0) note(id);
  return false;
}
