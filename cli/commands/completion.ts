import { Argument, type Command, type Option } from "commander";
import { emit } from "../output.ts";
import { type CommandMaker, example } from "../session.ts";

const SCRIPTS = { bash, zsh, fish } as const satisfies Record<string, (commands: readonly Words[]) => string>;

interface Word {
  readonly word: string;
  readonly description: string;
}

/** One command, and what may follow it. */
interface Words {
  /** `engines stop`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Those of its options that take a value. */
  readonly valued: readonly string[];
}

/** Prints a completion script made from the commands themselves, so that it cannot lag behind them. */
export const completionCommand: CommandMaker = (program) => {
  const shells = Object.keys(SCRIPTS);
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell to complete in").choices(shells))
    .description(`Print a completion script for ${shells.join(", ")}`)
    .addHelpText("after", example("source <(orchctl completion bash)"))
    .action((shell: keyof typeof SCRIPTS) => {
      emit(process.stdout, `${SCRIPTS[shell](wordsOf(program, "", program.options))}\n`);
    });
};

function wordsOf(command: Command, path: string, global: readonly Option[]): readonly Words[] {
  const options = [...new Set([...command.options, ...global])];
  const own: Words = {
    path,
    commands: command.commands.map((child) => ({ word: child.name(), description: child.description() })),
    options: [
      ...options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
      { word: "--help", description: "what is expected" },
    ],
    valued: options.flatMap(({ long, required }) => (long && required ? [long] : [])),
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`.trim(), global))];
}

function bash(all: readonly Words[]): string {
  const valued = [...new Set(all.flatMap((command) => command.valued))].join("|");
  const cases = all.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ word }) => word).join(" ");
    return `    "${path}") words="${words}" ;;`;
  });
  return [
    "_orchctl() {",
    '  local path="" skip="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    if [ -n "$skip" ]; then skip=""; continue; fi',
    '    case "$word" in',
    `      ${valued}) skip=1 ;;`,
    "      -*) ;;",
    '      *) path="${path:+$path }$word" ;;',
    "    esac",
    "  done",
    "  # The value of an option: files, as ever.",
    '  if [ -n "$skip" ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); return; fi',
    "  # Behind a command's name come its arguments: cut them off until a command is left.",
    '  while [ -n "$path" ]; do case "$path" in',
    ...all.filter(({ path }) => path !== "").map(({ path }) => `    "${path}") break ;;`),
    '    *" "*) path="${path% *}" ;;',
    '    *) path="" ;;',
    "  esac; done",
    '  case "$path" in',
    ...cases,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    "}",
    "complete -F _orchctl orchctl",
  ].join("\n");
}

function zsh(all: readonly Words[]): string {
  return `#compdef orchctl\n(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\nautoload -Uz bashcompinit && bashcompinit\n${bash(all)}`;
}

function fish(all: readonly Words[]): string {
  return ["complete -c orchctl -f", ...all.flatMap(fishLines)].join("\n");
}

function fishLines({ path, commands, options, valued }: Words): readonly string[] {
  const names = path === "" ? [] : path.split(" ");
  const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
  // A group's verbs are offered until one of them is there.
  const verbs = commands.map(({ word }) => word).join(" ");
  const here = names.length === 0 ? "__fish_use_subcommand" : seen.join("; and ");
  const verbless = names.length === 0 ? here : `${here}; and not __fish_seen_subcommand_from ${verbs}`;
  return [
    ...commands.map(
      ({ word, description }) => `complete -c orchctl -n '${verbless}' -a ${word} -d ${quoted(description)}`,
    ),
    ...options.map(({ word, description }) => {
      const value = valued.includes(word) ? " -r -F" : "";
      return `complete -c orchctl -n '${here}' -l ${word.slice(2)}${value} -d ${quoted(description)}`;
    }),
  ];
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
