import {
  type GetPromptResult,
  type ListPromptsResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { CatalogEntry, EngineCalls } from "../engine-calls.ts";

/** What a prompt is made of: an agent of the catalog, or a skill of its agents. */
interface Offer extends CatalogEntry {
  readonly prompt: string;
  readonly title: string;
  /** What the client's model is told to do with the request. */
  readonly instruction: string;
}

const REQUEST = "request";

/**
 * Offers the agents and skills of the catalog as prompts. Their own texts stay in the engine: a prompt tells the client's
 * model how to ask for them.
 */
export function addPrompts({ server }: McpServer, calls: EngineCalls): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: offersOf(calls).map(promptOf) }));
  server.setRequestHandler("prompts/get", ({ params }) => getPrompt(calls, params));
}

const offersOf = (calls: EngineCalls): readonly Offer[] => [
  ...calls.agents().map(({ name, description }) => ({
    name,
    description,
    prompt: `agent-${name}`,
    title: `Ask the agent ${name}`,
    instruction: `Call the tool ask with agent "${name}" and this message:`,
  })),
  ...calls.skills().map(({ name, description }) => ({
    name,
    description,
    prompt: `skill-${name}`,
    title: `Use the skill ${name}`,
    instruction: `Call the tool ask with this message:\n\nUse your skill ${name}.`,
  })),
];

const promptOf = ({ prompt, title, description }: Offer): ListPromptsResult["prompts"][number] => ({
  name: prompt,
  title,
  description: description === "" ? title : description,
  arguments: [{ name: REQUEST, description: "What the agent is asked to do.", required: true }],
});

function getPrompt(
  calls: EngineCalls,
  {
    name,
    arguments: given = {},
  }: { readonly name: string; readonly arguments?: Readonly<Record<string, string>> | undefined },
): GetPromptResult {
  const offer = offersOf(calls).find(({ prompt }) => prompt === name);
  if (offer === undefined) throw invalid(`name: there is no prompt ${name.slice(0, 100)}; prompts/list has them`);
  const request = Object.hasOwn(given, REQUEST) ? given[REQUEST] : undefined;
  if (request === undefined || request === "")
    throw invalid(`arguments.${REQUEST}: expected what the agent is asked to do`);
  const text = `${offer.instruction}\n\n${request}`;
  return { description: offer.title, messages: [{ role: "user", content: { type: "text", text } }] };
}

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
