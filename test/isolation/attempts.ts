/**
 * Attempts to leave the sandbox of a tool. Each is a shell or Python program that prints ESCAPED when it got what it
 * wanted. As root and without isolation it succeeds, unless `hostRefuses`: an attempt that fails there proves nothing.
 */
export interface Attempt {
  readonly name: string;
  readonly part: "files" | "processes" | "sockets" | "kernel" | "proxy";
  readonly sh?: string;
  readonly py?: string;
  /** The host refuses it even without isolation, or only root could do it. */
  readonly hostRefuses?: true;
}

/** The variables that attempts use, in their environment. */
export interface AttemptFacts {
  /** The daemon's data folder, and the folders of the attacker's engine and of a neighbour's. */
  readonly DATA: string;
  readonly OWN: string;
  readonly BOB: string;
  /** The version of the product's catalog that its engines use. */
  readonly CATALOG: string;
  readonly INSTALL: string;
  readonly ENGINE_PID: string;
  /** The ids of its threads, by commas. The one that starts tools is among them. */
  readonly ENGINE_THREADS: string;
  readonly BOB_PID: string;
  readonly DAEMON_PID: string;
  readonly DAEMON_PORT: string;
  readonly BROKER_PID: string;
  readonly BROKER_PORT: string;
  readonly ENGINE_PORT: string;
  readonly BOB_PORT: string;
  /** Listeners of the test: TCP on 127.0.0.1 and ::1, UDP on 127.0.0.1, a Unix socket for everyone, an abstract one. */
  readonly TCP_PORT: string;
  readonly TCP6_PORT: string;
  readonly UDP_PORT: string;
  readonly UNIX_SOCKET: string;
  readonly ABSTRACT_SOCKET: string;
  /** The port of the tools' proxy, and one of `tool_listen`. The test listens on both, on OTHER_HOST and on ::1. */
  readonly PROXY_PORT: string;
  readonly LISTEN_PORT: string;
  /** A port of `tool_listen` on which nobody listens. */
  readonly FREE_PORT: string;
  /** An address of the machine that is not 127.0.0.1. */
  readonly OTHER_HOST: string;
  /** A file and a folder of the test that everyone may write. */
  readonly HOST_FILE: string;
  readonly HOST_FOLDER: string;
}

const files: readonly Omit<Attempt, "part">[] = [
  { name: "read the engine's store", sh: 'grep -aq SQLite "$OWN/engine.db" && echo ESCAPED' },
  { name: "read it by a relative path", sh: "grep -aq SQLite ../engine.db && echo ESCAPED" },
  { name: "read it through /proc/self/cwd", sh: "grep -aq SQLite /proc/self/cwd/../engine.db && echo ESCAPED" },
  { name: "read it through /proc/self/root", sh: 'grep -aq SQLite "/proc/self/root$OWN/engine.db" && echo ESCAPED' },
  { name: "read it through a symbolic link", sh: 'ln -sf "$OWN/engine.db" s && grep -aq SQLite s && echo ESCAPED' },
  { name: "link it into the workspace", sh: 'rm -f hard; ln "$OWN/engine.db" hard && echo ESCAPED; rm -f hard' },
  { name: "write the engine's store", py: 'open(E["OWN"] + "/engine.db", "r+b"); print("ESCAPED")' },
  { name: "create a file beside the store", sh: ': > "$OWN/planted" && echo ESCAPED; rm -f "$OWN/planted"' },
  {
    name: "rename the workspace away",
    sh: 'mv "$OWN/workspace" "$OWN/w2" && mv "$OWN/w2" "$OWN/workspace" && echo ESCAPED',
  },
  {
    name: "give the engine a tool",
    sh: 'mkdir -p "$OWN/catalog/tools" && : > "$OWN/catalog/tools/x.json" && echo ESCAPED; rm -f "$OWN/catalog/tools/x.json"',
  },
  { name: "read the engine's log", sh: 'head -c1 "$OWN/engine.log" | grep -q . && echo ESCAPED' },
  { name: "list the launch files", sh: 'ls "$DATA/run" && echo ESCAPED' },
  {
    name: "write among the engine's checkpoints",
    sh: 'mkdir -p "$OWN/checkpoints" && : > "$OWN/checkpoints/x" && echo ESCAPED; rm -rf "$OWN/checkpoints"',
  },
  { name: "read a neighbour's store", sh: 'grep -aq SQLite "$BOB/engine.db" && echo ESCAPED' },
  { name: "list a neighbour's workspace", sh: 'ls "$BOB/workspace" && echo ESCAPED' },
  { name: "read a neighbour's file", sh: 'grep -q bob "$BOB/workspace/diary" && echo ESCAPED' },
  {
    name: "write into a neighbour's workspace",
    sh: ': > "$BOB/workspace/planted" && echo ESCAPED; rm -f "$BOB/workspace/planted"',
  },
  {
    name: "watch a neighbour's files",
    py: 'f = library.inotify_init()\nprint("ESCAPED" if library.inotify_add_watch(f, (E["BOB"] + "/workspace").encode(), 0xfff) > 0 else "")',
  },
  { name: "read a secret of the product's catalog", sh: 'grep -q . "$CATALOG/secrets/key" && echo ESCAPED' },
  { name: "change the product's catalog", sh: ': >> "$CATALOG/core-soul.md" && echo ESCAPED' },
  { name: "list the catalogs", sh: 'ls "$DATA/catalogs" && echo ESCAPED' },
  { name: "list the engines", sh: 'ls "$DATA/engines" && echo ESCAPED' },
  { name: "read the admin key", sh: 'cat "$DATA/admin-key" && echo ESCAPED' },
  { name: "read the key of the stored secrets", sh: 'cat "$DATA/secret-key" && echo ESCAPED' },
  { name: "list the broker's files", sh: 'ls "$DATA/broker" && echo ESCAPED' },
  { name: "read the broker's port", sh: 'head -c1 "$DATA/broker/port" | grep -q . && echo ESCAPED' },
  { name: "write into the broker's log", sh: ': >> "$DATA/broker/log" && echo ESCAPED' },
  { name: "truncate a file of the host", py: 'import os; os.truncate(E["HOST_FILE"], 0); print("ESCAPED")' },
  { name: "write a file of the host", sh: 'echo x >> "$HOST_FILE" && echo ESCAPED' },
  { name: "create a file in a folder of everyone", sh: 'f="$HOST_FOLDER/f$$"; : > "$f" && echo ESCAPED; rm -f "$f"' },
  { name: "list a folder of everyone", sh: 'ls "$HOST_FOLDER" && echo ESCAPED' },
  {
    name: "swap a symbolic link while writing",
    sh: 'for i in 1 2 3 4 5 6 7 8; do ln -sfn "$HOST_FOLDER" d; echo x > d/race && echo ESCAPED; ln -sfn . d; done; rm -f d "$HOST_FOLDER/race"',
  },
  { name: "create a file in /tmp", sh: 'f=$(TMPDIR=/tmp mktemp) && echo ESCAPED; rm -f "$f"' },
  { name: "create a file in /dev/shm", sh: 'f=$(mktemp -p /dev/shm) && echo ESCAPED; rm -f "$f"' },
  { name: "create a file in /var/tmp", sh: 'f=$(mktemp -p /var/tmp) && echo ESCAPED; rm -f "$f"' },
  {
    name: "change the program of all engines",
    sh: 'f="$INSTALL/dist/planted.cjs"; : > "$f" && echo ESCAPED; rm -f "$f"',
  },
  {
    name: "poison the compile cache of all engines",
    sh: 'f="$DATA/cache/planted"; : > "$f" && echo ESCAPED; rm -f "$f"',
  },
  { name: "read /etc/shadow", sh: "grep -q root /etc/shadow && echo ESCAPED" },
  { name: "write a program of the system", sh: "f=/usr/local/bin/planted$$; : > $f && echo ESCAPED; rm -f $f" },
  {
    name: "read the machine's disk",
    sh: 'd=$(ls /dev/vda /dev/sda /dev/nvme0n1 2>/dev/null | head -1); [ -n "$d" ] && head -c1 "$d" | wc -c | grep -q 1 && echo ESCAPED',
    hostRefuses: true,
  },
  {
    name: "make a device",
    sh: "rm -f node; mknod node c 1 8 && head -c1 node | wc -c | grep -q 1 && echo ESCAPED; rm -f node",
  },
  { name: "read the kernel's log", sh: "timeout 2 dd if=/dev/kmsg bs=8k count=1 2>&1 | grep -q , && echo ESCAPED" },
  {
    name: "open by file handle",
    py: 'print("ESCAPED" if call("open_by_handle_at", 3, 0, 0) and errno() != 1 else "")',
  },
];

const processes: readonly Omit<Attempt, "part">[] = [
  { name: "read the engine's memory", py: 'open("/proc/" + E["ENGINE_PID"] + "/mem", "rb"); print("ESCAPED")' },
  {
    name: "read it through its threads",
    py: 'for t in threads():\n  try: open("/proc/%s/task/%d/mem" % (E["ENGINE_PID"], t), "rb"); print("ESCAPED")\n  except OSError: pass',
  },
  { name: "read the engine's environment", sh: 'head -c1 "/proc/$ENGINE_PID/environ" | grep -q . && echo ESCAPED' },
  { name: "read a neighbour's environment", sh: 'head -c1 "/proc/$BOB_PID/environ" | grep -q . && echo ESCAPED' },
  { name: "read the daemon's environment", sh: 'head -c1 "/proc/$DAEMON_PID/environ" | grep -q . && echo ESCAPED' },
  { name: "read a neighbour's command line", sh: 'head -c1 "/proc/$BOB_PID/cmdline" | grep -q . && echo ESCAPED' },
  { name: "list the machine's processes", sh: "ls /proc/ | grep -qx 1 && echo ESCAPED" },
  { name: "open the engine's descriptors", sh: 'cat "/proc/$ENGINE_PID/fd/1" | head -c1 | grep -q . && echo ESCAPED' },
  {
    name: "trace the engine",
    py: 'print("ESCAPED" if call("ptrace", 0x4206, int(E["ENGINE_PID"]), 0, 0) == 0 else "")',
  },
  { name: "read the broker's memory", py: 'open("/proc/" + E["BROKER_PID"] + "/mem", "rb"); print("ESCAPED")' },
  { name: "read the broker's command line", sh: 'head -c1 "/proc/$BROKER_PID/cmdline" | grep -q . && echo ESCAPED' },
  {
    name: "trace the broker",
    py: 'print("ESCAPED" if call("ptrace", 0x4206, int(E["BROKER_PID"]), 0, 0) == 0 else "")',
  },
  {
    name: "read memory of the broker by process_vm_readv",
    py: 'print("ESCAPED" if call("process_vm_readv", int(E["BROKER_PID"]), 0, 0, 0, 0, 0) == 0 else "")',
  },
  {
    name: "take the listening socket of the broker",
    py: 'import os; p = os.pidfd_open(int(E["BROKER_PID"])); print("ESCAPED" if call("pidfd_getfd", p, 3, 0) >= 0 else "")',
  },
  { name: "signal the broker", sh: 'kill -0 "$BROKER_PID" && echo ESCAPED' },
  {
    name: "trace a neighbour",
    py: 'p = int(E["BOB_PID"]); r = call("ptrace", 0x4206, p, 0, 0); print("ESCAPED" if r == 0 else "")',
  },
  {
    name: "read memory of the engine by process_vm_readv",
    py: 'print("ESCAPED" if call("process_vm_readv", int(E["ENGINE_PID"]), 0, 0, 0, 0, 0) == 0 else "")',
  },
  {
    name: "take a descriptor of the engine",
    py: 'import os; p = os.pidfd_open(int(E["ENGINE_PID"])); print("ESCAPED" if call("pidfd_getfd", p, 1, 0) >= 0 else "")',
  },
  { name: "signal the engine", sh: 'kill -0 "$ENGINE_PID" && echo ESCAPED' },
  {
    name: "signal the thread that starts tools",
    py: 'p = int(E["ENGINE_PID"])\nprint("ESCAPED" if any(call("tgkill", p, t, 0) == 0 for t in threads()) else "")',
  },
  {
    name: "signal it by its thread's id alone",
    py: 'print("ESCAPED" if any(call("tkill", t, 0) == 0 for t in threads()) else "")',
  },
  {
    name: "signal the engine by a pidfd",
    py: 'import os, signal; signal.pidfd_send_signal(os.pidfd_open(int(E["ENGINE_PID"])), 0); print("ESCAPED")',
  },
  {
    name: "signal the engine by its thread's id",
    py: 'print("ESCAPED" if any(call("kill", t, 0) == 0 for t in threads()) else "")',
  },
  {
    name: "queue a signal to it by its thread's id",
    py: 'import struct\ninfo = ctypes.create_string_buffer(struct.pack("3i", 0, 0, -1), 128)\nprint("ESCAPED" if any(call("rt_sigqueueinfo", t, 0, ctypes.addressof(info)) == 0 for t in threads()) else "")',
  },
  // Landlock refuses such a signal to the other threads only when it is sent.
  {
    name: "signal each thread by input",
    py: 'a, _ = socket.socketpair(); print("ESCAPED" if all(call("fcntl", a.fileno(), 8, t) == 0 for t in threads()) else "")',
  },
  {
    name: "signal a thread by input, its id in memory",
    py: 'import struct\na, _ = socket.socketpair()\nowner = ctypes.create_string_buffer(struct.pack("2i", 0, threads()[-1]))\nprint("ESCAPED" if call("fcntl", a.fileno(), 15, ctypes.addressof(owner)) == 0 else "")',
  },
  {
    name: "signal a thread by input of a socket",
    py: 'import struct\na, _ = socket.socketpair()\nowner = ctypes.create_string_buffer(struct.pack("i", threads()[-1]))\nprint("ESCAPED" if call("ioctl", a.fileno(), 0x8901, ctypes.addressof(owner)) == 0 else "")',
  },
  {
    name: "see a neighbour in its cgroup",
    sh: 'grep -rsqx --include=cgroup.procs "$BOB_PID" /sys/fs/cgroup && echo ESCAPED',
  },
  { name: "hide from the engine", py: 'print("ESCAPED" if call("prctl", 4, 0, 0, 0, 0) == 0 else "")' },
  { name: "signal a neighbour", sh: 'kill -0 "$BOB_PID" && echo ESCAPED' },
  { name: "signal the daemon", sh: 'kill -0 "$DAEMON_PID" && echo ESCAPED' },
  { name: "limit the engine's resources", sh: 'prlimit --pid "$ENGINE_PID" --core=0 && echo ESCAPED' },
  { name: "limit a neighbour's resources", sh: 'prlimit --pid "$BOB_PID" --core=0 && echo ESCAPED' },
  { name: "lower a neighbour's priority", sh: 'renice 0 "$BOB_PID" && echo ESCAPED' },
  { name: "move a neighbour to one CPU", sh: 'taskset -cp 0-1 "$BOB_PID" && echo ESCAPED' },
  { name: "offer a neighbour to the OOM killer", sh: 'echo 200 > "/proc/$BOB_PID/oom_score_adj" && echo ESCAPED' },
  {
    name: "inherit a descriptor of the engine",
    py: 'import os\nfor n in range(3, 256):\n  try: os.fstat(n); print("ESCAPED", n)\n  except OSError: pass',
    hostRefuses: true,
  },
  {
    name: "find a key in the own environment",
    sh: 'env | grep -q "provider-key-of-the-test" && echo ESCAPED',
    hostRefuses: true,
  },
];

const sockets: readonly Omit<Attempt, "part">[] = [
  { name: "connect to the daemon", py: "tcp(2, '127.0.0.1', int(E['DAEMON_PORT']))" },
  { name: "connect to the own engine", py: "tcp(2, '127.0.0.1', int(E['ENGINE_PORT']))" },
  { name: "connect to a neighbour's engine", py: "tcp(2, '127.0.0.1', int(E['BOB_PORT']))" },
  { name: "connect to the broker", py: "tcp(2, '127.0.0.1', int(E['BROKER_PORT']))" },
  { name: "connect to a local service", py: "tcp(2, '127.0.0.1', int(E['TCP_PORT']))" },
  { name: "connect to it by another loopback address", py: "tcp(2, '127.1.2.3', int(E['TCP_PORT']))" },
  { name: "connect to it by 0.0.0.0", py: "tcp(2, '0.0.0.0', int(E['TCP_PORT']))" },
  { name: "connect over IPv6", py: "tcp(10, '::1', int(E['TCP6_PORT']))" },
  { name: "connect over IPv4-mapped IPv6", py: "tcp(10, '::ffff:127.0.0.1', int(E['TCP_PORT']))" },
  { name: "connect with Multipath TCP", py: "tcp(2, '127.0.0.1', int(E['TCP_PORT']), 262)" },
  {
    name: "connect with TCP Fast Open",
    py: "s = socket.socket(); s.sendto(b'GET / HTTP/1.0\\r\\n\\r\\n', 0x20000000, ('127.0.0.1', int(E['TCP_PORT']))); print('ESCAPED')",
  },
  {
    name: "connect by sendmsg with Fast Open",
    py: "s = socket.socket(); s.sendmsg([b'x'], [], 0x20000000, ('127.0.0.1', int(E['TCP_PORT']))); print('ESCAPED')",
  },
  { name: "connect to another host on the proxy's port", py: "tcp(2, E['OTHER_HOST'], int(E['PROXY_PORT']))" },
  { name: "connect to ::1 on the proxy's port", py: "tcp(10, '::1', int(E['PROXY_PORT']))" },
  {
    name: "connect to it over IPv4-mapped IPv6",
    py: "tcp(10, '::ffff:' + E['OTHER_HOST'], int(E['PROXY_PORT']))",
  },
  { name: "connect to another host on a port of tool_listen", py: "tcp(2, E['OTHER_HOST'], int(E['LISTEN_PORT']))" },
  {
    name: "connect to it without waiting",
    py: "import select\ns = socket.socket(); s.setblocking(False); s.connect_ex((E['OTHER_HOST'], int(E['LISTEN_PORT'])))\nselect.select([], [s], [], 5); s.getpeername(); print('ESCAPED')",
  },
  {
    name: "connect after a connection to the proxy",
    py: "s = socket.socket(); s.connect_ex(('127.0.0.1', int(E['PROXY_PORT'])))\nlibrary.connect(s.fileno(), bytes(16), 16); s.connect((E['OTHER_HOST'], int(E['PROXY_PORT']))); print('ESCAPED')",
  },
  {
    name: "exchange the address while connecting",
    py: `import struct, threading
def at(host): return struct.pack("=H", 2) + struct.pack("!H4s8x", int(E["PROXY_PORT"]), socket.inet_aton(host))
good, bad = at("127.0.0.1"), at(E["OTHER_HOST"])
buffer = ctypes.create_string_buffer(good, 16)
over = False
def exchange():
  while not over:
    ctypes.memmove(buffer, bad, 16); ctypes.memmove(buffer, good, 16)
threading.Thread(target=exchange, daemon=True).start()
for _ in range(500):
  s = socket.socket()
  if library.connect(s.fileno(), buffer, 16) == 0 and s.getpeername()[0] == E["OTHER_HOST"]:
    print("ESCAPED"); break
  s.close()
over = True`,
  },
  {
    name: "exchange the descriptor while connecting",
    py: `import threading
s, other = socket.socket(), socket.socket()
copy = os.dup(s.fileno())
over = False
def exchange():
  while not over:
    os.dup2(other.fileno(), copy); os.dup2(s.fileno(), copy)
threading.Thread(target=exchange, daemon=True).start()
shared = socket.socket(fileno=copy)
for _ in range(200):
  if shared.connect_ex((E["OTHER_HOST"], int(E["LISTEN_PORT"]))) in (0, 106):
    print("ESCAPED"); break
over = True`,
  },
  {
    name: "connect a descriptor that another process passed",
    py: `a, b = socket.socketpair()
if os.fork() == 0:
  s = socket.socket(); socket.send_fds(b, [b"x"], [s.fileno()]); os._exit(0)
_, fds, _, _ = socket.recv_fds(a, 1, 1)
socket.socket(fileno=fds[0]).connect((E["OTHER_HOST"], int(E["LISTEN_PORT"]))); print("ESCAPED")`,
  },
  {
    name: "connect by a first write",
    py: "s = socket.socket(); s.setsockopt(6, 30, 1); s.connect((E['OTHER_HOST'], int(E['LISTEN_PORT']))); s.send(b'x'); print('ESCAPED')",
  },
  {
    name: "route a connection by another host",
    py: `s = socket.socket()
s.setsockopt(0, 4, bytes([131, 7, 4]) + socket.inet_aton(E["OTHER_HOST"]) + bytes(1)); print("ESCAPED")`,
  },
  {
    name: "send a connection to loopback by another device",
    py: "s = socket.socket(); s.setsockopt(1, 25, b'lo'); print('ESCAPED')",
  },
  {
    name: "send it by the number of a device",
    py: "s = socket.socket(); s.setsockopt(1, 62, 1); print('ESCAPED')",
  },
  {
    name: "route a connection of IPv6 by another host",
    py: `s = socket.socket(socket.AF_INET6)
s.setsockopt(41, 57, bytes([0, 2, 4, 0]) + bytes(4) + socket.inet_pton(10, "2001:db8::1")); print("ESCAPED")`,
    // Kernels without segment routing.
    hostRefuses: true,
  },
  {
    name: "route a connection by old options of IPv6",
    py: 's = socket.socket(socket.AF_INET6); s.setsockopt(41, 6, b""); print("ESCAPED")',
    // Newer kernels lack them.
    hostRefuses: true,
  },
  {
    name: "prepare a socket for the first write",
    py: "socket.socket().setsockopt(6, 30, 1); print('ESCAPED')",
  },
  {
    name: "connect by sendmmsg with Fast Open",
    py: `import struct
s = socket.socket()
at = ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack("!H4s8x", int(E["LISTEN_PORT"]), socket.inet_aton(E["OTHER_HOST"])), 16)
text = ctypes.create_string_buffer(b"x")
vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(text), 1))
header = ctypes.create_string_buffer(struct.pack("QI4xQQQQi4xI4x", ctypes.addressof(at), 16, ctypes.addressof(vector), 1, 0, 0, 0, 0))
print("ESCAPED" if call("sendmmsg", s.fileno(), ctypes.addressof(header), 1, 0x20000000) == 1 else errno())`,
  },
  {
    name: "have a listener of seccomp",
    py: `import struct
text = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(struct.pack("=H6xQ", 1, ctypes.addressof(text)))
library.prctl(38, 1, 0, 0, 0)
print("ESCAPED" if call("seccomp", 1, 8, ctypes.addressof(program)) >= 0 else "")`,
  },
  {
    name: "send UDP",
    py: "s = socket.socket(2, 2); s.sendto(b'x', ('127.0.0.1', int(E['UDP_PORT']))); print('ESCAPED')",
  },
  { name: "ask a DNS server", py: "s = socket.socket(10, 2); s.sendto(b'x', ('::1', 53)); print('ESCAPED')" },
  { name: "open a raw socket", py: "socket.socket(2, 3, 1); print('ESCAPED')" },
  { name: "open a packet socket", py: "socket.socket(17, 3, 0); print('ESCAPED')" },
  { name: "open a socket of the kernel's crypto", py: "socket.socket(38, 5, 0); print('ESCAPED')", hostRefuses: true },
  { name: "open a socket to the hypervisor", py: "socket.socket(40, 1, 0); print('ESCAPED')", hostRefuses: true },
  { name: "list the machine's sockets", py: "socket.socket(16, 3, 4); print('ESCAPED')" },
  { name: "connect to a Unix socket", py: "s = socket.socket(1); s.connect(E['UNIX_SOCKET']); print('ESCAPED')" },
  {
    name: "connect to an abstract socket",
    py: "s = socket.socket(1); s.connect('\\0' + E['ABSTRACT_SOCKET']); print('ESCAPED')",
  },
  {
    // A host that refuses it would not say that the socket is of another type.
    name: "reach a Unix socket from a pair",
    py: "a, _ = socket.socketpair(1, 2); print('ESCAPED' if a.connect_ex(E['UNIX_SOCKET']) == 91 else '')",
  },
  {
    name: "reach it from a pair of streams",
    py: "a, b = socket.socketpair(); b.close(); a.connect(E['UNIX_SOCKET']); print('ESCAPED')",
    hostRefuses: true,
  },
  { name: "listen on TCP", py: "socket.create_server(('127.0.0.1', 0)); print('ESCAPED')" },
  {
    name: "listen on every address",
    py: "s = socket.socket(); s.setsockopt(1, 2, 1); s.bind(('0.0.0.0', int(E['FREE_PORT']))); s.listen(); print('ESCAPED' if s.getsockname()[0] == '0.0.0.0' else '')",
  },
  {
    name: "listen on another address",
    py: "s = socket.socket(); s.bind((E['OTHER_HOST'], 0)); s.listen(); print('ESCAPED')",
  },
  {
    name: "take an abstract name by a socket pair",
    py: "a, _ = socket.socketpair(); a.bind('\\0orchd-taken-' + str(os.getpid())); print('ESCAPED')",
  },
  { name: "listen without a bind", py: "socket.socket().listen(); print('ESCAPED')" },
  {
    name: "make a socket by io_uring",
    py: 'import ctypes\nparams = ctypes.create_string_buffer(120)\nprint("ESCAPED" if call("io_uring_setup", 8, ctypes.addressof(params)) >= 0 else "")',
  },
];

const kernel: readonly Omit<Attempt, "part">[] = [
  { name: "make a user namespace", sh: "unshare -Ur true && echo ESCAPED" },
  { name: "make a mount namespace", sh: "unshare -m true && echo ESCAPED" },
  {
    name: "make a namespace by clone",
    py: 'r = call("clone", 0x10000000 | 17, 0, 0, 0, 0)\nif r == 0: import os; os._exit(0)\nprint("ESCAPED" if r > 0 else "")',
  },
  {
    name: "make a namespace by clone3",
    py: 'import ctypes, struct\na = ctypes.create_string_buffer(struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))\nr = call("clone3", ctypes.addressof(a), 88)\nif r == 0: import os; os._exit(0)\nprint("ESCAPED" if r > 0 else "")',
  },
  {
    name: "leave a zombie to the engine",
    py: 'r = call("clone", 0x8000 | 17, 0, 0, 0, 0)\nif r == 0: import os; os._exit(0)\nprint("ESCAPED" if r > 0 else "")',
  },
  { name: "mount a file system", sh: "mkdir -p m; mount -t tmpfs none m && echo ESCAPED && umount m" },
  { name: "bind a folder", sh: 'mkdir -p m; mount --bind "$BOB" m && echo ESCAPED && umount m' },
  { name: "change the root folder", sh: "chroot / true && echo ESCAPED" },
  {
    name: "start a thread with open files of its own",
    // The kernel itself refuses a thread without shared memory, but with another error.
    py: 'call("clone", 0x10000, 0, 0, 0, 0); print("ESCAPED" if errno() == 22 else errno())',
  },
  {
    name: "give a thread open files of its own",
    py: 'print("ESCAPED" if call("close_range", 900, 901, 2) == 0 else errno())',
  },
  { name: "enter the daemon's namespaces", sh: 'nsenter -t "$DAEMON_PID" -m true && echo ESCAPED' },
  {
    name: "become root by a set-user-ID program",
    sh: 'cp /usr/bin/id ./id && chmod u+s ./id && [ "$(id -u)" != 0 ] && ./id -un | grep -qx root && echo ESCAPED; rm -f id',
    hostRefuses: true,
  },
  { name: "become another user", py: "import os; os.setgroups([]); os.setgid(1); os.setuid(1); print('ESCAPED')" },
  { name: "use a capability", sh: "f=own$$; : > $f; chown 1:1 $f && echo ESCAPED; rm -f $f" },
  {
    name: "leave the cgroup",
    sh: "for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/pids/cgroup.procs /sys/fs/cgroup/unified/cgroup.procs; do [ -e $f ] && echo $$ > $f && echo ESCAPED; done",
  },
  { name: "run a BPF program", py: 'print("ESCAPED" if call("bpf", 0, 0, 0) < 0 and errno() != 1 else "")' },
  {
    name: "watch the kernel's counters",
    py: 'print("ESCAPED" if call("perf_event_open", 0, 0, -1, -1, 0) < 0 and errno() != 1 else "")',
  },
  { name: "handle page faults", py: 'r = call("userfaultfd", 1); print("ESCAPED" if r >= 0 else "")' },
  { name: "read the session's keys", py: 'print("ESCAPED" if call("keyctl", 0, -3, 1) >= 0 else "")' },
  {
    name: "share System V memory",
    py: 'r = call("shmget", 0x6f726368, 4096, 0o1600)\nif r >= 0: call("shmctl", r, 0, 0); print("ESCAPED")',
  },
  {
    name: "open a message queue",
    py: 'import ctypes\nn = ctypes.create_string_buffer(b"orchd-test")\nr = call("mq_open", ctypes.addressof(n), 0o102, 0o600, 0)\nif r >= 0: call("mq_unlink", ctypes.addressof(n)); print("ESCAPED")',
  },
  { name: "load a module", py: 'print("ESCAPED" if call("finit_module", 0, 0, 0) < 0 and errno() != 1 else "")' },
  { name: "read the kernel's log by syslog", py: 'print("ESCAPED" if call("syslog", 10, 0, 0) >= 0 else "")' },
  {
    name: "list what is mounted",
    py: 'print("ESCAPED" if call("listmount", 0, 0, 0, 0) < 0 and errno() not in (1, 38) else "")',
  },
  {
    name: "ask about a mount",
    py: 'print("ESCAPED" if call("statmount", 0, 0, 0, 0) < 0 and errno() not in (1, 38) else "")',
  },
  {
    name: "clone a mount with attributes",
    py: 'print("ESCAPED" if call("open_tree_attr", 0, 0, 0, 0, 0) < 0 and errno() not in (1, 38) else "")',
  },
  {
    name: "read attributes of a file",
    py: 'print("ESCAPED" if call("file_getattr", 0, 0, 0, 0, 0) < 0 and errno() not in (1, 38) else "")',
  },
  {
    name: "set attributes of a file",
    py: 'print("ESCAPED" if call("file_setattr", 0, 0, 0, 0, 0) < 0 and errno() not in (1, 38) else "")',
  },
  {
    name: "set the project of a file",
    py: 'f = open("attributes", "w"); print("ESCAPED" if call("ioctl", f.fileno(), 0x401c5820, 0) < 0 and errno() != 1 else "")',
  },
  {
    name: "make a 16-bit segment",
    py: 'print("ESCAPED" if numbers["modify_ldt"] and call("modify_ldt", 0, 0, 0) >= 0 else "")',
    hostRefuses: true,
  },
  {
    name: "hide memory from the kernel",
    py: 'print("ESCAPED" if call("memfd_secret", 0) >= 0 else "")',
    hostRefuses: true,
  },
  {
    name: "be told of changes in a folder",
    py: 'f = os.open(".", os.O_RDONLY); print("ESCAPED" if call("fcntl", f, 1026, 0x80000002) == 0 else "")',
  },
  {
    name: "delay who opens a file",
    py: 'f = os.open("leased", os.O_CREAT | os.O_RDONLY); print("ESCAPED" if call("fcntl", f, 1024, 1) == 0 else "")',
  },
  {
    name: "write a setting of the kernel",
    sh: 'v=$(cat /proc/sys/vm/overcommit_memory); echo "$v" > /proc/sys/vm/overcommit_memory && echo ESCAPED',
  },
  { name: "allow core dumps", sh: "ulimit -c unlimited && echo ESCAPED", hostRefuses: true },
];

/** Through the tools' proxy, from which they reach the network at all. */
const proxy: readonly Omit<Attempt, "part">[] = [
  { name: "reach the daemon through the proxy", sh: 'web "http://127.0.0.1:$DAEMON_PORT/health"' },
  { name: "reach a neighbour's engine through the proxy", sh: 'web "http://127.0.0.1:$BOB_PORT/health"' },
  { name: "reach the broker through the proxy", sh: 'web "http://127.0.0.1:$BROKER_PORT/health"' },
  {
    name: "read the broker's reports without its token",
    sh: 'web -H "X-Control-Token: guessed" "http://127.0.0.1:$BROKER_PORT/control/live"',
    hostRefuses: true,
  },
  {
    name: "end the broker without its token",
    sh: 'web -X POST "http://127.0.0.1:$BROKER_PORT/control/drain"',
    hostRefuses: true,
  },
  {
    name: "ask the daemon in the broker's place",
    sh: 'web -X POST -H "X-Broker-Token: guessed" -d "{}" "http://127.0.0.1:$DAEMON_PORT/broker/identity"',
    hostRefuses: true,
  },
  { name: "reach a local service by name", sh: 'web "http://localhost:$TCP_PORT/"' },
  { name: "reach it by a decimal address", sh: 'web "http://2130706433:$TCP_PORT/"' },
  { name: "reach it by 0", sh: 'web "http://0:$TCP_PORT/"' },
  { name: "reach it by an IPv4-mapped address", sh: 'web "http://[::ffff:127.0.0.1]:$TCP_PORT/"' },
  { name: "reach it over IPv6", sh: 'web "http://[::1]:$TCP6_PORT/"' },
  { name: "tunnel to a local service", sh: 'web -p "http://127.0.0.1:$TCP_PORT/"' },
  { name: "reach it with a foreign Host header", sh: 'web -H "Host: example.com" "http://127.0.0.1:$TCP_PORT/"' },
  { name: "reach the metadata service", sh: 'web "http://169.254.169.254/latest/meta-data/"', hostRefuses: true },
  { name: "reach it without the proxy's password", sh: 'HTTP_PROXY= http_proxy= web "http://127.0.0.1:$TCP_PORT/"' },
];

const inPart = (part: Attempt["part"], attempts: readonly Omit<Attempt, "part">[]): readonly Attempt[] =>
  attempts.map((attempt) => ({ ...attempt, part }));

export const ATTEMPTS: readonly Attempt[] = [
  ...inPart("files", files),
  ...inPart("processes", processes),
  ...inPart("sockets", sockets),
  ...inPart("kernel", kernel),
  ...inPart("proxy", proxy),
];
