import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { isEngineTool } from "../../contract/engine/tool-names.ts";
import type { AgentDefinition } from "./agent-file.ts";
import type { EntryProblem } from "./catalog-entry.ts";
import { type CatalogFolders, type CatalogReading, type FromFolder } from "./catalog.ts";
import { shippedEntries } from "./defaults/shipped.ts";
import {
  type Layer,
  PRODUCT_PREFIX,
  openLayer,
  readAgent,
  readKind,
  readServers,
  readSettings,
  readSkill,
  readTool,
} from "./read-layer.ts";

export interface LoadParts {
  /** Validates the texts of `.mcp.json`, of which a later one overrides those before it. */
  readonly checkServers: (texts: readonly string[]) => {
    readonly count: number;
    /** Of each text. */
    readonly problems: readonly (readonly EntryProblem[])[];
  };
}

/** Loads the shipped entries, overridden by the folders'. Invalid entries are skipped and reported. */
export async function loadCatalog({ checkServers }: LoadParts, folders: CatalogFolders): Promise<CatalogReading> {
  const layers = await openLayers(folders);
  const shipped = shippedEntries();
  // Of several layers the last one decides.
  if (layers.findLast((layer) => layer.shipped !== null)?.shipped === "none") withoutShipped(shipped);
  const { agents } = shipped;
  const [skills, tools] = [shippedIn(shipped.skills), shippedIn(shipped.tools)];
  const shippedAgents = new Map(agents);
  const isKnown = (tool: string) => isEngineTool(tool) || tools.has(tool);
  for (const layer of layers) {
    if (layer.folder === null) continue;
    const reading = { ...layer, folder: layer.folder };
    const before = new Map(agents);
    await readKind(reading, { kind: "agents", into: agents, read: readAgent });
    await readKind(reading, { kind: "skills", into: skills, read: readSkill });
    await readKind(reading, { kind: "tools", into: tools, read: readTool });
    layer.agents = [...agents].filter(([agent, definition]) => definition !== before.get(agent));
    layer.servers = await readServers(reading);
  }
  for (const { agents: own, notes, prefix } of layers)
    for (const [name, agent] of own)
      if (agent === agents.get(name) && agent !== shippedAgents.get(name))
        notes.warnings.push(...unknownTools(`${prefix}agents/${name}.md`, agent, isKnown));
  const withServers = layers.filter(({ servers }) => servers !== null);
  const texts = withServers.map(({ servers }) => servers ?? "");
  const { count, problems } = checkServers(texts);
  // The text is kept even if some servers are invalid: the others are used.
  for (const [at, { notes, prefix }] of withServers.entries())
    notes.problems.push(...(problems[at] ?? []).map((one) => ({ ...one, path: prefix + one.path })));
  const rules = layers.toReversed().flatMap((layer) => layer.rules);
  return {
    catalog: { agents, skills, tools, servers: { count, texts }, rules },
    problems: layers.flatMap(({ notes }) => notes.problems),
    warnings: layers.flatMap(({ notes }) => notes.warnings),
  };
}

/** The folders over the shipped entries, with their settings. */
async function openLayers(folders: CatalogFolders): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (const [name, place] of Object.entries({ product: folders.product, engine: folders.engine })) {
    if (place === null) continue;
    const layer = await openLayer(place, name === "product" ? PRODUCT_PREFIX : "");
    layers.push(layer);
    if (layer.folder !== null) Object.assign(layer, await readSettings({ ...layer, folder: layer.folder }));
  }
  return layers;
}

/** The default agent stays: calls that name no agent use it. */
function withoutShipped({ agents, skills }: ReturnType<typeof shippedEntries>): void {
  for (const name of agents.keys()) if (name !== DEFAULT_AGENT) agents.delete(name);
  skills.clear();
}

const shippedIn = <T extends object>(entries: ReadonlyMap<string, T>): Map<string, FromFolder<T>> =>
  new Map([...entries].map(([name, entry]) => [name, { ...entry, folder: null }]));

/** Warns of unknown tool names, except patterns and server tools, which may appear later. */
function unknownTools(
  path: string,
  { tools, permissions }: AgentDefinition,
  isKnown: (tool: string) => boolean,
): readonly EntryProblem[] {
  const isUnknown = (name: string) => !name.endsWith("*") && !name.startsWith("mcp__") && !isKnown(name);
  const named = { tools: tools ?? [], permissions: Object.keys(permissions) };
  return Object.entries(named).flatMap(([field, names]) =>
    names.filter(isUnknown).map((name) => ({ path, message: `${field}: unknown tool ${name}` })),
  );
}
