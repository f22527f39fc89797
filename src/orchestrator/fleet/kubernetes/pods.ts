import * as z from "zod/mini";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, selector } from "./names.ts";
import { EMPTIED_SECRET } from "./pod-spec.ts";
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
  async list(of: { readonly engine?: string; readonly incarnation?: string } = {}): Promise<readonly Pod[]> {
    return (await this.#select(of)).filter(({ metadata }) => metadata.labels[LABELS.reader] === undefined);
  }

  /** The pods of an engine: those that run it, newest first, and those that read its files. */
  async ofEngine(engine: string): Promise<{ readonly engines: readonly Pod[]; readonly readers: readonly Pod[] }> {
    const { engines = [], readers = [] } = Object.groupBy(await this.#select({ engine }), ({ metadata }) =>
      metadata.labels[LABELS.reader] === undefined ? "engines" : "readers",
    );
    return { engines, readers };
  }

  /** The pods that read files of engines. */
  async readers(): Promise<readonly Pod[]> {
    return (await this.#select({})).filter(({ metadata }) => metadata.labels[LABELS.reader] !== undefined);
  }

  async #select(of: { readonly engine?: string; readonly incarnation?: string }): Promise<readonly Pod[]> {
    const labelSelector = selector({
      [LABELS.deployment]: this.#deployment,
      ...(of.engine !== undefined && { [LABELS.engine]: of.engine }),
      ...(of.incarnation !== undefined && { [LABELS.incarnation]: of.incarnation }),
    });
    const { items } = await this.#api.list(this.path, { labelSelector });
    const age = ({ metadata }: Pod) => metadata.creationTimestamp;
    return items.map((item) => z.parse(podObject, item)).sort((a, b) => age(b).localeCompare(age(a)));
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
