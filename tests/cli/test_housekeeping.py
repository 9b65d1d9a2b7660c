"""Runs are deleted whole, only runs, and only when asked; links are not written through; no pipe
holds the program."""

import http.client
import json
import os
import pty
import shutil
import signal
import subprocess
import time

import murmur

RUNTIME, USAGE, INPUT = 1, 2, 3  # exit codes
SMALL = ("n=4", "d=2", "T=1")


def dead_process():
    """The number of a process that is gone."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


class Delete(murmur.Case):
    def test_asked_first(self):
        run = self.simulate("runs/a", *SMALL)
        before = murmur.tree(run)
        done = self.murmur("runs", "delete", "a", code=USAGE)
        self.assertIn("runs/a", done.stderr)
        self.assertIn("--yes", done.stderr)
        self.assertEqual(murmur.tree(run), before)
        for answer, stays in ((b"n\n", True), (b"\n", True), (b"y\n", False)):
            ours, theirs = pty.openpty()
            process = subprocess.Popen([str(murmur.PROGRAM), "runs", "delete", "a"],
                                       cwd=self.folder, stdin=theirs, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True,
                                       env=murmur.environment())
            os.write(ours, answer)
            _, err = process.communicate(timeout=murmur.PATIENCE)
            os.close(ours)
            os.close(theirs)
            self.assertEqual(process.returncode, 0, err)
            self.assertIn("delete 1 run? [y/N]", err)
            self.assertEqual(run.exists(), stays)

    def test_what_and_how_much(self):
        self.simulate("runs/a", *SMALL)
        self.simulate("runs/b", *SMALL)
        told = self.murmur("runs", "delete", "a", "b", "--dry-run")
        self.assertRegex(told.stderr, r"runs/a +done +\d+ files +[\d.]+ kB\n")
        self.assertIn("would delete 2 runs", told.stderr)
        rows = json.loads(self.murmur("runs", "delete", "a", "b", "--yes", "--json").stdout)
        self.assertEqual([row["run"] for row in rows], ["runs/a", "runs/b"])
        self.assertGreater(rows[0]["bytes"], 1000)
        self.assertEqual(list((self.folder / "runs").iterdir()), [])

    def test_only_runs(self):
        run = self.simulate("runs/a", *SMALL)
        (self.folder / "thesis").mkdir()
        (self.folder / "thesis/text.tex").write_text("years of work")
        (self.folder / "link").symlink_to(run)
        for word in ("thesis", ".", "/", "nowhere"):
            self.refused(INPUT, "runs", "delete", word, "--yes")
        for word in ("link", "link/"):
            self.refused(INPUT, "runs", "delete", word, "--yes", what="link")
        (self.folder / "thesis/manifest.json").write_text('{"name": "a web app"}')
        self.refused(INPUT, "runs", "delete", "thesis", "--yes")
        shutil.copytree(run, run / "within")
        self.refused(INPUT, "runs", "delete", "a", "--yes", what="another run", where="within")
        shutil.rmtree(run / "within")
        # One that is refused keeps all.
        self.murmur("runs", "delete", "a", "link", "--yes", code=INPUT)
        self.assertTrue(run.exists())

    def test_links_inside(self):
        run = self.simulate("runs/a", *SMALL)
        (self.folder / "precious").mkdir()
        (self.folder / "precious/file").write_text("kept")
        (run / "figures").symlink_to(self.folder / "precious")
        (run / "note").symlink_to(self.folder / "precious/file")
        self.murmur("runs", "delete", "a", "--yes")
        self.assertFalse(run.exists())
        self.assertEqual((self.folder / "precious/file").read_text(), "kept")

    def test_a_run_that_is_being_written(self):
        process = self.start("simulate", "n=200", "method=rk4", "dt=0.01", "T=2000", "-o", "runs/a")
        while not (self.folder / "runs/a/manifest.json").exists():
            time.sleep(0.01)
        done = self.murmur("runs", "delete", "a", "--yes", code=RUNTIME)
        self.assertIn("being written", done.stderr)
        self.murmur("runs", "prune", "--status", "running", "--yes")
        self.assertTrue((self.folder / "runs/a/manifest.json").exists())
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.murmur("runs", "prune", "--yes")
        self.assertFalse((self.folder / "runs/a").exists())

    def test_prune(self):
        for name, status in (("a", "done"), ("b", "failed"), ("c", "interrupted"),
                             ("d", "running")):
            run = self.simulate(f"runs/{name}", *SMALL)
            murmur.edit(run / "manifest.json", '"done"', f'"{status}"')
        (self.folder / "runs/link").symlink_to(self.folder / "runs/b")
        left = lambda: sorted(path.name for path in (self.folder / "runs").iterdir())
        self.murmur("runs", "prune", "--older", "1", "--yes")
        self.refused(USAGE, "runs", "prune", "--status", "odd", "--yes", what="odd")
        self.murmur("runs", "prune", code=USAGE)
        self.assertEqual(left(), ["a", "b", "c", "d", "link"])
        self.murmur("runs", "prune", "--yes")
        self.assertEqual(left(), ["a", "d", "link"])
        (self.folder / "runs/link").unlink()
        run = self.folder / "runs/a"
        started = murmur.manifest(run)["started"]
        murmur.edit(run / "manifest.json", f'"started": "{started}"',
                    '"started": "2020-01-31T12:00:00Z"')
        self.murmur("runs", "prune", "--status", "done,running", "--older", "30", "--yes")
        self.assertEqual(left(), ["d"])


class LeftOvers(murmur.Case):
    def left(self):
        return sorted(path.name for path in (self.folder / "runs").iterdir()
                      if path.name.startswith("."))

    def test_swept_when_their_process_is_gone(self):
        run = self.simulate("runs/a", *SMALL)
        gone = dead_process()
        for word, process in (("new", gone), ("old", gone), ("new", os.getpid()),
                              ("old", os.getpid())):
            shutil.copytree(run, self.folder / f"runs/.a.{word}-{process}-0",
                            ignore=lambda *_: {"compared.json", "checkpoint.safetensors"})
        half = self.folder / f"runs/.b.new-{gone}-1"  # killed in the middle of its making
        half.mkdir()
        (half / "config.toml").write_text("n = 4\n")
        mine = self.folder / f"runs/.mine.new-{gone}-0"
        mine.mkdir()
        (mine / "diary.txt").write_text("not of a run")
        (self.folder / "runs/.other.new-x-0").mkdir()
        self.simulate("runs/c", *SMALL)
        self.assertEqual(self.left(), [f".a.new-{os.getpid()}-0", f".a.old-{os.getpid()}-0",
                                       f".mine.new-{gone}-0", ".other.new-x-0"])
        self.assertTrue((run / "manifest.json").exists())

    def test_an_old_run_without_a_new_one_is_put_back(self):
        run = self.simulate("runs/a", *SMALL)
        before = murmur.tree(run)
        run.rename(self.folder / f"runs/.a.old-{dead_process()}-3")
        self.simulate("runs/b", *SMALL)
        self.assertEqual(murmur.tree(run), before)
        self.assertEqual(self.left(), [])

    def test_prune_sweeps_too(self):
        self.simulate("runs/a", *SMALL)
        (self.folder / f"runs/.x.gone-{dead_process()}-0").mkdir()
        self.assertIn("removed 1", self.murmur("runs", "prune", "--yes").stderr)
        self.assertEqual(self.left(), [])


class Links(murmur.Case):
    def test_nothing_is_written_through_a_link(self):
        outside = self.folder / "outside"
        for name in ("trajectory.npy", "times.npy", "observables.csv", "events.jsonl", "lock"):
            with self.subTest(name):
                run = self.simulate("run", *SMALL, "--force")
                shutil.move(run / name, outside)
                (run / name).symlink_to(outside)
                before = outside.read_bytes()
                self.refused(INPUT, "simulate", "--resume", "run", "T=2", what="link", where=name)
                self.assertEqual(outside.read_bytes(), before)
                shutil.rmtree(run)

    def test_files_that_are_replaced_take_the_place_of_a_link(self):
        run = self.simulate("run", *SMALL)
        outside = self.folder / "outside"
        for name in ("checkpoint.safetensors", "config.toml", "manifest.json"):
            shutil.copy(run / name, outside)
            (run / name).unlink()
            (run / name).symlink_to(outside)
            before = outside.read_bytes()
            T = murmur.frames_and_times(run)[1][-1] + 1
            self.murmur("simulate", "--resume", "run", f"T={T:g}")
            self.assertEqual(outside.read_bytes(), before)
            self.assertFalse((run / name).is_symlink())

    def test_a_density(self):
        self.murmur("meanfield", "d=2", "beta=5", "init=mode:3:1e-4", "T=0.1", "-q", "-o", "run")
        density, outside = self.folder / "run/density.npy", self.folder / "outside"
        shutil.move(density, outside)
        density.symlink_to(outside)
        before = outside.read_bytes()
        self.murmur("meanfield", "--resume", "run", "T=0.2", code=INPUT)
        self.assertEqual(outside.read_bytes(), before)

    def test_folders(self):
        run = self.simulate("run", *SMALL)
        (self.folder / "outside").mkdir()
        (run / "figures").symlink_to(self.folder / "outside")
        for words in (("report", "run", "--no-film"), ("render", "run")):
            self.refused(INPUT, *words, what="link", where="figures")
        self.murmur("sweep", "beta=1,2", "n=4", "d=2", "T=0.5", "-q", "-o", "grid")
        shutil.rmtree(self.folder / "grid/cells")
        (self.folder / "grid/cells").symlink_to(self.folder / "outside")
        self.murmur("sweep", "--resume", "grid", code=INPUT)
        self.assertEqual(list((self.folder / "outside").iterdir()), [])


class Pipes(murmur.Case):
    """A pipe without a writer would hold whoever opens it; a device gives bytes for ever."""

    def in_place(self, path, kind):
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")

    def check(self, run, names, commands):
        for name in names:
            for kind in ("pipe", "device"):
                copy = self.folder / "copy"
                shutil.copytree(run, copy)
                self.in_place(copy / name, kind)
                for words in commands:
                    with self.subTest(" ".join(words), name=name, kind=kind):
                        process = self.start(*words)
                        _, err = process.communicate(timeout=murmur.PATIENCE)
                        self.assertEqual(process.returncode, INPUT, err)
                        self.assertEqual(len(err.splitlines()), 3, err)
                shutil.rmtree(copy)

    def test_simulations(self):
        run = self.simulate("run", *SMALL)
        self.check(run, ("manifest.json", "config.toml", "trajectory.npy", "times.npy",
                         "observables.csv"),
                   (("simulate", "--resume", "copy", "T=2"), ("measure", "copy"),
                    ("export", "copy", "-o", "out.csv"), ("report", "copy", "--no-film"),
                    ("runs", "resume", "copy"), ("runs", "diff", "copy", "run")))
        self.check(run, ("checkpoint.safetensors", "events.jsonl", "inputs/points.npy"),
                   (("simulate", "--resume", "copy", "T=2"),))
        self.check(run, ("config.toml",), (("simulate", "copy", "-o", "again"),
                                           ("runs", "show", "copy")))

    def test_landscapes_and_mean_fields(self):
        self.murmur("landscape", "d=2", "n=8", "starts=3", "beta=4", "-q", "-o", "hills")
        self.check(self.folder / "hills", ("points.json", "config.toml"),
                   (("report", "copy"), ("landscape", "--resume", "copy")))
        self.murmur("meanfield", "d=2", "beta=5", "init=mode:3:1e-4", "T=0.1", "-q", "-o", "field")
        self.check(self.folder / "field", ("phases.json", "density.npy", "config.toml"),
                   (("report", "copy"), ("meanfield", "--resume", "copy", "T=0.2")))

    def test_verify(self):
        run = self.simulate("run", *SMALL)
        for name in ("config.toml", "trajectory.npy", "times.npy", "events.jsonl", "lock"):
            copy = self.folder / "copy"
            shutil.copytree(run, copy)
            self.in_place(copy / name, "pipe")
            self.murmur("runs", "verify", "copy", code=0 if name == "lock" else 7)
            shutil.rmtree(copy)

    def test_the_listing_of_the_studio(self):
        self.simulate("runs/good", *SMALL)
        names = ("config.toml", "manifest.json", "trajectory.npy", "times.npy", "observables.csv")
        for name in names:
            run = self.simulate(f"runs/{name}-pipe", *SMALL)
            self.in_place(run / name, "pipe")
        training = self.simulate("runs/learned", *SMALL)  # its settings are read for the page
        murmur.edit(training / "manifest.json", '"command": "simulate"', '"command": "train"')
        for name in ("config.toml", "summary.json"):
            (training / name).unlink(missing_ok=True)
            os.mkfifo(training / name)
        (self.folder / "page").mkdir()
        (self.folder / "page/index.html").write_text("page")
        server = self.start("studio", "--json", "--port", "0", "--page", "page")
        text = ""
        while not text.endswith("}\n"):
            text += server.stdout.readline()
        connection = http.client.HTTPConnection("127.0.0.1", json.loads(text)["port"], timeout=murmur.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/runs/index.json")
        rows = {row["name"]: row for row in json.loads(connection.getresponse().read())}
        self.assertEqual(rows["good"]["kind"], "simulate")
        self.assertEqual(rows["learned"]["kind"], "damaged")
        self.assertEqual(rows["trajectory.npy-pipe"]["kind"], "damaged")
        listed = self.murmur("runs", "list", "--json")
        self.assertIn("good", listed.stdout)


if __name__ == "__main__":
    murmur.main()
