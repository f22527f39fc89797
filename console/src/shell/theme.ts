import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = "orchd-theme";

const stored = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(STORED_AS)) ?? "system";

/** The colour scheme that the user chose. `system` follows the browser. */
export const theme = signal<Theme>(stored());

export function applyTheme(): void {
  effect(() => {
    document.documentElement.style.colorScheme = theme.value === "system" ? "" : theme.value;
    if (theme.value === "system") localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme.value);
  });
}
