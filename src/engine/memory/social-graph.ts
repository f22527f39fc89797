import { newId } from "../../shared/ids.ts";
import type { Trust } from "./trust.ts";
import { Table } from "../store/table.ts";

export type NodeType = "person" | "organisation" | "place" | "animal" | "thing";

export interface SocialNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly trust: Trust;
}

interface NewEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: string;
  readonly trust: Trust;
  readonly validFrom: number | null;
}

/** The normalized form of a name, for comparison. */
export const normalizeName = (name: string): string =>
  name.normalize("NFKC").replaceAll(/\s+/g, " ").trim().toLocaleLowerCase("en");

/** People and things, their aliases, edges and mentions. Every method runs within the caller's transaction. */
export class SocialGraph extends Table {
  readonly #find = this.db.prepare(
    `select id, name, type, trust from social_nodes join social_aliases on node_id = id where alias = ?
     order by number`,
  );
  readonly #insert = this.db.prepare(
    `insert into social_nodes (id, name, type, summary, trust, mentions, first_seen, last_seen)
     values (?, ?, ?, ?, ?, 0, ?, ?)`,
  );
  readonly #alias = this.db.prepare("insert into social_aliases (alias, node_id) values (?, ?) on conflict do nothing");
  readonly #related = this.db.prepare(
    `select social_nodes.id as id, name, type, social_nodes.trust as trust
     from social_edges join social_nodes on social_nodes.id = to_node
     where from_node = ? and relation = ? and recorded_to is null order by social_nodes.number`,
  );
  readonly #relations = this.db.prepare(
    "select distinct relation from social_edges where to_node = ? and recorded_to is null order by relation",
  );
  readonly #edge = this.db.prepare(
    `insert into social_edges (id, from_node, to_node, relation, trust, valid_from, recorded_from)
     values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  );
  readonly #closeEdges = this.db.prepare(
    `update social_edges set valid_to = ?, recorded_to = ?
     where from_node = ? and relation = ? and to_node <> ? and trust <= ? and coalesce(valid_from, 0) <= ?
       and recorded_to is null`,
  );
  readonly #mention = this.db.prepare(
    "insert into social_mentions (node_id, ref) values (?, ?) on conflict do nothing",
  );
  readonly #seen = this.db.prepare(
    `update social_nodes set mentions = mentions + 1, first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
     where id = ?1`,
  );

  /** All nodes with this alias. */
  find(name: string): readonly SocialNode[] {
    return this.#find.all(normalizeName(name)) as unknown as readonly SocialNode[];
  }

  /** Creates a node with its own name as alias. */
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
    this.#alias.run(normalizeName(name), id);
  }

  /** Target nodes of the current edges with this relation. */
  related(from: string, relation: string): readonly SocialNode[] {
    return this.#related.all(from, relation) as unknown as readonly SocialNode[];
  }

  /** Relations of the current edges to a node. */
  relationsOf(id: string): readonly string[] {
    return this.#relations.all(id).map((row) => String(row["relation"]));
  }

  /** Returns false when the edge exists. */
  addEdge({ from, to, relation, trust, validFrom }: NewEdge, recordedFrom: number): boolean {
    return this.#edge.run(newId("ed"), from, to, relation, trust, validFrom, recordedFrom).changes === 1;
  }

  /** Closes other edges of a relation that allows one target at a time, unless their trust is higher. */
  closeOtherEdges({ from, to, relation, trust, validFrom }: NewEdge, recordedTo: number): void {
    const since = validFrom ?? recordedTo;
    this.#closeEdges.run(since, recordedTo, from, relation, to, trust, since);
  }

  /** Records a mention; counts each `ref` once. */
  addMention(id: string, ref: string, seenAt: number): void {
    if (this.#mention.run(id, ref).changes === 1) this.#seen.run(id, seenAt);
  }
}
