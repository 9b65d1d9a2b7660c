"""test_packages.py: what is installed works where it is moved to; manual pages, completion in three shells,
the list of contents, and version and changelog by one command."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest
import urllib.request

import murmur

BUILD = murmur.PROGRAM.parent


def shell(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


class Installed(murmur.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import tempfile
        cls.box = pathlib.Path(tempfile.mkdtemp(dir=murmur.SCRATCH))
        first = cls.box / "first"
        done = shell("cmake", "--install", BUILD, "--prefix", first, "--component", "program")
        assert done.returncode == 0, done.stderr
        page = first / "share/murmur/studio"  # where the page is not built, one of a line
        if not page.exists():
            page.mkdir(parents=True)
            (page / "index.html").write_text("<title>Murmuration</title>")
        cls.place = cls.box / "moved/place"
        cls.place.parent.mkdir()
        first.rename(cls.place)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.box)
        super().tearDownClass()

    def program(self, *words, **more):
        return shell(self.place / "bin/murmur", *words, env=murmur.environment(), cwd=self.folder,
                     **more)

    def test_simulates_from_where_it_was_moved_to(self):
        done = self.program("simulate", "-q", "orthonormal", "T=3", "save=final", "-o", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(self.program("measure", "run", "--json").stdout)
        self.assertIn("0.332986702", json.dumps(row))

    def test_studio_serves_the_installed_page(self):
        asked = [self.place / "bin/murmur", "studio", "--port", "0", "--json"]
        with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=murmur.environment(), cwd=self.folder) as studio:
            try:
                told = ""
                while "}" not in told:
                    told += studio.stdout.readline()
                address = json.loads(told)["url"]
                with urllib.request.urlopen(address, timeout=10) as answer:
                    self.assertIn("<title>", answer.read().decode())
            finally:
                studio.terminate()

    def test_every_manual_page_is_sound(self):
        pages = sorted((self.place / "share/man/man1").glob("*"))
        commands = self.program("explain", "--commands").stdout.split()
        names = {page.name.split(".")[0] for page in pages}
        self.assertEqual(names, {"murmur"} | {f"murmur-{name}" for name in commands})
        if not shutil.which("man"):
            self.skipTest("no man")
        for page in pages:
            done = shell("man", "--warnings", "-l", page, env={**os.environ, "LC_ALL": "C.UTF-8",
                                                               "MANPAGER": "cat"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
        text = shell("man", "-l", self.place / "share/man/man1" / pages[-1].name).stdout
        self.assertIn("EXIT STATUS", text)

    def test_pages_tell_what_help_tells(self):
        for name in ("simulate", "studio", "runs"):
            told = json.loads(self.program("explain", "--commands", "--json").stdout)
            command = next(row for row in told if row["name"] == name)
            help_text = self.program(name, "--help").stdout
            page = self.program("explain", "--man", name).stdout.replace("\\-", "-")
            for flag in command["flags"]:
                self.assertIn(",".join(flag["names"]), help_text)
                self.assertIn(f"\\fB{flag['names'][-1]}\\fR", page)
                self.assertIn(flag["meaning"].replace("-", ""), page.replace("-", ""))
            self.assertIn(command["meaning"], page)
        page = self.program("explain", "--man", "simulate").stdout
        self.assertIn("\\fBbeta\\fR=", page)
        self.assertEqual(self.program("explain", "--man", "nothing").returncode, 2)
        self.assertEqual(self.program("explain", "--man", "--commands").returncode, 2)

    def test_exit_codes_are_those_of_the_documentation(self):
        page = (murmur.ROOT / "docs/architecture.md").read_text()
        rows = {row.split("|")[1].strip(): row.split("|")[2].strip()
                for row in page.split("| exit | meaning |")[1].splitlines() if row.count("|") == 3}
        told = self.program("explain", "--man").stdout.split(".SH EXIT STATUS\n.TP\n")[1]
        for part in told.split(".SH")[0].split(".TP\n"):
            codes, meaning = part.rstrip().split("\n")
            codes = codes.removeprefix("\\fB").removesuffix("\\fR")
            self.assertTrue(rows.pop(codes).startswith(meaning), codes)
        self.assertEqual(set(rows), {"---"})

    def test_desktop_entry_and_contents(self):
        entry = (self.place / "share/applications/murmur-studio.desktop").read_text()
        self.assertIn("Exec=murmur studio --open", entry)
        self.assertTrue((self.place / "share/icons/hicolor/scalable/apps/murmur-studio.svg").exists())
        if shutil.which("desktop-file-validate"):
            done = shell("desktop-file-validate",
                         self.place / "share/applications/murmur-studio.desktop")
            self.assertEqual(done.stdout, "")
        listed = json.loads((self.place / "share/doc/murmuration/contents.cdx.json").read_text())
        names = {row["name"] for row in listed["components"]}
        needed = shell("readelf", "-d", self.place / "bin/murmur").stdout
        linked = {line.split("[")[1].split(".so")[0] for line in needed.splitlines()
                  if "(NEEDED)" in line}
        self.assertGreater(len(linked), 5)
        self.assertEqual(linked - names - {"libasan", "libubsan", "libtsan"}, set())
        for row in listed["components"]:
            self.assertTrue(row["licenses"][0]["license"]["name"], row)


class Completion(murmur.Case):
    """What the shells offer for a line that is being typed."""

    LINES = {  # typed -> a word that must be offered, a word that must not be
        "murmur sim": ("simulate", "render"),
        "murmur simulate --prog": ("--progress", "--port"),
        "murmur studio --po": ("--port", "--progress"),
        "murmur simulate clo": ("clock=", "labels="),
        "murmur simulate flag": ("flagship", "clock="),
        "murmur meanfield lab": ("labels=", "clock="),
    }

    def offered(self, script):
        done = subprocess.run(script, capture_output=True, text=True, cwd=self.folder, timeout=murmur.PATIENCE)
        return done.stdout.split(), done.stderr

    def of_bash(self, line):
        words = line.replace("=", " = ").split()
        self.write("c.bash", self.murmur("completion", "bash").stdout)
        return self.offered(["bash", "-c", f"source ./c.bash; COMP_WORDS=({' '.join(words)}); "
                             f"COMP_CWORD={len(words) - 1}; _murmur; echo ${{COMPREPLY[@]}}"])

    def of_fish(self, line):
        self.write("c.fish", self.murmur("completion", "fish").stdout)
        found, error = self.offered(["fish", "--no-config", "-c",
                                     f"source c.fish; complete -C '{line}' | cut -f1"])
        return found, error

    def of_zsh(self, line):
        """Its compadd is made to print what it is handed; of that, zsh keeps what begins as typed."""
        self.write("_murmur", self.murmur("completion", "zsh").stdout)
        self.write("ask.zsh", """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'PS1="> "; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D'
            zpty -w shell 'zstyle ":completion:*" insert-tab false; LISTMAX=0; setopt no_always_last_prompt'
            zpty -w shell 'compadd() { local a; [[ $1 == -O ]] || for a in "$@"; do print -r -- "<$a>"; done >>told; builtin compadd "$@" }'
            zpty -w shell ': >ready'
            for try in {1..12000}; do [[ -e ready ]] && break; sleep 0.05; done
            zpty -n -w shell "$LINE"$'\\t'
            for try in {1..6000}; do [[ -s told ]] && break; sleep 0.1; done
            sleep 0.3
            zpty -n -w shell $'\\x15'
            zpty -w shell exit
            zpty -d shell
        """)
        env = {**os.environ, "LINE": line, "TERM": "dumb"}
        subprocess.run(["zsh", "-f", "ask.zsh"], cwd=self.folder, env=env, timeout=murmur.PATIENCE,
                       capture_output=True)
        told = self.folder / "told"
        text = told.read_text() if told.exists() else ""
        told.unlink(missing_ok=True)
        (self.folder / "ready").unlink()
        typed = line.split()[-1]
        return [word.strip("<>") for word in text.split("\n") if word.startswith("<" + typed)], ""

    def check(self, ask):
        for line, (wanted, unwanted) in self.LINES.items():
            found, error = ask(line)
            self.assertIn(wanted, found, f"{line!r}: {error}")
            self.assertNotIn(unwanted, found, line)

    def test_bash(self):
        self.check(self.of_bash)
        self.assertIn("sinkhorn", self.of_bash("murmur simulate dynamics=si")[0])
        self.assertEqual(self.of_bash("murmur simulate --color al")[0], ["always"])

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        self.check(self.of_fish)
        self.assertIn("dynamics=sinkhorn", self.of_fish("murmur simulate dynamics=si")[0])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.write("c.zsh", self.murmur("completion", "zsh").stdout)
        done = shell("zsh", "-fc", "autoload -U compinit; compinit -u -D; source ./c.zsh; "
                     "print $_comps[murmur]", cwd=self.folder)
        self.assertEqual((done.stdout.strip(), done.stderr), ("_murmur", ""))
        self.check(self.of_zsh)

    def test_refused(self):
        self.assertEqual(self.murmur("completion", "tcsh", code=2).stdout, "")


class Tree(murmur.Case):
    def test_contents_agree_with_the_lock_file(self):
        done = shell(sys.executable, murmur.ROOT / "scripts/contents.py", "--check")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_gallery_shows_every_figure(self):
        done = shell(sys.executable, murmur.ROOT / "scripts/gallery.py", "--check", "--murmur",
                     murmur.PROGRAM)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_one_version(self):
        done = shell(sys.executable, murmur.ROOT / "scripts/release.py", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        version = done.stdout.split()[0]
        self.assertIn(f"murmur {version} (", self.murmur("--version").stdout)

    def test_the_source_distribution_holds_what_it_is_built_from(self):
        """Unpacked elsewhere it configures, and no file that the module is made of is missing."""
        backend = murmur.ROOT / "bindings/python/build_backend.py"
        name = shell(sys.executable, backend, "--sdist", self.folder).stdout.strip()
        again = (self.folder / name).read_bytes()
        shell(sys.executable, backend, "--sdist", self.folder)
        self.assertEqual((self.folder / name).read_bytes(), again)
        self.assertEqual(shell("tar", "xf", name, cwd=self.folder).returncode, 0)
        tree = self.folder / name.removesuffix(".tar.gz")
        self.assertIn("Name: murmuration", (tree / "PKG-INFO").read_text())
        done = shell("cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DMURMUR_TESTS=OFF",
                     "-DMURMUR_MPI=OFF", "-DMURMUR_PYTHON=AUTO")
        self.assertEqual(done.returncode, 0, done.stderr)
        target = "murmur_python" if "murmur_python" in (
            tree / "build/build.ninja").read_text() else "murmur_program"
        done = shell("ninja", "-C", tree / "build", "-n", target)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_pip_is_told_of_the_wheel_before_it_is_built(self):
        code = ("import build_backend as b; "
                "open(b.prepare_metadata_for_build_wheel('.') + '/WHEEL'); print(b.metadata())")
        done = shell(sys.executable, "-B", "-c", code, cwd=self.folder,
                     env={"PYTHONPATH": str(murmur.ROOT / "bindings/python"), "PATH": "/nowhere"})
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = next(self.folder.glob("*.dist-info")) / "METADATA"
        self.assertEqual(kept.read_text(), done.stdout[:-1])
        self.assertIn("\nName: murmuration\n", kept.read_text())

    def test_a_release_writes_version_and_changelog(self):
        tree = self.folder / "tree"
        tree.mkdir()
        names = ("CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "studio/package.json",
                 "studio/package-lock.json", "scripts/release.py")
        for name in names:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(murmur.ROOT / name, tree / name)
        git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b"]
        shell(*git, "init", "-q")
        for subject in ("The first change", "The second change"):
            shell(*git, "add", "-A")
            shell(*git, "commit", "-q", "--allow-empty", "-m", subject)

        def release(*words):
            return shell(sys.executable, tree / "scripts/release.py", *words)

        done = release("--dry-run", "minor")
        self.assertRegex(done.stdout, r"(?s)## 0\.\d+\.0 .*- The second change\n- The first change")
        self.assertEqual(shell(*git, "status", "--short").stdout, "")
        self.assertEqual(release("7.0.0").returncode, 0)
        self.assertEqual(release("--check").stdout.split()[0], "7.0.0")
        self.assertIn("VERSION 7.0.0", (tree / "CMakeLists.txt").read_text())
        shell(*git, "commit", "-qam", "Version 7.0.0")
        shell(*git, "tag", "v7.0.0")
        shell(*git, "commit", "-q", "--allow-empty", "-m", "The third change")
        self.assertEqual(release("patch").returncode, 0)
        log = (tree / "CHANGELOG.md").read_text()
        self.assertLess(log.index("## 7.0.1"), log.index("## 7.0.0"))
        self.assertEqual(log.count("The first change"), 1)
        self.assertEqual(log.count("The third change"), 1)
        for word in ("6.0.0", "seven", "7.0.0"):
            self.assertNotEqual(release(word).returncode, 0, word)


if __name__ == "__main__":
    murmur.main()
