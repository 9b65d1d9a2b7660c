// encoder.cpp: the threads that draw and the ffmpeg process that encodes.
#include "picture/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "murmur/error.h"
#include "picture/process.h"
#include "picture/recipe.h"

namespace murmur::picture {

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
