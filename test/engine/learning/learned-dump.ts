import type { Store } from "../../../src/engine/store/open-store.ts";

/** All that learning leaves in a store, without what no two runs have alike: new ids, and times of learning. */
export function learntDump({ db }: Pick<Store, "db">): Readonly<Record<string, unknown>> {
  const all = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row).join(" | "));
  return {
    episodes: all("select turn_id, key, description, importance, keys from episodes order by number"),
    facts: all(
      `select content, subject, predicate, object, hash, importance, confidence, source, trust, valid_from, valid_to,
         recorded_to is null, (select content from knowledge other where other.id = knowledge.superseded_by)
       from knowledge order by number`,
    ),
    evidence: all(
      `select content, turn_id from knowledge_evidence join knowledge on knowledge.id = knowledge_id
         join episodes on episodes.id = episode_id order by knowledge.number, turn_id`,
    ),
    nodes: all("select name, type, summary, trust, mentions, first_seen, last_seen from social_nodes order by number"),
    aliases: all("select name, alias from social_aliases join social_nodes on id = node_id order by number, alias"),
    edges: all(
      `select a.name, relation, b.name, edge.trust, valid_from, valid_to, recorded_to is null
       from social_edges edge join social_nodes a on a.id = from_node join social_nodes b on b.id = to_node
       order by edge.number`,
    ),
    mentions: all(
      `select name, turn_id from social_mentions join social_nodes on social_nodes.id = node_id
         join episodes on episodes.id = ref order by social_nodes.number, turn_id`,
    ),
    drafts: all("select name, signature, body, trust, state, trajectories from skill_drafts order by number"),
    read: all("select turn_id, batch_id is not null from trajectories order by number"),
    found: ["lyon", "sister", "vet", "report"].map((word) =>
      all(`select rowid from memory_index where memory_index match '${word}' order by rowid`),
    ),
  };
}
