import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Test } from "tap";
import type { CatalogReading } from "../../../src/engine/catalog/catalog.ts";
import { type LoadParts, loadCatalog } from "../../../src/engine/catalog/load-catalog.ts";
import { LiveCatalog, type LiveCatalogParts } from "../../../src/engine/catalog/live-catalog.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { noIdentity } from "../../helpers/identity.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { commandHost } from "../../helpers/command-host.ts";
import { factsOf } from "../../helpers/engine-facts.ts";

export const agentFile = (name: string, more = "", body = `I am ${name}.`): string =>
  `---\nname: ${name}\ndescription: Does what ${name} does.\n${more}---\n${body}\n`;
export const skillFile = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: For ${name}.\n${more}---\nDo it like ${name}.\n`;
export const toolFile = (more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ description: "Says something.", command: { argv: ["echo", "hello"] }, ...more });

export interface CatalogBench {
  readonly folder: string;
  readonly parts: LoadParts;
  /** With a version of a product's catalog below the engine's. */
  readonly load: (product?: string) => Promise<CatalogReading>;
  /** Below the catalog's folder; null removes. */
  readonly write: (path: string, content: string | Buffer | null) => void;
  readonly live: (more?: Partial<LiveCatalogParts>) => Promise<LiveCatalog>;
}

/** A catalog's folder and what reads it. */
export function catalogBench(t: Test, files: Readonly<Record<string, string | Buffer>> = {}): CatalogBench {
  const folder = join(freshFolder(t), "catalog");
  const write = (path: string, content: string | Buffer | null) => {
    const place = join(folder, path);
    if (content === null) return rmSync(place, { recursive: true });
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const parts: LoadParts = {
    checkServers: (texts) => ({
      count: texts.filter((text) => !text.includes("bad")).length,
      problems: texts.map((text) => (text.includes("bad") ? [{ path: ".mcp.json: x", message: "bad" }] : [])),
    }),
  };
  const load = (product: string | null = null) => loadCatalog(parts, { product, engine: folder });
  const live = (more: Partial<LiveCatalogParts> = {}) =>
    LiveCatalog.open({
      ...parts,
      folder,
      product: null,
      commands: commandHost({ PATH: process.env["PATH"] }),
      engine: factsOf("anna"),
      identity: noIdentity,
      onServers: () => undefined,
      logger: createLogger("test", "silent"),
      ...more,
    });
  return { folder, parts, load, write, live };
}
