import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Isolation } from "../../../../src/contract/orchestrator/requests.ts";
import {
  type HostIsolation,
  assertRequired,
  assessIsolation,
} from "../../../../src/orchestrator/fleet/isolation/host-isolation.ts";
import type { SystemCallName } from "../../../../src/sandbox/system/system-call-numbers.ts";
import { cannotSupervise } from "../../../helpers/confined.ts";
import { engineUserProblem } from "../../../../src/orchestrator/fleet/isolation/engine-user-trial.ts";
import { nativeProblem } from "../../../../src/sandbox/system/system-calls.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { NOT_ISOLATED } from "../../../../src/contract/engine/launch-file.ts";

const UIDS = { min: 1_900_020_000, max: 1_900_020_099 };
const skip = process.getuid?.() === 0 ? false : "only root may become another user";

function trialIn(t: Test) {
  const outer = freshFolder(t, "trial");
  const [dataDir, file] = [join(outer, "data"), join(outer, "program")];
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o711);
  writeFileSync(file, "");
  chmodSync(file, 0o644);
  return { outer, trial: { uids: UIDS, nodePath: process.execPath, files: [file], dataDir } };
}

t.test(
  "engines have users of their own where another user can run the program and enter its folder",
  { skip },
  async (t) => {
    const { outer, trial } = trialIn(t);
    t.equal(await engineUserProblem(trial), null);
    chmodSync(join(outer, "program"), 0o600);
    t.match(await engineUserProblem(trial), {
      problem: `other users cannot read ${outer}/program`,
      fix: new RegExp(`chmod o\\+r ${outer}/program`),
    });
    chmodSync(join(outer, "program"), 0o644);
    chmodSync(join(outer, "data"), 0o700);
    t.match(await engineUserProblem(trial), { problem: `other users cannot enter ${outer}/data` });
    chmodSync(outer, 0o700);
    t.match(
      await engineUserProblem(trial),
      { fix: new RegExp(`chmod o\\+x ${outer}$`) },
      "the uppermost closed folder",
    );
  },
);

t.test("a Node.js that other users cannot run is named", { skip }, async (t) => {
  const { outer, trial } = trialIn(t);
  const nodePath = join(outer, "node");
  writeFileSync(nodePath, "#!/bin/sh\n");
  chmodSync(nodePath, 0o700);
  t.match(await engineUserProblem({ ...trial, nodePath }), { problem: `other users cannot run ${nodePath}` });
});

t.test("off promises nothing, whatever the host can do", async (t) => {
  const { trial } = trialIn(t);
  const isolation = await assessIsolation({ mode: "off", read: ["/srv"], trial });
  t.same(isolation.launch, NOT_ISOLATED);
  t.equal(isolation.hasEngineUsers, false);
  t.match(isolation.report.parts, [{ name: "engine", active: false, fix: "set ORCH_ISOLATION to auto" }]);
  t.doesNotThrow(() => assertRequired(isolation.report, { isRoot: true }));
});

t.test("auto promises what the report calls active", async (t) => {
  const { trial } = trialIn(t);
  const { report, launch, hasEngineUsers } = await assessIsolation({ mode: "auto", read: ["/srv"], trial });
  const active = Object.fromEntries(report.parts.map((part) => [part.name, part.active]));
  t.same(
    report.parts.map(({ name }) => name),
    ["engine", "user", "tools", "network"],
  );
  const { problem: gap } = report.parts.find(({ name }) => name === "network") ?? {};
  const promised = { engine: active["engine"], tools: active["tools"], sockets: gap === null };
  t.same(launch, { ...promised, required: false, read: ["/srv"] });
  t.equal(hasEngineUsers, active["user"]);
  for (const { name, active: isActive, problem, fix } of report.parts)
    if (!isActive) t.ok(problem !== null && fix !== null, `${name} says what is missing and what would add it`);
});

/** What a host would report that refuses these system calls. */
function assessWithout(t: Test, ...calls: readonly SystemCallName[]): Pick<HostIsolation, "report" | "launch"> {
  const options = JSON.stringify({ mode: "require", read: [], trial: trialIn(t).trial });
  const program = [process.execPath, join(import.meta.dirname, "without-calls.ts"), options, JSON.stringify(calls)];
  // Without tap's variables, which load its own code.
  return JSON.parse(execFileSync("/usr/bin/env", ["-i", ...program], { encoding: "utf8" }));
}

t.test("tools are not promised where filters are refused", { skip: nativeProblem() ?? false }, async (t) => {
  const { report } = assessWithout(t, "seccomp");
  t.match(
    report.parts.find(({ name }) => name === "tools"),
    { active: false, problem: /seccomp is refused here \(errno 1\)|Landlock/ },
  );
});

t.test("hosts are not promised where descriptors cannot be copied", { skip: cannotSupervise }, async (t) => {
  for (const call of ["pidfd_getfd", "process_vm_readv"] as const) {
    const { report, launch } = assessWithout(t, call);
    t.match(launch, { tools: true, sockets: false, required: true });
    t.match(
      report.parts.find(({ name }) => name === "network"),
      { active: true, problem: new RegExp(`kept by port only.*${call} is refused here`), fix: /SYS_PTRACE/ },
    );
  }
});

const part = (name: Isolation["parts"][number]["name"], active: boolean) => ({
  name,
  active,
  problem: active ? null : `no ${name}`,
  fix: active ? null : `add ${name}`,
  detail: null,
});
const REQUIRED: Isolation = {
  mode: "require",
  parts: [part("engine", true), part("user", false), part("tools", true), part("network", true), part("limits", false)],
};

t.test("require refuses a host without an engine's own user only when orchd is root", async (t) => {
  t.throws(() => assertRequired(REQUIRED, { isRoot: true }), {
    name: "IsolationIncomplete",
    message: /ORCH_ISOLATION=require.*\n {2}user: no user; add user$/,
  });
  t.doesNotThrow(() => assertRequired(REQUIRED, { isRoot: false }));
  t.doesNotThrow(() => assertRequired({ ...REQUIRED, mode: "auto" }, { isRoot: true }));
  const bare = { ...REQUIRED, parts: REQUIRED.parts.map(({ name }) => part(name, false)) };
  t.throws(() => assertRequired(bare, { isRoot: false }), { message: /\n {2}engine: .*\n {2}tools: [^\n]*$/ });
});
