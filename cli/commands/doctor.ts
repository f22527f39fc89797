import type { HostCheck } from "../../src/client/records.ts";
import { checkAll } from "../checks/check-all.ts";
import { type Printer, safe } from "../output.ts";
import { wrapped } from "../table.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { CliFailure } from "../exit-codes.ts";

const MARKS = { ok: "ok", warning: "warning", problem: "PROBLEM" } as const;
const STYLES = { ok: "green", warning: "yellow", problem: "red" } as const;
const INDENT = 22;
const LEAST_MESSAGE = 20;

export const doctorCommand: CommandMaker = (program, settings) => {
  program
    .command("doctor")
    .description("Check the daemon and its host, and say what to type; also while the daemon is down")
    .addHelpText("after", example("orchctl doctor"))
    .action(async (_options, command) => {
      const session = sessionOf(command, settings);
      const { checks } = await checkAll(session);
      const problems = checks.filter(({ status }) => status === "problem").length;
      if (session.print.json) session.print.record({ checks });
      else for (const check of checks) showCheck(session.print, check);
      if (problems > 0)
        throw new CliFailure("unexpected", problems === 1 ? "1 problem" : `${problems} problems`, "PROBLEMS");
    });
};

/** Prints a check, with its fix below. The fix is not wrapped, so that it can be copied. */
function showCheck(print: Printer, { name, status, message, fix }: HostCheck): void {
  const columns = print.columns();
  const isNarrow = columns !== null && columns < INDENT + LEAST_MESSAGE;
  const indent = isNarrow ? 2 : INDENT;
  print.write(MARKS[status].padEnd(9), STYLES[status]);
  print.write(isNarrow ? `${safe(name)}\n  ` : safe(name).padEnd(INDENT - 9));
  print.line(columns === null ? safe(message) : wrapped(safe(message), { columns, indent }));
  if (fix !== null) print.line(`${" ".repeat(indent)}${safe(fix)}`, "cyan");
}
