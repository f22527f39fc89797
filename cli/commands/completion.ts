import { Argument, type Command, type Option } from "commander";
import { emit } from "../output.ts";
import { type CommandMaker, example } from "../session.ts";

const SCRIPTS = { bash, zsh, fish } as const satisfies Record<string, (commands: readonly CommandWords[]) => string>;

interface Word {
  readonly word: string;
  readonly description: string;
}

/** The completions after a command: its subcommands and options. */
interface CommandWords {
  /** `engines stop`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** The options that take a value. */
  readonly valued: readonly string[];
}

/** Prints a completion script generated from the commands. */
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

function wordsOf(command: Command, path: string, global: readonly Option[]): readonly CommandWords[] {
  const options = [...new Set([...command.options, ...global])];
  const own: CommandWords = {
    path,
    commands: command.commands.flatMap((child) =>
      [child.name(), ...child.aliases()].map((word) => ({ word, description: child.description() })),
    ),
    options: [
      ...options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
      { word: "--help", description: "show help" },
    ],
    valued: options.flatMap(({ long, required }) => (long && required ? [long] : [])),
  };
  const below = (child: Command) =>
    [child.name(), ...child.aliases()].flatMap((name) => wordsOf(child, `${path} ${name}`.trim(), global));
  return [own, ...command.commands.flatMap(below)];
}

function bash(all: readonly CommandWords[]): string {
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
    "  # The value of an option: complete files.",
    '  if [ -n "$skip" ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); return; fi',
    "  # Arguments follow a command's name: remove words until a command is left.",
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

function zsh(all: readonly CommandWords[]): string {
  return `#compdef orchctl\n(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\nautoload -Uz bashcompinit && bashcompinit\n${bash(all)}`;
}

function fish(all: readonly CommandWords[]): string {
  return ["complete -c orchctl -f", ...all.flatMap(fishLines)].join("\n");
}

function fishLines({ path, commands, options, valued }: CommandWords): readonly string[] {
  const names = path === "" ? [] : path.split(" ");
  const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
  // The commands of a group are offered until one is typed.
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
