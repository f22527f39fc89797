/** Renders `systemd/orchd.env.example` from the settings. Run as a program, writes the file. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { SETTINGS, type SettingRow, settingNames } from "../src/contract/settings.ts";

const ROWS = Object.entries<SettingRow>(SETTINGS);

export const ENV_EXAMPLE = resolve(import.meta.dirname, "../systemd/orchd.env.example");

export const envExample = (): string =>
  `${[
    `# Settings of orchd, with their defaults; a line takes effect without its #. systemd reads this file as root:
#   install -D -m 600 orchd.env.example /etc/orchd/orchd.env
# A change takes effect with \`systemctl restart orchd\`; engines keep the settings they were started with.
`,
    ...linesOf(({ scope }) => scope === "daemon"),
    `\n# For engines. A product's engine_env overrides them, except ${settingNames("operator").join(", ")}.`,
    ...linesOf(({ scope }) => scope !== "daemon"),
  ].join("\n")}\n`;

const linesOf = (isPart: (row: SettingRow) => boolean): string[] =>
  ROWS.filter(([, row]) => isPart(row)).flatMap(([name, row]) => {
    const comment = `${describe(row)}${row.unset === undefined ? "" : `; unset: ${row.unset}`}`;
    return [`# ${comment.replaceAll("`", "")}`, `#${name}=${row.value.fallback ?? ""}`];
  });

function describe({ description, value }: SettingRow): string {
  switch (value.kind) {
    case "integer":
      return `${description} (${value.min} to ${value.max})`;
    case "flag":
      return `${description} (\`true\` or \`false\`)`;
    case "choice":
      return `${description} (${value.values.map((one) => `\`${one}\``).join(", ")})`;
    case "text":
      return description;
    default:
      return value satisfies never;
  }
}

if (import.meta.main) writeFileSync(ENV_EXAMPLE, envExample());
