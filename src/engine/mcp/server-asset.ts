import type { ServerAsset, ServerToolAsset, ShownDefinition } from "../../contract/engine/tool-server.ts";
import type { PinnedDefinition } from "./tool-definition.ts";
import type { InvalidServer } from "./server-config.ts";
import type { ReconnectingServer } from "./reconnecting-server.ts";
import type { PinnedTool, PinnedTools } from "./pinned-tools.ts";
import type { Deadline } from "../../shared/deadline.ts";

/** One server as in `GET /assets/servers`, without the values of its settings. */
export function serverAsset(
  { server, state, stderrTail }: Pick<ReconnectingServer, "server" | "state" | "stderrTail">,
  { entries }: Pick<PinnedTools, "entries">,
): ServerAsset {
  const held = entries.filter(({ kind }) => kind === "held").length;
  const about = { name: server.name, transport: server.transport, tools: entries.map(toolAsset) };
  const stderr = stderrTail.length > 0 && { stderr: stderrTail };
  switch (state.kind) {
    case "idle":
      return { ...about, status: "idle" };
    case "connecting":
      return { ...about, status: "connecting", ...stderr };
    case "needs_login":
      return { ...about, status: "needs_login", error: "the user has not signed in" };
    case "ready": {
      const { protocolVersion } = state.connection;
      const ready = { ...about, protocol_version: protocolVersion };
      if (held === 0) return { ...ready, status: "ready" };
      return { ...ready, status: "held", error: `${held} changed tools wait to be allowed` };
    }
    case "restarting":
    case "failed":
      return {
        ...about,
        status: state.kind,
        error: state.error,
        next_try_in_s: secondsUntil(state.retry),
        ...stderr,
      };
    default:
      return state satisfies never;
  }
}

/** 0 during an attempt. */
export const secondsUntil = ({ leftMs }: Deadline): number => Math.ceil(leftMs / 1000);

export function invalidServerAsset(name: string, errors: readonly InvalidServer[]): ServerAsset {
  const error = errors.map(({ message }) => message).join("; ");
  return { name, transport: errors[0]?.transport ?? "stdio", status: "failed", tools: [], error };
}

function toolAsset(entry: PinnedTool): ServerToolAsset {
  const { name, tool, permission } = entry;
  if (entry.kind === "left_out") {
    const nothing = { description: "", read_only: false, definition: "" };
    return { name, tool, permission, status: "left_out", ...nothing, reason: entry.reason };
  }
  const now = shown(entry);
  const { input_schema: _, ...brief } = now;
  const about = { name, tool, permission, ...brief };
  if (entry.kind !== "held") return { ...about, status: entry.kind };
  const reason = "its definition changed since it was first seen";
  return { ...about, status: "held", reason, held: { now, was: shown(entry.was) } };
}

const shown = ({ hash, definition: { description, inputSchema, readOnly } }: PinnedDefinition): ShownDefinition => ({
  description,
  read_only: readOnly,
  input_schema: inputSchema,
  definition: hash,
});
