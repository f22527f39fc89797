import { lstat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { execa } from "execa";
import { BodyCut } from "../../../backup/archive-writer.ts";
import { InvalidBackup } from "../../../backup/invalid-backup.ts";
import { type Member, readTar } from "../../../shared/tar.ts";
import { unlessMissing } from "../../../shared/files.ts";
import { untrustedText } from "../../../shared/untrusted-text.ts";
import type { ReadOutcome } from "../engine-storage.ts";
import { daemonUser } from "../isolation/owner.ts";

/** The timeout without data. A hostile user can stop the program. */
const SILENCE_MS = 60_000;
const MAX_NOTES = 4000;
/** V8's heap of the program, in MiB. It holds the file names of one folder. */
const HEAP_MB = 256;

export interface FolderReader {
  readonly nodePath: string;
  /** The program `folder-program`. */
  readonly program: string;
  readonly signal: AbortSignal;
}

/**
 * Reads an engine's folder, also while the engine runs, through a process of the folder's owner. Errors of that process
 * are notes: the engine's user can end it at any time. Errors of `take` are thrown.
 */
export async function readFolder(
  { nodePath, program, signal }: FolderReader,
  folder: string,
  take: (member: Member, body: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<ReadOutcome> {
  const stat = await unlessMissing(lstat(folder));
  if (stat === null) return { kind: "missing" };
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const child = execa(nodePath, [`--max-old-space-size=${HEAP_MB}`, program, folder], {
    cwd: "/",
    env: {},
    extendEnv: false,
    // Without the capabilities of the daemon, and with no more rights than the engine has.
    ...(stat.uid !== daemonUser().uid && { uid: stat.uid, gid: stat.gid }),
    stdin: "ignore",
    buffer: false,
    reject: false,
    cancelSignal: AbortSignal.any([signal, silence.signal]),
    forceKillAfterDelay: 0,
    killSignal: "SIGKILL",
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(0, MAX_NOTES)));
  child.stdout.on("data", () => timer.refresh());
  const failure = await takeAll(child.stdout, take).finally(() => {
    clearTimeout(timer);
    child.kill("SIGKILL");
  });
  const ended = await child;
  signal.throwIfAborted();
  const reason = ended.isCanceled ? `no data for ${SILENCE_MS / 1000} s` : failure;
  if (reason !== "" && (await unlessMissing(lstat(folder))) === null) return { kind: "missing" };
  return { kind: "read", notes: untrustedText([reason, printed.trim()].filter(Boolean).join("; "), MAX_NOTES) };
}

/** Why the archive of the program ends early, or an empty text. Throws what `take` throws. */
export async function takeAll(
  output: Readable,
  take: (member: Member, body: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<string> {
  const thrown: { error?: unknown } = {};
  try {
    for await (const { member, body } of readTar(output)) {
      await take(member, body).catch((error: unknown) => {
        if (!(error instanceof BodyCut) && !(error instanceof InvalidBackup)) thrown.error = error;
        throw error;
      });
    }
    return "";
  } catch (error) {
    if (thrown.error !== undefined) throw thrown.error;
    return error instanceof Error ? error.message : String(error);
  }
}
