import type { Store } from "../../store/open-store.ts";
import type { StoredItems } from "./stored-items.ts";

/** An alias of more nodes is ambiguous and matches none. */
const MAX_NODES_PER_ALIAS = 5;
const MAX_NEIGHBOURS = 8;
const MAX_MENTIONS_PER_NODE = 15;

/** Rows of the index, the newest first. */
export interface GraphMatches {
  /** The phrases that are aliases of nodes. */
  readonly aliases: readonly string[];
  /** Mentions of the named nodes. */
  readonly named: readonly number[];
  /** Mentions of their neighbours. */
  readonly near: readonly number[];
}

/** Mentions of the nodes that a question names, and of their neighbours: one hop in the social graph. */
export class GraphSearch {
  readonly #items: StoredItems;
  readonly #nodesByAlias;
  readonly #neighbours;
  readonly #mentions;

  constructor({ db }: Store, items: StoredItems) {
    this.#items = items;
    this.#nodesByAlias = db.prepare(
      `select node_id as node from social_aliases where alias = ? limit ${MAX_NODES_PER_ALIAS + 1}`,
    );
    this.#neighbours = db.prepare(
      `select to_node as node from social_edges where from_node = ?1 and recorded_to is null
       union select from_node from social_edges where to_node = ?1 and recorded_to is null limit ${MAX_NEIGHBOURS}`,
    );
    this.#mentions = db.prepare("select ref from social_mentions where node_id = ? order by ref desc limit ?");
  }

  rows(phrases: readonly string[]): GraphMatches {
    const aliases: string[] = [];
    const nodes = new Set<string>();
    for (const phrase of phrases) {
      const nodesOfPhrase = this.#nodesByAlias.all(phrase);
      if (nodesOfPhrase.length > 0) aliases.push(phrase);
      if (nodesOfPhrase.length <= MAX_NODES_PER_ALIAS) for (const { node } of nodesOfPhrase) nodes.add(String(node));
    }
    const near = new Set([...nodes].flatMap((node) => this.#neighbours.all(node).map((row) => String(row["node"]))));
    return {
      aliases,
      named: this.#rowsMentioning(nodes),
      near: this.#rowsMentioning(new Set([...near].filter((node) => !nodes.has(node)))),
    };
  }

  /** Newest first: ids grow with time. */
  #rowsMentioning(nodes: ReadonlySet<string>): readonly number[] {
    const refs = new Set(
      [...nodes].flatMap((node) => this.#mentions.all(node, MAX_MENTIONS_PER_NODE).map((row) => String(row["ref"]))),
    );
    return [...refs].flatMap((ref) => this.#items.rowOf(ref) ?? []);
  }
}
