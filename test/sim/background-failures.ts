import { logBackgroundFailures } from "../../src/shared/background.ts";
import { loggerOf } from "./daemon.ts";

/** As every daemon does at its start: failed work that nobody awaits is logged, and the service goes on. */
export const followBackgroundFailures = (): void => logBackgroundFailures(loggerOf("background"));
