import { LaunchFailed } from "../launch-failed.ts";
import type { LaunchOrder } from "../engine-backend.ts";
import { isStatus } from "./kube-errors.ts";
import { type PodOptions, type PodVolumes, launchSecret, podName, podSpec } from "./pod-spec.ts";
import { type Pod, describe, stateOf } from "./pod-state.ts";
import type { PodWatch } from "./pod-watch.ts";
import type { PodIdentity, Pods } from "./pods.ts";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";

/** How long the deletion of an ended pod with the same name may take. */
const GONE_MS = 15_000;
/** The interval at which the pod is read without an event. */
const ASK_EVERY_MS = 2000;
/** A host name that never resolves (RFC 2606). */
export const NO_IP = "no-pod.invalid";

export interface StartOptions extends PodOptions {
  /** How long a pod may take to be scheduled, to get its volume and its image, and to run. */
  readonly startMs: number;
  /** Additional CA certificates for engines, as PEM. */
  readonly certificates: string | null;
}

export interface StartedPod extends PodIdentity {
  readonly ip: string;
  readonly node: string;
}

/** Creates the pod of an order with its secret, and waits until its program runs. Deletes both after a failure. */
export async function startPod(
  { pods, watch }: { readonly pods: Pods; readonly watch: PodWatch },
  order: LaunchOrder,
  { claim, catalog, ...options }: StartOptions & PodVolumes,
): Promise<StartedPod> {
  const { metadata } = await create(pods, order, podSpec(order, options, { claim, catalog }), options);
  try {
    // The pod owns the secret, so the cluster deletes it even if this daemon dies.
    await pods.createSecret(launchSecret(order, options, metadata));
    return await running({ pods, watch }, metadata, options.startMs);
  } catch (error) {
    // Removes the secret's content at once, not only with the pod.
    await pods.emptySecret(metadata.name).catch(() => undefined);
    await pods.delete(metadata, 1).catch(() => undefined);
    throw error;
  }
}

async function create(pods: Pods, order: LaunchOrder, spec: object, { deployment }: PodOptions): Promise<Pod> {
  try {
    return await pods.create(spec);
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    const found = await pods.find(podName(deployment, order.launch.incarnation));
    // A restart without the database keeps the incarnation, and its old pod has the name until it is deleted.
    if (found !== null) {
      if (stateOf(found).kind !== "ended" && found.metadata.deletionTimestamp === undefined)
        throw new LaunchFailed("the engine's process runs already", { cause: error });
      await pods.delete(found.metadata, 1);
      if (!(await pods.goneWithin(found.metadata, GONE_MS)))
        throw new LaunchFailed("the engine's pod before has not gone", { cause: error });
    }
    return pods.create(spec);
  }
}

/** Waits until the program of a pod runs, or has run. */
export async function running(
  { pods, watch }: { readonly pods: Pods; readonly watch: PodWatch },
  identity: PodIdentity,
  withinMs: number,
): Promise<StartedPod> {
  using changes = watch.follow(identity.uid);
  for (const end = new Deadline(withinMs); ;) {
    const leftMs = end.leftMs;
    const pod = await pods.find(identity.name).catch((error: unknown) => {
      // A failed read changes nothing, so it is retried.
      if (leftMs <= 0) throw error;
      return "unknown" as const;
    });
    const found = pod === "unknown" ? { problem: null } : judge(pod, identity);
    if ("ip" in found) return found;
    if (leftMs <= 0) throw await late(pods, identity, { withinMs, problem: found.problem });
    const waited = new AbortController();
    await Promise.race([changes.next(), delay(Math.min(leftMs, ASK_EVERY_MS), waited.signal)]);
    waited.abort();
  }
}

/** The started pod, or why it does not run yet. Throws when it cannot start. */
function judge(pod: Pod | null, { name, uid }: PodIdentity): StartedPod | { readonly problem: string | null } {
  if (pod === null || pod.metadata.uid !== uid) throw new LaunchFailed("the engine's pod was deleted while it started");
  const state = stateOf(pod);
  if (state.kind === "running") return { name, uid, ip: state.ip, node: pod.spec.nodeName ?? "" };
  if (state.kind === "ended") return ended(pod, state);
  if (state.isFinal) throw new LaunchFailed(`the engine's pod cannot start: ${state.problem}`);
  return { problem: state.problem };
}

/** A program that ran and exited counts as started. Its exit is handled like any other. */
function ended({ metadata, spec, status }: Pod, state: Extract<ReturnType<typeof stateOf>, { kind: "ended" }>) {
  const { exit, neverRan } = state;
  if (neverRan !== null) throw new LaunchFailed(`the engine's pod cannot start: ${neverRan}`);
  if (exit.host !== undefined) throw new LaunchFailed(`the engine's pod cannot start: ${exit.host}`);
  return { name: metadata.name, uid: metadata.uid, ip: status.podIP ?? NO_IP, node: spec.nodeName ?? "" };
}

async function late(
  pods: Pods,
  pod: PodIdentity,
  { withinMs, problem }: { readonly withinMs: number; readonly problem: string | null },
): Promise<LaunchFailed> {
  const warning = problem === null ? await pods.lastWarning(pod) : null;
  const why = problem ?? (warning === null ? null : describe(warning.reason, warning.message));
  const within = `the engine's pod did not start within ${Math.round(withinMs / 1000)} s`;
  return new LaunchFailed(why === null ? within : `${within}: ${why}`);
}
