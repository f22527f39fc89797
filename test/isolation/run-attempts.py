"""Runs the attempts of attempts.json in the current folder and writes what came of each to results.json.

Run by a command of an engine, or by a tool server. Standard library only.
"""
import json, os, subprocess, sys

with open("attempts.json") as file:
    plan = json.load(file)

SHELL = """web() {
  status=$(curl -g -s -m 5 -o /dev/null -w '%{http_code}' "$@")
  [ "$status" = 200 ] && echo ESCAPED; echo "$status"
}
"""
PYTHON = """import ctypes, os, socket
E = os.environ
numbers = %r
library = ctypes.CDLL(None, use_errno=True)
errno = ctypes.get_errno
def call(name, *values):
  return library.syscall(ctypes.c_long(numbers[name]), *[ctypes.c_ulong(v & 0xffffffffffffffff) for v in values])
def threads():
  return [int(t) for t in E["ENGINE_THREADS"].split(",")]
def tcp(family, host, port, protocol=0):
  s = socket.socket(family, 1, protocol)
  s.settimeout(5)
  s.connect((host, port))
  print("ESCAPED")
""" % (plan["systemCalls"],)


def argv(attempt):
    if "sh" in attempt:
        return ["/bin/bash", "-c", SHELL + attempt["sh"]]
    return [sys.executable, "-IS", "-c", PYTHON + attempt["py"]]


def run(attempt):
    try:
        # Descriptors stay open: one that the engine leaked must be seen.
        done = subprocess.run(argv(attempt), env={**os.environ, **plan["facts"]}, close_fds=False, timeout=30,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.decode("utf8", "replace")[-2000:]
    except subprocess.TimeoutExpired:
        return "timed out"


results = {attempt["name"]: run(attempt) for attempt in plan["attempts"]}
with open("results.tmp", "w") as file:
    json.dump(results, file)
os.rename("results.tmp", "results.json")
