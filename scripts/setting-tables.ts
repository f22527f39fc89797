import { SETTINGS, type SettingName, type SettingRow } from "../src/contract/settings/settings.ts";
import type { DocumentTable } from "./document-tables.ts";
import { SETTING_GROUPS } from "./setting-groups.ts";
import { settingText } from "./setting-text.ts";

const FILE = "docs/settings.md";

/** The settings by what they are about. A row has one sentence; what else is to be said stands in a table of notes. */
export function settingTables(): readonly DocumentTable[] {
  assertComplete();
  const groups = Object.entries<readonly SettingName[]>(SETTING_GROUPS);
  const parts = [
    { marker: "notes on settings of the daemon", isPart: ({ scope }: SettingRow) => scope === "daemon" },
    { marker: "notes on settings of engines", isPart: ({ scope }: SettingRow) => scope !== "daemon" },
  ];
  return [
    ...groups.map(([group, names]) => ({
      file: FILE,
      marker: `settings: ${group}`,
      head: ["setting", "default", "meaning"],
      rows: names.map((name) => [`\`${name}\``, defaultOf(name, SETTINGS[name]), splitText(SETTINGS[name]).meaning]),
    })),
    ...parts.map(({ marker, isPart }) => ({
      file: FILE,
      marker,
      head: ["setting", "note"],
      rows: groups
        .flatMap(([, names]) => names)
        .filter((name) => isPart(SETTINGS[name]) && splitText(SETTINGS[name]).note !== "")
        .map((name) => [`\`${name}\``, splitText(SETTINGS[name]).note]),
    })),
  ];
}

/** The first sentence, with the bounds, and the others. */
function splitText(row: SettingRow): { readonly meaning: string; readonly note: string } {
  const { description } = row;
  const end = /[.;] (?=[A-Z`0-9])/.exec(description);
  if (end === null) return { meaning: settingText(row), note: "" };
  const first = description.slice(0, end.index);
  return { meaning: settingText({ ...row, description: first }), note: description.slice(end.index + 2) };
}

/** The unit is in the name: `ORCH_BOOT_TIMEOUT_S` is `60 s`. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_S$/, "s"],
  [/_H$/, "h"],
  [/^ORCH_DISK_RESERVE$/, "MiB"],
];

function defaultOf(name: SettingName, { value: { fallback }, unset = "" }: SettingRow): string {
  if (typeof fallback === "string" || typeof fallback === "boolean") return `\`${fallback}\``;
  const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1];
  return fallback === undefined || unit === undefined ? String(fallback ?? unset) : `${fallback} ${unit}`;
}

function assertComplete(): void {
  const grouped = Object.values<readonly SettingName[]>(SETTING_GROUPS).flat();
  const missing = Object.keys(SETTINGS).filter((name) => !grouped.includes(name as SettingName));
  if (missing.length > 0) throw new Error(`${missing.join(", ")}: name its group in scripts/setting-groups.ts`);
  const twice = grouped.filter((name, at) => grouped.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`${twice.join(", ")}: in two groups of scripts/setting-groups.ts`);
}
