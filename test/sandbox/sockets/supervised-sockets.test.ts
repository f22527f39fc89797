import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { once } from "node:events";
import { join } from "node:path";
import t, { type Test } from "tap";
import { unlessGone } from "../../../src/sandbox/processes/process-table.ts";
import { cannotSupervise } from "../../helpers/confined.ts";
import { freePort } from "../../helpers/daemon.ts";
import { until } from "../../helpers/until.ts";
import { type LauncherBench, SUPERVISOR, cannotConfine, launcherBench } from "../programs/launcher-bench.ts";

const PYTHON = "/usr/bin/python3";
const skip = cannotConfine || cannotSupervise || (!existsSync(PYTHON) && `${PYTHON} is not installed`);

const HELPERS = `import ctypes, errno, os, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def error(work):
  try: return work() or "done"
  except OSError as e: return errno.errorcode[e.errno]
def connect(host, port, family=None):
  s = socket.socket(family or (socket.AF_INET6 if ":" in host else socket.AF_INET))
  s.settimeout(10)
  s.connect((host, port))
  return s.recv(20).decode()
`;

/** A server that greets, and counts its connections. */
async function greeter(t: Test, host: string, port = 0): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).end("hello");
  }).listen(port, host);
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: () => connections,
  };
}

interface Bench extends LauncherBench {
  /** Runs a Python program; what it printed. */
  readonly python: (code: string) => Promise<string>;
}

function bench(t: Test, options: { proxyPort?: number; listen?: readonly number[]; supervisor?: string } = {}): Bench {
  const { proxyPort = null, ...more } = options;
  const made = launcherBench(t, {
    ...more,
    network: () => Promise.resolve({ proxyPort, environment: {} }),
  });
  let programs = 0;
  const python = async (code: string) => {
    const file = `program-${++programs}.py`;
    writeFileSync(join(made.folders.workspace, file), HELPERS + code);
    return (await made.run(`exec ${PYTHON} ${file} 2>&1`)).output.trim();
  };
  return { ...made, python };
}

t.test("only the proxy is connected to, whoever else has its port", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const { port } = proxy;
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  const hosts = ["127.0.0.2", "::1", ...(own === undefined ? [] : [own])];
  const others = await Promise.all(hosts.map((host) => greeter(t, host, port)));
  const { python } = bench(t, { proxyPort: port });
  const tried = [...hosts, "::ffff:127.0.0.2", "::ffff:127.0.0.1", "0.0.0.0", "127.0.0.1"];
  const lines = tried.map((host) => `print(error(lambda: connect("${host}", ${port})))`);
  const refused = [...hosts, "::ffff:127.0.0.2"].map(() => "EACCES");
  t.same((await python(lines.join("\n"))).split("\n"), [...refused, "hello", "hello", "hello"]);
  for (const [index, { connections }] of others.entries()) t.equal(connections(), 0, `${hosts[index]}`);
});

t.test("a program that exchanges the address while it connects reaches no other host", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const other = await greeter(t, "127.0.0.2", proxy.port);
  const { python } = bench(t, { proxyPort: proxy.port });
  const output = await python(`
def address(host): return struct.pack("!H4s8x", ${proxy.port}, socket.inet_aton(host))
good, bad = address("127.0.0.1"), address("127.0.0.2")
buffer = ctypes.create_string_buffer(struct.pack("H", 2) + good, 16)
over = False
def exchange():
  n = 0
  while not over:
    ctypes.memmove(ctypes.addressof(buffer) + 2, (good, bad)[n & 1], 14)
    n += 1
thread = threading.Thread(target=exchange)
thread.start()
connected = other = 0
for _ in range(400):
  s = socket.socket()
  if libc.connect(s.fileno(), buffer, 16) == 0:
    connected += 1
    other += s.getpeername()[0] != "127.0.0.1"
  s.close()
over = True
thread.join()
print("tried both" if 0 < connected < 400 else connected, other)`);
  t.equal(output, "tried both 0");
  t.equal(other.connections(), 0);
});

t.test("a program that exchanges the descriptor while it connects reaches no other host", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const other = await greeter(t, "127.0.0.2", proxy.port);
  const { python } = bench(t, { proxyPort: proxy.port });
  const output = await python(`
s = socket.socket(); other = socket.socket(); copy = os.dup(s.fileno())
over = False
def exchange():
  while not over:
    os.dup2(other.fileno(), copy)
    os.dup2(s.fileno(), copy)
thread = threading.Thread(target=exchange)
thread.start()
address = struct.pack("=H", 2) + struct.pack("!H4s8x", ${proxy.port}, socket.inet_aton("127.0.0.2"))
results = set()
for _ in range(200):
  results.add(errno.errorcode[ctypes.get_errno()] if libc.connect(copy, address, 16) < 0 else "connected")
over = True
thread.join()
print(results)`);
  t.equal(output, "{'EACCES'}");
  t.equal(other.connections(), 0);
});

t.test("no socket option sends an allowed connection to another host", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const { python } = bench(t, { proxyPort: proxy.port });
  const output = await python(`
loose = bytes([131, 7, 4]) + socket.inet_aton("127.0.0.2") + bytes(1)
segments = bytes([0, 2, 4, 0]) + bytes(4) + socket.inet_pton(socket.AF_INET6, "2001:db8::1")
six = socket.socket(socket.AF_INET6)
print(error(lambda: socket.socket().setsockopt(0, 4, loose)))
print(error(lambda: six.setsockopt(0, 4, loose)))
print(error(lambda: six.setsockopt(41, 57, segments)))
print(error(lambda: six.setsockopt(41, 6, loose)))
six.setsockopt(41, 26, 1)
socket.socket().setsockopt(0, 1, 0x10)`);
  t.same(output.split("\n"), ["ENOPROTOOPT", "ENOPROTOOPT", "ENOPROTOOPT", "ENOPROTOOPT"]);
});

t.test("no other call connects", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const other = await greeter(t, "127.0.0.2", proxy.port);
  const { python } = bench(t, { proxyPort: proxy.port });
  const output = await python(`
address = ("127.0.0.2", ${proxy.port})
print(error(lambda: socket.socket().sendto(b"x", 0x20000000, address)))
print(error(lambda: socket.socket().sendmsg([b"x"], [], 0x20000000, address)))
for option, value in (30, 1), (19, 1), (31, b"smc"):
  print(error(lambda: socket.socket().setsockopt(6, option, value)))
s = socket.socket()
print(error(lambda: s.sendto(b"x", address)))
s.close()
# A connected socket that is given another peer.
s = socket.create_connection(("127.0.0.1", ${proxy.port}))
print(error(lambda: s.connect(address)))
end = struct.pack("16x")
print(libc.connect(s.fileno(), end, 16), error(lambda: s.getpeername()), error(lambda: s.connect(address)))
print(error(lambda: s.connect(("127.0.0.1", ${proxy.port}))))`);
  t.same(output.split("\n"), [
    "EPERM",
    "EPERM",
    "ENOPROTOOPT",
    "ENOPROTOOPT",
    "ENOPROTOOPT",
    "EPIPE",
    "EACCES",
    "0 ENOTCONN EACCES",
    "done",
  ]);
  t.equal(other.connections(), 0);
});

t.test("a Unix socket of a pair reaches no other, and gets no name", { skip }, async (t) => {
  const { python } = bench(t);
  const output = await python(`
a, b = socket.socketpair()
print(error(lambda: a.bind("\\0name-of-a-tool")), error(lambda: b.bind("here")), error(lambda: a.connect("/run/docker.sock")))
b.close()
print(error(lambda: a.connect("\\0name-of-the-host")))`);
  t.same(output.split("\n"), ["EACCES EACCES EACCES", "EACCES"]);
});

t.test("a tool listens on loopback, and on ports of tool_listen", { skip }, async (t) => {
  const port = await freePort();
  const { python } = bench(t, { listen: [port] });
  const output = await python(`
def listens(host, port, family=socket.AF_INET):
  s = socket.socket(family)
  s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
  s.bind((host, port))
  s.listen()
  name = s.getsockname()[0]
  s.close()
  return name
for host in "127.0.0.1", "0.0.0.0", "", "127.0.0.2":
  print(error(lambda: listens(host, ${port})))
for host in "::1", "::", "fe80::1":
  print(error(lambda: listens(host, ${port}, socket.AF_INET6)))
print(error(lambda: listens("127.0.0.1", 0)), error(lambda: socket.socket().listen()), error(lambda: listens("127.0.0.1", 80)))
s = socket.create_server(("", ${port}))
client = socket.create_connection(("127.0.0.1", ${port}))
print(s.accept()[1][0], error(lambda: connect("127.0.0.2", ${port})))`);
  t.same(output.split("\n"), [
    "127.0.0.1",
    "127.0.0.1",
    "127.0.0.1",
    "EACCES",
    "::1",
    "::ffff:127.0.0.1",
    "EACCES",
    "EACCES EACCES EACCES",
    "127.0.0.1 EACCES",
  ]);
});

t.test("errors of the kernel are those of the call", { skip }, async (t) => {
  const [closed, proxy] = [await freePort(), await greeter(t, "127.0.0.1")];
  const { python } = bench(t, { proxyPort: proxy.port, listen: [closed] });
  const output = await python(`
print(error(lambda: connect("127.0.0.1", ${closed})))
address = struct.pack("=H", 2) + struct.pack("!H4s8x", ${proxy.port}, socket.inet_aton("127.0.0.1"))
def call(descriptor, address, length):
  return errno.errorcode[ctypes.get_errno()] if libc.connect(descriptor, address, length) < 0 else "connected"
s = socket.socket()
print(call(99, address, 16), call(1, address, 16), call(s.fileno(), ctypes.c_void_p(8), 16))
print(call(s.fileno(), address, 500), call(s.fileno(), address, 1), call(s.fileno(), address, 8), call(s.fileno(), address, 16), call(s.fileno(), address, 16))
s = socket.socket(); s.setblocking(False)
print(s.connect_ex(("127.0.0.1", ${proxy.port})) in (0, errno.EINPROGRESS), s.getblocking())
s = socket.socket(); s.connect(("127.0.0.1", ${proxy.port}))
print(s.getblocking(), os.get_blocking(s.fileno()))
s = socket.socket(socket.AF_INET6)
print(call(s.fileno(), address, 16))`);
  const [refused, bad, lengths, ...more] = output.split("\n");
  t.equal(refused, "ECONNREFUSED");
  t.equal(bad, "EBADF ENOTSOCK EFAULT");
  t.equal(lengths, "EINVAL EINVAL EINVAL connected EISCONN");
  t.same(more, ["True False", "True True", "EINVAL"]);
});

/** The open sockets of this process, by their inodes. */
const ownSockets = (): readonly string[] =>
  readdirSync("/proc/self/fd")
    .map((fd) => unlessGone(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? "")
    .filter((target) => target.startsWith("socket:"));

/** A listener of a tool that accepts nothing, with a full queue: a further connection waits. */
const FULL = (port: number) => `
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", ${port}))
server.listen(0)
held = []
for _ in range(4):
  s = socket.socket(); s.setblocking(False); s.connect_ex(("127.0.0.1", ${port})); held.append(s)
`;

t.test("a connection that waits delays no other, and goes on when it can", { skip }, async (t) => {
  const [port, proxy] = [await freePort(), await greeter(t, "127.0.0.1")];
  const { python } = bench(t, { proxyPort: proxy.port, listen: [port] });
  const output = await python(`${FULL(port)}
done = []
def wait():
  s = socket.socket(); s.connect(("127.0.0.1", ${port})); done.append(s)
threads = [threading.Thread(target=wait) for _ in range(3)]
for thread in threads: thread.start()
answers = [connect("127.0.0.1", ${proxy.port}) for _ in range(50)]
print(set(answers), len(done))
server.setblocking(True)
accepted = [server.accept()]
def accept():
  while True: accepted.append(server.accept())
threading.Thread(target=accept, daemon=True).start()
for thread in threads: thread.join()
print(len(done), all(os.get_blocking(s.fileno()) for s in done))`);
  t.same(output.split("\n"), ["{'hello'} 0", "3 True"]);
});

t.test("many connections that wait do not slow the others", { skip }, async (t) => {
  const [port, proxy] = [await freePort(), await greeter(t, "127.0.0.1")];
  const { python } = bench(t, { proxyPort: proxy.port, listen: [port] });
  const output = await python(`
threading.stack_size(1 << 18)
def took():
  begin = time.time()
  for _ in range(50): connect("127.0.0.1", ${proxy.port})
  return time.time() - begin
alone = min(took() for _ in range(3))
${FULL(port)}
def wait(): error(lambda: socket.socket().connect(("127.0.0.1", ${port})))
for _ in range(250): threading.Thread(target=wait, daemon=True).start()
# The best of several: other programs of this machine slow single rounds.
ratio = min(took() for _ in range(8)) / alone
print("as fast" if ratio < 8 else ratio, flush=True)
os._exit(0)`);
  t.equal(output, "as fast");
});

t.test("a signal interrupts a connection that waits, and a kill ends its program", { skip }, async (t) => {
  const port = await freePort();
  const { python, start } = bench(t, { listen: [port] });
  const interrupted = `${FULL(port)}
class Alarm(Exception): pass
def ring(*_): raise Alarm()
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try: socket.socket().connect(("127.0.0.1", ${port})); print("connected")
except Alarm: print("interrupted")`;
  t.equal(await python(interrupted), "interrupted");
  const code = `${HELPERS}${FULL(port)}
print("waits", flush=True)
socket.socket().connect(("127.0.0.1", ${port}))`;
  const before = new Set(ownSockets());
  const copies = () => ownSockets().filter((socket) => !before.has(socket));
  const program = await start(`exec ${PYTHON} -c '${code.replaceAll("'", `'"'"'`)}'`);
  await once(program.stdout, "data");
  await until("the supervisor has a copy of the socket", () => copies().length > 0);
  process.kill(program.pid, "SIGKILL");
  t.match(await program.exited, { signal: "SIGKILL" });
  program.dispose();
  await until("the copy is closed", () => copies().length === 0);
});

t.test("no socket makes the supervisor wait when it closes the last copy", { skip }, async (t) => {
  const { python } = bench(t, { proxyPort: 1 });
  const output = await python(`
for domain in socket.AF_INET, socket.AF_UNIX:
  s = socket.socketpair()[0] if domain == socket.AF_UNIX else socket.socket()
  def linger(*value):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", *value))
    return struct.unpack("ii", s.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8))
  print(linger(1, 5), linger(1, 0), linger(1, -1), linger(0, 0), error(lambda: s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 1)))
s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
print(s.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE), error(lambda: socket.socket().setsockopt(6, 30, 1)))`);
  const each = "(0, 0) (1, 0) (0, 0) (0, 0) EINVAL";
  t.same(output.split("\n"), [each, each, "1 ENOPROTOOPT"]);
});

t.test("many programs and threads connect at once", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const { python } = bench(t, { proxyPort: proxy.port });
  const code = `
results = []
def go(host): results.append(error(lambda: connect(host, ${proxy.port})))
threads = [threading.Thread(target=go, args=(h,)) for _ in range(50) for h in ("127.0.0.1", "127.0.0.2")]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(results.count("hello"), results.count("EACCES"))`;
  t.same(await Promise.all([python(code), python(code)]), ["50 50", "50 50"]);
});

t.test("the network interfaces are listed, and names of the host's files resolved", { skip }, async (t) => {
  const { run } = bench(t, { proxyPort: 1 });
  const listed = await run(`${process.execPath} -p 'Object.keys(os.networkInterfaces()).includes("lo")'`);
  t.match(listed, { output: "true\n" });
  t.match(await run("getent ahosts localhost"), { exitCode: 0, output: /127\.0\.0\.1/ });
});

t.test("a program gets no listener of its own", { skip }, async (t) => {
  const { python } = bench(t);
  const number = process.arch === "x64" ? 317 : 277;
  const output = await python(`
code = struct.pack("=HBBI", 6, 0, 0, 0x7fff0000)
text = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack("=H6xQ", 1, ctypes.addressof(text)))
print(libc.syscall(${number}, 1, 8, program), errno.errorcode[ctypes.get_errno()])`);
  t.equal(output, "-1 EBUSY");
});

t.test("without the supervisor programs lose the network, and the next one has it again", { skip }, async (t) => {
  const proxy = await greeter(t, "127.0.0.1");
  const failed = join(t.testdir(), "..", `failed-${process.pid}`);
  t.teardown(() => rmSync(failed, { force: true }));
  const supervisor = `const { existsSync, readSync, writeFileSync } = require("node:fs");
    if (!existsSync(${JSON.stringify(failed)})) {
      writeFileSync(${JSON.stringify(failed)}, "");
      readSync(require("node:worker_threads").workerData.wake, Buffer.alloc(1));
      throw new Error("a bug of the supervisor");
    }
    ${SUPERVISOR}`;
  const { python, log } = bench(t, { proxyPort: proxy.port, supervisor });
  const code = `print(error(lambda: connect("127.0.0.1", ${proxy.port})))`;
  t.equal(await python(code), "ENOSYS");
  t.ok(log.some((line) => line.includes("socket supervisor failed") && line.includes("a bug of the supervisor")));
  t.equal(await python(code), "hello");
});
