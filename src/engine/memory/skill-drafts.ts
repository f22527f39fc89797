import { newId } from "../../shared/ids.ts";
import type { Store } from "../store/open-store.ts";
import type { Trust } from "./trust.ts";

export interface NewSkillDraft {
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
export class SkillDraftTable {
  readonly #insert;
  readonly #all;
  readonly #find;
  readonly #known;
  readonly #decide;

  constructor({ db }: Store) {
    this.#insert = db.prepare(
      `insert into skill_drafts (id, name, signature, body, trust, state, trajectories, created_at)
       values (?, ?, ?, ?, ?, 'proposed', ?, ?)`,
    );
    this.#all = db.prepare("select * from skill_drafts order by number desc limit ?");
    this.#find = db.prepare("select * from skill_drafts where id = ?");
    this.#known = db.prepare("select 1 from skill_drafts where signature = ? or name = ? limit 1");
    this.#decide = db.prepare("update skill_drafts set state = ?, decided_at = ? where id = ? and state = 'proposed'");
  }

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

const draftOf = (row: Record<string, unknown>): SkillDraft => ({
  id: String(row["id"]),
  name: String(row["name"]),
  signature: String(row["signature"]),
  body: String(row["body"]),
  trust: Number(row["trust"]) as Trust,
  trajectories: JSON.parse(String(row["trajectories"])) as string[],
  state: row["state"] as SkillDraft["state"],
  createdAt: Number(row["created_at"]),
  decidedAt: row["decided_at"] === null ? null : Number(row["decided_at"]),
});
