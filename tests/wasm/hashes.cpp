// hashes.cpp: runs the simulations of a list through the facade and prints a SHA-256 of the frames
// of each, to compare the page's core bit by bit.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "facade.h"
#include "murmur/training.h"
#include "run/sha256.h"

namespace {

using Json = nlohmann::json;

Json ask(const Json& request, std::span<const std::byte> bytes = {}) {
  const int fault =
      murmur_ask(request.dump().c_str(), bytes.data(), static_cast<int>(bytes.size()));
  const Json reply = Json::parse(murmur_text());
  if (fault != 0) {
    std::cerr << request.dump() << "\n" << reply.dump() << "\n";
    std::exit(1);
  }
  return reply;
}

// Times and positions of every frame, in double precision.
std::string hash_of(int trajectory) {
  const Json frames = ask({{"do", "fly"}, {"flight", trajectory}, {"count", 1'000'000}});
  const auto add = [](murmur::Sha256& sha, int array) {
    sha.update({static_cast<const std::byte*>(murmur_array(array)),
                static_cast<std::size_t>(murmur_array_bytes(array))});
  };
  murmur::Sha256 sha;
  add(sha, 0);
  for (int frame = 0; frame < frames.at("count"); ++frame) {
    ask({{"do", "frame"}, {"flight", trajectory}, {"frame", frame}});
    add(sha, 0);
  }
  return sha.hex();
}

void print(const std::string& name, int trajectory) {
  std::printf("%s %s\n", name.c_str(), hash_of(trajectory).c_str());
}

// A swarm that has learned nothing yet: its parameters are those that training starts from.
void write_model(const std::string& path, murmur::Task task) {
  murmur::TrainedSwarm swarm;
  swarm.task = task;
  swarm.architecture.blocks = 4;
  swarm.architecture.shared = false;
  swarm.architecture.hidden = 32;
  swarm.architecture.d = 4;
  swarm.architecture.heads = 2;
  swarm.architecture.targets = murmur::spread_targets(2, 4);
  swarm.digits = {3, 8};
  swarm.parameters = murmur::initial_parameters(swarm.architecture, 5);
  murmur::write_trained_swarm(swarm, path);
}

int load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(in)), {});
  return ask({{"do", "trained"}}, std::as_bytes(std::span(file))).at("id");
}

void add_ink(int remainder, std::vector<std::uint8_t>& ink) {
  for (int row = 0; row < 28; ++row)
    for (int column = 0; column < 28; ++column)
      ink.push_back((row * row + column * column) % 7 == remainder ? 255 : 0);
}

void simulate_pair(const std::string& path) {
  std::vector<std::uint8_t> ink;
  for (const int remainder : {1, 2}) add_ink(remainder, ink);
  const Json request = {{"do", "flock"},
                        {"trained", load(path)},
                        {"height", 28},
                        {"width", 28},
                        {"engine", "reference"}};
  print("pair", ask(request, std::as_bytes(std::span(ink))).at("id"));
}

void simulate_trained(const std::string& path) {
  const int trained = load(path);
  std::vector<std::uint8_t> ink;
  add_ink(1, ink);
  Json request = {{"do", "flock"}, {"trained", trained}, {"height", 28},         {"width", 28},
                  {"finer", 2},    {"blocks", 6},        {"engine", "reference"}};
  print("ink", ask(request, std::as_bytes(std::span(ink))).at("id"));
  std::vector<double> rows(20 * 4);
  for (int e = 0; e < 80; ++e) rows[e] = (e * 7 % 41 - 20) / 4.0;
  request = {{"do", "flockOfPoints"}, {"trained", trained}, {"engine", "reference"}};
  print("places", ask(request, std::as_bytes(std::span(rows))).at("id"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: murmur_facade_hashes FLIGHTS MODEL_TO_WRITE\n", stderr);
    return 2;
  }
  std::ifstream list(argv[1]);
  for (std::string line; std::getline(list, line);) {
    std::istringstream in(line);
    std::string name, words = "engine=reference";
    in >> name;
    for (std::string word; in >> word;) words += "\n" + word;
    print(name, ask({{"do", "flight"}, {"words", words}}).at("id"));
  }
  const std::string model = argv[2], pairs = model + ".same";
  write_model(model, murmur::Task::digits);
  write_model(pairs, murmur::Task::same);
  simulate_trained(model);
  simulate_pair(pairs);
  return 0;
}
