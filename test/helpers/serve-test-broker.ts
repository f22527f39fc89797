import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";
import { serveBroker } from "../../src/broker/serve-broker.ts";
import { caCertificate, type interceptCa } from "../../src/contract/broker/intercept-ca.ts";
import { freshFolder } from "./folder.ts";

interface TestBrokerParts {
  readonly sealingKey: Buffer;
  /** Answers the broker's questions; it listens or is about to. */
  readonly daemon: Server;
  /** The authority of the hosts that tools call. */
  readonly originCa: ReturnType<typeof interceptCa>;
}

/** A broker in this process, which trusts the test's authority. It ends with the test, and the daemon too. */
export async function serveTestBroker(
  t: Test,
  { sealingKey, daemon, originCa }: TestBrokerParts,
): Promise<AddressInfo> {
  if (!daemon.listening) await once(daemon, "listening");
  const certificates = join(freshFolder(t), "origin.pem");
  writeFileSync(certificates, caCertificate(originCa, Date.now()));
  const server = await serveBroker({
    sealing_key: sealingKey.toString("base64"),
    build: "",
    listen: { host: "127.0.0.1", port: 0 },
    confine: false,
    extra_ca_certs: certificates,
    daemon_url: `http://127.0.0.1:${(daemon.address() as AddressInfo).port}`,
  });
  t.teardown(() => {
    for (const one of [server, daemon]) {
      one.closeAllConnections();
      one.close();
    }
  });
  return server.address() as AddressInfo;
}
