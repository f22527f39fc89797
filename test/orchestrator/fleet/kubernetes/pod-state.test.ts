import t from "tap";
import * as z from "zod/mini";
import { podObject, stateOf } from "../../../../src/orchestrator/fleet/kubernetes/pod-state.ts";

const pod = (status: object, metadata: object = {}) =>
  stateOf(z.parse(podObject, { metadata: { name: "p", uid: "u", ...metadata }, spec: { nodeName: "n" }, status }));
const container = (state: object) => ({ containerStatuses: [{ name: "engine", state }] });
const waiting = (reason: string, message = "") =>
  pod({ phase: "Pending", ...container({ waiting: { reason, message } }) });
const exited = (exitCode: number, more: object = {}) => container({ terminated: { exitCode, ...more } });

t.test("phase Running without a container that runs is waiting", async (t) => {
  t.match(pod({ phase: "Running", podIP: "10.0.0.1" }), { kind: "waiting", problem: null });
  t.match(pod({ phase: "Running", ...container({ running: {} }) }), { kind: "waiting" }, "or without an address");
  const status = { phase: "Running", podIP: "10.0.0.1", ...container({ running: {} }) };
  t.same(pod(status), { kind: "running", ip: "10.0.0.1" });
  t.match(
    pod(status, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    { kind: "running" },
    "a pod that is being deleted still runs",
  );
});

t.test("the problem of a pod that does not run is reported, and whether it is final", async (t) => {
  t.match(waiting("ContainerCreating"), { problem: null, isFinal: false });
  t.match(waiting("ErrImagePull", "no such host"), { problem: "ErrImagePull: no such host", isFinal: false });
  for (const reason of ["ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "CreateContainerError"])
    t.match(waiting(reason), { problem: reason, isFinal: true });
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }];
  t.match(pod({ phase: "Pending", conditions }), { problem: "Unschedulable: 0/3 nodes", isFinal: false });
});

t.test("an engine's own exit has its code, its signal, or the memory that it exceeded", async (t) => {
  const ended = (status: object, exit: object) => t.same(pod(status), { kind: "ended", exit, neverRan: null });
  ended({ phase: "Succeeded", ...exited(0) }, { code: 0, signal: null, oom: false });
  ended({ phase: "Failed", ...exited(79) }, { code: 79, signal: null, oom: false });
  ended({ phase: "Failed", ...exited(134) }, { code: null, signal: "SIGABRT", oom: false });
  ended({ phase: "Failed", ...exited(137, { reason: "OOMKilled" }) }, { code: null, signal: "SIGKILL", oom: true });
  const own = "Usage of EmptyDir volume tmp exceeds the limit 1Gi.";
  ended({ phase: "Failed", reason: "Evicted", message: own }, { code: null, signal: null, oom: false });
});

t.test("an end by the cluster is the host's, with its words", async (t) => {
  const host = (status: object, said: RegExp) =>
    t.match(pod({ phase: "Failed", ...status }), { kind: "ended", exit: { host: said } });
  host({ reason: "Evicted", message: "The node was low on resource: memory." }, /Evicted: The node was low/);
  host({ reason: "NodeShutdown", ...exited(143) }, /NodeShutdown/);
  host({ reason: "Preempting", message: "Preempted in order to admit critical pod" }, /Preempting/);
  host(exited(137, { reason: "ContainerStatusUnknown" }), /its node lost it/);
  const conditions = [
    { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message: "by a pod" },
  ];
  host({ conditions, ...exited(143) }, /PreemptionByScheduler: by a pod/);
});

t.test("a program that could not be started never ran", async (t) => {
  const status = { phase: "Failed", ...exited(127, { reason: "ContainerCannotRun", message: "no such file" }) };
  t.match(pod(status), { kind: "ended", neverRan: "ContainerCannotRun: no such file" });
});

t.test("a catalog that cannot be unpacked keeps the engine from starting, with its words", async (t) => {
  const unpack = (state: object) => ({
    initContainerStatuses: [{ name: "catalog", state }],
    ...container({ waiting: { reason: "PodInitializing" } }),
  });
  t.match(pod({ phase: "Pending", ...unpack({ running: {} }) }), { kind: "waiting", problem: null });
  const pulls = unpack({ waiting: { reason: "ErrImageNeverPull", message: "no image" } });
  t.match(pod({ phase: "Pending", ...pulls }), { problem: "ErrImageNeverPull: no image", isFinal: true });
  const failed = unpack({ terminated: { exitCode: 1, reason: "Error", message: "the catalog has other files" } });
  t.match(pod({ phase: "Failed", ...failed }), { kind: "ended", neverRan: "Error: the catalog has other files" });
  const done = { initContainerStatuses: [{ name: "catalog", state: { terminated: { exitCode: 0 } } }] };
  t.match(pod({ phase: "Failed", ...done, ...exited(1) }), { kind: "ended", exit: { code: 1 }, neverRan: null });
});
