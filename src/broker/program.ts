import { readFileSync } from "node:fs";
import { sealingKeyOf } from "../contract/broker/call-key.ts";
import type { BrokerOrder } from "../contract/broker/broker-order.ts";
import { confineBroker } from "./confine-broker.ts";
import { serveBroker } from "./serve-broker.ts";

const STANDARD_INPUT = 0;

/** Of a broker that runs apart from the daemon. */
const PORT = 7701;

/**
 * The program `orchd-broker`: model calls of engines, with the keys of providers. Its order is its standard input. With
 * the file of a secret as argument it runs apart from a daemon that has the same secret (`ORCH_BROKER_KEY`).
 */
async function run([file]: readonly string[]): Promise<void> {
  const order = file === undefined ? (JSON.parse(readFileSync(STANDARD_INPUT, "utf8")) as BrokerOrder) : ownOrder(file);
  confineBroker(order);
  await serveBroker(order);
}

function ownOrder(file: string): BrokerOrder {
  const secret = readFileSync(file, "utf8").trim();
  return {
    sealing_key: sealingKeyOf(secret).toString("base64"),
    build: "",
    listen: { host: process.env["POD_IP"] ?? "0.0.0.0", port: PORT },
    confine: true,
    extra_ca_certs: process.env["NODE_EXTRA_CA_CERTS"] ?? null,
    daemon_url: process.env["ORCH_DAEMON_URL"]?.replace(/\/+$/, "") ?? null,
  };
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`orchd-broker cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
