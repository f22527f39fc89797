import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { settingNames } from "../../src/contract/settings/settings.ts";
import { NEEDED_CAPABILITIES } from "../../src/orchestrator/fleet/isolation/capabilities.ts";
import { readConfig } from "../../src/orchestrator/daemon/config.ts";

const root = resolve(import.meta.dirname, "../..");
const unit = readFileSync(join(root, "systemd/orchd.service"), "utf8");
const example = readFileSync(join(root, "systemd/orchd.env.example"), "utf8");
const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
const settings = [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = "", text = ""]) => ({
  name,
  text,
}));

t.test("engines outlive the daemon: nothing of the unit ends them or takes a folder from them", async (t) => {
  t.equal(value("KillMode"), "process");
  t.equal(value("OOMPolicy"), "continue");
  t.not(value("PrivateTmp"), "yes");
  t.equal(value("RuntimeDirectory"), undefined);
  t.not(value("RemoveIPC"), "yes");
});

t.test("a unit of its own has the engines' cgroups, so that the daemon can be started again beside them", async (t) => {
  t.equal(value("Delegate"), undefined);
  t.equal(value("ProtectControlGroups"), undefined);
  for (const name of ["Wants", "After"]) t.ok(value(name)?.split(" ").includes("orchd-engines.service"), name);
  const engines = readFileSync(join(root, "systemd/orchd-engines.service"), "utf8");
  for (const line of ["Delegate=pids memory cpu", "OOMPolicy=continue", "TasksMax=infinity", "User=orchd"])
    t.ok(engines.includes(`\n${line}\n`), line);
});

t.test(
  "the unit gives the capabilities that users of engines need, and the system calls that confine them",
  async (t) => {
    const needed = Object.keys(NEEDED_CAPABILITIES).sort();
    t.same(value("AmbientCapabilities")?.split(" ").sort(), needed);
    t.same(value("CapabilityBoundingSet")?.split(" ").sort(), needed);
    const calls = value("SystemCallFilter")?.split(" ") ?? [];
    const confining = [
      "landlock_create_ruleset",
      "landlock_add_rule",
      "landlock_restrict_self",
      "seccomp",
      "pidfd_getfd",
    ];
    for (const name of confining) t.ok(calls.includes(name), name);
  },
);

t.test("the unit lets JavaScript be compiled, and the daemon alone speak with systemd", async (t) => {
  t.equal(value("MemoryDenyWriteExecute"), undefined);
  t.equal(value("Type"), "notify");
  t.equal(value("NotifyAccess"), "main");
  t.ok(Number(value("FileDescriptorStoreMax")) * "65535:".length < 128 * 1024, "LISTEN_FDNAMES is one variable");
});

t.test("the example names every setting, each once, and none takes effect by itself", async (t) => {
  const names = settings.map(({ name }) => name);
  t.same(names.sort(), [...settingNames("daemon", "operator", "product")].sort());
  for (const line of example.split("\n").filter(Boolean)) t.match(line, /^#/);
});

t.test("the example's values are the defaults", async (t) => {
  const given = Object.fromEntries(settings.filter(({ text }) => text !== "").map(({ name, text }) => [name, text]));
  const { engineDefaults: _, shownSettings: _shown, ...fromExample } = readConfig(given, 0);
  const { engineDefaults: __, shownSettings: __shown, ...usual } = readConfig({}, 0);
  t.same(fromExample, usual);
  t.ok(Object.keys(given).length > 8);
});

/** Where any text would be refused. */
const NEEDED: Readonly<Record<string, string>> = {
  LLM_PROVIDER: "anthropic",
  LLM_ATTACHMENTS: "image",
  LLM_REGION: "us-east-1",
  LLM_CONTEXT_WINDOW: "200000",
  LLM_REQUESTS_PER_MINUTE: "60",
  ENGINE_HITL_TTL_S: "60",
  ENGINE_WORD_VECTORS: "none",
  ENGINE_EMBEDDINGS_URL: "http://localhost",
};

t.test("the example's settings for engines reach them", async (t) => {
  const given = settings.filter(({ name }) => !settingNames("daemon").some((setting) => setting === name));
  const wishes = Object.fromEntries(
    given.map(({ name, text }) => [
      name,
      text || (NEEDED[name] ?? (name.endsWith("_BASE_URL") ? "http://localhost" : "x")),
    ]),
  );
  const { engineDefaults } = readConfig(wishes, 0);
  t.same(Object.keys(engineDefaults).sort(), given.map(({ name }) => name).sort());
});

const skip = existsSync("/usr/bin/systemd-analyze") ? false : "needs systemd-analyze";
const analyze = (...args: readonly string[]) =>
  spawnSync("systemd-analyze", args, { encoding: "utf8", timeout: 60_000 });

t.test("systemd understands the units", { skip }, async (t) => {
  const folder = t.testdir({});
  const names = readdirSync(join(root, "systemd")).filter((name) => /\.(service|socket|slice)$/.test(name));
  for (const name of names) {
    const text = readFileSync(join(root, "systemd", name), "utf8");
    // What the unit names is where the package is here, and its user is one that this machine has.
    const here = text
      .replaceAll("/opt/orchd/current/bin/node", process.execPath)
      .replaceAll("/opt/orchd/current", root);
    writeFileSync(join(folder, name), here.replaceAll("=orchd\nGroup=orchd", "=root"));
  }
  const { stderr } = analyze("verify", "--man=no", ...names.map((name) => join(folder, name)));
  // Keys that are newer than the systemd at hand are ignored by it.
  const complaints = stderr
    .split("\n")
    .filter((line) => /\borchd[\w-]*\./.test(line) && !/Unknown key( name)? 'Restart(Steps|MaxDelaySec)'/.test(line));
  t.same(complaints, []);
});

/** In tenths; 3.0 with systemd 252. Each capability and each option that engines cannot live with adds to it. */
const MAX_EXPOSURE = 35;

t.test("the daemon's exposure, as systemd-analyze security rates it, stays low", { skip }, async (t) => {
  const file = join(root, "systemd/orchd.service");
  const rating = analyze("security", "--offline=yes", "--no-pager", `--threshold=${MAX_EXPOSURE}`, file);
  // Before systemd 250 it rates loaded units only.
  if (rating.stderr.includes("unrecognized option")) return;
  t.equal(rating.status, 0, rating.stdout);
});
