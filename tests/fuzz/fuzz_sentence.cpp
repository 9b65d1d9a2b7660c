// fuzz_sentence.cpp: any text either is a sentence of a task's words, which reads back as itself,
// or is refused.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "murmur/error.h"
#include "murmur/training.h"

using namespace murmur;

// The first line is the word that is asked about, the rest is the sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string asked = text.substr(0, end), words = text.substr(std::min(end + 1, size));
  for (const Task task : {Task::sense, Task::order}) try {
      const SampleSet sample = read_sentence(task, words, asked);
      const SampleSet again =
          read_sentence(task, sentence_text(task, sample, 0), asked_word(task, sample, 0));
      if (again.word != sample.word) std::abort();
      meaning_of(task, asked_word(task, sample, 0), 0);
      distance_to_cue(task, sample, 0);
    } catch (const Error&) {
    }
  return 0;
}
