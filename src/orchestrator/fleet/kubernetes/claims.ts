import PQueue from "p-queue";
import * as z from "zod/mini";
import type { KeptData, StoredEngine } from "../engine-storage.ts";
import {
  type Claim,
  type ClaimOptions,
  claimNames,
  claimObject,
  claimSpec,
  ownerLabels,
  ownerOf,
} from "./claim-spec.ts";
import { EarlierClaims } from "./earlier-claims.ts";
import type { KubeApi } from "./kube-api.ts";
import { isStatus } from "./kube-errors.ts";
import { LABELS, labelValue, selector } from "./names.ts";

const LOG_ANNOTATION = "orchd.log";
/** The API reads every claim of the namespace for one page. No call waits for it but those that need a whole list. */
const LIST_MS = 60_000;
/** Claims that are read at a time. */
const READS = 4;
/** Kubernetes controllers change claims too, which is a conflict. */
const MAX_CHANGES = 10;

const keptLog = z.object({ pod: z.string(), lines: z.array(z.string()) });
/** The last log lines of an engine's deleted pods. `pod`: the uid of the latest one. */
interface KeptLog {
  readonly pod?: string | undefined;
  readonly lines: readonly string[];
}

/** Labels, where null removes one. */
type Labels = Readonly<Record<string, string | null>>;

/** The persistent volume claims of one deployment: one for each engine, and those that were kept for users. */
export class Claims {
  readonly #api: KubeApi;
  readonly #options: ClaimOptions;
  readonly #earlier = new EarlierClaims(() => this.list({ [LABELS.named]: null }));

  constructor(api: KubeApi, options: ClaimOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** Claims with these labels that are not being deleted, newest first. Null: without that label. */
  async list(labels: Labels): Promise<readonly Claim[]> {
    const labelSelector = selector({ [LABELS.deployment]: this.#options.deployment, ...labels });
    const { items } = await this.#api.list(this.#path, { labelSelector }, LIST_MS);
    const claims = items.map((item) => z.parse(claimObject, item));
    return newestFirst(claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
  }

  /** Reads by name, since a list takes longer with more claims. */
  async ofEngine(engine: StoredEngine): Promise<Claim | null> {
    const owner = ownerOf(engine);
    const own = async (names: readonly string[]) => {
      for (const name of names) {
        const claim = await this.#find(name);
        if (claim?.metadata.labels[LABELS.engine] === labelValue(engine.id)) return claim;
      }
      return null;
    };
    const named = await own(this.#namesOf(owner));
    if (named !== null) return named;
    const earlier = await own(await this.#earlier.of(owner, engine));
    if (earlier !== null) await this.#earlier.note(earlier, engine);
    return earlier;
  }

  /** The claims of the user's engine, and the kept ones, newest first. */
  async ofUser(owner: KeptData): Promise<readonly Claim[]> {
    const names = [...this.#namesOf(owner), ...(await this.#earlier.of(owner, null))];
    const found = await new PQueue({ concurrency: READS }).addAll(names.map((name) => () => this.#find(name)));
    const wanted = Object.entries(ownerLabels(owner));
    const isTheirs = ({ metadata: { labels } }: Claim) => wanted.every(([name, value]) => labels[name] === value);
    return newestFirst(found.filter((claim) => claim !== null).filter(isTheirs));
  }

  async keptFor(owner: KeptData): Promise<readonly Claim[]> {
    return (await this.ofUser(owner)).filter(({ metadata }) => metadata.labels[LABELS.engine] === undefined);
  }

  /** The claim of an engine; creates it if it is missing. */
  async ensure(engine: StoredEngine): Promise<Claim> {
    return (await this.ofEngine(engine)) ?? this.create(engine);
  }

  /** Creates the claim of an engine without one, with the first free name of its user. */
  async create(engine: StoredEngine): Promise<Claim> {
    let taken: unknown;
    for (const name of this.#namesOf(ownerOf(engine))) {
      try {
        const body = claimSpec(name, engine, this.#options);
        return z.parse(claimObject, await this.#api.call("POST", this.#path, { body }));
      } catch (error) {
        if (!isStatus(error, 409)) throw error;
        // Another call has created it, or a claim with this name is deleted once its pod has ended.
        const made = await this.ofEngine(engine);
        if (made !== null) return made;
        taken = error;
      }
    }
    throw taken;
  }

  /** Changes labels and annotations of the claim that `find` reads, with optimistic locking. Null when it finds none. */
  async relabel(
    find: () => Promise<Claim | null | undefined>,
    labels: Labels,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Claim | null> {
    for (let attempt = 1; ; attempt++) {
      const claim = await find();
      if (claim === null || claim === undefined) return null;
      try {
        const { name, resourceVersion } = claim.metadata;
        await this.#patch(name, { resourceVersion, labels, annotations });
        return claim;
      } catch (error) {
        if (!isStatus(error, 409) || attempt >= MAX_CHANGES) throw error;
      }
    }
  }

  /** A missing claim is no error. A claim in use is deleted once its pod has ended. */
  async delete({ metadata: { name, uid } }: Claim): Promise<void> {
    try {
      await this.#api.call("DELETE", `${this.#path}/${name}`, { body: { preconditions: { uid } } });
    } catch (error) {
      if (!isStatus(error, 404, 409)) throw error;
    }
  }

  /** The log that a claim keeps. Null when it is no longer the engine's. */
  async keptLog(name: string, engineId: string): Promise<KeptLog | null> {
    const claim = await this.#find(name);
    return claim?.metadata.labels[LABELS.engine] === labelValue(engineId) ? logOf(claim) : null;
  }

  async keepLog(name: string, log: KeptLog): Promise<void> {
    await this.#patch(name, { annotations: { [LOG_ANNOTATION]: JSON.stringify(log) } });
  }

  /** Null when there is no claim of this name, or it is being deleted. */
  async #find(name: string): Promise<Claim | null> {
    try {
      const found = z.parse(claimObject, await this.#api.call("GET", `${this.#path}/${name}`));
      return found.metadata.deletionTimestamp === undefined ? found : null;
    } catch (error) {
      if (isStatus(error, 404)) return null;
      throw error;
    }
  }

  #namesOf(owner: KeptData): readonly string[] {
    return claimNames(this.#options.deployment, owner);
  }

  async #patch(name: string, metadata: object): Promise<void> {
    await this.#api.patch(`${this.#path}/${name}`, { metadata });
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#options.namespace}/persistentvolumeclaims`;
  }
}

const newestFirst = (claims: readonly Claim[]): readonly Claim[] =>
  claims.toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));

export function logOf({ metadata }: Claim): KeptLog {
  const text = metadata.annotations[LOG_ANNOTATION];
  return text === undefined ? { lines: [] } : z.parse(keptLog, JSON.parse(text));
}
