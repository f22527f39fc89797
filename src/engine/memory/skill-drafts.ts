import { newId } from "../../shared/ids.ts";
import type { Trust } from "./trust.ts";
import { type SqlRow, camelRow } from "../store/database.ts";
import { Table } from "../store/table.ts";

interface NewSkillDraft {
  readonly name: string;
  /** The sequence of tools; unique among drafts. */
  readonly signature: string;
  /** The text of SKILL.md. */
  readonly body: string;
  readonly trust: Trust;
  /** Ids of the trajectories it was drafted from. */
  readonly trajectories: readonly string[];
}

export interface SkillDraft extends NewSkillDraft {
  readonly id: string;
  readonly state: "proposed" | "allowed" | "refused";
  readonly createdAt: number;
  readonly decidedAt: number | null;
}

/** Skills that await or had a decision. A refused draft stays, so that it is not proposed again. */
export class SkillDraftTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into skill_drafts (id, name, signature, body, trust, state, trajectories, created_at)
     values (?, ?, ?, ?, ?, 'proposed', ?, ?)`,
  );
  readonly #all = this.db.prepare("select * from skill_drafts order by number desc limit ?");
  readonly #find = this.db.prepare("select * from skill_drafts where id = ?");
  readonly #known = this.db.prepare("select 1 from skill_drafts where signature = ? or name = ? limit 1");
  readonly #decide = this.db.prepare(
    "update skill_drafts set state = ?, decided_at = ? where id = ? and state = 'proposed'",
  );

  insert({ name, signature, body, trust, trajectories }: NewSkillDraft, createdAt: number): void {
    this.#insert.run(newId("sd"), name, signature, body, trust, JSON.stringify(trajectories), createdAt);
  }

  /** The newest first. */
  all(limit: number): readonly SkillDraft[] {
    return this.#all.all(limit).map(draftOf);
  }

  find(id: string): SkillDraft | null {
    const row = this.#find.get(id);
    return row === undefined ? null : draftOf(row);
  }

  has({ signature = "", name = "" }: { readonly signature?: string; readonly name?: string }): boolean {
    return this.#known.get(signature, name) !== undefined;
  }

  /** False if it was decided before. */
  decide(id: string, state: "allowed" | "refused", decidedAt: number): boolean {
    return this.#decide.run(state, decidedAt, id).changes === 1;
  }
}

const draftOf = (row: SqlRow): SkillDraft => camelRow(row, "trajectories") as SkillDraft;
