#!/usr/bin/python3
"""signal_latency.py: how long every command, and figures, go on after SIGTERM or SIGINT.

    scripts/signal_latency.py [--only NAME ...] [--after SECONDS ...] [--limit SECONDS] [--figures N]

Each case is started, gets a signal after each of the times, and is waited for. The table holds the longest
time by the clock, the processor time used after the signal, and the exit codes. A case that ended before the
signal has the code of its own. The exit code is 1 where a time by the clock is above the limit (2 s) or a code
is neither 130 nor 143 (studio: 0). Times by the clock mean something on a machine that does nothing else.
Options: --murmur PROGRAM (build/release/murmur), --data FOLDER with the MNIST pictures (data/mnist)
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TICK = os.sysconf("SC_CLK_TCK")
SMALL = ["simulate", "n=400", "d=3", "T=20", "save=every:0.05", "-o", "small", "-q"]
MODEL = ["train", "digits=3,7", "epochs=1", "hidden=4", "every=8", "blocks=2", "-o", "model", "-q"]

# name -> words; "{data}" is the folder of pictures.
COMMANDS = {
    "simulate n=100000 d=8": "simulate n=100000 d=8 T=10 -o {out}",
    "simulate, reference, n=40000": "simulate n=40000 engine=reference T=10 -o {out}",
    "simulate, reference, sinkhorn": "simulate n=4000 dynamics=sinkhorn engine=reference T=10 -o {out}",
    "simulate, n=400000, f32": "simulate n=400000 d=3 precision=f32 engine=simd T=10 -o {out}",
    "simulate, n=50000 d=64": "simulate n=50000 d=64 engine=simd T=10 -o {out}",
    "simulate, moments, n=3000000": "simulate n=3000000 d=3 engine=moments T=10 -o {out}",
    "simulate, moments, circle": "simulate n=3000000 d=2 engine=moments T=10 -o {out}",
    "simulate, bdf, n=3000": "simulate n=3000 method=bdf T=50 -o {out}",
    "simulate, merge": "simulate n=30000 d=2 merge=1e-3 T=50 -o {out}",
    "simulate, many frames": "simulate n=20000 d=3 T=50 save=every:0.01 -o {out}",
    "simulate, layers, n=64": "simulate n=64 method=layers dt=0.001 T=10000 save=final -o {out}",
    "simulate, hardmax": "simulate n=20000 dynamics=hardmax T=10 -o {out}",
    "train": "train digits=0-9 data={data} epochs=50 -o {out}",
    "train, recurrent": "train digits=0-9 data={data} reader=recurrent epochs=50 -o {out}",
    "sweep": "sweep beta=1:9:9 n=2000 d=3 replicas=64 T=20 -o {out}",
    "sweep, small swarms": "sweep beta=1:9:99 n=64 d=2,8 replicas=256 T=50 -o {out}",
    "meanfield": "meanfield modes=4096 beta=30 T=1000 -o {out}",
    "meanfield, sphere": "meanfield d=3 solver=quantiles particles=200000 T=1000 -o {out}",
    "meanfield, particles": "meanfield solver=quantiles particles=1000000 T=1000 -o {out}",
    "meanfield, causal": "meanfield dynamics=causal beta=4 noise=0.05 modes=4096 T=10000 -o {out}",
    "landscape": "landscape n=400 d=3 starts=200 -o {out}",
    "landscape, n=1000": "landscape n=1000 d=3 starts=20 -o {out}",
    "landscape, free masses": "landscape masses=free d=3 beta=4.2 perceptron=gradient:4 activation=gelu -o {out}",
    "velocity": "velocity n=300000 d=8 engine=simd -o {out}.npy",
    "velocity, reference": "velocity n=100000 d=3 engine=reference -o {out}.npy",
    "measure": "measure small show=distance to=small frame=all",
    "measure, histogram": "measure cloud.npy show=histogram habitat=space",
    "render": "render small",
    "render, film": "render small -o {out}.mp4 --seconds 60",
    "render, dome": "render small figure=dome token=3 -o {out}.mp4 --seconds 60",
    "render, density": "render small figure=density -o {out}.mp4 --seconds 60",
    "report": "report small",
    "classify": "classify model images=test:0-9999 data={data}",
    "classify, kept": "classify model images=test:0-7 data={data} -o {out}",
    "export": "export small -o {out}.csv --format csv",
    "open": "open film.mp4 -o {out}.mp4",
    "studio": "studio --port 0 --page page",
    "tokenize": "tokenize {root}/tests/fixtures/tokenizers/wordpiece < texts.jsonl",
    "runs verify": "runs verify small small",
    "runs list": "runs list",
    "bench": "bench",
    "doctor": "doctor",
    "presets": "presets",
    "explain": "explain --parameters",
    "completion": "completion bash",
    "submit": "submit simulate n=100 --dry-run",
    "model": "model list",
    "import": "import states.npy -o {out}",
}
FIGURES = ["phase-diagram", "circle-clusters", "random-weights", "equiangular", "growth", "low-rank",
           "causal-centres", "hardmax-cells", "escape-times", "normalisation-weights", "density-modes",
           "long-context", "lost-in-the-middle", "chaos", "next-token", "readout", "perceptron-clusters",
           "perceptron-ascent", "heads-approximation", "residual-depth", "mean-field", "noisy-bifurcation",
           "redraw-diffusion", "w2-rate", "order"]


def prepare(program, folder, data):
    """What the commands read: a run, a film of it, a trained swarm and arrays."""
    import numpy as np
    numbers = np.random.default_rng(1)
    np.save(folder / "cloud.npy", numbers.standard_normal((20000, 8)))
    np.save(folder / "states.npy", numbers.standard_normal((12, 2000, 64)))
    (folder / "page").mkdir()
    (folder / "page/index.html").write_text("<!doctype html><title>page</title>")
    with open(folder / "texts.jsonl", "w", encoding="ascii") as texts:
        texts.write('"a line of text whose tokens are wanted, again and again"\n' * 1000000)
    for words in (SMALL, [*MODEL, f"data={data}"], ["render", "small", "-o", "film.mp4", "--seconds", "40"]):
        subprocess.run([program, *words], cwd=folder, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def processor_seconds(pid):
    """Of a process and its children, as far as they have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[k]) for k in (11, 12)) / TICK


def strike(command, folder, after, number):
    """Seconds by the clock and of the processors after the signal, and the exit code."""
    read = os.devnull
    if "<" in command:
        command, read = command[:command.index("<")], folder / command[-1]
    with open(read, "rb") as given:
        child = subprocess.Popen(command, cwd=folder, stdin=given, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
    time.sleep(after)
    used = processor_seconds(child.pid)
    began = time.monotonic()
    os.kill(child.pid, number)  # send_signal would collect a child that has ended
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime - used, child.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="cases whose names hold one of these")
    parser.add_argument("--after", nargs="*", type=float, default=[0.3, 1, 3], help="seconds before the signal")
    parser.add_argument("--limit", type=float, default=2)
    parser.add_argument("--murmur", default=str(ROOT / "build/release/murmur"))
    parser.add_argument("--data", default=str(ROOT / "data/mnist"))
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.murmur).resolve())
    cases = COMMANDS | {f"reproduce {name}": f"reproduce {name} --runs {{out}}" for name in FIGURES}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="murmur-signals-"))
    failed = 0
    try:
        prepare(program, folder, asked.data)
        print("| command | longest, s | processors, s | exit codes |\n|---|---|---|---|", flush=True)
        for name, words in cases.items():
            if asked.only and not any(part in name for part in asked.only):
                continue
            rows = []
            for k, after in enumerate(asked.after):
                out = f"out-{len(os.listdir(folder))}"
                line = words.format(out=out, data=asked.data, root=ROOT).split()
                number = (signal.SIGTERM, signal.SIGINT)[k % 2]
                rows.append((*strike([program, *line], folder, after, number), 128 + number))
                shutil.rmtree(folder / out, ignore_errors=True)
            longest, most = max(row[0] for row in rows), max(row[1] for row in rows)
            codes = " ".join(str(row[2]) if row[0] > 1e-2 or row[2] == row[3] else f"({row[2]})" for row in rows)
            good = longest <= asked.limit and all(
                row[2] == row[3] or row[0] < 1e-2 or (name == "studio" and row[2] == 0) for row in rows)
            failed += not good
            print(f"| {name} | {longest:.2f}{'' if good else ' **'} | {most:.2f} | {codes} |", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{failed} of them above {asked.limit:g} s or with another code" if failed else "all within the limit")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
