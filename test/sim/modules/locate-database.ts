/** Stands in for `daemon/locate-database.ts`: the simulated server needs no address. */
import type { locateDatabase as real } from "../../../src/orchestrator/daemon/locate-database.ts";

export const locateDatabase: typeof real = () =>
  Promise.resolve({ connection: { connectionString: "postgres://simulated" }, describe: "simulated" });
