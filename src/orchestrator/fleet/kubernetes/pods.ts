import * as z from "zod/mini";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, labelValue, selector } from "./names.ts";
import { EMPTIED_SECRET, podName } from "./pod-spec.ts";
import { type Pod, podObject } from "./pod-state.ts";

const POLL_MS = 250;
const events = z.object({
  items: z.array(
    z.object({
      type: z.optional(z.string()),
      reason: z.optional(z.string()),
      message: z.optional(z.string()),
      lastTimestamp: z.optional(z.nullable(z.string())),
    }),
  ),
});
const node = z.object({
  status: z.object({ conditions: z._default(z.array(z.object({ type: z.string(), status: z.string() })), []) }),
});

/** A pod by its name and uid, since a name can be reused. */
export interface PodIdentity {
  readonly name: string;
  readonly uid: string;
}

export const newestFirst = (pods: readonly Pod[]): readonly Pod[] =>
  pods.toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));

/** The pods of one deployment, with their secrets. */
export class Pods {
  readonly #api: KubeApi;
  readonly #deployment: string;
  readonly namespace: string;

  constructor(api: KubeApi, { namespace, deployment }: { readonly namespace: string; readonly deployment: string }) {
    this.#api = api;
    this.#deployment = deployment;
    this.namespace = namespace;
  }

  /** The label selector of all pods of the deployment. */
  get all(): string {
    return selector({ [LABELS.deployment]: this.#deployment });
  }

  get path(): string {
    return `/api/v1/namespaces/${this.namespace}/pods`;
  }

  async create(spec: object): Promise<Pod> {
    return z.parse(podObject, await this.#api.call("POST", this.path, { body: spec }));
  }

  /** Null when there is no pod of this name. */
  async find(name: string): Promise<Pod | null> {
    try {
      return z.parse(podObject, await this.#api.call("GET", `${this.path}/${name}`));
    } catch (error) {
      if (isStatus(error, 404)) return null;
      throw error;
    }
  }

  /** The pods of engines, newest first. */
  async list(): Promise<readonly Pod[]> {
    return (await this.select()).filter(({ metadata }) => metadata.labels[LABELS.reader] === undefined);
  }

  /** All pods, or those of one engine, newest first: those that run engines, and those that read their files. */
  async select(engine?: string): Promise<readonly Pod[]> {
    const labelSelector = selector({
      [LABELS.deployment]: this.#deployment,
      ...(engine !== undefined && { [LABELS.engine]: engine }),
    });
    const { items } = await this.#api.list(this.path, { labelSelector });
    return newestFirst(items.map((item) => z.parse(podObject, item)));
  }

  /** The pod of an incarnation, by its name. Null when it is gone. */
  async ofIncarnation(incarnation: string): Promise<Pod | null> {
    const pod = await this.find(podName(this.#deployment, incarnation));
    const labels = pod?.metadata.labels;
    // I3 identity before signal: a foreign pod may have the name.
    const isOurs =
      labels?.[LABELS.deployment] === labelValue(this.#deployment) &&
      labels[LABELS.incarnation] === labelValue(incarnation);
    return isOurs ? pod : null;
  }

  /**
   * Starts the deletion of a pod, or shortens its grace period. I3 identity before signal: another pod of its name stays. 0
   * deletes the object by force, without waiting for its node. False when there is no such pod.
   */
  async delete({ name, uid }: PodIdentity, graceS: number): Promise<boolean> {
    try {
      const body = { gracePeriodSeconds: graceS, preconditions: { uid }, propagationPolicy: "Background" };
      await this.#api.call("DELETE", `${this.path}/${name}`, { body });
      return true;
    } catch (error) {
      // A conflict: another pod has the name.
      if (isStatus(error, 404, 409)) return false;
      throw error;
    }
  }

  /** Whether a pod is deleted within this time. */
  async goneWithin({ name, uid }: PodIdentity, ms: number): Promise<boolean> {
    const end = new Deadline(ms);
    for (;;) {
      if ((await this.find(name))?.metadata.uid !== uid) return true;
      if (end.isOver) return false;
      await delay(POLL_MS);
    }
  }

  async createSecret(secret: object): Promise<void> {
    await this.#api.call("POST", this.#secrets, { body: secret });
  }

  /** A missing secret is no error. */
  async emptySecret(name: string): Promise<void> {
    try {
      await this.#api.patch(`${this.#secrets}/${name}`, EMPTIED_SECRET);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  /** The last warning event of a pod, such as a failed mount. Null when there is none or events may not be read. */
  async lastWarning({ uid }: PodIdentity): Promise<{ readonly reason: string; readonly message: string } | null> {
    try {
      const query = { fieldSelector: `involvedObject.uid=${uid},type=Warning`, limit: "50" };
      const found = await this.#api.call("GET", `/api/v1/namespaces/${this.namespace}/events`, { query });
      const { items } = z.parse(events, found);
      const last = items.sort((a, b) => (a.lastTimestamp ?? "").localeCompare(b.lastTimestamp ?? "")).at(-1);
      return last === undefined ? null : { reason: last.reason ?? "", message: last.message ?? "" };
    } catch {
      return null;
    }
  }

  /** The state of a node. `unknown`: this deployment may not read nodes, or the API does not answer. */
  async node(name: string): Promise<"ready" | "not_ready" | "gone" | "unknown"> {
    try {
      const { conditions } = z.parse(node, await this.#api.call("GET", `/api/v1/nodes/${name}`)).status;
      return conditions.some(({ type, status }) => type === "Ready" && status === "True") ? "ready" : "not_ready";
    } catch (error) {
      return isStatus(error, 404) ? "gone" : "unknown";
    }
  }

  get #secrets(): string {
    return `/api/v1/namespaces/${this.namespace}/secrets`;
  }
}
