// next_word.cpp: readings of the library as the page takes them.
#include "next_word.h"

namespace murmur::facade {

void add_next_word(const Recording& trajectory, const WordRequest& request,
                   const Vocabulary& vocabulary, Reply& reply) {
  const HostSwarm x = trajectory.swarm(request.frame);
  const Vector mean = mean_place(x);
  const NextWord own = next_word(vocabulary, token_place(x, request.token), request.rule);
  const NextWord all = next_word(vocabulary, mean, request.rule);
  const auto text = [](const NextWord& said) -> Json {
    return {{"entropy", said.entropy},
            {"outcomes", said.outcomes},
            {"above", said.above},
            {"best", said.best}};
  };
  reply.text = {{"boid", text(own)}, {"mean", text(all)}};
  reply.add(own.probability);
  reply.add(all.probability);
  reply.add(vocabulary.points.data);
  reply.add(mean);
}

}  // namespace murmur::facade
