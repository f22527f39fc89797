import { randomBytes } from "node:crypto";

let lastMs = 0;
let counter = 0;

/**
 * A prefixed, sortable id: `eng_` + UUIDv7 (RFC 9562). Ids made by one process rise strictly:
 * the 12 bits after the time count up within a millisecond.
 */
export function newId<P extends string>(prefix: P): `${P}_${string}` {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString("hex");
  return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
