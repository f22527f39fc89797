import type { AuditLine } from "@orchd/client";

const GENESIS_HASH = "0".repeat(64);

type Head = Pick<AuditLine, "seq" | "hash">;

/** What the daemon's own check does, in the browser: SHA-256 over the previous hash, the number and the text. */
async function hashLine({ prev_hash, seq, entry }: AuditLine): Promise<string> {
  const text = new TextEncoder().encode(`${prev_hash}\n${seq}\n${entry}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Why a line does not follow from the one before it, or null. */
export async function brokenLink(before: Head | null, line: AuditLine): Promise<string | null> {
  const expected = (before?.seq ?? 0) + 1;
  if (line.seq !== expected) return `Line ${expected} is missing: line ${line.seq} comes next.`;
  if (line.prev_hash !== (before?.hash ?? GENESIS_HASH))
    return `Line ${line.seq} does not follow line ${line.seq - 1}.`;
  return line.hash === (await hashLine(line)) ? null : `Line ${line.seq} was changed.`;
}
