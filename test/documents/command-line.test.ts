import type { Command } from "commander";
import t from "tap";
import { EXIT_CODES } from "../../cli/exit-codes.ts";
import { createProgram } from "../../cli/program.ts";
import { readSettings } from "../../cli/settings.ts";
import { codesOf, namesIn, tableRows } from "./documents.ts";

const FILE = "docs/command-line.md";
const program = createProgram(readSettings(), () => undefined);

/** Each command with its arguments, as it is typed, and the flags of its options. */
function leaves(command: Command, path: readonly string[] = []): readonly (readonly [string, readonly string[]])[] {
  if (command.commands.length > 0) return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[[...path, ...words].join(" "), command.options.map(({ flags }) => flags)]];
}

t.test("the commands and their options are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "commands").map(([command, , options]) => [codesOf(command)[0], codesOf(options)]);
  t.same(rows, leaves(program));
});

t.test("the global options are those of the code, both ways", async (t) => {
  t.same([...namesIn(FILE, "global options")].sort(), program.options.map(({ flags }) => flags).sort());
});

t.test("the exit codes are the table in the code, both ways", async (t) => {
  t.same(
    tableRows(FILE, "exit codes"),
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
  );
});
