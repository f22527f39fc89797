import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { HostCheck } from "../../src/contract/orchestrator/host.ts";
import { VERSION } from "../../src/shared/version.ts";
import { fault, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const report = (checks: readonly HostCheck[]) => ({ body: { version: VERSION, node: "26.0.0", settings: {}, checks } });
const DISK: HostCheck = { name: "disk", status: "ok", message: "9 GB free", fix: null };

t.test("each check is a line, with what to type below it; a problem ends with 1, a warning with 0", async (t) => {
  const server = await startFakeServer(t);
  const doctor = (...options: string[]) => orchctlFor(t, server)(["doctor", ...options], { env: KEY });
  server.on("GET /health", {
    body: { status: "ok", version: VERSION, uptime_s: 12, role: "leader", leader: "host-1" },
  });
  server.on("GET /ready", { body: { status: "ready", version: VERSION } });
  const clock: HostCheck = { name: "clock", status: "warning", message: "is late", fix: "timedatectl set-ntp true" };
  server.on("GET /admin/doctor", report([DISK, clock]));
  const fine = await doctor();
  t.equal(fine.code, 0, fine.stderr);
  t.match(fine.stdout, `ok       daemon       orchd ${VERSION} is ready at ${server.url}\n`);
  t.match(fine.stdout, /^warning {2}clock {8}is late\n {22}timedatectl set-ntp true$/m);
  server.on("GET /admin/doctor", report([{ ...DISK, status: "problem", message: "full", fix: "df -h" }]));
  const wrong = await doctor();
  t.equal(wrong.code, 1);
  t.match(wrong.stdout, /^PROBLEM {2}disk/m);
  t.equal(wrong.stderr, "orchctl: 1 problem\n");
  const json = await doctor("--json");
  t.match(JSON.parse(json.stdout).checks.at(-1), { name: "disk", status: "problem", fix: "df -h" });
  t.same(JSON.parse(json.stderr), { error: { code: "PROBLEMS", message: "1 problem" } });
});

t.test("a call that the daemon refuses or does not know is a line too", async (t) => {
  const server = await startFakeServer(t);
  const doctor = () => orchctlFor(t, server)(["doctor"], { env: KEY });
  server.on("GET /health", {
    body: { status: "ok", version: "0.0.1", uptime_s: 12, role: "leader", leader: "host-1" },
  });
  server.on("GET /ready", fault(503, "SERVICE_UNAVAILABLE", "the database does not answer"));
  server.on("GET /admin/doctor", fault(401, "INVALID_ADMIN_KEY", "wrong key"));
  const ran = await doctor();
  t.equal(ran.code, 1);
  t.match(ran.stdout, /^PROBLEM {2}daemon {7}is up, but not ready: the database does not answer/m);
  t.match(ran.stdout, /^warning {2}orchctl {6}has .*, the daemon 0\.0\.1$/m);
  t.match(ran.stdout, /^PROBLEM {2}checks {7}.*wrong key.*\n {22}the key is the daemon's ORCH_ADMIN_KEY/m);
  server.on("GET /admin/doctor", fault(404, "NOT_FOUND", "no such route"));
  t.match((await doctor()).stdout, /^warning {2}checks {7}this daemon is older/m);
});

t.test("a leader is missing, unknown, unreachable, or answers through its follower", async (t) => {
  const server = await startFakeServer(t);
  const url = "http://10.0.0.2:7700";
  const doctor = async (leader: string | null) => {
    server.on("GET /health", { body: { status: "ok", version: VERSION, uptime_s: 12, role: "follower", leader } });
    return (await orchctlFor(t, server)(["doctor"], { env: KEY })).stdout;
  };
  server.on("GET /ready", { body: { status: "ready", version: VERSION } });
  server.on("GET /admin/doctor", report([DISK]));
  t.match(
    await doctor(url),
    `ok       leader       this daemon follows ${url}, which leads and answers its calls\nok       disk`,
  );
  server.on("GET /admin/doctor", fault(503, "SERVICE_UNAVAILABLE", "no orchd leads this host now"));
  const unreachable = await doctor(url);
  t.match(
    unreachable,
    `PROBLEM  leader       ${url} leads, but this daemon does not reach it: no orchd leads this host now`,
  );
  t.match(unreachable, new RegExp(`\\n {22}curl ${url}/health on this machine; ORCH_REPLICA_URL .*\\n$`));
  t.match(await doctor("host-2"), /^PROBLEM {2}leader .*host-2 leads, .*\n {22}set ORCH_REPLICA_URL/m);
  t.match(await doctor(null), /^PROBLEM {2}leader .*no daemon is known to lead.*\n {22}journalctl -u orchd/m);
});

t.test("a daemon that is down is looked at from outside", async (t) => {
  const orchctl = orchctlFor(t, { url: "http://127.0.0.1:1" });
  const dataDir = orchctl.env["ORCH_DATA_DIR"] ?? "";
  const without = await orchctl(["doctor"]);
  t.equal(without.code, 1);
  t.match(without.stdout, /^PROBLEM {2}daemon .*ECONNREFUSED/m);
  t.match(without.stdout, /^warning {2}data .*cannot be read \(ENOENT\)\n {22}set ORCH_DATA_DIR/m);
  mkdirSync(join(dataDir, "postgres", "data"), { recursive: true });
  const key = join(dataDir, "secret-key");
  writeFileSync(key, "secret");
  chmodSync(key, 0o644);
  const { stdout } = await orchctl(["doctor"]);
  t.match(stdout, /^ok {7}disk/m);
  t.match(stdout, `PROBLEM  permissions  other users can read ${key}\n                      chmod 600 ${key}\n`);
  t.match(stdout, /^warning {2}database {5}the bundled PostgreSQL does not run/m);
  t.match(stdout, /^ok {7}port/m);
});
