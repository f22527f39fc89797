import { basename } from "node:path";
import type { JsonLines } from "../../shared/json-lines.ts";
import { BadEntry } from "./catalog-entry.ts";
import type { CommandAction } from "./tool-action.ts";

const INTERPRETER = /^(?:(?:a|ba|da|fi|k|z)?sh|python[\d.]*|node|perl|php|ruby)$/;
/** The option whose value is a script, such as `-c`, `-ec` or `--eval`. */
const SCRIPT_OPTION = /^(?:-[a-z]*[cepr]|--eval|--print|--run)$/i;
/** The same with the script in one argument: `-c…`, `--eval=…`. */
const OPTION_WITH_SCRIPT = /^(?:-[a-z]*[cepr]|--eval=|--print=|--run=).*\{\{/is;

/** Throws {@link BadEntry} for a placeholder in a script of an argument: an interpreter would run the value. */
export function requirePlainScripts(argv: CommandAction["argv"], { lineOf }: Pick<JsonLines, "lineOf">): void {
  const all = argv.flatMap((element, at) => [element].flat().map((text) => ({ text, at })));
  const first = all.findIndex(({ text }) => INTERPRETER.test(basename(text)));
  if (first === -1) return;
  const behind = all.slice(first + 1);
  const found = behind.find(
    ({ text }, at) =>
      text.includes("{{") && (SCRIPT_OPTION.test(behind[at - 1]?.text ?? "") || OPTION_WITH_SCRIPT.test(text)),
  );
  if (found === undefined) return;
  const message = `command.argv.${found.at}: a placeholder in a script would be run: expected it in an argument after the script`;
  throw new BadEntry(message, lineOf(["command", "argv", String(found.at)]));
}
