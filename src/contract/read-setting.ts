import type { EnvironmentReader } from "../shared/environment.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

type Rows = typeof SETTINGS;
type Value<Name extends SettingName> = Rows[Name]["value"];
type NamesOf<Kind extends string> = {
  [Name in SettingName]: Value<Name> extends { readonly kind: Kind } ? Name : never;
}[SettingName];

/** Reads a setting by the bounds of its row. Null when it is unset and its row has no fallback. */
export function readInteger<Name extends NamesOf<"integer">>(
  read: EnvironmentReader,
  name: Name,
): number | Extract<Value<Name>["fallback"], null> {
  const { min, max, fallback }: { min: number; max: number; fallback: number | null } = SETTINGS[name].value;
  if (fallback === null && read.text(name) === undefined) return null as Extract<Value<Name>["fallback"], null>;
  return read.integer(name, fallback ?? min, { min, max });
}

export const readFlag = (read: EnvironmentReader, name: NamesOf<"flag">): boolean =>
  read.flag(name, SETTINGS[name].value.fallback);
