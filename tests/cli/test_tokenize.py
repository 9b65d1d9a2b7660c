"""murmur tokenize as a user meets it: lines in, lines out, three lines where something is off."""

import json
import subprocess

import murmur

FIXTURES = murmur.ROOT / "tests/fixtures/tokenizers"
USAGE, INPUT = 2, 3


class Tokenize(murmur.Case):
    def lines(self, text, *words, code=0):
        """What the command prints for lines of standard input."""
        done = subprocess.run([str(murmur.PROGRAM), "tokenize", *map(str, words)], input=text,
                              cwd=self.folder, env=murmur.environment(), capture_output=True,
                              text=True, timeout=murmur.PATIENCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_all_kinds_both_ways(self):
        strings = json.loads((FIXTURES / "strings.json").read_text())
        asked = "".join(json.dumps(text) + "\n" for text in strings)
        for kind in ("wordpiece", "bytelevel", "llama3", "metaspace", "unigram"):
            with self.subTest(kind):
                golden = json.loads((FIXTURES / kind / "golden.json").read_text())
                made = self.lines(asked, FIXTURES / kind).stdout
                self.assertEqual([json.loads(line) for line in made.splitlines()], golden["ids"])
                # JSON keeps line ends of a text inside its line, whatever Unicode calls a line end.
                back = self.lines(made, FIXTURES / kind / "tokenizer.json", "--decode").stdout
                self.assertEqual([json.loads(line) for line in back.split("\n")[:-1]],
                                 golden["decoded"])

    def test_options(self):
        path = FIXTURES / "wordpiece"
        self.assertEqual(self.lines('"Hello, world!"\n', path, "--no-special").stdout,
                         "[1553,331,16,1360,528,5]\n")
        told = json.loads(self.lines('"Hello"\n', path, "--json").stdout)
        self.assertEqual(told["tokens"][0], "[CLS]")
        self.assertEqual(len(told["tokens"]), len(told["ids"]))
        self.assertEqual(self.lines("[2, 3]\n", path, "--decode", "--keep-special").stdout,
                         '"[CLS] [SEP]"\n')
        self.assertEqual(json.loads(self.lines("[42]\n", path, "--decode", "--json").stdout),
                         {"text": "a"})
        self.assertEqual(self.lines("", path).stdout, "")
        self.lines('"a"\n', path, "-o", "ids.jsonl")
        self.assertEqual((self.folder / "ids.jsonl").read_text(), "[2,42,3]\n")

    def test_a_model_of_llama2c_by_its_tokeniser_folder_and_weights(self):
        bundled = murmur.ROOT / "studio/public/words"
        model = self.folder / "model"
        model.mkdir()
        (model / "tok512.bin").write_bytes((bundled / "tok512.bin").read_bytes())
        (model / "weights.bin").write_bytes(bytes(28))
        for path in ("model/tok512.bin", "model", "model/weights.bin"):
            ids = json.loads(self.lines('"The cat sat."\n', path).stdout)
            self.assertEqual(ids, [1, 291, 280, 294, 262, 294, 426])
            text = self.lines(f"{ids}\n", path, "--decode").stdout
            self.assertEqual(json.loads(text), "The cat sat.")
        self.refused(INPUT, "tokenize", "minilm", what="not on this machine",
                     env={"XDG_DATA_HOME": str(self.folder)}, do="murmur model fetch minilm")

    def test_last_line_without_its_end(self):
        self.assertEqual(self.lines('"a"', FIXTURES / "wordpiece").stdout, "[2,42,3]\n")

    def test_wrong_lines(self):
        path = FIXTURES / "wordpiece"
        for line in ("hello", "[1]", "", '"\\ud800"', '"a" "b"', "{}"):
            done = self.lines('"a"\n' + line + "\n", path, code=INPUT)
            self.assertEqual(done.stdout, "[2,42,3]\n")
            self.assertRegex(done.stderr, "not a JSON string\n  where: standard input, line 2\n  do: ")
        for line in ("5", "[1.5]", "[-1]", "[4294967296]", '["a"]', "[[1]]"):
            done = self.lines(line + "\n", path, "--decode", code=INPUT)
            self.assertRegex(done.stderr, "not a JSON array of ids\n  where: standard input, line 1\n")
        done = self.lines("[42]\n[2000]\n", path, "--decode", code=INPUT)
        self.assertRegex(done.stderr, "no token has the id 2000\n  where: standard input, line 2: ")
        self.assertRegex(done.stderr, "below 2000")

    def test_nothing_is_written_where_a_line_is_wrong(self):
        self.lines('"a"\nb\n', FIXTURES / "wordpiece", "-o", "ids.jsonl", code=INPUT)
        self.assertFalse((self.folder / "ids.jsonl").exists())

    def test_wrong_files(self):
        self.refused(INPUT, "tokenize", "nowhere", where="nowhere")
        self.refused(INPUT, "tokenize", ".", what="no tokenizer.json")
        self.write("bad.json", "{")
        self.refused(INPUT, "tokenize", "bad.json", what="no JSON", where="bad.json: byte")
        file = json.loads((FIXTURES / "wordpiece/tokenizer.json").read_text())
        file["pre_tokenizer"] = {"type": "UnicodeScripts"}
        self.write("odd.json", json.dumps(file))
        self.refused(INPUT, "tokenize", "odd.json", what="UnicodeScripts", where="pre_tokenizer",
                     do="BertPreTokenizer")

    def test_wrong_words(self):
        self.refused(USAGE, "tokenize")
        self.refused(USAGE, "tokenize", "a", "b")
        self.refused(USAGE, "tokenize", FIXTURES / "wordpiece", "--keep-special")
        self.refused(USAGE, "tokenize", FIXTURES / "wordpiece", "--decode", "--limits")
        self.refused(USAGE, "tokenise", "a", do="murmur tokenize")


if __name__ == "__main__":
    murmur.main()
