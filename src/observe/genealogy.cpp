// genealogy.cpp: tracks clusters from frame to frame by the particles they share.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {
namespace {

// Clusters before and after that share particles, directly or through others.
struct Group {
  std::vector<int> before{}, after{};  // labels, ascending
};

// Returns the components of the graph that links a cluster of `a` to one of `b` if they share a
// particle, in the order of their first clusters of `b`.
std::vector<Group> groups_of(const Clusters& a, const Clusters& b) {
  // Those of a, then those of b
  std::vector<int> parent(static_cast<std::size_t>(a.count + b.count));
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](int node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (std::size_t i = 0; i < a.label.size(); ++i) {
    const int one = find(a.label[i]), other = find(a.count + b.label[i]);
    parent[std::max(one, other)] = std::min(one, other);
  }
  std::vector<int> group_of(parent.size(), -1);
  std::vector<Group> groups;
  for (int label = 0; label < b.count; ++label) {
    int& group = group_of[find(a.count + label)];
    if (group < 0) {
      group = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[group].after.push_back(label);
  }
  for (int label = 0; label < a.count; ++label)
    groups[group_of[find(label)]].before.push_back(label);
  return groups;
}

// Adds one frame after the other.
class Chronicle {
 public:
  void add(std::int64_t frame, double t, Clusters found) {
    frame_ = frame;
    time_ = t;
    if (frame > 0 && found.label.size() != last_.label.size())
      throw Error(Fault::input, "the frames do not have the same number of particles",
                  "frame " + std::to_string(frame), "keep merged particles as repeated rows");
    first_member_.assign(static_cast<std::size_t>(found.count), -1);
    for (std::size_t i = 0; i < found.label.size(); ++i)
      if (int& first = first_member_[found.label[i]]; first < 0) first = static_cast<int>(i);
    std::vector<int> ids(static_cast<std::size_t>(found.count), -1);
    if (frame == 0) {
      for (int label = 0; label < found.count; ++label) ids[label] = start_cluster(found, label);
    } else {
      for (const Group& group : groups_of(last_, found)) follow(group, found, ids);
    }
    for (const int id : ids) genealogy_.clusters[id].last = frame;
    last_ = std::move(found);
    ids_ = std::move(ids);
    last_time_ = t;
  }

  Genealogy close() { return std::move(genealogy_); }

 private:
  int start_cluster(const Clusters& found, int label) {
    const int id = static_cast<int>(genealogy_.clusters.size());
    genealogy_.clusters.push_back({.id = id,
                                   .size = found.size[label],
                                   .mass = found.mass[label],
                                   .first_member = first_member_[label],
                                   .born = frame_,
                                   .last = frame_});
    return id;
  }

  void follow(const Group& group, const Clusters& found, std::vector<int>& ids) {
    if (group.before.size() == 1 && group.after.size() == 1) {
      ids[group.after[0]] = ids_[group.before[0]];
      return;
    }
    Regrouping event{.kind = group.after.size() == 1    ? Regrouping::merge
                             : group.before.size() == 1 ? Regrouping::split
                                                        : Regrouping::exchange,
                     .after = last_time_,
                     .by = time_};
    for (const int label : group.before) event.from.push_back(ids_[label]);
    for (const int label : group.after)
      event.to.push_back(ids[label] = start_cluster(found, label));
    connect(group, found, event);
    genealogy_.events.push_back(std::move(event));
  }

  // Parents and children share particles; not every cluster of a component is a parent of every
  // other.
  void connect(const Group& group, const Clusters& found, const Regrouping& event) {
    if (event.kind != Regrouping::exchange) {
      for (const int id : event.to) genealogy_.clusters[id].from = event.from;
      for (const int id : event.from) genealogy_.clusters[id].becomes = event.to;
      return;
    }
    const auto note = [](std::vector<int>& list, int id) {
      if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
    };
    for (std::size_t i = 0; i < found.label.size(); ++i) {
      const auto at = std::lower_bound(group.after.begin(), group.after.end(), found.label[i]);
      if (at == group.after.end() || *at != found.label[i]) continue;
      const int child = event.to[at - group.after.begin()], parent = ids_[last_.label[i]];
      note(genealogy_.clusters[child].from, parent);
      note(genealogy_.clusters[parent].becomes, child);
    }
  }

  Genealogy genealogy_;
  Clusters last_;                  // of the frame before
  std::vector<int> ids_;           // (last_.count) their ids
  std::vector<int> first_member_;  // (found.count) of the frame being added
  std::int64_t frame_ = 0;         // the one being added
  double time_ = 0, last_time_ = 0;
};

}  // namespace

History history_of(std::vector<double> times, std::vector<HostSwarm> frames) {
  if (times.size() != frames.size())
    throw Error(
        Fault::input, "there must be one time for each frame",
        std::to_string(times.size()) + " times, " + std::to_string(frames.size()) + " frames",
        "give as many of one as of the other");
  const auto count = static_cast<std::int64_t>(frames.size());
  const auto kept = std::make_shared<std::pair<std::vector<double>, std::vector<HostSwarm>>>(
      std::move(times), std::move(frames));
  return {count, [kept](std::int64_t k) { return kept->first[k]; },
          [kept](std::int64_t k) { return kept->second[k]; }};
}

const char* name_of(Regrouping::Kind kind) {
  constexpr const char* names[] = {"merge", "split", "exchange"};
  return names[kind];
}

Genealogy genealogy(const History& history, const Dynamics& dynamics, double tol) {
  Chronicle chronicle;
  for (std::int64_t k = 0; k < history.count; ++k)
    chronicle.add(k, history.time(k), clusters(history.frame(k), dynamics, tol));
  return chronicle.close();
}

}  // namespace murmur
