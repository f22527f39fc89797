import { DEFAULT_AGENT } from "../../contract/engine-api.ts";
import { type AgentDefinition, parseAgent } from "./agent-file.ts";
import { BadEntry, type EntryProblem } from "./catalog-entry.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import { type CatalogReading, type ServerList, USE_SKILL } from "./catalog.ts";
import { shippedEntries } from "./defaults/shipped.ts";
import { type SkillDefinition, parseSkill } from "./skill-file.ts";
import { type DeclaredTool, parseDeclaredTool } from "./tool-file.ts";

const MAX_ENTRIES = 200;
const MAX_AGENT_BYTES = 64 * 1024;
export const MAX_SKILL_BYTES = 256 * 1024;
const MAX_TOOL_BYTES = 64 * 1024;
const MAX_SERVERS_BYTES = 256 * 1024;
const SERVERS_FILE = ".mcp.json";

export interface LoadParts {
  readonly folder: string;
  /** Whether the engine uses the tool name itself. */
  readonly isReserved: (toolName: string) => boolean;
  /** Validates the text of `.mcp.json`. */
  readonly checkServers: (text: string) => { readonly count: number; readonly problems: readonly EntryProblem[] };
}

/** Loads the shipped entries, overridden by the folder's. Invalid entries are skipped and reported. */
export async function loadCatalog(parts: LoadParts): Promise<CatalogReading> {
  const notes: Notes = { problems: [], warnings: [] };
  const folder = await attempt(parts.folder, notes, () => CatalogFolder.open(parts.folder));
  const { agents, skills, tools } = shippedEntries();
  if (folder === undefined || folder === null)
    return { catalog: { agents, skills, tools, servers: { count: 0, text: null } }, ...notes };
  const reading = { folder, notes };
  const shipped = new Map(agents);
  await readKind(reading, { kind: "agents", into: agents, read: readAgent });
  await readKind(reading, { kind: "skills", into: skills, read: readSkill });
  await readKind(reading, { kind: "tools", into: tools, read: (at, name) => readTool(at, name, parts.isReserved) });
  const isKnown = (tool: string) => tool === USE_SKILL || tools.has(tool) || parts.isReserved(tool);
  for (const [name, agent] of agents)
    if (agent !== shipped.get(name)) notes.warnings.push(...unknownTools(`agents/${name}.md`, agent, isKnown));
  const servers = await attempt(SERVERS_FILE, notes, () => readServers(reading, parts.checkServers));
  return { catalog: { agents, skills, tools, servers: servers ?? { count: 0, text: null } }, ...notes };
}

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

type Kind = "agents" | "skills" | "tools";

interface Notes {
  readonly problems: EntryProblem[];
  readonly warnings: EntryProblem[];
}

interface Reading {
  readonly folder: CatalogFolder;
  readonly notes: Notes;
}

/** The path of an entry, and where its problems are collected. */
interface Place extends Reading {
  readonly path: string;
}

/** Undefined, with a recorded problem, if the entry is invalid. */
async function attempt<T>(path: string, { problems }: Notes, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof BadEntry)) throw error;
    problems.push({ path, message: error.message });
    return undefined;
  }
}

/** `read` returns null for a disabled entry, which removes the shipped one. */
async function readKind<T>(
  { folder, notes }: Reading,
  {
    kind,
    into,
    read,
  }: {
    readonly kind: Kind;
    readonly into: Map<string, T>;
    readonly read: (place: Place, name: string) => Promise<T | null>;
  },
): Promise<void> {
  const suffix = { agents: ".md", skills: "", tools: ".json" }[kind];
  const found = (await attempt(kind, notes, () => folder.names(kind))) ?? [];
  const isEntry = ({ name, isFolder }: (typeof found)[number]) =>
    isFolder === (kind === "skills") && name.endsWith(suffix);
  const entries = found.filter(isEntry);
  for (const { name } of found.filter((one) => !isEntry(one)))
    notes.warnings.push({ path: `${kind}/${name}`, message: `skipped: expected ${EXPECTED[kind]}` });
  if (entries.length > MAX_ENTRIES)
    notes.problems.push({ path: kind, message: `expected at most ${MAX_ENTRIES} entries, got ${entries.length}` });
  for (const { name: fileName } of entries.slice(0, MAX_ENTRIES)) {
    const name = fileName.slice(0, fileName.length - suffix.length);
    const path = kind === "skills" ? `${kind}/${name}/SKILL.md` : `${kind}/${fileName}`;
    const entry = await attempt(path, notes, () => read({ folder, notes, path }, name));
    if (entry === null) into.delete(name);
    else if (entry !== undefined) into.set(name, entry);
  }
}

const EXPECTED = { agents: "<name>.md", skills: "a folder with SKILL.md", tools: "<name>.json" };

async function textOf({ folder, path }: Place, maxBytes: number): Promise<string> {
  const text = await folder.text(path, maxBytes);
  if (text === null) throw new BadEntry("the file does not exist");
  return text;
}

async function readAgent(place: Place, name: string): Promise<AgentDefinition | null> {
  const agent = await parseAgent(name, await textOf(place, MAX_AGENT_BYTES));
  if (agent === null && name === DEFAULT_AGENT) throw new BadEntry("disabled: the default agent cannot be disabled");
  return agent;
}

async function readSkill(place: Place, name: string): Promise<SkillDefinition | null> {
  const { skill, ignored } = await parseSkill(name, await textOf(place, MAX_SKILL_BYTES));
  for (const field of ignored)
    place.notes.warnings.push({ path: place.path, message: `${field}: unknown field, ignored` });
  return skill === null ? null : { ...skill, shipped: null };
}

async function readTool(place: Place, name: string, isReserved: LoadParts["isReserved"]): Promise<DeclaredTool | null> {
  const tool = parseDeclaredTool(name, await textOf(place, MAX_TOOL_BYTES));
  if (name === USE_SKILL || name.startsWith("mcp__") || isReserved(name))
    throw new BadEntry(`name: ${name} is reserved for a tool of the engine`);
  for (const [secret, file] of Object.entries(tool?.secrets ?? {})) {
    if ((await place.folder.place(file)) === null)
      throw new BadEntry(`secrets.${secret}: the file ${file} does not exist`);
  }
  return tool;
}

/** Keeps the text even if some servers are invalid: the others are used. */
async function readServers({ folder, notes }: Reading, check: LoadParts["checkServers"]): Promise<ServerList> {
  const text = await folder.text(SERVERS_FILE, MAX_SERVERS_BYTES);
  if (text === null) return { text, count: 0 };
  const { count, problems } = check(text);
  notes.problems.push(...problems.map(({ path, message }) => ({ path, message })));
  return { text, count };
}
