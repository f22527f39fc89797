import type { Tool } from "../tools/tool.ts";
import type { PinnedTool } from "./pinned-tools.ts";

/**
 * A server's tool as the agent has it. Its input is checked by the server, which answers with what is wrong: to run
 * schemas from outside against it here would run what a stranger wrote.
 */
export function serverTool(
  server: string,
  { name, permission, definition }: Extract<PinnedTool, { kind: "offered" | "denied" }>,
  run: Tool["run"],
): Tool {
  const { description, inputSchema, readOnly } = definition;
  const place = `server:${server}`;
  return {
    name,
    description: description === "" ? `A tool of ${server}.` : description,
    input: { jsonSchema: inputSchema, check: checkObject },
    source: place,
    readOnly,
    permission: permission === "allow" ? "allow" : "ask",
    resources: () => (readOnly ? [] : [place]),
    reads: () => (readOnly ? [place] : []),
    // A grant is for the tool: no two calls have the same words in their input.
    subject: () => `the tool server ${server}, with any arguments`,
    prolongedByProgress: true,
    run,
  };
}

const checkObject: Tool["input"]["check"] = (input) =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? { kind: "valid", input: input as Readonly<Record<string, unknown>> }
    : { kind: "invalid", words: "invalid arguments: expected a JSON object" };
