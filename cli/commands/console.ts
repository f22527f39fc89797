import { openBrowser } from "../open-browser.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly open: boolean;
  readonly readOnly: boolean;
}

export const consoleCommand: CommandMaker = (program, settings) => {
  program
    .command("console")
    .description("Open the console in the browser, signed in; print its link, which works once and for a minute")
    .option("--read-only", "sign in to look only", false)
    .option("--no-open", "only print the link")
    .addHelpText("after", example("orchctl console --read-only"))
    .action(async ({ open, readOnly }: Options, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      const link = await client.admin((admin) => admin.createLink({ role: readOnly ? "read_only" : "admin" }));
      const url = addressOf(link.url, found.url);
      const opened = open && !print.json && (await openBrowser(found, url));
      print.document({ url, role: link.role, expires_at: link.expires_at }, () => url);
      print.note(opened ? "opened in the browser" : "open it within a minute; it works once");
    });
};

/** A daemon without a public URL names only the path. */
const addressOf = (url: string, base: string): string => (url.startsWith("/") ? base.replace(/\/+$/, "") + url : url);
