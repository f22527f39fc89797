import type { CatalogEntry, CatalogReloaded, CatalogShown, CoreSoulReloaded } from "../../contract/engine/catalog.ts";
import type { Logger } from "../../shared/logger.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { sharedRuns } from "../../shared/shared-runs.ts";
import type { ToolSource } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { EntryProblem } from "./catalog-entry.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import type { Catalog, CatalogFolders, CatalogReading } from "./catalog.ts";
import type { CoreSoul } from "./core-soul.ts";
import { type DeclaredToolParts, declaredTool } from "./declared-tool.ts";
import { type LoadParts, loadCatalog } from "./load-catalog.ts";
import type { ProductVersion } from "./product-version.ts";
import { PRODUCT_PREFIX } from "./read-layer.ts";
import { readSoul } from "./read-soul.ts";
import { useSkill } from "./use-skill.ts";

export interface LiveCatalogParts extends LoadParts, Pick<DeclaredToolParts, "commands" | "engine" | "identity"> {
  readonly folder: string;
  /** The version of the product's catalog at the start. Null without one. */
  readonly product: ProductVersion | null;
  /** Called with the texts of `.mcp.json` for each loaded catalog. */
  readonly onServers: (texts: readonly string[]) => void;
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
  /** What changes the state below runs one at a time. */
  readonly #lane = new SerialLanes();
  #product: ProductVersion | null;
  #catalog: Catalog;
  #tools: readonly Tool[];
  #soul: CoreSoul;
  readonly reload: () => Promise<Reload<CatalogReloaded>>;
  readonly reloadSoul: () => Promise<Reload<CoreSoulReloaded>>;

  private constructor(parts: LiveCatalogParts, { catalog, soul }: { catalog: Catalog; soul: CoreSoul }) {
    this.#parts = parts;
    this.#product = parts.product;
    this.#catalog = catalog;
    this.#tools = catalogTools(catalog, parts);
    this.#soul = soul;
    this.reload = sharedRuns(() => this.#lane.run("", () => this.#reload()));
    this.reloadSoul = sharedRuns(() => this.#lane.run("", () => this.#reloadSoul()));
  }

  /** Rejects when the folder of the product's version is missing: its permissions must not be left out. */
  static async open(parts: LiveCatalogParts): Promise<LiveCatalog> {
    const folders = foldersOf(parts, parts.product);
    if (await isMissing(parts.product)) throw new Error("the folder of the product's catalog does not exist");
    const { catalog, problems, warnings } = await loadCatalog(parts, folders);
    const { soul, problems: soulProblems } = await readSoul(folders);
    for (const problem of [...problems, ...soulProblems]) parts.logger.error(problem, "skipped invalid catalog entry");
    for (const warning of warnings) parts.logger.warn(warning, "catalog entry warning");
    const live = new LiveCatalog(parts, { catalog, soul });
    parts.onServers(catalog.servers.texts);
    return live;
  }

  /** The engine's own catalog folder. */
  get folder(): string {
    return this.#parts.folder;
  }

  /** The current snapshot. */
  get catalog(): Catalog {
    return this.#catalog;
  }

  get soul(): CoreSoul {
    return this.#soul;
  }

  /** The version of the product's catalog in use; null without one. */
  get productVersion(): number | null {
    return this.#product?.version ?? null;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  /** What is in use, and what a reload would find now. Changes nothing. */
  async inspect(): Promise<CatalogShown> {
    const folders = foldersOf(this.#parts, this.#product);
    const { problems, warnings } = await loadCatalog(this.#parts, folders);
    const soul = await readSoul(folders);
    const { agents, skills, tools } = this.#catalog;
    return {
      agents: entriesOf(agents),
      skills: entriesOf(skills),
      tools: entriesOf(tools),
      errors: [...problems, ...soul.problems],
      warnings,
    };
  }

  /** Replaces the version of the product's catalog: entries and core soul together, or nothing. */
  setProduct(product: ProductVersion | null): Promise<Reload<{ readonly version: number | null }>> {
    return this.#lane.run("", () => this.#setProduct(product));
  }

  async #setProduct(product: ProductVersion | null): Promise<Reload<{ readonly version: number | null }>> {
    const { logger } = this.#parts;
    const version = product?.version ?? null;
    const answer = { kind: "reloaded", answer: { version } } as const;
    if (product?.folder === this.#product?.folder) {
      this.#product = product;
      return answer;
    }
    const folders = foldersOf(this.#parts, product);
    const missing = (await isMissing(product)) ? [{ path: PRODUCT_PREFIX, message: "its folder does not exist" }] : [];
    const { catalog, problems } = await loadCatalog(this.#parts, folders);
    const soul = await readSoul(folders);
    const all = [...missing, ...problems, ...soul.problems];
    if (all.length > 0) {
      logger.warn({ version, problems: all }, "refused a version of the product's catalog");
      return { kind: "refused", problems: all };
    }
    this.#product = product;
    this.#soul = soul.soul;
    this.#use(catalog);
    logger.info({ version, ...counts(catalog) }, "reloaded the product's catalog");
    return answer;
  }

  async #reload(): Promise<Reload<CatalogReloaded>> {
    const { logger } = this.#parts;
    const { catalog, problems, warnings } = await loadCatalog(this.#parts, foldersOf(this.#parts, this.#product));
    if (problems.length > 0) {
      logger.warn({ problems }, "refused catalog reload");
      return { kind: "refused", problems };
    }
    this.#use(catalog);
    const answer = { ...counts(catalog), errors: [], warnings };
    logger.info(counts(catalog), "reloaded catalog");
    return { kind: "reloaded", answer };
  }

  #use(catalog: Catalog): void {
    this.#catalog = catalog;
    this.#tools = catalogTools(catalog, this.#parts);
    this.#parts.onServers(catalog.servers.texts);
  }

  async #reloadSoul(): Promise<Reload<CoreSoulReloaded>> {
    const { soul, problems } = await readSoul(foldersOf(this.#parts, this.#product));
    if (problems.length > 0) return { kind: "refused", problems };
    this.#soul = soul;
    const { hash, bytes } = soul;
    this.#parts.logger.info({ hash, bytes }, "reloaded core soul");
    return { kind: "reloaded", answer: { hash, bytes } };
  }
}

const foldersOf = ({ folder }: LiveCatalogParts, product: ProductVersion | null): CatalogFolders => ({
  product: product?.folder ?? null,
  engine: folder,
});

const isMissing = async (product: ProductVersion | null): Promise<boolean> =>
  product !== null && (await CatalogFolder.open(product.folder)) === null;

const entriesOf = (kind: ReadonlyMap<string, CatalogEntry>): readonly CatalogEntry[] =>
  [...kind.values()].map(({ name, description }) => ({ name, description }));

const counts = ({ agents, skills, tools, servers }: CatalogReading["catalog"]) => ({
  agents: agents.size,
  skills: skills.size,
  tools: tools.size,
  servers: servers.count,
});

/** The declared tools of a catalog, and `use_skill` if it has skills. */
function catalogTools(
  { tools, skills }: Catalog,
  { commands, engine, identity }: Pick<DeclaredToolParts, "commands" | "engine" | "identity">,
): readonly Tool[] {
  const declared = [...tools.values()].map((tool) =>
    declaredTool(tool, { commands, engine, identity, folder: tool.folder }),
  );
  return skills.size === 0 ? declared : [...declared, useSkill(skills)];
}
