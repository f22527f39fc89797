import * as z from "zod/mini";
import type { EngineHandle } from "../../../contract/orchestrator/engine-handle.ts";
import { engineUrl } from "../../engine-calls/engine-url.ts";
import { PORT } from "../containers/container-launch.ts";
import { NO_IP, type StartedPod } from "./start-pod.ts";

const BACKEND = "kubernetes";
const VERSION = 1;

const podHandle = z.object({
  backend: z.literal(BACKEND),
  version: z.literal(VERSION),
  namespace: z.string(),
  pod: z.string().check(z.regex(/^[a-z0-9-]{1,63}$/)),
  uid: z.string(),
  ip: z.string(),
  node: z.string(),
});

/** The handle of the Kubernetes backend. A pod's name can be reused, its uid cannot. */
type PodHandle = z.output<typeof podHandle>;

export const makePodHandle = (namespace: string, { name, uid, ip, node }: StartedPod): PodHandle => ({
  backend: BACKEND,
  version: VERSION,
  namespace,
  pod: name,
  uid,
  ip,
  node,
});

/** Null for the handle of another backend or of a newer daemon. */
export const readPodHandle = (handle: EngineHandle | null): PodHandle | null =>
  z.safeParse(podHandle, handle).data ?? null;

/** The base URL of an engine in the cluster, by the handle of its record. */
export const podAddress = ({ handle }: { readonly handle: EngineHandle | null }): string =>
  engineUrl(readPodHandle(handle)?.ip ?? NO_IP, PORT);
