import { type SqlRow, camelRow } from "../../store/database.ts";
import { Table } from "../../store/table.ts";
import { TRUST } from "../trust.ts";

/** A fact that is true now. */
export interface StatedFact {
  readonly id: string;
  readonly content: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly hash: string;
  readonly statedAt: number;
  /** Ids of the rounds that support it. */
  readonly sources: readonly string[];
  /** Messages and answers of the user in the newest of these rounds. */
  readonly said: readonly string[];
}

const ROUNDS_READ = 5;
const EVIDENCE = "knowledge_evidence join episodes on episodes.id = episode_id where knowledge_id = knowledge.id";
const NEWEST = `select turn_id, question from ${EVIDENCE} order by event_time desc limit ${ROUNDS_READ}`;

const FACTS = `select id, content, subject, predicate, object, hash,
    coalesce((select max(event_time) from ${EVIDENCE}), recorded_from) as stated_at,
    (select json_group_array(episode_id) from ${EVIDENCE}) as sources,
    (select json_group_array(text) from (
       select question as text from (${NEWEST})
       union all select answer from hitl_requests where kind = 'question' and answer is not null
         and turn_id in (select turn_id from (${NEWEST})))) as said
  from knowledge where recorded_to is null`;
const OF_LINE = "select knowledge_id from profile_facts where line_id = ?1";
const ROUNDS = `select episode_id from knowledge_evidence where knowledge_id in (${OF_LINE})`;

/** The facts behind a profile page. */
export class ProfileFacts extends Table {
  readonly #stated = this.db.prepare(
    `${FACTS} and trust = ${TRUST.user} order by importance desc, stated_at desc, number limit ?`,
  );
  readonly #ofLine = this.db.prepare(`${FACTS} and id in (${OF_LINE})`);
  readonly #beside = this.db.prepare(
    `${FACTS} and id in (select knowledge_id from knowledge_evidence where episode_id in (${ROUNDS}))
       and not exists (select 1 from knowledge_evidence where knowledge_id = knowledge.id
         and episode_id not in (${ROUNDS}))`,
  );

  /** What the user has stated: the most important facts first, of equally important ones the newest. */
  stated(limit: number): readonly StatedFact[] {
    return this.#stated.all(limit).map(factOf);
  }

  /** The facts of a line that are true now. */
  ofLine(id: string): readonly StatedFact[] {
    return this.#ofLine.all(id).map(factOf);
  }

  /** Facts that only rounds of the line support. */
  besideLine(id: string): readonly StatedFact[] {
    return this.#beside.all(id).map(factOf);
  }
}

const factOf = (row: SqlRow): StatedFact => camelRow(row, "sources", "said") as StatedFact;
