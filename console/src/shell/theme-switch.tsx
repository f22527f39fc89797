import { THEMES, theme } from "./theme.ts";

const LABEL = { system: "System theme", light: "Light theme", dark: "Dark theme" } as const;

export const ThemeSwitch = () => (
  <label class="theme">
    <span class="sr-only">Colours</span>
    <select
      value={theme.value}
      onChange={({ currentTarget }) => {
        theme.value = THEMES.find((name) => name === currentTarget.value) ?? "system";
      }}
    >
      {THEMES.map((name) => (
        <option key={name} value={name}>
          {LABEL[name]}
        </option>
      ))}
    </select>
  </label>
);
