import { newId } from "../../shared/ids.ts";
import type { Trust } from "./trust.ts";
import { type SqlRow, camelRow } from "../store/database.ts";
import { Table } from "../store/table.ts";

/** A statement that is or was true. */
export interface Fact {
  /** A sentence that can stand alone. */
  readonly content: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Equal for equal facts, however they are worded. */
  readonly hash: string;
  readonly importance: number;
  readonly confidence: number;
  readonly source: string;
  readonly trust: Trust;
  /** Null if unknown. */
  readonly validFrom: number | null;
}

/** When a fact ended, when that was learned, and which fact supersedes it. */
export interface Closing {
  readonly validTo: number | null;
  readonly recordedTo: number;
  readonly supersededBy: string | null;
}

export interface KnownFact extends Fact {
  readonly id: string;
  /** When the user last said it, by the newest round that is kept. */
  readonly statedAt: number;
  readonly validTo: number | null;
  readonly recordedFrom: number;
  readonly recordedTo: number | null;
  readonly supersededBy: string | null;
}

const STATED_AT = `(select max(event_time) from knowledge_evidence join episodes on episodes.id = episode_id
  where knowledge_id = knowledge.id) as stated_at`;

/** Current and closed facts. Every method runs within the caller's transaction. */
export class KnowledgeTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into knowledge (id, content, subject, predicate, object, hash, importance, confidence, source, trust,
       valid_from, valid_to, recorded_from, recorded_to, superseded_by)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #close = this.db.prepare(
    "update knowledge set valid_to = ?, recorded_to = ?, superseded_by = ? where id = ? and recorded_to is null",
  );
  readonly #byHash = this.db.prepare(`select *, ${STATED_AT} from knowledge where hash = ? and recorded_to is null`);
  readonly #about = this.db.prepare(
    `select *, ${STATED_AT} from knowledge where subject = ? and predicate = ? and recorded_to is null order by number`,
  );
  readonly #covering = this.db.prepare(
    `select *, ${STATED_AT} from knowledge where hash = ?1 and recorded_to is not null
       and coalesce(valid_from, ?2) <= ?2 and valid_to > ?2
     order by number limit 1`,
  );
  readonly #addEvidence = this.db.prepare(
    "insert into knowledge_evidence (knowledge_id, episode_id) values (?, ?) on conflict do nothing",
  );
  readonly #hasEvidence = this.db.prepare(
    `select 1 from knowledge_evidence join knowledge on knowledge.id = knowledge_id
     where episode_id = ? and hash = ? limit 1`,
  );

  /** With a closing: a fact learned after the fact that supersedes it. */
  insert(
    fact: Fact,
    { statedAt, recordedFrom }: Pick<KnownFact, "statedAt" | "recordedFrom">,
    closing: Closing | null = null,
  ): KnownFact {
    const id = newId("kn");
    const { content, subject, predicate, object, hash, importance, confidence, source, trust, validFrom } = fact;
    const { validTo, recordedTo, supersededBy } = closing ?? { validTo: null, recordedTo: null, supersededBy: null };
    const fields = [content, subject, predicate, object, hash, importance, confidence, source, trust] as const;
    this.#insert.run(id, ...fields, validFrom, validTo, recordedFrom, recordedTo, supersededBy);
    return { id, ...fact, statedAt, validTo, recordedFrom, recordedTo, supersededBy };
  }

  /** False if it was closed before. */
  close(id: string, { validTo, recordedTo, supersededBy }: Closing): boolean {
    return this.#close.run(validTo, recordedTo, supersededBy, id).changes === 1;
  }

  find(id: string): KnownFact | null {
    const row = this.db.prepare(`select *, ${STATED_AT} from knowledge where id = ?`).get(id);
    return row === undefined ? null : knownFact(row);
  }

  live(hash: string): KnownFact | null {
    const row = this.#byHash.get(hash);
    return row === undefined ? null : knownFact(row);
  }

  /** Current facts of a subject and predicate. */
  liveAbout(subject: string, predicate: string): readonly KnownFact[] {
    return this.#about.all(subject, predicate).map(knownFact);
  }

  /** The same fact, closed, that was true at that time. */
  closedAt(hash: string, time: number): KnownFact | null {
    const row = this.#covering.get(hash, time);
    return row === undefined ? null : knownFact(row);
  }

  addEvidence(id: string, episodeId: string): void {
    this.#addEvidence.run(id, episodeId);
  }

  /** Whether the fact was ever learned from this episode, even if it is closed now. */
  isLearnedFrom(episodeId: string, hash: string): boolean {
    return this.#hasEvidence.get(episodeId, hash) !== undefined;
  }
}

const knownFact = (row: SqlRow): KnownFact => ({
  ...(camelRow(row) as KnownFact),
  statedAt: Number(row["stated_at"] ?? row["recorded_from"]),
});
