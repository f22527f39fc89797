import { Command } from "commander";
import { EXIT_CODES } from "../cli/exit-codes.ts";
import { fieldOptions } from "../cli/policy-field-options.ts";
import { createProgram } from "../cli/program.ts";
import { readSettings } from "../cli/settings.ts";
import { addShortForms } from "../cli/short-forms.ts";
import { type TypedCommand, commandsByGroup, optionsOf } from "./command-groups.ts";
import type { DocumentTable } from "./document-tables.ts";

const FILE = "docs/command-line.md";
const settings = readSettings("/");

/** The tables of the documentation of `orchctl`. */
export function commandTables(): readonly DocumentTable[] {
  const shortForms = addShortForms(new Command(), settings);
  const full = createProgram(settings, () => undefined).commands.filter((command) => !shortForms.has(command.name()));
  const groups = [...commandsByGroup(full)];
  return [
    ...groups.map(([group, commands]) => ({
      file: FILE,
      marker: `commands: ${group.toLowerCase()}`,
      head: ["command", "purpose"],
      rows: commands.map(({ typed, command }) => [`\`${typed}\``, command.description()]),
    })),
    {
      file: FILE,
      marker: "options of commands",
      head: ["command", "options"],
      rows: groups
        .flatMap(([, commands]) => commands)
        .filter(({ command }) => command.options.length > 0)
        .map((command) => [`\`${nameOf(command)}\``, optionsOf(command).join(", ")]),
    },
    {
      file: FILE,
      marker: "options of a policy",
      head: ["option", "meaning"],
      rows: fieldOptions().flatMap(({ options }) =>
        options.map(({ flags, description }) => [`\`${flags}\``, description]),
      ),
    },
    {
      file: FILE,
      marker: "short forms",
      head: ["short form", "full form"],
      rows: [...shortForms].map(([short, long]) => [`\`${short}\``, `\`${long}\``]),
    },
    {
      file: FILE,
      marker: "exit codes",
      head: ["exit code", "meaning"],
      rows: Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
    },
  ];
}

/** Without its arguments, which the table of commands has. */
const nameOf = ({ typed }: TypedCommand): string => typed.replace(/ [<[].*$/, "");
