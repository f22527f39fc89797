import { Option } from "commander";
import { SESSION_ROLES, type SessionRole } from "../../src/contract/console/session-limits.ts";
import { openBrowser } from "../open-browser.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly open: boolean;
  readonly role: SessionRole;
}

export const consoleCommand: CommandMaker = (program, settings) => {
  program
    .command("console")
    .description("Open the console in the browser, signed in; print its link, which works once and for a minute")
    .addOption(new Option("--role <role>", "what the session may do").choices(SESSION_ROLES).default("admin"))
    .option("--no-open", "only print the link")
    .addHelpText("after", example("orchctl console --role viewer"))
    .action(async ({ open, role }: Options, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      const link = await client.admin((admin) => admin.createLink({ role }));
      const url = addressOf(link.url, found.url);
      const opened = open && !print.json && (await openBrowser(found, url));
      print.document({ url, role: link.role, expires_at: link.expires_at }, () => url);
      print.note(opened ? "opened in the browser" : "open it within a minute; it works once");
    });
};

/** A daemon without a public URL names only the path. */
const addressOf = (url: string, base: string): string => (url.startsWith("/") ? base.replace(/\/+$/, "") + url : url);
