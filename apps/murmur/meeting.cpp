// meeting.cpp: a folder named after the start that all ranks belong to.
#include "meeting.h"

#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "generated/version.h"
#include "murmur/error.h"
#include "ranks.h"
#include "run/json_text.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
constexpr auto kPatience = std::chrono::minutes(10);  // for the first rank's word
constexpr auto kLeave = std::chrono::seconds(20);     // for the slowest rank to have heard it

std::string program() { return fmt::format("murmur {} ({})", MURMUR_VERSION, MURMUR_COMMIT); }

fs::path place(const Flags& flags) {
  std::string job = started_as().job;
  for (char& c : job)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '-';
  make_directory(flags.runs);
  return fs::path(flags.runs) / (".ranks-" + job);
}

}  // namespace

Meeting::Meeting(const Flags& flags) : folder_(place(flags)), claims_(folder_) {}

// A rank that starts late still has to hear; one that died does not.
Meeting::~Meeting() {
  if (!first()) return;
  const auto until = Clock::now() + kLeave;
  for (int rank = 1; rank < started_as().size; ++rank)
    while (!claims_.word_about(fmt::format("heard-{}", rank)) && Clock::now() < until)
      std::this_thread::sleep_for(kBetweenLooks);
  Claims::clear(folder_);
}

bool Meeting::first() const { return started_as().rank == 0; }

// `where` is empty where the first rank failed before it had a folder.
void Meeting::tell(const Told& told) {
  const std::string where = told.where.empty() ? "" : fs::absolute(told.where).string();
  claims_.leave_word("told", json_text(nlohmann::json{{"program", program()},
                                                      {"where", where},
                                                      {"config", told.config},
                                                      {"failed", told.failed}}));
}

Told Meeting::hear(const std::string& config) {
  const auto until = Clock::now() + kPatience;
  std::optional<std::string> word;
  while (!(word = claims_.word_about("told"))) {
    if (Clock::now() > until)
      throw Error(Fault::runtime, "the first rank has not said where to work", folder_.string(),
                  "give --runs a folder that all machines share");
    std::this_thread::sleep_for(kBetweenLooks);
  }
  claims_.leave_word(fmt::format("heard-{}", started_as().rank), "");
  own_errors_are_told();
  const nlohmann::json told = json_of_text(*word);
  const auto differ = [&](const char* what, const std::string& first, const std::string& own) {
    throw Error(Fault::verification, fmt::format("ranks disagree on {}", what),
                fmt::format("rank 0 has {}, rank {} has {}", first, started_as().rank, own),
                "start all ranks with one command, one program and one set of files");
  };
  const int failed = told.value("failed", 0);
  if (failed == 0 && told.value("program", "") != program())
    differ("the program", told.value("program", ""), program());
  if (failed == 0 && told.value("config", "") != config)
    differ("what is to be done", "other settings", "these");
  return {told.value("where", ""), config, failed};
}

}  // namespace murmur::app
