import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

t.test("an operator restarts engines of any product", async (t) => {
  const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
  t.teardown(() => daemon.admin("/products/demo?force=true", { method: "DELETE" }));
  // Its policy does not matter: the caller is no product.
  const body = { slug: "demo", policy: { allowed_actions: ["provision", "destroy"] } };
  const registered = await daemon.admin("/products/register", { method: "POST", body });
  const key = registered.body.platform_api_key as string;
  const provision = { method: "POST", body: { user_id: "alice" } };
  const { body: engine } = await daemon.platform(key, "/engines/provision", provision);
  const restart = (id: string, body: object = {}) =>
    daemon.admin(`/admin/engines/${id}/restart`, { method: "POST", body });

  await t.test("it runs as another process at the same address, and no crash is counted", async (t) => {
    const { status, body } = await restart(engine.id, { drain_s: 5 });
    t.equal(status, 200, JSON.stringify(body));
    t.match(body, { state: "running", desired_state: "running", url: engine.url, restarts: { count: 0 } });
    t.not(body.incarnation, engine.incarnation);
    t.not(body.pid, engine.pid);
    const { body: events } = await daemon.platform(key, "/engines/alice/events");
    t.match(
      events.data.find(({ reason }: { reason: string }) => reason === "restart"),
      { type: "engine.stopped", data: { result: "drained" } },
    );
  });

  await t.test("an engine that does not exist or does not run is refused, and so is a negative drain", async (t) => {
    t.match(await restart("eng_none"), { status: 404, body: { error: { code: "ENGINE_NOT_FOUND" } } });
    t.match(await restart(engine.id, { drain_s: -1 }), { status: 400 });
    const idle = { method: "POST", body: { user_id: "bob", start: false } };
    const { body: stopped } = await daemon.platform(key, "/engines/provision", idle);
    t.match(await restart(stopped.id), { status: 409, body: { error: { code: "ENGINE_NOT_RUNNING" } } });
  });

  await t.test("orchctl engines restart --outdated says that there is nothing to do", async (t) => {
    const orchctl = orchctlFor(t, daemon);
    const env = { ORCH_ADMIN_KEY: daemon.adminKey };
    t.match(await orchctl(["engines", "restart", "--outdated"], { env }), {
      code: 0,
      stdout: /^Every running engine has /,
    });
    t.match(await orchctl(["engines", "restart"], { env }), {
      code: 2,
      stderr: /expected either a user or --outdated/,
    });
  });
});
