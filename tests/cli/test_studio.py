#!/usr/bin/env python3
"""test_studio.py: murmur studio serves its folder and its runs to this machine, and nothing else."""

import http.client
import json
import os
import pathlib
import re
import resource
import select
import signal
import socket
import subprocess
import time

import murmur

RUNTIME, USAGE, INPUT = 1, 2, 3
TYPES = {
    "index.html": "text/html; charset=utf-8",
    "assets/page-1a2b3c4d.js": "text/javascript; charset=utf-8",
    "assets/worker.mjs": "text/javascript; charset=utf-8",
    "assets/page-9f8e7d6c.css": "text/css; charset=utf-8",
    "assets/murmur-AbCd_123.wasm": "application/wasm",
    "data.json": "application/json",
    "icon.svg": "image/svg+xml",
    "icon.png": "image/png",
    "font.woff2": "font/woff2",
    "model.safetensors": "application/octet-stream",
    "points.npy": "application/octet-stream",
    "flight.mp4": "video/mp4",
    "flight.webm": "video/webm",
    "licence.txt": "text/plain; charset=utf-8",
    "app.webmanifest": "application/manifest+json",
}


def listeners(pid):
    """Addresses, as /proc writes them, that a process listens at."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
        except FileNotFoundError:
            continue
        inodes |= {found[1]} if found else set()
    rows = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            cells = line.split()
            listens = cells[3] == "0A" or table.startswith("udp")
            if cells[9] in inodes and listens:
                rows.append(cells[1])
    return rows


class Studio(murmur.Case):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "page"
        for name in TYPES:
            path = self.page / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(f"content of {name}\n".encode())
        (self.folder / "secret.txt").write_text("secret")

    def serve(self, *words, **options):
        """A running server; sets self.port."""
        if "--port" not in words:
            words = ("--port", "0", *words)
        if "--page" not in words:
            words = ("--page", "page", *words)
        self.server = self.start("studio", "--json", *words, **options)
        self.told = json.loads(self.first_words(self.server))
        self.port = self.told["port"]
        return self.server

    def first_words(self, process):
        text = ""
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            if not line:
                self.fail("the server ended: " + process.stderr.read())
            text += line
        return text

    def ask(self, path, method="GET", port=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=murmur.PATIENCE)
        self.addCleanup(connection.close)
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.content = answer.read()
        return answer

    def raw(self, data, wait=30, port=None):
        """Bytes that come back for bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", port or self.port), timeout=wait) as s:
            try:
                s.sendall(data)
            except OSError:  # refused before all was sent
                pass
            answer = b""
            try:
                while part := s.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer

    def get(self, target):
        """The answer to a target that no client library would send as it stands."""
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n"
        return self.raw(head.encode("latin-1"))

    def status(self, answer):
        found = re.match(rb"HTTP/1\.1 (\d{3}) ([^\r]*)\r\n", answer)
        self.assertTrue(found, answer[:200])
        return int(found[1])

    def check_alive(self):
        self.assertIsNone(self.server.poll(), "the server ended")
        answer = self.ask("/")
        self.assertEqual((answer.status, answer.content), (200, b"content of index.html\n"))

    def end(self, sign=signal.SIGINT):
        self.server.send_signal(sign)
        out, err = self.server.communicate(timeout=murmur.PATIENCE)
        return self.server.returncode, out, err


class Page(Studio):
    def test_what_is_told(self):
        self.serve()
        self.assertEqual(self.told["url"], f"http://127.0.0.1:{self.port}/")
        self.assertEqual(self.told["page"], str(self.page.resolve()))
        self.assertIsNone(self.told["runs"])
        plain = self.start("studio", "--page", "page", "--port", "0")
        self.assertRegex(plain.stdout.readline(), r"^http://127\.0\.0\.1:\d+/\n$")

    def test_files_types_and_headers(self):
        self.serve()
        for name, kind in TYPES.items():
            with self.subTest(name):
                answer = self.ask("/" + name)
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.content, f"content of {name}\n".encode())
                self.assertEqual(answer.headers["Content-Type"], kind)
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
                self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
                self.assertEqual(answer.headers["Cross-Origin-Resource-Policy"], "same-origin")
                hashed = re.search(r"-\w{8}\.", name)
                self.assertEqual("immutable" in answer.headers["Cache-Control"], bool(hashed))
                self.assertEqual(answer.headers["Cache-Control"] == "no-cache", not hashed)
        policy = self.ask("/").headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self' 'wasm-unsafe-eval';",
                     "worker-src 'self' blob:", "frame-ancestors 'self'"):
            self.assertIn(rule, policy)
        self.assertNotIn("http", policy)
        self.assertEqual(self.ask("/").content, b"content of index.html\n")
        self.assertIn("Content-Security-Policy", self.ask("/nothing").headers)

    def test_compressed_copies(self):
        name = "assets/page-1a2b3c4d.js"
        (self.page / (name + ".br")).write_bytes(b"by brotli")
        (self.page / (name + ".gz")).write_bytes(b"by gzip")
        (self.page / "data.json.gz").write_bytes(b"by gzip")
        self.serve()
        for path, codings, coding, content in (
                (name, "gzip, deflate, br", "br", b"by brotli"),
                (name, "gzip", "gzip", b"by gzip"),
                (name, "br;q=0, *", "gzip", b"by gzip"),
                (name, "identity", None, f"content of {name}\n".encode()),
                ("data.json", "gzip, br", "gzip", b"by gzip"),
                ("icon.svg", "gzip, br", None, b"content of icon.svg\n")):
            with self.subTest(path=path, codings=codings):
                answer = self.ask("/" + path, **{"Accept-Encoding": codings})
                self.assertEqual((answer.status, answer.content), (200, content))
                self.assertEqual(answer.headers.get("Content-Encoding"), coding)
                self.assertEqual(answer.headers["Content-Type"], TYPES[path])
                self.assertEqual(answer.headers["Vary"], "Accept-Encoding")
        part = self.ask("/" + name, Range="bytes=0-6", **{"Accept-Encoding": "br"})
        self.assertEqual((part.status, part.content), (206, b"content"))
        self.assertIsNone(part.headers.get("Content-Encoding"))

    def test_empty_and_large_files(self):
        (self.page / "empty.txt").write_bytes(b"")
        large = os.urandom(3_000_000)
        (self.page / "large.npy").write_bytes(large)
        self.serve()
        empty = self.ask("/empty.txt")
        self.assertEqual((empty.status, empty.headers["Content-Length"]), (200, "0"))
        self.assertEqual(self.ask("/large.npy").content, large)
        for asked, first, last in (("bytes=0-9", 0, 9), ("bytes=2999990-", 2999990, 2999999),
                                   ("bytes=-5", 2999995, 2999999),
                                   ("bytes=100000-900000", 100000, 900000)):
            answer = self.ask("/large.npy", Range=asked)
            self.assertEqual(answer.status, 206)
            self.assertEqual(answer.headers["Content-Range"], f"bytes {first}-{last}/3000000")
            self.assertEqual(answer.content, large[first:last + 1])
        beyond = self.ask("/large.npy", Range="bytes=3000000-")
        self.assertEqual((beyond.status, beyond.headers["Content-Range"]), (416, "bytes */3000000"))
        many = "bytes=" + ",".join("0-" for _ in range(1000))
        for odd in (many, "bytes=9-1", "bytes=x"):
            answer = self.ask("/large.npy", Range=odd)
            self.assertEqual((answer.status, len(answer.content)), (200, len(large)))

    def test_head_and_other_methods(self):
        self.serve()
        head = self.ask("/data.json", "HEAD")
        self.assertEqual((head.status, head.content), (200, b""))
        self.assertEqual(head.headers["Content-Length"], str(len("content of data.json\n")))
        self.assertEqual(self.ask("/nothing", "HEAD").status, 404)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"):
            answer = self.ask("/data.json", method)
            self.assertEqual((answer.status, answer.reason, answer.headers["Allow"]),
                             (405, "Method Not Allowed", "GET, HEAD"), method)
        self.check_alive()

    def test_connection_is_kept(self):
        self.serve()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=murmur.PATIENCE)
        self.addCleanup(connection.close)
        connection.connect()
        first = connection.sock
        for _ in range(20):
            connection.request("GET", "/data.json")
            self.assertEqual(connection.getresponse().read(), b"content of data.json\n")
        self.assertIs(connection.sock, first)
        head = f"GET /data.json HTTP/1.1\r\nHost: localhost:{self.port}\r\n".encode()
        both = self.raw(head + b"\r\n" + head + b"Connection: close\r\n\r\n")
        self.assertEqual(both.count(b"content of data.json\n"), 2)

    def test_refused_hosts(self):
        self.serve()
        for host in ("127.0.0.1", "localhost", "[::1]"):
            self.assertEqual(self.ask("/", Host=f"{host}:{self.port}").status, 200)
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", "localhost:1", "",
                     f"127.0.0.1.evil.example:{self.port}", f"0.0.0.0:{self.port}"):
            answer = self.ask("/", Host=host)
            self.assertEqual(answer.status, 403, host)
            self.assertNotIn(b"content of", answer.content)
        self.assertEqual(self.status(self.raw(b"GET / HTTP/1.0\r\n\r\n")), 400)

    def test_only_loopback(self):
        self.serve()
        self.assertEqual(listeners(self.server.pid), [f"0100007F:{self.port:04X}"])

    def test_rebuilt_while_it_runs(self):
        self.serve()
        self.page.rename(self.folder / "old")
        self.assertEqual(self.ask("/").status, 404)
        self.page.mkdir()
        (self.page / "index.html").write_text("new")
        self.assertEqual(self.ask("/").content, b"new")


class Escapes(Studio):
    def test_paths(self):
        (self.page / ".hidden").write_text("secret")
        (self.page / ".git").mkdir()
        (self.page / ".git/config").write_text("secret")
        (self.page / "out.txt").symlink_to(self.folder / "secret.txt")
        (self.page / "up").symlink_to("..")
        (self.page / "etc").symlink_to("/etc")
        os.mkfifo(self.page / "pipe.txt")
        self.serve()
        deep = "../" * 12
        targets = (
            "/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt",
            "/%2E%2E%2Fsecret.txt", "/..%2fsecret.txt", "/.%2e/secret.txt", "/..\\secret.txt",
            "/..%5csecret.txt", "/assets/..\\..\\secret.txt", "/%252e%252e/secret.txt",
            "/..%c0%afsecret.txt", "/..%255csecret.txt", "/..;/secret.txt", f"/{deep}etc/passwd",
            "//etc/passwd", "///etc/passwd", "/etc/passwd", "/%2fetc/passwd",
            str(self.folder / "secret.txt"), f"/{self.folder}/secret.txt", "/index.html%00.txt",
            "/index.html/", "/index.html/../../secret.txt", "/.hidden", "/.git/config", "/%2ehidden",
            "/out.txt", "/up/secret.txt", "/up/page/index.html", "/pipe.txt", "/assets", "/assets/",
            "/.", "/./", "/..", "/%", "/%2", "/%zz", "/a%0d%0aX-Evil:%20yes", "*", "index.html",
            "http://127.0.0.1/index.html", f"file://{self.folder}/secret.txt", "/runs/../../secret.txt",
            "/runs", "/runs/", "/\xff\xfe", "/" + "a" * 300, "/" + "a/" * 1900 + "a",
        )
        for target in targets:
            with self.subTest(target[:80]):
                answer = self.get(target)
                self.assertIn(self.status(answer), (400, 403, 404, 414))
                for leak in (b"secret\n", b"secret\r", b"\r\n\r\nsecret", b"root:", b"X-Evil",
                             b"content of", str(self.folder).encode()):
                    self.assertNotIn(leak, answer)
        self.check_alive()

    def test_malformed(self):
        self.serve()
        host = f"Host: 127.0.0.1:{self.port}\r\n".encode()
        line = b"GET / HTTP/1.1\r\n"
        refused = {
            b"\x00\x01\x02\x03\r\n\r\n": 400, os.urandom(64) + b"\x00": 400,
            b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03": 400, b"GET / HTTP/1.1\n\n": 400,
            b"GET /\r\n\r\n": 400, b"hello\r\n\r\n": 400, b"\r\n\r\n": 400,
            b"GET / HTTP/3\r\n" + host + b"\r\n": 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 505,
            line + b"\r\n": 400, line + host + host + b"\r\n": 400,
            line + host + b"no colon\r\n\r\n": 400, line + host + b" folded\r\n\r\n": 400,
            line + host + b"Content-Length: 5\r\n\r\nhello": 400,
            line + host + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n": 400,
            b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 99999: 405,
            line + host + b"X: " + b"y" * 100_000 + b"\r\n\r\n": 431,
            line + host + b"X: y\r\n" * 101 + b"\r\n": 431, b"GET /" + b"a" * 1_000_000: 431,
            b"GET /" + b"a" * 5_000 + b" HTTP/1.1\r\n" + host + b"\r\n": 414,
            line + host + b"Expect: 100-continue\r\nConnection: close\r\n\r\n": 200,
            line + host + b"Range: bytes=" + b"0-1," * 1000 + b"\r\nConnection: close\r\n\r\n": 200,
            line + host + b"Range: bytes=" + b"9" * 8000 + b"-\r\nConnection: close\r\n\r\n": 200,
        }
        for data, code in refused.items():
            with self.subTest(data[:60], size=len(data)):
                self.assertEqual(self.status(self.raw(data)), code)
        self.check_alive()

    def test_clients_that_leave(self):
        (self.page / "large.npy").write_bytes(bytes(20_000_000))
        self.serve()
        head = f"GET /large.npy HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()
        for _ in range(40):
            s = socket.create_connection(("127.0.0.1", self.port))
            s.sendall(head)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset
            s.close()
            socket.create_connection(("127.0.0.1", self.port)).close()
        self.check_alive()


class Crowds(Studio):
    def test_a_thousand_at_once(self):
        (self.page / "large.npy").write_bytes(b"x" * 100_000)
        self.serve()
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(
            resource.RLIMIT_NOFILE)[1]))
        head = (f"GET /large.npy HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                "Connection: close\r\n\r\n").encode()
        poller = select.epoll()
        self.addCleanup(poller.close)
        waiting, received, good = {}, {}, 0
        for _ in range(1000):
            s = socket.create_connection(("127.0.0.1", self.port), timeout=murmur.PATIENCE)
            self.addCleanup(s.close)
            s.sendall(head)  # at once: in a crowd a silent client soon gives way
            s.setblocking(False)
            waiting[s.fileno()], received[s.fileno()] = s, b""
            poller.register(s, select.EPOLLIN)
        deadline = time.time() + murmur.PATIENCE
        while waiting and time.time() < deadline:
            for number, _ in poller.poll(1):
                s = waiting[number]
                if part := s.recv(1 << 20):
                    received[number] += part
                else:
                    good += received[number].endswith(b"x" * 100_000)
                    poller.unregister(s)
                    del waiting[number]
        self.assertEqual((good, len(waiting)), (1000, 0))
        threads = len(list(pathlib.Path(f"/proc/{self.server.pid}/task").iterdir()))
        self.assertLess(threads, 50)
        self.check_alive()

    def test_slow_and_silent_clients(self):
        self.serve()
        half = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n".encode()
        idle = []
        for k in range(600):
            s = socket.create_connection(("127.0.0.1", self.port), timeout=murmur.PATIENCE)
            self.addCleanup(s.close)
            if k % 2:
                s.sendall(half)  # and never the rest
            idle.append(s)
        started = time.time()
        self.check_alive()  # 32 threads that waited 5 s for each would take 94 s
        self.assertLess(time.time() - started, 90)
        self.assertEqual(self.status(idle[-1].recv(4096)), 408)

    def test_descriptors_run_out(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
        self.serve(preexec_fn=limit)
        held = []
        for _ in range(100):
            s = socket.create_connection(("127.0.0.1", self.port), timeout=murmur.PATIENCE)
            self.addCleanup(s.close)
            held.append(s)
        time.sleep(0.5)
        self.assertIsNone(self.server.poll())
        # Silent connections give way to one that asks, though none of them leaves.
        self.assertIn(self.ask("/").status, (200, 503))
        for s in held:
            s.close()
        murmur.wait_until(lambda: self.ask("/").status != 503)
        self.check_alive()

    def stuck(self, count, size=3_000_000, read=0):
        """Clients that ask for megabytes and take nothing, or `read` bytes, of the answer."""
        (self.page / "large.npy").write_bytes(bytes(size))
        head = f"GET /large.npy HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()
        clients = []
        for _ in range(count):
            s = socket.create_connection(("127.0.0.1", self.port), timeout=murmur.PATIENCE)
            self.addCleanup(s.close)
            s.sendall(head)
            clients.append(s)
        for s in clients if read else []:
            s.recv(read)
        return clients

    def test_readers_that_do_not_read(self):
        """However many they are, others are answered soon; those that read get their all."""
        self.serve()
        for read in (0, 1000):
            self.stuck(100, read=read)
            started = time.time()
            self.check_alive()  # one of them alone is waited for 56 s
            self.assertLess(time.time() - started, 50)
        large = self.ask("/large.npy")
        self.assertEqual((large.status, len(large.content)), (200, 3_000_000))

    def test_a_slow_reader_alone_is_waited_for(self):
        self.serve()
        s = self.stuck(1)[0]
        time.sleep(2)
        got = 0
        while part := s.recv(65536):
            got += len(part)
            if got >= 3_000_000:
                break
        self.assertGreaterEqual(got, 3_000_000)

    def test_signals_end_it_whatever_clients_do(self):
        """Also those that came blocked, and while someone takes a large file as fast as it comes."""
        block = lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        for sign in (signal.SIGTERM, signal.SIGINT):
            for options in ({}, {"preexec_fn": block}):
                self.serve(**options)
                self.stuck(100)
                half = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n".encode()
                for _ in range(50):
                    s = socket.create_connection(("127.0.0.1", self.port), timeout=murmur.PATIENCE)
                    self.addCleanup(s.close)
                    s.sendall(half)
                time.sleep(0.2)
                started = time.time()
                self.assertEqual(self.end(sign)[0], 0)
                self.assertLess(time.time() - started, 50)  # one client alone is waited for 56 s

    @murmur.unittest.skipUnless(murmur.LONG, "waits a quarter of a minute")
    def test_slow_readers(self):
        (self.page / "large.npy").write_bytes(bytes(20_000_000))
        self.serve()
        head = f"GET /large.npy HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()
        for _ in range(32):  # as many as there are threads; they ask and never read
            s = socket.socket()
            self.addCleanup(s.close)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", self.port))
            s.sendall(head)
        time.sleep(0.3)
        started = time.time()
        self.check_alive()
        self.assertLess(time.time() - started, 150)  # one of them alone is waited for 315 s

    def test_many_at_work_while_it_ends(self):
        (self.page / "large.npy").write_bytes(bytes(20_000_000))
        self.serve()
        head = f"GET /large.npy HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()
        for _ in range(100):  # they ask and never read
            s = socket.create_connection(("127.0.0.1", self.port), timeout=murmur.PATIENCE)
            self.addCleanup(s.close)
            s.sendall(head)
        time.sleep(0.3)
        started = time.time()
        self.assertEqual(self.end()[0], 0)
        self.assertLess(time.time() - started, 150)  # one of them alone is waited for 315 s


class Command(Studio):
    def test_ctrl_c_and_sigterm_end_it_well(self):
        for sign in (signal.SIGINT, signal.SIGTERM):
            self.serve()
            self.check_alive()
            code, _, err = self.end(sign)
            self.assertEqual(code, 0, err)
            self.assertIn("ended", err)
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", self.port))

    def test_ports(self):
        self.serve()
        self.refused(RUNTIME, "studio", "--page", "page", "--port", self.port,
                     what=f"port {self.port} is taken", where="127.0.0.1", do="--port")
        for port in ("-1", "65536", "x"):
            self.refused(USAGE, "studio", "--page", "page", "--port", port)
        # The usual port, here taken by this test or by another program.
        taken = socket.socket()
        self.addCleanup(taken.close)
        try:
            taken.bind(("127.0.0.1", 8127))
            taken.listen()
        except OSError:
            pass
        other = self.start("studio", "--page", "page")
        port = int(re.search(r":(\d+)/", other.stdout.readline())[1])
        self.assertNotIn(port, (8127, 0))
        self.assertEqual(self.ask("/", port=port).status, 200)
        self.assertIn("8127 is taken", other.stderr.readline())

    def test_port_is_free_again_at_once(self):
        self.serve()
        self.check_alive()
        port = self.port
        self.end()
        self.serve("--port", str(port))
        self.check_alive()

    def test_where_the_page_is(self):
        # A copy of the program, so that no tree around the real one is found.
        place = self.folder / "tree/build/release"
        place.mkdir(parents=True)
        program = place / "murmur"
        program.write_bytes(murmur.PROGRAM.read_bytes())
        program.chmod(0o755)
        away = self.folder / "away"
        away.mkdir()

        def first_line(cwd):
            process = subprocess.Popen([program, "studio", "--port", "0"], cwd=cwd, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=murmur.environment())
            self.addCleanup(self._end, process)
            return process, process.stdout.readline()

        process, line = first_line(away)
        out, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual((process.returncode, line, out), (INPUT, "", ""))
        self.assertEqual(len(err.splitlines()), 3, err)
        self.assertIn("scripts/page.sh", err)
        for dist, text in ((self.folder / "tree/studio/dist", b"of the tree"),
                           (away / "studio/dist", b"of the folder")):
            dist.mkdir(parents=True)
            (dist / "index.html").write_bytes(text)
            _, line = first_line(away)
            port = int(re.search(r":(\d+)/", line)[1])
            self.assertEqual(self.ask("/", port=port).content, text)

    def test_wrong_requests(self):
        self.refused(INPUT, "studio", "--page", "nowhere", where="nowhere", do="index.html")
        self.refused(INPUT, "studio", "--page", "page/assets")
        self.refused(INPUT, "studio", "--page", "page", "--runs", "nowhere", where="nowhere")
        self.refused(USAGE, "studio", "run", what="run")
        self.refused(USAGE, "studio", "n=4")
        with open("/dev/full", "w") as full:
            done = subprocess.run([murmur.PROGRAM, "studio", "--page", "page", "--port", "0"],
                                  cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=murmur.environment(), timeout=murmur.PATIENCE)
        self.assertEqual(done.returncode, RUNTIME)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_help(self):
        told = self.murmur("studio", "--help").stdout
        self.assertGreaterEqual(told.count("  murmur studio"), 2)
        self.assertIn("8127", told)

    def test_open(self):
        tools = self.folder / "tools"
        tools.mkdir()
        script = tools / "xdg-open"
        script.write_text(f'#!/bin/sh\nprintf %s "$1" > "{self.folder}/opened"\n')
        script.chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        self.serve("--open", env={"PATH": path, "DISPLAY": ":0"})
        opened = self.folder / "opened"
        murmur.wait_until(lambda: opened.exists() and opened.read_text())
        self.assertEqual(opened.read_text(), self.told["url"])
        for env in ({"PATH": path, "DISPLAY": "", "WAYLAND_DISPLAY": ""},
                    {"PATH": "/nowhere", "DISPLAY": ":0"}):
            self.serve("--open", env=env)
            self.assertIn(self.told["url"], self.end()[2])


class Runs(Studio):
    def listing(self):
        answer = self.ask("/runs/index.json")
        self.assertEqual((answer.status, answer.headers["Content-Type"]),
                         (200, "application/json"))
        return json.loads(answer.content)

    def test_none(self):
        self.serve()
        self.assertEqual(self.listing(), [])
        self.assertEqual(self.ask("/runs/a/times.npy").status, 404)

    def test_a_run_is_shown_and_nothing_else(self):
        run = self.simulate("kept/my flock", "n=5", "d=3", "T=1", "save=every:0.5")
        self.simulate("kept/torn", "n=5", "T=1")
        (self.folder / "kept/torn/trajectory.npy").write_bytes(b"\x93NUMPY")
        (self.folder / "kept/loose").mkdir()
        (self.folder / "kept/loose/config.toml").write_text("secret")
        (self.folder / "kept/linked").symlink_to(run)
        self.serve("--runs", "kept")
        self.assertEqual(self.told["runs"], str((self.folder / "kept").resolve()))
        good, torn = self.listing()
        self.assertEqual({key: good[key] for key in ("name", "kind", "status", "n", "d", "frames")},
                         {"name": "my flock", "kind": "simulate", "status": "done", "n": 5, "d": 3,
                          "frames": 3})
        for absent in ("model", "summary", "digits", "accuracy"):
            self.assertIsNone(good[absent])
        self.assertEqual((torn["name"], torn["kind"]), ("torn", "damaged"))
        self.assertTrue(torn["note"])
        for key, name in (("trajectory", "trajectory.npy"), ("times", "times.npy"),
                          ("observables", "observables.csv"), ("config", "config.toml")):
            answer = self.ask(good[key])
            self.assertEqual((answer.status, answer.content), (200, (run / name).read_bytes()))
            self.assertEqual(answer.headers["Cache-Control"], "no-cache")
        for path in ("my%20flock/manifest.json", "my%20flock/events.jsonl", "my%20flock/lock",
                     "my%20flock/checkpoint.safetensors", "my%20flock/inputs/points.npy",
                     "my%20flock", "my%20flock/", "loose/config.toml", "linked/config.toml",
                     "my%20flock/inputs/../config.toml", "torn/nothing", "index.json/x"):
            self.assertIn(self.ask("/runs/" + path).status, (403, 404), path)

    def test_names_and_files_of_another_hand(self):
        """Names outside UTF-8 and files nested without end: the list is JSON, the server lives."""
        kept = os.fsencode(self.folder) + b"/kept/"
        names = (b"caf\xe9", b"a\x1b]0;x\x07b", b"plain")
        for name in names:
            subprocess.run([murmur.PROGRAM, "simulate", "n=4", "T=0.1", "save=final", "-q", "-o",
                            kept + name], env=murmur.environment(), check=True,
                           stdout=subprocess.DEVNULL)
        deep = "a" + ".a" * 50000 + " = 1\n"
        for name, file, text in (("toml", "config.toml", deep),
                                 ("train", "config.toml", deep),
                                 ("manifest", "manifest.json", "[" * 100000),
                                 ("summary", "summary.json", "[" * 100000)):
            run = self.folder / "kept" / name
            self.simulate(f"kept/{name}", "n=4", "T=0.1", "save=final", "-q")
            if name in ("train", "summary"):  # a kind of which the page is told more
                manifest = json.loads((run / "manifest.json").read_text())
                manifest["command"] = "train"
                (run / "manifest.json").write_text(json.dumps(manifest))
            (run / file).write_text(text)
        self.serve("--runs", "kept")
        rows = {row["name"]: row for row in self.listing()}
        self.assertEqual(rows["train"]["kind"], "damaged")
        self.assertEqual(rows["toml"]["kind"], "simulate")
        foreign = next(row for name, row in rows.items() if name.startswith("caf"))
        self.assertEqual(self.ask(foreign["times"]).status, 200)
        self.check_alive()

    def test_the_usual_folder(self):
        self.simulate("runs/one", "n=4", "T=0.1", "save=final")
        self.serve()
        self.assertEqual([row["name"] for row in self.listing()], ["one"])
        self.simulate("runs/two", "n=4", "T=0.1", "save=final")
        murmur.wait_until(lambda: len(self.listing()) == 2)
        self.assertEqual([row["name"] for row in self.listing()], ["one", "two"])

    def test_a_training(self):
        images = murmur.np.zeros((40, 8, 8), dtype=">u1")
        labels = murmur.np.tile(murmur.np.array([5, 6], dtype=">u1"), 20)
        images[labels == 5, 1:7, 2] = 255
        images[labels == 6, 2, 1:7] = 255
        data = self.folder / "data"
        data.mkdir()
        for part in ("train", "t10k"):
            header = (0x803).to_bytes(4, "big") + b"".join(k.to_bytes(4, "big") for k in (40, 8, 8))
            (data / f"{part}-images-idx3-ubyte").write_bytes(header + images.tobytes())
            header = (0x801).to_bytes(4, "big") + (40).to_bytes(4, "big")
            (data / f"{part}-labels-idx1-ubyte").write_bytes(header + labels.tobytes())
        self.murmur("train", f"data={data}", "epochs=1", "batch=8", "-o", "runs/digits")
        self.serve()
        (row,) = self.listing()
        summary = json.loads((self.folder / "runs/digits/summary.json").read_text())
        self.assertEqual((row["kind"], row["digits"], row["accuracy"]),
                         ("train", [5, 6], summary["test_accuracy"]))
        self.assertEqual(self.ask(row["model"]).content,
                         (self.folder / "runs/digits/model.safetensors").read_bytes())
        self.assertEqual(json.loads(self.ask(row["summary"]).content), summary)


if __name__ == "__main__":
    murmur.main()
