import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { isEngineTool } from "../../contract/engine/tool-names.ts";
import { jsonLines } from "../../shared/json-lines.ts";
import { type AgentDefinition, parseAgent } from "./agent-file.ts";
import type { ToolRule } from "../tools/tool-rules.ts";
import { BadEntry, type EntryProblem } from "./catalog-entry.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import type { FromFolder } from "./catalog.ts";
import { SETTINGS_FILE, type SettingsReading, denyAll, parseSettings } from "./settings-file.ts";
import { type SkillDefinition, parseSkill } from "./skill-file.ts";
import { type DeclaredTool, parseDeclaredTool } from "./tool-file.ts";

const MAX_ENTRIES = 200;
const MAX_AGENT_BYTES = 64 * 1024;
export const MAX_SKILL_BYTES = 256 * 1024;
const MAX_TOOL_BYTES = 64 * 1024;
const MAX_SERVERS_BYTES = 256 * 1024;
const MAX_SETTINGS_BYTES = 64 * 1024;
const SERVERS_FILE = ".mcp.json";

/** Put before the path of a problem in the product's catalog. */
export const PRODUCT_PREFIX = "(product) ";

/** One folder over the shipped entries. */
export interface Layer extends Notes {
  /** Null if it does not exist. */
  readonly folder: CatalogFolder | null;
  agents: readonly (readonly [string, AgentDefinition])[];
  /** The text of its `.mcp.json`. */
  servers: string | null;
  rules: readonly ToolRule[];
  shipped: SettingsReading["shipped"];
}

export async function openLayer(path: string, prefix: string): Promise<Layer> {
  const notes: Notes = { prefix, notes: { problems: [], warnings: [] } };
  const folder = await attempt(notes, path, () => CatalogFolder.open(path));
  // The rules of a folder that cannot be read are not known.
  const rules = folder === undefined ? [denyAll(prefix + SETTINGS_FILE)] : [];
  return { ...notes, folder: folder ?? null, agents: [], servers: null, rules, shipped: null };
}

type Kind = "agents" | "skills" | "tools";

/** What was found in a layer. `prefix` is put before each path. */
interface Notes {
  readonly prefix: string;
  readonly notes: { readonly problems: EntryProblem[]; readonly warnings: EntryProblem[] };
}

interface Reading extends Notes {
  readonly folder: CatalogFolder;
}

/** The path of an entry, and where its problems are collected. */
interface EntryFile extends Reading {
  readonly path: string;
}

/** Undefined, with a recorded problem, if the entry is invalid. */
async function attempt<T>({ prefix, notes }: Notes, path: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof BadEntry)) throw error;
    notes.problems.push(...error.problems(prefix + path));
    return undefined;
  }
}

/** `read` returns null for a disabled entry, which removes the one below. */
export async function readKind<T>(
  reading: Reading,
  {
    kind,
    into,
    read,
  }: {
    readonly kind: Kind;
    readonly into: Map<string, T>;
    readonly read: (file: EntryFile, name: string) => Promise<T | null>;
  },
): Promise<void> {
  const { folder, notes, prefix } = reading;
  const suffix = { agents: ".md", skills: "", tools: ".json" }[kind];
  const found = (await attempt(reading, kind, () => folder.names(kind))) ?? [];
  const isEntry = ({ name, isFolder }: (typeof found)[number]) =>
    isFolder === (kind === "skills") && name.endsWith(suffix);
  const entries = found.filter(isEntry);
  for (const { name } of found.filter((one) => !isEntry(one)))
    notes.warnings.push({ path: `${prefix}${kind}/${name}`, message: `skipped: expected ${EXPECTED[kind]}` });
  if (entries.length > MAX_ENTRIES)
    notes.problems.push({
      path: prefix + kind,
      message: `expected at most ${MAX_ENTRIES} entries, got ${entries.length}`,
    });
  for (const { name: fileName } of entries.slice(0, MAX_ENTRIES)) {
    const name = fileName.slice(0, fileName.length - suffix.length);
    const path = kind === "skills" ? `${kind}/${name}/SKILL.md` : `${kind}/${fileName}`;
    const entry = await attempt(reading, path, () => read({ ...reading, path }, name));
    if (entry === null) into.delete(name);
    else if (entry !== undefined) into.set(name, entry);
  }
}

const EXPECTED = { agents: "<name>.md", skills: "a folder with SKILL.md", tools: "<name>.json" };

async function textOf({ folder, path }: EntryFile, maxBytes: number): Promise<string> {
  const text = await folder.text(path, maxBytes);
  if (text === null) throw new BadEntry("the file does not exist");
  return text;
}

export async function readAgent(file: EntryFile, name: string): Promise<AgentDefinition | null> {
  const agent = await parseAgent(name, await textOf(file, MAX_AGENT_BYTES));
  if (agent === null && name === DEFAULT_AGENT) throw new BadEntry("disabled: the default agent cannot be disabled");
  return agent;
}

export async function readSkill(file: EntryFile, name: string): Promise<FromFolder<SkillDefinition> | null> {
  const { skill, ignored } = await parseSkill(name, await textOf(file, MAX_SKILL_BYTES));
  for (const field of ignored)
    file.notes.warnings.push({ path: file.prefix + file.path, message: `${field}: unknown field, ignored` });
  return skill === null ? null : { ...skill, shipped: null, folder: file.folder.path };
}

export async function readTool(file: EntryFile, name: string): Promise<FromFolder<DeclaredTool> | null> {
  const text = await textOf(file, MAX_TOOL_BYTES);
  const tool = parseDeclaredTool(name, text);
  if (name.startsWith("mcp__") || isEngineTool(name))
    throw new BadEntry(`name: ${name} is reserved for a tool of the engine`);
  for (const [secret, secretFile] of Object.entries(tool?.secrets ?? {})) {
    if ((await file.folder.realPath(secretFile)) === null)
      throw new BadEntry(
        `secrets.${secret}: the file ${secretFile} does not exist`,
        jsonLines(text).lineOf(["secrets", secret]),
      );
  }
  return tool === null ? null : { ...tool, folder: file.folder.path };
}

/** The text of the layer's `.mcp.json`. */
export const readServers = async (reading: Reading): Promise<string | null> =>
  (await attempt(reading, SERVERS_FILE, () => reading.folder.text(SERVERS_FILE, MAX_SERVERS_BYTES))) ?? null;

const NO_SETTINGS: SettingsReading = { shipped: null, rules: [], warnings: [] };

/** The layer's `settings.yaml`. The rules of an invalid file deny every call. */
export async function readSettings(reading: Reading): Promise<Pick<SettingsReading, "shipped" | "rules">> {
  const path = reading.prefix + SETTINGS_FILE;
  const read = await attempt(reading, SETTINGS_FILE, async () => {
    const text = await reading.folder.text(SETTINGS_FILE, MAX_SETTINGS_BYTES);
    return text === null ? NO_SETTINGS : parseSettings(path, text);
  });
  reading.notes.warnings.push(...(read?.warnings ?? []));
  return read ?? { shipped: null, rules: [denyAll(path)] };
}
