import type { SettingRow } from "../src/contract/settings/settings.ts";

/** The meaning of a setting with its bounds or values, in Markdown. */
export function settingText({ description, value }: SettingRow): string {
  switch (value.kind) {
    case "integer":
      return `${description} (${value.min} to ${value.max})`;
    case "integer or auto":
      return `${description} (${value.min} to ${value.max}, or \`auto\`)`;
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
