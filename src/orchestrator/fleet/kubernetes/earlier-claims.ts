import type { KeptData, StoredEngine } from "../engine-storage.ts";
import { type Claim, ownerLabels, ownerOf } from "./claim-spec.ts";
import { LABELS, labelValue } from "./names.ts";

/**
 * The names of claims that an earlier version has made, whose names do not follow from their users. They are listed once:
 * no further ones are made, and a daemon opens its backend only while it leads.
 */
export class EarlierClaims {
  readonly #list: () => Promise<readonly Claim[]>;
  #names: Promise<Map<string, Set<string>>> | null = null;

  /** `list`: lists them. */
  constructor(list: () => Promise<readonly Claim[]>) {
    this.#list = list;
  }

  /** The names that claims of this user, or of this engine, may have. */
  async of(owner: KeptData, engine: StoredEngine | null): Promise<readonly string[]> {
    const names = await this.#read();
    const ofUser = names.get(userKey(ownerLabels(owner))) ?? [];
    const ofEngine = (engine && names.get(engineKey(labelValue(engine.id)))) ?? [];
    return [...new Set([...ofUser, ...ofEngine])];
  }

  /** Call it for a claim of an engine: one that was made without its user is found by the user from now on. */
  async note({ metadata: { name, labels } }: Claim, engine: StoredEngine): Promise<void> {
    if (labels[LABELS.named] !== undefined) return;
    const names = await this.#read();
    add(names, userKey(ownerLabels(ownerOf(engine))), name);
  }

  #read(): Promise<Map<string, Set<string>>> {
    this.#names ??= this.#index().catch((error: unknown) => {
      this.#names = null;
      throw error;
    });
    return this.#names;
  }

  async #index(): Promise<Map<string, Set<string>>> {
    const names = new Map<string, Set<string>>();
    for (const { metadata } of await this.#list()) {
      const { name, labels } = metadata;
      const engine = labels[LABELS.engine];
      if (engine !== undefined) add(names, engineKey(engine), name);
      if (labels[LABELS.user] !== undefined) add(names, userKey(labels), name);
    }
    return names;
  }
}

const engineKey = (label: string): string => `engine ${label}`;
const userKey = (labels: Readonly<Record<string, string>>): string =>
  `user ${labels[LABELS.product]} ${labels[LABELS.user]}`;

function add(names: Map<string, Set<string>>, key: string, name: string): void {
  names.set(key, (names.get(key) ?? new Set()).add(name));
}
