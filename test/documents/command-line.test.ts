import { Command } from "commander";
import t from "tap";
import { EXIT_CODES } from "../../cli/exit-codes.ts";
import { createProgram } from "../../cli/program.ts";
import { readSettings } from "../../cli/settings.ts";
import { addShortForms } from "../../cli/short-forms.ts";
import { codesOf, namesIn, tableIs, tableRows } from "./documents.ts";

const FILE = "docs/command-line.md";
const program = createProgram(readSettings("/"), () => undefined);
const shortForms = addShortForms(new Command(), readSettings("/"));

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
  const full = program.commands.filter((command) => !shortForms.has(command.name()));
  t.same(
    rows,
    full.flatMap((command) => leaves(command, [command.name()])),
    tableIs(FILE, "commands", "the commands of cli/, with their options"),
  );
});

t.test("the short forms are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "short forms").map(([short, full]) => [codesOf(short)[0], codesOf(full)[0]]);
  t.same(rows, [...shortForms], tableIs(FILE, "short forms", "cli/short-forms.ts"));
});

t.test("the global options are those of the code, both ways", async (t) => {
  const flags = program.options.map((option) => option.flags).sort();
  t.same([...namesIn(FILE, "global options")].sort(), flags, tableIs(FILE, "global options", "cli/program.ts"));
});

t.test("the exit codes are the table in the code, both ways", async (t) => {
  t.same(
    tableRows(FILE, "exit codes"),
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
    tableIs(FILE, "exit codes", "cli/exit-codes.ts"),
  );
});
