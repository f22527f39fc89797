"""A product's backend in Python, with the client for Python alone. It knows its users, holds the keys, and proxies each turn.

Run: PLATFORM_KEY=orchp_... python3 examples/python/server.py
"""

import http.server
import itertools
import json
import os
import pathlib
import sys
import urllib.parse

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent
# A product has a copy of this file.
sys.path.insert(0, str(EXAMPLES.parent / "clients/python"))

from orchd import Engines, FileKeys, OrchdError, OrchestratorClient  # noqa: E402

PLATFORM_KEY = os.environ.get("PLATFORM_KEY", "")
ORCH_URL = os.environ.get("ORCH_URL", "http://127.0.0.1:7700")
PORT = int(os.environ.get("PORT", "3000"))
KEYS_FILE = os.environ.get("KEYS_FILE", "engine-keys.json")
PAGE = EXAMPLES / "chat-page"
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/chat.js": ("chat.js", "text/javascript; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
}

# A product with several programs keeps the keys in its database, by the same two methods. A person waits: a busy task is
# an error now, not a reason to retry.
ENGINES = Engines(OrchestratorClient(ORCH_URL, PLATFORM_KEY), FileKeys(KEYS_FILE), limits={"retry_busy": False})


class Refused(Exception):
    """A refusal of this backend itself."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


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
        except OrchdError as error:
            self.send_json(error.status or 502, {"error": error.code})
        except (BrokenPipeError, ConnectionResetError):
            # The reader left. Its turn continues.
            pass

    def get(self):
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/api/turns":
            asked = dict(urllib.parse.parse_qsl(address.query))
            user = self.user_of()
            if not asked.get("after", "0").isdigit():
                raise Refused(400, "after: expected the seq of an event")
            after = int(asked.get("after", "0"))
            return self.proxy(ENGINES.open(user).resume(asked.get("task", ""), asked.get("turn", ""), after=after))
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
            return self.proxy(ENGINES.open(user).execute(task_id=task, message=message, thinking=True))
        if self.path == "/api/answers":
            request_id, answer = self.body("request_id", "answer")
            ENGINES.open(user).respond(request_id=request_id, answer=answer)
            return self.send_json(200, {"answered": True})
        (task,) = self.body("task")
        return self.send_json(200, {"cancelled": ENGINES.open(user).cancel(task_id=task)["cancelled"]})

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

    def proxy(self, turn):
        """Passes a turn's events on. A reader that leaves does not end the turn."""
        with turn:
            events = iter(turn)
            # The first event opens the stream: what fails before it is an ordinary error response.
            first = next(events)
            self.open_stream()
            try:
                for event, data in itertools.chain([first], events):
                    self.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
            except OrchdError as error:
                # The page sees a stream without its last event, and resumes it.
                self.log_error("%s", error)

    def open_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache, no-transform")
        self.send_header("X-Accel-Buffering", "no")
        self.end_headers()

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
