import { LaunchFailed } from "../launch-failed.ts";
import type { LaunchOrder } from "../engine-backend.ts";
import { isStatus } from "./kube-errors.ts";
import { type PodOptions, type PodVolumes, launchSecret, podName, podSpec } from "./pod-spec.ts";
import { type Pod, describe, stateOf } from "./pod-state.ts";
import type { PodWatch } from "./pod-watch.ts";
import type { PodIdentity, Pods } from "./pods.ts";
import { delay } from "../../../shared/clock.ts";

/** How long an ended pod with the same name may take to go. */
const GONE_MS = 15_000;
/** Events are hints: without one the pod is asked for all the same. */
const ASK_EVERY_MS = 2000;
/** A name that never exists. */
export const NO_IP = "no-pod.invalid";

export interface StartOptions extends PodOptions {
  /** How long a pod may take to be scheduled, to get its volume and its image, and to run. */
  readonly startMs: number;
  /** What engines trust in addition, as PEM. */
  readonly certificates: string | null;
}

export interface StartedPod extends PodIdentity {
  readonly ip: string;
  readonly node: string;
}

/** Creates the pod of an order with its secret, and waits until its program runs. After a failure nothing of it is left. */
export async function startPod(
  { pods, watch }: { readonly pods: Pods; readonly watch: PodWatch },
  order: LaunchOrder,
  { claim, catalog, ...options }: StartOptions & PodVolumes,
): Promise<StartedPod> {
  const { metadata } = await create(pods, order, podSpec(order, options, { claim, catalog }), options);
  try {
    // Its owner is the pod: whatever becomes of this daemon, none is left without it.
    await pods.createSecret(launchSecret(order, options, metadata));
    return await running({ pods, watch }, metadata, options.startMs);
  } catch (error) {
    // At once, and not when its pod is seen to be gone.
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
    // One that is started again without the database has its incarnation still, and its pod keeps the name while it goes.
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
  for (const end = performance.now() + withinMs; ;) {
    const leftMs = end - performance.now();
    const pod = await pods.find(identity.name).catch((error: unknown) => {
      // An API that fails once has changed nothing.
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

/** What has been started, or what it waits for. Throws when it cannot start. */
function judge(pod: Pod | null, { name, uid }: PodIdentity): StartedPod | { readonly problem: string | null } {
  if (pod === null || pod.metadata.uid !== uid) throw new LaunchFailed("the engine's pod was deleted while it started");
  const state = stateOf(pod);
  if (state.kind === "running") return { name, uid, ip: state.ip, node: pod.spec.nodeName ?? "" };
  if (state.kind === "ended") return ended(pod, state);
  if (state.isFinal) throw new LaunchFailed(`the engine's pod cannot start: ${state.problem}`);
  return { problem: state.problem };
}

/** One that has exited at once has run: its exit tells why. */
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
