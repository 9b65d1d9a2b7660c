"""Corners where something was once lost, silently changed or overwritten."""

import json
import os
import signal
import subprocess
import time

import numpy as np

import murmur


class Corners(murmur.Case):
    def test_a_run_named_like_a_preset_is_read_as_itself(self):
        self.murmur("simulate", "flagship", "n=7", "beta=2", "T=0.1", "-o", "flagship", "-q")
        rows = self.murmur("measure", "flagship").stdout.splitlines()
        kept = (self.folder / "flagship/observables.csv").read_text().splitlines()
        self.assertEqual(rows, kept)
        self.murmur("simulate", "--resume", "flagship", "T=0.2", "-q")

    def test_a_name_in_square_brackets_is_one_name(self):
        for name in ("a", "b", "[a,b]"):
            self.murmur("simulate", "n=4", "T=0.1", "-o", name, "-q")
        self.murmur("runs", "delete", "[a,b]", "--yes")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.is_dir()), ["a", "b"])
        self.assertNotIn("one value", self.murmur("render", "a", "--fps", "[3]", code=2).stderr)
        mark = "\x1d one value: a"  # that the program puts before such names
        self.murmur("simulate", "n=4", "T=0.1", "-o", mark, "-q")
        self.murmur("runs", "delete", mark, "--yes")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.is_dir()), ["a", "b"])

    def test_a_run_is_not_made_around_the_current_folder(self):
        """The rename that puts it in place would leave the program in a folder that is gone."""
        self.murmur("simulate", "n=4", "T=0.1", "-o", "run", "-q")
        empty = self.folder / "empty"
        empty.mkdir()
        for here, out, extra in ((empty, ".", ()), (empty, "..", ()), (self.folder / "run", ".", ("--force",)),
                                 (self.folder / "run/inputs", "..", ("--force",))):
            for words in (("simulate", "n=4", "T=0.1"), ("meanfield", "T=0.1"), ("landscape", "n=4")):
                self.refused(2, *words, "-o", out, *extra, what="current folder|already there", cwd=here)
        self.murmur("runs", "verify", "run")

    def test_a_run_that_holds_runs_is_not_replaced(self):
        self.murmur("simulate", "n=4", "T=0.1", "-o", "outer", "-q")
        self.murmur("simulate", "n=4", "T=0.1", "-o", "outer/runs/inner", "-q")
        self.refused(3, "simulate", "n=4", "T=0.1", "-o", "outer", "--force", what="holds another run")

    def test_json_of_more_values_than_any_run_has_is_refused(self):
        self.murmur("simulate", "n=4", "T=0.1", "-o", "runs/a", "-q")
        many = "[" + "{}," * 5_000_000 + "0]"
        (self.folder / "runs/many.job").write_text(many)
        self.assertIn("runs/a", self.murmur("runs").stdout)
        (self.folder / "runs/a/manifest.json").write_text(many)
        self.refused(3, "measure", "runs/a", what="not a run directory|longer than|more than 4194304 values")

    def test_a_manifest_names_files_of_its_run_only(self):
        run = self.simulate("run", "n=4", "T=0.1", "-q")
        manifest = json.loads((run / "manifest.json").read_text())
        for name in ("../secret", "/etc/passwd", "inputs/../../secret"):
            (run / "manifest.json").write_text(json.dumps({**manifest, "sha256": {name: "0" * 64}}))
            self.refused(3, "measure", "run", what="not in the run")

    def test_an_export_that_is_interrupted_leaves_no_part(self):
        self.murmur("simulate", "n=3000", "T=20", "save=every:0.02", "dt=0.5", "-o", "run", "-q")
        process = self.start("export", "run", "-o", "film.csv")
        murmur.wait_until(lambda: list(self.folder.glob(".film.csv*")), "the part")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 143)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["run"])

    def test_a_job_file_of_another_kind_hides_no_run(self):
        self.murmur("simulate", "n=4", "T=0.1", "-o", "runs/a", "-q")
        for number, text in enumerate(('{"job": 7}', '{"job": "7"}', '{"job": "7", "command": []}', "[" * 90, "")):
            (self.folder / f"runs/{number}.job").write_text(text)
        self.assertIn("runs/a", self.murmur("runs").stdout)

    def test_whole_numbers_of_flags_are_decimal_and_fit(self):
        self.simulate("run", "n=4", "T=0.8", "save=every:0.1", "-q")  # frames 0 to 8
        for number in ("99999999999999999999", "0x3", "3.5", "1e1"):
            self.murmur("render", "run", "-o", "no.png", "--frame", number, code=2)
        self.refused(3, "render", "run", "-o", "no.png", "--frame", "010", what="no frame 10")
        self.murmur("render", "run", "-o", "eight.png", "--frame", "008", "--size", "320x320")

    def test_a_damaged_claim_of_a_sweep_is_refused(self):
        run = self.folder / "sweep"
        self.murmur("sweep", "-q", "n=4", "T=0.2", "beta=1,2,3", "times=3", "-o", run)
        manifest = run / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"status": "done"', '"status": "interrupted"'))
        for cell in (run / "cells").iterdir():
            cell.unlink()
        (run / "claims").mkdir(exist_ok=True)
        for text in ("[]", "7", "", '{"what": 7}'):
            (run / "claims/1.word").write_text(text)
            told = self.murmur("sweep", "--join", run, "-q", code=None).stderr
            self.assertNotIn("json.exception", told)
            self.assertEqual(len(told.splitlines()), 3, told)

    def test_a_text_file_of_a_run_that_is_too_long_is_refused(self):
        run = self.simulate("run", "n=4", "T=0.1", "-q")
        for name, what in (("config.toml", "longer than"), ("manifest.json", "not a run directory")):
            os.truncate(run / name, 3 << 30)  # sparse: it takes no room on the disk
            done = self.murmur("measure", "run", code=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(what, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_a_signal_leaves_no_part_of_a_file(self):
        """Also where a command ends at once; the part is looked for as long as it is being written."""
        self.murmur("simulate", "n=200", "T=10", "save=every:0.02", "-o", "run", "-q")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("measure", "run", "-o", "m.csv", "--force")
            while process.poll() is None and not list(self.folder.glob(".m.csv.part-*")):
                pass
            process.send_signal(number)
            self.assertIn(process.wait(), (0, 128 + number))
            self.assertEqual(list(self.folder.glob(".m.csv*")), [])

    def test_seeds_are_not_negative(self):
        self.refused(2, "trace", murmur.ROOT / "tests/fixtures/families/gpt2", "--random-weights", "-1", "a", what="below 0")

    def test_the_environment_does_not_change_a_finished_run(self):
        self.murmur("simulate", "n=8", "T=1", "-o", "run", "-q")
        plain = self.murmur("measure", "run").stdout
        self.assertEqual(self.murmur("measure", "run", env={"MURMUR_BETA": "9"}).stdout, plain)

    def test_numbers_are_kept_as_toml_writes_them(self):
        self.murmur("simulate", "n=08", "seed=01", "T=0.1", "-o", "run", "-q")
        self.assertIn("seed = 1\n", (self.folder / "run/config.toml").read_text())
        self.murmur("measure", "run")

    def test_foreign_tensors_of_a_perceptron_are_left_alone(self):
        import json
        import struct
        arrays = {"in": np.ones((2, 3)), "out": np.ones((3, 2)), "a/b": np.ones(1)}
        header, offset = {}, 0
        for name, array in arrays.items():
            header[name] = {"dtype": "F64", "shape": list(array.shape),
                            "data_offsets": [offset, offset + array.nbytes]}
            offset += array.nbytes
        text = json.dumps(header).encode()
        content = struct.pack("<Q", len(text)) + text + b"".join(a.tobytes() for a in arrays.values())
        (self.folder / "w.safetensors").write_bytes(content)
        self.murmur("simulate", "n=4", "T=0.1", "perceptron=w.safetensors", "-o", "run", "-q")

    def test_a_figure_does_not_overwrite_a_table(self):
        self.murmur("simulate", "n=8", "T=1", "-o", "run", "-q")
        (self.folder / "x.csv").write_text("mine\n")
        self.refused(2, "render", "run", "-o", "x.svg")
        self.assertEqual((self.folder / "x.csv").read_text(), "mine\n")

    def test_measured_points_must_be_on_the_sphere(self):
        np.save(self.folder / "x.npy", 3 * np.ones((4, 3)))
        self.refused(3, "measure", "x.npy")
        self.murmur("measure", "x.npy", "habitat=space")

    def test_a_signal_is_heard_inside_one_long_step(self):
        process = self.start("simulate", "n=8", "merge=1e-3", "T=1e5", "save=every:T/300000",
                             "-o", "run", "-q")
        murmur.wait_until((self.folder / "run").exists)
        time.sleep(0.5)
        self.ends_soon(process, signal.SIGTERM, 5)
        self.assertIn(process.returncode, (143, 0))

    def test_a_group_interrupt_ends_a_film_with_130(self):
        self.murmur("simulate", "n=8", "T=1", "-o", "run", "-q")
        before = murmur.tree(self.folder)
        process = subprocess.Popen([murmur.PROGRAM, "render", "run", "-o", "x.mp4", "--seconds",
                                    "3000"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        murmur.wait_until(lambda: murmur.handles(process, signal.SIGINT))
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(timeout=murmur.PATIENCE), 130)
        self.assertEqual(murmur.tree(self.folder), before)

    def test_runs_started_together_each_get_a_number(self):
        processes = [self.start("simulate", "n=4", "T=0.1", "-q") for _ in range(4)]
        for process in processes:
            _, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(list((self.folder / "runs").iterdir())), 4)

    def test_unused_values_are_held_to_what_they_may_be(self):
        for words in (("activation=bogus",), ("pair_threshold=3",),
                      ("dynamics=none", "perceptron=gaussian:4", "beta=zz")):
            self.refused(3, "simulate", *words)

    def test_single_precision_says_when_it_overflows(self):
        self.refused(4, "velocity", "n=10", "d=3", "beta=200", "dynamics=USA", "precision=f32",
                     "-o", "v.npy")
        self.assertFalse((self.folder / "v.npy").exists())
        done = self.murmur("simulate", "n=20", "d=2", "habitat=space", "init=gaussian", "beta=1",
                           "T=100", "save=every:10", "precision=f32", "-o", "run", "-q", code=4)
        self.assertEqual(len(done.stderr.splitlines()), 3)
        self.assertEqual(murmur.status(self.folder / "run"), "failed")
        self.assertTrue(np.isfinite(np.load(self.folder / "run/trajectory.npy")).all())

    def test_an_experiment_is_a_file_of_a_sane_size(self):
        self.refused(3, "simulate", "/dev/zero")
        self.refused(3, "simulate", "x" * 300)


if __name__ == "__main__":
    murmur.main()
