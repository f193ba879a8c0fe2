"""A web server with bad days, for the tests of pull. It listens on 127.0.0.1, prints its port, and ends when its standard input does.

  /MODE/SIZE/NAME  a file of SIZE bytes; MODE says how it is served (see serve_file)
  /status/CODE/…   an answer with that code
  /api/models/test/REPO, /test/REPO/resolve/main/FILE   a hub with the repositories of REPOSITORIES
  /log             what was asked so far, as JSON
"""

import hashlib
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
log = []
counts = {}


def content(size, version=1):
    """The bytes of a file; the tests make the same ones."""
    return b"GGUF" + bytes((i * 131 + i // 251 + version) & 255 for i in range(4, size))


# name → (size, how it is served)
REPOSITORIES = {
    "tiny-GGUF": {
        "README.md": (100, "ranges"),
        "tiny-Q4_K_M.gguf": (40000, "ranges"),
        "tiny-Q8_0.gguf": (80000, "ranges"),
        "tiny-f16.gguf": (150000, "ranges"),
        "mmproj-tiny-Q8_0.gguf": (3000, "ranges"),
    },
    "split-GGUF": {f"Q8_0/big-Q8_0-0000{i}-of-00003.gguf": (20000 + i, "ranges") for i in (1, 2, 3)},
    "gap-GGUF": {f"big-Q8_0-0000{i}-of-00003.gguf": (20000 + i, "ranges") for i in (1, 3)},
    "moved-GGUF": {"moved-Q4_K_M.gguf": (40000, "elsewhere")},
    "wrong-GGUF": {"wrong-Q4_K_M.gguf": (40000, "wrong")},
    "longer-GGUF": {"longer-Q4_K_M.gguf": (40000, "longer")},
    "dies-GGUF": {"dies-Q4_K_M.gguf": (400000, "dies")},
    "unlisted": {"plain.gguf": (40000, "ranges")},
    "gated": {"gated-Q4_K_M.gguf": (40000, "gated")},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        with lock:
            nth = counts[self.path] = counts.get(self.path, 0) + 1
            if self.path != "/log":
                log.append({"path": self.path, "host": self.headers.get("Host", ""), "range": self.headers.get("Range", ""),
                            "if_range": self.headers.get("If-Range", ""), "token": self.headers.get("Authorization", "")})
        pieces = self.path.split("?")[0].strip("/").split("/")
        if pieces == ["log"]:
            self.answer(200, json.dumps(log).encode())
        elif pieces[0] == "status":
            self.answer(int(pieces[1]), b"no\n")
        elif pieces[0] == "busy" and nth == 1:
            self.answer(503, b"busy\n", {"Retry-After": "0"})
        elif pieces[:2] == ["api", "models"]:
            self.listing(pieces[3])
        elif pieces[0] == "test" and pieces[2:4] == ["resolve", "main"]:
            size, mode = REPOSITORIES[pieces[1]].get("/".join(pieces[4:]), (0, "none"))
            self.serve_file(mode, size, nth)
        elif len(pieces) >= 3:
            self.serve_file(pieces[0], int(pieces[1]), nth)
        else:
            self.answer(404, b"no such thing\n")

    def answer(self, status, body, headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def listing(self, repository):
        if repository == "nonsense":
            return self.answer(200, b"<html>")
        if repository == "gated" and not self.headers.get("Authorization"):
            return self.answer(401, b"{}")
        if repository not in REPOSITORIES or repository == "unlisted":
            return self.answer(404, b"{}")
        files = []
        for name, (size, _) in REPOSITORIES[repository].items():
            files.append({"rfilename": name, "size": size, "lfs": {"sha256": hashlib.sha256(content(size)).hexdigest(), "size": size}})
        files.append({"rfilename": "../escape.gguf", "size": 5})
        self.answer(200, json.dumps({"id": "test/" + repository, "siblings": files}).encode())

    def serve_file(self, mode, size, nth):
        if mode == "none":
            return self.answer(404, b"Entry not found\n")
        if mode == "redirect" or mode == "elsewhere":  # localhost: another host by name
            return self.answer(302, b"", {"Location": f"http://localhost:{self.server.server_port}/ranges/{size}/x.gguf"})
        if mode == "loop":
            return self.answer(302, b"", {"Location": self.path})
        if mode == "tofile":
            return self.answer(302, b"", {"Location": "file:///etc/passwd"})
        if mode == "page":
            return self.answer(200, b"<!DOCTYPE html><html>sign in</html>", {"ETag": '"page"'})
        if mode == "gated" and self.headers.get("Authorization") != "Bearer secret":
            return self.answer(401, b"{}")
        if mode == "endless":  # zeros, and nobody says how many
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"\0" * 65536)
        if mode == "huge":  # more than any disk holds; nothing of it comes
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(b"GGUF")
            self.close_connection = True
            return
        version = 2 if nth > 1 and mode in ("changes", "blind") else 1
        body = content(size, version)
        if mode == "wrong":
            body = body[:-1] + b"!"
        if mode == "longer":
            body += b"more"
        tag = f'"v{version}"'
        headers = {"ETag": tag}
        if mode == "weak":
            headers = {"ETag": "W/" + tag}
        if mode == "dated":
            headers = {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
        if mode == "untagged":
            headers = {}
        start = self.first_byte(mode, size, headers)
        if start is None:
            return self.answer(416, b"", {"Content-Range": f"bytes */{size}"})
        self.send_response(206 if start else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.send_body(mode, body[start:], nth, size)

    def first_byte(self, mode, size, headers):
        """The first byte to send; none where what was asked for lies behind the end."""
        wanted = self.headers.get("Range")
        if not wanted or mode == "whole":
            return 0
        condition = self.headers.get("If-Range")
        if condition and condition not in headers.values() and mode != "blind":
            return 0
        start = int(wanted[len("bytes="):-1])
        if mode == "shrinks":
            return None
        return start if start < size else None

    def send_body(self, mode, body, nth, size):
        if mode == "stalls" and nth == 1:
            self.wfile.write(body[: size // 2])
            self.wfile.flush()
            time.sleep(60)
        elif mode in ("dies", "dated", "weak", "untagged", "whole", "changes", "blind", "shrinks") and nth <= 2:
            cut = body[: size * 4 // 10]  # two deaths: at 40 %, and at 80 % where the client went on
            self.wfile.write(cut)
            self.wfile.flush()
        elif mode == "always_dies":
            pass
        elif mode in ("slow", "crawl"):
            for at in range(0, len(body), 4096):
                self.wfile.write(body[at : at + 4096])
                time.sleep(0.02 if mode == "slow" else 1)
            return
        else:
            self.wfile.write(body)
            return
        self.close_connection = True

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
