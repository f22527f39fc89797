# mypy: warn_return_any=False
"""Client of orchd for Python 3.9 or newer, with the standard library alone: copy this file into your product.

`OrchestratorClient` has the calls of a product, and `EngineClient` those of one user's engine. Both have a method for each
operation of the OpenAPI documents, by its `operationId` in snake_case, and each raises `OrchdError` with a `code`. What
streams is written by hand: `execute`, `resume`, `follow`, `follow_tasks`, `follow_events`. See docs/python.md.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import secrets
import socket
import ssl
import threading
import time
import urllib.parse
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, NamedTuple, Optional, Protocol, Set, Tuple, Union

if TYPE_CHECKING:
    from typing import TypedDict

#: The default of a field that is not sent. `None` is sent as `null`.
OMITTED: Any = type("Omitted", (), {"__repr__": lambda _: "OMITTED", "__bool__": lambda _: False})()

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_ERROR_BYTES = 1024 * 1024
#: Far above any frame of an event stream and any line of a log or a memory file.
MAX_LINE_BYTES = 16 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
#: A connection that lasted this long resets the waits, even if it brought only heartbeats.
STABLE_S = 10.0


class OrchdError(Exception):
    """Every error of the clients. Route by `code`: `ERRORS` has the meaning of each."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        details: Optional[Dict[str, Any]] = None,
        retry_after_s: Optional[float] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: The HTTP status. None for an error in a stream and without a response.
        self.status = status
        self.details = details or {}
        #: Seconds to wait before a retry, as the service asked.
        self.retry_after_s = retry_after_s
        #: The orchestrator's id of the call, as in its log.
        self.request_id = request_id

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class ErrorRow(NamedTuple):
    #: The HTTP status. None: only in a stream, or made by the client.
    status: Optional[int]
    meaning: str


class Event(NamedTuple):
    """An event of a turn, of the list of tasks or of the orchestrator."""

    event: str
    data: Dict[str, Any]


class Retry(NamedTuple):
    """What `on_retry` is called with, before the wait."""

    #: A call is sent again, a turn started again, or a lost stream resumed.
    kind: Literal["call", "turn", "stream"]
    error: OrchdError
    #: Failed tries so far. Of a stream, since its last new event.
    tries: int
    wait_s: float


class _Route(NamedTuple):
    method: str
    path: str
    query: Tuple[str, ...] = ()
    headers: Tuple[str, ...] = ()
    #: The fields of the JSON body; `whole`: the argument `body` is the body.
    body: Union[Tuple[str, ...], Literal["whole"], None] = None
    #: The arguments of body fields that are named as a parameter of the path is.
    names: Mapping[str, str] = {}
    #: The type of a body that is no JSON.
    upload: Optional[str] = None
    #: False: not sent again after a lost response, for it may have run.
    repeatable: bool = True
    timeout: Literal["short", "boot", "hour"] = "short"
    #: An argument that asks the service to wait so many seconds, and its default.
    wait: Optional[Tuple[str, float]] = None


class _Request(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: Any
    deadline_s: float
    #: Whether the body can be sent again.
    resendable: bool


OnRetry = Callable[[Retry], None]
OnHuman = Callable[[Dict[str, Any]], Optional[str]]
#: By their names. What a function returns is the output, and what it raises the error that the model sees.
Tools = Mapping[str, Callable[[Dict[str, Any]], Any]]


# --- One call ---------------------------------------------------------------------------------------------------------


def _argument(name: str) -> str:
    """`If-Match` is `if_match`, and `from` is `from_`."""
    name = re.sub(r"[^a-z0-9]", "_", name.lower())
    return f"{name}_" if name in _KEYWORDS else name


_KEYWORDS = frozenset(("from", "in", "class", "try", "global", "import", "is", "not", "or", "and", "as", "async", "await"))


def _segment(name: str, text: Any) -> str:
    """An id as one segment of a path, so that servers and proxies neither split nor resolve it."""
    if not isinstance(text, (str, int)) or text == "":
        raise OrchdError("INVALID_ARGUMENT", f"{name}: expected a non-empty id, got {type(text).__name__}")
    try:
        quoted = urllib.parse.quote(str(text), safe="")
    except UnicodeEncodeError:
        raise OrchdError("INVALID_ARGUMENT", f"{name}: expected an id in valid Unicode") from None
    return quoted.replace(".", "%2E") if quoted.strip(".") == "" else quoted


def _header_value(name: str, value: Any) -> str:
    """A value that cannot be sent would otherwise be in an error, with the secret in it."""
    if not isinstance(value, str) or not re.fullmatch(r"[\x21-\x7e]{1,4096}", value):
        raise OrchdError("INVALID_ARGUMENT", f"{name}: expected visible ASCII characters")
    return value


def _query_value(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


class _Service:
    """What all calls of one client share. Each call has a connection of its own, so threads can share a client."""

    def __init__(
        self,
        url: str,
        headers: Dict[str, str],
        *,
        limits: Limits,
        changes: Optional[Mapping[str, Any]],
        on_retry: Optional[OnRetry],
        ssl_context: Optional[ssl.SSLContext],
        renew_key: Optional[Callable[[str], str]] = None,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OrchdError("INVALID_ARGUMENT", f"url: expected http://... or https://..., got {url!r}")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise OrchdError("INVALID_ARGUMENT", "url: expected no user, query or fragment")
        self.url = url.rstrip("/")
        self.limits = limits._replace(**dict(changes or {}))
        self._parts = parts
        self._prefix = parts.path.rstrip("/")
        self._headers = headers
        self._on_retry = on_retry
        self._ssl = ssl_context
        #: Replaces an engine's key that was refused.
        self._renew_key = renew_key

    def request(self, route: _Route, fields: Mapping[str, Any]) -> _Request:
        given = {name: value for name, value in fields.items() if value is not OMITTED}
        path = re.sub(r"\{(\w+)\}", lambda match: _segment(match[1], given.get(match[1])), route.path)
        query: List[Tuple[str, str]] = []
        for name in route.query:
            value = given.get(_argument(name))
            if isinstance(value, Mapping):
                query.extend((f"{name}.{key}", _query_value(one)) for key, one in value.items())
            elif value is not None:
                query.append((name, _query_value(value)))
        headers = {
            name: _header_value(_argument(name), str(given[_argument(name)]))
            for name in route.headers
            if given.get(_argument(name)) is not None
        }
        body: Any = None
        resendable = True
        if route.upload is not None:
            body, headers["Content-Type"] = given.get("body"), route.upload
            body = body.encode() if isinstance(body, str) else body
            resendable = isinstance(body, (bytes, bytearray, memoryview))
        elif route.body is not None:
            fields_of_body = (
                given.get("body")
                if route.body == "whole"
                else {
                    name: given[argument]
                    for name, argument in ((name, _argument(route.names.get(name, name))) for name in route.body)
                    if argument in given
                }
            )
            body, headers["Content-Type"] = json.dumps(fields_of_body).encode(), "application/json"
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return _Request(route.method, path, headers, body, self._deadline(route, given), resendable)

    def _deadline(self, route: _Route, given: Mapping[str, Any]) -> float:
        short, boot = self.limits.deadline_s, self.limits.engine_deadline_s
        seconds = {"short": short, "boot": boot, "hour": 3600.0}[route.timeout]
        if given.get("auto_provision") is True:
            seconds = boot
        if route.wait is not None:
            seconds += given.get(route.wait[0], route.wait[1]) or 0
        return seconds

    def call(self, route: _Route, fields: Mapping[str, Any], on_retry: Optional[OnRetry] = None) -> Any:
        """One call with a JSON object as its response, retried as its errors allow."""
        if "Idempotency-Key" in route.headers and fields.get("idempotency_key") in (None, OMITTED):
            fields = {**fields, "idempotency_key": secrets.token_hex(16)}
        request = self.request(route, fields)

        def attempt() -> Any:
            with self.open(request, "application/json") as opened:
                return _parse_object(opened.read_text(MAX_BODY_BYTES), opened)

        return self.retried(attempt, on_retry, repeatable=route.repeatable and request.resendable)

    def stream(self, route: _Route, fields: Mapping[str, Any], accept: str) -> _Opened:
        """An open response, without a retry. Only opening it has the call's deadline."""
        opened = self.open(self.request(route, fields), accept)
        if accept not in ("*/*", opened.content_type):
            with opened:
                raise opened.invalid(opened.read_text(MAX_ERROR_BYTES))
        opened.set_silence(self.limits.silence_s)
        return opened

    def open(self, request: _Request, accept: str) -> _Opened:
        sent = self._headers
        try:
            return self._open(request, accept, sent)
        except OrchdError as error:
            if error.code != "INVALID_ENGINE_KEY" or self._renew_key is None:
                raise
            if self._headers is sent:
                self._headers = {"X-Engine-Key": _header_value("key", self._renew_key(sent["X-Engine-Key"]))}
            if not request.resendable:
                raise
        return self._open(request, accept, self._headers)

    def _open(self, request: _Request, accept: str, key: Mapping[str, str]) -> _Opened:
        ends = time.monotonic() + request.deadline_s
        host, port = self._parts.hostname or "", self._parts.port
        connection: http.client.HTTPConnection
        if self._parts.scheme == "https":
            context = self._ssl or ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=request.deadline_s, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=request.deadline_s)
        headers = {"Accept": accept, **key, **request.headers, "Connection": "close"}
        try:
            connection.connect()
            # Kept here, for the connection gives it up with its response.
            sock = connection.sock
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                connection.request(request.method, self._prefix + request.path, body=request.body, headers=headers)
            except (BrokenPipeError, ConnectionResetError):
                # A service may refuse an upload before it was read: its answer says why.
                pass
            sock.settimeout(max(ends - time.monotonic(), 0.001))
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _lost(self.url, error, request.deadline_s) from error
        except BaseException:
            connection.close()
            raise
        opened = _Opened(self.url, connection, sock, response, ends)
        if 200 <= response.status < 300:
            return opened
        with opened:
            raise opened.refusal()

    def retried(
        self, attempt: Callable[[], Any], on_retry: Optional[OnRetry], *, repeatable: bool = True, pause: Optional[_Pause] = None
    ) -> Any:
        tries = 1
        while True:
            try:
                return attempt()
            except OrchdError as error:
                wait_s = _retry_wait(error, tries, repeatable, self.limits)
                if wait_s is None:
                    raise
                self.report(on_retry, Retry("call", error, tries, wait_s))
            (pause or time.sleep)(wait_s)
            tries += 1

    def report(self, on_retry: Optional[OnRetry], retry: Retry) -> None:
        for tell in (on_retry, self._on_retry):
            if tell is not None:
                tell(retry)


_Pause = Callable[[float], Any]


def _lost(url: str, error: BaseException, seconds: Optional[float]) -> OrchdError:
    # `TimeoutError` is its name from Python 3.10 on.
    if isinstance(error, socket.timeout):
        return OrchdError("TIMEOUT", f"{url} sent nothing" + ("" if seconds is None else f" within {seconds:g} s"))
    return OrchdError("UNREACHABLE", f"{url} does not answer ({error or type(error).__name__})")


class _Opened:
    """An open response."""

    def __init__(
        self,
        url: str,
        connection: http.client.HTTPConnection,
        sock: socket.socket,
        response: http.client.HTTPResponse,
        ends: float,
    ) -> None:
        self.url = url
        self.status = response.status
        self.headers = response.headers
        self.content_type = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
        self._connection = connection
        self._sock = sock
        self._response = response
        #: When the call's deadline ends. None: a stream, which may be silent for `_silence_s`.
        self._ends: Optional[float] = ends
        self._silence_s: Optional[float] = None

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def cut(self) -> None:
        """Ends a read of another thread."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def set_silence(self, seconds: Optional[float]) -> None:
        """None: without a limit."""
        self._ends, self._silence_s = None, seconds
        self._set_timeout(seconds)

    def _set_timeout(self, seconds: Optional[float]) -> None:
        try:
            self._sock.settimeout(seconds)
        except OSError as error:
            raise _lost(self.url, error, seconds) from error

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, as they arrive. Empty at the end."""
        if self._response.isclosed():
            # From Python 3.13 on, its socket is closed with the last byte.
            return b""
        if self._ends is not None:
            self._set_timeout(max(self._ends - time.monotonic(), 0.001))
        try:
            return self._response.read1(size)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _lost(self.url, error, self._silence_s) from error

    def read_text(self, limit: int) -> str:
        parts: List[bytes] = []
        length = 0
        while True:
            chunk = self.read(CHUNK_BYTES)
            if not chunk:
                break
            parts.append(chunk)
            length += len(chunk)
            if length > limit:
                raise OrchdError("BAD_ANSWER", f"the response of {self.url} is longer than {limit} bytes", status=self.status)
        self.assert_complete()
        return b"".join(parts).decode("utf-8", "replace")

    def assert_complete(self) -> None:
        """`http.client` reads a body that is shorter than its `Content-Length` as one that has ended."""
        if self._response.length:
            raise OrchdError("UNREACHABLE", f"{self.url} closed the connection before its response was complete")

    def lines(self) -> Iterator[str]:
        """The lines as they arrive. An unterminated last line is dropped."""
        parts: List[bytes] = []
        length = 0
        while True:
            chunk = self.read(CHUNK_BYTES)
            if not chunk:
                return
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                yield b"".join([*parts, line]).decode("utf-8", "replace")
                parts, length = [], 0
            parts.append(rest)
            length += len(rest)
            if length > MAX_LINE_BYTES:
                raise OrchdError("BAD_ANSWER", "the stream has a line of more than 16 MiB")

    def refusal(self) -> OrchdError:
        """The error in the engine's or the orchestrator's form, or `BAD_ANSWER`."""
        try:
            text = self.read_text(MAX_ERROR_BYTES)
        except OrchdError:
            # The status alone makes an error.
            text = ""
        body = _parse_json(text)
        fields = body if isinstance(body, dict) else {}
        # The orchestrator's form has one more level than the engine's.
        nested = fields.get("error")
        if isinstance(nested, str):
            fields, code = fields, nested
        else:
            fields = nested if isinstance(nested, dict) else {}
            code = fields.get("code", "")
        if not isinstance(code, str) or code == "":
            return self.invalid(text)
        details = fields.get("details")
        details = details if isinstance(details, dict) else {}
        asked = _retry_after(details)
        return OrchdError(
            code,
            str(fields.get("message", "refused without a message")),
            status=self.status,
            details=details,
            retry_after_s=self._retry_after_header() if asked is None else asked,
            request_id=self.headers.get("X-Request-Id"),
        )

    def invalid(self, text: str) -> OrchdError:
        """Of proxies, and of other programs that listen at the address."""
        is_redirect = 300 <= self.status < 400
        what = "a redirect" if is_redirect else f"{self.status} with content type {self.content_type or '(none)'}"
        return OrchdError(
            "BAD_ANSWER",
            f"{self.url} answered {what}, which is not an answer of orchd; check the address",
            status=self.status,
            details={"body": text[:200]},
            retry_after_s=self._retry_after_header(),
        )

    def _retry_after_header(self) -> Optional[float]:
        """A number of seconds or an HTTP date."""
        value = (self.headers.get("Retry-After") or "").strip()
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value)
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except (TypeError, ValueError, IndexError):
            return None


def _retry_after(details: Mapping[str, Any]) -> Optional[float]:
    seconds = details.get("retry_after")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    return float(seconds) if seconds >= 0 else None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _parse_object(text: str, opened: _Opened) -> Dict[str, Any]:
    value = _parse_json(text)
    if not isinstance(value, dict):
        raise opened.invalid(text)
    return value


# --- Retries ----------------------------------------------------------------------------------------------------------


def _retry_class(error: OrchdError) -> str:
    of_status = _RETRY_OF_STATUS.get(error.status or 0) if error.code == "BAD_ANSWER" else None
    return _RETRY_OF_CODE.get(error.code) or of_status or "never"


def _retry_wait(error: OrchdError, tries: int, repeatable: bool, limits: Limits) -> Optional[float]:
    """Seconds to wait before the next try; None if there is none. What the service asks for is the minimum."""
    kind = _retry_class(error)
    if kind == "never" or tries > limits.retries:
        return None
    if (kind == "busy" and not limits.retry_busy) or (kind == "lost" and not repeatable) or (kind == "once" and tries > 1):
        return None
    asked = error.retry_after_s
    if asked is not None and asked > limits.longest_wait_s:
        return None
    # Spreads clients that were refused at the same moment.
    jitter = random.random() * min(limits.backoff_s, 1.0)
    return (limits.backoff_s * 2 ** (tries - 1) if asked is None else asked) + jitter


# --- Streams ----------------------------------------------------------------------------------------------------------


class _Reader:
    """One reader of a stream, which another thread may close."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._opened: Optional[_Opened] = None

    @property
    def is_closed(self) -> bool:
        return self._ended.is_set()

    def hold(self, opened: _Opened) -> _Opened:
        self._opened = opened
        if self.is_closed:
            opened.cut()
        return opened

    def pause(self, seconds: float) -> None:
        if self._ended.wait(seconds):
            raise _Closed

    def close(self) -> None:
        self._ended.set()
        if self._opened is not None:
            self._opened.cut()


class _Closed(Exception):
    """The reader has closed its stream."""


#: A frame, or a comment without a type.
_Frame = Tuple[Optional[str], str]


def _frames(opened: _Opened) -> Iterator[_Frame]:
    """The frames of an event stream, and its comments. A frame without data and an unterminated last one are dropped."""
    kind: Optional[str] = None
    data: List[str] = []
    length = 0
    with opened:
        for raw in opened.lines():
            line = raw[:-1] if raw.endswith("\r") else raw
            if line == "":
                if data and kind is not None:
                    yield kind, "\n".join(data)
                kind, data, length = None, [], 0
                continue
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "":
                yield None, value
            elif name == "event":
                kind = value
            elif name == "data":
                data.append(value)
                length += len(value)
                if length > MAX_LINE_BYTES:
                    raise OrchdError("BAD_ANSWER", "the stream has a frame of more than 16 MiB")


def _resumed(
    service: _Service,
    reader: _Reader,
    *,
    open_first: Callable[[], _Opened],
    reopen: Callable[[], _Opened],
    take: Callable[[_Frame], Tuple[Literal["new", "transient", "duplicate", "comment"], Optional[Event]]],
    is_last: Callable[[Event], bool],
    is_over: Callable[[], bool],
    on_retry: Optional[OnRetry],
) -> Iterator[Event]:
    """A stream that reconnects: each event once, until the last one."""
    limits = service.limits
    try:
        opened = reader.hold(service.retried(open_first, on_retry, pause=reader.pause))
        lost = 0
        while True:
            since = time.monotonic()
            reason = OrchdError("CONNECTION_LOST", "the stream ended before its last event")
            try:
                for frame in _frames(opened):
                    kind, event = take(frame)
                    if event is None or kind == "duplicate":
                        continue
                    if kind == "new":
                        lost = 0
                    yield event
                    if is_last(event):
                        return
            except OrchdError as error:
                if reader.is_closed:
                    return
                if _retry_class(error) == "never":
                    raise
                reason = error
            if is_over() or reader.is_closed:
                return
            if time.monotonic() - since > STABLE_S:
                lost = 0
            while True:
                asked = reason.retry_after_s or 0.0
                if lost >= len(limits.reconnect_s) or asked > limits.longest_wait_s:
                    raise OrchdError("CONNECTION_LOST", f"the stream is lost: {reason}") from reason
                wait_s = max(limits.reconnect_s[lost] * (0.75 + random.random() / 2), asked)
                service.report(on_retry, Retry("stream", reason, lost + 1, wait_s))
                reader.pause(wait_s)
                lost += 1
                try:
                    opened = reader.hold(reopen())
                    break
                except OrchdError as error:
                    if _retry_class(error) == "never":
                        raise
                    reason = error
    except _Closed:
        return


def _event_of(frame: _Frame) -> Event:
    kind, text = frame
    value = _parse_json(text)
    if not isinstance(value, dict):
        # Another connection may transfer it intact.
        raise OrchdError("CONNECTION_LOST", f"a {kind} event of the stream is not a JSON object")
    return Event(kind or "", value)


def _ends_turn(event: Event) -> bool:
    """`error` follows a lifecycle of `errored`."""
    return event.event == "error" or (event.event == "thread_lifecycle" and event.data.get("phase") == "completed")


class _Position:
    """A reader's position in the event log of an engine."""

    def __init__(self, task_id: Optional[str], turn_id: Optional[str], after: Union[int, str, None], events: Any) -> None:
        self.task_id = task_id
        self.turn_id = turn_id
        #: The `seq` of the last event read, or the time after which a reader began.
        self.after = after
        self.events = events
        self.is_asleep = False
        #: Whether the events are replayed, so that their requests may have been answered already.
        self.is_replayed = False

    def take(self, frame: _Frame, names_turn: bool) -> Tuple[Any, Optional[Event]]:
        if frame[0] is None:
            self.is_asleep = self.is_asleep or frame[1].startswith("sleeping ")
            return "comment", None
        event = _event_of(frame)
        self.is_asleep = False
        if names_turn and self.turn_id is None and isinstance(event.data.get("turn_id"), str):
            self.turn_id = event.data["turn_id"]
        seq = event.data.get("seq")
        if not isinstance(seq, int):
            return "transient", event
        if isinstance(self.after, int) and seq <= self.after:
            return "duplicate", event
        self.after = seq
        return "new", event

    def replay(self, service: _Service, route: _Route) -> _Opened:
        """The events after the position, and then live. A `seq` goes as `Last-Event-ID`, as an `EventSource` sends it."""
        fields: Dict[str, Any] = {
            "turn_id": self.turn_id,
            "task_id": self.task_id if self.turn_id is None else None,
            "follow": True,
            "events": self.events,
            "last_event_id": str(self.after) if isinstance(self.after, int) else None,
            "after": self.after if isinstance(self.after, str) else None,
        }
        opened = service.stream(route, fields, "text/event-stream")
        # A reader without a position has missed nothing.
        if opened.headers.get("X-Truncated") == "true" and self.after not in (None, 0):
            opened.close()
            oldest = opened.headers.get("X-Oldest-Ts")
            raise OrchdError("EVENTS_TRUNCATED", f"events after {self.after} are no longer stored", details={"oldest_ts": oldest})
        self.is_replayed, self.is_asleep = True, False
        return opened


# --- Turns ------------------------------------------------------------------------------------------------------------


class TurnResult(NamedTuple):
    #: The text of all blocks, separated by blank lines.
    text: str
    thinking: str
    #: The result of a turn with an output schema, which the engine has checked.
    output: Optional[Dict[str, Any]]
    #: Usage of the whole turn. None if no model was called.
    usage: Optional[Dict[str, Any]]
    task_id: str
    turn_id: Optional[str]
    #: The `seq` of the last event: the `after` of the task's next reader.
    last_seq: Optional[int]


class Turn:
    """One turn. It starts when it is first read, and its events can be read once: by `for`, `text`, `output` or `result`.

    Leaving the loop leaves the turn running, unless it was started with `on_disconnect="cancel"`.
    """

    def __init__(
        self,
        engine: EngineClient,
        task_id: str,
        position: _Position,
        events: Callable[[_Reader], Iterator[Event]],
        on_human: Optional[OnHuman],
        tools: Optional[Tools],
    ) -> None:
        self.task_id = task_id
        self._engine = engine
        self._position = position
        self._reader = _Reader()
        self._on_human = on_human
        self._tools = tools or {}
        self._answered: Set[str] = set()
        #: Index, and pieces of text and of thinking. The first one has what is outside of any block.
        self._blocks: List[Tuple[int, List[str], List[str]]] = [(-1, [], [])]
        self._output: Optional[Dict[str, Any]] = None
        self._usage: Optional[Dict[str, Any]] = None
        self._last_seq: Optional[int] = None
        self._failure: Optional[OrchdError] = None
        self._state: Literal["new", "read", "left"] = "new"
        self._events = self._read(events)

    @property
    def turn_id(self) -> Optional[str]:
        """None until the engine has sent it."""
        return self._position.turn_id

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops reading, from any thread. The turn goes on."""
        self._reader.close()

    def cancel(self) -> bool:
        """Cancels the turn in the engine. False if it has ended already."""
        return bool(self._engine.cancel(task_id=self.task_id)["cancelled"])

    def text(self) -> str:
        """The whole answer. A failed turn raises its error."""
        return self.result().text

    def output(self) -> Dict[str, Any]:
        """The result of a turn with an output schema. A failed turn raises its error."""
        output = self.result().output
        if output is None:
            raise OrchdError("NO_OUTPUT", "the turn has no output schema; give `output_schema`, or an agent that has one")
        return output

    def result(self) -> TurnResult:
        """Reads the turn to its end. A failed turn raises its error."""
        for _ in self._events:
            pass
        if self._failure is not None:
            raise self._failure
        if self._state != "read":
            raise OrchdError("STREAM_LEFT", "the turn's events were not read to their end; call `resume` to read them")
        text = "\n\n".join(joined for joined in ("".join(block[1]) for block in self._blocks) if joined)
        thinking = "\n\n".join(joined for joined in ("".join(block[2]) for block in self._blocks) if joined)
        return TurnResult(text, thinking, self._output, self._usage, self.task_id, self.turn_id, self._last_seq)

    def _read(self, events: Callable[[_Reader], Iterator[Event]]) -> Iterator[Event]:
        self._state = "left"
        if self._position.is_replayed and self._tools:
            for call in self._engine.pending_tools()["calls"]:
                if call["turn_id"] == self.turn_id:
                    self._run_tool(dict(call))
        last: Optional[Event] = None
        for event in events(self._reader):
            last = event
            self._collect(event)
            yield event
            # After the yield: the reader sees the question before it is asked to answer it.
            if event.event == "hitl_request":
                self._ask(event.data)
            elif event.event == "tool_call" and event.data.get("runs") == "client":
                self._run_tool(event.data)
        if last is not None and _ends_turn(last):
            self._state = "read"

    def _collect(self, event: Event) -> None:
        data = event.data
        self._last_seq = data["seq"] if isinstance(data.get("seq"), int) else self._last_seq
        if event.event == "content_block_start":
            # After a restart the engine sends an interrupted answer again, which replaces its earlier blocks.
            first = data.get("replaces_from")
            if first is not None:
                self._blocks = [block for block in self._blocks if block[0] < first]
            self._blocks.append((data["block_index"], [], []))
        elif event.event in ("text_delta", "thinking_delta"):
            if not self._blocks:
                self._blocks.append((-1, [], []))
            _, text, thinking = self._blocks[-1]
            (text if event.event == "text_delta" else thinking).append(data["text"])
        elif event.event == "usage":
            self._usage = {name: data.get(name) for name in ("input_tokens", "output_tokens", "cache_hit_tokens")}
        elif event.event == "thread_lifecycle":
            self._output = data.get("output")
        elif event.event == "error":
            self._failure = _error_of(data)

    def _ask(self, request: Dict[str, Any]) -> None:
        request_id = request["request_id"]
        if self._on_human is None or request_id in self._answered:
            return
        self._answered.add(request_id)
        if self._position.is_replayed and all(one["request_id"] != request_id for one in self._engine.pending()["requests"]):
            return
        answer = self._on_human(request)
        if answer is None:
            return
        try:
            self._engine.respond(request_id=request_id, answer=answer)
        except OrchdError as error:
            # Another client answered first, or the turn ended meanwhile: its events tell.
            if error.code != "HITL_ALREADY_ANSWERED":
                raise

    def _run_tool(self, call: Dict[str, Any]) -> None:
        call_id, run = call["tool_call_id"], self._tools.get(call["tool"])
        if run is None or call_id in self._answered:
            return
        self._answered.add(call_id)
        if self._position.is_replayed and all(one["tool_call_id"] != call_id for one in self._engine.pending_tools()["calls"]):
            return
        try:
            output = json.loads(json.dumps(run(call["input"])))
        except Exception as error:  # What a tool raises is for the model.
            self._answer_tool(call_id, error=(str(error) or type(error).__name__)[:100_000])
            return
        try:
            self._answer_tool(call_id, output=output)
        except OrchdError as error:
            # Refused by the tool's output schema or for its size: the model can call again.
            if error.code not in ("INVALID_REQUEST", "PAYLOAD_TOO_LARGE"):
                raise
            self._answer_tool(call_id, error=f"the client's output was refused: {error.message}")

    def _answer_tool(self, call_id: str, *, output: Any = OMITTED, error: Any = OMITTED) -> None:
        try:
            self._engine.respond_tool(tool_call_id=call_id, output=output, error=error)
        except OrchdError as refused:
            # The call expired, its turn ended, or another client answered: its result tells.
            if refused.code != "TOOL_ALREADY_ANSWERED":
                raise


def _error_of(data: Mapping[str, Any]) -> OrchdError:
    details = data.get("details") or {}
    return OrchdError(data["error"], data["message"], details=details, retry_after_s=_retry_after(details))


class Download:
    """An open body: read it to its end, or close it. `with` closes it."""

    def __init__(self, opened: _Opened) -> None:
        #: `Content-Length`, `ETag`, `Content-Type`. An archive is made as it is read and has neither of the first two.
        self.headers = opened.headers
        self.status = opened.status
        self._opened = opened

    def __enter__(self) -> Download:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        with self._opened:
            while True:
                chunk = self._opened.read(CHUNK_BYTES)
                if not chunk:
                    break
                yield chunk
            self._opened.assert_complete()

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self)

    def lines(self) -> Iterator[str]:
        """The lines of a text as they arrive. An unterminated last line is dropped."""
        with self._opened:
            yield from self._opened.lines()

    def close(self) -> None:
        self._opened.close()


def every(page: Callable[..., Mapping[str, Any]], *arguments: Any, **fields: Any) -> Iterator[Any]:
    """Every item of a list, whose pages are read as they are needed: `every(engine.list_tasks, q="lemons")`."""
    cursor = None
    while True:
        answer = page(*arguments, **fields, **({} if cursor is None else {"cursor": cursor}))
        yield from next(value for value in answer.values() if isinstance(value, list))
        cursor = answer["next_cursor"]
        if cursor is None:
            return


class _Client:
    def __init__(self, service: _Service) -> None:
        self._service = service

    @property
    def url(self) -> str:
        return self._service.url

    def _call(self, route: _Route, fields: Mapping[str, Any]) -> Any:
        return self._service.call(route, fields)

    def _execute(
        self,
        route: _Route,
        fields: Dict[str, Any],
        on_human: Optional[OnHuman],
        tools: Optional[Tools],
        on_retry: Optional[OnRetry],
    ) -> Turn:
        raise NotImplementedError

    def _download(self, route: _Route, fields: Mapping[str, Any]) -> Download:
        opened = self._service.retried(lambda: self._service.stream(route, fields, "*/*"), None)
        if fields.get("follow") is True:
            # A followed log may stay silent.
            opened.set_silence(None)
        return Download(opened)


# <generated>
# Written by "npm run generate" from src/contract.

__version__ = "0.1.0"

class Limits(NamedTuple):
    """How long and how often a client tries, as in docs/client.md."""

    retries: int = 5
    backoff_s: float = 1
    longest_wait_s: float = 300
    retry_busy: bool = True
    deadline_s: float = 30
    engine_deadline_s: float = 600
    silence_s: float = 45
    reconnect_s: Tuple[float, ...] = (0.2, 1, 2, 4, 8, 8, 8, 8, 8, 8)


#: Streams of the orchestrator are reopened for five minutes: long enough for an upgrade of the daemon.
HOST_LIMITS = Limits(reconnect_s=(0.2, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8))


#: Each code with its meaning. A later service may have others.
ERRORS: Dict[str, ErrorRow] = {
    "INVALID_REQUEST": ErrorRow(400, "Malformed JSON, a missing field or an invalid value."),
    "INVALID_PLATFORM_KEY": ErrorRow(401, "`X-Platform-Key` missing or unknown."),
    "INVALID_ADMIN_KEY": ErrorRow(401, "Admin call without or with a wrong `X-Admin-Key`."),
    "INVALID_SIGNATURE": ErrorRow(401, "Unknown webhook, or a wrong signature, timestamp or id of its message."),
    "INVALID_SESSION": ErrorRow(401, "The session of the cookie is unknown or has ended."),
    "INVALID_LINK": ErrorRow(401, "A one-time link that is unknown, used, or older than a minute."),
    "INSUFFICIENT_ROLE": ErrorRow(403, "The role of the console's session does not allow the call. Only the daemon's gateway answers so."),
    "POLICY_DENIED": ErrorRow(403, "The product is suspended: no turn starts, no question is answered, and a sleeping engine is not woken. Or its policy does not allow the model of the turn."),
    "NOT_FOUND": ErrorRow(404, "Unknown route, or an unknown task, turn, tool call, agent or file."),
    "PRODUCT_NOT_FOUND": ErrorRow(404, "No product with this slug or id."),
    "ENGINE_NOT_FOUND": ErrorRow(404, "No engine for this `user_id`."),
    "PLAN_NOT_FOUND": ErrorRow(404, "The product has no plan with this name."),
    "SESSION_NOT_FOUND": ErrorRow(404, "No open session with this id."),
    "QUESTION_NOT_FOUND": ErrorRow(404, "The engine never had a question with this id."),
    "SCHEDULE_NOT_FOUND": ErrorRow(404, "The engine has no schedule with this id."),
    "CONNECTION_NOT_FOUND": ErrorRow(404, "The user is not signed in to a tool server of this name; for a new login: the catalog has none with `login`."),
    "ENDPOINT_NOT_FOUND": ErrorRow(404, "The product has no notification endpoint with this id."),
    "SECRET_NOT_FOUND": ErrorRow(404, "The product or the user has no secret with this name."),
    "WEBHOOK_NOT_FOUND": ErrorRow(404, "The engine has no webhook with this id."),
    "CATALOG_VERSION_NOT_FOUND": ErrorRow(404, "The product's catalog has no such version, or it is no longer stored."),
    "KNOWLEDGE_DOCUMENT_NOT_FOUND": ErrorRow(404, "The product's knowledge has no document with this path."),
    "METHOD_NOT_ALLOWED": ErrorRow(405, "The route exists, but not with this method."),
    "PRODUCT_ALREADY_EXISTS": ErrorRow(409, "The slug is taken, or the product still has engines."),
    "PLAN_IN_USE": ErrorRow(409, "Engines have the plan that is to be deleted; `replace_by` gives them another one."),
    "ENGINE_ALREADY_EXISTS": ErrorRow(409, "Provision against an existing engine."),
    "ENGINE_ALREADY_RUNNING": ErrorRow(409, "Start on a running engine."),
    "ENGINE_NOT_RUNNING": ErrorRow(503, "The engine is stopped or has failed. Only the daemon's gateway answers so."),
    "QUESTION_ANSWERED": ErrorRow(409, "The question has another answer, or its turn has ended."),
    "ENGINE_BUSY": ErrorRow(409, "The engine has work and cannot sleep; `details.awake` names it."),
    "OPERATION_IN_PROGRESS": ErrorRow(409, "Another operation on this engine is running."),
    "IDEMPOTENCY_CONFLICT": ErrorRow(409, "The `Idempotency-Key` or the `message_id` was used with another body."),
    "CATALOG_CHANGED": ErrorRow(412, "`If-Match` names another version than the catalog's current one."),
    "PAYLOAD_TOO_LARGE": ErrorRow(413, "The body is larger than its route accepts, or files exceed the policy, the disk quota or what an archive may have."),
    "CATALOG_INVALID": ErrorRow(422, "The catalog could not be loaded; the old one stays."),
    "KNOWLEDGE_DOCUMENT_INVALID": ErrorRow(422, "The document cannot be read: `message` says why, such as a damaged PDF file or one without text."),
    "QUOTA_EXCEEDED": ErrorRow(429, "The product is at its `max_engines`, or at the limits of its knowledge."),
    "RATE_LIMITED": ErrorRow(429, "The policy's `user_requests_per_minute` are used up, or `user_concurrent_turns` run. Only the daemon's `/me` answers so."),
    "INTERNAL_ERROR": ErrorRow(500, "Unexpected server fault."),
    "BACKEND_ERROR": ErrorRow(502, "The engine's process failed or could not be started."),
    "LEADER_LOST": ErrorRow(502, "The leader ended while it handled the call, which may have run."),
    "PORT_EXHAUSTION": ErrorRow(503, "No free port between `ORCH_PORT_MIN` and `ORCH_PORT_MAX`."),
    "SERVICE_UNAVAILABLE": ErrorRow(503, "Too many request bodies are being received at once."),
    "CAPACITY_EXHAUSTED": ErrorRow(503, "The host is full or carries as many engines awake as it can, a failed boot delays the next one, or too many event or log streams are open."),
    "BOOT_TIMEOUT": ErrorRow(504, "The engine was not healthy within `ORCH_BOOT_TIMEOUT_S`, or a `wait` reached its `timeout_s`."),
    "INVALID_ENGINE_KEY": ErrorRow(401, "`X-Engine-Key` missing or wrong, or the console's session has ended."),
    "INVALID_TOKEN": ErrorRow(401, "The token of an end user is missing, wrong, revoked or over. Only the daemon's `/me` answers so."),
    "INSUFFICIENT_SCOPE": ErrorRow(403, "The token does not permit this call: `details.scope` names what it needs. Only the daemon's `/me` answers so."),
    "ORIGIN_NOT_ALLOWED": ErrorRow(403, "The policy's `allowed_origins` does not list the page's origin. Only the daemon's `/me` answers so."),
    "HITL_NOT_FOUND": ErrorRow(404, "No human-in-the-loop request with this `request_id`."),
    "TASK_BUSY": ErrorRow(409, "The task has a turn in flight, which `details.turn_id` names, or it is being rewound."),
    "TASK_EXISTS": ErrorRow(409, "There is a task with this `task_id`."),
    "FILES_CHANGED": ErrorRow(409, "Something else has changed files that a rewind would restore; `details.paths` names the first of them. `force` restores them."),
    "FILE_EXISTS": ErrorRow(409, "There is a file or folder at the new path, or the folder to remove is not empty."),
    "HITL_ALREADY_ANSWERED": ErrorRow(409, "The request has another answer, or its turn has ended."),
    "TOOL_ALREADY_ANSWERED": ErrorRow(409, "The call has another answer, or it waits no longer: it expired, or its turn has ended."),
    "SKILL_ALREADY_DECIDED": ErrorRow(409, "The skill draft was decided otherwise."),
    "MESSAGE_TAKEN": ErrorRow(409, "A turn has taken the message; `details.turn_id` names it."),
    "MESSAGE_REMOVED": ErrorRow(409, "The message was removed before a turn took it. Also the last event of a stream that waited for it."),
    "LC_RUNNING": ErrorRow(409, "A learning batch is running."),
    "MEMORY_BUSY": ErrorRow(409, "The memory is being imported or erased."),
    "PRECONDITION_FAILED": ErrorRow(412, "The file is not as `If-Match` or `If-None-Match` demand; `details.etag` has its `ETag`, or `null` without one."),
    "RANGE_NOT_SATISFIABLE": ErrorRow(416, "`Range` begins after the end of the file."),
    "CORE_SOUL_INVALID": ErrorRow(422, "The core soul could not be loaded; the old one stays."),
    "LLM_RATE_LIMITED": ErrorRow(429, "The model provider limits the engine's rate. `details.retry_after` has the seconds to wait, if the provider named them."),
    "BUDGET_EXCEEDED": ErrorRow(429, "A budget of the product's policy is spent: `details.budget` names it, `details.resets_at` says until when. The task continues with a message after that."),
    "INBOX_FULL": ErrorRow(429, "100 messages wait in the task's inbox already."),
    "TOO_MANY_READERS": ErrorRow(429, "16 readers already follow the task or all tasks. The turn continues, and replay has its events."),
    "LLM_PROVIDER_ERROR": ErrorRow(502, "The model provider returned a failure."),
    "SLEEPING_BUSY": ErrorRow(503, "The engine sleeps and the host cannot wake it now. Repeat the call after the seconds of `Retry-After`."),
    "ENGINE_DRAINING": ErrorRow(503, "The engine finishes its turns and accepts no new ones."),
    "CANCELLED": ErrorRow(None, "The turn was cancelled by a call, or its client disconnected."),
    "CHANNEL_EXPIRED": ErrorRow(None, "The turn made no progress for 900 s."),
    "STEP_LIMIT": ErrorRow(None, "The turn reached its limit of model calls."),
    "LOOP_DETECTED": ErrorRow(None, "The model made the same tool call five times and got the same result."),
    "OUTPUT_INVALID": ErrorRow(None, "The model gave no result that matches the output schema, after two repairs. Its texts are kept."),
    "COMPACTION_FAILED": ErrorRow(None, "The conversation could not be compacted enough for the context window."),
    "ENGINE_RESTARTED": ErrorRow(None, "The engine restarted during the turn and could not continue it."),
    "INVALID_ARGUMENT": ErrorRow(None, "A key, a URL or an ID cannot be sent."),
    "UNREACHABLE": ErrorRow(None, "The connection failed or was lost before the response was complete."),
    "TIMEOUT": ErrorRow(None, "No response arrived in time."),
    "CONNECTION_LOST": ErrorRow(None, "A stream was lost and could not be resumed. A turn may continue without its reader."),
    "EVENTS_TRUNCATED": ErrorRow(None, "Events after the last one read are no longer stored."),
    "BAD_ANSWER": ErrorRow(None, "The response is not one of orchd: a proxy's page, a redirect or damaged data."),
    "STREAM_LEFT": ErrorRow(None, "`result()` was called, but the turn's events were not read to the end."),
    "NO_TOKEN": ErrorRow(None, "`getToken` of a user's client failed or returned no token."),
    "NO_OUTPUT": ErrorRow(None, "`output()` was called, but the turn has no output schema."),
}

_RETRY_OF_CODE: Dict[str, str] = {"LLM_RATE_LIMITED":"later","RATE_LIMITED":"later","ENGINE_DRAINING":"later","SLEEPING_BUSY":"later","SERVICE_UNAVAILABLE":"later","CAPACITY_EXHAUSTED":"later","OPERATION_IN_PROGRESS":"later","TOO_MANY_READERS":"later","NO_TOKEN":"later","TASK_BUSY":"busy","BACKEND_ERROR":"once","LLM_PROVIDER_ERROR":"once","UNREACHABLE":"lost","TIMEOUT":"lost","CONNECTION_LOST":"lost","LEADER_LOST":"lost"}
_RETRY_OF_STATUS: Dict[int, str] = {429: "later", 502: "lost", 503: "later", 504: "lost"}


if TYPE_CHECKING:
    class _AllowToolsRequest(TypedDict):
        #: The name of the tool server.
        server: str


    class AllowToolsRequest(_AllowToolsRequest, total=False):
        #: The server's name of the tool, together with `definition`. All held tools of the server when omitted.
        tool: str
        #: The hash of the definition to allow, as `GET /assets/servers` lists it. A tool that has changed again is refused.
        definition: str


    class AnswerQuestionRequest(TypedDict):
        #: One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`.
        answer: str


    class Artifact(TypedDict):
        """A version of a file that the agent has published."""

        #: The version's id.
        artifact_id: str
        #: The task.
        task_id: str
        #: The turn that published it.
        turn_id: str
        #: The path in the workspace.
        path: str
        #: What the agent calls it.
        title: str
        #: Counts what the task has published under this path, from 1.
        version: int
        #: The size.
        bytes: int
        #: SHA-256 of the content. In quotes, it is the `ETag`.
        digest: str
        #: The type, by the name of the file.
        media_type: str
        #: When it was published.
        created_at: str
        #: Whether this version can still be read: old ones are removed when the room for earlier contents is used up.
        kept: bool


    class ArtifactList(TypedDict):
        """What the agent has published in a task."""

        #: The newest first.
        items: List[Artifact]


    AttachmentKind = Literal["image", "pdf", "audio", "text", "other"]


    class _AttachmentPart(TypedDict):
        #: `image`: refused unless the bytes are a PNG, JPEG, GIF or WebP. `file`: any type, images included.
        type: Literal["image", "file"]


    class AttachmentPart(_AttachmentPart, total=False):
        """A file of a message, as `data` or by its `path`."""

        #: The bytes in base64. Either this or `path`.
        data: str
        #: A file that is already in the engine's workspace. Either this or `data`.
        path: str
        #: The name that the model is shown.
        name: str
        #: The type that the sender declares. The bytes decide; it only tells apart what they do not, such as CSV and Markdown.
        media_type: str


    class _AttachmentRecord(TypedDict):
        #: Detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note.
        kind: AttachmentKind
        #: The original name without path, control characters and markup.
        name: str
        #: The type of the bytes.
        media_type: str
        #: The size of the file.
        bytes: int
        #: SHA-256 of the bytes in lower-case hex.
        digest: str
        #: Its path in the engine's workspace.
        path: str


    class AttachmentRecord(_AttachmentRecord, total=False):
        """A file that a message or a tool result refers to. Its bytes are in the workspace, and nowhere else."""

        #: The type that the sender declared, if the bytes have another one.
        claimed_media_type: str
        #: Of an image: pixels.
        width: int
        #: Of an image: pixels.
        height: int


    BlockType = Literal["text", "thinking", "tool_use"]


    class _Cancelled(TypedDict):
        #: `false` when the task has no turn.
        cancelled: bool


    class Cancelled(_Cancelled, total=False):
        """Whether a turn was cancelled."""

        #: Only with `inbox`: how many waiting messages were removed.
        removed: int


    class _CancelRequest(TypedDict):
        #: The task whose turn is to end.
        task_id: str


    class CancelRequest(_CancelRequest, total=False):
        #: `true` also removes the messages that wait in the task's inbox. `false` when omitted.
        inbox: bool


    class CatalogChanges(TypedDict):
        """The paths that differ from the version that was current."""

        #: Files that only the new version has.
        added: List[str]
        #: Files with another content or mode.
        changed: List[str]
        #: Files that only the version before has.
        removed: List[str]


    class CatalogEntry(TypedDict):
        """An agent, a skill or a declared tool."""

        #: The name.
        name: str
        #: What the model reads about it.
        description: str


    class _CatalogFault(TypedDict):
        #: The path below the catalog's folder, or `(archive)`.
        path: str
        #: What is wrong.
        message: str


    class CatalogFault(_CatalogFault, total=False):
        """A fault in a catalog, or a possible mistake."""

        #: The line in the file. Left out if it concerns the whole file.
        line: int


    class CatalogFile(TypedDict):
        """A file of a product's catalog."""

        #: The path below the catalog's folder.
        path: str
        #: The file's size.
        bytes: int
        #: The SHA-256 of its content in hex.
        sha256: str
        #: Whether it has the mode of an executable file.
        executable: bool


    class CatalogHistory(TypedDict):
        """The versions of a product's catalog that are stored."""

        #: The newest first.
        versions: List[CatalogVersion]


    class _CatalogPushed(TypedDict):
        #: The versions count from 1. 0 is the one before the first push, without a file.
        version: int
        #: SHA-256 over the files in hex: the same files have the same digest. `null` without a file.
        digest: Optional[str]
        #: The size of all files, unpacked.
        bytes: int
        #: The version whose files a rollback restored. `null` for a push.
        restored_from: Optional[int]
        #: When it was pushed or restored. `null` for version 0.
        created_at: Optional[str]
        #: Who did that: a call of the product or of an operator. `null` for version 0.
        actor: Optional[Literal["product", "admin", "orchd"]]
        #: The number of its files.
        files: int
        #: `false` if the current version has the same files already.
        is_new: bool
        #: The paths that differ from the version that was current.
        changes: CatalogChanges
        #: Possible mistakes in the files.
        warnings: List[CatalogFault]
        #: The reloads of the running engines. `null` for a dry run.
        engines: Optional[CatalogRollout]


    class CatalogPushed(_CatalogPushed, total=False):
        """What a push or a rollback did."""

        #: The rule that decides the call of `try`. `null` if none does, left out without `try`.
        tried: Optional[TriedRule]


    class CatalogReloaded(TypedDict):
        """A catalog that was reloaded. A refusal has the `errors` in its `details`."""

        #: The number of agents.
        agents: int
        #: The number of skills.
        skills: int
        #: The number of declared tools.
        tools: int
        #: The number of tool servers.
        servers: int
        #: Always empty.
        errors: List[CatalogRemark]
        #: What was loaded although it may be a mistake.
        warnings: List[CatalogRemark]


    class _CatalogRemark(TypedDict):
        #: The file, in the engine's catalog folder, or `(product) …` in the product's.
        path: str
        #: The problem, for the author of the entry.
        message: str


    class CatalogRemark(_CatalogRemark, total=False):
        """A remark about an entry of the catalog."""

        #: The line in which the problem starts. Omitted if it concerns the whole file.
        line: int


    class CatalogRollout(TypedDict):
        """The reloads of the product's running engines. Sleeping and stopped engines use the version from their next start."""

        #: Engines that run.
        running: int
        #: Engines of them that use the version now.
        reloaded: int
        #: At most 20 of the other engines. Their reload is retried.
        failed: List[CatalogRolloutFailed]


    class CatalogRolloutFailed(TypedDict):
        #: The product's id of the user.
        user_id: str
        #: Why its engine does not use the version.
        reason: str


    class CatalogShown(TypedDict):
        """The catalog in use, and what a reload would find."""

        #: The agents in use.
        agents: List[CatalogEntry]
        #: The skills in use.
        skills: List[CatalogEntry]
        #: The declared tools in use.
        tools: List[CatalogEntry]
        #: Why a reload would be refused. Empty when it would not.
        errors: List[CatalogRemark]
        #: What a reload would load although it may be a mistake.
        warnings: List[CatalogRemark]


    class CatalogVersion(TypedDict):
        """A version of a product's catalog."""

        #: The versions count from 1. 0 is the one before the first push, without a file.
        version: int
        #: SHA-256 over the files in hex: the same files have the same digest. `null` without a file.
        digest: Optional[str]
        #: The size of all files, unpacked.
        bytes: int
        #: The version whose files a rollback restored. `null` for a push.
        restored_from: Optional[int]
        #: When it was pushed or restored. `null` for version 0.
        created_at: Optional[str]
        #: Who did that: a call of the product or of an operator. `null` for version 0.
        actor: Optional[Literal["product", "admin", "orchd"]]
        #: The number of its files.
        files: int


    class ChangeEndpointRequest(TypedDict, total=False):
        #: Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`.
        url: str
        #: The events that are sent.
        events: List[Literal["product.registered", "product.policy_changed", "product.plan_changed", "product.plan_deleted", "product.key_rotated", "product.hook_secret_rotated", "product.deleted", "catalog.pushed", "catalog.rolled_back", "knowledge.changed", "engine.provisioned", "engine.starting", "engine.running", "engine.unhealthy", "engine.crashed", "engine.restarting", "engine.gave_up", "engine.stopping", "engine.stopped", "engine.slept", "engine.woke", "engine.adopted", "engine.key_rotated", "engine.plan_changed", "engine.policy_changed", "engine.destroyed", "engine.leaked", "budget.warned", "budget.spent", "secret.misused", "schedule.created", "schedule.changed", "schedule.deleted", "schedule.ran", "schedule.failed", "schedule.missed", "turn.completed", "turn.failed", "turn.cancelled", "task.titled", "turn.waiting", "secret.connected", "secret.disconnected", "secret.needs_login"]]
        #: `false` pauses it: messages wait.
        enabled: bool


    class ChangeEngineRequest(TypedDict, total=False):
        #: The name of one of the product's plans. `null`: none. Left out, it stays as it is.
        plan: Optional[str]
        #: Replaces the object that `provision` stored.
        metadata: Dict[str, Any]


    class ChangeScheduleRequest(TypedDict, total=False):
        #: 1 to 100 bytes, unique among the schedules of an engine.
        name: str
        #: When it runs.
        timing: Union[ChangeScheduleRequestTiming1, ChangeScheduleRequestTiming2, ChangeScheduleRequestTiming3]
        #: What the engine gets: 1 byte to 32 KiB of UTF-8.
        message: str
        #: The conversation of every run. Without it each run has a conversation of its own, named by the run's id.
        task_id: Optional[str]
        #: The agent that answers. Left out: the default one.
        agent: Optional[str]
        #: The model, which the policy's `allowed_models` must allow now and at each run. Left out: the agent's.
        model: Optional[str]
        #: How much the model reasons, if it has this option. Left out: the agent's.
        effort: Optional[Literal["low", "medium", "high"]]
        #: `false` pauses it. Default: `true`.
        enabled: bool
        #: What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`. Default: `skip`.
        missed: MissedPolicy
        #: The most missed runs that `run_all` catches up. Default: 10.
        missed_limit: int
        #: Each run is later by a part of so many seconds. The part follows from the schedule's id, so that schedules of one time spread out. Default: 0.
        spread_s: int
        #: A time in ISO 8601 with its offset. No run is due from then on. Default: no end.
        ends_at: Optional[str]


    class ChangeScheduleRequestTiming1(TypedDict):
        #: Once.
        kind: Literal["at"]
        #: A time in ISO 8601 with its offset.
        at: str


    class _ChangeScheduleRequestTiming2(TypedDict):
        #: By a cron expression in a time zone.
        kind: Literal["cron"]
        #: Minute, hour, day of month, month, day of week; with six fields the second comes first. Or a name such as `@daily`.
        cron: str


    class ChangeScheduleRequestTiming2(_ChangeScheduleRequestTiming2, total=False):
        #: A time zone of the IANA database.
        time_zone: str


    class _ChangeScheduleRequestTiming3(TypedDict):
        #: Every so many seconds from an anchor.
        kind: Literal["every"]
        #: The seconds between two runs.
        every_s: int


    class ChangeScheduleRequestTiming3(_ChangeScheduleRequestTiming3, total=False):
        #: The time from which they are counted. Left out: the time of the call.
        anchor_at: str


    class ChangeTaskRequest(TypedDict, total=False):
        """Changes of a task. Fields left out stay."""

        #: 1 to 200 characters. From now on no model changes it.
        title: str
        #: `true` takes it from lists, `false` puts it back.
        archived: bool
        #: Strings to set, by their keys; `null` removes a key. At most 50 keys of 64 characters, with values of 1000.
        metadata: Dict[str, Optional[str]]
        #: Replaces the defaults of its messages. `{}` removes them.
        defaults: TaskDefaults


    class ChangeWebhookRequest(TypedDict, total=False):
        #: 1 to 100 bytes, unique among the webhooks of an engine.
        name: str
        #: The message of the turn: 1 byte to 8 KiB of UTF-8. `{{payload}}` is what was sent.
        template: str
        #: The conversation of every run. Without it each run has a conversation of its own, named by the run's id.
        task_id: Optional[str]
        #: The agent that answers. Left out: the default one.
        agent: Optional[str]
        #: The model, which the policy's `allowed_models` must allow now and at each run. Left out: the agent's.
        model: Optional[str]
        #: How much the model reasons, if it has this option. Left out: the agent's.
        effort: Optional[Literal["low", "medium", "high"]]
        #: `false` refuses messages with 403. Default: `true`.
        enabled: bool
        #: Messages beyond it get 429 with `Retry-After`. Default: 60.
        requests_per_minute: int


    class Connection(TypedDict):
        """A user's login at a tool server."""

        #: The tool server's name in the catalog.
        server: str
        #: Its address, the only one that gets the tokens.
        url: str
        #: `needs_login`: the tokens cannot be renewed, and the user is asked at the next use.
        state: Literal["connected", "needs_login"]
        #: The authorization server.
        issuer: str
        #: What the user has permitted.
        scopes: List[str]
        #: When the user signed in.
        connected_at: str
        #: When the access token ends; it is renewed before. `null` when the server does not say.
        expires_at: Optional[str]
        #: Its last use, to the minute. `null` before the first.
        last_used_at: Optional[str]


    class Connections(TypedDict):
        """A user's logins at tool servers."""

        #: The connections, by the names of their servers.
        data: List[Connection]


    class _ContextItem(TypedDict):
        #: What it is, in 1 to 64 characters.
        name: str
        #: Its text. Empty with `ttl` `task`: the item of this name is valid no longer.
        content: str


    class ContextItem(_ContextItem, total=False):
        """What goes with a message and is not the user's words."""

        #: `turn`: valid for this message. `task`: until an item of this name replaces it. `turn` when omitted.
        ttl: Literal["turn", "task"]


    class ContextParts(TypedDict):
        """Tokens by part. They add up to the reported input, or are estimates without a report."""

        #: The system prompt.
        system: int
        #: The definitions of the tools.
        tools: int
        #: Memories shown with this and earlier messages.
        recalled: int
        #: Context that callers gave with this and earlier messages.
        context: int
        #: Messages and answers of earlier turns, or the summary that replaced them.
        history: int
        #: The turn's message.
        message: int
        #: The turn's own answers and tool results so far.
        steps: int
        #: Images and other files.
        attachments: int


    class CoreSoulReloaded(TypedDict):
        """A core soul that was reloaded."""

        #: SHA-256 of the template, which `GET /health` returns as `core_soul_hash`.
        hash: str
        #: The length of the template.
        bytes: int


    class CorrectProfileLineRequest(TypedDict):
        #: What the line says from now on: 1 to 200 characters, one line.
        text: str


    class _CreateEndpointRequest(TypedDict):
        #: Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`.
        url: str
        #: The events that are sent.
        events: List[Literal["product.registered", "product.policy_changed", "product.plan_changed", "product.plan_deleted", "product.key_rotated", "product.hook_secret_rotated", "product.deleted", "catalog.pushed", "catalog.rolled_back", "knowledge.changed", "engine.provisioned", "engine.starting", "engine.running", "engine.unhealthy", "engine.crashed", "engine.restarting", "engine.gave_up", "engine.stopping", "engine.stopped", "engine.slept", "engine.woke", "engine.adopted", "engine.key_rotated", "engine.plan_changed", "engine.policy_changed", "engine.destroyed", "engine.leaked", "budget.warned", "budget.spent", "secret.misused", "schedule.created", "schedule.changed", "schedule.deleted", "schedule.ran", "schedule.failed", "schedule.missed", "turn.completed", "turn.failed", "turn.cancelled", "task.titled", "turn.waiting", "secret.connected", "secret.disconnected", "secret.needs_login"]]


    class CreateEndpointRequest(_CreateEndpointRequest, total=False):
        #: The secret that signs messages. Made when omitted.
        secret: str


    class _CreateScheduleRequest(TypedDict):
        #: 1 to 100 bytes, unique among the schedules of an engine.
        name: str
        #: When it runs.
        timing: Union[CreateScheduleRequestTiming1, CreateScheduleRequestTiming2, CreateScheduleRequestTiming3]
        #: What the engine gets: 1 byte to 32 KiB of UTF-8.
        message: str


    class CreateScheduleRequest(_CreateScheduleRequest, total=False):
        #: The conversation of every run. Without it each run has a conversation of its own, named by the run's id.
        task_id: Optional[str]
        #: The agent that answers. Left out: the default one.
        agent: Optional[str]
        #: The model, which the policy's `allowed_models` must allow now and at each run. Left out: the agent's.
        model: Optional[str]
        #: How much the model reasons, if it has this option. Left out: the agent's.
        effort: Optional[Literal["low", "medium", "high"]]
        #: `false` pauses it. Default: `true`.
        enabled: bool
        #: What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`. Default: `skip`.
        missed: MissedPolicy
        #: The most missed runs that `run_all` catches up. Default: 10.
        missed_limit: int
        #: Each run is later by a part of so many seconds. The part follows from the schedule's id, so that schedules of one time spread out. Default: 0.
        spread_s: int
        #: A time in ISO 8601 with its offset. No run is due from then on. Default: no end.
        ends_at: Optional[str]


    class CreateScheduleRequestTiming1(TypedDict):
        #: Once.
        kind: Literal["at"]
        #: A time in ISO 8601 with its offset.
        at: str


    class _CreateScheduleRequestTiming2(TypedDict):
        #: By a cron expression in a time zone.
        kind: Literal["cron"]
        #: Minute, hour, day of month, month, day of week; with six fields the second comes first. Or a name such as `@daily`.
        cron: str


    class CreateScheduleRequestTiming2(_CreateScheduleRequestTiming2, total=False):
        #: A time zone of the IANA database.
        time_zone: str


    class _CreateScheduleRequestTiming3(TypedDict):
        #: Every so many seconds from an anchor.
        kind: Literal["every"]
        #: The seconds between two runs.
        every_s: int


    class CreateScheduleRequestTiming3(_CreateScheduleRequestTiming3, total=False):
        #: The time from which they are counted. Left out: the time of the call.
        anchor_at: str


    class CreateTaskRequest(TypedDict, total=False):
        """A task before its first message."""

        #: 1 to 256 bytes. A new one when omitted.
        task_id: str
        #: 1 to 200 characters. The first words of its first message when omitted.
        title: str
        #: Strings of the product's own, by their keys. At most 50 keys of 64 characters, with values of 1000.
        metadata: Dict[str, str]
        #: What its messages have that do not say it themselves.
        defaults: TaskDefaults


    class CreateUserTokenRequest(TypedDict, total=False):
        #: Seconds until it ends. 900 when omitted.
        ttl_s: int
        #: What it permits, separated by spaces.
        scope: str
        #: The only tasks that it reaches, `{ids}` or `{prefix}`, in at most 1 KiB. All when omitted.
        tasks: CreateUserTokenRequestTasks
        #: An object that the audit log keeps with the token's id, at most 1 KiB.
        metadata: Dict[str, Any]


    class CreateUserTokenRequestTasks(TypedDict, total=False):
        """The only tasks that it reaches, `{ids}` or `{prefix}`, in at most 1 KiB. All when omitted."""

        #: These tasks.
        ids: List[str]
        #: Tasks whose id begins with this.
        prefix: str


    class _CreateWebhookRequest(TypedDict):
        #: 1 to 100 bytes, unique among the webhooks of an engine.
        name: str
        #: The message of the turn: 1 byte to 8 KiB of UTF-8. `{{payload}}` is what was sent.
        template: str


    class CreateWebhookRequest(_CreateWebhookRequest, total=False):
        #: The conversation of every run. Without it each run has a conversation of its own, named by the run's id.
        task_id: Optional[str]
        #: The agent that answers. Left out: the default one.
        agent: Optional[str]
        #: The model, which the policy's `allowed_models` must allow now and at each run. Left out: the agent's.
        model: Optional[str]
        #: How much the model reasons, if it has this option. Left out: the agent's.
        effort: Optional[Literal["low", "medium", "high"]]
        #: `false` refuses messages with 403. Default: `true`.
        enabled: bool
        #: Messages beyond it get 429 with `Retry-After`. Default: 60.
        requests_per_minute: int


    class DecideSkillRequest(TypedDict):
        #: The id of the draft.
        id: str
        #: `allow` adds the skill to the engine's catalog. `refuse` rejects it for good.
        decision: Literal["allow", "refuse"]


    class Disconnected(TypedDict):
        """A connection that was deleted."""

        #: The tokens are deleted here.
        deleted: Literal[True]
        #: Whether the authorization server has ended them too. `false`: it does not offer that, refused, or did not answer; then it is asked again for three days.
        revoked: bool


    class EditMessageRequest(TypedDict, total=False):
        #: Replaces the message, as `message` of `POST /execute`.
        message: MessageContent
        #: `steer` hands a queued message to the running turn, `queue` keeps it for a turn of its own.
        when_busy: Literal["queue", "steer"]


    class EmbeddingsHealth(TypedDict):
        """How far the vectors of memories are. Omitted without an embeddings endpoint."""

        #: Memories that wait for their vector.
        waiting: int
        #: Why the endpoint made none at the last call. `null` after one that did.
        last_error: Optional[str]


    EmptyRequest = Dict[str, Any]


    class EndFactRequest(TypedDict):
        #: The id of the fact.
        id: str


    class EngineDestroyed(TypedDict):
        #: The process has ended, the port is free, and the data is gone unless it is kept.
        destroyed: Literal[True]


    EngineEvent = Union["EngineEvent1", "EngineEvent2", "EngineEvent3", "EngineEvent4", "EngineEvent5", "EngineEvent6", "EngineEvent7", "EngineEvent8", "EngineEvent9", "EngineEvent10", "EngineEvent11", "EngineEvent12", "EngineEvent13", "EngineEvent14", "EngineEvent15", "EngineEvent16", "EngineEvent17", "EngineEvent18", "EngineEvent19", "EngineEvent20", "EngineEvent21", "EngineEvent22"]


    class EngineEvent1(TypedDict):
        """The turn began or ended. The first event, and the last but for `error`."""

        #: The `event:` line of the frame.
        event: Literal["thread_lifecycle"]
        #: The `data:` line of the frame.
        data: EngineEvent1Data


    class EngineEvent10(TypedDict):
        """A question or a permission prompt. The turn waits for the answer."""

        #: The `event:` line of the frame.
        event: Literal["hitl_request"]
        #: The `data:` line of the frame.
        data: EngineEvent10Data


    class EngineEvent10Data(TypedDict):
        """The `data:` line of the frame."""

        #: The request's id, which `POST /hitl/respond` takes.
        request_id: str
        #: `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server.
        kind: HitlKind
        #: The text of the question.
        question: str
        #: `tool_call_id`, and `allow_free_text`: whether an answer may be other text than an option. A permission prompt adds what is to be allowed, a login the `server` and the `url` of its link.
        context: Dict[str, Any]
        #: The answers to choose from.
        options: List[str]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent11(TypedDict):
        """The request was answered, or is open no longer."""

        #: The `event:` line of the frame.
        event: Literal["hitl_resolved"]
        #: The `data:` line of the frame.
        data: EngineEvent11Data


    class EngineEvent11Data(TypedDict):
        """The `data:` line of the frame."""

        #: The request's id.
        request_id: str
        #: The answer. `cancelled` or `expired` for a request that the engine closed.
        answer: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent12(TypedDict):
        """The agent wrote a note."""

        #: The `event:` line of the frame.
        event: Literal["working_memory_update"]
        #: The `data:` line of the frame.
        data: EngineEvent12Data


    class EngineEvent12Data(TypedDict):
        """The `data:` line of the frame."""

        #: What the agent wrote it as.
        entry_type: WorkingMemoryEntryType
        #: The text of the note.
        content: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent13(TypedDict):
        """The conversation was shortened to fit the model's context window. The store keeps the original."""

        #: The `event:` line of the frame.
        event: Literal["compaction_event"]
        #: The `data:` line of the frame.
        data: EngineEvent13Data


    class _EngineEvent13Data(TypedDict):
        #: Estimated tokens before.
        before_tokens: int
        #: Estimated tokens after.
        after_tokens: int
        #: `structured_extraction`: old tool results were shortened. `summary`: old turns were summarised by a model.
        strategy: Literal["summary", "structured_extraction"]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent13Data(_EngineEvent13Data, total=False):
        """The `data:` line of the frame."""

        #: With `summary`: the turns that the model now sees as a summary.
        summarised_turn_ids: List[str]


    class EngineEvent14(TypedDict):
        """The connection is alive. It comes every 15 s, and is not stored."""

        #: The `event:` line of the frame.
        event: Literal["heartbeat"]
        #: The `data:` line of the frame.
        data: EngineEvent14Data


    class EngineEvent14Data(TypedDict):
        """The `data:` line of the frame."""

        #: The engine's time.
        now: str


    class EngineEvent15(TypedDict):
        """A message waits in the task's inbox, or one that waits was changed."""

        #: The `event:` line of the frame.
        event: Literal["message_queued"]
        #: The `data:` line of the frame.
        data: EngineEvent15Data


    class EngineEvent15Data(TypedDict):
        """The `data:` line of the frame."""

        #: The message's id.
        message_id: str
        #: Its place among the messages that wait, from 1.
        position: int
        #: Whether it waits for a turn of its own or for the running one.
        when_busy: Literal["queue", "steer"]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent16(TypedDict):
        """A turn has taken a message with an id: once for each."""

        #: The `event:` line of the frame.
        event: Literal["message_taken"]
        #: The `data:` line of the frame.
        data: EngineEvent16Data


    class EngineEvent16Data(TypedDict):
        """The `data:` line of the frame."""

        #: The message's id.
        message_id: str
        #: `turn`: it began this turn. `steer`: it entered the running turn.
        how: Literal["turn", "steer"]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent17(TypedDict):
        """A waiting message was removed."""

        #: The `event:` line of the frame.
        event: Literal["message_removed"]
        #: The `data:` line of the frame.
        data: EngineEvent17Data


    class EngineEvent17Data(TypedDict):
        """The `data:` line of the frame."""

        #: The message's id.
        message_id: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent18(TypedDict):
        """Comes after each model call: the totals of the turn so far."""

        #: The `event:` line of the frame.
        event: Literal["usage"]
        #: The `data:` line of the frame.
        data: EngineEvent18Data


    class EngineEvent18Data(TypedDict):
        """The `data:` line of the frame."""

        #: Tokens of the input, with those read from the provider's cache.
        input_tokens: int
        #: Tokens of the output, with those of reasoning.
        output_tokens: int
        #: Tokens of the input that the provider read from its cache.
        cache_hit_tokens: int
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent19(TypedDict):
        """A model failed, and another one answers for the rest of the turn. The answers after it are of that model."""

        #: The `event:` line of the frame.
        event: Literal["model_changed"]
        #: The `data:` line of the frame.
        data: EngineEvent19Data


    EngineEvent19Data = TypedDict("EngineEvent19Data", {"from": "str", "to": "str", "reason": "Literal['rate_limited', 'overloaded', 'server_error', 'timeout', 'connection', 'cooldown']", "agent": "str", "parent_tool_call_id": "str", "ts": "str", "seq": "int", "task_id": "str", "turn_id": "str"}, total=False)


    class _EngineEvent1Data(TypedDict):
        #: `errored`: the event `error` follows.
        phase: TurnPhase
        #: The same as `ts`.
        timestamp: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent1Data(_EngineEvent1Data, total=False):
        """The `data:` line of the frame."""

        #: Only with `started`: the files of the turn's message, if it has any.
        attachments: List[AttachmentRecord]
        #: Only with `completed`, and only of a turn with an output schema: its result.
        output: Dict[str, Any]
        #: Only with `errored`: the code of the `error` event that follows.
        error: str
        #: Only with `errored`: the cause, for people.
        message: str


    class EngineEvent2(TypedDict):
        """Why the turn failed. The very last event."""

        #: The `event:` line of the frame.
        event: Literal["error"]
        #: The `data:` line of the frame.
        data: EngineEvent2Data


    class EngineEvent20(TypedDict):
        """The product's hook decided about a call, before it runs."""

        #: The `event:` line of the frame.
        event: Literal["tool_verdict"]
        #: The `data:` line of the frame.
        data: EngineEvent20Data


    class _EngineEvent20Data(TypedDict):
        #: The tool's name.
        tool: str
        #: The call's id.
        tool_call_id: str
        #: `change`: the call runs with `input`.
        verdict: Literal["allow", "deny", "ask", "change"]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent20Data(_EngineEvent20Data, total=False):
        """The `data:` line of the frame."""

        #: Of a delegated agent: its name.
        agent: str
        #: Of a delegated agent: the call of `delegate` that started it.
        parent_tool_call_id: str
        #: Only of `deny`, when the product gave one.
        reason: str
        #: Only of `change`: the input that the call runs with.
        input: Dict[str, Any]
        #: Why the product did not decide; the verdict is then the policy's.
        error: str


    class EngineEvent21(TypedDict):
        """A call of `search_knowledge` has found passages, which the answer may cite by their `source`. It comes before the `tool_result` of the call."""

        #: The `event:` line of the frame.
        event: Literal["knowledge_found"]
        #: The `data:` line of the frame.
        data: EngineEvent21Data


    class _EngineEvent21Data(TypedDict):
        #: The best first, each with at most the first 500 characters of its `text`.
        results: List[KnowledgeResult]
        #: The call's id.
        tool_call_id: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent21Data(_EngineEvent21Data, total=False):
        """The `data:` line of the frame."""

        #: Of a delegated agent: its name.
        agent: str
        #: Of a delegated agent: the call of `delegate` that started it.
        parent_tool_call_id: str


    class EngineEvent22(TypedDict):
        """A call has changed a file of the workspace. It comes before the `tool_result` of the call, for at most 100 paths."""

        #: The `event:` line of the frame.
        event: Literal["file_changed"]
        #: The `data:` line of the frame.
        data: EngineEvent22Data


    class _EngineEvent22Data(TypedDict):
        #: The path in the workspace.
        path: str
        #: What happened to it.
        change: Literal["created", "changed", "removed"]
        #: The call's id.
        tool_call_id: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent22Data(_EngineEvent22Data, total=False):
        """The `data:` line of the frame."""

        #: Of a delegated agent: its name.
        agent: str
        #: Of a delegated agent: the call of `delegate` that started it.
        parent_tool_call_id: str


    class _EngineEvent2Data(TypedDict):
        #: The code, by which programs decide.
        error: str
        #: The cause, for people. Its wording may change.
        message: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent2Data(_EngineEvent2Data, total=False):
        """The `data:` line of the frame."""

        #: Facts that depend on the code.
        details: Dict[str, Any]


    class EngineEvent3(TypedDict):
        """A piece of the answer."""

        #: The `event:` line of the frame.
        event: Literal["text_delta"]
        #: The `data:` line of the frame.
        data: EngineEvent3Data


    class EngineEvent3Data(TypedDict):
        """The `data:` line of the frame."""

        #: Text for the user.
        text: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent4(TypedDict):
        """A piece of the model's reasoning."""

        #: The `event:` line of the frame.
        event: Literal["thinking_delta"]
        #: The `data:` line of the frame.
        data: EngineEvent4Data


    class EngineEvent4Data(TypedDict):
        """The `data:` line of the frame."""

        #: Text of the reasoning.
        text: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent5(TypedDict):
        """A block of the model's answer begins."""

        #: The `event:` line of the frame.
        event: Literal["content_block_start"]
        #: The `data:` line of the frame.
        data: EngineEvent5Data


    class _EngineEvent5Data(TypedDict):
        #: The number of the block, from 0 within the turn.
        block_index: int
        #: What the block contains.
        block_type: BlockType
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent5Data(_EngineEvent5Data, total=False):
        """The `data:` line of the frame."""

        #: Only when an answer was cut off, by a restart or on its way from the provider, and is now repeated: this block replaces those from this index on.
        replaces_from: int


    class EngineEvent6(TypedDict):
        """The block ends."""

        #: The `event:` line of the frame.
        event: Literal["content_block_stop"]
        #: The `data:` line of the frame.
        data: EngineEvent6Data


    class EngineEvent6Data(TypedDict):
        """The `data:` line of the frame."""

        #: The number of the block, from 0 within the turn.
        block_index: int
        #: What the block contains.
        block_type: BlockType
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent7(TypedDict):
        """The model calls a tool. It comes after the end of its `tool_use` block."""

        #: The `event:` line of the frame.
        event: Literal["tool_call"]
        #: The `data:` line of the frame.
        data: EngineEvent7Data


    class _EngineEvent7Data(TypedDict):
        #: The tool's name.
        tool: str
        #: The call's id.
        tool_call_id: str
        #: The input of the call.
        input: Dict[str, Any]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent7Data(_EngineEvent7Data, total=False):
        """The `data:` line of the frame."""

        #: Of a delegated agent: its name.
        agent: str
        #: Of a delegated agent: the call of `delegate` that started it.
        parent_tool_call_id: str
        #: Only of a tool that the client runs: the turn waits for `POST /tools/respond`.
        runs: Literal["client"]


    class EngineEvent8(TypedDict):
        """A piece of the arguments that the model writes for a call. The `tool_call` with all of them follows."""

        #: The `event:` line of the frame.
        event: Literal["tool_input_delta"]
        #: The `data:` line of the frame.
        data: EngineEvent8Data


    class EngineEvent8Data(TypedDict):
        """The `data:` line of the frame."""

        #: The tool's name.
        tool: str
        #: The call's id.
        tool_call_id: str
        #: Text of the arguments, as the model writes it.
        json: str
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent9(TypedDict):
        """The result of a call. Each call has exactly one."""

        #: The `event:` line of the frame.
        event: Literal["tool_result"]
        #: The `data:` line of the frame.
        data: EngineEvent9Data


    class _EngineEvent9Data(TypedDict):
        #: The tool's name.
        tool: str
        #: The call's id.
        tool_call_id: str
        #: What the tool returned.
        output: Any
        #: Why the call failed. `null` on success.
        error: Optional[str]
        #: When it happened. Strictly rises within the engine.
        ts: str
        #: Its number. Rises over the life of the engine, restarts included.
        seq: int
        #: The turn's task.
        task_id: str
        #: The turn.
        turn_id: str


    class EngineEvent9Data(_EngineEvent9Data, total=False):
        """The `data:` line of the frame."""

        #: Of a delegated agent: its name.
        agent: str
        #: Of a delegated agent: the call of `delegate` that started it.
        parent_tool_call_id: str
        #: The parsed `output`: only of a tool of the catalog, of a tool server or of the client, and only when it is the text of a JSON object or list, of at most 50,000 characters and 64 levels.
        value: Any
        #: Files of the result, such as images. Omitted without one.
        attachments: List[AttachmentRecord]


    class _EngineHealth(TypedDict):
        #: Always `ok`.
        status: Literal["ok"]
        #: The engine's id.
        engine_id: str
        #: Identifies one life of the process.
        incarnation: str
        #: The version that the process runs.
        version: str
        #: Seconds since the process started.
        uptime_s: int
        #: Whether the whole engine is loaded. Calls that come earlier wait for it.
        loaded: bool
        #: Turns that run or wait for a person.
        active_turns: int
        #: Questions and permission prompts that running turns wait for.
        pending_hitl: int
        #: Open event streams.
        streams: int
        #: SHA-256 of the core soul. `null` until the engine is loaded.
        core_soul_hash: Optional[str]


    class EngineHealth(_EngineHealth, total=False):
        """Health and identity of an engine."""

        #: How the last call of a model went. Omitted until the engine is loaded.
        model: ModelHealth
        #: How far the vectors of memories are. Omitted without an embeddings endpoint.
        embeddings: EmbeddingsHealth
        #: Only after a damaged store was set aside, until a memory is imported or erased: where the store is.
        memory_reset: MemoryReset


    class EngineKeyRotated(TypedDict):
        """An engine with its new key."""

        #: The engine's id.
        id: str
        #: The product's id.
        product_id: str
        #: The product's id of the user.
        user_id: str
        #: The state now.
        state: EngineState
        #: Whether the state is `running` or `unhealthy`.
        running: bool
        #: The state that calls asked for.
        desired_state: Literal["running", "stopped", "destroyed"]
        #: The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in Kubernetes.
        port: Optional[int]
        #: The address of the engine's own API.
        url: str
        #: Identifies one life of the process: each start has a new one.
        incarnation: str
        #: The process's id.
        pid: Optional[int]
        #: The version that the process runs.
        version: Optional[str]
        #: The parts of the engine's key that identify it.
        api_key: EngineKeyRotatedApiKey
        #: What health probes found.
        health: EngineKeyRotatedHealth
        #: Restarts after crashes.
        restarts: EngineKeyRotatedRestarts
        #: `null` without a process, and before its first sample.
        usage: Optional[EngineUsage]
        #: The version of the product's catalog that it uses. `null` without a process.
        catalog: Optional[EngineKeyRotatedCatalog1]
        #: Its last failure.
        last_error: Optional[LastError]
        #: `null` unless the engine is `sleeping`.
        sleep: Optional[EngineKeyRotatedSleep1]
        #: `null` unless the engine is `running`.
        awake: Optional[EngineKeyRotatedAwake1]
        #: Questions and permission prompts that its turns wait for, as it last reported them.
        open_questions: int
        #: Why the engine is stopped.
        stop_reason: Optional[str]
        #: When it last had work.
        last_active_at: Optional[str]
        #: When it was provisioned.
        created_at: str
        #: When its process started.
        started_at: Optional[str]
        #: When its process ended.
        stopped_at: Optional[str]
        #: The plan of the engine.
        plan: Optional[str]
        #: The object that `provision` stored.
        metadata: Dict[str, Any]
        #: The new key, returned once. `null` in a repeated response.
        engine_api_key: Optional[str]
        #: Until when the key before it is accepted too.
        previous_key_expires_at: str


    class EngineKeyRotatedApiKey(TypedDict):
        """The parts of the engine's key that identify it."""

        #: The key's first characters.
        prefix: str
        #: The key's last characters.
        last4: str
        #: When the key was created.
        created_at: str
        #: Until when the key before it is accepted too.
        previous_expires_at: Optional[str]


    class EngineKeyRotatedAwake1(TypedDict):
        #: What woke it. `null` when it was started otherwise.
        woken_by: Optional[Literal["call", "start", "admit", "lookup", "schedule", "learning"]]
        #: Its work, as it last reported it, at most a minute ago.
        kept_by: List[Literal["turn", "inbox", "stream", "request", "learning", "tool_call", "recent_work"]]
        #: When its last work ended. `null` while it has work, and before its first report.
        idle_since: Optional[str]
        #: When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one.
        learning_due_at: Optional[str]


    class EngineKeyRotatedCatalog1(TypedDict):
        #: The version that its process uses. `null` while it is not known.
        version: Optional[int]
        #: Why it does not use the current one.
        error: Optional[str]


    class EngineKeyRotatedHealth(TypedDict):
        """What health probes found."""

        #: The outcome of the last probes.
        status: Literal["unknown", "ok", "failing"]
        #: When a probe last succeeded.
        last_ok_at: Optional[str]
        #: Probes that have failed since.
        consecutive_failures: int


    class EngineKeyRotatedRestarts(TypedDict):
        """Restarts after crashes."""

        #: Restarts within the window.
        count: int
        #: When the window of counted restarts began.
        window_started_at: Optional[str]
        #: When the next restart is due.
        next_at: Optional[str]


    class EngineKeyRotatedSleep1(TypedDict):
        #: Since when it sleeps.
        since: str
        #: Why. `capacity`: another engine needed its place.
        reason: Literal["idle", "request", "capacity"]


    class EnginePage(TypedDict):
        """Engines by id."""

        #: The records of this page.
        data: List[EngineRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    EnginePolicy = TypedDict("EnginePolicy", {"plan": "Optional[str]", "own": "EnginePolicyOwn", "policy": "HeldPolicy", "from": "EnginePolicyFrom"}, total=False)


    class EnginePolicyFrom(TypedDict):
        """Where each value comes from: what is set for the `engine`, its `plan`, the policy of the `product`, or the `default` of the policy."""

        #: Where `user_requests_per_minute` comes from.
        user_requests_per_minute: Literal["engine", "plan", "product", "default"]
        #: Where `user_concurrent_turns` comes from.
        user_concurrent_turns: Literal["engine", "plan", "product", "default"]
        #: Where `when_busy` comes from.
        when_busy: Literal["engine", "plan", "product", "default"]
        #: Where `idle_stop_s` comes from.
        idle_stop_s: Literal["engine", "plan", "product", "default"]
        #: Where `task_ttl_days` comes from.
        task_ttl_days: Literal["engine", "plan", "product", "default"]
        #: Where `memory_mb` comes from.
        memory_mb: Literal["engine", "plan", "product", "default"]
        #: Where `max_processes` comes from.
        max_processes: Literal["engine", "plan", "product", "default"]
        #: Where `disk_mb` comes from.
        disk_mb: Literal["engine", "plan", "product", "default"]
        #: Where `checkpoint_mb` comes from.
        checkpoint_mb: Literal["engine", "plan", "product", "default"]
        #: Where `cpu_weight` comes from.
        cpu_weight: Literal["engine", "plan", "product", "default"]
        #: Where `allowed_models` comes from.
        allowed_models: Literal["engine", "plan", "product", "default"]
        #: Where `fallback` comes from.
        fallback: Literal["engine", "plan", "product", "default"]
        #: Where `allowed_agents` comes from.
        allowed_agents: Literal["engine", "plan", "product", "default"]
        #: Where `allowed_tools` comes from.
        allowed_tools: Literal["engine", "plan", "product", "default"]
        #: Where `tool_network` comes from.
        tool_network: Literal["engine", "plan", "product", "default"]
        #: Where `attachment_mb` comes from.
        attachment_mb: Literal["engine", "plan", "product", "default"]
        #: Where `attachment_count` comes from.
        attachment_count: Literal["engine", "plan", "product", "default"]
        #: Where `attachment_kinds` comes from.
        attachment_kinds: Literal["engine", "plan", "product", "default"]
        #: Where `budgets` comes from.
        budgets: Literal["engine", "plan", "product", "default"]
        #: Where `max_schedules` comes from.
        max_schedules: Literal["engine", "plan", "product", "default"]
        #: Where `min_schedule_interval_s` comes from.
        min_schedule_interval_s: Literal["engine", "plan", "product", "default"]


    class EnginePolicyOwn(TypedDict, total=False):
        """What is set for this engine alone."""

        #: Calls per minute that one user's tokens may make.
        user_requests_per_minute: Optional[int]
        #: Turns that may run for a user before tokens may start another.
        user_concurrent_turns: Optional[int]
        #: What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`.
        when_busy: Literal["reject", "queue", "steer"]
        #: Seconds without work after which an engine sleeps. 0 is never.
        idle_stop_s: int
        #: Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake.
        task_ttl_days: Optional[int]
        #: Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters.
        memory_mb: int
        #: Processes and threads of all tools of an engine. The engine has 64 of its own.
        max_processes: int
        #: Size of an engine's folder, which holds workspace, store and caches.
        disk_mb: int
        #: Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none.
        checkpoint_mb: int
        #: An engine's share of a busy CPU, as `cpu.weight` of cgroup v2.
        cpu_weight: int
        #: The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it.
        allowed_models: Optional[List[str]]
        #: The models that answer instead of one that fails, in order. An agent of the catalog may have its own list.
        fallback: List[str]
        #: The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it.
        allowed_agents: Optional[List[str]]
        #: The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so.
        allowed_tools: Optional[List[str]]
        #: What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks.
        tool_network: Union[Literal["open", "none"], List[str]]
        #: Size of all attachments of one message, or of one tool result. 0 allows none.
        attachment_mb: int
        #: Attachments of one message, or of one tool result.
        attachment_count: int
        #: Kinds of files that may be attached, decided by their bytes.
        attachment_kinds: List[Literal["image", "pdf", "audio", "text", "other"]]
        #: What each engine may spend.
        budgets: EnginePolicyOwnBudgets
        #: Schedules and webhooks of one engine.
        max_schedules: int
        #: Least seconds between two runs of a schedule.
        min_schedule_interval_s: int


    class _EnginePolicyOwnBudgets(TypedDict):
        #: What each engine may spend. A limit left out is no limit.
        engine: EnginePolicyOwnBudgetsEngine


    class EnginePolicyOwnBudgets(_EnginePolicyOwnBudgets, total=False):
        """What each engine may spend."""

        #: The share of a budget, above 0 and at most 1, at which `budget.warned` is written.
        warn_at: float


    class EnginePolicyOwnBudgetsEngine(TypedDict, total=False):
        """What each engine may spend. A limit left out is no limit."""

        #: Tokens in a UTC day.
        tokens_per_day: int
        #: Tokens in a UTC month.
        tokens_per_month: int
        #: Cost in a UTC day, in units of the price table's currency.
        cost_per_day: float
        #: Cost in a UTC month, in units of the price table's currency.
        cost_per_month: float


    class EngineRecord(TypedDict):
        """An engine."""

        #: The engine's id.
        id: str
        #: The product's id.
        product_id: str
        #: The product's id of the user.
        user_id: str
        #: The state now.
        state: EngineState
        #: Whether the state is `running` or `unhealthy`.
        running: bool
        #: The state that calls asked for.
        desired_state: Literal["running", "stopped", "destroyed"]
        #: The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in Kubernetes.
        port: Optional[int]
        #: The address of the engine's own API.
        url: str
        #: Identifies one life of the process: each start has a new one.
        incarnation: str
        #: The process's id.
        pid: Optional[int]
        #: The version that the process runs.
        version: Optional[str]
        #: The parts of the engine's key that identify it.
        api_key: EngineRecordApiKey
        #: What health probes found.
        health: EngineRecordHealth
        #: Restarts after crashes.
        restarts: EngineRecordRestarts
        #: `null` without a process, and before its first sample.
        usage: Optional[EngineUsage]
        #: The version of the product's catalog that it uses. `null` without a process.
        catalog: Optional[EngineRecordCatalog1]
        #: Its last failure.
        last_error: Optional[LastError]
        #: `null` unless the engine is `sleeping`.
        sleep: Optional[EngineRecordSleep1]
        #: `null` unless the engine is `running`.
        awake: Optional[EngineRecordAwake1]
        #: Questions and permission prompts that its turns wait for, as it last reported them.
        open_questions: int
        #: Why the engine is stopped.
        stop_reason: Optional[str]
        #: When it last had work.
        last_active_at: Optional[str]
        #: When it was provisioned.
        created_at: str
        #: When its process started.
        started_at: Optional[str]
        #: When its process ended.
        stopped_at: Optional[str]
        #: The plan of the engine.
        plan: Optional[str]
        #: The object that `provision` stored.
        metadata: Dict[str, Any]


    class EngineRecordApiKey(TypedDict):
        """The parts of the engine's key that identify it."""

        #: The key's first characters.
        prefix: str
        #: The key's last characters.
        last4: str
        #: When the key was created.
        created_at: str
        #: Until when the key before it is accepted too.
        previous_expires_at: Optional[str]


    class EngineRecordAwake1(TypedDict):
        #: What woke it. `null` when it was started otherwise.
        woken_by: Optional[Literal["call", "start", "admit", "lookup", "schedule", "learning"]]
        #: Its work, as it last reported it, at most a minute ago.
        kept_by: List[Literal["turn", "inbox", "stream", "request", "learning", "tool_call", "recent_work"]]
        #: When its last work ended. `null` while it has work, and before its first report.
        idle_since: Optional[str]
        #: When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one.
        learning_due_at: Optional[str]


    class EngineRecordCatalog1(TypedDict):
        #: The version that its process uses. `null` while it is not known.
        version: Optional[int]
        #: Why it does not use the current one.
        error: Optional[str]


    class EngineRecordHealth(TypedDict):
        """What health probes found."""

        #: The outcome of the last probes.
        status: Literal["unknown", "ok", "failing"]
        #: When a probe last succeeded.
        last_ok_at: Optional[str]
        #: Probes that have failed since.
        consecutive_failures: int


    class EngineRecordRestarts(TypedDict):
        """Restarts after crashes."""

        #: Restarts within the window.
        count: int
        #: When the window of counted restarts began.
        window_started_at: Optional[str]
        #: When the next restart is due.
        next_at: Optional[str]


    class EngineRecordSleep1(TypedDict):
        #: Since when it sleeps.
        since: str
        #: Why. `capacity`: another engine needed its place.
        reason: Literal["idle", "request", "capacity"]


    EngineState = Literal["provisioning", "starting", "running", "unhealthy", "sleeping", "backoff", "stopping", "stopped", "failed", "stop_failed", "destroying"]


    class EngineStopped(TypedDict):
        """An engine that was stopped."""

        #: The engine's id.
        id: str
        #: The product's id.
        product_id: str
        #: The product's id of the user.
        user_id: str
        #: The state now.
        state: EngineState
        #: Whether the state is `running` or `unhealthy`.
        running: bool
        #: The state that calls asked for.
        desired_state: Literal["running", "stopped", "destroyed"]
        #: The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in Kubernetes.
        port: Optional[int]
        #: The address of the engine's own API.
        url: str
        #: Identifies one life of the process: each start has a new one.
        incarnation: str
        #: The process's id.
        pid: Optional[int]
        #: The version that the process runs.
        version: Optional[str]
        #: The parts of the engine's key that identify it.
        api_key: EngineStoppedApiKey
        #: What health probes found.
        health: EngineStoppedHealth
        #: Restarts after crashes.
        restarts: EngineStoppedRestarts
        #: `null` without a process, and before its first sample.
        usage: Optional[EngineUsage]
        #: The version of the product's catalog that it uses. `null` without a process.
        catalog: Optional[EngineStoppedCatalog1]
        #: Its last failure.
        last_error: Optional[LastError]
        #: `null` unless the engine is `sleeping`.
        sleep: Optional[EngineStoppedSleep1]
        #: `null` unless the engine is `running`.
        awake: Optional[EngineStoppedAwake1]
        #: Questions and permission prompts that its turns wait for, as it last reported them.
        open_questions: int
        #: Why the engine is stopped.
        stop_reason: Optional[str]
        #: When it last had work.
        last_active_at: Optional[str]
        #: When it was provisioned.
        created_at: str
        #: When its process started.
        started_at: Optional[str]
        #: When its process ended.
        stopped_at: Optional[str]
        #: The plan of the engine.
        plan: Optional[str]
        #: The object that `provision` stored.
        metadata: Dict[str, Any]
        #: How its running turns ended: by themselves, cut off at the end of `drain_s`, or with its process, which was killed.
        stop_result: Literal["drained", "cut_off", "killed"]


    class EngineStoppedApiKey(TypedDict):
        """The parts of the engine's key that identify it."""

        #: The key's first characters.
        prefix: str
        #: The key's last characters.
        last4: str
        #: When the key was created.
        created_at: str
        #: Until when the key before it is accepted too.
        previous_expires_at: Optional[str]


    class EngineStoppedAwake1(TypedDict):
        #: What woke it. `null` when it was started otherwise.
        woken_by: Optional[Literal["call", "start", "admit", "lookup", "schedule", "learning"]]
        #: Its work, as it last reported it, at most a minute ago.
        kept_by: List[Literal["turn", "inbox", "stream", "request", "learning", "tool_call", "recent_work"]]
        #: When its last work ended. `null` while it has work, and before its first report.
        idle_since: Optional[str]
        #: When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one.
        learning_due_at: Optional[str]


    class EngineStoppedCatalog1(TypedDict):
        #: The version that its process uses. `null` while it is not known.
        version: Optional[int]
        #: Why it does not use the current one.
        error: Optional[str]


    class EngineStoppedHealth(TypedDict):
        """What health probes found."""

        #: The outcome of the last probes.
        status: Literal["unknown", "ok", "failing"]
        #: When a probe last succeeded.
        last_ok_at: Optional[str]
        #: Probes that have failed since.
        consecutive_failures: int


    class EngineStoppedRestarts(TypedDict):
        """Restarts after crashes."""

        #: Restarts within the window.
        count: int
        #: When the window of counted restarts began.
        window_started_at: Optional[str]
        #: When the next restart is due.
        next_at: Optional[str]


    class EngineStoppedSleep1(TypedDict):
        #: Since when it sleeps.
        since: str
        #: Why. `capacity`: another engine needed its place.
        reason: Literal["idle", "request", "capacity"]


    class EngineUsage(TypedDict):
        """What an engine and its tools use now, sampled every 5 s."""

        #: Per cent of one core, over the last seconds. `null` until there are two samples.
        cpu_percent: Optional[float]
        #: MiB of the engine and its tools.
        memory_mb: int
        #: MiB of its folder, measured about once a minute while it is active. `null` before that.
        disk_mb: Optional[int]
        #: Turns that run or wait for a person, as of the last health probe.
        active_turns: Optional[int]
        #: Since its process started, read about once a minute and at each probe while turns run. `null` until then.
        work: Optional[EngineUsageWork1]
        #: When the sample was taken.
        sampled_at: str


    class EngineUsageWork1(TypedDict):
        #: Turns that ended.
        turns: int
        #: Turns that ended with an error.
        failed_turns: int
        #: Input and output tokens of the models.
        tokens: int


    class EngineWithKey(TypedDict):
        """An engine with its key."""

        #: The engine's id.
        id: str
        #: The product's id.
        product_id: str
        #: The product's id of the user.
        user_id: str
        #: The state now.
        state: EngineState
        #: Whether the state is `running` or `unhealthy`.
        running: bool
        #: The state that calls asked for.
        desired_state: Literal["running", "stopped", "destroyed"]
        #: The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in Kubernetes.
        port: Optional[int]
        #: The address of the engine's own API.
        url: str
        #: Identifies one life of the process: each start has a new one.
        incarnation: str
        #: The process's id.
        pid: Optional[int]
        #: The version that the process runs.
        version: Optional[str]
        #: The parts of the engine's key that identify it.
        api_key: EngineWithKeyApiKey
        #: What health probes found.
        health: EngineWithKeyHealth
        #: Restarts after crashes.
        restarts: EngineWithKeyRestarts
        #: `null` without a process, and before its first sample.
        usage: Optional[EngineUsage]
        #: The version of the product's catalog that it uses. `null` without a process.
        catalog: Optional[EngineWithKeyCatalog1]
        #: Its last failure.
        last_error: Optional[LastError]
        #: `null` unless the engine is `sleeping`.
        sleep: Optional[EngineWithKeySleep1]
        #: `null` unless the engine is `running`.
        awake: Optional[EngineWithKeyAwake1]
        #: Questions and permission prompts that its turns wait for, as it last reported them.
        open_questions: int
        #: Why the engine is stopped.
        stop_reason: Optional[str]
        #: When it last had work.
        last_active_at: Optional[str]
        #: When it was provisioned.
        created_at: str
        #: When its process started.
        started_at: Optional[str]
        #: When its process ended.
        stopped_at: Optional[str]
        #: The plan of the engine.
        plan: Optional[str]
        #: The object that `provision` stored.
        metadata: Dict[str, Any]
        #: The engine's key, returned once. `null` for an engine that existed, and in a repeated response.
        engine_api_key: Optional[str]


    class EngineWithKeyApiKey(TypedDict):
        """The parts of the engine's key that identify it."""

        #: The key's first characters.
        prefix: str
        #: The key's last characters.
        last4: str
        #: When the key was created.
        created_at: str
        #: Until when the key before it is accepted too.
        previous_expires_at: Optional[str]


    class EngineWithKeyAwake1(TypedDict):
        #: What woke it. `null` when it was started otherwise.
        woken_by: Optional[Literal["call", "start", "admit", "lookup", "schedule", "learning"]]
        #: Its work, as it last reported it, at most a minute ago.
        kept_by: List[Literal["turn", "inbox", "stream", "request", "learning", "tool_call", "recent_work"]]
        #: When its last work ended. `null` while it has work, and before its first report.
        idle_since: Optional[str]
        #: When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one.
        learning_due_at: Optional[str]


    class EngineWithKeyCatalog1(TypedDict):
        #: The version that its process uses. `null` while it is not known.
        version: Optional[int]
        #: Why it does not use the current one.
        error: Optional[str]


    class EngineWithKeyHealth(TypedDict):
        """What health probes found."""

        #: The outcome of the last probes.
        status: Literal["unknown", "ok", "failing"]
        #: When a probe last succeeded.
        last_ok_at: Optional[str]
        #: Probes that have failed since.
        consecutive_failures: int


    class EngineWithKeyRestarts(TypedDict):
        """Restarts after crashes."""

        #: Restarts within the window.
        count: int
        #: When the window of counted restarts began.
        window_started_at: Optional[str]
        #: When the next restart is due.
        next_at: Optional[str]


    class EngineWithKeySleep1(TypedDict):
        #: Since when it sleeps.
        since: str
        #: Why. `capacity`: another engine needed its place.
        reason: Literal["idle", "request", "capacity"]


    class EpisodePage(TypedDict):
        """Records of the memory, the newest first."""

        #: The records of this page.
        items: List[EpisodeRecord]
        #: The `cursor` of the next page of the same list. `null` on the last one.
        next_cursor: Optional[str]


    class EpisodeRecord(TypedDict):
        """A round of a conversation: a question and its answer."""

        #: The round's id.
        id: str
        #: What the round is about, in a few words. The question until a learning batch has read it.
        key: str
        #: A sentence or two on the round. Learning replaces it by a better one.
        description: str
        #: When it was stored, which is when its turn ended.
        created_at: str
        #: The task, which is the conversation.
        task_id: str
        #: The turn.
        turn_id: str
        #: The user's message. The middle of a long one is left out.
        question: str
        #: The agent's answer. The middle of a long one is left out.
        answer: str
        #: 1 to 10.
        importance: float
        #: Where it comes from.
        source: str
        #: The least trusted source that it derives from.
        trust: TrustLabel
        #: When the turn began.
        event_time: str


    class EventPage(TypedDict):
        """Events, the newest first."""

        #: The records of this page.
        data: List[EventRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    EventRecord = TypedDict("EventRecord", {"id": "str", "type": "EventType", "time": "str", "product_id": "Optional[str]", "user_id": "Optional[str]", "engine_id": "Optional[str]", "incarnation": "Optional[str]", "from": "Optional[EngineState]", "to": "Optional[EngineState]", "reason": "Optional[str]", "actor": "Literal['product', 'admin', 'orchd']", "request_id": "Optional[str]", "data": "Dict[str, Any]"}, total=False)


    EventType = Literal["product.registered", "product.policy_changed", "product.plan_changed", "product.plan_deleted", "product.key_rotated", "product.hook_secret_rotated", "product.deleted", "catalog.pushed", "catalog.rolled_back", "knowledge.changed", "engine.provisioned", "engine.starting", "engine.running", "engine.unhealthy", "engine.crashed", "engine.restarting", "engine.gave_up", "engine.stopping", "engine.stopped", "engine.slept", "engine.woke", "engine.adopted", "engine.key_rotated", "engine.plan_changed", "engine.policy_changed", "engine.destroyed", "engine.leaked", "budget.warned", "budget.spent", "secret.misused", "schedule.created", "schedule.changed", "schedule.deleted", "schedule.ran", "schedule.failed", "schedule.missed", "turn.completed", "turn.failed", "turn.cancelled", "task.titled", "turn.waiting", "secret.connected", "secret.disconnected", "secret.needs_login", "host.draining", "host.resumed", "host.leader_changed", "host.port_taken", "host.calls_refused", "host.breaker_opened", "host.breaker_closed", "host.backup_created", "host.backup_failed", "host.restored", "host.schedules_resumed", "host.identity_key_rotated"]


    class _ExecuteRequest(TypedDict):
        #: 1 to 256 bytes. A task is a conversation: the next turn with the same id continues it.
        task_id: str


    class ExecuteRequest(_ExecuteRequest, total=False):
        """A turn to run."""

        #: The user's message: 1 byte to 1 MiB of text, not only white space, or a list of 1 to 256 parts with attachments. Only `regenerate` goes without one.
        message: MessageContent
        #: An agent of the catalog. `default` when omitted.
        agent: str
        #: The model of the turn: `model`, or `provider:model` for another provider. The agent's when omitted.
        model: str
        #: How much the model reasons, if it has this option. The agent's when omitted.
        effort: Literal["low", "medium", "high"]
        #: `true` requests the model's reasoning. `false` when omitted.
        thinking: bool
        #: Model calls of the turn. 100 when omitted.
        max_steps: int
        #: `true` answers the task's last message again, which must be the user's, and takes no `message`. `false` when omitted.
        regenerate: bool
        #: What happens to the turn when the client disconnects. `continue` when omitted.
        on_disconnect: Literal["continue", "cancel"]
        #: An object that is stored with the turn.
        metadata: Dict[str, Any]
        #: Tools that the client runs in this turn, up to 64 in 256 KiB.
        client_tools: List[ExecuteRequestClientTools]
        #: What happens while the task has a turn: `reject` answers 409 `TASK_BUSY`, `queue` lets the message wait for a turn of its own, `steer` hands it to the running turn. The policy's `when_busy` when omitted.
        when_busy: Literal["reject", "queue", "steer"]
        #: Only with `steer`: `true` cuts off the model's answer in progress. `false` when omitted.
        interrupt: bool
        #: 1 to 255 characters of the caller's, unique in the task. The same id and body again is the same message.
        message_id: str
        #: Structured output: JSON Schema 2020-12 for an object, at most 32 KiB. The agent's own when omitted.
        output_schema: Dict[str, Any]
        #: Context of a turn: data for the model that are not the user's words, at most 32 items and 16 KiB.
        context: List[ContextItem]


    class _ExecuteRequestClientTools(TypedDict):
        #: The tool's name. It is no built-in tool and no tool of the catalog.
        name: str
        #: What the tool does and when to use it. The model reads it.
        description: str
        #: JSON Schema of the arguments, an object.
        input_schema: Dict[str, Any]


    class ExecuteRequestClientTools(_ExecuteRequestClientTools, total=False):
        #: JSON Schema of the output. An answer that does not match is refused, and the call stays open.
        output_schema: Dict[str, Any]


    class FactEnded(TypedDict):
        """A fact that is true no longer."""

        #: The fact's id.
        id: str
        #: Always `true`, also when the fact had ended before.
        ended: Literal[True]


    class FileEntry(TypedDict):
        """A file, folder or link of the workspace."""

        #: The path in the workspace.
        path: str
        #: Only files can be read. A link is never followed. `other`: a pipe, socket or device.
        type: Literal["file", "folder", "link", "other"]
        #: The size. `null` for all but files.
        bytes: Optional[int]
        #: When its content was changed last.
        modified_at: str


    class FileLink(TypedDict):
        """A link that reads one file and needs no key."""

        #: The path in the workspace.
        path: str
        #: The path of the link at the daemon's address. Whoever has it can read the file.
        link: str
        #: When it stops working.
        expires_at: str


    class FileList(TypedDict):
        """What a folder of the workspace contains."""

        #: The folder. Empty for the workspace itself.
        path: str
        #: By folder, the entries of each sorted by name.
        entries: List[FileEntry]
        #: Whether there are more than `limit`.
        truncated: bool
        #: Folders that could not be read, and entries whose names are not UTF-8: no call can name these.
        unreadable: int


    class ForkedTask(TypedDict):
        """A task that begins with messages of another one."""

        #: The id of the new task.
        task_id: str
        #: Where it was forked.
        parent: ForkedTaskParent
        #: Messages of its conversation.
        message_count: int


    class ForkedTaskParent(TypedDict):
        """Where it was forked."""

        #: The task that it was forked from.
        task_id: str
        #: The last message that both have. `null`: none.
        after_message: Optional[str]


    class HeldPolicy(TypedDict):
        """The value of each field in which engines may differ."""

        #: Calls per minute that one user's tokens may make.
        user_requests_per_minute: Optional[int]
        #: Turns that may run for a user before tokens may start another.
        user_concurrent_turns: Optional[int]
        #: What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`.
        when_busy: Literal["reject", "queue", "steer"]
        #: Seconds without work after which an engine sleeps. 0 is never.
        idle_stop_s: int
        #: Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake.
        task_ttl_days: Optional[int]
        #: Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters.
        memory_mb: int
        #: Processes and threads of all tools of an engine. The engine has 64 of its own.
        max_processes: int
        #: Size of an engine's folder, which holds workspace, store and caches.
        disk_mb: int
        #: Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none.
        checkpoint_mb: int
        #: An engine's share of a busy CPU, as `cpu.weight` of cgroup v2.
        cpu_weight: int
        #: The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it.
        allowed_models: Optional[List[str]]
        #: The models that answer instead of one that fails, in order. An agent of the catalog may have its own list.
        fallback: List[str]
        #: The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it.
        allowed_agents: Optional[List[str]]
        #: The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so.
        allowed_tools: Optional[List[str]]
        #: What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks.
        tool_network: Union[Literal["open", "none"], List[str]]
        #: Size of all attachments of one message, or of one tool result. 0 allows none.
        attachment_mb: int
        #: Attachments of one message, or of one tool result.
        attachment_count: int
        #: Kinds of files that may be attached, decided by their bytes.
        attachment_kinds: List[Literal["image", "pdf", "audio", "text", "other"]]
        #: What each engine and all together may spend in a UTC day and month.
        budgets: HeldPolicyBudgets
        #: Schedules and webhooks of one engine.
        max_schedules: int
        #: Least seconds between two runs of a schedule.
        min_schedule_interval_s: int


    class HeldPolicyBudgets(TypedDict):
        """What each engine and all together may spend in a UTC day and month."""

        #: What each engine may spend. A limit left out is no limit.
        engine: HeldPolicyBudgetsEngine
        #: What all engines of the product may spend together. A limit left out is no limit.
        product: HeldPolicyBudgetsProduct
        #: The share of a budget, above 0 and at most 1, at which `budget.warned` is written.
        warn_at: float


    class HeldPolicyBudgetsEngine(TypedDict, total=False):
        """What each engine may spend. A limit left out is no limit."""

        #: Tokens in a UTC day.
        tokens_per_day: int
        #: Tokens in a UTC month.
        tokens_per_month: int
        #: Cost in a UTC day, in units of the price table's currency.
        cost_per_day: float
        #: Cost in a UTC month, in units of the price table's currency.
        cost_per_month: float


    class HeldPolicyBudgetsProduct(TypedDict, total=False):
        """What all engines of the product may spend together. A limit left out is no limit."""

        #: Tokens in a UTC day.
        tokens_per_day: int
        #: Tokens in a UTC month.
        tokens_per_month: int
        #: Cost in a UTC day, in units of the price table's currency.
        cost_per_day: float
        #: Cost in a UTC month, in units of the price table's currency.
        cost_per_month: float


    HitlKind = Literal["question", "permission", "login"]


    class InboxList(TypedDict):
        """The messages that wait in a task's inbox."""

        #: In the order in which they were sent, at most 100.
        messages: List[WaitingMessage]


    class KnowledgeDocument(TypedDict):
        """A document of a product's knowledge, without its text."""

        #: Its path, which the product chose.
        path: str
        #: Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file.
        title: str
        #: What it was read as.
        media_type: Literal["text/plain", "text/markdown", "text/html", "application/pdf"]
        #: The size as it was uploaded.
        bytes: int
        #: The SHA-256 of what was uploaded, in hex.
        sha256: str
        #: The number of passages that it is searched by.
        passages: int
        #: Who uploaded it: a call of the product or of an operator.
        actor: Literal["product", "admin", "orchd"]
        #: When it was first uploaded.
        created_at: str
        #: When it was last replaced.
        updated_at: str


    class KnowledgeDocumentDeleted(TypedDict):
        """A document was deleted."""

        #: It is gone.
        deleted: Literal[True]
        #: Rises with each change of the documents. 0 before the first one.
        version: int


    class KnowledgeDocumentPut(TypedDict):
        """A document that was stored."""

        #: Its path, which the product chose.
        path: str
        #: Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file.
        title: str
        #: What it was read as.
        media_type: Literal["text/plain", "text/markdown", "text/html", "application/pdf"]
        #: The size as it was uploaded.
        bytes: int
        #: The SHA-256 of what was uploaded, in hex.
        sha256: str
        #: The number of passages that it is searched by.
        passages: int
        #: Who uploaded it: a call of the product or of an operator.
        actor: Literal["product", "admin", "orchd"]
        #: When it was first uploaded.
        created_at: str
        #: When it was last replaced.
        updated_at: str
        #: Rises with each change of the documents. 0 before the first one.
        version: int
        #: `false` if the same document was stored already, so that nothing was changed.
        is_new: bool


    class KnowledgeDocumentShown(TypedDict):
        """A document as it was read."""

        #: Its path, which the product chose.
        path: str
        #: Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file.
        title: str
        #: What it was read as.
        media_type: Literal["text/plain", "text/markdown", "text/html", "application/pdf"]
        #: The size as it was uploaded.
        bytes: int
        #: The SHA-256 of what was uploaded, in hex.
        sha256: str
        #: The number of passages that it is searched by.
        passages: int
        #: Who uploaded it: a call of the product or of an operator.
        actor: Literal["product", "admin", "orchd"]
        #: When it was first uploaded.
        created_at: str
        #: When it was last replaced.
        updated_at: str
        #: Its passages in order.
        content: List[KnowledgePassage]


    class KnowledgeEmbeddings(TypedDict):
        """The vectors of the passages of a product's documents, on the host that answers."""

        #: The model of the endpoint that makes them.
        model: str
        #: The passages that have a vector.
        embedded: int
        #: The passages that wait for one. The others were refused by the endpoint.
        waiting: int
        #: Why the last call of the endpoint failed. `null` after one that did not.
        last_error: Optional[str]


    class KnowledgeFound(TypedDict):
        """What a search of a product's knowledge found."""

        #: The best first.
        results: List[KnowledgeResult]


    class KnowledgeHit(TypedDict):
        """A result of a search of the memory."""

        #: The id of the round, the fact or the note.
        id: str
        #: `episode`: a round. `note`: the agent's.
        kind: Literal["episode", "fact", "note"]
        #: The relevance verdict. `answers`: the memory seems to hold the answer, and this result is part of it. `touches`: the result only mentions the topic.
        bearing: Literal["answers", "touches"]
        #: What it is about, in a few words.
        key: str
        #: The text of the result.
        content: str
        #: Only orders the results of one search.
        score: float
        #: Where it comes from.
        source: str
        #: The least trusted source that it derives from.
        trust: str
        #: When the engine stored it.
        created_at: str
        #: When the described event happened.
        event_time: str
        #: Of a fact: since when it is true.
        valid_from: Optional[str]
        #: Of a fact: until when it was true. `null` if it is true now.
        valid_to: Optional[str]
        #: The ids of the rounds that it derives from.
        evidence: List[str]


    class KnowledgeHits(TypedDict):
        """The results of a search."""

        #: The best result first.
        results: List[KnowledgeHit]


    class KnowledgePage(TypedDict):
        """Records of the memory, the newest first."""

        #: The records of this page.
        items: List[KnowledgeRecord]
        #: The `cursor` of the next page of the same list. `null` on the last one.
        next_cursor: Optional[str]


    class KnowledgePassage(TypedDict):
        """A passage of a document, as it is searched."""

        #: Its number in the document, from 1.
        number: int
        #: The headings above it, the outermost first.
        heading: List[str]
        #: Its first and last line. `null` in a PDF file or a page of HTML.
        lines: Optional[List[Any]]
        #: Its first and last page. `null` except in a PDF file.
        pages: Optional[List[Any]]
        #: Its text.
        text: str


    class KnowledgeRecord(TypedDict):
        """A fact, with the time in which it is true and the time in which the engine believed it."""

        #: The fact's id.
        id: str
        #: The fact as a sentence.
        content: str
        #: Whom or what it is about.
        subject: str
        #: What it says of the subject.
        predicate: str
        #: The value.
        object: str
        #: 1 to 10.
        importance: float
        #: How well its source supports it, 0 to 1.
        confidence: float
        #: Who said it: `user` or `assistant`.
        source: str
        #: The least trusted source that it derives from.
        trust: TrustLabel
        #: Since when it is true. `null` when no time was given.
        valid_from: Optional[str]
        #: Until when it was true. `null` for a fact that is true now.
        valid_to: Optional[str]
        #: When the engine learned it.
        created_at: str
        #: When the engine stopped believing it. `null` while it does.
        invalidated_at: Optional[str]
        #: The id of the fact that replaced it.
        superseded_by: Optional[str]
        #: The ids of the rounds that it derives from.
        evidence: List[str]


    class KnowledgeResult(TypedDict):
        """Passages of a document of the product's knowledge that a search found."""

        #: What the model cites it by: the document's path with lines, pages or the number of the passage.
        source: str
        #: The path of the document.
        path: str
        #: The title of the document.
        title: str
        #: The headings above it, the outermost first.
        heading: List[str]
        #: Its first and last line. `null` in a PDF file or a page of HTML.
        lines: Optional[List[Any]]
        #: Its first and last page. `null` except in a PDF file.
        pages: Optional[List[Any]]
        #: The text of the passages.
        text: str


    class LastError(TypedDict):
        """Why an engine last failed."""

        #: What it was doing.
        phase: Literal["boot", "run", "stop"]
        #: The cause, for people.
        reason: str
        #: The process's exit code. `null` when a signal ended it.
        exit_code: Optional[int]
        #: The signal that ended the process.
        signal: Optional[str]
        #: Whether it ran out of memory.
        oom: bool
        #: The last lines of its log.
        log_tail: List[str]
        #: When it failed.
        at: str


    class LearningBatch(TypedDict):
        """The result of a learning batch."""

        #: The batch's id.
        batch_id: str
        #: Turns that it read.
        trajectories: int
        #: Rounds for which it wrote a better key and description.
        episodes: int
        #: New facts.
        knowledge_added: int
        #: Facts that a new one replaced.
        knowledge_closed: int
        #: New people and things.
        nodes: int
        #: Lines of the profile page that were written or removed.
        profile_lines: int
        #: New skill drafts, for a person to decide.
        skills_drafted: int
        #: Milliseconds that it took.
        duration_ms: int


    class _LinkFileRequest(TypedDict):
        #: The path of a file.
        path: str


    class LinkFileRequest(_LinkFileRequest, total=False):
        """The file that a link reads."""

        #: Seconds that the link is valid, at most 3600. 600 when omitted.
        ttl_s: int


    class LoginLink(TypedDict):
        """A link with which the user signs in to a tool server."""

        #: The link, for the user alone.
        url: str
        #: When it ends.
        expires_at: str


    class MemoryErased(TypedDict):
        """The result of an erasure."""

        #: Rows by table, and files by kind.
        erased: Dict[str, int]


    class MemoryImported(TypedDict):
        """The result of an import, by type of record."""

        #: Records that are new.
        imported: Dict[str, int]
        #: Records that existed before, or belong to one that did. They do not change.
        skipped: Dict[str, int]


    class MemoryReset(TypedDict):
        """Only after a damaged store was set aside, until a memory is imported or erased: where the store is."""

        #: When the empty store was created.
        at: str
        #: The path of the damaged store on the engine's host.
        old_file: str
        #: What was damaged.
        reason: str


    MessageContent = Union[str, List["MessagePart"]]


    MessagePart = Union["TextPart", "AttachmentPart"]


    MissedPolicy = Literal["skip", "run_once", "run_all"]


    class ModelHealth(TypedDict):
        """How the last call of a model went. Omitted until the engine is loaded."""

        #: `retrying`: a call waits for a retry. `unknown`: there was no call yet.
        status: Literal["unknown", "ok", "retrying", "failing"]
        #: Cause, address and model of the last failure. The model may have recovered since. `null` without one.
        last_error: Optional[str]
        #: When that failure was.
        last_error_at: Optional[str]
        #: When the next retry is. `null` unless `retrying`.
        next_try_at: Optional[str]


    class ModelRequestRecord(TypedDict):
        """A request to a model as it was sent, without secrets and the bytes of files."""

        #: From 1 within the turn, in the order in which the calls ended. A call is listed when it has ended.
        number: int
        #: The agent that made the call.
        agent: str
        #: `summary`: the call of a compaction.
        purpose: Literal["turn", "summary"]
        #: The provider, as `LLM_PROVIDER` names it.
        provider: str
        #: The model's name, as it was sent.
        model: str
        #: When the call began.
        started_at: str
        #: Milliseconds until it ended, retries included.
        duration_ms: int
        #: Milliseconds until the first part of the answer, retries included. `null` without an answer.
        first_token_ms: Optional[int]
        #: How often the request was sent. 0: the call failed before.
        tries: int
        #: How the call ended.
        outcome: Literal["completed", "failed", "aborted"]
        #: The model's finish reason, or the kind of failure.
        reason: str
        #: Tokens as the provider reported them. `null` without a report.
        usage: Optional[ModelRequestRecordUsage1]
        #: The share of the input that was read from the provider's cache, 0 to 1. `null` without a report.
        cache_share: Optional[float]
        #: How the request fills the context window.
        context: ModelRequestRecordContext
        #: The turn's id.
        turn_id: str
        #: The HTTP method. `null` for the sandbox model, which sends nothing, and for a call that failed before it was sent.
        method: Optional[str]
        #: Path and query of the address, without secrets. `null` when `method` is.
        path: Optional[str]
        #: The headers. Values that may be secret are redacted.
        headers: Dict[str, str]
        #: The body as JSON, or its first characters as text when `truncated`. For the sandbox model, what it was asked. `null` for a call that was not sent.
        body: Any
        #: The length of the sent body.
        body_bytes: int
        #: Whether the body was longer than 1 MiB, and was cut.
        truncated: bool


    class ModelRequestRecordContext(TypedDict):
        """How the request fills the context window."""

        #: Tokens by part. They add up to the reported input, or are estimates without a report.
        parts: ContextParts
        #: Whether the provider has not counted the input.
        is_estimate: bool
        #: Tokens that the context window keeps free for the answer.
        answer_reserve: int
        #: The model's context window in tokens.
        window: int


    class ModelRequestRecordUsage1(TypedDict):
        #: Tokens of the input, with those read from the provider's cache.
        input_tokens: int
        #: Tokens of the output, with those of reasoning.
        output_tokens: int
        #: Tokens of the input that the provider read from its cache.
        cache_hit_tokens: int
        #: Tokens of the input that the provider wrote to its cache.
        cache_write_tokens: int


    class ModelRequests(TypedDict):
        """The model calls of a turn. They are kept for 24 hours."""

        #: The turn's id.
        turn_id: str
        #: `false` when the setting `ENGINE_KEEP_REQUESTS` is off.
        kept: bool
        #: The calls in the order in which they ended.
        requests: List[ModelRequestSummary]


    class ModelRequestSummary(TypedDict):
        """A model call of a turn, and what its request contained."""

        #: From 1 within the turn, in the order in which the calls ended. A call is listed when it has ended.
        number: int
        #: The agent that made the call.
        agent: str
        #: `summary`: the call of a compaction.
        purpose: Literal["turn", "summary"]
        #: The provider, as `LLM_PROVIDER` names it.
        provider: str
        #: The model's name, as it was sent.
        model: str
        #: When the call began.
        started_at: str
        #: Milliseconds until it ended, retries included.
        duration_ms: int
        #: Milliseconds until the first part of the answer, retries included. `null` without an answer.
        first_token_ms: Optional[int]
        #: How often the request was sent. 0: the call failed before.
        tries: int
        #: How the call ended.
        outcome: Literal["completed", "failed", "aborted"]
        #: The model's finish reason, or the kind of failure.
        reason: str
        #: Tokens as the provider reported them. `null` without a report.
        usage: Optional[ModelRequestSummaryUsage1]
        #: The share of the input that was read from the provider's cache, 0 to 1. `null` without a report.
        cache_share: Optional[float]
        #: How the request fills the context window.
        context: ModelRequestSummaryContext


    class ModelRequestSummaryContext(TypedDict):
        """How the request fills the context window."""

        #: Tokens by part. They add up to the reported input, or are estimates without a report.
        parts: ContextParts
        #: Whether the provider has not counted the input.
        is_estimate: bool
        #: Tokens that the context window keeps free for the answer.
        answer_reserve: int
        #: The model's context window in tokens.
        window: int


    class ModelRequestSummaryUsage1(TypedDict):
        #: Tokens of the input, with those read from the provider's cache.
        input_tokens: int
        #: Tokens of the output, with those of reasoning.
        output_tokens: int
        #: Tokens of the input that the provider read from its cache.
        cache_hit_tokens: int
        #: Tokens of the input that the provider wrote to its cache.
        cache_write_tokens: int


    MovedFile = TypedDict("MovedFile", {"from": "str", "to": "str"}, total=False)


    MoveFileRequest = TypedDict("MoveFileRequest", {"from": "str", "to": "str", "overwrite": "bool"}, total=False)


    class NotificationDelivery(TypedDict):
        """One message to one endpoint."""

        #: Its id, the `webhook-id` of every try.
        id: str
        #: The event.
        type: str
        #: `pending` waits for a try, `delivered` was accepted, `dead` was given up.
        state: Literal["pending", "delivered", "dead"]
        #: Tries so far.
        attempts: int
        #: When it is tried next. `null` unless it is pending.
        next_try_at: Optional[str]
        #: How the last try failed: `status 500`, or a code such as `ETIMEDOUT`.
        last_error: Optional[str]
        #: When the event was taken.
        created_at: str
        #: When it was accepted.
        delivered_at: Optional[str]


    class NotificationDeliveryPage(TypedDict):
        """Deliveries, the newest first."""

        #: The records of this page.
        data: List[NotificationDelivery]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    class NotificationEndpoint(TypedDict):
        """An address of the product that is told of events."""

        #: Its id.
        id: str
        #: Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`.
        url: str
        #: The events that are sent.
        events: List[str]
        #: `false` while it is paused: messages wait.
        enabled: bool
        #: Why orchd paused it: it answered 410. `null` otherwise.
        paused_reason: Optional[str]
        #: Deliveries that wait for a try.
        pending: int
        #: Deliveries that were given up.
        dead: int
        #: When a message was last accepted. `null` before.
        last_delivered_at: Optional[str]
        #: The first of the tries that have failed since then. `null` after a success.
        failing_since: Optional[str]
        #: When it was created.
        created_at: str
        #: When it was last changed.
        updated_at: str


    class NotificationEndpointDeleted(TypedDict):
        #: It and its deliveries are gone.
        deleted: Literal[True]


    class NotificationEndpoints(TypedDict):
        """The endpoints of a product."""

        #: All of them, by id.
        endpoints: List[NotificationEndpoint]


    class NotificationEndpointWithSecret(TypedDict):
        """An endpoint with its secret."""

        #: Its id.
        id: str
        #: Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`.
        url: str
        #: The events that are sent.
        events: List[str]
        #: `false` while it is paused: messages wait.
        enabled: bool
        #: Why orchd paused it: it answered 410. `null` otherwise.
        paused_reason: Optional[str]
        #: Deliveries that wait for a try.
        pending: int
        #: Deliveries that were given up.
        dead: int
        #: When a message was last accepted. `null` before.
        last_delivered_at: Optional[str]
        #: The first of the tries that have failed since then. `null` after a success.
        failing_since: Optional[str]
        #: When it was created.
        created_at: str
        #: When it was last changed.
        updated_at: str
        #: The secret that signs messages, returned once.
        secret: str


    class NotificationsReplayed(TypedDict):
        #: Deliveries that are tried again.
        replayed: int


    class PendingRequest(TypedDict):
        """An open question to a person."""

        #: The request's id, which `POST /hitl/respond` takes.
        request_id: str
        #: `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server.
        kind: HitlKind
        #: The text of the question.
        question: str
        #: `tool_call_id`, and `allow_free_text`: whether an answer may be other text than an option. A permission prompt adds what is to be allowed, a login the `server` and the `url` of its link.
        context: Dict[str, Any]
        #: The answers to choose from.
        options: List[str]
        #: The task of the turn that waits.
        task_id: str
        #: The turn that waits.
        turn_id: str
        #: When the turn asked.
        created_at: str


    class PendingRequests(TypedDict):
        """The open questions and permission prompts."""

        #: The open requests.
        requests: List[PendingRequest]


    class _PendingToolCall(TypedDict):
        #: The call's id, which `POST /tools/respond` takes.
        tool_call_id: str
        #: The tool's name.
        tool: str
        #: The input of the call.
        input: Dict[str, Any]
        #: The task of the turn that waits.
        task_id: str
        #: The turn that waits.
        turn_id: str
        #: When the model called the tool.
        created_at: str


    class PendingToolCall(_PendingToolCall, total=False):
        """A call that waits for the client's answer."""

        #: Of a delegated agent: its name.
        agent: str
        #: Of a delegated agent: the call of `delegate` that started it.
        parent_tool_call_id: str


    class PendingToolCalls(TypedDict):
        """The calls that wait for the client's answer."""

        #: The open calls, the oldest first.
        calls: List[PendingToolCall]


    class ProductCatalogRecord(TypedDict):
        """The current version of a product's catalog."""

        #: The versions count from 1. 0 is the one before the first push, without a file.
        version: int
        #: SHA-256 over the files in hex: the same files have the same digest. `null` without a file.
        digest: Optional[str]
        #: The size of all files, unpacked.
        bytes: int
        #: The version whose files a rollback restored. `null` for a push.
        restored_from: Optional[int]
        #: When it was pushed or restored. `null` for version 0.
        created_at: Optional[str]
        #: Who did that: a call of the product or of an operator. `null` for version 0.
        actor: Optional[Literal["product", "admin", "orchd"]]
        #: Its files by path.
        files: List[CatalogFile]


    class ProductKnowledge(TypedDict):
        """The documents that all engines of a product search."""

        #: Rises with each change of the documents. 0 before the first one.
        version: int
        #: All of them, by path.
        documents: List[KnowledgeDocument]
        #: How far the vectors of their passages are. `null` without an embeddings endpoint.
        embeddings: Optional[KnowledgeEmbeddings]


    class Profile(TypedDict):
        """The profile page: what the user has said of themselves, in short."""

        #: The lines in the order of the page.
        lines: List[ProfileLine]
        #: Bytes of the lines' texts.
        bytes: int
        #: Most bytes that they take.
        max_bytes: int


    class ProfileLine(TypedDict):
        """A line of the profile page."""

        #: The line's id.
        id: str
        #: The section of the page.
        section: Literal["about", "people", "work", "preferences", "plans"]
        #: What the line says.
        text: str
        #: `learned`: a learning batch wrote it. `person`: a person has corrected it, and no batch changes it.
        origin: Literal["learned", "person"]
        #: The ids of the rounds that it derives from.
        sources: List[str]
        #: When the line was written first.
        created_at: str
        #: When its text was written.
        updated_at: str


    class ProfileLineDeleted(TypedDict):
        """A line that a person has deleted."""

        #: The line's id.
        id: str
        #: Always `true`.
        deleted: Literal[True]


    class _ProvisionEngineRequest(TypedDict):
        #: The product's id of the user.
        user_id: str


    class ProvisionEngineRequest(_ProvisionEngineRequest, total=False):
        #: Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record.
        metadata: Dict[str, Any]
        #: The name of one of the product's plans. An engine that exists keeps its plan.
        plan: str
        #: `false` only creates the engine. Left out, it starts.
        start: bool


    class QuestionAnswered(TypedDict):
        """A question that was answered."""

        #: The question's id.
        request_id: str
        #: The question has this answer, and its turn goes on.
        status: Literal["resolved"]


    class QuestionPage(TypedDict):
        """Open questions to people, the oldest first."""

        #: The records of this page.
        data: List[QuestionRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    class QuestionRecord(TypedDict):
        """An open question of a turn to a person."""

        #: Its id.
        request_id: str
        #: What is asked, as in `GET /hitl/pending`.
        kind: Literal["question", "permission", "login"]
        #: The text of the question.
        question: str
        #: What the engine says of it, such as what is to be allowed, and `allow_free_text`: whether an answer may be other text than an option.
        context: Dict[str, Any]
        #: The answers to choose from.
        options: List[str]
        #: Whether something of it was left out because it is long. `GET /hitl/pending` of the engine has the whole.
        is_shortened: bool
        #: The task of the turn that waits.
        task_id: str
        #: The turn that waits.
        turn_id: str
        #: The title of the task.
        title: str
        #: The beginning of the message that the turn answers.
        message: str
        #: When the turn asked.
        created_at: str
        #: The engine that asks.
        engine_id: str
        #: Its product.
        product_id: str
        #: Its user.
        user_id: str
        #: The engine's state. An answer wakes one that is `sleeping`.
        engine_state: EngineState


    class RemovedFile(TypedDict):
        """A file or folder that was removed."""

        #: The path in the workspace.
        path: str


    class RemovedMessage(TypedDict):
        """A message that was removed before a turn took it."""

        #: The caller's id of the message, or one that the engine gave it.
        message_id: str


    class ReplayDeliveriesRequest(TypedDict, total=False):
        #: One delivery, whatever became of it. All dead ones when omitted.
        delivery_id: str


    class ReplayPage(TypedDict):
        """Stored events after a cursor."""

        #: The events, the oldest first. Adjacent deltas may be merged into one, and a page may hold fewer than `limit`.
        events: List[EngineEvent]
        #: The `after` of the next call: the `ts` of the last event, or the given `after`. `null` when there is neither.
        next_after: Optional[str]
        #: Whether events after the cursor are no longer kept.
        truncated: bool
        #: The `ts` of the oldest stored event. `null` without one.
        oldest_ts: Optional[str]


    class Resolved(TypedDict):
        """A request that was answered."""

        #: The request's id.
        request_id: str
        #: The request has this answer.
        status: Literal["resolved"]


    class RespondRequest(TypedDict):
        #: The id of the question or permission prompt.
        request_id: str
        #: One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`.
        answer: str


    class _RespondToolRequest(TypedDict):
        #: The `tool_call_id` of the call.
        tool_call_id: str


    class RespondToolRequest(_RespondToolRequest, total=False):
        #: The result, any JSON. It matches the tool's `output_schema`, if it has one. Either this or `error`.
        output: Optional[Union[str, float, bool, List[Any], Dict[str, Any]]]
        #: Why the tool failed, for the model.
        error: str


    class RestoredFiles(TypedDict):
        """The files that calls changed after the message."""

        #: At most 1,000 of them: their earlier state is known.
        restorable: List[RestoredFilesRestorable]
        #: At most 1,000 of them: their earlier state is not known, so they stay as they are.
        not_captured: List[RestoredFilesNotCaptured]
        #: At most 1,000 of them: something else has changed them too, so only `force` restores them.
        changed_by_others: List[RestoredFilesChangedByOthers]
        #: At most 1,000 of them: calls that may have changed other files.
        not_compared: List[RestoredFilesNotCompared]
        #: At most 1,000 of them: files that could not be restored. The same call tries them again.
        failed: List[RestoredFilesFailed]
        #: How many each list would have without its limit.
        counts: RestoredFilesCounts


    class RestoredFilesChangedByOthers(TypedDict):
        #: The path in the workspace.
        path: str
        #: What a restore does. `remove_folder` leaves a folder that is not empty.
        action: Literal["write", "remove", "make_folder", "remove_folder"]


    class RestoredFilesCounts(TypedDict):
        """How many each list would have without its limit."""

        #: Of `restorable`.
        restorable: int
        #: Of `not_captured`.
        not_captured: int
        #: Of `changed_by_others`.
        changed_by_others: int
        #: Of `not_compared`.
        not_compared: int
        #: Of `failed`.
        failed: int


    class RestoredFilesFailed(TypedDict):
        #: The path in the workspace.
        path: str
        #: Why it was not restored.
        reason: str


    class RestoredFilesNotCaptured(TypedDict):
        #: The path in the workspace.
        path: str
        #: Why it is not known.
        reason: Literal["by_command", "too_large", "unreadable", "disk_full", "switched_off", "removed_from_store", "not_a_file"]


    class RestoredFilesNotCompared(TypedDict):
        #: `null`: of changes that were forgotten.
        turn_id: Optional[str]
        #: `null`: of changes that were forgotten.
        tool_call_id: Optional[str]
        #: Why its changes are not known.
        reason: Literal["running", "interrupted", "too_large", "too_many", "unreadable", "forgotten"]


    class RestoredFilesRestorable(TypedDict):
        #: The path in the workspace.
        path: str
        #: What a restore does. `remove_folder` leaves a folder that is not empty.
        action: Literal["write", "remove", "make_folder", "remove_folder"]


    class Rewound(TypedDict):
        """What a rewind did, or with `dry_run` would do."""

        #: The task.
        task_id: str
        #: Whether nothing was changed.
        dry_run: bool
        #: The message that the conversation ends with. `null`: it is empty.
        last_message: Optional[str]
        #: The branch with the messages that left the conversation, which stay readable. `null`: no message left it.
        left_branch: Optional[str]
        #: `null` with `files: keep`.
        files: Optional[RestoredFiles]


    class RollbackCatalogRequest(TypedDict):
        #: The version whose files become current again. 0 is the catalog without a file.
        version: int


    class RotateEndpointSecretRequest(TypedDict, total=False):
        #: Seconds in which messages are signed with both secrets. 0 when omitted.
        grace_s: int


    class RotateEngineKeyRequest(TypedDict, total=False):
        #: How many seconds the old key is accepted too. Left out, it ends at once.
        grace_s: int


    class RotateWebhookSecretRequest(TypedDict, total=False):
        #: How many seconds the old secret is accepted too. Left out, it ends at once.
        grace_s: int


    class RunPage(TypedDict):
        """Runs, the newest first."""

        #: The records of this page.
        data: List[RunRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    class RunRecord(TypedDict):
        """One run of a schedule or a webhook: one turn."""

        #: The run's id.
        id: str
        #: The schedule's id. `null` for a run of a webhook.
        schedule_id: Optional[str]
        #: The webhook's id. `null` for a run of a schedule.
        webhook_id: Optional[str]
        #: When it was due. For a webhook: when its message was received.
        due_at: str
        #: `waiting`: due, its turn has not started. `running` and `waiting_for_human`: its turn has. `done` and `failed`: as the turn ended. `missed`: not started in time. `refused`: could not start.
        state: RunState
        #: The conversation of its turn.
        task_id: Optional[str]
        #: The id of its turn. `null` before it has started.
        turn_id: Optional[str]
        #: Why it failed, was missed or was refused; while it waits, what for.
        error: Optional[str]
        #: When it was stored.
        created_at: str
        #: When its turn started. `null` before that.
        started_at: Optional[str]
        #: When it reached a final state. `null` before that.
        ended_at: Optional[str]


    RunState = Literal["waiting", "running", "waiting_for_human", "done", "failed", "missed", "refused"]


    class ScheduleDeleted(TypedDict):
        #: The schedule and its runs are gone.
        deleted: Literal[True]


    class SchedulePage(TypedDict):
        """Schedules by id."""

        #: The records of this page.
        data: List[ScheduleRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    class ScheduleRecord(TypedDict):
        """A schedule: a message to an engine at its times."""

        #: The schedule's id.
        id: str
        #: The product's id of the user.
        user_id: str
        #: The engine's id.
        engine_id: str
        #: Its name, unique among the schedules of an engine.
        name: str
        #: `false` while it is paused.
        enabled: bool
        #: When it runs.
        timing: ScheduleTiming
        #: What the engine gets.
        message: str
        #: The conversation of every run. `null`: each run has a conversation of its own.
        task_id: Optional[str]
        #: The agent that answers. `null`: the default one.
        agent: Optional[str]
        #: The model that answers. `null`: the agent's.
        model: Optional[str]
        #: How much the model reasons. `null`: as the agent says.
        effort: Optional[Literal["low", "medium", "high"]]
        #: What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`.
        missed: MissedPolicy
        #: With `run_all`: the most missed runs that are caught up.
        missed_limit: int
        #: Each run is later by a part of so many seconds. The part follows from the schedule's id.
        spread_s: int
        #: No run is due from then on. `null` is no end.
        ends_at: Optional[str]
        #: When it is due next. `null` while it is paused, and after its last run.
        next_due_at: Optional[str]
        #: The next due times, at most five.
        next_runs: List[str]
        #: Its newest run. `null` before the first.
        last_run: Optional[RunRecord]
        #: When it was created.
        created_at: str
        #: When it was last changed.
        updated_at: str


    ScheduleTiming = Union["ScheduleTiming1", "ScheduleTiming2", "ScheduleTiming3"]


    class ScheduleTiming1(TypedDict):
        #: Once.
        kind: Literal["at"]
        #: The time.
        at: str


    class ScheduleTiming2(TypedDict):
        #: By a cron expression in a time zone.
        kind: Literal["cron"]
        #: Five fields, or six with seconds first, or a name such as `@daily`.
        cron: str
        #: A time zone of the IANA database.
        time_zone: str


    class ScheduleTiming3(TypedDict):
        #: Every so many seconds from an anchor.
        kind: Literal["every"]
        #: The seconds between two runs.
        every_s: int
        #: The time from which they are counted.
        anchor_at: str


    class _SearchDocumentsRequest(TypedDict):
        #: What to find, as a user would ask it.
        query: str


    class SearchDocumentsRequest(_SearchDocumentsRequest, total=False):
        #: The largest number of results.
        limit: int


    SearchMemoryRequest = TypedDict("SearchMemoryRequest", {"query": "str", "limit": "int", "kinds": "List[Literal['episode', 'fact', 'note']]", "bearing": "Literal['answers', 'touches']", "as_of": "str", "from": "str", "to": "str"}, total=False)


    class SecretDeleted(TypedDict):
        #: It is gone.
        deleted: Literal[True]


    SecretRecord = TypedDict("SecretRecord", {"name": "str", "hosts": "List[str]", "place": "Literal['header', 'query', 'basic', 'body']", "header": "Optional[str]", "prefix": "Optional[str]", "from": "Optional[str]", "hash_prefix": "Optional[str]", "created_at": "str", "updated_at": "str", "last_used_at": "Optional[str]"}, total=False)


    class Secrets(TypedDict):
        """The secrets of a product or a user."""

        #: All of them, by name.
        secrets: List[SecretRecord]


    class SentMessage(TypedDict):
        """What became of a message that may wait."""

        #: The caller's id of the message, or one that the engine gave it.
        message_id: str
        #: Its place among the messages that wait, from 1. 0: a turn has taken it.
        position: int
        #: The turn that has taken it. `null` while it waits.
        turn_id: Optional[str]


    class _ServerAsset(TypedDict):
        #: The name in `.mcp.json`.
        name: str
        #: How the engine reaches it.
        transport: Literal["stdio", "http", "sse"]
        #: `idle`: its tools are known, and it is connected at the first call. `held`: it is connected, but some tools changed since they were first seen and must be allowed. `needs_login`: the user has not signed in.
        status: Literal["idle", "connecting", "ready", "held", "needs_login", "restarting", "failed"]
        #: Its tools.
        tools: List[ServerToolAsset]


    class ServerAsset(_ServerAsset, total=False):
        """A tool server, without its settings."""

        #: The version of MCP that is spoken.
        protocol_version: str
        #: Why it is not ready, or which tools are left out.
        error: str
        #: Seconds until a failed server is retried. 0 during the retry.
        next_try_in_s: int
        #: The last lines of standard error of a stdio server that is not ready, without the values of its `env`.
        stderr: List[str]


    class _Servers(TypedDict):
        #: The tool servers. Those with invalid settings come last.
        servers: List[ServerAsset]


    class Servers(_Servers, total=False):
        """The tool servers of the catalog."""

        #: Problems of `.mcp.json`. Omitted without one.
        errors: List[CatalogRemark]


    class _ServerToolAsset(TypedDict):
        #: The name that the model uses.
        name: str
        #: The server's name of the tool.
        tool: str
        #: What the server says about the tool.
        description: str
        #: Whether the server declares the tool read-only.
        read_only: bool
        #: The hash of this definition, needed to allow it.
        definition: str
        #: What the catalog says: `allow` calls it, `ask` asks the user first.
        permission: Literal["allow", "ask", "deny"]
        #: `held`: its definition changed since it was first seen, and must be allowed. `denied`: by the catalog. `left_out`: it cannot be offered to the model.
        status: Literal["offered", "held", "denied", "left_out"]


    class ServerToolAsset(_ServerToolAsset, total=False):
        """A tool of a tool server."""

        #: Why it is held or left out.
        reason: str
        #: How the model is shown the tool: loaded by tool search, or with another definition than the server's.
        note: str
        #: The definitions of a held tool.
        held: ServerToolAssetHeld


    class ServerToolAssetHeld(TypedDict):
        """The definitions of a held tool."""

        #: The current definition.
        now: ShownDefinition
        #: The definition that was first seen, or last allowed.
        was: ShownDefinition


    class _SetUserSecretRequest(TypedDict):
        #: The value. No call returns it.
        value: str
        #: The hosts that it is sent to, and no others: names such as `api.example.com`, `*.example.com` or `host:8443`.
        hosts: List[str]


    class SetUserSecretRequest(_SetUserSecretRequest, total=False):
        #: Where it goes in a request: a `header`, a parameter of the `query`, the password of `basic` authentication, or the `body`.
        place: Literal["header", "query", "basic", "body"]
        #: The header, or with `query` the parameter. `Authorization` or `token` when omitted.
        header: str
        #: What stands before it in the header; with `basic` the user. `Bearer ` for `Authorization`, with `basic` `token`, else nothing.
        prefix: str


    class ShownDefinition(TypedDict):
        """The current definition."""

        #: What the server says about the tool.
        description: str
        #: Whether the server declares the tool read-only.
        read_only: bool
        #: The JSON schema of the tool's input.
        input_schema: Dict[str, Any]
        #: The hash of this definition, needed to allow it.
        definition: str


    class _ShownTurn(TypedDict):
        #: The turn's id.
        turn_id: str
        #: The task, which is the conversation.
        task_id: str
        #: `waiting_for_human`: a question, a permission prompt or a call of a client's tool is open.
        state: Literal["running", "waiting_for_human", "completed", "errored"]
        #: The error code of a turn that `errored`.
        error: Optional[str]
        #: The agent of the catalog that ran it.
        agent: str
        #: The text of the user's message, cut after 500 characters.
        message: str
        #: When it began.
        started_at: str
        #: When it ended. `null` before that.
        ended_at: Optional[str]


    class ShownTurn(_ShownTurn, total=False):
        """A turn, with its result."""

        #: Only of a completed turn with an output schema: its result.
        output: Dict[str, Any]


    class SkillDecided(TypedDict):
        """A skill draft that was decided."""

        #: The draft's id.
        id: str
        #: The name of the skill, and of its folder in the catalog.
        name: str
        #: The decision.
        state: Literal["allowed", "refused"]
        #: The reload of the catalog. `null` for a refused skill, and for one that had been decided before.
        catalog: Optional[SkillDecidedCatalog1]


    class SkillDecidedCatalog1(TypedDict):
        #: Whether the catalog has loaded the skill.
        reloaded: bool
        #: Why it has not. Empty when it has.
        errors: List[CatalogRemark]


    class SkillDraftRecord(TypedDict):
        """A skill that learning drafted from successful turns. No agent uses it before a person allows it."""

        #: The draft's id.
        id: str
        #: The name of the skill, and of its folder in the catalog.
        name: str
        #: The content of the file `SKILL.md`.
        body: str
        #: `proposed`: nobody has decided yet.
        state: Literal["proposed", "allowed", "refused"]
        #: The least trusted source that it derives from.
        trust: TrustLabel
        #: The ids of the trajectories that it derives from.
        trajectories: List[str]
        #: When it was drafted.
        created_at: str
        #: When it was decided. `null` before that.
        decided_at: Optional[str]


    class SkillDrafts(TypedDict):
        """The skill drafts, at most 200."""

        #: The newest first.
        skills: List[SkillDraftRecord]


    SocialEdgeRecord = TypedDict("SocialEdgeRecord", {"id": "str", "from": "str", "to": "str", "relation": "str", "trust": "TrustLabel", "valid_from": "Optional[str]", "valid_to": "Optional[str]"}, total=False)


    class SocialNodeRecord(TypedDict):
        """A person or thing, with its relations to others."""

        #: The id of a person or thing.
        id: str
        #: The name by which it is mentioned.
        name: str
        #: Such as `person`, `organisation`, `place`, `animal` or `thing`.
        type: str
        #: Other names of it.
        aliases: List[str]
        #: What it is to the user.
        summary: str
        #: The least trusted source that it derives from.
        trust: TrustLabel
        #: How many rounds mention it.
        mention_count: int
        #: When it was first mentioned.
        first_seen: str
        #: When it was last mentioned.
        last_seen: str
        #: Its relations that the engine believes now.
        edges: List[SocialEdgeRecord]


    class SocialPage(TypedDict):
        """Records of the memory, the newest first."""

        #: The records of this page.
        items: List[SocialNodeRecord]
        #: The `cursor` of the next page of the same list. `null` on the last one.
        next_cursor: Optional[str]


    class StopEngineRequest(TypedDict, total=False):
        #: How many seconds running turns get to end. Left out: the policy's `drain_s`.
        drain_s: int
        #: `true` waits for no turn.
        force: bool


    class StoredFile(TypedDict):
        """A file that was written."""

        #: The path in the workspace.
        path: str
        #: The size.
        bytes: int
        #: SHA-256 of the content. In quotes, it is the `ETag`.
        digest: str
        #: Whether there was no file before.
        created: bool


    class TaskArtifactPart(TypedDict):
        """A file that the agent published."""

        #: The version's id.
        artifact_id: str
        #: The task.
        task_id: str
        #: The turn that published it.
        turn_id: str
        #: The path in the workspace.
        path: str
        #: What the agent calls it.
        title: str
        #: Counts what the task has published under this path, from 1.
        version: int
        #: The size.
        bytes: int
        #: SHA-256 of the content. In quotes, it is the `ETag`.
        digest: str
        #: The type, by the name of the file.
        media_type: str
        #: When it was published.
        created_at: str
        #: The kind of part. It comes after the call of `publish_file`.
        type: Literal["artifact"]


    class _TaskAttachmentPart(TypedDict):
        #: Detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note.
        kind: AttachmentKind
        #: The original name without path, control characters and markup.
        name: str
        #: The type of the bytes.
        media_type: str
        #: The size of the file.
        bytes: int
        #: SHA-256 of the bytes in lower-case hex.
        digest: str
        #: Its path in the engine's workspace.
        path: str
        #: The kind of part.
        type: Literal["attachment"]


    class TaskAttachmentPart(_TaskAttachmentPart, total=False):
        """A file that the user attached."""

        #: The type that the sender declared, if the bytes have another one.
        claimed_media_type: str
        #: Of an image: pixels.
        width: int
        #: Of an image: pixels.
        height: int


    class TaskBranch(TypedDict):
        """A branch that a task's conversation is on, or was on before a rewind."""

        #: The branch's id.
        branch_id: str
        #: Whether the conversation is on it.
        is_current: bool
        #: The last message that it shares with an earlier branch. `null`: none.
        after_message: Optional[str]
        #: Its first own message. `null` without one.
        first_message: Optional[str]
        #: When it began.
        created_at: str


    class TaskContextPart(TypedDict):
        """Context that went with the message, for audits. The user did not write it."""

        #: The kind of part.
        type: Literal["context"]
        #: What it is.
        name: str
        #: Its text.
        content: str
        #: How long it was valid.
        ttl: Literal["turn", "task"]


    class TaskDefaults(TypedDict, total=False):
        """Replaces the defaults of its messages. `{}` removes them."""

        #: An agent of the catalog. `default` when omitted.
        agent: str
        #: The model of the turn: `model`, or `provider:model` for another provider. The agent's when omitted.
        model: str
        #: How much the model reasons, if it has this option.
        effort: Literal["low", "medium", "high"]
        #: Tools that the client runs, up to 64 in 256 KiB.
        client_tools: List[TaskDefaultsClientTools]


    class _TaskDefaultsClientTools(TypedDict):
        #: The tool's name. It is no built-in tool and no tool of the catalog.
        name: str
        #: What the tool does and when to use it. The model reads it.
        description: str
        #: JSON Schema of the arguments, an object.
        input_schema: Dict[str, Any]


    class TaskDefaultsClientTools(_TaskDefaultsClientTools, total=False):
        #: JSON Schema of the output. An answer that does not match is refused, and the call stays open.
        output_schema: Dict[str, Any]


    class TaskDeleted(TypedDict):
        """A task that was deleted, and what went with it."""

        #: The task's id. A turn with it begins a new task.
        task_id: str
        #: What was deleted, by kind.
        deleted: Dict[str, int]
        #: Messages that stay, because a fork of the task refers to them.
        kept_messages: int
        #: With `forget=true`, what memory had learned from this task alone, by kind. `null` without.
        forgotten: Optional[Dict[str, int]]


    class TaskErrorPart(TypedDict):
        """Why a turn failed."""

        #: The kind of part.
        type: Literal["error"]
        #: The error code, by which programs decide.
        error: str


    class _TaskMessage(TypedDict):
        #: The message's id, which stays the same: `msg_` and a number that rises.
        message_id: str
        #: Who said it.
        role: Literal["user", "assistant"]
        #: The turn it belongs to.
        turn_id: str
        #: When it was stored; of an answer, its first part.
        created_at: str
        #: What it consists of, in order.
        parts: List[TaskMessagePart]
        #: Tokens of the turn, with its last message. `null` for others, and before the turn has ended.
        usage: Optional[TaskMessageUsage1]
        #: The state of the turn, with its last message. `completed` for those before it.
        status: Literal["running", "waiting_for_human", "completed", "errored"]


    class TaskMessage(_TaskMessage, total=False):
        """What the user or the agent said. All answers of a turn up to the next message of the user are one message, with the results of their calls."""

        #: Only of a completed turn with an output schema: its result.
        output: Dict[str, Any]


    TaskMessagePart = Union["TaskTextPart", "TaskReasoningPart", "TaskToolPart", "TaskArtifactPart", "TaskAttachmentPart", "TaskContextPart", "TaskQuestionPart", "TaskErrorPart"]


    class TaskMessages(TypedDict):
        """Messages of a conversation, in their order."""

        #: The messages of this page, the oldest first.
        items: List[TaskMessage]
        #: The `before` of the page with older messages. `null`: there are none.
        before: Optional[str]
        #: The `after` of the page with newer messages. `null`: there are none.
        after: Optional[str]


    class TaskMessageUsage1(TypedDict):
        #: Tokens of the input, with those read from the provider's cache.
        input_tokens: int
        #: Tokens of the output, with those of reasoning.
        output_tokens: int
        #: Tokens of the input that the provider read from its cache.
        cache_hit_tokens: int


    class TaskPage(TypedDict):
        """Tasks, the latest activity first."""

        #: The tasks of this page.
        items: List[TaskRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    class TaskParent(TypedDict):
        """Where a task was forked from."""

        #: The task it was forked from. It may be deleted since.
        task_id: str
        #: The last message that both have. `null`: none.
        after_message: Optional[str]


    class TaskQuestionPart(TypedDict):
        """A question or a permission prompt to a person."""

        #: The kind of part.
        type: Literal["question"]
        #: The request's id, which `POST /hitl/respond` takes.
        request_id: str
        #: `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server.
        kind: HitlKind
        #: The text of the question.
        question: str
        #: The answers to choose from.
        options: List[str]
        #: `closed`: it was cancelled or has expired, and nobody answered.
        status: Literal["open", "answered", "closed"]
        #: The answer. `null` without one.
        answer: Optional[str]


    class TaskReasoningPart(TypedDict):
        """Reasoning of the model."""

        #: The kind of part.
        type: Literal["reasoning"]
        #: The text of the reasoning.
        text: str


    class _TaskRecord(TypedDict):
        #: The task's id, which its first turn named.
        task_id: str
        #: What it is about.
        title: str
        #: `first_words`: of its first message. `model`: a light model wrote it. `user`: a call of `PATCH` set it.
        title_source: TaskTitleSource
        #: The agent that ran its last turn.
        agent: str
        #: When its first turn began.
        created_at: str
        #: When its last turn began or ended.
        last_active_at: str
        #: Messages of its conversation, as `GET /tasks/{task_id}/messages` lists them.
        message_count: int
        #: `running`: a turn runs. `waiting`: its turn waits for a person or for a tool of the client. `queued`: messages wait, and no turn runs.
        state: TaskState
        #: Open questions and permission prompts.
        open_requests: int
        #: Tokens of all its turns that have ended.
        usage: TaskRecordUsage
        #: Whether lists leave it out.
        archived: bool
        #: Strings of the product's own, by their keys.
        metadata: Dict[str, str]
        #: `null` for a task that is no fork.
        parent: Optional[TaskParent]


    class TaskRecord(_TaskRecord, total=False):
        """A task, which is a conversation."""

        #: Only with `defaults=true`: what messages have that do not say it themselves.
        defaults: TaskDefaults
        #: Only with `branches=true`: what rewinds left, and the branch that the conversation is on.
        branches: List[TaskBranch]


    class TaskRecordUsage(TypedDict):
        """Tokens of all its turns that have ended."""

        #: Tokens of the input, with those read from the provider's cache.
        input_tokens: int
        #: Tokens of the output, with those of reasoning.
        output_tokens: int
        #: Tokens of the input that the provider read from its cache.
        cache_hit_tokens: int


    TaskState = Literal["idle", "running", "waiting", "queued"]


    class TaskTextPart(TypedDict):
        """Text of the user or of the agent."""

        #: The kind of part.
        type: Literal["text"]
        #: The text.
        text: str


    TaskTitleSource = Literal["first_words", "model", "user"]


    class _TaskToolPart(TypedDict):
        #: The kind of part.
        type: Literal["tool"]
        #: The call's id.
        tool_call_id: str
        #: The tool's name.
        tool: str
        #: The input of the call.
        input: Dict[str, Any]
        #: `running`: it has no result yet.
        status: Literal["running", "completed", "failed"]
        #: What the tool returned. `null` before, and for a call that failed.
        output: Any
        #: Why the call failed. `null` otherwise.
        error: Optional[str]


    class TaskToolPart(_TaskToolPart, total=False):
        """A call of a tool, with its result once it has one."""

        #: Files of the result. Omitted without one.
        attachments: List[AttachmentRecord]
        #: What the product's hook decided. Omitted when it was not asked, or allowed the call.
        hook: TaskToolPartHook


    class TaskToolPartHook(TypedDict):
        """What the product's hook decided. Omitted when it was not asked, or allowed the call."""

        #: `change`: the call ran with its `input`.
        verdict: Literal["deny", "ask", "change"]
        #: Why the product denied it. `null` without one.
        reason: Optional[str]
        #: Of `change`: the input that the call ran with. `null` otherwise.
        input: Optional[Dict[str, Any]]
        #: Why the product did not decide; the verdict is then the policy's.
        error: Optional[str]


    class TextPart(TypedDict):
        """A text of a message."""

        #: Marks a text.
        type: Literal["text"]
        #: Not only white space. The texts of all parts together have at most 1 MiB.
        text: str


    class ToolAnswered(TypedDict):
        """A call that was answered."""

        #: The call's id.
        tool_call_id: str
        #: The call has this answer.
        status: Literal["answered"]


    class ToolsAllowed(TypedDict):
        """Changed tools that were allowed."""

        #: Always `true`.
        allowed: Literal[True]


    class TrajectoryPage(TypedDict):
        """Records of the memory, the newest first."""

        #: The records of this page.
        items: List[TrajectoryRecord]
        #: The `cursor` of the next page of the same list. `null` on the last one.
        next_cursor: Optional[str]


    class TrajectoryRecord(TypedDict):
        """How a turn went: its tool calls and its outcome."""

        #: The trajectory's id.
        id: str
        #: The conversation, which is the task.
        thread_id: str
        #: The task, which is the conversation.
        task_id: str
        #: When the turn ended.
        created_at: str
        #: The turn.
        turn_id: str
        #: How the turn ended.
        outcome: Literal["completed", "errored"]
        #: The error code of a turn that `errored`.
        error_code: Optional[str]
        #: Its tool calls, in their order.
        steps: List[TrajectoryStep]
        #: Tokens of all model calls of the turn.
        usage: TrajectoryRecordUsage
        #: Milliseconds from the turn's start to its end.
        duration_ms: int
        #: The least trusted source that it derives from.
        trust: TrustLabel
        #: The learning batch that has read it. `null` before that.
        batch_id: Optional[str]


    class TrajectoryRecordUsage(TypedDict):
        """Tokens of all model calls of the turn."""

        #: Tokens of the input, with those read from the provider's cache.
        input_tokens: int
        #: Tokens of the output, with those of reasoning.
        output_tokens: int
        #: Tokens of the input that the provider read from its cache.
        cache_hit_tokens: int


    class _TrajectoryStep(TypedDict):
        #: The tool's name.
        tool: str
        #: The input as JSON. A long one is cut.
        input: str
        #: The output. A long one is cut.
        output: str
        #: Whether the call succeeded.
        ok: bool


    class TrajectoryStep(_TrajectoryStep, total=False):
        """One tool call of a turn."""

        #: The sub-agent that made the call. Omitted for the turn's own agent.
        thread: str


    class TriedRule(TypedDict):
        """The rule of `settings.yaml` that decides a call."""

        #: What the rule says.
        permission: Literal["allow", "ask", "deny"]
        #: The file of the rule.
        path: str
        #: Its line in the file.
        line: int
        #: The reason that it gives. `null` without one.
        reason: Optional[str]


    TrustLabel = Literal["external", "model", "internal", "user"]


    class TurnPage(TypedDict):
        """Turns, the newest first."""

        #: The turns of this page.
        items: List[TurnRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    TurnPhase = Literal["started", "completed", "errored"]


    class TurnRecord(TypedDict):
        """A turn: one message of the user and the work on it."""

        #: The turn's id.
        turn_id: str
        #: The task, which is the conversation.
        task_id: str
        #: `waiting_for_human`: a question, a permission prompt or a call of a client's tool is open.
        state: Literal["running", "waiting_for_human", "completed", "errored"]
        #: The error code of a turn that `errored`.
        error: Optional[str]
        #: The agent of the catalog that ran it.
        agent: str
        #: The text of the user's message, cut after 500 characters.
        message: str
        #: When it began.
        started_at: str
        #: When it ended. `null` before that.
        ended_at: Optional[str]


    class UsagePage(TypedDict):
        """Usage by group."""

        #: The records of this page.
        data: List[UsageRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]
        #: The currency of the price table. `null` without one.
        currency: Optional[str]
        #: The first UTC day.
        since: str
        #: The last UTC day, included.
        until: str


    class _UsageRecord(TypedDict):
        #: Calls that reached the provider and reported their tokens, including retries and learning.
        model_calls: int
        #: Calls that ended without the provider's count of tokens. Their tokens are estimated.
        estimated_calls: int
        #: Including those read from and written to the provider's cache.
        input_tokens: int
        #: Tokens that models wrote.
        output_tokens: int
        #: Input tokens that were read from the provider's cache.
        cache_read_tokens: int
        #: Input tokens that were written to the provider's cache.
        cache_write_tokens: int
        #: Turns that ended. `null` when grouped by model.
        turns: Optional[int]
        #: Turns that ended with an error. `null` when grouped by model.
        failed_turns: Optional[int]
        #: Calls of tools. `null` when grouped by model.
        tool_calls: Optional[int]
        #: Milliseconds from begin to end of the turns, waits for a person included. `null` when grouped by model.
        turn_ms: Optional[int]
        #: Cost in millionths of the currency. `null` when the price of any of the tokens is unknown.
        cost_micros: Optional[int]
        #: Tokens of models without a price.
        unpriced_tokens: int


    class UsageRecord(_UsageRecord, total=False):
        """What was used by one group. The fields of what it is not grouped by are left out."""

        #: The product's id.
        product_id: str
        #: The plan that the user's engine has now, not the one of that day. Empty: none, or no engine.
        plan: str
        #: The product's id of the user.
        user_id: str
        #: A UTC day.
        day: str
        #: The provider of the model.
        provider: str
        #: The model's id at its provider.
        model: str


    class UserToken(TypedDict):
        """A token with which the user's own browser or app calls the user's engine."""

        #: The token's id, as the audit log has it.
        id: str
        #: The token, shown only now. It is sent as `Authorization: Bearer <token>`.
        token: str
        #: What it permits, separated by spaces.
        scope: str
        #: When it ends.
        expires_at: str
        #: The daemon's address for browsers, from `ORCH_PUBLIC_URL`. `null` when it is not set.
        url: Optional[str]


    class UserTokensRevoked(TypedDict):
        """The end of all tokens of a user."""

        #: How often the user's tokens have been revoked.
        epoch: int


    class _WaitingMessage(TypedDict):
        #: The caller's id of the message, or one that the engine gave it.
        message_id: str
        #: Its place among the messages that wait, from 1.
        position: int
        #: Whether it waits for a turn of its own or for the running one.
        when_busy: Literal["queue", "steer"]
        #: What the user wrote, without attachments.
        text: str
        #: The agent that answers if the message starts a turn.
        agent: str
        #: When it was sent.
        created_at: str


    class WaitingMessage(_WaitingMessage, total=False):
        """A message that waits in a task's inbox."""

        #: The files of the message. Omitted without one.
        attachments: List[AttachmentRecord]


    class WebhookDeleted(TypedDict):
        #: The webhook and its runs are gone.
        deleted: Literal[True]


    class WebhookPage(TypedDict):
        """Webhooks by id."""

        #: The records of this page.
        data: List[WebhookRecord]
        #: The `cursor` of the next page. `null` on the last one.
        next_cursor: Optional[str]


    class WebhookRecord(TypedDict):
        """A webhook: an address for signed messages, each of which starts a turn."""

        #: The webhook's id.
        id: str
        #: The product's id of the user.
        user_id: str
        #: The engine's id.
        engine_id: str
        #: Its name, unique among the webhooks of an engine.
        name: str
        #: `false` while it refuses messages.
        enabled: bool
        #: The path of its address on the orchestrator.
        path: str
        #: The message of the turn. `{{payload}}` is what was sent.
        template: str
        #: The conversation of every run. `null`: each run has a conversation of its own.
        task_id: Optional[str]
        #: The agent that answers. `null`: the default one.
        agent: Optional[str]
        #: The model that answers. `null`: the agent's.
        model: Optional[str]
        #: How much the model reasons. `null`: as the agent says.
        effort: Optional[Literal["low", "medium", "high"]]
        #: Messages beyond it get 429 with `Retry-After`.
        requests_per_minute: int
        #: Its newest run. `null` before the first.
        last_run: Optional[RunRecord]
        #: When it was created.
        created_at: str
        #: When it was last changed.
        updated_at: str


    class WebhookWithSecret(TypedDict):
        """A webhook with its secret."""

        #: The webhook's id.
        id: str
        #: The product's id of the user.
        user_id: str
        #: The engine's id.
        engine_id: str
        #: Its name, unique among the webhooks of an engine.
        name: str
        #: `false` while it refuses messages.
        enabled: bool
        #: The path of its address on the orchestrator.
        path: str
        #: The message of the turn. `{{payload}}` is what was sent.
        template: str
        #: The conversation of every run. `null`: each run has a conversation of its own.
        task_id: Optional[str]
        #: The agent that answers. `null`: the default one.
        agent: Optional[str]
        #: The model that answers. `null`: the agent's.
        model: Optional[str]
        #: How much the model reasons. `null`: as the agent says.
        effort: Optional[Literal["low", "medium", "high"]]
        #: Messages beyond it get 429 with `Retry-After`.
        requests_per_minute: int
        #: Its newest run. `null` before the first.
        last_run: Optional[RunRecord]
        #: When it was created.
        created_at: str
        #: When it was last changed.
        updated_at: str
        #: The secret that signs messages, returned once. `null` in a repeated response.
        secret: Optional[str]


    WorkingMemoryEntryType = Literal["note", "observation", "summary"]


    class WorkingMemoryPage(TypedDict):
        """Records of the memory, the newest first."""

        #: The records of this page.
        items: List[WorkingMemoryRecord]
        #: The `cursor` of the next page of the same list. `null` on the last one.
        next_cursor: Optional[str]


    class WorkingMemoryRecord(TypedDict):
        """A note that the agent wrote down."""

        #: The note's id.
        id: str
        #: The task, which is the conversation.
        task_id: str
        #: The turn.
        turn_id: str
        #: What the agent wrote it as.
        entry_type: WorkingMemoryEntryType
        #: The text of the note.
        content: str
        #: When it was written.
        created_at: str


_RECORDS = frozenset(
    """
    AllowToolsRequest
    AnswerQuestionRequest
    Artifact
    ArtifactList
    AttachmentKind
    AttachmentPart
    AttachmentRecord
    BlockType
    Cancelled
    CancelRequest
    CatalogChanges
    CatalogEntry
    CatalogFault
    CatalogFile
    CatalogHistory
    CatalogPushed
    CatalogReloaded
    CatalogRemark
    CatalogRollout
    CatalogRolloutFailed
    CatalogShown
    CatalogVersion
    ChangeEndpointRequest
    ChangeEngineRequest
    ChangeScheduleRequest
    ChangeScheduleRequestTiming1
    ChangeScheduleRequestTiming2
    ChangeScheduleRequestTiming3
    ChangeTaskRequest
    ChangeWebhookRequest
    Connection
    Connections
    ContextItem
    ContextParts
    CoreSoulReloaded
    CorrectProfileLineRequest
    CreateEndpointRequest
    CreateScheduleRequest
    CreateScheduleRequestTiming1
    CreateScheduleRequestTiming2
    CreateScheduleRequestTiming3
    CreateTaskRequest
    CreateUserTokenRequest
    CreateUserTokenRequestTasks
    CreateWebhookRequest
    DecideSkillRequest
    Disconnected
    EditMessageRequest
    EmbeddingsHealth
    EmptyRequest
    EndFactRequest
    EngineDestroyed
    EngineEvent
    EngineEvent1
    EngineEvent10
    EngineEvent10Data
    EngineEvent11
    EngineEvent11Data
    EngineEvent12
    EngineEvent12Data
    EngineEvent13
    EngineEvent13Data
    EngineEvent14
    EngineEvent14Data
    EngineEvent15
    EngineEvent15Data
    EngineEvent16
    EngineEvent16Data
    EngineEvent17
    EngineEvent17Data
    EngineEvent18
    EngineEvent18Data
    EngineEvent19
    EngineEvent19Data
    EngineEvent1Data
    EngineEvent2
    EngineEvent20
    EngineEvent20Data
    EngineEvent21
    EngineEvent21Data
    EngineEvent22
    EngineEvent22Data
    EngineEvent2Data
    EngineEvent3
    EngineEvent3Data
    EngineEvent4
    EngineEvent4Data
    EngineEvent5
    EngineEvent5Data
    EngineEvent6
    EngineEvent6Data
    EngineEvent7
    EngineEvent7Data
    EngineEvent8
    EngineEvent8Data
    EngineEvent9
    EngineEvent9Data
    EngineHealth
    EngineKeyRotated
    EngineKeyRotatedApiKey
    EngineKeyRotatedAwake1
    EngineKeyRotatedCatalog1
    EngineKeyRotatedHealth
    EngineKeyRotatedRestarts
    EngineKeyRotatedSleep1
    EnginePage
    EnginePolicy
    EnginePolicyFrom
    EnginePolicyOwn
    EnginePolicyOwnBudgets
    EnginePolicyOwnBudgetsEngine
    EngineRecord
    EngineRecordApiKey
    EngineRecordAwake1
    EngineRecordCatalog1
    EngineRecordHealth
    EngineRecordRestarts
    EngineRecordSleep1
    EngineState
    EngineStopped
    EngineStoppedApiKey
    EngineStoppedAwake1
    EngineStoppedCatalog1
    EngineStoppedHealth
    EngineStoppedRestarts
    EngineStoppedSleep1
    EngineUsage
    EngineUsageWork1
    EngineWithKey
    EngineWithKeyApiKey
    EngineWithKeyAwake1
    EngineWithKeyCatalog1
    EngineWithKeyHealth
    EngineWithKeyRestarts
    EngineWithKeySleep1
    EpisodePage
    EpisodeRecord
    EventPage
    EventRecord
    EventType
    ExecuteRequest
    ExecuteRequestClientTools
    FactEnded
    FileEntry
    FileLink
    FileList
    ForkedTask
    ForkedTaskParent
    HeldPolicy
    HeldPolicyBudgets
    HeldPolicyBudgetsEngine
    HeldPolicyBudgetsProduct
    HitlKind
    InboxList
    KnowledgeDocument
    KnowledgeDocumentDeleted
    KnowledgeDocumentPut
    KnowledgeDocumentShown
    KnowledgeEmbeddings
    KnowledgeFound
    KnowledgeHit
    KnowledgeHits
    KnowledgePage
    KnowledgePassage
    KnowledgeRecord
    KnowledgeResult
    LastError
    LearningBatch
    LinkFileRequest
    LoginLink
    MemoryErased
    MemoryImported
    MemoryReset
    MessageContent
    MessagePart
    MissedPolicy
    ModelHealth
    ModelRequestRecord
    ModelRequestRecordContext
    ModelRequestRecordUsage1
    ModelRequests
    ModelRequestSummary
    ModelRequestSummaryContext
    ModelRequestSummaryUsage1
    MovedFile
    MoveFileRequest
    NotificationDelivery
    NotificationDeliveryPage
    NotificationEndpoint
    NotificationEndpointDeleted
    NotificationEndpoints
    NotificationEndpointWithSecret
    NotificationsReplayed
    PendingRequest
    PendingRequests
    PendingToolCall
    PendingToolCalls
    ProductCatalogRecord
    ProductKnowledge
    Profile
    ProfileLine
    ProfileLineDeleted
    ProvisionEngineRequest
    QuestionAnswered
    QuestionPage
    QuestionRecord
    RemovedFile
    RemovedMessage
    ReplayDeliveriesRequest
    ReplayPage
    Resolved
    RespondRequest
    RespondToolRequest
    RestoredFiles
    RestoredFilesChangedByOthers
    RestoredFilesCounts
    RestoredFilesFailed
    RestoredFilesNotCaptured
    RestoredFilesNotCompared
    RestoredFilesRestorable
    Rewound
    RollbackCatalogRequest
    RotateEndpointSecretRequest
    RotateEngineKeyRequest
    RotateWebhookSecretRequest
    RunPage
    RunRecord
    RunState
    ScheduleDeleted
    SchedulePage
    ScheduleRecord
    ScheduleTiming
    ScheduleTiming1
    ScheduleTiming2
    ScheduleTiming3
    SearchDocumentsRequest
    SearchMemoryRequest
    SecretDeleted
    SecretRecord
    Secrets
    SentMessage
    ServerAsset
    Servers
    ServerToolAsset
    ServerToolAssetHeld
    SetUserSecretRequest
    ShownDefinition
    ShownTurn
    SkillDecided
    SkillDecidedCatalog1
    SkillDraftRecord
    SkillDrafts
    SocialEdgeRecord
    SocialNodeRecord
    SocialPage
    StopEngineRequest
    StoredFile
    TaskArtifactPart
    TaskAttachmentPart
    TaskBranch
    TaskContextPart
    TaskDefaults
    TaskDefaultsClientTools
    TaskDeleted
    TaskErrorPart
    TaskMessage
    TaskMessagePart
    TaskMessages
    TaskMessageUsage1
    TaskPage
    TaskParent
    TaskQuestionPart
    TaskReasoningPart
    TaskRecord
    TaskRecordUsage
    TaskState
    TaskTextPart
    TaskTitleSource
    TaskToolPart
    TaskToolPartHook
    TextPart
    ToolAnswered
    ToolsAllowed
    TrajectoryPage
    TrajectoryRecord
    TrajectoryRecordUsage
    TrajectoryStep
    TriedRule
    TrustLabel
    TurnPage
    TurnPhase
    TurnRecord
    UsagePage
    UsageRecord
    UserToken
    UserTokensRevoked
    WaitingMessage
    WebhookDeleted
    WebhookPage
    WebhookRecord
    WebhookWithSecret
    WorkingMemoryEntryType
    WorkingMemoryPage
    WorkingMemoryRecord
    """.split()
)


def __getattr__(name: str) -> Any:
    """The types of records are plain dictionaries in a program that runs."""
    if name in _RECORDS:
        return dict
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_HEALTH = _Route("GET", "/health")
_EXECUTE = _Route("POST", "/execute", query=("ids", "events"), headers=("Idempotency-Key", "Last-Event-ID", "X-Orchd-Events"), body=("message", "task_id", "agent", "model", "effort", "thinking", "max_steps", "regenerate", "on_disconnect", "metadata", "client_tools", "when_busy", "interrupt", "message_id", "output_schema", "context"))
_REPLAY = _Route("GET", "/execute/replay", query=("after", "task_id", "turn_id", "limit", "follow", "ids", "events"), headers=("Last-Event-ID", "X-Orchd-Events"))
_CANCEL = _Route("POST", "/execute/cancel", body=("task_id", "inbox"))
_LIST_INBOX = _Route("GET", "/tasks/{task_id}/inbox")
_EDIT_MESSAGE = _Route("PATCH", "/tasks/{task_id}/inbox/{message_id}", body=("message", "when_busy"))
_REMOVE_MESSAGE = _Route("DELETE", "/tasks/{task_id}/inbox/{message_id}")
_RESPOND = _Route("POST", "/hitl/respond", body=("request_id", "answer"))
_PENDING = _Route("GET", "/hitl/pending")
_RESPOND_TOOL = _Route("POST", "/tools/respond", body=("tool_call_id", "output", "error"))
_PENDING_TOOLS = _Route("GET", "/tools/pending")
_LIST_TURNS = _Route("GET", "/turns", query=("task_id", "limit", "cursor"))
_SHOW_TURN = _Route("GET", "/turns/{turn_id}")
_LIST_REQUESTS = _Route("GET", "/turns/{turn_id}/requests")
_SHOW_REQUEST = _Route("GET", "/turns/{turn_id}/requests/{number}")
_LIST_TASKS = _Route("GET", "/tasks", query=("q", "archived", "agent", "metadata", "limit", "cursor", "follow"))
_CREATE_TASK = _Route("POST", "/tasks", body=("task_id", "title", "metadata", "defaults"), repeatable=False)
_SHOW_TASK = _Route("GET", "/tasks/{task_id}", query=("branches", "defaults"))
_CHANGE_TASK = _Route("PATCH", "/tasks/{task_id}", body=("title", "archived", "metadata", "defaults"))
_DELETE_TASK = _Route("DELETE", "/tasks/{task_id}", query=("forget",), repeatable=False)
_LIST_MESSAGES = _Route("GET", "/tasks/{task_id}/messages", query=("before", "after", "branch", "limit"))
_FORK_TASK = _Route("POST", "/tasks/{task_id}/fork", body=("after_message", "task_id"), names={"task_id":"new_task_id"}, repeatable=False)
_REWIND_TASK = _Route("POST", "/tasks/{task_id}/rewind", body=("to_message", "keep", "files", "dry_run", "force"), timeout="hour")
_LIST_FILES = _Route("GET", "/files", query=("path", "recursive", "limit"))
_READ_FILE = _Route("GET", "/files/content", query=("path", "artifact_id"), headers=("Range", "If-Range", "If-None-Match", "If-Match"), timeout="hour")
_WRITE_FILE = _Route("PUT", "/files/content", query=("path",), headers=("If-Match", "If-None-Match"), upload="application/octet-stream", timeout="hour")
_REMOVE_FILE = _Route("DELETE", "/files", query=("path", "recursive"), headers=("If-Match",), repeatable=False, timeout="hour")
_MOVE_FILE = _Route("POST", "/files/move", body=("from", "to", "overwrite"), repeatable=False)
_ARCHIVE_FILES = _Route("GET", "/files/archive", query=("path", "format"), timeout="hour")
_LINK_FILE = _Route("POST", "/files/links", body=("path", "ttl_s"))
_READ_LINKED = _Route("GET", "/files/linked/{token}", headers=("Range", "If-Range", "If-None-Match", "If-Match"), timeout="hour")
_LIST_ARTIFACTS = _Route("GET", "/tasks/{task_id}/artifacts")
_SEARCH_MEMORY = _Route("POST", "/memory/knowledge/search", body=("query", "limit", "kinds", "bearing", "as_of", "from", "to"))
_LIST_EPISODES = _Route("GET", "/memory/episodes", query=("limit", "cursor"))
_LIST_KNOWLEDGE = _Route("GET", "/memory/knowledge", query=("limit", "cursor"))
_END_FACT = _Route("POST", "/memory/knowledge/end", body=("id",))
_LIST_SOCIAL = _Route("GET", "/memory/social", query=("limit", "cursor"))
_LIST_WORKING = _Route("GET", "/memory/working", query=("limit", "cursor"))
_LIST_TRAJECTORIES = _Route("GET", "/memory/trajectories", query=("limit", "cursor"))
_GET_PROFILE = _Route("GET", "/memory/profile")
_CORRECT_PROFILE_LINE = _Route("PATCH", "/memory/profile/{line_id}", body=("text",))
_DELETE_PROFILE_LINE = _Route("DELETE", "/memory/profile/{line_id}")
_EXPORT_MEMORY = _Route("GET", "/memory/export")
_IMPORT_MEMORY = _Route("POST", "/memory/import", upload="application/x-ndjson", timeout="hour")
_ERASE_MEMORY = _Route("DELETE", "/memory", repeatable=False, timeout="hour")
_LIST_SKILLS = _Route("GET", "/memory/skills")
_DECIDE_SKILL = _Route("POST", "/memory/skills/decide", body=("id", "decision"))
_TRIGGER_LEARNING = _Route("POST", "/admin/lc/trigger", repeatable=False, timeout="hour")
_LIST_SERVERS = _Route("GET", "/assets/servers")
_SHOW_CATALOG = _Route("GET", "/assets/catalog")
_ALLOW_TOOLS = _Route("POST", "/assets/servers/allow", body=("server", "tool", "definition"))
_RELOAD_CATALOG = _Route("POST", "/admin/reload-catalog")
_RELOAD_CORE_SOUL = _Route("POST", "/admin/reload-core-soul")


class _EngineMethods(_Client):
    def health(self) -> EngineHealth:
        """Health, identity and the state of the model."""
        return self._call(_HEALTH, {})

    def execute(self, *, task_id: str, events: str = OMITTED, idempotency_key: str = OMITTED, message: MessageContent = OMITTED, agent: str = OMITTED, model: str = OMITTED, effort: Literal["low", "medium", "high"] = OMITTED, thinking: bool = OMITTED, max_steps: int = OMITTED, regenerate: bool = OMITTED, on_disconnect: Literal["continue", "cancel"] = OMITTED, metadata: Dict[str, Any] = OMITTED, client_tools: List[ExecuteRequestClientTools] = OMITTED, when_busy: Literal["reject", "queue", "steer"] = OMITTED, interrupt: bool = OMITTED, message_id: str = OMITTED, output_schema: Dict[str, Any] = OMITTED, context: List[ContextItem] = OMITTED, on_human: Optional[OnHuman] = None, tools: Optional[Tools] = None, on_retry: Optional[OnRetry] = None) -> Turn:
        """Run a turn and stream its events.

        events: Events on request, separated by commas: `message`, `tool_input`, `model`, `file`, `hook`, `knowledge`.
        idempotency_key: The same key and body within 24 h attaches to the turn of the first call. The `message_id` of a message that may wait, unless the body has one.
        message: The user's message: 1 byte to 1 MiB of text, not only white space, or a list of 1 to 256 parts with attachments. Only `regenerate` goes without one.
        task_id: 1 to 256 bytes. A task is a conversation: the next turn with the same id continues it.
        agent: An agent of the catalog. `default` when omitted.
        model: The model of the turn: `model`, or `provider:model` for another provider. The agent's when omitted.
        effort: How much the model reasons, if it has this option. The agent's when omitted.
        thinking: `true` requests the model's reasoning. `false` when omitted.
        max_steps: Model calls of the turn. 100 when omitted.
        regenerate: `true` answers the task's last message again, which must be the user's, and takes no `message`. `false` when omitted.
        on_disconnect: What happens to the turn when the client disconnects. `continue` when omitted.
        metadata: An object that is stored with the turn.
        client_tools: Tools that the client runs in this turn, up to 64 in 256 KiB.
        when_busy: What happens while the task has a turn: `reject` answers 409 `TASK_BUSY`, `queue` lets the message wait for a turn of its own, `steer` hands it to the running turn. The policy's `when_busy` when omitted.
        interrupt: Only with `steer`: `true` cuts off the model's answer in progress. `false` when omitted.
        message_id: 1 to 255 characters of the caller's, unique in the task. The same id and body again is the same message.
        output_schema: Structured output: JSON Schema 2020-12 for an object, at most 32 KiB. The agent's own when omitted.
        context: Context of a turn: data for the model that are not the user's words, at most 32 items and 16 KiB.
        on_human: Called with each question and permission prompt. It returns the answer, or None to leave it open.
        tools: Functions for the calls of `client_tools`, by their names.
        """
        return self._execute(_EXECUTE, {"events": events, "idempotency_key": idempotency_key, "message": message, "task_id": task_id, "agent": agent, "model": model, "effort": effort, "thinking": thinking, "max_steps": max_steps, "regenerate": regenerate, "on_disconnect": on_disconnect, "metadata": metadata, "client_tools": client_tools, "when_busy": when_busy, "interrupt": interrupt, "message_id": message_id, "output_schema": output_schema, "context": context}, on_human, tools, on_retry)

    def send(self, *, task_id: str, idempotency_key: str = OMITTED, message: MessageContent = OMITTED, agent: str = OMITTED, model: str = OMITTED, effort: Literal["low", "medium", "high"] = OMITTED, thinking: bool = OMITTED, max_steps: int = OMITTED, regenerate: bool = OMITTED, metadata: Dict[str, Any] = OMITTED, client_tools: List[ExecuteRequestClientTools] = OMITTED, when_busy: Literal["reject", "queue", "steer"] = OMITTED, interrupt: bool = OMITTED, message_id: str = OMITTED, output_schema: Dict[str, Any] = OMITTED, context: List[ContextItem] = OMITTED) -> SentMessage:
        """Send a message that may wait, without reading its turn: `when_busy` is "queue" or "steer"."""
        return self._call(_EXECUTE, {"idempotency_key": idempotency_key, "message": message, "task_id": task_id, "agent": agent, "model": model, "effort": effort, "thinking": thinking, "max_steps": max_steps, "regenerate": regenerate, "metadata": metadata, "client_tools": client_tools, "when_busy": when_busy, "interrupt": interrupt, "message_id": message_id, "output_schema": output_schema, "context": context})

    def replay(self, *, after: str = OMITTED, task_id: str = OMITTED, turn_id: str = OMITTED, limit: int = OMITTED, events: str = OMITTED) -> ReplayPage:
        """Read or follow stored events.

        after: ISO 8601 timestamp or `seq`, exclusive.
        task_id: Only of this task.
        turn_id: Only of this turn.
        limit: Largest number of events. A stream without it has no limit.
        events: Events on request, separated by commas: `message`, `tool_input`, `model`, `file`, `hook`, `knowledge`.
        """
        return self._call(_REPLAY, {"after": after, "task_id": task_id, "turn_id": turn_id, "limit": limit, "events": events})

    def cancel(self, *, task_id: str, inbox: bool = OMITTED) -> Cancelled:
        """End the running turn of a task. `cancelled` is false when it has none.

        task_id: The task whose turn is to end.
        inbox: `true` also removes the messages that wait in the task's inbox. `false` when omitted.
        """
        return self._call(_CANCEL, {"task_id": task_id, "inbox": inbox})

    def list_inbox(self, task_id: str) -> InboxList:
        """List the messages that wait.

        task_id: Id of the task, 1 to 256 bytes.
        """
        return self._call(_LIST_INBOX, {"task_id": task_id})

    def edit_message(self, task_id: str, message_id: str, *, message: MessageContent = OMITTED, when_busy: Literal["queue", "steer"] = OMITTED) -> WaitingMessage:
        """Change a message that waits.

        task_id: Id of the task, 1 to 256 bytes.
        message_id: Id of the message, 1 to 255 characters.
        message: Replaces the message, as `message` of `POST /execute`.
        when_busy: `steer` hands a queued message to the running turn, `queue` keeps it for a turn of its own.
        """
        return self._call(_EDIT_MESSAGE, {"task_id": task_id, "message_id": message_id, "message": message, "when_busy": when_busy})

    def remove_message(self, task_id: str, message_id: str) -> RemovedMessage:
        """Remove a message that waits.

        task_id: Id of the task, 1 to 256 bytes.
        message_id: Id of the message, 1 to 255 characters.
        """
        return self._call(_REMOVE_MESSAGE, {"task_id": task_id, "message_id": message_id})

    def respond(self, *, request_id: str, answer: str) -> Resolved:
        """Answer a question or permission prompt.

        request_id: The id of the question or permission prompt.
        answer: One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`.
        """
        return self._call(_RESPOND, {"request_id": request_id, "answer": answer})

    def pending(self) -> PendingRequests:
        """List the open questions and permission prompts."""
        return self._call(_PENDING, {})

    def respond_tool(self, *, tool_call_id: str, output: Optional[Union[str, float, bool, List[Any], Dict[str, Any]]] = OMITTED, error: str = OMITTED) -> ToolAnswered:
        """Answer a call of a tool that the client runs.

        tool_call_id: The `tool_call_id` of the call.
        output: The result, any JSON. It matches the tool's `output_schema`, if it has one. Either this or `error`.
        error: Why the tool failed, for the model.
        """
        return self._call(_RESPOND_TOOL, {"tool_call_id": tool_call_id, "output": output, "error": error})

    def pending_tools(self) -> PendingToolCalls:
        """List the calls that wait for the client's answer."""
        return self._call(_PENDING_TOOLS, {})

    def list_turns(self, *, task_id: str = OMITTED, limit: int = OMITTED, cursor: str = OMITTED) -> TurnPage:
        """List turns, newest first.

        task_id: Only of this task.
        limit: Page size.
        cursor: `next_cursor` of the previous page.
        """
        return self._call(_LIST_TURNS, {"task_id": task_id, "limit": limit, "cursor": cursor})

    def show_turn(self, turn_id: str) -> ShownTurn:
        """Get a turn.

        turn_id: Id of the turn.
        """
        return self._call(_SHOW_TURN, {"turn_id": turn_id})

    def list_requests(self, turn_id: str) -> ModelRequests:
        """List the model calls of a turn with their tokens by part of the context.

        turn_id: Id of the turn.
        """
        return self._call(_LIST_REQUESTS, {"turn_id": turn_id})

    def show_request(self, turn_id: str, number: str) -> ModelRequestRecord:
        """Get a request to the model as it was sent.

        turn_id: Id of the turn.
        number: The number of the request within the turn, from 1.
        """
        return self._call(_SHOW_REQUEST, {"turn_id": turn_id, "number": number})

    def list_tasks(self, *, q: str = OMITTED, archived: Literal["false", "true", "any"] = OMITTED, agent: str = OMITTED, metadata: Dict[str, str] = OMITTED, limit: int = OMITTED, cursor: str = OMITTED) -> TaskPage:
        """List or search tasks, the latest activity first, or follow the list.

        q: Only tasks with all of these words in one message, or in the title. Not with `follow`.
        archived: `false`: without archived ones, `true`: only these, `any`: all.
        agent: Only tasks whose last turn this agent ran.
        metadata: Only tasks with this value of a key of their `metadata`. Each is a query parameter of its own, `metadata.<key>=<value>`.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_TASKS, {"q": q, "archived": archived, "agent": agent, "metadata": metadata, "limit": limit, "cursor": cursor})

    def create_task(self, *, task_id: str = OMITTED, title: str = OMITTED, metadata: Dict[str, str] = OMITTED, defaults: TaskDefaults = OMITTED) -> TaskRecord:
        """Create a task before its first message. Not sent again after a lost response.

        task_id: 1 to 256 bytes. A new one when omitted.
        title: 1 to 200 characters. The first words of its first message when omitted.
        metadata: Strings of the product's own, by their keys. At most 50 keys of 64 characters, with values of 1000.
        defaults: What its messages have that do not say it themselves.
        """
        return self._call(_CREATE_TASK, {"task_id": task_id, "title": title, "metadata": metadata, "defaults": defaults})

    def show_task(self, task_id: str, *, branches: bool = OMITTED, defaults: bool = OMITTED) -> TaskRecord:
        """Get a task.

        task_id: Id of the task, 1 to 256 bytes.
        branches: Adds its branches.
        defaults: Adds the defaults of its messages.
        """
        return self._call(_SHOW_TASK, {"task_id": task_id, "branches": branches, "defaults": defaults})

    def change_task(self, task_id: str, *, title: str = OMITTED, archived: bool = OMITTED, metadata: Dict[str, Optional[str]] = OMITTED, defaults: TaskDefaults = OMITTED) -> TaskRecord:
        """Rename or archive a task, or change its metadata or defaults.

        task_id: Id of the task, 1 to 256 bytes.
        title: 1 to 200 characters. From now on no model changes it.
        archived: `true` takes it from lists, `false` puts it back.
        metadata: Strings to set, by their keys; `null` removes a key. At most 50 keys of 64 characters, with values of 1000.
        defaults: Replaces the defaults of its messages. `{}` removes them.
        """
        return self._call(_CHANGE_TASK, {"task_id": task_id, "title": title, "archived": archived, "metadata": metadata, "defaults": defaults})

    def delete_task(self, task_id: str, *, forget: bool = OMITTED) -> TaskDeleted:
        """Delete a task with its messages. Not sent again after a lost response.

        task_id: Id of the task, 1 to 256 bytes.
        forget: Also what memory has learned from this task alone.
        """
        return self._call(_DELETE_TASK, {"task_id": task_id, "forget": forget})

    def list_messages(self, task_id: str, *, before: str = OMITTED, after: str = OMITTED, branch: str = OMITTED, limit: int = OMITTED) -> TaskMessages:
        """List the messages of a task.

        task_id: Id of the task, 1 to 256 bytes.
        before: Only messages before this `message_id`. Not together with `after`.
        after: Only messages after this `message_id`. Without both, the last ones.
        branch: Of this branch, as `branches` of the task names it. The current one when omitted.
        limit: Largest number of messages. A page of large ones has fewer.
        """
        return self._call(_LIST_MESSAGES, {"task_id": task_id, "before": before, "after": after, "branch": branch, "limit": limit})

    def fork_task(self, task_id: str, *, after_message: str = OMITTED, new_task_id: str = OMITTED) -> ForkedTask:
        """Begin a task with messages of another one. Not sent again after a lost response.

        task_id: Id of the task, 1 to 256 bytes.
        after_message: The last message that the new task has. The last one of the conversation when omitted, without those of a turn in flight.
        new_task_id: The id of the new task: 1 to 256 bytes. A new one when omitted.
        """
        return self._call(_FORK_TASK, {"task_id": task_id, "after_message": after_message, "new_task_id": new_task_id})

    def rewind_task(self, task_id: str, *, to_message: str, keep: bool = OMITTED, files: Literal["keep", "restore"] = OMITTED, dry_run: bool = OMITTED, force: bool = OMITTED) -> Rewound:
        """Take a conversation back to a message, and its files too.

        task_id: Id of the task, 1 to 256 bytes.
        to_message: The message that becomes the last one.
        keep: `false`: the conversation goes on before `to_message`, which leaves it too. `true` when omitted.
        files: `restore` gives the files of the workspace their state at that message. `keep` when omitted.
        dry_run: `true` changes nothing. `false` when omitted.
        force: `true` also restores files that something else has changed since. `false` when omitted.
        """
        return self._call(_REWIND_TASK, {"task_id": task_id, "to_message": to_message, "keep": keep, "files": files, "dry_run": dry_run, "force": force})

    def list_files(self, *, path: str = OMITTED, recursive: bool = OMITTED, limit: int = OMITTED) -> FileList:
        """List a folder of the workspace.

        path: A folder of the workspace. The workspace itself when omitted.
        recursive: With what its folders contain.
        limit: Largest number of entries.
        """
        return self._call(_LIST_FILES, {"path": path, "recursive": recursive, "limit": limit})

    def read_file(self, *, path: str = OMITTED, artifact_id: str = OMITTED, range: str = OMITTED, if_range: str = OMITTED, if_none_match: str = OMITTED, if_match: str = OMITTED) -> Download:
        """Read a file, or a range of it.

        path: The path in the workspace, without a leading `/`.
        artifact_id: Instead of `path`: a published version.
        range: One range of bytes, such as `bytes=0-1023` or `bytes=-500`. Of several none counts.
        if_range: An `ETag`: another file is sent whole.
        if_none_match: The `ETag`s that the caller has: 304 for one of these.
        if_match: Only if the file has one of these `ETag`s, or `*` for any.
        """
        return self._download(_READ_FILE, {"path": path, "artifact_id": artifact_id, "range": range, "if_range": if_range, "if_none_match": if_none_match, "if_match": if_match})

    def write_file(self, body: Union[bytes, str, Iterable[bytes]], *, path: str = OMITTED, if_match: str = OMITTED, if_none_match: str = OMITTED) -> StoredFile:
        """Write a file: the body is its content.

        path: The path in the workspace, without a leading `/`.
        if_match: Only if the file has one of these `ETag`s, or `*` for any.
        if_none_match: `*`: only if there is no file.
        body: What is sent. A stream is sent only once.
        """
        return self._call(_WRITE_FILE, {"path": path, "if_match": if_match, "if_none_match": if_none_match, "body": body})

    def remove_file(self, *, path: str = OMITTED, recursive: bool = OMITTED, if_match: str = OMITTED) -> RemovedFile:
        """Remove a file or folder. Not sent again after a lost response.

        path: The path in the workspace, without a leading `/`.
        recursive: A folder with what it contains.
        if_match: Only if the file has one of these `ETag`s, or `*` for any.
        """
        return self._call(_REMOVE_FILE, {"path": path, "recursive": recursive, "if_match": if_match})

    def move_file(self, *, from_: str, to: str, overwrite: bool = OMITTED) -> MovedFile:
        """Move a file or folder. Not sent again after a lost response.

        from_: The path of a file or folder.
        to: Its new path. Missing folders are made.
        overwrite: `true` replaces a file at `to`. `false` when omitted.
        """
        return self._call(_MOVE_FILE, {"from_": from_, "to": to, "overwrite": overwrite})

    def archive_files(self, *, path: str = OMITTED, format: Literal["tar.gz", "zip"] = OMITTED) -> Download:
        """Download a folder as one archive.

        path: A folder of the workspace. The workspace itself when omitted.
        format: The format.
        """
        return self._download(_ARCHIVE_FILES, {"path": path, "format": format})

    def link_file(self, *, path: str, ttl_s: int = OMITTED) -> FileLink:
        """Make a link that reads one file without a key.

        path: The path of a file.
        ttl_s: Seconds that the link is valid, at most 3600. 600 when omitted.
        """
        return self._call(_LINK_FILE, {"path": path, "ttl_s": ttl_s})

    def read_linked(self, token: str, *, range: str = OMITTED, if_range: str = OMITTED, if_none_match: str = OMITTED, if_match: str = OMITTED) -> Download:
        """Read the file of a link.

        token: What the link ends with.
        range: One range of bytes, such as `bytes=0-1023` or `bytes=-500`. Of several none counts.
        if_range: An `ETag`: another file is sent whole.
        if_none_match: The `ETag`s that the caller has: 304 for one of these.
        if_match: Only if the file has one of these `ETag`s, or `*` for any.
        """
        return self._download(_READ_LINKED, {"token": token, "range": range, "if_range": if_range, "if_none_match": if_none_match, "if_match": if_match})

    def list_artifacts(self, task_id: str) -> ArtifactList:
        """List what the agent has published.

        task_id: Id of the task, 1 to 256 bytes.
        """
        return self._call(_LIST_ARTIFACTS, {"task_id": task_id})

    def search_memory(self, *, query: str, limit: int = OMITTED, kinds: List[Literal["episode", "fact", "note"]] = OMITTED, bearing: Literal["answers", "touches"] = OMITTED, as_of: str = OMITTED, from_: str = OMITTED, to: str = OMITTED) -> KnowledgeHits:
        """Search the memory.

        query: 1 byte to 10 kB of text. No character is query syntax.
        limit: How many results at most. 10 when omitted.
        kinds: Only results of these kinds. All when omitted.
        bearing: Only results with this relevance verdict.
        as_of: Searches the memory as of this time.
        from_: Only what happened at this time or later.
        to: Only what happened before this time. A date includes its day.
        """
        return self._call(_SEARCH_MEMORY, {"query": query, "limit": limit, "kinds": kinds, "bearing": bearing, "as_of": as_of, "from_": from_, "to": to})

    def list_episodes(self, *, limit: int = OMITTED, cursor: str = OMITTED) -> EpisodePage:
        """List rounds of conversations.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_EPISODES, {"limit": limit, "cursor": cursor})

    def list_knowledge(self, *, limit: int = OMITTED, cursor: str = OMITTED) -> KnowledgePage:
        """List facts.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_KNOWLEDGE, {"limit": limit, "cursor": cursor})

    def end_fact(self, *, id: str) -> FactEnded:
        """End a fact that is true no longer.

        id: The id of the fact.
        """
        return self._call(_END_FACT, {"id": id})

    def list_social(self, *, limit: int = OMITTED, cursor: str = OMITTED) -> SocialPage:
        """List people and things, with their relations.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_SOCIAL, {"limit": limit, "cursor": cursor})

    def list_working(self, *, limit: int = OMITTED, cursor: str = OMITTED) -> WorkingMemoryPage:
        """List the notes of the agent.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_WORKING, {"limit": limit, "cursor": cursor})

    def list_trajectories(self, *, limit: int = OMITTED, cursor: str = OMITTED) -> TrajectoryPage:
        """List how turns went: steps, tools, outcome.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_TRAJECTORIES, {"limit": limit, "cursor": cursor})

    def get_profile(self) -> Profile:
        """Get the profile page of the user."""
        return self._call(_GET_PROFILE, {})

    def correct_profile_line(self, line_id: str, *, text: str) -> ProfileLine:
        """Correct a line.

        line_id: Id of a line of the profile page.
        text: What the line says from now on: 1 to 200 characters, one line.
        """
        return self._call(_CORRECT_PROFILE_LINE, {"line_id": line_id, "text": text})

    def delete_profile_line(self, line_id: str) -> ProfileLineDeleted:
        """Delete a line.

        line_id: Id of a line of the profile page.
        """
        return self._call(_DELETE_PROFILE_LINE, {"line_id": line_id})

    def export_memory(self) -> Download:
        """Export the memory as JSON lines."""
        return self._download(_EXPORT_MEMORY, {})

    def import_memory(self, body: Union[bytes, str, Iterable[bytes]]) -> MemoryImported:
        """Import an exported file.

        body: What is sent. A stream is sent only once.
        """
        return self._call(_IMPORT_MEMORY, {"body": body})

    def erase_memory(self) -> MemoryErased:
        """Erase the memory. Not sent again after a lost response."""
        return self._call(_ERASE_MEMORY, {})

    def list_skills(self) -> SkillDrafts:
        """List skill drafts."""
        return self._call(_LIST_SKILLS, {})

    def decide_skill(self, *, id: str, decision: Literal["allow", "refuse"]) -> SkillDecided:
        """Accept (`allow`) or reject (`refuse`) a skill draft.

        id: The id of the draft.
        decision: `allow` adds the skill to the engine's catalog. `refuse` rejects it for good.
        """
        return self._call(_DECIDE_SKILL, {"id": id, "decision": decision})

    def trigger_learning(self) -> LearningBatch:
        """Run a learning batch now. Not sent again after a lost response."""
        return self._call(_TRIGGER_LEARNING, {})

    def list_servers(self) -> Servers:
        """List the tool servers with status, tools and errors."""
        return self._call(_LIST_SERVERS, {})

    def show_catalog(self) -> CatalogShown:
        """Get the catalog in use, with the errors and warnings that a reload would find."""
        return self._call(_SHOW_CATALOG, {})

    def allow_tools(self, *, server: str, tool: str = OMITTED, definition: str = OMITTED) -> ToolsAllowed:
        """Accept changed tools of a tool server.

        server: The name of the tool server.
        tool: The server's name of the tool, together with `definition`. All held tools of the server when omitted.
        definition: The hash of the definition to allow, as `GET /assets/servers` lists it. A tool that has changed again is refused.
        """
        return self._call(_ALLOW_TOOLS, {"server": server, "tool": tool, "definition": definition})

    def reload_catalog(self) -> CatalogReloaded:
        """Reload the catalog, all of it or nothing."""
        return self._call(_RELOAD_CATALOG, {})

    def reload_core_soul(self) -> CoreSoulReloaded:
        """Reload the core soul."""
        return self._call(_RELOAD_CORE_SOUL, {})


_CHANGE_ENGINE = _Route("PATCH", "/engines/{user_id}", body=("plan", "metadata"))
_ENGINE_POLICY = _Route("GET", "/engines/{user_id}/policy")
_PROVISION_ENGINE = _Route("POST", "/engines/provision", headers=("Idempotency-Key",), body=("user_id", "metadata", "plan", "start"), timeout="boot")
_ADMIT_ENGINE = _Route("POST", "/engines/admit", headers=("Idempotency-Key",), body=("user_id", "metadata", "plan", "start"), timeout="boot")
_LIST_ENGINES = _Route("GET", "/engines", query=("limit", "cursor", "state"))
_SHOW_ENGINE = _Route("GET", "/engines/{user_id}", query=("auto_provision",))
_DESTROY_ENGINE = _Route("DELETE", "/engines/{user_id}", query=("keep_data",), timeout="boot")
_START_ENGINE = _Route("POST", "/engines/{user_id}/start", headers=("Idempotency-Key",), body=(), timeout="boot")
_STOP_ENGINE = _Route("POST", "/engines/{user_id}/stop", headers=("Idempotency-Key",), body=("drain_s", "force"), timeout="boot", wait=("drain_s", 0))
_SLEEP_ENGINE = _Route("POST", "/engines/{user_id}/sleep", headers=("Idempotency-Key",), body=(), timeout="boot")
_ROTATE_ENGINE_KEY = _Route("POST", "/engines/{user_id}/rotate-key", headers=("Idempotency-Key",), body=("grace_s",), repeatable=False, timeout="boot")
_WAIT_FOR_ENGINE = _Route("GET", "/engines/{user_id}/wait", query=("state", "timeout_s"), wait=("timeout_s", 60))
_ENGINE_LOGS = _Route("GET", "/engines/{user_id}/logs", query=("tail", "follow"))
_ENGINE_EVENTS = _Route("GET", "/engines/{user_id}/events", query=("limit", "cursor"), headers=("Last-Event-ID",))
_EVENTS = _Route("GET", "/events", query=("limit", "cursor"), headers=("Last-Event-ID",))
_CREATE_USER_TOKEN = _Route("POST", "/engines/{user_id}/tokens", body=("ttl_s", "scope", "tasks", "metadata"), repeatable=False)
_REVOKE_USER_TOKENS = _Route("POST", "/engines/{user_id}/tokens/revoke")
_LIST_QUESTIONS = _Route("GET", "/questions", query=("limit", "cursor", "user_id"))
_ANSWER_QUESTION = _Route("POST", "/engines/{user_id}/questions/{request_id}", body=("answer",), timeout="boot")
_LIST_CONNECTIONS = _Route("GET", "/engines/{user_id}/connections")
_BEGIN_CONNECTION = _Route("POST", "/engines/{user_id}/connections/{server}", timeout="boot")
_DELETE_CONNECTION = _Route("DELETE", "/engines/{user_id}/connections/{server}")
_SHOW_PRODUCT_CATALOG = _Route("GET", "/catalog")
_PUSH_CATALOG = _Route("PUT", "/catalog", query=("dry_run", "try"), headers=("If-Match",), upload="application/gzip", timeout="boot")
_CATALOG_HISTORY = _Route("GET", "/catalog/history")
_ROLLBACK_CATALOG = _Route("POST", "/catalog/rollback", headers=("If-Match",), body=("version",), timeout="boot")
_CATALOG_ARCHIVE = _Route("GET", "/catalog/versions/{version}/archive")
_LIST_DOCUMENTS = _Route("GET", "/knowledge")
_SHOW_DOCUMENT = _Route("GET", "/knowledge/documents/{document_path}")
_PUT_DOCUMENT = _Route("PUT", "/knowledge/documents/{document_path}", upload="application/octet-stream", timeout="boot")
_DELETE_DOCUMENT = _Route("DELETE", "/knowledge/documents/{document_path}")
_SEARCH_DOCUMENTS = _Route("POST", "/knowledge/search", body=("query", "limit"), timeout="boot")
_LIST_USAGE = _Route("GET", "/usage", query=("limit", "cursor", "since", "until", "by", "user_id"))
_ENGINE_USAGE = _Route("GET", "/engines/{user_id}/usage", query=("limit", "cursor", "since", "until", "by"))
_CREATE_SCHEDULE = _Route("POST", "/engines/{user_id}/schedules", headers=("Idempotency-Key",), body="whole", timeout="boot")
_LIST_SCHEDULES = _Route("GET", "/engines/{user_id}/schedules", query=("limit", "cursor"))
_SHOW_SCHEDULE = _Route("GET", "/engines/{user_id}/schedules/{schedule_id}")
_CHANGE_SCHEDULE = _Route("PATCH", "/engines/{user_id}/schedules/{schedule_id}", body="whole")
_DELETE_SCHEDULE = _Route("DELETE", "/engines/{user_id}/schedules/{schedule_id}")
_RUN_SCHEDULE = _Route("POST", "/engines/{user_id}/schedules/{schedule_id}/run", headers=("Idempotency-Key",), body=(), timeout="boot")
_LIST_RUNS = _Route("GET", "/engines/{user_id}/schedules/{schedule_id}/runs", query=("limit", "cursor"))
_CREATE_WEBHOOK = _Route("POST", "/engines/{user_id}/webhooks", headers=("Idempotency-Key",), body="whole", timeout="boot")
_LIST_WEBHOOKS = _Route("GET", "/engines/{user_id}/webhooks", query=("limit", "cursor"))
_SHOW_WEBHOOK = _Route("GET", "/engines/{user_id}/webhooks/{webhook_id}")
_CHANGE_WEBHOOK = _Route("PATCH", "/engines/{user_id}/webhooks/{webhook_id}", body="whole")
_DELETE_WEBHOOK = _Route("DELETE", "/engines/{user_id}/webhooks/{webhook_id}")
_ROTATE_WEBHOOK_SECRET = _Route("POST", "/engines/{user_id}/webhooks/{webhook_id}/rotate-secret", headers=("Idempotency-Key",), body=("grace_s",), repeatable=False, timeout="boot")
_LIST_WEBHOOK_RUNS = _Route("GET", "/engines/{user_id}/webhooks/{webhook_id}/runs", query=("limit", "cursor"))
_CREATE_ENDPOINT = _Route("POST", "/notifications/endpoints", body="whole", repeatable=False)
_LIST_ENDPOINTS = _Route("GET", "/notifications/endpoints")
_SHOW_ENDPOINT = _Route("GET", "/notifications/endpoints/{endpoint_id}")
_CHANGE_ENDPOINT = _Route("PATCH", "/notifications/endpoints/{endpoint_id}", body="whole")
_DELETE_ENDPOINT = _Route("DELETE", "/notifications/endpoints/{endpoint_id}")
_ROTATE_ENDPOINT_SECRET = _Route("POST", "/notifications/endpoints/{endpoint_id}/rotate-secret", body=("grace_s",), repeatable=False)
_TEST_ENDPOINT = _Route("POST", "/notifications/endpoints/{endpoint_id}/test")
_LIST_DELIVERIES = _Route("GET", "/notifications/endpoints/{endpoint_id}/deliveries", query=("limit", "cursor", "state"))
_REPLAY_DELIVERIES = _Route("POST", "/notifications/endpoints/{endpoint_id}/replay", body=("delivery_id",))
_LIST_USER_SECRETS = _Route("GET", "/engines/{user_id}/secrets")
_SHOW_USER_SECRET = _Route("GET", "/engines/{user_id}/secrets/{secret_name}")
_SET_USER_SECRET = _Route("PUT", "/engines/{user_id}/secrets/{secret_name}", body="whole")
_DELETE_USER_SECRET = _Route("DELETE", "/engines/{user_id}/secrets/{secret_name}")


class _OrchestratorMethods(_Client):
    def change_engine(self, user_id: str, *, plan: Optional[str] = OMITTED, metadata: Dict[str, Any] = OMITTED) -> EngineRecord:
        """Change an engine's plan or metadata.

        user_id: The product's id of the user, 1 to 256 bytes.
        plan: The name of one of the product's plans. `null`: none. Left out, it stays as it is.
        metadata: Replaces the object that `provision` stored.
        """
        return self._call(_CHANGE_ENGINE, {"user_id": user_id, "plan": plan, "metadata": metadata})

    def engine_policy(self, user_id: str) -> EnginePolicy:
        """Get what holds for an engine, and whether the engine, its plan or the product says so.

        user_id: The product's id of the user, 1 to 256 bytes.
        """
        return self._call(_ENGINE_POLICY, {"user_id": user_id})

    def provision_engine(self, *, user_id: str, idempotency_key: str = OMITTED, metadata: Dict[str, Any] = OMITTED, plan: str = OMITTED, start: bool = OMITTED) -> EngineWithKey:
        """Create an engine.

        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        user_id: The product's id of the user.
        metadata: Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record.
        plan: The name of one of the product's plans. An engine that exists keeps its plan.
        start: `false` only creates the engine. Left out, it starts.
        """
        return self._call(_PROVISION_ENGINE, {"idempotency_key": idempotency_key, "user_id": user_id, "metadata": metadata, "plan": plan, "start": start})

    def admit_engine(self, *, user_id: str, idempotency_key: str = OMITTED, metadata: Dict[str, Any] = OMITTED, plan: str = OMITTED, start: bool = OMITTED) -> EngineWithKey:
        """Create an engine, or return the existing one, started if it is stopped and woken if it sleeps.

        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        user_id: The product's id of the user.
        metadata: Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record.
        plan: The name of one of the product's plans. An engine that exists keeps its plan.
        start: `false` only creates the engine. Left out, it starts.
        """
        return self._call(_ADMIT_ENGINE, {"idempotency_key": idempotency_key, "user_id": user_id, "metadata": metadata, "plan": plan, "start": start})

    def list_engines(self, *, limit: int = OMITTED, cursor: str = OMITTED, state: Literal["provisioning", "starting", "running", "unhealthy", "sleeping", "backoff", "stopping", "stopped", "failed", "stop_failed", "destroying"] = OMITTED) -> EnginePage:
        """List engines.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        state: Engines in this state.
        """
        return self._call(_LIST_ENGINES, {"limit": limit, "cursor": cursor, "state": state})

    def show_engine(self, user_id: str, *, auto_provision: bool = OMITTED) -> Union[EngineRecord, EngineWithKey]:
        """Get an engine.

        user_id: The product's id of the user, 1 to 256 bytes.
        auto_provision: Create the engine when there is none (201).
        """
        return self._call(_SHOW_ENGINE, {"user_id": user_id, "auto_provision": auto_provision})

    def destroy_engine(self, user_id: str, *, keep_data: bool = OMITTED) -> EngineDestroyed:
        """Destroy an engine and the user's data.

        user_id: The product's id of the user, 1 to 256 bytes.
        keep_data: Keep the engine's folder.
        """
        return self._call(_DESTROY_ENGINE, {"user_id": user_id, "keep_data": keep_data})

    def start_engine(self, user_id: str, *, idempotency_key: str = OMITTED) -> EngineRecord:
        """Start an engine.

        user_id: The product's id of the user, 1 to 256 bytes.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        """
        return self._call(_START_ENGINE, {"user_id": user_id, "idempotency_key": idempotency_key})

    def stop_engine(self, user_id: str, *, idempotency_key: str = OMITTED, drain_s: int = OMITTED, force: bool = OMITTED) -> EngineStopped:
        """Stop an engine.

        user_id: The product's id of the user, 1 to 256 bytes.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        drain_s: How many seconds running turns get to end. Left out: the policy's `drain_s`.
        force: `true` waits for no turn.
        """
        return self._call(_STOP_ENGINE, {"user_id": user_id, "idempotency_key": idempotency_key, "drain_s": drain_s, "force": force})

    def sleep_engine(self, user_id: str, *, idempotency_key: str = OMITTED) -> EngineRecord:
        """Put an engine to sleep until its next call.

        user_id: The product's id of the user, 1 to 256 bytes.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        """
        return self._call(_SLEEP_ENGINE, {"user_id": user_id, "idempotency_key": idempotency_key})

    def rotate_engine_key(self, user_id: str, *, idempotency_key: str = OMITTED, grace_s: int = OMITTED) -> EngineKeyRotated:
        """Replace the engine's key. Not sent again after a lost response.

        user_id: The product's id of the user, 1 to 256 bytes.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        grace_s: How many seconds the old key is accepted too. Left out, it ends at once.
        """
        return self._call(_ROTATE_ENGINE_KEY, {"user_id": user_id, "idempotency_key": idempotency_key, "grace_s": grace_s})

    def wait_for_engine(self, user_id: str, *, state: Literal["provisioning", "starting", "running", "unhealthy", "sleeping", "backoff", "stopping", "stopped", "failed", "stop_failed", "destroying"] = OMITTED, timeout_s: int = OMITTED) -> EngineRecord:
        """Wait until the engine reaches a state.

        user_id: The product's id of the user, 1 to 256 bytes.
        state: The state to wait for.
        timeout_s: How long to wait, in seconds.
        """
        return self._call(_WAIT_FOR_ENGINE, {"user_id": user_id, "state": state, "timeout_s": timeout_s})

    def engine_logs(self, user_id: str, *, tail: int = OMITTED, follow: bool = OMITTED) -> Download:
        """Read the engine's log as plain text.

        user_id: The product's id of the user, 1 to 256 bytes.
        tail: How many of the last lines.
        follow: Stream each new line.
        """
        return self._download(_ENGINE_LOGS, {"user_id": user_id, "tail": tail, "follow": follow})

    def engine_events(self, user_id: str, *, limit: int = OMITTED, cursor: str = OMITTED) -> EventPage:
        """List the events of a user's engines, or follow them as a stream.

        user_id: The product's id of the user, 1 to 256 bytes.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_ENGINE_EVENTS, {"user_id": user_id, "limit": limit, "cursor": cursor})

    def events(self, *, limit: int = OMITTED, cursor: str = OMITTED) -> EventPage:
        """List the events of the product, or follow them as a stream.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_EVENTS, {"limit": limit, "cursor": cursor})

    def create_user_token(self, user_id: str, *, ttl_s: int = OMITTED, scope: str = OMITTED, tasks: CreateUserTokenRequestTasks = OMITTED, metadata: Dict[str, Any] = OMITTED) -> UserToken:
        """Create a token with which the user's browser calls the engine. Not sent again after a lost response.

        user_id: The product's id of the user, 1 to 256 bytes.
        ttl_s: Seconds until it ends. 900 when omitted.
        scope: What it permits, separated by spaces.
        tasks: The only tasks that it reaches, `{ids}` or `{prefix}`, in at most 1 KiB. All when omitted.
        metadata: An object that the audit log keeps with the token's id, at most 1 KiB.
        """
        return self._call(_CREATE_USER_TOKEN, {"user_id": user_id, "ttl_s": ttl_s, "scope": scope, "tasks": tasks, "metadata": metadata})

    def revoke_user_tokens(self, user_id: str) -> UserTokensRevoked:
        """End all tokens of a user, and the streams that they opened.

        user_id: The product's id of the user, 1 to 256 bytes.
        """
        return self._call(_REVOKE_USER_TOKENS, {"user_id": user_id})

    def list_questions(self, *, limit: int = OMITTED, cursor: str = OMITTED, user_id: str = OMITTED) -> QuestionPage:
        """List the open questions and permission prompts of all users, without waking their engines.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        user_id: Only questions of this user's engine.
        """
        return self._call(_LIST_QUESTIONS, {"limit": limit, "cursor": cursor, "user_id": user_id})

    def answer_question(self, user_id: str, request_id: str, *, answer: str) -> QuestionAnswered:
        """Answer an open question, as the engine's `POST /hitl/respond`; the answer wakes a sleeping engine.

        user_id: The product's id of the user, 1 to 256 bytes.
        request_id: Id of the question.
        answer: One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`.
        """
        return self._call(_ANSWER_QUESTION, {"user_id": user_id, "request_id": request_id, "answer": answer})

    def list_connections(self, user_id: str) -> Connections:
        """List the user's logins at tool servers.

        user_id: The product's id of the user, 1 to 256 bytes.
        """
        return self._call(_LIST_CONNECTIONS, {"user_id": user_id})

    def begin_connection(self, user_id: str, server: str) -> LoginLink:
        """Make a link with which the user signs in to a tool server.

        user_id: The product's id of the user, 1 to 256 bytes.
        server: The tool server's name in the catalog.
        """
        return self._call(_BEGIN_CONNECTION, {"user_id": user_id, "server": server})

    def delete_connection(self, user_id: str, server: str) -> Disconnected:
        """End a login at a tool server, there too.

        user_id: The product's id of the user, 1 to 256 bytes.
        server: The tool server's name in the catalog.
        """
        return self._call(_DELETE_CONNECTION, {"user_id": user_id, "server": server})

    def show_product_catalog(self) -> ProductCatalogRecord:
        """Get the current version of the product's catalog with its files."""
        return self._call(_SHOW_PRODUCT_CATALOG, {})

    def push_catalog(self, body: Union[bytes, str, Iterable[bytes]], *, dry_run: bool = OMITTED, try_: str = OMITTED, if_match: str = OMITTED) -> CatalogPushed:
        """Replace the product's catalog by the files of a tar.gz archive.

        dry_run: Check the archive, and change nothing.
        try_: With `dry_run`: a call as JSON, `{tool, input}`, to say which rule decides it.
        if_match: The `ETag` of the version to replace, such as `"12"`; another one is refused.
        body: What is sent. A stream is sent only once.
        """
        return self._call(_PUSH_CATALOG, {"dry_run": dry_run, "try_": try_, "if_match": if_match, "body": body})

    def catalog_history(self) -> CatalogHistory:
        """List the stored versions of the product's catalog, the newest first."""
        return self._call(_CATALOG_HISTORY, {})

    def rollback_catalog(self, *, version: int, if_match: str = OMITTED) -> CatalogPushed:
        """Make the files of an earlier version current again.

        if_match: The `ETag` of the version to replace, such as `"12"`; another one is refused.
        version: The version whose files become current again. 0 is the catalog without a file.
        """
        return self._call(_ROLLBACK_CATALOG, {"if_match": if_match, "version": version})

    def catalog_archive(self, version: str) -> Download:
        """Get the archive of a version, as it was pushed.

        version: The number of a version.
        """
        return self._download(_CATALOG_ARCHIVE, {"version": version})

    def list_documents(self) -> ProductKnowledge:
        """List the documents of the product's knowledge."""
        return self._call(_LIST_DOCUMENTS, {})

    def show_document(self, document_path: str) -> KnowledgeDocumentShown:
        """Get a document with its passages, as engines search it.

        document_path: Path of the document, percent-encoded, also its slashes.
        """
        return self._call(_SHOW_DOCUMENT, {"document_path": document_path})

    def put_document(self, document_path: str, body: Union[bytes, str, Iterable[bytes]]) -> KnowledgeDocumentPut:
        """Store a document: text, Markdown, HTML or PDF, by `Content-Type` or the path.

        document_path: Path of the document, percent-encoded, also its slashes.
        body: What is sent. A stream is sent only once.
        """
        return self._call(_PUT_DOCUMENT, {"document_path": document_path, "body": body})

    def delete_document(self, document_path: str) -> KnowledgeDocumentDeleted:
        """Delete a document. Engines do not find it a moment later.

        document_path: Path of the document, percent-encoded, also its slashes.
        """
        return self._call(_DELETE_DOCUMENT, {"document_path": document_path})

    def search_documents(self, *, query: str, limit: int = OMITTED) -> KnowledgeFound:
        """Search the documents as the engines' tool does, to try a question.

        query: What to find, as a user would ask it.
        limit: The largest number of results.
        """
        return self._call(_SEARCH_DOCUMENTS, {"query": query, "limit": limit})

    def list_usage(self, *, limit: int = OMITTED, cursor: str = OMITTED, since: str = OMITTED, until: str = OMITTED, by: str = OMITTED, user_id: str = OMITTED) -> UsagePage:
        """List what the product's users have spent.

        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        since: First UTC day, `YYYY-MM-DD`. Default: the first of this month.
        until: Last UTC day. Default: today.
        by: What to group by, separated by commas: plan, user, day, model. Default: user.
        user_id: Only this user.
        """
        return self._call(_LIST_USAGE, {"limit": limit, "cursor": cursor, "since": since, "until": until, "by": by, "user_id": user_id})

    def engine_usage(self, user_id: str, *, limit: int = OMITTED, cursor: str = OMITTED, since: str = OMITTED, until: str = OMITTED, by: str = OMITTED) -> UsagePage:
        """List what one user has spent, also after the engine is destroyed.

        user_id: The product's id of the user, 1 to 256 bytes.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        since: First UTC day, `YYYY-MM-DD`. Default: the first of this month.
        until: Last UTC day. Default: today.
        by: What to group by, separated by commas: day, model. Default: day.
        """
        return self._call(_ENGINE_USAGE, {"user_id": user_id, "limit": limit, "cursor": cursor, "since": since, "until": until, "by": by})

    def create_schedule(self, user_id: str, body: CreateScheduleRequest, *, idempotency_key: str = OMITTED) -> ScheduleRecord:
        """Create a schedule.

        user_id: The product's id of the user, 1 to 256 bytes.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        body: The fields.
        """
        return self._call(_CREATE_SCHEDULE, {"user_id": user_id, "idempotency_key": idempotency_key, "body": body})

    def list_schedules(self, user_id: str, *, limit: int = OMITTED, cursor: str = OMITTED) -> SchedulePage:
        """List the schedules of an engine, with their next and last runs.

        user_id: The product's id of the user, 1 to 256 bytes.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_SCHEDULES, {"user_id": user_id, "limit": limit, "cursor": cursor})

    def show_schedule(self, user_id: str, schedule_id: str) -> ScheduleRecord:
        """Get a schedule.

        user_id: The product's id of the user, 1 to 256 bytes.
        schedule_id: Id of the schedule.
        """
        return self._call(_SHOW_SCHEDULE, {"user_id": user_id, "schedule_id": schedule_id})

    def change_schedule(self, user_id: str, schedule_id: str, body: ChangeScheduleRequest) -> ScheduleRecord:
        """Change, pause or resume a schedule.

        user_id: The product's id of the user, 1 to 256 bytes.
        schedule_id: Id of the schedule.
        body: The fields.
        """
        return self._call(_CHANGE_SCHEDULE, {"user_id": user_id, "schedule_id": schedule_id, "body": body})

    def delete_schedule(self, user_id: str, schedule_id: str) -> ScheduleDeleted:
        """Delete a schedule and its runs.

        user_id: The product's id of the user, 1 to 256 bytes.
        schedule_id: Id of the schedule.
        """
        return self._call(_DELETE_SCHEDULE, {"user_id": user_id, "schedule_id": schedule_id})

    def run_schedule(self, user_id: str, schedule_id: str, *, idempotency_key: str = OMITTED) -> RunRecord:
        """Run a schedule now.

        user_id: The product's id of the user, 1 to 256 bytes.
        schedule_id: Id of the schedule.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        """
        return self._call(_RUN_SCHEDULE, {"user_id": user_id, "schedule_id": schedule_id, "idempotency_key": idempotency_key})

    def list_runs(self, user_id: str, schedule_id: str, *, limit: int = OMITTED, cursor: str = OMITTED) -> RunPage:
        """List the runs of a schedule, newest first.

        user_id: The product's id of the user, 1 to 256 bytes.
        schedule_id: Id of the schedule.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_RUNS, {"user_id": user_id, "schedule_id": schedule_id, "limit": limit, "cursor": cursor})

    def create_webhook(self, user_id: str, body: CreateWebhookRequest, *, idempotency_key: str = OMITTED) -> WebhookWithSecret:
        """Create a webhook.

        user_id: The product's id of the user, 1 to 256 bytes.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        body: The fields.
        """
        return self._call(_CREATE_WEBHOOK, {"user_id": user_id, "idempotency_key": idempotency_key, "body": body})

    def list_webhooks(self, user_id: str, *, limit: int = OMITTED, cursor: str = OMITTED) -> WebhookPage:
        """List the webhooks of an engine.

        user_id: The product's id of the user, 1 to 256 bytes.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_WEBHOOKS, {"user_id": user_id, "limit": limit, "cursor": cursor})

    def show_webhook(self, user_id: str, webhook_id: str) -> WebhookRecord:
        """Get a webhook, without its secret.

        user_id: The product's id of the user, 1 to 256 bytes.
        webhook_id: Id of the webhook.
        """
        return self._call(_SHOW_WEBHOOK, {"user_id": user_id, "webhook_id": webhook_id})

    def change_webhook(self, user_id: str, webhook_id: str, body: ChangeWebhookRequest) -> WebhookRecord:
        """Change, pause or resume a webhook.

        user_id: The product's id of the user, 1 to 256 bytes.
        webhook_id: Id of the webhook.
        body: The fields.
        """
        return self._call(_CHANGE_WEBHOOK, {"user_id": user_id, "webhook_id": webhook_id, "body": body})

    def delete_webhook(self, user_id: str, webhook_id: str) -> WebhookDeleted:
        """Delete a webhook and its runs.

        user_id: The product's id of the user, 1 to 256 bytes.
        webhook_id: Id of the webhook.
        """
        return self._call(_DELETE_WEBHOOK, {"user_id": user_id, "webhook_id": webhook_id})

    def rotate_webhook_secret(self, user_id: str, webhook_id: str, *, idempotency_key: str = OMITTED, grace_s: int = OMITTED) -> WebhookWithSecret:
        """Replace a webhook's secret. Not sent again after a lost response.

        user_id: The product's id of the user, 1 to 256 bytes.
        webhook_id: Id of the webhook.
        idempotency_key: The same key and body within 24 h get the first response again, without its secret.
        grace_s: How many seconds the old secret is accepted too. Left out, it ends at once.
        """
        return self._call(_ROTATE_WEBHOOK_SECRET, {"user_id": user_id, "webhook_id": webhook_id, "idempotency_key": idempotency_key, "grace_s": grace_s})

    def list_webhook_runs(self, user_id: str, webhook_id: str, *, limit: int = OMITTED, cursor: str = OMITTED) -> RunPage:
        """List the runs of a webhook, newest first.

        user_id: The product's id of the user, 1 to 256 bytes.
        webhook_id: Id of the webhook.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        """
        return self._call(_LIST_WEBHOOK_RUNS, {"user_id": user_id, "webhook_id": webhook_id, "limit": limit, "cursor": cursor})

    def create_endpoint(self, body: CreateEndpointRequest) -> NotificationEndpointWithSecret:
        """Create an endpoint that is told of events. Not sent again after a lost response.

        body: The fields.
        """
        return self._call(_CREATE_ENDPOINT, {"body": body})

    def list_endpoints(self) -> NotificationEndpoints:
        """List the endpoints of the product."""
        return self._call(_LIST_ENDPOINTS, {})

    def show_endpoint(self, endpoint_id: str) -> NotificationEndpoint:
        """Get an endpoint, without its secret.

        endpoint_id: Id of the endpoint.
        """
        return self._call(_SHOW_ENDPOINT, {"endpoint_id": endpoint_id})

    def change_endpoint(self, endpoint_id: str, body: ChangeEndpointRequest) -> NotificationEndpoint:
        """Change, pause or resume an endpoint.

        endpoint_id: Id of the endpoint.
        body: The fields.
        """
        return self._call(_CHANGE_ENDPOINT, {"endpoint_id": endpoint_id, "body": body})

    def delete_endpoint(self, endpoint_id: str) -> NotificationEndpointDeleted:
        """Delete an endpoint and its deliveries.

        endpoint_id: Id of the endpoint.
        """
        return self._call(_DELETE_ENDPOINT, {"endpoint_id": endpoint_id})

    def rotate_endpoint_secret(self, endpoint_id: str, *, grace_s: int = OMITTED) -> NotificationEndpointWithSecret:
        """Replace an endpoint's secret. Not sent again after a lost response.

        endpoint_id: Id of the endpoint.
        grace_s: Seconds in which messages are signed with both secrets. 0 when omitted.
        """
        return self._call(_ROTATE_ENDPOINT_SECRET, {"endpoint_id": endpoint_id, "grace_s": grace_s})

    def test_endpoint(self, endpoint_id: str) -> NotificationDelivery:
        """Send a message to an endpoint that says nothing but that it is a test.

        endpoint_id: Id of the endpoint.
        """
        return self._call(_TEST_ENDPOINT, {"endpoint_id": endpoint_id})

    def list_deliveries(self, endpoint_id: str, *, limit: int = OMITTED, cursor: str = OMITTED, state: Literal["pending", "delivered", "dead"] = OMITTED) -> NotificationDeliveryPage:
        """List the deliveries of an endpoint, newest first.

        endpoint_id: Id of the endpoint.
        limit: Page size.
        cursor: `next_cursor` of the previous page of the same list.
        state: Deliveries in this state.
        """
        return self._call(_LIST_DELIVERIES, {"endpoint_id": endpoint_id, "limit": limit, "cursor": cursor, "state": state})

    def replay_deliveries(self, endpoint_id: str, *, delivery_id: str = OMITTED) -> NotificationsReplayed:
        """Try dead deliveries again, or one that was delivered.

        endpoint_id: Id of the endpoint.
        delivery_id: One delivery, whatever became of it. All dead ones when omitted.
        """
        return self._call(_REPLAY_DELIVERIES, {"endpoint_id": endpoint_id, "delivery_id": delivery_id})

    def list_user_secrets(self, user_id: str) -> Secrets:
        """List the secrets of a user, without their values.

        user_id: The product's id of the user, 1 to 256 bytes.
        """
        return self._call(_LIST_USER_SECRETS, {"user_id": user_id})

    def show_user_secret(self, user_id: str, secret_name: str) -> SecretRecord:
        """Get a secret of a user, without its value.

        user_id: The product's id of the user, 1 to 256 bytes.
        secret_name: Name of the secret.
        """
        return self._call(_SHOW_USER_SECRET, {"user_id": user_id, "secret_name": secret_name})

    def set_user_secret(self, user_id: str, secret_name: str, body: SetUserSecretRequest) -> SecretRecord:
        """Set a secret of a user.

        user_id: The product's id of the user, 1 to 256 bytes.
        secret_name: Name of the secret.
        body: The fields.
        """
        return self._call(_SET_USER_SECRET, {"user_id": user_id, "secret_name": secret_name, "body": body})

    def delete_user_secret(self, user_id: str, secret_name: str) -> SecretDeleted:
        """Delete a secret of a user.

        user_id: The product's id of the user, 1 to 256 bytes.
        secret_name: Name of the secret.
        """
        return self._call(_DELETE_USER_SECRET, {"user_id": user_id, "secret_name": secret_name})


# </generated>


class EngineClient(_EngineMethods):
    """Calls of one user's engine. Threads can share it."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        limits: Optional[Mapping[str, Any]] = None,
        on_retry: Optional[OnRetry] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        renew_key: Optional[Callable[[str], str]] = None,
    ) -> None:
        """`renew_key` is called with a key that the engine refused, and returns the one to use: see `Engines`."""
        headers = {"X-Engine-Key": _header_value("key", key)}
        super().__init__(
            _Service(
                url,
                headers,
                limits=Limits(),
                changes=limits,
                on_retry=on_retry,
                ssl_context=ssl_context,
                renew_key=renew_key,
            )
        )

    def resume(
        self,
        task_id: str,
        turn_id: str,
        *,
        after: int = 0,
        events: Optional[str] = None,
        on_human: Optional[OnHuman] = None,
        tools: Optional[Tools] = None,
        on_retry: Optional[OnRetry] = None,
    ) -> Turn:
        """Continues reading a turn after an event's `seq`, for example after a restart of your program."""
        position = _Position(task_id, turn_id, after, events)
        position.is_replayed = True
        return Turn(self, task_id, position, lambda reader: self._follow(position, reader, on_retry), on_human, tools)

    def follow(
        self,
        *,
        task_id: Optional[str] = None,
        after: Union[int, str, None] = None,
        events: Optional[str] = None,
        on_retry: Optional[OnRetry] = None,
    ) -> Iterator[Event]:
        """Events of a task, or of all tasks, after a `seq` or a time, and then live.

        They end when the engine sleeps, for to reconnect would wake it. Through the daemon's gateway they go on after the
        next wake.
        """
        return self._follow(_Position(task_id, None, after, events), _Reader(), on_retry)

    def follow_tasks(
        self,
        *,
        archived: Any = OMITTED,
        agent: Any = OMITTED,
        metadata: Any = OMITTED,
        limit: Any = OMITTED,
        on_retry: Optional[OnRetry] = None,
    ) -> Iterator[Event]:
        """The first page of the list of tasks, then each task that changes. After a lost connection the page comes again."""
        position = _Position(None, None, None, None)
        fields = {"archived": archived, "agent": agent, "metadata": metadata, "limit": limit, "follow": True}

        def open_list() -> _Opened:
            position.is_asleep = False
            return self._service.stream(_LIST_TASKS, fields, "text/event-stream")

        return _resumed(
            self._service,
            _Reader(),
            open_first=open_list,
            reopen=open_list,
            take=lambda frame: position.take(frame, False),
            is_last=lambda _: False,
            is_over=lambda: position.is_asleep,
            on_retry=on_retry,
        )

    def link_address(self, link: FileLink) -> str:
        """The address of a link, which needs no key: the daemon's behind its gateway, else the engine's own."""
        daemon = re.sub(r"/e/[^/]+$", "", self.url)
        return self.url + re.sub(r"^/e/[^/]+", "", link["link"]) if daemon == self.url else daemon + link["link"]

    def _follow(self, position: _Position, reader: _Reader, on_retry: Optional[OnRetry]) -> Iterator[Event]:
        of_turn = position.turn_id is not None

        def replay() -> _Opened:
            return position.replay(self._service, _REPLAY)

        return _resumed(
            self._service,
            reader,
            open_first=replay,
            reopen=replay,
            take=lambda frame: position.take(frame, False),
            is_last=lambda event: of_turn and _ends_turn(event),
            is_over=lambda: position.is_asleep and not of_turn,
            on_retry=on_retry,
        )

    def _execute(
        self,
        route: _Route,
        fields: Dict[str, Any],
        on_human: Optional[OnHuman],
        tools: Optional[Tools],
        on_retry: Optional[OnRetry],
    ) -> Turn:
        key = fields["idempotency_key"]
        key = secrets.token_hex(16) if key in (None, OMITTED) else _header_value("idempotency_key", key)
        position = _Position(fields["task_id"], None, 0, None if fields["events"] is OMITTED else fields["events"])

        def start(tries: int, reader: _Reader) -> Iterator[Event]:
            # The first key and id belong to the refused turn, so a new turn needs new ones.
            suffix = "" if tries == 1 else f"~{tries}"
            ids = {"idempotency_key": key + suffix}
            if fields["message_id"] is not OMITTED:
                ids["message_id"] = fields["message_id"] + suffix
            position.turn_id = None

            def post() -> _Opened:
                opened = self._service.stream(route, {**fields, **ids}, "text/event-stream")
                position.turn_id = position.turn_id or opened.headers.get("X-Turn-Id")
                position.is_replayed = opened.headers.get("Idempotent-Replayed") == "true"
                return opened

            def reopen() -> _Opened:
                # Without a turn id the call is sent again: its key resumes the turn if the first call started it.
                return post() if position.turn_id is None else position.replay(self._service, _REPLAY)

            return _resumed(
                self._service,
                reader,
                open_first=post,
                reopen=reopen,
                take=lambda frame: position.take(frame, True),
                is_last=_ends_turn,
                is_over=lambda: False,
                on_retry=on_retry,
            )

        def read(reader: _Reader) -> Iterator[Event]:
            return self._started_again(start, reader, on_retry)

        return Turn(self, fields["task_id"], position, read, on_human, tools)

    def _started_again(
        self, start: Callable[[int, _Reader], Iterator[Event]], reader: _Reader, on_retry: Optional[OnRetry]
    ) -> Iterator[Event]:
        """Starts a turn again if the model's provider refused it before any output. Every other end is final."""
        tries = 1
        while True:
            is_empty = True
            wait_s: Optional[float] = None
            held: List[Event] = []
            for event in start(tries, reader):
                if is_empty and event.event == "thread_lifecycle" and event.data.get("phase") == "errored":
                    # The `error` after it decides whether the turn is started again.
                    held.append(event)
                    continue
                is_empty = is_empty and event.event in ("thread_lifecycle", "heartbeat", "error")
                if is_empty and event.event == "error" and event.data.get("error") == "LLM_RATE_LIMITED":
                    error = _error_of(event.data)
                    wait_s = _retry_wait(error, tries, True, self._service.limits)
                    if wait_s is not None:
                        self._service.report(on_retry, Retry("turn", error, tries, wait_s))
                        break
                yield from held
                held = []
                yield event
            if wait_s is None:
                return
            try:
                reader.pause(wait_s)
            except _Closed:
                return
            tries += 1


class OrchestratorClient(_OrchestratorMethods):
    """A product's calls of the orchestrator. Threads can share it."""

    def __init__(
        self,
        url: str,
        platform_key: str,
        *,
        limits: Optional[Mapping[str, Any]] = None,
        on_retry: Optional[OnRetry] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        headers = {"X-Platform-Key": _header_value("platform_key", platform_key)}
        super().__init__(
            _Service(url, headers, limits=HOST_LIMITS, changes=limits, on_retry=on_retry, ssl_context=ssl_context)
        )

    def destroy_engine(self, user_id: str, *, keep_data: Any = OMITTED) -> EngineDestroyed:
        """Removes the process, frees the port, and deletes the data unless `keep_data`."""
        lost: List[Retry] = []
        fields = {"user_id": user_id, "keep_data": keep_data}
        try:
            return self._service.call(_DESTROY_ENGINE, fields, lost.append)
        except OrchdError as error:
            # The try whose response was lost has destroyed the engine.
            if error.code == "ENGINE_NOT_FOUND" and any(_retry_class(one.error) == "lost" for one in lost):
                return {"destroyed": True}
            raise

    def follow_events(
        self, *, user_id: Optional[str] = None, after: Optional[str] = None, on_retry: Optional[OnRetry] = None
    ) -> Iterator[Event]:
        """Events of the product's engines, or of one user's, as they happen, also over restarts of the daemon.

        They begin with the next one, after the event with the id `after`, or with `after="start"` with the oldest that is
        kept. `gap` marks events that are no longer kept.
        """
        route = _EVENTS if user_id is None else _ENGINE_EVENTS
        fields: Dict[str, Any] = {"user_id": user_id}
        if after is None:
            newest = self._call(route, {**fields, "limit": 1})["data"]
            after = newest[0]["id"] if newest else "start"
        last = _BEFORE_ALL if after == "start" else after

        def open_events() -> _Opened:
            return self._service.stream(route, {**fields, "last_event_id": last}, "text/event-stream")

        def take(frame: _Frame) -> Tuple[Any, Optional[Event]]:
            nonlocal last
            if frame[0] is None:
                return "comment", None
            event = _event_of(frame)
            if event.event == "gap":
                # A reader without an event yet misses none.
                return ("duplicate" if last == _BEFORE_ALL else "transient"), event
            if event.data.get("id") == last:
                return "duplicate", event
            last = event.data["id"]
            return "new", event

        return _resumed(
            self._service,
            _Reader(),
            open_first=open_events,
            reopen=open_events,
            take=take,
            is_last=lambda _: False,
            is_over=lambda: False,
            on_retry=on_retry,
        )


#: Sorts before all others: after it come all events that are kept.
_BEFORE_ALL = "evt_00000000-0000-0000-0000-000000000000"


# --- Keys of engines --------------------------------------------------------------------------------------------------


class KeyStore(Protocol):
    """Where a product keeps the keys of its users' engines: two methods, such as two statements of any SQL database."""

    def read(self, engine_id: str) -> Optional[str]:
        """The stored key of an engine."""

    def write(self, engine_id: str, key: str) -> None:
        """Stores the key of an engine in place of an earlier one."""


class MemoryKeys:
    """Keeps keys until the program ends. Its next start replaces the key of each engine that it opens."""

    def __init__(self) -> None:
        self._keys: Dict[str, str] = {}

    def read(self, engine_id: str) -> Optional[str]:
        return self._keys.get(engine_id)

    def write(self, engine_id: str, key: str) -> None:
        self._keys[engine_id] = key


class FileKeys:
    """Keeps keys in a JSON file that only this user of the machine can read. One program at a time may use it."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        try:
            with open(self._path, encoding="utf-8") as file:
                stored = _parse_json(file.read())
        except FileNotFoundError:
            stored = {}
        if not isinstance(stored, dict) or not all(isinstance(key, str) for key in stored.values()):
            # Without the text, which may have keys.
            raise ValueError(f"{self._path}: expected a JSON object of keys by the ids of engines")
        self._keys: Dict[str, str] = stored

    def read(self, engine_id: str) -> Optional[str]:
        return self._keys.get(engine_id)

    def write(self, engine_id: str, key: str) -> None:
        with self._lock:
            self._keys[engine_id] = key
            draft = f"{self._path}.new"
            # A program that is killed meanwhile leaves the old file or the new one.
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), 0o600)
                json.dump(self._keys, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)


class Engines:
    """The engines of a product's users, whose keys it keeps. They are stored when made, and replaced when lost or refused."""

    def __init__(
        self, orchestrator: OrchestratorClient, keys: KeyStore, *, limits: Optional[Mapping[str, Any]] = None
    ) -> None:
        self._orchestrator = orchestrator
        self._keys = keys
        self._limits = limits
        #: One for each user, so that calls at the same moment agree on the key.
        self._locks: Dict[str, threading.Lock] = {}
        self._locks_lock = threading.Lock()

    def open(self, user_id: str, **admit: Any) -> EngineClient:
        """The client of a user's engine, which is created if there is none, and started if it is stopped."""
        with self._lock_of(user_id):
            made = self._orchestrator.admit_engine(user_id=user_id, **admit)
            engine_id, key = made["id"], made["engine_api_key"]
            if key is None:
                key = self._keys.read(engine_id) or self._replaced(user_id, engine_id, _GRACE_S)
            else:
                self._keys.write(engine_id, key)
        return EngineClient(
            made["url"], key, limits=self._limits, renew_key=lambda refused: self._renewed(user_id, engine_id, refused)
        )

    def rotate_key(self, user_id: str, *, grace_s: int = 60) -> None:
        """Replaces the key of a user's engine, and stores the new one. The old one works for `grace_s` more seconds."""
        with self._lock_of(user_id):
            self._replaced(user_id, self._orchestrator.admit_engine(user_id=user_id)["id"], grace_s)

    def _renewed(self, user_id: str, engine_id: str, refused: str) -> str:
        with self._lock_of(user_id):
            # Another program may have replaced it, and stored the new one.
            stored = self._keys.read(engine_id)
            return stored if stored and stored != refused else self._replaced(user_id, engine_id, _GRACE_S)

    def _replaced(self, user_id: str, engine_id: str, grace_s: int) -> str:
        key = self._orchestrator.rotate_engine_key(user_id, grace_s=grace_s)["engine_api_key"]
        if key is None:
            raise OrchdError("BAD_ANSWER", "the engine's new key is not in the answer")
        self._keys.write(engine_id, key)
        return key

    def _lock_of(self, user_id: str) -> threading.Lock:
        with self._locks_lock:
            return self._locks.setdefault(user_id, threading.Lock())


#: Programs that replace a lost key of one engine at the same moment do not refuse each other's calls for so long.
_GRACE_S = 60
