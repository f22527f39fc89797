import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import type { CatalogRemark } from "../../contract/engine/catalog.ts";
import type { SkillDecided, SkillDraftRecord } from "../../contract/engine/learning.ts";
import { isoTime } from "../../shared/clock.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { EngineError } from "../engine-error.ts";
import type { SkillDraft, SkillDraftTable } from "../memory/skill-drafts.ts";
import { trustName } from "../memory/trust.ts";
import type { WriteLane } from "../memory/write-lane.ts";

export interface SkillReviewParts {
  readonly drafts: SkillDraftTable;
  readonly lane: WriteLane;
  readonly catalogFolder: string;
  readonly skillNames: () => ReadonlySet<string>;
  readonly reload: () => Promise<
    { readonly kind: "reloaded" } | { readonly kind: "refused"; readonly problems: readonly CatalogRemark[] }
  >;
  readonly now: () => number;
}

const MAX_LISTED = 200;

/** Human review of drafted skills. No agent sees a draft before it is allowed. */
export class SkillReview {
  readonly #parts: SkillReviewParts;
  readonly #lanes = new SerialLanes();

  constructor(parts: SkillReviewParts) {
    this.#parts = parts;
  }

  list(): readonly SkillDraftRecord[] {
    return this.#parts.drafts.all(MAX_LISTED).map(recordOf);
  }

  /** Idempotent. Writes an allowed skill to the catalog. Throws `NOT_FOUND`, `SKILL_ALREADY_DECIDED`, `CATALOG_INVALID`. */
  decide(id: string, decision: "allow" | "refuse"): Promise<SkillDecided> {
    return this.#lanes.run("", () => this.#decide(id, decision));
  }

  async #decide(id: string, decision: "allow" | "refuse"): Promise<SkillDecided> {
    const { drafts, lane, reload, now } = this.#parts;
    const draft = drafts.find(id);
    if (draft === null) throw new EngineError("NOT_FOUND", "no skill draft has this id");
    const state = decision === "allow" ? "allowed" : "refused";
    if (draft.state !== "proposed" && draft.state !== state)
      throw new EngineError("SKILL_ALREADY_DECIDED", `the skill draft is already ${draft.state}`);
    if (draft.state === state) return { id, name: draft.name, state, catalog: null };
    if (state === "allowed") await this.#write(draft);
    await lane.run(() => drafts.decide(id, state, now()));
    if (state === "refused") return { id, name: draft.name, state, catalog: null };
    const outcome = await reload();
    const errors = outcome.kind === "refused" ? outcome.problems : [];
    return { id, name: draft.name, state, catalog: { reloaded: outcome.kind === "reloaded", errors } };
  }

  /** Creates the folder atomically, and never replaces another one. */
  async #write({ name, body }: SkillDraft): Promise<void> {
    const skills = join(this.#parts.catalogFolder, "skills");
    const place = join(skills, name);
    await mkdir(skills, { recursive: true });
    if ((await textOf(join(place, "SKILL.md"))) === body) return;
    if (this.#parts.skillNames().has(name)) throw taken(name);
    const temporary = await mkdtemp(join(skills, ".draft-"));
    try {
      await writeFile(join(temporary, "SKILL.md"), body);
      await rename(temporary, place);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (hasCode(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR")) throw taken(name);
      throw error;
    }
  }
}

const taken = (name: string) =>
  new EngineError(
    "CATALOG_INVALID",
    `skills/${name}: the catalog already has a skill of this name; nothing was changed`,
  );

/** Null when there is no such file. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

const recordOf = ({
  id,
  name,
  body,
  state,
  trust,
  trajectories,
  createdAt,
  decidedAt,
}: SkillDraft): SkillDraftRecord => ({
  id,
  name,
  body,
  state,
  trajectories,
  trust: trustName(trust),
  created_at: isoTime(createdAt),
  decided_at: decidedAt === null ? null : isoTime(decidedAt),
});
