import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { trimCodeCache } from "../../../scripts/snapshot/trim-code-cache.ts";

const dist = resolve(import.meta.dirname, "../../../dist");

const length = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(value);
  return bytes;
};
const entry = (id: string, data: Buffer) =>
  Buffer.concat([length(id.length), Buffer.from(id), length(data.length), data]);

/** A snapshot's end with the code of a hundred modules. */
const snapshot = (ids: readonly string[]) =>
  Buffer.concat([
    Buffer.alloc(999, 7),
    length(ids.length),
    ...ids.map((id) => entry(id, Buffer.from(`code of ${id}`))),
  ]);
const IDS = Array.from({ length: 100 }, (_, index) => `internal/module_${index}`);

t.test("the code of the modules that an engine loads stays", (t) => {
  const kept = ["internal/module_3", "internal/module_77"];
  t.same(trimCodeCache(snapshot(IDS), new Set([...kept, "unknown"])), snapshot(kept));
  t.end();
});

t.test("a file that ends in another way is left alone", (t) => {
  t.equal(trimCodeCache(Buffer.concat([snapshot(IDS), Buffer.alloc(1)]), new Set(IDS)), null);
  t.equal(trimCodeCache(Buffer.alloc(0), new Set(IDS)), null);
  t.end();
});

t.test("the snapshots of this build hold the code of http, and not that of the REPL", (t) => {
  const built = readFileSync(join(dist, "engine-sandbox.blob"));
  const entryOf = (id: string) => Buffer.concat([length(id.length), Buffer.from(id)]);
  t.ok(built.includes(entryOf("_http_server")));
  t.notOk(built.includes(entryOf("internal/repl/await")));
  t.end();
});
