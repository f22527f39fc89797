import type { CatalogEntry, CatalogReloaded, CatalogShown, CoreSoulReloaded } from "../../contract/engine-records.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ToolSource } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { BadEntry, type EntryProblem } from "./catalog-entry.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import type { Catalog, CatalogReading } from "./catalog.ts";
import { type CoreSoul, SHIPPED_CORE_SOUL, parseCoreSoul } from "./core-soul.ts";
import { type DeclaredToolParts, declaredTool } from "./declared-tool.ts";
import { type LoadParts, loadCatalog } from "./load-catalog.ts";
import { useSkill } from "./use-skill.ts";

const SOUL_FILE = "core-soul.md";
const MAX_SOUL_BYTES = 64 * 1024;

export interface LiveCatalogParts extends LoadParts, DeclaredToolParts {
  /** Called with the text of `.mcp.json` for each loaded catalog. */
  readonly onServers: (text: string | null) => void;
  readonly logger: Logger;
}

export type Reload<Answer> =
  | { readonly kind: "reloaded"; readonly answer: Answer }
  /** The previous catalog stays active, unchanged. */
  | { readonly kind: "refused"; readonly problems: readonly EntryProblem[] };

/**
 * The active catalog and core soul. A reload is atomic: one invalid entry refuses it. At start-up, invalid entries are
 * skipped and logged.
 */
export class LiveCatalog implements ToolSource {
  readonly #parts: LiveCatalogParts;
  #catalog: Catalog;
  #tools: readonly Tool[];
  #soul: CoreSoul;
  readonly reload: () => Promise<Reload<CatalogReloaded>>;
  readonly reloadSoul: () => Promise<Reload<CoreSoulReloaded>>;

  private constructor(parts: LiveCatalogParts, { catalog, soul }: { catalog: Catalog; soul: CoreSoul }) {
    this.#parts = parts;
    this.#catalog = catalog;
    this.#tools = catalogTools(catalog, parts);
    this.#soul = soul;
    this.reload = sharedRuns(() => this.#reload());
    this.reloadSoul = sharedRuns(() => this.#reloadSoul());
  }

  static async open(parts: LiveCatalogParts): Promise<LiveCatalog> {
    const { catalog, problems, warnings } = await loadCatalog(parts);
    const soul = await readSoul(parts.folder);
    for (const problem of [...problems, ...(soul instanceof BadEntry ? [soulProblem(soul)] : [])])
      parts.logger.error(problem, "skipped invalid catalog entry");
    for (const warning of warnings) parts.logger.warn(warning, "catalog entry warning");
    const shipped = parseCoreSoul(SHIPPED_CORE_SOUL);
    const live = new LiveCatalog(parts, { catalog, soul: soul instanceof BadEntry ? shipped : soul });
    parts.onServers(catalog.servers.text);
    return live;
  }

  /** The current snapshot. */
  get catalog(): Catalog {
    return this.#catalog;
  }

  get soul(): CoreSoul {
    return this.#soul;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  /** What is in use, and what a reload would find now. Changes nothing. */
  async inspect(): Promise<CatalogShown> {
    const { problems, warnings } = await loadCatalog(this.#parts);
    const soul = await readSoul(this.#parts.folder);
    const { agents, skills, tools } = this.#catalog;
    return {
      agents: entriesOf(agents),
      skills: entriesOf(skills),
      tools: entriesOf(tools),
      errors: [...problems, ...(soul instanceof BadEntry ? [soulProblem(soul)] : [])],
      warnings,
    };
  }

  async #reload(): Promise<Reload<CatalogReloaded>> {
    const { logger, onServers } = this.#parts;
    const { catalog, problems, warnings } = await loadCatalog(this.#parts);
    if (problems.length > 0) {
      logger.warn({ problems }, "refused catalog reload");
      return { kind: "refused", problems };
    }
    this.#catalog = catalog;
    this.#tools = catalogTools(catalog, this.#parts);
    onServers(catalog.servers.text);
    const answer = { ...counts(catalog), errors: [], warnings };
    logger.info(counts(catalog), "reloaded catalog");
    return { kind: "reloaded", answer };
  }

  async #reloadSoul(): Promise<Reload<CoreSoulReloaded>> {
    const { folder, logger } = this.#parts;
    const soul = await readSoul(folder);
    if (soul instanceof BadEntry) return { kind: "refused", problems: [soulProblem(soul)] };
    this.#soul = soul;
    const { hash, bytes } = soul;
    logger.info({ hash, bytes }, "reloaded core soul");
    return { kind: "reloaded", answer: { hash, bytes } };
  }
}

const entriesOf = (kind: ReadonlyMap<string, CatalogEntry>): readonly CatalogEntry[] =>
  [...kind.values()].map(({ name, description }) => ({ name, description }));

const counts = ({ agents, skills, tools, servers }: CatalogReading["catalog"]) => ({
  agents: agents.size,
  skills: skills.size,
  tools: tools.size,
  servers: servers.count,
});

const soulProblem = ({ message }: BadEntry): EntryProblem => ({ path: SOUL_FILE, message });

/** The folder's core soul, or the shipped one; an error if the folder's is invalid. */
async function readSoul(folder: string): Promise<CoreSoul | BadEntry> {
  try {
    const text = await (await CatalogFolder.open(folder))?.text(SOUL_FILE, MAX_SOUL_BYTES);
    return parseCoreSoul(text ?? SHIPPED_CORE_SOUL);
  } catch (error) {
    if (error instanceof BadEntry) return error;
    throw error;
  }
}

/** The declared tools of a catalog, and `use_skill` if it has skills. */
function catalogTools({ tools, skills }: Catalog, parts: DeclaredToolParts): readonly Tool[] {
  const declared = [...tools.values()].map((tool) => declaredTool(tool, parts));
  return skills.size === 0 ? declared : [...declared, useSkill(skills, parts.folder)];
}

/**
 * Runs `work` one at a time. Calls during a run share the next one, so that each result comes from a run that started
 * after its call.
 */
export function sharedRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const run = work();
      // The next run waits for the end of this one, whatever its outcome.
      last = run.catch(() => undefined);
      return run;
    });
    return next;
  };
}
