import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { agentEntry, catalogName } from "../letta/agent-entry.ts";
import { COUNTERPARTS } from "../letta/counterparts.ts";
import { conversationRecords } from "../letta/conversation-records.ts";
import { factRecords } from "../letta/fact-records.ts";
import { memoryFile } from "../letta/memory-lines.ts";
import { type LettaAgent, readAgentFile } from "../letta/read-agent-file.ts";
import { contentOf } from "../local-content.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { writeWhole } from "../write-whole.ts";

interface Options {
  readonly user: string;
  readonly name?: string;
  readonly task?: string;
  readonly catalog?: string;
  readonly dryRun: boolean;
}

/** Larger than any agent file that a person would keep. */
const MAX_BYTES = 256 * 1024 * 1024;

interface Report {
  readonly agent: string;
  readonly task_id: string;
  readonly dry_run: boolean;
  /** What the file has of it that has a place in orchd. */
  readonly taken: Readonly<Record<string, number>>;
  /** What the engine has imported, and what it had before. Null with `--dry-run`. */
  readonly imported: Readonly<Record<string, number>> | null;
  readonly skipped: Readonly<Record<string, number>> | null;
  /** The agent of the catalog that was written; null for none. */
  readonly agent_file: string | null;
  readonly tools: readonly { readonly name: string; readonly in_orchd: string | null }[];
  readonly not_taken: readonly string[];
}

export const importLettaCommand: CommandMaker = (group, settings) => {
  group
    .command("letta <file>")
    .description("Import a Letta agent file (.af): its messages as a task, what it knows of the user as facts")
    .requiredOption("--user <user>", "the user whose engine takes it")
    .option("--name <name>", "the agent of the file, when it has several")
    .option("--task <id>", "the id of the task (default: letta- and the agent's name)")
    .option("--catalog <folder>", "write the persona as an agent into this folder, for catalog push")
    .option("--dry-run", "only report what would be taken", false)
    .addHelpText("after", example("orchctl import letta sam.af --user alice --catalog ./catalog --dry-run"))
    .action(async (file: string, options: Options, command) => {
      const session = sessionOf(command, settings);
      const agent = agentOf(readAgentFile(await contentText(file)), options.name);
      const report = await withEngine(
        session,
        options.user,
        (engine) => importAgent(engine, agent, options),
        options.dryRun ? null : `importing into the engine of ${options.user}`,
      );
      session.print.document(report, () => describe(report));
    });
};

async function contentText(file: string): Promise<string> {
  const content = await contentOf(file);
  if (content instanceof Blob && content.size > MAX_BYTES)
    throw new CliFailure("usage", `${file} is larger than ${MAX_BYTES / 1024 ** 2} MiB`);
  return content instanceof Blob ? content.text() : text(content);
}

function agentOf(agents: readonly LettaAgent[], name: string | undefined): LettaAgent {
  const found = name === undefined && agents.length === 1 ? agents[0] : agents.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = agents.map((one) => one.name).join(", ");
  throw new CliFailure("usage", agents.length === 0 ? "the file has no agent" : `--name: expected one of ${names}`);
}

async function importAgent(engine: EngineClient, agent: LettaAgent, options: Options): Promise<Report> {
  const now = new Date().toISOString();
  const own = catalogName(agent.name);
  const { user, dryRun, task: taskId = `letta-${own}` } = options;
  const conversation = conversationRecords(agent, { taskId, now });
  const human = agent.blocks.filter(({ label }) => label === "human").map(({ value }) => value);
  const facts = factRecords(human.join("\n"), now);
  const records = [...conversation.records, ...facts.records];
  const { agents, tools } = await engine.showCatalog();
  const { imported, skipped } =
    dryRun || records.length === 0
      ? { imported: null, skipped: null }
      : await engine.importMemory(memoryFile(records, { user, now }));
  const isInCatalog = agents.some(({ name }) => name === own);
  if (imported !== null && isInCatalog && conversation.records.length > 0)
    await engine.changeTask(taskId, { defaults: { agent: own } });
  const entry = agentEntry(agent);
  const written = entry === null || options.catalog === undefined ? null : join(options.catalog, "agents", `${own}.md`);
  if (written !== null && entry !== null && !dryRun) await writeAgent(written, entry);
  const known = new Set(tools.map(({ name }) => name));
  return {
    agent: agent.name,
    task_id: taskId,
    dry_run: dryRun,
    taken: { ...conversation.taken, facts: facts.records.length },
    imported,
    skipped,
    agent_file: written,
    tools: agent.tools.map((name) => ({ name, in_orchd: COUNTERPARTS.get(name) ?? (known.has(name) ? name : null) })),
    not_taken: [
      ...conversation.left,
      ...(facts.left === 0 ? [] : [`${facts.left} lines about the user without a value`]),
      ...(entry !== null && written === null && !isInCatalog ? ["the persona: --catalog writes it as an agent"] : []),
      ...agent.others.map(({ kind, count }) => `${count} ${kind}`),
      "the system prompt, the model and its settings",
    ],
  };
}

/** An entry that a person may have changed stays. */
async function writeAgent(file: string, entry: string): Promise<void> {
  if (existsSync(file)) return;
  mkdirSync(join(file, ".."), { recursive: true });
  await writeWhole(file, new Blob([entry]).stream());
}

function describe({ agent, task_id, dry_run, taken, imported, skipped, agent_file, tools, not_taken }: Report): string {
  const count = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, number]) => `${number} ${name}`)
      .join(", ") || "nothing";
  const missing = tools.filter((tool) => tool.in_orchd === null).map(({ name }) => name);
  const replaced = tools.filter((tool) => tool.in_orchd !== null).map(({ name, in_orchd: by }) => `${name} → ${by}`);
  return [
    `${safe(agent)}: ${count(taken)}, in the task ${safe(task_id)}`,
    dry_run
      ? "nothing was changed (--dry-run)"
      : `imported ${count(imported ?? {})}; there before ${count(skipped ?? {})}`,
    ...(agent_file === null ? [] : [`agent ${dry_run ? "to be written to" : "in"} ${safe(agent_file)}`]),
    ...(replaced.length === 0 ? [] : [`tools: ${safe(replaced.join(", "))}`]),
    ...(missing.length === 0 ? [] : [`tools that are not there: ${safe(missing.join(", "))}`]),
    `not taken: ${safe(not_taken.join("; "))}`,
  ].join("\n");
}
