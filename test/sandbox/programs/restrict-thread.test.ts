import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { engineFolders } from "../../../src/engine/isolation/file-rules.ts";
import type { ThreadRules } from "../../../src/sandbox/programs/restrict-thread.ts";
import { landlockAbi } from "../../../src/sandbox/landlock/landlock.ts";
import { freePort } from "../../helpers/fleet.ts";
import { temporaryFolder } from "../../helpers/run.ts";

const { abi, problem } = landlockAbi();
const skip = problem ?? (abi < 6 ? `Landlock ABI ${abi} knows no ports or signals` : false);

interface Result {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs shell commands in a sandbox of an engine whose folder exists, with this process in the engine's place. */
async function run(
  t: Test,
  { commands, ...more }: Partial<ThreadRules> & { commands: readonly string[] },
): Promise<Result[]> {
  const dataDir = temporaryFolder("restricted-");
  t.teardown(() => rmSync(dataDir, { recursive: true }));
  const folders = engineFolders(dataDir);
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(join(dataDir, "engine.db"), "secret of the store");
  const sandbox = {
    read: [],
    write: Object.values(folders),
    proxyPort: null,
    listen: [],
    supervised: false,
    ownPid: process.pid,
    sharedUser: false,
    ...more,
  };
  const program = [process.execPath, join(import.meta.dirname, "restricted-program.ts")];
  // Not synchronously: this process answers connections meanwhile. Without tap's variables, which load its own code.
  const child = spawn("/usr/bin/env", ["-i", ...program, JSON.stringify({ sandbox, folders, commands })]);
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => t.comment(chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(printed);
}

async function listener(t: Test): Promise<number> {
  const server: Server = createServer((socket) => socket.end("hello from the port"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const python = (code: string) => `/usr/bin/python3 -c '${code}'`;
const socketOf = (...numbers: number[]) => python(`import socket; socket.socket(${numbers.join()}); print("made")`);
const callOf = (...numbers: (number | string)[]) =>
  python(`import ctypes, os; print(ctypes.CDLL(None, use_errno=True).syscall(${numbers.join()}), ctypes.get_errno())`);

t.test("a tool has its workspace and its temporary folder, and not the engine's store", { skip }, async (t) => {
  const [own, temporary, store, created] = await run(t, {
    commands: ["echo kept > note; cat note", 'cd "$(mktemp -d)" && pwd', "cat ../engine.db", "touch ../engine.db-wal"],
  });
  t.match(own, { status: 0, stdout: "kept\n" });
  t.match(temporary, { status: 0, stdout: /\/tmp\/tmp\.\w+\n$/ });
  for (const result of [store, created]) t.match(result, { status: 1, stderr: /Permission denied/ });
});

t.test("a tool sees no process", { skip }, async (t) => {
  const paths = ["self/status", `${process.pid}/cmdline`, `${process.pid}/environ`, "1/cmdline"];
  const results = await run(t, { commands: [...paths.map((path) => `cat /proc/${path}`), "head -1 /proc/meminfo"] });
  const memory = results.pop();
  for (const result of results) t.match(result, { status: 1, stderr: /Permission denied/ });
  t.match(memory, { status: 0, stdout: /MemTotal/ });
});

t.test("a tool opens TCP sockets only, and connects only to the proxy", { skip }, async (t) => {
  const [proxyPort, other] = [await listener(t), await listener(t)];
  const [proxy, foreign, udp, unix, multipath, packet, pair] = await run(t, {
    proxyPort,
    commands: [
      `exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; cat <&3`,
      `exec 3<>/dev/tcp/127.0.0.1/${other}; cat <&3`,
      socketOf(2, 2, 0),
      socketOf(1, 1, 0),
      socketOf(2, 1, 262),
      socketOf(17, 3, 0),
      python("import socket; socket.socketpair(); print(6 * 7)"),
    ],
  });
  t.match(proxy, { status: 0, stdout: "hello from the port" });
  t.match(foreign, { status: 1, stderr: /Permission denied/ });
  for (const result of [udp, unix, multipath, packet]) t.match(result, { status: 1, stderr: /PermissionError/ });
  t.match(pair, { status: 0, stdout: "42\n" });
});

t.test("TCP Fast Open does not connect past the rules", { skip }, async (t) => {
  const port = await listener(t);
  const code = `import socket; s = socket.socket(); s.sendto(b"x", 0x20000000, ("127.0.0.1", ${port}))`;
  const [fastOpen] = await run(t, { proxyPort: 1, commands: [python(code)] });
  t.match(fastOpen, { status: 1, stderr: /PermissionError/ });
});

t.test("a tool without network has no internet socket", { skip }, async (t) => {
  const [tcp] = await run(t, { commands: [socketOf(2, 1, 0)] });
  t.match(tcp, { status: 1, stderr: /PermissionError/ });
});

t.test("a tool listens only on the ports of its policy", { skip }, async (t) => {
  const port = await listener(t);
  const listens = (on: number) => python(`import socket; s = socket.create_server(("127.0.0.1", ${on})); print("ok")`);
  const unbound = python("import socket; socket.socket().listen(); print(1)");
  const [bound, silent] = await run(t, { proxyPort: port, commands: [listens(0), unbound] });
  for (const result of [bound, silent]) t.match(result, { status: 1, stderr: /PermissionError/ });
  const free = await freePort();
  const [allowed, other] = await run(t, { listen: [free], commands: [listens(free), listens(free + 1)] });
  t.match(allowed, { status: 0, stdout: "ok\n" });
  t.match(other, { status: 1, stderr: /PermissionError/ });
});

t.test("a tool changes no other process", { skip }, async (t) => {
  const { pid } = process;
  const changes = [
    `kill -0 ${pid}`,
    `renice 5 ${pid}`,
    `taskset -p 1 ${pid}`,
    `prlimit --nofile=10 --pid ${pid}`,
    `ionice -c 3 -p ${pid}`,
  ];
  for (const result of await run(t, { commands: changes }))
    t.match(result, { status: 1, stderr: /not permitted|Permission denied/ });
});

t.test("a tool gets no namespace, trace, io_uring, key or System V memory", { skip }, async (t) => {
  const numbers =
    process.arch === "x64" ? { ptrace: 101, shmget: 29, keyctl: 250 } : { ptrace: 117, shmget: 194, keyctl: 219 };
  const calls = [
    callOf(numbers.ptrace, 16, process.pid, 0, 0),
    callOf(425, 8, 0),
    callOf(numbers.keyctl, 0, -3, 0),
    callOf(numbers.shmget, 1, 4096, 512),
    callOf(434, process.pid, 128),
  ];
  for (const result of await run(t, { commands: calls })) t.match(result, { status: 0, stdout: "-1 1\n" });
  const [namespace, clone3] = await run(t, { commands: ["unshare -U true", callOf(435, 0, 88)] });
  t.match(namespace, { status: 1, stderr: /not permitted/ });
  t.match(clone3, { stdout: "-1 38\n" }, "programs fall back to clone, whose flags the filter sees");
});

t.test(
  "a program of another processor's system calls is killed",
  { skip: skip || process.arch !== "x64" },
  async (t) => {
    // int 0x80 calls the 32-bit table.
    const code = `import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()`;
    const [result] = await run(t, { commands: [python(code)] });
    t.equal(result?.signal, "SIGSYS");
  },
);

t.test("no call takes disk space without writing it, and programs write instead", { skip }, async (t) => {
  const [allocated, reserved, flags, written, same] = await run(t, {
    commands: [
      `: > f; ${python('import ctypes, os; f = os.open("f", 2); print(ctypes.CDLL(None, use_errno=True).fallocate(f, 0, ctypes.c_long(0), ctypes.c_long(1 << 30)), ctypes.get_errno(), os.stat("f").st_blocks)')}`,
      python(
        'import fcntl, os, struct; fcntl.ioctl(os.open("f", 2), 0x4030582a, struct.pack("hhiqqiIiiii", 0, 0, 0, 0, 1 << 30, 0, 0, 0, 0, 0, 0))',
      ),
      python('import fcntl, os; fcntl.ioctl(os.open("f", 2), 0x401c5820, b"\\0" * 28)'),
      python('import os; os.posix_fallocate(os.open("f", 2), 0, 1 << 20); print(os.stat("f").st_size)'),
      python(
        'import sqlite3; d = sqlite3.connect("d"); d.execute("pragma journal_mode = wal"); d.execute("create table t(x)"); print(1)',
      ),
    ],
  });
  t.match(allocated, { stdout: "-1 95 0\n" });
  for (const one of [reserved, flags]) t.match(one, { status: 1, stderr: /Operation not permitted/ });
  t.match(written, { status: 0, stdout: "1048576\n" });
  t.match(same, { status: 0, stdout: "1\n" });
});

t.test("git, Node.js, Python and a compiled program work", { skip }, async (t) => {
  const results = await run(t, {
    commands: [
      "git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --oneline | wc -l",
      `${process.execPath} -p 1`,
      python("print(1)"),
      "cat <(echo 1)",
      "mkdir folder && echo 1 > folder/file && mv folder/file other && cat other",
    ],
  });
  for (const result of results) t.match(result, { status: 0, stdout: "1\n" });
});
