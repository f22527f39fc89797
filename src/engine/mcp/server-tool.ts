import type { Tool } from "../tools/tool.ts";
import type { PinnedTool } from "./pinned-tools.ts";

/** A server's tool as an agent tool. The server validates the input: compiling its schema would run untrusted input. */
export function serverTool(
  server: string,
  { name, permission, definition }: Extract<PinnedTool, { kind: "offered" | "denied" }>,
  run: Tool["run"],
): Tool {
  const { description, inputSchema, readOnly } = definition;
  const resource = `server:${server}`;
  return {
    name,
    description: description === "" ? `A tool of ${server}.` : description,
    input: { jsonSchema: inputSchema, check: checkObject },
    source: resource,
    readOnly,
    permission: permission === "allow" ? "allow" : "ask",
    resources: () => (readOnly ? [] : [resource]),
    reads: () => (readOnly ? [resource] : []),
    // A grant covers the tool, because the input of calls differs.
    subject: () => `the tool server ${server}, with any arguments`,
    prolongedByProgress: true,
    run,
  };
}

const checkObject: Tool["input"]["check"] = (input) =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? { kind: "valid", input: input as Readonly<Record<string, unknown>> }
    : { kind: "invalid", message: "invalid arguments: expected a JSON object" };
