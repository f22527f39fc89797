import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import t from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { egressCases } from "./egress-cases.ts";

/** Loopback is the engine's own. */
const host = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const missing = existsSync("/usr/bin/curl") ? host === undefined && "needs a network besides loopback" : "needs curl";

t.test("with ORCH_ENGINE_EGRESS=broker", { skip: missing }, async (t) => {
  if (host === undefined) return;
  const fleet = await openFleet(t, { env: { ORCH_ENGINE_EGRESS: "broker" } });
  const ann = await fleet.provision("ann");
  await egressCases(t, {
    base: fleet.daemon.url,
    host,
    user: "ann",
    engine: ann,
    platform: (method, path, body) => fleet.platform(method, path, body),
    setPolicy: (policy) => fleet.setPolicy(policy),
    async push(files) {
      const body = await catalogArchive(files);
      const pushed = await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body });
      if (pushed.status !== 200) throw new Error(pushed.text);
    },
  });
});
