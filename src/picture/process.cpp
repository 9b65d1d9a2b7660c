// process.cpp: starts child processes by posix_spawn, fed from a file in memory or over a socket
// pair, and judges the picture that a tool wrote by its first and last bytes; draws the frames of a
// film on threads and has ffmpeg encode them.
#include "picture/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "picture/recipe.h"
#include "run/file.h"
#include "run/formats.h"

extern char** environ;

namespace murmur::picture {

namespace {

struct SpawnPlan {  // the streams and signals of the child
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t defaults, none;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    // Ctrl-C reaches only this program, which ends the child.
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

Process::Process(const Command& command) : name_(command.words.front()), errors_(std::tmpfile()) {
  const int read_end = errors_ ? open_input(command.input) : -1;
  if (read_end < 0) {
    const int reason = errno;
    throw Error(Fault::runtime, "no channel to another program could be opened", name_,
                fmt::format("the system says: {}", std::strerror(reason)));
  }
  SpawnPlan plan;
  const std::string output = command.output.empty() ? "/dev/null" : command.output.string();
  posix_spawn_file_actions_adddup2(&plan.actions, read_end, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&plan.actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&plan.actions, fileno(errors_.get()), STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int status =
      posix_spawnp(&child_, words[0], &plan.actions, &plan.attributes, words.data(), environ);
  close(read_end);
  if (status == 0) return;
  child_ = -1;
  close_input();
  const std::filesystem::path folder = command.output.parent_path();
  const bool writable =
      command.output.empty() || access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  if (status == ENOENT && writable)
    throw Error(Fault::tool, fmt::format("the program {} is not installed", name_), "PATH",
                command.remedy);
  throw Error(Fault::runtime, fmt::format("the program {} could not be started", name_), output,
              fmt::format("the system says: {}", std::strerror(status)));
}

Process::~Process() {
  close_input();
  if (child_ < 0) return;
  kill(child_, SIGKILL);  // what it has written is not kept
  wait();
}

int Process::open_input(std::string_view text) {
  if (text.empty()) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    input_ = ends[1];
    return ends[0];
  }
  const int file = memfd_create("murmur", MFD_CLOEXEC);
  for (std::size_t done = 0; file >= 0 && done < text.size();) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      close(file);
      errno = reason;
      return -1;
    }
    done += static_cast<std::size_t>(written);
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

void Process::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

int Process::wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

int Process::wait_unless_stopped() {
  int status = 0;
  for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
    stop_point();
    ended = waitpid(child_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  child_ = -1;
  return status;
}

void Process::write(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = send(input_, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      close_input();
      wait();
      fail();
    }
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void Process::finish() {
  close_input();
  const int status = wait_unless_stopped();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail();
}

void Process::fail() {
  std::string said(600, '\0');
  std::rewind(errors_.get());
  said.resize(std::fread(said.data(), 1, said.size(), errors_.get()));
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  throw Error(Fault::runtime, fmt::format("the program {} stopped before it was done", name_),
              fmt::format("{} said: {}", name_, said.empty() ? "nothing" : said),
              "check that the disk has room and that the output folder is writable");
}

namespace {

namespace fs = std::filesystem;

std::string text_at(const File& file, std::uint64_t at, std::size_t length) {
  std::string text(length, '\0');
  file.read_at(at, std::as_writable_bytes(std::span(text)));
  return text;
}

std::uint64_t big_endian(const std::string& bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// ISO base media: boxes of a size and a name, one after another to the end of the file; the first
// is ftyp, and the index moov and the frames mdat are among them.
bool is_whole_mp4(const File& file) {
  bool index = false, frames = false;
  std::uint64_t at = 0;
  const std::uint64_t end = file.size();
  while (end - at >= 16) {
    std::uint64_t size = big_endian(text_at(file, at, 4));
    const std::string name = text_at(file, at + 4, 4);
    if (size == 1) size = big_endian(text_at(file, at + 8, 8));
    if (size < 8 || size > end - at || (at == 0 && name != "ftyp")) return false;
    index = index || name == "moov";
    frames = frames || name == "mdat";
    at += size;
  }
  return (at == end || end - at == 8) && index && frames;
}

// Replaces the date of a PDF by the first second of 1970, of the same length, so that the same
// figure has the same bytes.
void reset_creation_date(const fs::path& path) {
  constexpr std::string_view kDate = "/CreationDate (D:", kThen = "19700101000000";
  const std::string text = read_text(path);
  const std::size_t found = text.find(kDate);
  if (found == std::string::npos || text.size() < found + kDate.size() + kThen.size()) return;
  File::writing(path).write_at(found + kDate.size(), kThen);
}

}  // namespace

bool is_whole_picture(const fs::path& path, const std::string& ending) {
  const File file = File::reading(path);
  const std::uint64_t size = file.size();
  if (size < 16) return false;
  if (ending == ".mp4") return is_whole_mp4(file);
  const std::string head = text_at(file, 0, std::min<std::uint64_t>(size, 512));
  const std::string tail =
      text_at(file, size - std::min<std::uint64_t>(size, 64), std::min<std::uint64_t>(size, 64));
  if (ending == ".svg")
    return (head.starts_with("<?xml") || head.starts_with("<svg")) &&
           head.find("<svg") != std::string::npos && tail.find("</svg>") != std::string::npos;
  if (ending == ".png")
    return head.starts_with("\x89PNG\r\n\x1a\n") && tail.find("IEND") != std::string::npos;
  if (ending == ".gif") return head.starts_with("GIF89a") && tail.ends_with('\x3b');
  if (ending == ".pdf") return head.starts_with("%PDF-") && tail.find("%%EOF") != std::string::npos;
  return true;
}

ToolOutput::ToolOutput(const fs::path& place) : target_(place) {
  std::error_code failure, ignored;
  const fs::path folder = place.parent_path();
  if (!folder.empty()) fs::create_directories(folder, failure);
  const fs::file_status there = fs::status(place, ignored);
  if (failure || (fs::exists(there) && !fs::is_regular_file(there)))
    throw Error(Fault::runtime, "the picture cannot be written there", place.string(),
                "name a file in a folder that you may write to");
  path_ = hidden_sibling(place, "part");
}

ToolOutput::~ToolOutput() {
  if (!kept_) remove_quietly(path_);
}

void ToolOutput::keep(const char* tool) {
  const char* remedy =
      "check that the disk has room and that the program of this name is the right one";
  std::error_code ignored;
  if (!fs::is_regular_file(path_, ignored) || fs::file_size(path_, ignored) == 0)
    throw Error(Fault::runtime, fmt::format("the program {} left no picture", tool),
                target_.string(), remedy);
  if (!is_whole_picture(path_, target_.extension().string()))
    throw Error(Fault::runtime, fmt::format("the picture that {} left is not whole", tool),
                target_.string(), remedy);
  const std::string ending = target_.extension().string();
  if (ending == ".pdf") reset_creation_date(path_);
  if (const std::string recipe = recipe_for(target_); ending != ".mp4" && !recipe.empty())
    write_file_atomically(path_, with_recipe(read_text(path_), ending, recipe));
  File::writing(path_).sync();
  rename_path(path_, target_);
  kept_ = true;
  sync_directory(parent_of(target_));
}

namespace {

// H.264 in an .mp4, or a .gif that repeats itself, with the 256 colours that serve the whole film
// best.
std::vector<std::string> codec_for(const std::string& ending) {
  if (ending == ".gif")
    return {"-filter_complex",
            "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none:"
            "diff_mode=rectangle",
            "-loop",
            "0",
            "-f",
            "gif"};
  return {"-c:v",      "libx264",  "-preset", "medium",    "-crf",       "17", "-tune",
          "animation", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"};
}

// The command that writes `file`, a film of the kind of `ending`. `recipe` becomes the comment of
// an .mp4; others get it when they are kept.
Command command_for(const Encoding& encoding, const std::filesystem::path& file,
                    const std::string& ending, const std::string& recipe) {
  const PictureStyle& style = encoding.style;
  Command command{.words = {"ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt",
                            "bgr0", "-s", fmt::format("{}x{}", style.width, style.height), "-r",
                            std::to_string(encoding.fps), "-i", "pipe:0"},
                  .remedy = "Install it with: apt-get install ffmpeg"};
  for (std::string& word : codec_for(ending)) command.words.push_back(std::move(word));
  if (!recipe.empty() && ending != ".gif")
    command.words.insert(command.words.end(), {"-metadata", "comment=" + recipe});
  command.words.push_back(fmt::format("file:{}", file.string()));
  return command;
}

}  // namespace

int count_frames(int fps, double seconds) {
  const double frames = std::round(fps * seconds);
  if (fps < 1 || fps > 240 || !(frames >= 1) || frames > 100'000)
    throw Error(Fault::input,
                fmt::format("a film of {} s at {} frames per second cannot be made", seconds, fps),
                "parameters fps, seconds",
                "choose 1 to 240 frames per second and at most 100000 frames in all");
  return static_cast<int>(frames);
}

bool encode(const Encoding& encoding, const FrameSource& source,
            const std::filesystem::path& film) {
  const int frames = count_frames(encoding.fps, encoding.seconds);
  const PictureStyle& style = encoding.style;
  ToolOutput output(film);
  Process ffmpeg(command_for(encoding, output.path(), film.extension().string(), recipe_for(film)));

  const int threads = encoding.threads > 0
                          ? encoding.threads
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int batch = std::min(frames, 2 * threads);
  std::vector<std::unique_ptr<Canvas>> canvases;
  for (int k = 0; k < batch; ++k)
    canvases.push_back(std::make_unique<Canvas>(style.width, style.height));
  const std::size_t bytes = std::size_t{4} * style.width * style.height;

  for (int first = 0; first < frames; first += batch) {
    if (encoding.stop && encoding.stop()) return false;
    const int count = std::min(batch, frames - first);
    for (int k = 0; source.prepare && k < count; ++k) source.prepare(first + k);
    for_blocks(count, threads, [&](int k) { source.draw(*canvases[k], first + k); });
    for (int k = 0; k < count; ++k) ffmpeg.write(canvases[k]->pixels(), bytes);
  }
  ffmpeg.finish();
  output.keep("ffmpeg");
  return true;
}

}  // namespace murmur::picture
