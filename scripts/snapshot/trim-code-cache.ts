/** One entry of the code cache in a snapshot, with its place in the file. */
interface Entry {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** Node.js 24 has about 330 built-in modules. */
const COUNT = { min: 50, max: 5000 };
const MAX_ID = 200;

/**
 * Removes the code cache of all built-in modules but `kept` from a start-up snapshot. Node.js keeps the whole file in memory:
 * a full code cache adds 4 MiB to each process. The cache ends the file: the number of entries, and for each its id and
 * its data, all with their length in eight bytes. Null for a file that does not end so.
 */
export function trimCodeCache(snapshot: Buffer, kept: ReadonlySet<string>): Buffer | null {
  for (let start = snapshot.length - 8; start >= 0; start--) {
    const entries = entriesAt(snapshot, start);
    if (entries === null) continue;
    const left = entries.filter(({ id }) => kept.has(id));
    const count = Buffer.alloc(8);
    count.writeBigUInt64LE(BigInt(left.length));
    return Buffer.concat([
      snapshot.subarray(0, start),
      count,
      ...left.map((one) => snapshot.subarray(one.start, one.end)),
    ]);
  }
  return null;
}

/** The entries of a code cache that begins here and ends with the file. */
function entriesAt(snapshot: Buffer, start: number): readonly Entry[] | null {
  const count = lengthAt(snapshot, start);
  if (count < COUNT.min || count > COUNT.max) return null;
  const entries: Entry[] = [];
  let at = start + 8;
  while (entries.length < count) {
    const idLength = lengthAt(snapshot, at);
    if (idLength > MAX_ID) return null;
    const data = at + 8 + idLength;
    const end = data + 8 + lengthAt(snapshot, data);
    const id = snapshot.toString("latin1", at + 8, data);
    if (!(end <= snapshot.length) || !/^[\w/.-]+$/.test(id)) return null;
    entries.push({ id, start: at, end });
    at = end;
  }
  return at === snapshot.length ? entries : null;
}

/** Infinity beyond the end of the file, and for an implausible length. */
function lengthAt(snapshot: Buffer, at: number): number {
  if (at + 8 > snapshot.length) return Number.POSITIVE_INFINITY;
  return snapshot.readUInt32LE(at + 4) === 0 ? snapshot.readUInt32LE(at) : Number.POSITIVE_INFINITY;
}
