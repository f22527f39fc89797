import t from "tap";
import { ask } from "../helpers/api.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { openFleet } from "../helpers/sleepers.ts";

t.test("the first tool that names a secret gets its answer when no broker runs yet and none is set", async (t) => {
  const dataDir = freshFolder(t);
  const fleet = await openFleet(t, { dataDir });
  const alice = await fleet.provision("alice");
  const tool = {
    description: "Runs with a secret.",
    command: { argv: ["sh", "-c", "echo ran"], env: { TOKEN: "${secret:MISSING}" } },
    permission: "allow",
  };
  const pushed = await ask(fleet.daemon.url, "/catalog", {
    method: "PUT",
    headers: { "x-platform-key": fleet.platformKey },
    body: await catalogArchive({ "tools/with_none.json": JSON.stringify(tool) }),
  });
  t.equal(pushed.status, 200, pushed.text);
  t.equal(brokerPid(dataDir), null, "no broker runs");
  const frames = await (await alice.execute("t1", "/tool with_none {}\n/say done")).all();
  const { data } = frames.find(({ event }) => event === "tool_result") ?? {};
  t.match(data?.error, /there is no secret MISSING/);
  t.not(brokerPid(dataDir), null, "the call has started one");
});
