import { readFileSync } from "node:fs";
import type { BrokerOrder } from "../contract/broker/broker-order.ts";
import { confineBroker } from "./confine-broker.ts";
import { serveBroker } from "./serve-broker.ts";

const STANDARD_INPUT = 0;

/** The program `orchd-broker`: model calls of engines, with the keys of providers. Its order is its standard input. */
async function run(): Promise<void> {
  const order = JSON.parse(readFileSync(STANDARD_INPUT, "utf8")) as BrokerOrder;
  confineBroker(order);
  await serveBroker(order);
}

run().catch((error: unknown) => {
  process.stderr.write(`orchd-broker cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
