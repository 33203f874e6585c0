#!/usr/bin/env python3
"""Abuses a service, and looks whether it still answers: python3 serve_abuse.py MOLIEN FOLDER

MOLIEN is the program, FOLDER a folder with at least KQK, KRK and KPK. The folder is copied; the
service listens on a port of this machine and ends with the script. Each step says what it did.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

KRK = "/standard?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1"
KQK = "/standard?fen=8/8/8/8/8/2k5/8/K6Q_w_-_-_0_1"


class Service:
    def __init__(self, program, folder, *options):
        command = [program, "serve", "--listen", "127.0.0.1:0", "--read-only", "--backend", "cpu", "--tables", str(folder)]
        self.process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.port = int(line.split("127.0.0.1:")[1].split(",")[0])
        self.log = []
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        return connection

    def get(self, path, data=None):
        """Status and text of an answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", data, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def is_well(self):
        status, text = self.get(KRK)
        assert status == 200 and json.loads(text)["dtm"] == 27, (status, text)
        assert self.process.poll() is None
        assert not any("panicked" in line for line in self.log), self.log

    def figure(self, name):
        _, text = self.get("/metrics")
        return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))

    def memory_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def nonsense(service):
    """Random bytes as FENs, queries, bodies and requests."""
    source = random.Random(1)
    letters = "/8kKqQrRbBnNpP1234567 wb-_%&?#\u00e9\u2654\x00\n'\"<>=()"
    for _ in range(1000):
        text = "".join(source.choice(letters) for _ in range(source.randrange(80)))
        quoted = urllib.parse.quote(text, safe="")
        for path in (f"/standard?fen={quoted}", f"/?fen={quoted}", f"/api/v1/find?material=KRK&query={quoted}", f"/api/v1/free?fen={quoted}&man=R"):
            status, answer = service.get(path)
            assert status < 500, (path, status, answer)
    for _ in range(200):
        data = bytes(source.randrange(256) for _ in range(source.randrange(400)))
        for path in ("/api/v1/positions", "/api/v1/study", "/study"):
            status, answer = service.get(path, data)
            assert status < 500, (path, data, answer)
        with service.connect() as connection:
            try:
                connection.sendall(data + b"\r\n\r\n")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
            except OSError:
                pass  # It hung up, as it may.
    return "1,000 random texts as FEN and query, 200 random bodies and requests"


def long_requests(service):
    """An address of a mebibyte, a body beyond the limit."""
    with service.connect() as connection:
        try:
            connection.sendall(b"GET /standard?fen=" + b"k" * (1 << 20) + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = connection.recv(4096)
        except ConnectionError:
            answer = b""
    assert not answer or answer.startswith(b"HTTP/1.1 4"), answer
    status, _ = service.get("/api/v1/positions", b"x" * (3 << 20))
    assert status == 413, status
    return "a URL of 1 MiB and a body of 3 MiB refused"


def slow_clients(service, number=200):
    """Clients that send a byte now and then, and never read what comes."""
    slow = [service.connect() for _ in range(number)]
    for i, connection in enumerate(slow):
        connection.sendall(f"GET {KRK} HTTP/1.1\r\n"[: 10 + i % 20].encode())
    deaf = [service.connect() for _ in range(50)]
    body = b"8/8/8/8/8/2k5/8/K6R w - - 0 1\n" * 10000
    for connection in deaf:
        connection.sendall(b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    service.is_well()
    begin = time.monotonic()
    service.is_well()
    took = time.monotonic() - begin
    for connection in slow + deaf:
        connection.close()
    return f"{number} slow clients and 50 that do not read; another was answered in {took * 1000:.0f} ms"


def connections(service, number=5000):
    """Many connections at once, all open and idle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    number = min(number, hard - 200)
    before = service.memory_mib()
    opened = [service.connect() for _ in range(number)]
    for connection in opened[::10]:
        connection.sendall(f"GET {KQK} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert all(connection.recv(12) == b"HTTP/1.1 200" for connection in opened[::10])
    service.is_well()
    during = service.memory_mib()
    for connection in opened:
        connection.close()
    return f"{number} open connections, a tenth of them answered; {before:.0f} MiB before, {during:.0f} with them"


def leave_in_the_middle(service):
    """Clients that go away while an answer streams to them."""
    body = b"8/8/8/8/8/2k5/8/K6R w - - 0 1\n" * 10000
    files = service.files()
    for _ in range(50):
        with service.connect() as connection:
            connection.sendall(b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            connection.recv(100)
        with service.connect() as connection:
            connection.sendall(b"GET /api/v1/find?material=KPK&query=win&limit=10000 HTTP/1.1\r\nHost: x\r\n\r\n")
            connection.recv(100)
    for _ in range(200):
        if service.figure("molien_requests_in_flight") <= 1:
            break
        time.sleep(0.05)
    else:
        raise AssertionError("requests of clients that left are still under way")
    return f"100 clients left in the middle; {files} files open before, {service.files()} after"


def files_replaced(service, folder):
    """Files damaged and replaced while they are served."""
    path = folder / "KQvK.mol"
    sound = path.read_bytes()

    def replace(data):
        other = folder / "other"
        other.write_bytes(data)
        other.rename(path)

    for _ in range(20):
        replace(sound[:64] + bytes(len(sound) - 64))
        status, text = service.get(KQK)
        assert status == 200 or (status == 500 and "KQvK" in text), (status, text)
        service.is_well()
        replace(sound)
    path.unlink()
    service.is_well()
    replace(sound)
    service.is_well()
    return "a file damaged, removed and put back 20 times; the others were answered"


def damaged(program, folder):
    """A service that finds a damaged file."""
    path = folder / "KQvK.mol"
    sound = path.read_bytes()
    path.write_bytes(sound[: len(sound) // 2] + bytes(range(256)) + sound[len(sound) // 2 + 256 :])
    with Service(program, folder) as service:
        worst = [service.get(f"/standard?fen={fen}") for fen in queen_positions(300)]
        failed = [text for status, text in worst if status == 500]
        assert failed and all("KQvK" in text for text in failed), worst[:3]
        service.is_well()
    path.write_bytes(sound)
    return f"a damaged file: {len(failed)} of 300 positions answered with status 500 and its name, other tables unharmed"


def queen_positions(number):
    source = random.Random(2)
    while number:
        king, other, queen = source.sample(range(64), 3)
        if max(abs(king // 8 - other // 8), abs(king % 8 - other % 8)) < 2:
            continue
        rows = [["1"] * 8 for _ in range(8)]
        for square, man in ((king, "K"), (other, "k"), (queen, "Q")):
            rows[square // 8][square % 8] = man
        number -= 1
        yield "/".join("".join(row) for row in rows) + "_b_-_-_0_1"


def stop_under_load(program, folder):
    """SIGTERM while requests are under way: none of them is cut off."""
    with Service(program, folder) as service:
        body = b"8/8/8/8/8/2k5/8/K6R w - - 0 1\n" * 5000
        sent, whole, refused = [0], [0], [0]

        def client():
            while True:
                try:
                    connection = service.connect()
                except OSError:
                    refused[0] += 1
                    return
                with connection:
                    head = b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                    answer = b""
                    try:
                        connection.sendall(head % len(body) + body)
                        while part := connection.recv(1 << 16):
                            answer += part
                    except ConnectionError:
                        pass
                    if not answer:
                        refused[0] += 1  # accepted by the system, never by the service
                        return
                    sent[0] += 1
                    whole[0] += answer.count(b'"dtm":27') == 5000 and answer.endswith(b"0\r\n\r\n")

        clients = [threading.Thread(target=client) for _ in range(8)]
        [thread.start() for thread in clients]
        time.sleep(1)
        service.process.send_signal(signal.SIGTERM)
        [thread.join(60) for thread in clients]
        assert service.process.wait(60) == 0
        assert sent[0] and sent[0] == whole[0], (sent, whole)
        return f"SIGTERM under load: {sent[0]} requests begun, {whole[0]} answered in full"


def main(program, folder):
    with tempfile.TemporaryDirectory() as copy:
        copy = pathlib.Path(copy)
        for file in pathlib.Path(folder).glob("*.mol"):
            if file.name in ("KQvK.mol", "KRvK.mol", "KPvK.mol", "KBvK.mol", "KNvK.mol"):
                shutil.copy(file, copy)
        with Service(program, copy) as service:
            service.is_well()
            for step in (nonsense, long_requests, slow_clients, connections, leave_in_the_middle):
                print(step(service), flush=True)
                service.is_well()
            print(files_replaced(service, copy), flush=True)
            print(f"{service.memory_mib():.0f} MiB and {service.files()} open files in the end", flush=True)
        print(damaged(program, copy), flush=True)
        print(stop_under_load(program, copy), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
