import type { Store } from "../../store/open-store.ts";
import type { StoredItems } from "./stored-items.ts";

/** A name of more nodes than this is ambiguous. */
const MAX_NODES_PER_NAME = 5;
const NEIGHBOURS = 8;
const OF_EACH = 15;

/** Rows, the newest first. */
export interface NamedRows {
  /** The phrases that are aliases of nodes. */
  readonly names: readonly string[];
  /** Mentions of the named nodes. */
  readonly named: readonly number[];
  /** Mentions of their neighbours. */
  readonly near: readonly number[];
}

/** Mentions of the nodes that a question names, and of their neighbours: one hop in the social graph. */
export class GraphList {
  readonly #items: StoredItems;
  readonly #bearers;
  readonly #neighbours;
  readonly #mentions;

  constructor({ db }: Store, items: StoredItems) {
    this.#items = items;
    this.#bearers = db.prepare(
      `select node_id as node from social_aliases where alias = ? limit ${MAX_NODES_PER_NAME + 1}`,
    );
    this.#neighbours = db.prepare(
      `select to_node as node from social_edges where from_node = ?1 and recorded_to is null
       union select from_node from social_edges where to_node = ?1 and recorded_to is null limit ${NEIGHBOURS}`,
    );
    this.#mentions = db.prepare("select ref from social_mentions where node_id = ? order by ref desc limit ?");
  }

  rows(phrases: readonly string[]): NamedRows {
    const names: string[] = [];
    const nodes = new Set<string>();
    for (const phrase of phrases) {
      const bearers = this.#bearers.all(phrase);
      if (bearers.length > 0) names.push(phrase);
      if (bearers.length <= MAX_NODES_PER_NAME) for (const { node } of bearers) nodes.add(String(node));
    }
    const near = new Set([...nodes].flatMap((node) => this.#neighbours.all(node).map((row) => String(row["node"]))));
    return {
      names,
      named: this.#mentioning(nodes),
      near: this.#mentioning(new Set([...near].filter((node) => !nodes.has(node)))),
    };
  }

  /** Ids grow with time, so the order by `ref` is the order of time. */
  #mentioning(nodes: ReadonlySet<string>): readonly number[] {
    const refs = new Set(
      [...nodes].flatMap((node) => this.#mentions.all(node, OF_EACH).map((row) => String(row["ref"]))),
    );
    return [...refs].flatMap((ref) => this.#items.rowOf(ref) ?? []);
  }
}
