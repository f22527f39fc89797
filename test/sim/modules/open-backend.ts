/** Stands in for `daemon/open-backend.ts`: the engines run on the simulated machine. */
import type { openBackend as real } from "../../../src/orchestrator/daemon/open-backend.ts";
import { createBackend } from "../machine/backend.ts";

export const openBackend: typeof real = ({ logger, serviceManager, config, bootQueue, sparesFitting }) =>
  Promise.resolve(
    createBackend({
      logger,
      store: serviceManager,
      spares: { target: config.warmEngines, freeBoots: () => bootQueue.free, fitting: sparesFitting },
    }),
  );

/** No broker: engines hold the keys of their providers. */
export const brokerAddress = (): null => null;
