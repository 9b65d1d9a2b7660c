"""test_rewrite.py: the refusals of a text are found, guarded in their lines, and none is forgotten."""

import pathlib
import unittest

import rewrite

SAMPLE = """// sample.cpp: throw in a comment is none; } nor is this brace one
[[noreturn]] void refuse(const std::string& what) {
  throw Error(what, "throw in a text; too");
}
void require(bool good, const char* what) {
  if (!good) throw Error(what);
}
int f(int x) {
  require(x > 0, "x");
  if (x > 1)
    refuse("large");
  else if (x == 7) throw Error([&] { return x; }(),
                               R"(a raw ; text)");
  switch (x) {
    case 3:
      throw;
    default:
      words.refuse("odd");
  }
  return x > 0 ? x : throw 1;
}
"""


class Rewriting(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path("src/sample.cpp")
        changed, self.mutants = rewrite.rewrite({self.path: SAMPLE})
        self.text = changed[self.path]

    def test_finds_statements_in_their_lines(self):
        found = [(m["line"], m["kind"]) for m in self.mutants]
        self.assertEqual(found, [(3, "throw"), (6, "throw"), (9, "check"), (11, "call"),
                                 (12, "throw"), (16, "throw"), (18, "call")])
        self.assertEqual([m["id"] for m in self.mutants], list(range(1, 8)))
        self.assertEqual(self.text.count("\n"), SAMPLE.count("\n"))

    def test_guards(self):
        self.assertIn('{ if (!murmur_mutant(1)) throw Error(what, "throw in a text; too"); }',
                      self.text)
        self.assertIn('{ try { require(x > 0, "x"); } catch (...) { if (!murmur_mutant(3)) throw; } }',
                      self.text)
        self.assertIn('{ if (!murmur_mutant(7)) words.refuse("odd"); }', self.text)
        self.assertIn("x : throw 1;", self.text)  # no statement, so it stays
        self.assertNotIn("noreturn", self.text)

    def test_forgets_no_throw_of_the_tree(self):
        texts = {path: (rewrite.ROOT / path).read_text() for path in rewrite.copied_files()
                 if path.parts[0] in rewrite.MUTATED and path.suffix in (".h", ".cpp")}
        _, mutants = rewrite.rewrite(texts)
        thrown = sum(word == "throw" for text in texts.values()
                     for word, _ in rewrite.tokens_of(text))
        self.assertGreater(thrown, 300)
        self.assertEqual(sum(m["kind"] == "throw" for m in mutants), thrown)


if __name__ == "__main__":
    unittest.main()
