"""A product's backend with Python's standard library alone. It knows its users, holds the keys, and proxies each turn.

Run: PLATFORM_KEY=orchp_... python3 examples/python/server.py
"""

import http.client
import http.server
import json
import os
import pathlib
import threading
import urllib.parse

PLATFORM_KEY = os.environ.get("PLATFORM_KEY", "")
ORCH_URL = os.environ.get("ORCH_URL", "http://127.0.0.1:7700")
PORT = int(os.environ.get("PORT", "3000"))
KEYS_FILE = pathlib.Path(os.environ.get("KEYS_FILE", "engine-keys.json"))
PAGE = pathlib.Path(__file__).parent.parent / "chat-page"
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/chat.js": ("chat.js", "text/javascript; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
}
# Longer than a boot, and longer than the silence between two heartbeats of a stream.
TIMEOUT_S = 120


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Keys:
    """Engine id to engine key. A product keeps these in its database."""

    def __init__(self):
        self._keys = json.loads(KEYS_FILE.read_text()) if KEYS_FILE.exists() else {}
        self._lock = threading.Lock()

    def get(self, engine_id):
        return self._keys.get(engine_id)

    def store(self, engine_id, key):
        with self._lock:
            self._keys[engine_id] = key
            self._write()

    def drop(self, key):
        """Forgets a key that an engine refused, unless another call has stored the new one already."""
        with self._lock:
            self._keys = {engine_id: known for engine_id, known in self._keys.items() if known != key}
            self._write()

    def _write(self):
        new = KEYS_FILE.with_suffix(".new")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(self._keys, file)
        new.replace(KEYS_FILE)


KEYS = Keys()
# One admit at a time for each user, so that calls at the same moment agree on the key.
USER_LOCKS = {}
USER_LOCKS_LOCK = threading.Lock()


def open_call(base, method, path, headers, body=None):
    """Sends one request and returns its response, whose body is still to be read."""
    address = urllib.parse.urlsplit(base)
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname, address.port, timeout=TIMEOUT_S)
    data = None if body is None else json.dumps(body).encode()
    try:
        connection.request(method, address.path + path, data, {"Content-Type": "application/json", **headers})
        return connection.getresponse()
    except OSError as error:
        raise Refused(502, "UNREACHABLE") from error


def call(base, method, path, headers, body=None):
    """One request with a JSON response; an error response is raised with its code."""
    response = open_call(base, method, path, headers, body)
    answer = json.loads(response.read())
    if response.status >= 400:
        # The orchestrator nests its code, an engine does not.
        error = answer["error"]
        raise Refused(response.status, error["code"] if isinstance(error, dict) else error)
    return answer


def orchestrator(method, path, body=None):
    return call(ORCH_URL, method, path, {"X-Platform-Key": PLATFORM_KEY}, body)


def engine_of(user):
    """Creates the user's engine, or starts it when it is stopped. Returns its address and the header with its key."""
    with USER_LOCKS_LOCK:
        lock = USER_LOCKS.setdefault(user, threading.Lock())
    with lock:
        engine = orchestrator("POST", "/engines/admit", {"user_id": user})
        key = engine["engine_api_key"] or KEYS.get(engine["id"])
        if key is None:
            # A key is returned once. When it was lost, a new one replaces it.
            path = f"/engines/{urllib.parse.quote(user, safe='')}/rotate-key"
            key = orchestrator("POST", path, {})["engine_api_key"]
        if KEYS.get(engine["id"]) != key:
            KEYS.store(engine["id"], key)
        return engine["url"], {"X-Engine-Key": key}


def with_engine(user, work):
    """Calls the user's engine. A key that somebody else replaced is dropped, and the call repeated with a new one."""
    url, key = engine_of(user)
    try:
        return work(url, key)
    except Refused as error:
        if str(error) != "INVALID_ENGINE_KEY":
            raise
        KEYS.drop(key["X-Engine-Key"])
        return work(*engine_of(user))


class Handler(http.server.BaseHTTPRequestHandler):
    # Without a Content-Length, the end of the connection ends a stream.
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        self.answer(self.get)

    def do_POST(self):
        self.answer(self.post)

    def answer(self, work):
        try:
            work()
        except Refused as error:
            self.send_json(error.status, {"error": str(error)})
        except (BrokenPipeError, ConnectionResetError):
            # The reader left. Its turn continues.
            pass

    def get(self):
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/api/turns":
            asked = dict(urllib.parse.parse_qsl(address.query))
            query = urllib.parse.urlencode(
                {
                    "task_id": asked.get("task", ""),
                    "turn_id": asked.get("turn", ""),
                    "after": asked.get("after", "0"),
                    "follow": "true",
                }
            )

            def resume(url, key):
                headers = {**key, "Accept": "text/event-stream"}
                self.proxy(open_call(url, "GET", f"/execute/replay?{query}", headers))

            return with_engine(self.user_of(), resume)
        if address.path not in FILES:
            raise Refused(404, "no such page")
        file, kind = FILES[address.path]
        content = (PAGE / file).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", "default-src 'self'")
        self.end_headers()
        self.wfile.write(content)

    def post(self):
        if self.path not in ("/api/messages", "/api/answers", "/api/cancel"):
            raise Refused(404, "no such route")
        user = self.user_of()
        if self.path == "/api/messages":
            task, message = self.body("task", "message")
            body = {"task_id": task, "message": message, "thinking": True}
            return with_engine(user, lambda url, key: self.proxy(open_call(url, "POST", "/execute", key, body)))
        if self.path == "/api/answers":
            request_id, answer = self.body("request_id", "answer")
            body = {"request_id": request_id, "answer": answer}
            with_engine(user, lambda url, key: call(url, "POST", "/hitl/respond", key, body))
            return self.send_json(200, {"answered": True})
        (task,) = self.body("task")
        body = {"task_id": task}
        cancelled = with_engine(user, lambda url, key: call(url, "POST", "/execute/cancel", key, body))
        return self.send_json(200, {"cancelled": cancelled["cancelled"]})

    def user_of(self):
        """Replace this with the session of your product: orchd does not authenticate users."""
        user = self.headers.get("X-User", "")
        if user == "":
            raise Refused(401, "X-User: expected the name of a user")
        return user

    def body(self, *names):
        try:
            fields = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        except ValueError as error:
            raise Refused(400, "expected JSON") from error
        for name in names:
            if not isinstance(fields, dict) or not isinstance(fields.get(name), str):
                raise Refused(400, f"{name}: expected a string")
        return [fields[name] for name in names]

    def proxy(self, response):
        """Passes an engine's stream on, frame by frame. A reader that leaves does not end the turn."""
        with response:
            if response.status != 200:
                raise Refused(response.status, json.loads(response.read())["error"])
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-cache, no-transform")
            self.send_header("X-Accel-Buffering", "no")
            self.end_headers()
            for line in response:
                self.wfile.write(line)
                if line == b"\n":
                    self.wfile.flush()

    def send_json(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    print(f"the backend listens at http://127.0.0.1:{PORT}", flush=True)
    server.serve_forever()
