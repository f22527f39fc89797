import { plainText } from "../src/contract/meaning.ts";
import { SETTINGS, type SettingRow, settingNames } from "../src/contract/settings/settings.ts";
import { settingText } from "./setting-text.ts";

const ROWS = Object.entries<SettingRow>(SETTINGS);

/** The file `systemd/orchd.env.example`. */
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
    const comment = `${settingText(row)}${row.unset === undefined ? "" : `; unset: ${row.unset}`}`;
    return [`# ${plainText(comment)}`, `#${name}=${row.value.fallback ?? ""}`];
  });
