import { type Destructive, confirm, destructive } from "../confirm.ts";
import type { Profile } from "../../src/client/records.ts";
import { withEngine } from "../connect-engine.ts";
import { safe } from "../output.ts";
import { table } from "../table.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const memoryProfileCommand: CommandMaker = (memory, settings) => {
  memory
    .command("profile <user>")
    .description("Show the profile page of a user")
    .addHelpText("after", example("orchctl memory profile alice"))
    .action(async (user: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const profile = await withEngine(session, user, (engine) => engine.profile());
      session.print.document(profile, (columns) => describe(profile, columns));
    });
};

export const memoryCorrectCommand: CommandMaker = (memory, settings) => {
  memory
    .command("correct <user> <line> <text...>")
    .description("Correct a line of the profile page; learning does not change it afterwards")
    .addHelpText("after", example('orchctl memory correct alice pl_0198c1b2-… "Lives in Paris."'))
    .action(async (user: string, id: string, words: readonly string[], _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const line = await withEngine(session, user, (engine) => engine.correctProfileLine(id, words.join(" ")));
      session.print.document(line, () => `${safe(line.id)} now says: ${safe(line.text)}`);
    });
};

export const memoryForgetCommand: CommandMaker = (memory, settings) => {
  destructive(memory.command("forget <user> <line>"))
    .description("Delete a line of the profile page, and end the facts that it says")
    .addHelpText("after", example("orchctl memory forget alice pl_0198c1b2-…"))
    .action(async (user: string, id: string, { yes }: Destructive, command) => {
      const session = sessionOf(command, settings);
      const context = { user, url: session.settings.url };
      await confirm(`Delete the line ${safe(id)}, and end the facts that it says?`, { yes, context });
      await withEngine(session, user, (engine) => engine.deleteProfileLine(id));
      session.print.document({ id, deleted: true }, () => `${safe(id)} is deleted`);
    });
};

function describe({ lines, bytes, max_bytes: max }: Profile, columns: number | null): string {
  if (lines.length === 0) return "nothing yet";
  const rows = lines.map(({ section, text, origin, sources, id }) => [
    section,
    text,
    origin,
    String(sources.length),
    id,
  ]);
  return `${table(["SECTION", "TEXT", "BY", "ROUNDS", "ID"], rows, columns)}\n${bytes} of ${max} bytes`;
}
