import { Readable } from "node:stream";
import { execa } from "execa";
import type { KnowledgeOrder } from "../../../contract/orchestrator/knowledge-order.ts";
import { untrustedText } from "../../../shared/untrusted-text.ts";

/** V8's heap of the program, in MiB. */
const HEAP_MB = 256;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Of `embed`, after the time that it makes calls for: the last call, and to copy and write the file. */
const DEADLINES_MS = { read: 60_000, build: 300_000, embed: 360_000, search: 15_000 } as const;
/** V8 ends the program when its heap or the limit of its memory is reached. */
const OUT_OF_MEMORY: readonly (string | undefined)[] = ["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGBUS"];

export interface KnowledgeProgramSettings {
  readonly nodePath: string;
  /** The program `engine/knowledge-reading`. */
  readonly program: string;
  /** Whether the kernel can confine it. */
  readonly confine: boolean;
  readonly signal: AbortSignal;
}

/** `exceeded`: the reason, for whoever sent the document. */
export type KnowledgeAnswer =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "exceeded"; readonly reason: string };

type WithoutConfine<Order> = Order extends KnowledgeOrder ? Omit<Order, "confine"> : never;

/** Runs an order in a separate process. */
export async function runKnowledgeProgram(
  { nodePath, program, confine, signal }: KnowledgeProgramSettings,
  order: WithoutConfine<KnowledgeOrder>,
  input: Uint8Array | AsyncIterable<string>,
): Promise<KnowledgeAnswer> {
  const deadlineMs = DEADLINES_MS[order.kind] + (order.kind === "embed" ? order.forMs : 0);
  const ended = await execa(
    nodePath,
    [`--max-old-space-size=${HEAP_MB}`, program, JSON.stringify({ ...order, confine })],
    {
      cwd: "/",
      env: {},
      extendEnv: false,
      input: input instanceof Uint8Array ? input : Readable.from(input),
      maxBuffer: MAX_ANSWER_BYTES,
      timeout: deadlineMs,
      killSignal: "SIGKILL",
      cancelSignal: signal,
      reject: false,
    },
  );
  signal.throwIfAborted();
  if (!ended.failed) return { kind: "answered", text: ended.stdout };
  if (ended.timedOut) return { kind: "exceeded", reason: `it could not be read within ${deadlineMs / 1000} s` };
  if (OUT_OF_MEMORY.includes(ended.signal) || ended.isMaxBuffer)
    return { kind: "exceeded", reason: "it takes too much memory to be read" };
  const reason = untrustedText(ended.stderr || (ended.shortMessage ?? ""), 1000);
  throw new Error(`the program of knowledge could not ${order.kind}: ${reason}`);
}
