import { type Destructive, confirm, destructive } from "../confirm.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";
import { ago } from "../times.ts";

const listCommand: CommandMaker = (group, settings) => {
  group
    .command("list <user>")
    .alias("ls")
    .description("List a user's logins at tool servers")
    .addHelpText("after", example("orchctl connections list alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const found = await client.platform((orchestrator) => orchestrator.connections(user), { user });
      const now = Date.now();
      const rows = found.data.map((one) => [
        one.server,
        one.state,
        one.scopes.join(" "),
        one.issuer,
        ago(one.connected_at, now),
        ago(one.last_used_at, now),
      ]);
      print.document(found, (wide) => table(["SERVER", "STATE", "SCOPES", "ISSUER", "SINCE", "USED"], rows, wide));
    });
};

const connectCommand: CommandMaker = (group, settings) => {
  group
    .command("connect <user> <server>")
    .description("Make a link with which the user signs in to a tool server of the catalog")
    .addHelpText("after", example("orchctl connections connect alice tickets"))
    .action(async (user: string, server: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const link = await client.platform((orchestrator) => orchestrator.connect(user, server), { user });
      print.document(link, () => `For ${safe(user)} alone, until ${link.expires_at}:\n  ${safe(link.url)}`);
    });
};

const deleteCommand: CommandMaker = (group, settings) => {
  destructive(group.command("delete <user> <server>"))
    .alias("rm")
    .description("End a user's login at a tool server, there too")
    .addHelpText("after", example("orchctl connections delete alice tickets"))
    .action(async (user: string, server: string, { yes }: Destructive, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      await confirm(`Delete the login at ${safe(server)}?`, { yes, context: { user, url: found.url } });
      const ended = await client.platform((orchestrator) => orchestrator.disconnect(user, server), { user });
      const there = ended.revoked
        ? "and ended there"
        : "but not ended there: the authorization server does not offer it, or has not done it yet";
      print.document(ended, () => `deleted the login at ${safe(server)}, ${there}`);
    });
};

export const CONNECTION_COMMANDS: readonly CommandMaker[] = [listCommand, connectCommand, deleteCommand];
