import { existsSync } from "node:fs";
import t from "tap";
import { nativeProblem } from "../../../src/sandbox/system/system-calls.ts";
import { ask } from "../../helpers/api.ts";
import { freePort, startDaemon } from "../../helpers/daemon.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { freshDatabaseUrl } from "../../helpers/shared-postgres.ts";

const skip = nativeProblem() ?? (existsSync("/usr/bin/python3") ? false : "needs python3");

/** Runs a program in its own place with a listening socket, as systemd does for orchd.socket. */
const withSocket = (port: number): readonly string[] => [
  "/usr/bin/python3",
  "-c",
  `import os, socket, sys
listener = socket.create_server(("127.0.0.1", ${port}))
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="api")
os.execvp(sys.argv[1], sys.argv[1:])`,
];

t.test("the daemon serves on the socket of the service manager", { skip }, async (t) => {
  const port = await freePort();
  const daemon = await startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    env: { ORCH_PORT: String(port) },
    through: withSocket(port),
  });
  t.equal((await ask(daemon.url, "/ready")).status, 200);
  t.equal(await daemon.stop(), 0);
});

t.test("a socket on another port than ORCH_PORT is refused", { skip }, async (t) => {
  const [port, other] = [await freePort(), await freePort()];
  const started = startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    env: { ORCH_PORT: String(port) },
    through: withSocket(other),
  });
  await t.rejects(started, new RegExp(`ORCH_PORT: expected ${other}, the port of orchd.socket, got ${port}`));
});
