/** Renders the settings table. Run as a program, writes `systemd/orchd.env.example` to standard output. */
import { SETTINGS, type SettingRow } from "../src/contract/settings.ts";

const ROWS = Object.entries<SettingRow>(SETTINGS);
const SCOPES = { daemon: "operator", operator: "operator, for engines", product: "operator, or `engine_env`" } as const;

/** The rows of the documents' table: name, default, who sets it, description with bounds. */
export const settingRows = (): readonly (readonly string[])[] =>
  ROWS.map(([name, row]) => [`\`${name}\``, defaultOf(row), SCOPES[row.scope], describe(row)]);

export const envExample = (): string =>
  `${[
    `# Settings of orchd, with their defaults; a line takes effect without its #. systemd reads this file as root:
#   install -D -m 600 orchd.env.example /etc/orchd/orchd.env
# A change takes effect with \`systemctl restart orchd\`; engines keep the settings they were started with.
`,
    ...linesOf(({ scope }) => scope === "daemon"),
    "\n# For engines. A product's engine_env overrides them, except ORCH_CODE_MAX_TOOL_USE_CONCURRENCY.",
    ...linesOf(({ scope }) => scope !== "daemon"),
  ].join("\n")}\n`;

const linesOf = (isPart: (row: SettingRow) => boolean): string[] =>
  ROWS.filter(([, row]) => isPart(row)).flatMap(([name, row]) => {
    const comment = `${describe(row)}${row.unset === undefined ? "" : `; unset: ${row.unset}`}`;
    return [`# ${comment.replaceAll("`", "")}`, `#${name}=${row.value.fallback ?? ""}`];
  });

const defaultOf = ({ value: { fallback }, unset = "" }: SettingRow): string =>
  fallback === null ? unset : `\`${fallback}\``;

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

if (import.meta.main) process.stdout.write(envExample());
