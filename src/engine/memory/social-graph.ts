import { newId } from "../../shared/ids.ts";
import type { Store } from "../store/open-store.ts";
import type { Trust } from "./trust.ts";

export type NodeType = "person" | "organisation" | "place" | "animal" | "thing";

export interface SocialNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly trust: Trust;
}

export interface NewEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: string;
  readonly trust: Trust;
  readonly validFrom: number | null;
}

/** The normalized form of a name, for comparison. */
export const foldedName = (name: string): string =>
  name.normalize("NFKC").replaceAll(/\s+/g, " ").trim().toLocaleLowerCase("en");

/** People and things, their aliases, edges and mentions. Every method runs within the caller's transaction. */
export class SocialGraph {
  readonly #find;
  readonly #insert;
  readonly #alias;
  readonly #related;
  readonly #relations;
  readonly #edge;
  readonly #closeEdges;
  readonly #mention;
  readonly #seen;

  constructor({ db }: Store) {
    this.#find = db.prepare(
      `select id, name, type, trust from social_nodes join social_aliases on node_id = id where alias = ?
       order by number`,
    );
    this.#insert = db.prepare(
      `insert into social_nodes (id, name, type, summary, trust, mentions, first_seen, last_seen)
       values (?, ?, ?, ?, ?, 0, ?, ?)`,
    );
    this.#alias = db.prepare("insert into social_aliases (alias, node_id) values (?, ?) on conflict do nothing");
    this.#related = db.prepare(
      `select social_nodes.id as id, name, type, social_nodes.trust as trust
       from social_edges join social_nodes on social_nodes.id = to_node
       where from_node = ? and relation = ? and recorded_to is null order by social_nodes.number`,
    );
    this.#relations = db.prepare(
      "select distinct relation from social_edges where to_node = ? and recorded_to is null order by relation",
    );
    this.#edge = db.prepare(
      `insert into social_edges (id, from_node, to_node, relation, trust, valid_from, recorded_from)
       values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    );
    this.#closeEdges = db.prepare(
      `update social_edges set valid_to = ?, recorded_to = ?
       where from_node = ? and relation = ? and to_node <> ? and trust <= ? and coalesce(valid_from, 0) <= ?
         and recorded_to is null`,
    );
    this.#mention = db.prepare("insert into social_mentions (node_id, ref) values (?, ?) on conflict do nothing");
    this.#seen = db.prepare(
      `update social_nodes set mentions = mentions + 1, first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
       where id = ?1`,
    );
  }

  /** All who bear the name. */
  find(name: string): readonly SocialNode[] {
    return this.#find.all(foldedName(name)) as unknown as readonly SocialNode[];
  }

  /** A new one, under its own name. */
  insert({
    name,
    type,
    summary,
    trust,
    seenAt,
  }: Omit<SocialNode, "id"> & { readonly summary: string; readonly seenAt: number }): SocialNode {
    const id = newId("nd");
    this.#insert.run(id, name, type, summary, trust, seenAt, seenAt);
    this.addAlias(id, name);
    return { id, name, type, trust };
  }

  addAlias(id: string, name: string): void {
    this.#alias.run(foldedName(name), id);
  }

  /** Those at the other end of a relation that holds. */
  related(from: string, relation: string): readonly SocialNode[] {
    return this.#related.all(from, relation) as unknown as readonly SocialNode[];
  }

  /** What somebody is to others. */
  relationsOf(id: string): readonly string[] {
    return this.#relations.all(id).map((row) => String(row["relation"]));
  }

  /** False when it is known. */
  addEdge({ from, to, relation, trust, validFrom }: NewEdge, recordedFrom: number): boolean {
    return this.#edge.run(newId("ed"), from, to, relation, trust, validFrom, recordedFrom).changes === 1;
  }

  /** Of a relation that one has to one at a time: the others' end, as far as this one can be relied on as much. */
  closeOtherEdges({ from, to, relation, trust, validFrom }: NewEdge, recordedTo: number): void {
    const since = validFrom ?? recordedTo;
    this.#closeEdges.run(since, recordedTo, from, relation, to, trust, since);
  }

  /** Where it was spoken of; counted once for each place. */
  addMention(id: string, ref: string, seenAt: number): void {
    if (this.#mention.run(id, ref).changes === 1) this.#seen.run(id, seenAt);
  }
}
