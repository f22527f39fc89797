import type { Store } from "../../store/open-store.ts";
import type { StoredItems } from "./stored-items.ts";

/** A name that more bear than this tells nothing. */
const BEARERS = 5;
const NEIGHBOURS = 8;
const OF_EACH = 15;

/** Rows, the newest first. */
export interface NamedRows {
  /** The phrases that are names. */
  readonly names: readonly string[];
  readonly named: readonly number[];
  /** Of whom they have to do with. */
  readonly near: readonly number[];
}

/** What is known of those whose names a question has, and of whom they have to do with: one hop of the graph. */
export class GraphList {
  readonly #items: StoredItems;
  readonly #bearers;
  readonly #neighbours;
  readonly #mentions;

  constructor({ db }: Store, items: StoredItems) {
    this.#items = items;
    this.#bearers = db.prepare(`select node_id as node from social_aliases where alias = ? limit ${BEARERS + 1}`);
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
      if (bearers.length <= BEARERS) for (const { node } of bearers) nodes.add(String(node));
    }
    const near = new Set([...nodes].flatMap((node) => this.#neighbours.all(node).map((row) => String(row["node"]))));
    return {
      names,
      named: this.#mentioning(nodes),
      near: this.#mentioning(new Set([...near].filter((node) => !nodes.has(node)))),
    };
  }

  /** Ids rise with time. */
  #mentioning(nodes: ReadonlySet<string>): readonly number[] {
    const refs = new Set(
      [...nodes].flatMap((node) => this.#mentions.all(node, OF_EACH).map((row) => String(row["ref"]))),
    );
    return [...refs].flatMap((ref) => this.#items.rowOf(ref) ?? []);
  }
}
