// studio.cpp: murmur studio: serves the web page and the runs of this machine to a browser.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.h"
#include "murmur/error.h"
#include "process.h"
#include "run_kind.h"
#include "serve/serve.h"

extern char** environ;

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

constexpr int kUsualPort = 8127;

struct StudioOptions {
  std::string page{};
  int port = kUsualPort;
  bool open = false;
  Option port_given{}, runs_given{};
} options;

bool is_page(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "index.html", ignored);
}

// studio/dist of the current folder or of the source tree of this program, then the installed page.
std::vector<fs::path> usual_pages() {
  std::vector<fs::path> places{fs::path("studio/dist")};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return places;
  const fs::path folder = program.parent_path();
  places.push_back((folder / "../../studio/dist").lexically_normal());
  places.push_back((folder.parent_path() / MURMUR_DATADIR / "murmur/studio").lexically_normal());
  return places;
}

fs::path find_page() {
  if (!options.page.empty()) {
    if (is_page(options.page)) return fs::canonical(options.page);
    throw Error(Fault::input, "this folder holds no page", options.page,
                "give the folder of its index.html; scripts/page.sh builds studio/dist");
  }
  std::string where;
  for (const fs::path& place : usual_pages()) {
    if (is_page(place)) return fs::canonical(place);
    where += (where.empty() ? "" : ", ") + place.string();
  }
  throw Error(Fault::input, "the page is not built", where,
              "build it with scripts/page.sh, or give its folder: --page DIR");
}

// The folder of --runs, which must exist; without the flag ./runs, if it exists.
fs::path find_runs(const Flags& flags) {
  std::error_code error;
  if (fs::is_directory(flags.runs, error)) return fs::canonical(flags.runs);
  if (!options.runs_given.given()) return {};
  throw Error(Fault::input, "there is no folder of runs", flags.runs,
              "give a folder that holds runs: --runs DIR");
}

// Starts the server at the port of --port, or at the usual port, or at any free one if it is taken.
std::unique_ptr<PageServer> serve(const Site& site) {
  try {
    return std::make_unique<PageServer>(site, options.port);
  } catch (const PortTaken&) {
    if (options.port_given.given()) throw;
    return std::make_unique<PageServer>(site, 0);
  }
}

// Opens the address in the browser of the desktop; false if there is no desktop.
bool open_in_browser(const std::string& url) {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && value[0] != '\0';
  };
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  // A session of its own: Ctrl-C here must not end the browser.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::string program = "xdg-open", address = url;
  char* const argv[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  const bool started = posix_spawnp(&child, "xdg-open", &files, &attributes, argv, environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return started;
}

// Prints the address. False if it could not be written: the server would be useless.
bool print_address(const Flags& flags, const Site& site, int port) {
  const std::string url = fmt::format("http://127.0.0.1:{}/", port);
  const nlohmann::json runs =
      site.runs.empty() ? nlohmann::json() : nlohmann::json(site.runs.string());
  print_result(flags, {{"url", url}, {"port", port}, {"page", site.page.string()}, {"runs", runs}},
               url + "\n");
  if (std::fflush(stdout) != 0) return false;
  if (port != options.port && options.port != 0)
    print_message(flags, fmt::format("port {} is taken; {} is free", options.port, port));
  if (options.open && !open_in_browser(url))
    print_message(flags, fmt::format("no browser could be started; open {} in one", url));
  print_message(flags,
                fmt::format("serving {}{}; Ctrl-C ends it", site.page.string(),
                            site.runs.empty() ? "" : " and the runs in " + site.runs.string()));
  return true;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (!words.empty())
    throw_usage_error(fmt::format("studio takes no {}", words[0]), "see murmur studio --help");
  Site site{find_page(), find_runs(flags), {}};
  for (const RunKind& kind : run_kinds())
    if (kind.page_facts != nullptr) site.kinds.push_back({kind.command, kind.page_facts});
  const SignalWatch watch;
  // Only this thread receives signals: the threads of the server are started with signals blocked.
  const sigset_t ending = termination_signals();
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  const std::unique_ptr<PageServer> server = serve(site);
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);  // even if the caller had blocked them
  if (!print_address(flags, site, server->port())) return static_cast<int>(Fault::runtime);
  while (caught_signal == 0 && server->running())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (caught_signal == 0)
    throw Error(Fault::runtime, "the system closed the socket of the server",
                fmt::format("127.0.0.1:{}", server->port()), "start it again");
  print_message(flags, "ended");
  caught_signal = 0;  // a signal is the normal end
  return 0;
}

}  // namespace

Command studio_command() {
  return {"studio",
          "Serve the web page on 127.0.0.1 until Ctrl-C or SIGTERM, which end it with code 0.",
          "  murmur studio --open\n  murmur studio --port 9000 --runs runs",
          [](Options& sub, Flags&) {
            sub.add_option("--page", options.page, "folder of the built page").type_name("DIR");
            options.port_given =
                sub.add_option("--port", options.port, "port to listen on; 0: any free port")
                    .range(0, 65535)
                    .show_default();
            sub.add_flag("--open", options.open, "open the page in the browser");
            options.runs_given = sub.get_option("--runs");
          },
          run};
}

}  // namespace murmur::app
