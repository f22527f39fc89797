import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme" } });
const key: string = product.platform_api_key;
const refusal = (field: string) => ({
  status: 400,
  body: { error: { code: "INVALID_REQUEST", message: new RegExp(`^${field.replaceAll(".", "\\.")}: expected`) } },
});

t.test("a field that PostgreSQL cannot store is refused by its name", async (t) => {
  const register = (more: object) =>
    daemon.admin("/products/register", { method: "POST", body: { slug: "other", ...more } });
  const rotate = (more: object) =>
    daemon.admin("/products/acme/platform-key-hash", {
      method: "PUT",
      body: { api_key_hash: "0".repeat(64), ...more },
    });
  const provision = (body: object) => daemon.platform(key, "/engines/provision", { method: "POST", body });
  for (const text of ["a\0b", "a\ud800b"]) {
    t.match(await register({ name: text }), refusal("name"));
    t.match(await register({ slug: text }), refusal("slug"));
    t.match(await register({ policy: { engine_env: { LLM_MODEL: text } } }), refusal("policy.engine_env.LLM_MODEL"));
    t.match(await rotate({ key_prefix: text }), refusal("key_prefix"));
    t.match(await rotate({ key_last4: text.padEnd(4, "x").slice(0, 4) }), refusal("key_last4"));
    t.match(await provision({ user_id: text }), refusal("user_id"));
    t.match(await provision({ user_id: "a", metadata: { deep: [text] } }), refusal("metadata"));
    t.match(await provision({ user_id: "a", metadata: { [text]: 1 } }), refusal("metadata"));
  }
});

t.test("a parameter that PostgreSQL cannot store is refused by its name", async (t) => {
  t.match(await daemon.admin("/products/a%00b"), refusal("product_id"));
  t.match(await daemon.admin("/admin/events?product_id=a%00b"), refusal("product_id"));
  t.match(await daemon.platform(key, "/engines/a%00b"), refusal("user_id"));
  t.match(await daemon.platform(key, "/engines?cursor=%00"), refusal("cursor"));
  t.match(await daemon.platform(key, "/engines?state=%00"), refusal("state"));
  t.match(await daemon.admin("/products/%ed%a0%80"), refusal("path"));
});

t.test("a cursor of another list is refused by its name", async (t) => {
  for (const prefix of ["prd", "eng", "evt"]) {
    const cursor = `${prefix}_01a2012b-d874-7001-b19a-8c98ee720ab4`;
    const status = async (path: string, own: string) => {
      const answer = await daemon.admin(path + cursor, { headers: { "x-platform-key": key } });
      if (own === prefix) t.equal(answer.status, 200, path + cursor);
      else t.match(answer, refusal("cursor"), path + cursor);
    };
    await status("/products?cursor=", "prd");
    await status("/engines?cursor=", "eng");
    await status("/admin/engines?cursor=", "eng");
    await status("/events?cursor=", "evt");
    await status("/engines/a/events?cursor=", "evt");
    await status("/admin/events?cursor=", "evt");
  }
});
