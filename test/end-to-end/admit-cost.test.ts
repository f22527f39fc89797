import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

const ADMITS = 40;

t.test("an admit that changes nothing costs a tenth of a call", async (t) => {
  const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
  const policy = { requests_per_minute: 30 };
  const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p", policy } });
  const admit = (start: boolean) =>
    daemon.platform(product.platform_api_key as string, "/engines/admit", {
      method: "POST",
      body: { user_id: "alice", start },
    });
  const created = await admit(true);
  t.match(created, { status: 201, headers: { "ratelimit-remaining": "29" } });
  const answers = await Promise.all(Array.from({ length: ADMITS }, (_, n) => admit(n % 2 === 0)));
  t.same(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
    "forty cost four calls, also when they come at once",
  );
  const last = await admit(false);
  t.match(last.headers["ratelimit-remaining"], "24");
  await daemon.platform(product.platform_api_key as string, "/engines/alice/stop", { method: "POST", body: {} });
  const before = Number((await admit(false)).headers["ratelimit-remaining"]);
  const started = await admit(true);
  t.equal(Number(started.headers["ratelimit-remaining"]), before - 1, "one that starts the engine costs a whole call");
});
