import type { ToolSandbox } from "./restrict-tools.ts";

/** What a tool thread is started with. */
export interface ThreadData {
  readonly sandbox: ToolSandbox;
  /** Counts the programs whose identity the engine has read. */
  readonly identified: Int32Array<SharedArrayBuffer>;
}

/** From the engine to its tool thread. */
export interface SpawnOrder {
  readonly id: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A descriptor of the engine's process for each of the program's, or `ignore`. */
  readonly stdio: readonly ("ignore" | number)[];
}

/** From the tool thread to the engine. */
export type ThreadReport =
  /** Its thread is confined; orders are taken from now on. */
  | { readonly kind: "confined" }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "failed"; readonly id: number; readonly code: string | undefined; readonly message: string }
  | {
      readonly kind: "exited";
      readonly id: number;
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
    };
