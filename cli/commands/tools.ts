import type { ServerAsset } from "../../src/client/records.ts";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

export const toolsListCommand: CommandMaker = (tools, settings) => {
  tools
    .command("list <user>")
    .description("List an engine's tool servers and their tools, with what is held back and why")
    .addHelpText("after", example("orchctl tools list alice"))
    .action(async (user: string, _options, command) => {
      const session = sessionOf(command, settings);
      const servers = await withEngine(session, user, (engine) => engine.servers());
      session.print.document({ servers }, (columns) =>
        servers.length === 0
          ? "no tool servers"
          : [
              table(["TOOL", "STATUS", "PERMISSION", "SERVER"], servers.flatMap(rowsOf), columns),
              ...remarksOf(servers),
            ].join("\n"),
      );
    });
};

/** A server without tools is a row too. */
const rowsOf = ({ name, status, tools }: ServerAsset): readonly (readonly (string | null)[])[] =>
  tools.length === 0
    ? [[null, status, null, name]]
    : tools.map((tool) => [tool.tool, tool.status, tool.permission, name]);

/** Why a server is not ready, why a tool is not offered, and how a held one has changed. */
const remarksOf = (servers: readonly ServerAsset[]): readonly string[] =>
  servers.flatMap(({ name, error, tools }) => [
    ...(error === undefined ? [] : [`${safe(name)}: ${safe(error)}`]),
    ...tools.flatMap(({ tool, reason, held }) => [
      ...(reason === undefined ? [] : [`${safe(name)} ${safe(tool)}: ${safe(reason)}`]),
      ...(held === undefined ? [] : [`  was: ${safe(held.was.description)}`, `  now: ${safe(held.now.description)}`]),
    ]),
  ]);

export const toolsAllowCommand: CommandMaker = (tools, settings) => {
  tools
    .command("allow <user> <server> [tool]")
    .description("Accept a changed tool of a tool server with its definition of now; without a tool, all of the server")
    .addHelpText("after", example("orchctl tools allow alice files read_file"))
    .action(async (user: string, server: string, tool: string | undefined, _options, command) => {
      const session = sessionOf(command, settings);
      await withEngine(session, user, async (engine) => {
        const held = tool === undefined ? {} : await heldTool(engine, { server, tool });
        await engine.allowTools({ server, ...held });
      });
      const what = tool === undefined ? `the held tools of ${safe(server)} are` : `${safe(tool)} of ${safe(server)} is`;
      session.print.document({ allowed: true }, () => `${what} allowed`);
    });
};

/** Allows a tool by the hash of its definition, so that a later change is held again. */
async function heldTool(
  engine: EngineClient,
  { server, tool }: { readonly server: string; readonly tool: string },
): Promise<{ readonly tool: string; readonly definition: string }> {
  const tools = (await engine.servers()).find(({ name }) => name === server)?.tools ?? [];
  const held = tools.filter(({ status }) => status === "held");
  const found = held.find((one) => one.tool === tool || one.name === tool);
  if (found !== undefined) return { tool: found.tool, definition: found.held?.now.definition ?? found.definition };
  const known = held.length === 0 ? "none is" : held.map((one) => safe(one.tool)).join(", ");
  throw new CliFailure("notFound", `${safe(server)} has no held tool ${safe(tool)}; held: ${known}`, "NOT_FOUND");
}
