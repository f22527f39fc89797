import type { Test } from "tap";
import { attachCases } from "./attach-cases.ts";
import { callCases } from "./call-cases.ts";
import { exitCases } from "./exit-cases.ts";
import { launchCases } from "./launch-cases.ts";
import { listCases } from "./list-cases.ts";
import { logCases } from "./log-cases.ts";
import { storageCases } from "./storage-cases.ts";
import type { BackendUnderTest } from "./under-test.ts";

/** What every backend must do, written against its interface alone. */
export async function conformance(t: Test, under: BackendUnderTest): Promise<void> {
  const cases = { launchCases, exitCases, attachCases, listCases, logCases, storageCases, callCases };
  for (const [name, run] of Object.entries(cases)) await t.test(name, (t) => run(t, under));
}
