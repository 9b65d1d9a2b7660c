// shell_test.cpp: words that a shell reads back as they were.
#include "run/shell.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace murmur {
namespace {

// What bash makes of one word.
std::string read_by_bash(const std::string& word) {
  const std::string line = "bash -c 'printf %s \"$1\"' bash " + word;
  FILE* pipe = popen(("exec bash <<'END'\n" + line + "\nEND\n").c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST(ShellWord, PlainWordsStayAsTheyAre) {
  for (const char* word : {"run", "runs/flock-0-1", "beta=4", "--size", "test:0-9", "a,b", "@x"})
    EXPECT_EQ(shell_word(word), word);
}

TEST(ShellWord, AShellReadsEveryWordBack) {
  for (const char* word : {"",
                           "a b",
                           "it's",
                           "\"",
                           "$x",
                           "`x`",
                           "a;b",
                           "a\nb",
                           "\t",
                           "\\",
                           "'\n'",
                           "\x1b[2J",
                           "\x7f",
                           "\xc3\xa9",
                           "\xc2\x9b",
                           "\x9b",
                           "1\x01"
                           "2",
                           "*",
                           "~",
                           "!",
                           "#",
                           "a&b",
                           "(x)",
                           "{a,b}",
                           "\n"}) {
    const std::string quoted = shell_word(word);
    EXPECT_EQ(quoted.find('\n'), std::string::npos) << quoted;
    EXPECT_EQ(read_by_bash(quoted), word) << quoted;
  }
}

TEST(ShellPath, IsNeitherFlagNorParameter) {
  EXPECT_EQ(shell_path("-x.png"), "./-x.png");
  EXPECT_EQ(shell_path("n=4"), "./n=4");
  EXPECT_EQ(shell_path("a b"), "'a b'");
  EXPECT_EQ(shell_path("-a b"), "'./-a b'");
  EXPECT_EQ(shell_path("/tmp/n=4"), "/tmp/n=4");
  EXPECT_EQ(shell_path("../n=4"), "../n=4");
}

}  // namespace
}  // namespace murmur
