import { strict as assert } from "node:assert";
import fc from "fast-check";
import { isPlaceholderOf, newPlaceholder, placeholdersIn } from "../../src/contract/broker/placeholder.ts";
import { readBoundKey, writeBoundKey } from "../../src/contract/engine/task-bounds.ts";
import {
  type AuditHead,
  auditHash,
  brokenLink,
  formatHead,
  parseHead,
  GENESIS_HASH,
} from "../../src/contract/orchestrator/audit-chain.ts";
import type { AuditRecord } from "../../src/contract/orchestrator/audit.ts";
import { LinkTokens } from "../../src/engine/files/link-tokens.ts";
import { rangeOf } from "../../src/engine/files/byte-range.ts";
import * as managed from "../../src/engine/protocols/managed-agents/event-ids.ts";
import * as mcp from "../../src/engine/protocols/mcp/event-id.ts";
import { placeOf } from "../../src/engine/tasks/task-list.ts";
import { formatTraceparent, parseTraceparent } from "../../src/shared/tracing/trace-context.ts";
import { property } from "../helpers/property.ts";

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom("0", "1", "7", "9", "a", "f"), minLength: length, maxLength: length });
const anyText = fc.string({ unit: fc.constantFrom("a", "/", ".", "é", "😀", "\n", "_"), minLength: 1, maxLength: 12 });

property(
  "ids are read as they were written, and what is changed in one is another or none",
  [anyText, fc.nat({ max: 100 }), fc.string({ maxLength: 2 })],
  (path, place, put) => {
    const id = managed.fileId(path);
    assert.equal(managed.pathOfFile(id), path);
    const changed = id.slice(0, place % id.length) + put + id.slice((place % id.length) + 1);
    if (changed !== id) assert.notEqual(managed.pathOfFile(changed), path, changed);
    const event = managed.eventId("turn_1", path);
    assert.deepEqual(managed.readEventId(event), { turnId: "turn_1", what: path });
  },
);

const position = fc.record(
  {
    request: fc.oneof(anyText, fc.nat()),
    task: anyText,
    turn: anyText,
    seq: fc.nat(),
    progress: fc.oneof(anyText, fc.nat()),
    message: anyText,
  },
  { requiredKeys: ["request", "task", "seq"], noNullPrototype: true },
);

property(
  "a stream goes on where its last frame was, and from no other text",
  [position, fc.string({ maxLength: 30 })],
  (position, other) => {
    assert.deepEqual(mcp.readEventId(mcp.writeEventId(position)), position);
    const read = mcp.readEventId(other);
    assert.ok(read === null || mcp.writeEventId(read) !== other);
  },
);

property(
  "a cursor of tasks is two numbers that are exact, or none",
  [
    fc.string({ unit: fc.constantFrom("0", "1", "9", ".", "-", "e", " "), maxLength: 36 }),
    fc.nat({ max: 2 ** 31 }),
    fc.maxSafeNat(),
  ],
  (text, number, at) => {
    const lastActiveAt = at % 10 ** 15;
    assert.deepEqual(placeOf(`${lastActiveAt}.${number}`), { lastActiveAt, number });
    const place = placeOf(text);
    if (place === null) return;
    assert.match(text, /^\d+\.\d+$/);
    const [first = "", second = ""] = text.split(".");
    assert.deepEqual([BigInt(place.lastActiveAt), BigInt(place.number)], [BigInt(first), BigInt(second)]);
  },
);

property(
  "the range of a file is the bytes that its header names",
  [fc.uint8Array({ maxLength: 12 }), fc.option(fc.nat({ max: 14 })), fc.option(fc.nat({ max: 14 }))],
  (file, first, last) => {
    const range = rangeOf(`bytes=${first ?? ""}-${last ?? ""}`, file.length);
    if ((first === null && last === null) || (first !== null && last !== null && last < first))
      return assert.equal(range, null);
    const named =
      first === null
        ? last === 0
          ? file.subarray(0, 0)
          : file.subarray(-(last ?? 0))
        : file.subarray(first, last === null ? undefined : last + 1);
    if (named.length === 0) return assert.equal(range, "unsatisfiable");
    assert.ok(range !== null && range !== "unsatisfiable");
    assert.deepEqual(file.subarray(range.start, range.end), named);
    assert.ok(range.end <= file.length);
  },
);

property(
  "no change of a link gives another file or more time",
  [
    anyText,
    fc.integer({ min: 1, max: 10 ** 6 }),
    fc.nat(),
    fc.constantFrom("", "A", "_", ".", "="),
    fc.nat({ max: 2 * 10 ** 6 }),
  ],
  (path, forMs, place, put, later) => {
    let secret: unknown = null;
    const state = { get: () => secret as never, set: (_: string, value: unknown) => void (secret = value) };
    const links = new LinkTokens({ state, engineId: "eng_1" });
    const token = links.make({ path, until: 1000 + forMs }, 1000);
    assert.deepEqual(links.read(token, 1000), { path });
    assert.equal(links.read(token, 1000 + forMs), null);
    const at = place % token.length;
    const read = links.read(token.slice(0, at) + put + token.slice(at + 1), 1000 + later);
    assert.ok(read === null || (read.path === path && later < forMs));
    assert.equal(new LinkTokens({ state, engineId: "eng_2" }).read(token, 1000), null);
  },
);

property(
  "a placeholder is of one engine, and found in any text",
  [hex(32), hex(32), fc.constantFrom("A", "GITHUB_TOKEN", "orchsec_A"), anyText, anyText],
  (key, other, name, before, after) => {
    const text = newPlaceholder(key, name);
    const [found] = placeholdersIn(`${before} ${text} ${after}`);
    assert.deepEqual(found, { text, name });
    assert.ok(isPlaceholderOf(key, { text, name }));
    assert.equal(isPlaceholderOf(other, { text, name }), other === key);
  },
);

const bounds = fc.oneof(
  fc.record({ prefix: fc.constantFrom("course/", "é ", "😀") }, { noNullPrototype: true }),
  fc.record(
    { ids: fc.array(fc.constantFrom("a", "é b", "lesson-1"), { minLength: 1, maxLength: 3 }) },
    { noNullPrototype: true },
  ),
);

property(
  "the bounds of a key and the context of a trace are read as they were written",
  [bounds, hex(32), hex(16), fc.boolean()],
  (bounds, traceId, spanId, isSampled) => {
    assert.deepEqual(readBoundKey(writeBoundKey("sk-orch-1", bounds)), { key: "sk-orch-1", bounds });
    const read = parseTraceparent(formatTraceparent({ traceId, spanId, isSampled }));
    assert.deepEqual(read, /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId, isSampled });
  },
);

property(
  "any line that is changed, left out or put elsewhere breaks the audit chain",
  [fc.array(anyText, { minLength: 2, maxLength: 8 }), fc.nat(), fc.constantFrom("change", "remove", "swap")],
  (entries, place, fault) => {
    const lines: AuditRecord[] = [];
    for (const [index, entry] of entries.entries()) {
      const link = { seq: index + 1, entry, prev_hash: lines.at(-1)?.hash ?? GENESIS_HASH };
      lines.push({ ...link, hash: auditHash(link) });
    }
    const isWhole = (given: readonly AuditRecord[]) =>
      given.every((line, index) => brokenLink(given[index - 1] ?? null, line) === null);
    assert.ok(isWhole(lines));
    const last = lines.at(-1) as AuditHead;
    assert.deepEqual(parseHead(formatHead({ seq: last.seq, hash: last.hash })), { seq: last.seq, hash: last.hash });
    const at = place % (lines.length - 1);
    const [one, next] = [lines[at] as AuditRecord, lines[at + 1] as AuditRecord];
    const changed = { change: [{ ...one, entry: `${one.entry}.` }, next], remove: [next], swap: [next, one] }[fault];
    assert.ok(!isWhole(lines.toSpliced(at, 2, ...changed)));
  },
);
