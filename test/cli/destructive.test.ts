import type { Command } from "commander";
import t from "tap";
import { commandsOfOrchctl } from "../helpers/commands-of-orchctl.ts";
import { engine, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEYS = { ORCH_ADMIN_KEY: "a", ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x", ORCH_PRODUCT: "demo" };
const DELETING = /^(?:delete|rm|destroy|erase|forget)$/;
const RULE = "do not ask; required without a terminal";

const commands = commandsOfOrchctl();
const deleting = commands.filter((command) => DELETING.test(command.name()));
const wordsOf = (command: Command) => [command.parent?.name() ?? "", command.name()];

t.test("the commands that delete are these, and no other has their --yes", async (t) => {
  const asking = commands.filter(({ options }) => options.some(({ description }) => description === RULE));
  t.same(asking.map((command) => wordsOf(command).join(" ")).toSorted(), [
    "connections delete",
    "engines destroy",
    "files rm",
    "knowledge delete",
    "memory erase",
    "memory forget",
    "notifications delete",
    "plans delete",
    "products delete",
    "schedules delete",
    "secrets delete",
    "tasks delete",
    "webhooks delete",
  ]);
  t.same(asking.map(wordsOf), deleting.map(wordsOf));
});

t.test("without a terminal and without --yes they change nothing", async (t) => {
  const server = await startFakeServer(t);
  server.on("GET /engines/x", { body: engine({ user_id: "x", url: server.url }) });
  server.on("GET /products/x", { body: product() });
  const orchctl = orchctlFor(t, server);
  for (const command of deleting) {
    const args = [...wordsOf(command), ...command.registeredArguments.map(() => "x")];
    const ran = await orchctl(args, { env: KEYS });
    t.equal(ran.code, 2, args.join(" "));
    t.match(ran.stderr, /nothing was changed: this cannot be undone and without a terminal needs --yes/);
  }
  t.same(
    server.calls.filter(({ method }) => method !== "GET"),
    [],
  );
});
