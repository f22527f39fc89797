import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { until } from "../helpers/until.ts";
import { LARGE_BYTES, archiveOf, daemonOf, emptyPlace, hostWithEngine, makeDue } from "./restored-host.ts";

t.test(
  "a backup becomes the same host elsewhere, whose schedules are paused until an operator resumes them",
  async (t) => {
    const host = await hostWithEngine(t);
    const archive = await archiveOf(t, host);
    const place = await emptyPlace(t);
    const restored = await orchctlOf(t, place)("backup", "restore", archive);
    t.match(restored, { code: 0, stdout: /schedules +paused, .*orchctl resume --schedules ends this/ });
    await makeDue(place);
    const daemon = await daemonOf(t, place);
    t.equal(daemon.adminKey, host.daemon.adminKey);
    await until("alice runs", async () => (await daemon.platform(host.key, "/engines/alice")).body.state === "running");
    const engines = join(daemon.dataDir, "engines");
    const [engine = ""] = readdirSync(engines);
    t.equal(statSync(join(engines, engine, "large")).size, LARGE_BYTES);
    const runs = `/engines/alice/schedules/${host.scheduleId}/runs`;
    const newest = async () => (await daemon.platform(host.key, runs)).body.data[0];
    const missed = await until("its due time has passed", newest);
    t.match(missed, { state: "missed", error: /paused since it was restored/ });
    const orchctl = orchctlOf(t, settingsOf(daemon));
    t.match((await orchctl("doctor")).stdout, /warning +schedules +.*restored[^]*orchctl resume --schedules/);
    t.match((await daemon.admin("/admin/status")).body, { schedules_paused: true, warnings: [/resume --schedules/] });
    t.match(await orchctl("resume", "--schedules"), { code: 0, stdout: /Schedules run at their times/ });
    t.match((await daemon.admin("/admin/status")).body, { schedules_paused: false, warnings: [] });
    t.match(
      (await daemon.admin("/admin/events")).body.data.map(({ type }: { type: string }) => type),
      ["host.schedules_resumed"],
    );
    const soon = { kind: "at", at: new Date(Date.now() + 300).toISOString() };
    const { body: next } = await daemon.platform(host.key, "/engines/alice/schedules", {
      method: "POST",
      body: { name: "next", timing: soon, message: "/say hello" },
    });
    await until("it runs", async () => {
      const { body } = await daemon.platform(host.key, `/engines/alice/schedules/${next.id}/runs`);
      return body.data[0]?.state === "done";
    });
  },
);
