import * as z from "zod/mini";
import { untrustedText } from "../../../shared/untrusted-text.ts";
import { containerExit } from "../containers/container-exit.ts";
import type { EngineExit } from "../engine-backend.ts";
import { CONTAINER } from "./pod-spec.ts";

const MAX_REASON = 500;
const text = z.optional(z.string());
const containers = z._default(
  z.array(
    z.object({
      name: z.string(),
      containerID: text,
      state: z._default(
        z.object({
          waiting: z.optional(z.object({ reason: text, message: text })),
          running: z.optional(z.unknown()),
          terminated: z.optional(z.object({ exitCode: z.int(), reason: text, message: text })),
        }),
        {},
      ),
    }),
  ),
  [],
);
const labels = z._default(z.record(z.string(), z.string()), {});

export const podObject = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    labels,
    creationTimestamp: z._default(z.string(), ""),
    deletionTimestamp: text,
  }),
  spec: z.object({
    nodeName: text,
    volumes: z._default(
      z.array(z.object({ persistentVolumeClaim: z.optional(z.object({ claimName: z.string() })) })),
      [],
    ),
  }),
  status: z._default(
    z.object({
      phase: text,
      reason: text,
      message: text,
      podIP: text,
      conditions: z._default(
        z.array(z.object({ type: z.string(), status: z.string(), reason: text, message: text })),
        [],
      ),
      /** The container that unpacks the catalog. */
      initContainerStatuses: containers,
      containerStatuses: containers,
    }),
    { conditions: [], initContainerStatuses: [], containerStatuses: [] },
  ),
});
export type Pod = z.output<typeof podObject>;

/** The name of the claim that a pod mounts. Empty for none. */
export const claimOf = ({ spec }: Pick<Pod, "spec">): string =>
  spec.volumes.find((volume) => volume.persistentVolumeClaim !== undefined)?.persistentVolumeClaim?.claimName ?? "";

type PodState =
  /** `problem`: why it does not run. `isFinal`: the problem needs a person. */
  | { readonly kind: "waiting"; readonly problem: string | null; readonly isFinal: boolean }
  | { readonly kind: "running"; readonly ip: string }
  /** `neverRan`: why its program could not be started; null if it ran. */
  | { readonly kind: "ended"; readonly exit: EngineExit; readonly neverRan: string | null };

/** Reasons that a retry of the kubelet does not resolve. `ErrImagePull` is only the first failure of a pull. */
const FINAL = [
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImagePullBackOff",
  "CreateContainerError",
  "RunContainerError",
];
const NEVER_RAN = ["StartError", "ContainerCannotRun"];
/** An eviction because the engine itself exceeded the limit of a volume. */
const OWN_FAULT = /exceeds the (?:total )?limit|exceed/i;

/** The state of the engine in a pod. */
export function stateOf({ status }: Pick<Pod, "status">): PodState {
  const state = status.containerStatuses.find(({ name }) => name === CONTAINER)?.state ?? {};
  const { terminated, waiting, running } = state;
  const before = status.initContainerStatuses[0]?.state;
  if (terminated !== undefined) {
    const { exitCode, reason = "", message } = terminated;
    const exit = containerExit({ exitCode, oomKilled: reason === "OOMKilled" });
    const host = hostCause(status) ?? (reason === "ContainerStatusUnknown" ? "its node lost it" : null);
    const neverRan = NEVER_RAN.includes(reason) ? describe(reason, message) : null;
    return { kind: "ended", exit: host === null ? exit : { ...exit, host }, neverRan };
  }
  if (status.phase === "Succeeded" || status.phase === "Failed") {
    const host = hostCause(status);
    const exit = { code: null, signal: null, oom: false, ...(host !== null && { host }) };
    const failed = before?.terminated;
    const isOwnEnd = failed === undefined || failed.exitCode === 0;
    return { kind: "ended", exit, neverRan: isOwnEnd ? null : describe(failed.reason || "Error", failed.message) };
  }
  if (running !== undefined && status.podIP) return { kind: "running", ip: status.podIP };
  return { kind: "waiting", ...problemOf(status, before?.waiting ?? waiting) };
}

/** Why the cluster ended a pod. Null when the engine exited by itself or exceeded a limit. */
function hostCause(status: Pod["status"]): string | null {
  const disrupted = status.conditions.find(({ type, status: is }) => type === "DisruptionTarget" && is === "True");
  const reason = disrupted?.reason ?? status.reason;
  const message = disrupted?.message ?? status.message;
  if (reason !== undefined && reason !== "" && !(reason === "Evicted" && OWN_FAULT.test(message ?? "")))
    return `the cluster ended its pod: ${describe(reason, message)}`;
  return null;
}

function problemOf(
  status: Pod["status"],
  waiting: { readonly reason?: string | undefined; readonly message?: string | undefined } | undefined,
) {
  const isFinal = FINAL.includes(waiting?.reason ?? "");
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating" && waiting.reason !== "PodInitializing")
    return { problem: describe(waiting.reason, waiting.message), isFinal };
  const unscheduled = status.conditions.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  if (unscheduled !== undefined)
    return { problem: describe(unscheduled.reason ?? "Unschedulable", unscheduled.message), isFinal: false };
  return { problem: null, isFinal: false };
}

export const describe = (reason: string, message: string | undefined): string =>
  untrustedText(message === undefined || message === "" ? reason : `${reason}: ${message}`, MAX_REASON);

/** A text that changes with the state of a pod. */
export const fingerprint = ({ metadata, status }: Pod): string => JSON.stringify([metadata.deletionTimestamp, status]);
