#!/usr/bin/env python3
"""soak.py: many requests to `murmur studio`, to see that its memory stays flat and nothing leaks.

    scripts/soak.py --requests 1000000 --minutes 15

A few processes ask for files of a page and of runs, whole and in ranges, over connections that they
keep and over fresh ones; they ask wrongly, and leave in the middle. Every answer is checked. Once a
second resident memory, open files and threads of the server are read. At the end its memory must not
have grown over the second half, and its files and threads must be as many as before.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
ALLOWED_GROWTH = 1 << 20  # bytes over the second half: the noise of an allocator with many threads
FRESH, WRONG, LEAVES, LISTS = 0.05, 0.03, 0.02, 0.02  # shares of the requests


def make_site(folder, program):
    """A page and two runs; returns {address: bytes}."""
    rng = random.Random(7)
    files = {"index.html": b"<!doctype html><title>soak</title>\n", "assets/page-1a2b3c4d.js":
             rng.randbytes(40_000), "assets/murmur-AbCd_123.wasm": rng.randbytes(1_500_000),
             "icon.svg": b"<svg/>" * 50, "data.json": b"[1,2,3]\n" * 100}
    for name, content in files.items():
        path = folder / "page" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for k in range(2):
        subprocess.run([program, "simulate", "n=32", "d=3", "T=2", f"seed={k}", "-q", "-o",
                        folder / "runs" / f"soak-{k}"], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
    addresses = {"/" + name: content for name, content in files.items()}
    addresses["/"] = files["index.html"]
    for run in sorted((folder / "runs").iterdir()):
        for name in ("trajectory.npy", "times.npy", "observables.csv", "config.toml"):
            addresses[f"/runs/{run.name}/{name}"] = (run / name).read_bytes()
    return addresses


class Client:
    """One of the processes that ask."""

    def __init__(self, port, addresses, seed):
        self.port, self.addresses = port, addresses
        self.names = [name for name, content in addresses.items() if len(content) < 1_000_000]
        self.large = max(addresses, key=lambda name: len(addresses[name]))
        self.random, self.socket, self.file = random.Random(seed), None, None

    def connect(self):
        self.close()
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.file = self.socket.makefile("rb", buffering=65536)

    def close(self):
        if self.socket is not None:
            self.file.close()
            self.socket.close()
        self.socket = None

    def head(self, method, name, *lines):
        return "\r\n".join([f"{method} {name} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *lines,
                            "", ""]).encode()

    def answer(self, body=True):
        """(status, headers, content) of the next answer of the connection."""
        status = self.file.readline().split()
        headers = {}
        while (line := self.file.readline()) not in (b"\r\n", b""):
            key, _, value = line.decode().partition(":")
            headers[key.lower()] = value.strip()
        if len(status) < 2:
            raise ConnectionError("no answer")
        length = int(headers.get("content-length", 0)) if body else 0
        content = self.file.read(length)
        if len(content) != length:
            raise ConnectionError("half an answer")
        return int(status[1]), headers, content

    def expect(self, wanted, status, expected=None, content=None):
        if status != wanted or (expected is not None and content != expected):
            raise SystemExit(f"status {status} instead of {wanted}, or other bytes than the file's")

    def file_or_part(self):
        name = self.random.choice(self.names)
        expected = self.addresses[name]
        kind = self.random.random()
        if kind < 0.2 and len(expected) > 1:
            first = self.random.randrange(len(expected))
            last = self.random.randrange(first, len(expected))
            self.socket.sendall(self.head("GET", name, f"Range: bytes={first}-{last}"))
            status, _, content = self.answer()
            whole = last + 1 - first == len(expected)
            self.expect(200 if whole else 206, status, expected[first:last + 1], content)
        elif kind < 0.3:
            self.socket.sendall(self.head("HEAD", name))
            status, headers, _ = self.answer(body=False)
            self.expect(200, status, str(len(expected)), headers.get("content-length"))
        else:
            self.socket.sendall(self.head("GET", name))
            status, _, content = self.answer()
            self.expect(200, status, expected, content)

    def listing(self):
        self.socket.sendall(self.head("GET", "/runs/index.json"))
        status, _, content = self.answer()
        self.expect(200, status, 2, len(json.loads(content)))

    def wrong(self):
        """A request that is refused; the server may close behind it."""
        self.connect()
        bad = self.random.choice((
            self.head("GET", "/../secret"), self.head("GET", "/%2e%2e/secret"),
            self.head("POST", "/"), self.head("GET", "/nothing.here"), b"frob\r\n\r\n",
            self.head("GET", "/").replace(b"127.0.0.1", b"evil.example"),
            self.head("GET", "/" + "a" * 20_000), b"\x16\x03\x01" + bytes(200) + b"\r\n\r\n"))
        try:
            self.socket.sendall(bad)
            status, _, _ = self.answer()
            if not 400 <= status <= 505:
                raise SystemExit(f"status {status} for {bad[:60]}")
        except ConnectionError:
            pass  # it was refused before all was sent
        self.connect()

    def leave(self):
        """Half a head, or the beginning of a large answer, and then gone."""
        self.connect()
        if self.random.random() < 0.5:
            self.socket.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        else:
            self.socket.sendall(self.head("GET", self.large))
            self.file.read(1000)
        if self.random.random() < 0.5:  # with a reset
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   b"\1\0\0\0\0\0\0\0")
        self.connect()

    def one(self):
        kind = self.random.random()
        if self.socket is None or kind < FRESH:
            self.connect()
        if kind < FRESH or kind >= FRESH + WRONG + LEAVES + LISTS:
            self.file_or_part()
        elif kind < FRESH + WRONG:
            self.wrong()
        elif kind < FRESH + WRONG + LEAVES:
            self.leave()
        else:
            self.listing()


def ask(port, addresses, seed, count, deadline, done):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    client = Client(port, addresses, seed)
    retried = 0
    for k in range(count):
        try:
            client.one()
        except (ConnectionError, BrokenPipeError):  # a kept connection was closed: ask anew
            retried += 1
            client.connect()
            if retried > 10 + k // 10:
                raise SystemExit("the server closes connections that it should keep") from None
        done[seed] = k + 1
        if k % 64 == 0 and time.monotonic() > deadline:
            break
    client.close()


def sample(pid):
    """(resident bytes, open files, threads) of a process."""
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (pages * os.sysconf("SC_PAGESIZE"), len(os.listdir(f"/proc/{pid}/fd")),
            len(os.listdir(f"/proc/{pid}/task")))


def slope(points):
    """Of the straight line through (x, y), by least squares."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def settle(pid, files):
    """The last sample, once closed connections are forgotten: within a minute."""
    for _ in range(60):
        last = sample(pid)
        if last[1] <= files:
            break
        time.sleep(1)
    return last


def soak(server, port, addresses, options):
    """Asks; returns the samples [(requests, bytes, files, threads)] and whether all were right."""
    done = multiprocessing.Array("q", options.workers)
    deadline = time.monotonic() + 60 * options.minutes
    each = -(-options.requests // options.workers)
    workers = [multiprocessing.Process(target=ask, args=(port, addresses, k, each, deadline, done))
               for k in range(options.workers)]
    for worker in workers:
        worker.start()
    samples, told = [], time.monotonic()
    while any(worker.is_alive() for worker in workers):
        time.sleep(min(1.0, options.requests / 20_000))
        if server.poll() is not None:
            break
        samples.append((sum(done), *sample(server.pid)))
        if time.monotonic() - told > 60:
            told = time.monotonic()
            print(f"  {samples[-1][0]:,} requests, {samples[-1][1] / 2**20:.1f} MB", flush=True)
    for worker in workers:
        worker.join(5)
    return samples, all(worker.exitcode == 0 for worker in workers), sum(done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--any-memory", action="store_true",
                        help="under a sanitizer, which keeps memory of its own")
    parser.add_argument("--program", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("MURMUR", ROOT / "build/release/murmur")))
    options = parser.parse_args()
    program = options.program.resolve()
    with tempfile.TemporaryDirectory(prefix="murmur-soak-") as place:
        folder = pathlib.Path(place)
        addresses = make_site(folder, program)
        with subprocess.Popen([program, "studio", "--json", "--port", "0", "--page", "page",
                               "--runs", "runs"], cwd=folder, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL) as server:
            text = ""
            while not text.endswith("}\n"):
                text += server.stdout.readline()
            port = json.loads(text)["port"]
            warm = Client(port, addresses, 99)
            for _ in range(20):
                warm.one()
            warm.close()
            time.sleep(1)
            before = sample(server.pid)
            started = time.monotonic()
            samples, right, count = soak(server, port, addresses, options)
            seconds = time.monotonic() - started
            alive = server.poll() is None
            after = settle(server.pid, before[1]) if alive else (0, 0, 0)
            server.send_signal(signal.SIGTERM)
            code = server.wait(600)
    half = [(row[0], row[1]) for row in samples if row[0] >= count / 2] or [(0, 0)]
    per_request = slope(half)
    grown = per_request * (half[-1][0] - half[0][0])
    print(f"requests             {count:,} in {seconds:.0f} s, {count / seconds:,.0f} a second")
    print(f"resident memory      {before[0] / 2**20:.1f} MB before, "
          f"{max(row[1] for row in samples) / 2**20:.1f} at most, {after[0] / 2**20:.1f} after")
    print(f"over the second half {grown / 1024:+.0f} KB, {per_request:+.4f} bytes a request")
    print(f"open files           {before[1]} before, {max(row[2] for row in samples)} at most, "
          f"{after[1]} after")
    print(f"threads              {before[2]} before, {max(row[3] for row in samples)} at most, "
          f"{after[2]} after")
    faults = [text for text, bad in (
        ("an answer was wrong", not right), ("the server died", not alive),
        (f"the server ended with {code}", alive and code != 0),
        ("memory grows", grown > ALLOWED_GROWTH and not options.any_memory), ("files stay open", after[1] > before[1]),
        ("threads stay", after[2] > max(before[2], max(row[3] for row in samples[:5]))),
    ) if bad]
    print("; ".join(faults) if faults else
          "every answer right" if options.any_memory else "flat: nothing leaks")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
