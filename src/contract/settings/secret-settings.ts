import { type SettingRow, TEXT } from "./setting-row.ts";

/** Settings of the vault. */
export const SECRET_SETTINGS = {
  ORCH_SECRET_KEY_PREVIOUS: {
    scope: "daemon",
    value: TEXT,
    unset: "the file `secret-key.previous` of the data folder, if there is one",
    secret: true,
    description:
      "The `ORCH_SECRET_KEY` before, which opens what is not yet encrypted [again](secrets.md#rotate-the-secret-key)",
  },
  ORCH_SECRETS_DIR: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description: "The folder whose files are values of [secrets](secrets.md#values-from-elsewhere) with `file:NAME`",
  },
  ORCH_SECRETS_COMMAND: {
    scope: "daemon",
    value: TEXT,
    unset: "none",
    description:
      "The command that prints values of [secrets](secrets.md#values-from-elsewhere) with `command:KEY`: an absolute path and arguments, separated by spaces; the key is the last one",
  },
} satisfies Readonly<Record<string, SettingRow>>;
