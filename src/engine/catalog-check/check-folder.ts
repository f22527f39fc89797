import { readdir } from "node:fs/promises";
import { ARCHIVE } from "../../contract/orchestrator/catalog-limits.ts";
import type { CatalogFault } from "../../contract/orchestrator/catalog.ts";
import { loadCatalog } from "../catalog/load-catalog.ts";
import { readSoul } from "../catalog/read-soul.ts";
import { SETTINGS_FILE } from "../catalog/settings-file.ts";
import { engineFolders } from "../isolation/file-rules.ts";
import type { ToolRule } from "../tools/tool-rules.ts";
import { checkServers } from "../mcp/check-servers.ts";

/** Placeholder values for the variables that each engine sets. */
const VARIABLES = {
  PATH: "/usr/bin",
  HOME: "/engine/workspace",
  LANG: "C.UTF-8",
  TZ: "UTC",
  ORCH_PRODUCT: "product",
  ORCH_USER_ID: "user",
  ORCH_WORKSPACE: "/engine/workspace",
};
/** Another folder than the one that was meant, or one too high. */
const NO_PART =
  "no part of a catalog in it; expected agents, skills, tools, .mcp.json, settings.yaml or core-soul.md at the top";
const PARTS = ["agents", "skills", "tools", "core-soul.md", SETTINGS_FILE];

interface FolderCheck {
  readonly errors: readonly CatalogFault[];
  readonly warnings: readonly CatalogFault[];
  readonly rules: readonly ToolRule[];
}

/** Loads the folder as an engine would load its product's catalog. `readable`: the paths of `ORCH_TOOL_READ_PATHS`. */
export async function checkFolder(folder: string, readable: readonly string[]): Promise<FolderCheck> {
  const folders = { product: null, engine: folder };
  const places = { folders: engineFolders("/engine"), read: readable };
  const parts = { checkServers: checkServers({ variables: VARIABLES, factOf: () => "value", places }) };
  const { catalog, problems, warnings } = await loadCatalog(parts, folders);
  const soul = await readSoul(folders);
  const secrets = [...catalog.tools.values()].flatMap((tool) => Object.values(tool.secrets));
  const used = new Set([...PARTS, ...secrets.map((file) => file.split("/")[0])]);
  const names = await readdir(folder);
  const unused = names.filter((name) => !used.has(name) && name !== ".mcp.json");
  if (names.length > 0 && unused.length === names.length)
    return { errors: [{ path: ARCHIVE, message: NO_PART }], warnings, rules: [] };
  const ignored = unused.toSorted().map((path) => ({ path, message: "not part of a catalog, ignored" }));
  return { errors: [...problems, ...soul.problems], warnings: [...warnings, ...ignored], rules: catalog.rules };
}
