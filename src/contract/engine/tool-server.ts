import * as z from "zod/mini";
import { catalogRemarks } from "./catalog.ts";
import { type RecordOf, field, record } from "../record.ts";
import { count, jsonObject, text } from "../response-schemas.ts";

const description = field(text, "What the server says about the tool.", "Reads a page.");
const readOnly = field(z.boolean(), "Whether the server declares the tool read-only.", true);
const hash = field(text, "The hash of this definition, needed to allow it.");

const shownDefinition = record("ShownDefinition", "A definition of a tool.", {
  description,
  read_only: readOnly,
  input_schema: field(jsonObject, "The JSON schema of the tool's input.", { type: "object" }),
  definition: hash,
});
export type ShownDefinition = RecordOf<typeof shownDefinition>;

const serverTool = record("ServerToolAsset", "A tool of a tool server.", {
  name: field(text, "The name that the model uses.", "mcp__pages__read"),
  tool: field(text, "The server's name of the tool.", "read"),
  description,
  read_only: readOnly,
  definition: hash,
  permission: field(
    z.enum(["allow", "ask", "deny"]),
    "What the catalog says: `allow` calls it, `ask` asks the user first.",
    "ask",
  ),
  status: field(
    z.enum(["offered", "held", "denied", "left_out"]),
    "`held`: its definition changed since it was first seen, and must be allowed. `denied`: by the catalog. `left_out`: it cannot be offered to the model.",
    "offered",
  ),
  reason: z.exactOptional(field(text, "Why it is held or left out.")),
  note: z.exactOptional(
    field(
      text,
      "How the model is shown the tool: loaded by tool search, or with another definition than the server's.",
    ),
  ),
  held: z.exactOptional(
    field(
      z.object({
        now: field(shownDefinition, "The current definition."),
        was: field(shownDefinition, "The definition that was first seen, or last allowed."),
      }),
      "The definitions of a held tool.",
    ),
  ),
});
export type ServerToolAsset = RecordOf<typeof serverTool>;

const server = record("ServerAsset", "A tool server, without its settings.", {
  name: field(text, "The name in `.mcp.json`.", "pages"),
  transport: field(z.enum(["stdio", "http", "sse"]), "How the engine reaches it.", "stdio"),
  status: field(
    z.enum(["idle", "connecting", "ready", "held", "needs_login", "restarting", "failed"]),
    "`idle`: its tools are known, and it is connected at the first call. `held`: it is connected, but some tools changed since they were first seen and must be allowed. `needs_login`: the user has not signed in.",
    "ready",
  ),
  tools: field(z.array(serverTool), "Its tools."),
  protocol_version: z.exactOptional(field(text, "The version of MCP that is spoken.", "2025-06-18")),
  error: z.exactOptional(field(text, "Why it is not ready, or which tools are left out.")),
  next_try_in_s: z.exactOptional(field(count, "Seconds until a failed server is retried. 0 during the retry.", 30)),
  stderr: z.exactOptional(
    field(
      z.array(text),
      "The last lines of standard error of a stdio server that is not ready, without the values of its `env`.",
    ),
  ),
});
export type ServerAsset = RecordOf<typeof server>;

/** The bodies of the routes of tool servers. */
export const TOOL_SERVER_RESPONSES = {
  Servers: z
    .object({
      servers: field(z.array(server), "The tool servers. Those with invalid settings come last."),
      errors: z.exactOptional(field(catalogRemarks, "Problems of `.mcp.json`. Omitted without one.")),
    })
    .check(z.meta({ description: "The tool servers of the catalog." })),
  ToolsAllowed: z
    .object({ allowed: field(z.literal(true), "Always `true`.") })
    .check(z.meta({ description: "Changed tools that were allowed." })),
} as const satisfies Record<string, z.ZodMiniType>;
