import { sql } from "kysely";
import t from "tap";
import { SigningKeys } from "../../../src/orchestrator/status/signing-keys.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { onEachServer } from "../../helpers/database.ts";

onEachServer(t, "a replaced key is accepted for an hour after the last daemon may sign with it", async (t, { db }) => {
  const open = () => new SigningKeys({ db, box: new SealedBox("secret"), now: Date.now });
  const { kid } = await open().signing();
  const isAccepted = async (secondsAgo: number) => {
    const at = sql<Date>`now() - make_interval(secs => ${secondsAgo})`;
    await db.updateTable("token_keys").set({ replaced_at: at }).where("kid", "=", kid).execute();
    return (await open().verifying(kid)) !== null;
  };
  t.equal(await isAccepted(3600), true);
  t.equal(await isAccepted(3655), true, "another daemon reads the keys once a minute");
  t.equal(await isAccepted(3661), false);
  t.not((await open().signing()).kid, kid);
});

onEachServer(t, "daemons that need the first key at once make one", async (t, { db }) => {
  const daemons = Array.from({ length: 5 }, () => new SigningKeys({ db, box: new SealedBox("secret"), now: Date.now }));
  const kids = await Promise.all(daemons.map(async (keys) => (await keys.signing()).kid));
  t.equal(new Set(kids).size, 1);
});

onEachServer(t, "a private key is sealed in the database", async (t, { db }) => {
  await new SigningKeys({ db, box: new SealedBox("secret"), now: Date.now }).signing();
  const rows = await db.selectFrom("token_keys").selectAll().execute();
  t.equal(rows.length, 1);
  t.notMatch(rows[0]?.private_key.toString("latin1"), "PRIVATE KEY");
});
