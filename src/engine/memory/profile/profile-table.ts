import { PROFILE_SECTIONS, type ProfileSection } from "../../../contract/engine/profile.ts";
import { newId } from "../../../shared/ids.ts";
import { type SqlRow, camelRow } from "../../store/database.ts";
import { Table } from "../../store/table.ts";

/** What a learning batch writes. */
export interface WrittenLine {
  readonly section: ProfileSection;
  readonly text: string;
  /** Ids of the facts that it says. */
  readonly facts: readonly string[];
}

export interface StoredLine extends WrittenLine {
  readonly id: string;
  readonly origin: "learned" | "person";
  /** Ids of the rounds that support its facts. */
  readonly sources: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A fact of a line that a person has corrected or deleted. */
export interface SettledFact {
  readonly state: "corrected" | "deleted";
  readonly subject: string;
  readonly predicate: string;
  readonly hash: string;
  /** Ids of the rounds that support it. */
  readonly sources: readonly string[];
}

const FACTS = "(select json_group_array(knowledge_id) from profile_facts where line_id = profile_lines.id) as facts";
const SOURCES = `(select json_group_array(distinct episode_id) from profile_facts join knowledge_evidence
  using (knowledge_id) where line_id = profile_lines.id) as sources`;
const COLUMNS = `id, section, text, origin, created_at, updated_at, ${FACTS}, ${SOURCES}`;
/** A learned line is no longer true with one of its facts. */
const IS_CURRENT = `deleted_at is null and (origin = 'person' or not exists (select 1 from profile_facts
  join knowledge on knowledge.id = knowledge_id where line_id = profile_lines.id and recorded_to is not null))`;

/** The lines of the profile page. Every method that writes runs within the caller's transaction. */
export class ProfileTable extends Table {
  readonly #lines = this.db.prepare(`select ${COLUMNS} from profile_lines where ${IS_CURRENT} order by number`);
  readonly #find = this.db.prepare(`select ${COLUMNS} from profile_lines where id = ? and ${IS_CURRENT}`);
  readonly #insert = this.db.prepare(
    `insert into profile_lines (id, section, text, origin, created_at, updated_at) values (?, ?, ?, 'learned', ?, ?)`,
  );
  readonly #correct = this.db.prepare(
    "update profile_lines set text = ?, origin = 'person', updated_at = ? where id = ?",
  );
  readonly #delete = this.db.prepare("update profile_lines set text = '', deleted_at = ? where id = ?");
  readonly #drop = this.db.prepare(
    `delete from profile_lines where origin = 'learned' and deleted_at is null
       and id not in (select value from json_each(?))`,
  );
  readonly #detach = this.db.prepare("delete from profile_facts where line_id = ?");
  readonly #attach = this.db.prepare("insert into profile_facts (line_id, knowledge_id) values (?, ?)");
  readonly #settled = this.db.prepare(
    `select iif(deleted_at is null, 'corrected', 'deleted') as state, subject, predicate, hash,
       (select json_group_array(episode_id) from knowledge_evidence where knowledge_id = knowledge.id) as sources
     from profile_lines join profile_facts on line_id = profile_lines.id join knowledge on knowledge.id = knowledge_id
     where profile_lines.origin = 'person' or deleted_at is not null order by profile_lines.number, knowledge.number`,
  );

  /** In the order of the page. */
  lines(): readonly StoredLine[] {
    const place = ({ section }: StoredLine) => PROFILE_SECTIONS.indexOf(section);
    return this.#lines
      .all()
      .map(lineOf)
      .toSorted((one, other) => place(one) - place(other));
  }

  find(id: string): StoredLine | null {
    const row = this.#find.get(id);
    return row === undefined ? null : lineOf(row);
  }

  /** The line has the text of a person from now on. */
  correct(id: string, text: string, now: number): void {
    this.#correct.run(text, now, id);
  }

  /** The text goes; which facts the line said is remembered. */
  delete(id: string, now: number): void {
    this.#delete.run(now, id);
  }

  settled(): readonly SettledFact[] {
    return this.#settled.all().map((row) => camelRow(row, "sources") as SettledFact);
  }

  /** What the page was made from last; null for none. */
  madeFrom(): string | null {
    return this.store.state.get("profile")?.input ?? null;
  }

  setMadeFrom(input: string): void {
    this.store.state.set("profile", { input });
  }

  /** Replaces the learned lines. One with the same words keeps its id. Returns how many were written or removed. */
  replaceLearned(lines: readonly WrittenLine[], now: number): number {
    const known = new Map(
      this.lines()
        .filter(({ origin }) => origin === "learned")
        .map((line) => [keyOf(line), line.id]),
    );
    const same = lines.filter((line) => known.has(keyOf(line)));
    const ids = same.map((line) => known.get(keyOf(line)) ?? "");
    const removed = this.#drop.run(JSON.stringify(ids)).changes;
    for (const [index, { facts }] of same.entries()) {
      this.#detach.run(ids[index] ?? "");
      for (const fact of facts) this.#attach.run(ids[index] ?? "", fact);
    }
    const added = lines.filter((line) => !known.has(keyOf(line)));
    for (const { section, text, facts } of added) {
      const id = newId("pl");
      this.#insert.run(id, section, text, now, now);
      for (const fact of facts) this.#attach.run(id, fact);
    }
    return removed + added.length;
  }
}

const keyOf = ({ section, text }: Pick<WrittenLine, "section" | "text">): string => `${section}\n${text}`;

const lineOf = (row: SqlRow): StoredLine => camelRow(row, "facts", "sources") as StoredLine;
