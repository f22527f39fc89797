import type { Command, Option } from "commander";
import { CliFailure } from "../exit-codes.ts";
import { example } from "../session.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

interface Words {
  /** The commands before, `engines stop`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
}

/** A completion script made from the commands themselves, so that it cannot lag behind them. */
export function completionCommand(program: Command): void {
  program
    .command("completion <shell>")
    .description(`Print a completion script for ${SHELLS.join(", ")}`)
    .addHelpText("after", example("source <(orchctl completion bash)"))
    .action((shell: string) => {
      const script = scriptFor(shell, wordsOf(program, ""));
      process.stdout.write(`${script}\n`);
    });
}

function wordsOf(command: Command, path: string): Words[] {
  const own = command.commands.map((child) => child.name());
  const flags = command.options.flatMap(({ long }: Option) => (long ? [long] : []));
  const below = command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`.trim()));
  return [{ path, words: [...own, ...flags, "--help"] }, ...below];
}

function scriptFor(shell: string, all: readonly Words[]): string {
  switch (shell) {
    case "bash":
      return bash(all);
    case "zsh":
      return `#compdef orchctl\nautoload -U +X bashcompinit && bashcompinit\n${bash(all)}`;
    case "fish":
      return all.flatMap(fish).join("\n");
    default:
      throw new CliFailure("usage", `completion: expected one of ${SHELLS.join(", ")}, got ${JSON.stringify(shell)}`);
  }
}

function bash(all: readonly Words[]): string {
  const cases = all.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`);
  return [
    "_orchctl() {",
    '  local path="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) path="${path:+$path }$word" ;; esac',
    "  done",
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

function fish({ path, words }: Words): string[] {
  const [group, verb] = path.split(" ");
  const seen =
    verb !== undefined
      ? `__fish_seen_subcommand_from ${group}; and __fish_seen_subcommand_from ${verb}`
      : group
        ? `__fish_seen_subcommand_from ${group}`
        : "__fish_use_subcommand";
  return words.map((word) =>
    word.startsWith("--")
      ? `complete -c orchctl -n '${seen}' -l ${word.slice(2)}`
      : `complete -c orchctl -f -n '${seen}' -a ${word}`,
  );
}
