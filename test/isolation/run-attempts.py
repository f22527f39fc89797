"""Runs the attempts of attempts.json in the current folder and writes what came of each to results.json.

Run by a command of an engine, or by a tool server. Standard library only.
"""
import json, os, select, signal, subprocess, sys, time, traceback

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


SETUP = compile(PYTHON, "setup", "exec")
ENVIRONMENT = {**os.environ, **plan["facts"]}
TIMEOUT_S = 30


def run_shell(program):
    try:
        # Descriptors stay open: one that the engine leaked must be seen.
        done = subprocess.run(["/bin/bash", "-c", SHELL + program], env=ENVIRONMENT, close_fds=False, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout
    except subprocess.TimeoutExpired:
        return b"timed out"


def run_python(program):
    """In a copy of this process, for a new interpreter costs more than most attempts."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            nothing = os.open(os.devnull, os.O_RDONLY)
            for source, number in ((nothing, 0), (writes, 1), (writes, 2)):
                os.dup2(source, number)
            # An attempt looks for descriptors that the engine leaked.
            for own in (reads, writes, nothing):
                os.close(own)
            os.environ.update(ENVIRONMENT)
            names = {"__name__": "__main__"}
            exec(SETUP, names)
            exec(program, names)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(writes)
    printed, deadline = b"", time.monotonic() + TIMEOUT_S
    while True:
        if not select.select([reads], [], [], max(0, deadline - time.monotonic()))[0]:
            printed = b"timed out"
            break
        piece = os.read(reads, 65536)
        if piece == b"":
            break
        printed += piece
    os.close(reads)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    return printed


def run(attempt):
    printed = run_shell(attempt["sh"]) if "sh" in attempt else run_python(attempt["py"])
    return printed.decode("utf8", "replace")[-2000:]


results = {attempt["name"]: run(attempt) for attempt in plan["attempts"]}
with open("results.tmp", "w") as file:
    json.dump(results, file)
os.rename("results.tmp", "results.json")
