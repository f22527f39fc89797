/**
 * Who may set a setting. `daemon`: the operator, for the daemon itself. `operator`: the operator, for every engine.
 * `product`: the operator for every engine, and a product's `engine_env` for its own.
 */
export type SettingScope = "daemon" | "operator" | "product";

export interface SettingRow {
  readonly scope: SettingScope;
  readonly value:
    | { readonly kind: "integer"; readonly min: number; readonly max: number; readonly fallback: number | null }
    | { readonly kind: "integer or auto"; readonly min: number; readonly max: number; readonly fallback: "auto" }
    | { readonly kind: "flag"; readonly fallback: boolean }
    | { readonly kind: "choice"; readonly values: readonly string[]; readonly fallback: string | null }
    | { readonly kind: "text"; readonly fallback: string | null };
  /** The meaning of an unset setting, where `fallback` is null. */
  readonly unset?: string;
  /** Its value is never shown. */
  readonly secret?: true;
  readonly description: string;
}

/** Text without a default. */
export const TEXT = { kind: "text", fallback: null } as const;
