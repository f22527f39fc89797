import type { SessionRecord } from "../../src/client/records.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

export const sessionListCommand: CommandMaker = (sessions, settings) => {
  sessions
    .command("list")
    .description("List the open sessions of the console")
    .addHelpText("after", example("orchctl sessions list"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const data = await client.admin((admin) => Array.fromAsync(admin.listSessions()));
      print.document({ data, next_cursor: null }, (columns) => describe(data, columns));
    });
};

export const sessionRevokeCommand: CommandMaker = (sessions, settings) => {
  sessions
    .command("revoke <session>")
    .description("End a session of the console: its next call is refused, and its streams end")
    .addHelpText("after", example("orchctl sessions revoke ses_0190a6b2-…"))
    .action(async (id: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const ended = await client.admin((admin) => admin.endSession(id));
      print.document(ended, () => `${safe(id)} has ended`);
    });
};

const personOf = ({ person }: SessionRecord): string | null =>
  person === null ? null : (person.email ?? person.name ?? person.subject);

const describe = (data: readonly SessionRecord[], columns: number | null): string =>
  data.length === 0
    ? "nobody is signed in"
    : table(
        ["ID", "PERSON", "ROLE", "OPENED BY", "LAST USED", "EXPIRES"],
        data.map((one) => [one.id, personOf(one), one.role, one.opened_by, one.last_used_at, one.expires_at]),
        columns,
      );
