import pg from "pg";
import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

const databaseUrl = await freshDatabaseUrl(t);
const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl });

t.test("a failing database is answered with 503 and Retry-After", async (t) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    create function in_need() returns trigger language plpgsql as $$
    begin
      if new.name is not null then raise exception using errcode = new.name; end if;
      return new;
    end $$;
    create trigger in_need before insert on products for each row execute function in_need();`);
  await client.end();
  const register = (name?: string) =>
    daemon.admin("/products/register", { method: "POST", body: { slug: `p-${name ?? "fine"}`.toLowerCase(), name } });
  for (const code of ["53100", "53200", "53400", "57014", "57P03", "55P03", "40001", "40P01", "25006"]) {
    const answer = await register(code);
    t.match(answer, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE", message: /^the database / } } }, code);
    t.match(answer.headers["retry-after"], /^\d+$/);
  }
  t.match(await register("22012"), { status: 500, body: { error: { code: "INTERNAL_ERROR" } } });
  t.equal((await register()).status, 201);
});
