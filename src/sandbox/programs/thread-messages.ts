import type { ThreadRules } from "./restrict-thread.ts";

/** What a thread that starts programs is started with. */
export interface ThreadData {
  readonly sandbox: ThreadRules;
  /** Counts the programs whose identity the main thread has read. */
  readonly identified: Int32Array<SharedArrayBuffer>;
}

/** To the thread. */
export interface SpawnOrder {
  readonly id: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A descriptor of this process for each of the program's, or `ignore`. */
  readonly stdio: readonly ("ignore" | number)[];
}

/** From the thread. */
export type ThreadReport =
  /** Its thread is confined; orders are taken from now on. `listener`: of its supervised sockets, or null. */
  | { readonly kind: "confined"; readonly listener: number | null }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "failed"; readonly id: number; readonly code: string | undefined; readonly message: string }
  | {
      readonly kind: "exited";
      readonly id: number;
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
    };
