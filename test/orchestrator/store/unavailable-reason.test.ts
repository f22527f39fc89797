import pg from "pg";
import t from "tap";
import { unavailableReason } from "../../../src/orchestrator/store/unavailable-reason.ts";
import { freshDatabase } from "../../helpers/shared-postgres.ts";

const failure = (code: string, more: object = {}) => Object.assign(new Error("x"), { code, ...more });

t.test("a temporary failure has a reason", async (t) => {
  for (const [code, reason] of [
    ["53100", /disk space/],
    ["53200", /memory/],
    ["53300", /connections/],
    ["53400", /resources/],
    ["57014", /too long/],
    ["57P01", /restarting/],
    ["57P03", /restarting/],
    ["55P03", /busy/],
    ["40001", /busy/],
    ["40P01", /busy/],
    ["25006", /read-only/],
    ["ECONNREFUSED", /cannot be reached/],
    ["08006", /cannot be reached/],
  ] as const) {
    t.match(unavailableReason(failure(code)), reason, code);
  }
});

t.test("a pool without a free connection is not an unreachable database", async (t) => {
  const pool = new pg.Pool({ ...(await freshDatabase(t)), max: 1, connectionTimeoutMillis: 3000 });
  t.teardown(() => pool.end());
  const taken = await pool.connect();
  pool.options.connectionTimeoutMillis = 1;
  const error: unknown = await pool.connect().catch((failed: unknown) => failed);
  taken.release();
  t.equal(unavailableReason(error), "orchd's database connections are all in use");
});

t.test("a wrong statement and a missing file are not temporary failures", async (t) => {
  for (const code of ["23505", "42601", "22021", "22P05", "2BP01"])
    t.equal(unavailableReason(failure(code)), null, code);
  t.equal(unavailableReason(failure("ENOENT", { syscall: "open", path: "/nowhere" })), null);
  t.match(unavailableReason(failure("ENOENT", { syscall: "connect", address: "/nowhere" })), /cannot be reached/);
  t.equal(unavailableReason(new Error("something else")), null);
});
