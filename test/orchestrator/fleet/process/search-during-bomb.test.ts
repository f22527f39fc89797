import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import t, { type Test } from "tap";
import type { DelegatedCgroup } from "../../../../src/sandbox/cgroups/delegated-cgroup.ts";
import { EngineCgroups } from "../../../../src/orchestrator/fleet/process/engine-cgroups.ts";
import { createProcessBackend } from "../../../../src/orchestrator/fleet/process/process-backend.ts";
import { silent, testFleet } from "../../../helpers/fleet.ts";
import { BOUNDS, boundedHierarchies, engineCgroup, withinBounds } from "../../../helpers/limits.ts";
import { until } from "../../../helpers/until.ts";

const hierarchies = boundedHierarchies() ?? [];
const skip =
  hierarchies.length === 0 || process.getuid?.() !== 0 ? "needs root and a writable controller for processes" : false;
/** Of one search. Reading the environments of all processes of a bomb takes longer. */
const BOUND_MS = 10_000;

/**
 * Each process has a session of its own, holds memory that every fork must copy, and ends after 30 s. Each draws numbers of
 * its own: with those of its parent it would exit where the parent did, and the bomb might never grow.
 */
const BOMB = `exec perl -MPOSIX -e 'my $end = time + 30; my @held = (1) x 50000; while (time < $end) { my $pid = fork; if (defined $pid && $pid == 0) { setsid(); srand($$); } elsif (defined $pid && rand() < 0.5) { exit; } }'`;

/** A bomb in a cgroup of at most 250 processes, whose environment names `launchFile`. */
async function explode(
  t: Test,
  { cgroup, launchFile, uid = 0 }: { cgroup: DelegatedCgroup; launchFile: string; uid?: number },
): Promise<ChildProcess> {
  const become = uid === 0 ? "" : `exec setpriv --reuid ${uid} --regid ${uid} --clear-groups `;
  const command = withinBounds(cgroup, `${become}/bin/sh -c "$BOMB"`);
  const env = { PATH: "/usr/bin:/bin", ORCH_LAUNCH_FILE: launchFile, BOMB };
  const bomb = spawn("/bin/sh", ["-c", command], { env, stdio: "ignore", detached: true });
  t.teardown(async () => {
    cgroup.kill();
    if (bomb.exitCode === null && bomb.signalCode === null) await once(bomb, "exit");
  });
  await until("it has forked", () => cgroup.pids().length >= BOUNDS.maxProcesses - 50);
  return bomb;
}

function timed<T>(t: Test, name: string, search: () => T): T {
  const start = performance.now();
  const found = search();
  const ms = performance.now() - start;
  t.ok(ms < BOUND_MS, `${name}: ${Math.round(ms)} ms`);
  return found;
}

t.test("a bomb of a user of its own does not delay the search of a daemon that starts", { skip }, async (t) => {
  const { backend, settings } = testFleet(t, "well-behaved");
  const uid = 1_999_000_101;
  const id = randomUUID();
  const cgroup = engineCgroup(t, hierarchies);
  await explode(t, { cgroup, launchFile: join(settings.runDir, `launch-${id}.json`), uid });
  const incarnation = { id, engineId: "eng_1", port: 20_000, uid };
  t.same(await timed(t, "orphans", () => backend.listOrphans([incarnation])), []);
  await timed(t, "find", () => backend.attach(incarnation, null));
  const neighbour = { ...incarnation, id: "neighbour", uid: null };
  await timed(t, "find of a neighbour", () => backend.attach({ ...neighbour, uid: uid + 1 }, null));
  await timed(t, "find of a neighbour without a user", () => backend.attach(neighbour, null));
  const start = performance.now();
  t.same(await backend.endOrphans(neighbour), { kind: "exited" });
  t.ok(performance.now() - start < BOUND_MS, `endOrphans of a neighbour: ${performance.now() - start} ms`);
});

t.test("a bomb in the cgroup of an engine does not delay it, and is found there", { skip }, async (t) => {
  const fleet = testFleet(t, "well-behaved");
  const backend = createProcessBackend({ ...fleet.settings, cgroupHierarchies: hierarchies, logger: silent });
  const cgroups = new EngineCgroups(hierarchies, { runDir: fleet.settings.runDir, logger: silent });
  const id = randomUUID();
  const cgroup = cgroups.create(id, BOUNDS, null);
  if (cgroup === null) throw new Error("no cgroup could be created");
  t.teardown(async () => {
    cgroup.kill();
    await until("the cgroup is gone", () => cgroup.remove());
  });
  await explode(t, { cgroup, launchFile: join(fleet.settings.runDir, `launch-${id}.json`) });
  const incarnation = { id, engineId: "eng_1", port: 20_000, uid: null };
  t.same(await timed(t, "orphans", () => backend.listOrphans([incarnation])), []);
  const [found] = await timed(t, "orphans, unknown", () => backend.listOrphans([]));
  t.equal(found?.incarnation, id);
  t.ok((found?.pids.length ?? 0) > BOUNDS.maxProcesses / 2);
  await timed(t, "find of a neighbour", () => backend.attach({ ...incarnation, id: "neighbour" }, null));
  const start = performance.now();
  t.same(await backend.endOrphans({ ...incarnation, id: "neighbour" }), { kind: "exited" });
  t.same(await backend.endOrphans(incarnation), { kind: "killed" });
  t.ok(performance.now() - start < 2 * BOUND_MS, `endOrphans: ${performance.now() - start} ms`);
});
