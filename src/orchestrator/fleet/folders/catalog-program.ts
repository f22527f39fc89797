import { execa } from "execa";
import { ARCHIVE } from "../../../contract/orchestrator/catalog-limits.ts";
import { type CatalogCheck, type TriedCall, catalogCheck } from "../../../contract/orchestrator/catalog.ts";
import { untrustedText } from "../../../shared/untrusted-text.ts";

const DEADLINE_MS = 30_000;
/** V8's heap of the program, in MiB. */
const HEAP_MB = 256;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface CatalogProgramSettings {
  readonly nodePath: string;
  /** The program `engine/catalog-check`. */
  readonly program: string;
  /** Whether the kernel can confine it. */
  readonly confine: boolean;
  /** The paths that tools may read. */
  readonly readable: readonly string[];
  readonly signal: AbortSignal;
}

/** Unpacks and checks an archive in a separate process. An archive that exceeds its time or memory is invalid. */
export async function runCatalogProgram(
  { nodePath, program, confine, readable, signal }: CatalogProgramSettings,
  archive: Uint8Array,
  { target, tried }: { readonly target: string; readonly tried: TriedCall | null },
): Promise<CatalogCheck> {
  const order = JSON.stringify({ target, confine, readable, tried });
  const ended = await execa(nodePath, [`--max-old-space-size=${HEAP_MB}`, program, order], {
    cwd: "/",
    env: {},
    extendEnv: false,
    input: archive,
    maxBuffer: MAX_ANSWER_BYTES,
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
    cancelSignal: signal,
    reject: false,
  });
  signal.throwIfAborted();
  if (!ended.failed) return catalogCheck.parse(JSON.parse(ended.stdout));
  if (ended.timedOut) return invalid(`it could not be checked within ${DEADLINE_MS / 1000} s`);
  // V8 ends the program when its heap is full.
  if (ended.signal === "SIGABRT" || ended.isMaxBuffer) return invalid("it takes too much memory to be checked");
  throw new Error(
    `the catalog could not be checked: ${untrustedText(ended.stderr || (ended.shortMessage ?? ""), 1000)}`,
  );
}

const invalid = (message: string): CatalogCheck => ({
  files: [],
  errors: [{ path: ARCHIVE, message }],
  more_errors: 0,
  warnings: [],
});
