import type { LettaAgent } from "./read-agent-file.ts";

/** The blocks that say who the agent is. The block `human` is about the user. */
export const HUMAN = "human";

/** A name as the catalog takes it. */
export const catalogName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64) || "letta-agent";

/** An agent of the catalog with the persona and the other blocks as its instructions. Null without any. */
export function agentEntry({ name, description, blocks }: LettaAgent): string | null {
  const own = blocks.filter(({ label, value }) => label !== HUMAN && value.trim() !== "");
  if (own.length === 0) return null;
  const text = own
    .map(({ label, value }) => (label === "persona" ? value.trim() : `# ${label}\n\n${value.trim()}`))
    .join("\n\n");
  const shown = description.replaceAll(/\s+/g, " ").trim() || `The agent ${name}, imported from Letta.`;
  return `---\nname: ${catalogName(name)}\ndescription: ${JSON.stringify(shown)}\n---\n${text}\n`;
}
