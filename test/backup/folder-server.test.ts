import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { folderServer } from "../../src/backup/folder-server.ts";
import { readTar } from "../../src/shared/tar.ts";

const TOKEN = "the-token";

async function serve(t: Test, folder: string) {
  const server = folderServer(folder, TOKEN).listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const closed = once(server, "close");
  const ask = (path: string, token = TOKEN) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      get(`http://127.0.0.1:${port}${path}`, { headers, agent: false }, resolve).once("error", reject);
    });
  return { ask, closed };
}

t.test("an archive is given once, to the holder of the token, with what was left out", async (t) => {
  const folder = t.testdir({ note: "hers", "engine.log": "x" });
  writeFileSync(join(folder, "engine.db"), "no store");
  mkdirSync(join(folder, "empty"));
  const { ask, closed } = await serve(t, folder);
  t.equal((await ask("/archive", "wrong")).resume().statusCode, 401);
  const answer = await ask("/archive");
  t.equal((await ask("/archive").catch(() => ({ resume: () => ({ statusCode: 409 }) }))).resume().statusCode, 409);
  const found: Record<string, string> = {};
  for await (const { member, body } of readTar(answer))
    found[member.path] = Buffer.concat(await Array.fromAsync(body)).toString();
  t.same(found, { "engine.db": "no store", note: "hers", empty: "" });
  const notes = Buffer.from(answer.trailers["x-notes"] ?? "", "base64").toString();
  t.match(notes, /"engine\.db": copied without a snapshot/);
  await closed;
});

t.test("what an engine has spent since a position, and its notices, are JSON; null without a store", async (t) => {
  const folder = t.testdir();
  const none = await serve(t, folder);
  t.equal(await text(await none.ask("/uncollected?known=:0")), "null");
  await none.closed;
  const store = new DatabaseSync(join(folder, "engine.db"));
  store.exec(`create table engine_state (name, value); insert into engine_state values ('usage_ledger', '{"id":"l"}');
    create table usage_days (revision); insert into usage_days values (1), (2);
    create table turn_notices (seq, type); insert into turn_notices values (2, 'turn.failed'), (1, 'task.titled')`);
  store.close();
  const some = await serve(t, folder);
  t.same(JSON.parse(await text(await some.ask("/uncollected?known=l:1"))), {
    usage: { ledger: "l", rows: [{ revision: 2 }] },
    notices: [
      { seq: 1, type: "task.titled" },
      { seq: 2, type: "turn.failed" },
    ],
  });
  await some.closed;
});

t.test("a caller that goes away ends it", async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, "large"), Buffer.alloc(32 * 2 ** 20));
  const { ask, closed } = await serve(t, folder);
  (await ask("/archive")).destroy();
  await closed;
});
