import { createHash } from "node:crypto";
import type { AuditRecord } from "./audit.ts";

export const GENESIS_HASH = "0".repeat(64);

/** SHA-256 over the previous hash, the number and the text. A change of any of them breaks the chain. */
export const auditHash = ({ seq, entry, prev_hash }: Omit<AuditRecord, "hash">): string =>
  createHash("sha256").update(`${prev_hash}\n${seq}\n${entry}`).digest("hex");

/** Why a line does not follow from the one before it, or null. */
export function brokenLink(before: Pick<AuditRecord, "seq" | "hash"> | null, line: AuditRecord): string | null {
  const expectedSeq = (before?.seq ?? 0) + 1;
  if (line.seq !== expectedSeq) return `line ${expectedSeq} is missing: line ${line.seq} comes next`;
  if (line.prev_hash !== (before?.hash ?? GENESIS_HASH)) return `line ${line.seq} does not follow line ${line.seq - 1}`;
  return line.hash === auditHash(line) ? null : `line ${line.seq} was changed`;
}

/** A line's number and hash. Recorded elsewhere, it can be compared with the chain later. */
export type AuditHead = Pick<AuditRecord, "seq" | "hash">;

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

/** `12:9f86d0…` */
export const formatHead = ({ seq, hash }: AuditHead): string => `${seq}:${hash}`;

export function parseHead(text: string): AuditHead | null {
  const [, seq, hash] = HEAD.exec(text) ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

/** A file in the data folder with a line `<time> <head>` for each head that the daemon saw. */
export const AUDIT_HEADS_FILE = "audit-heads";

/** The heads of such a file in order. An incomplete line is ignored. */
export const parseHeads = (text: string): readonly AuditHead[] =>
  text
    .split("\n")
    .map((line) => parseHead(line.split(" ")[1] ?? ""))
    .filter((head) => head !== null);
