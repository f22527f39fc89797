import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { Logger } from "../../shared/logger.ts";
import { EngineCounters } from "./engine-counters.ts";
import { EngineTelemetry } from "./engine-telemetry.ts";

const CLOSE_MS = 500;

export interface OpenTelemetry {
  readonly telemetry: EngineTelemetry;
  /** Sends the last spans, within half a second. */
  close(): Promise<void>;
}

/** Loads tracing only where it is on: each import costs boot time and memory of every engine. */
export async function openTelemetry(launch: EngineLaunch, logger: Logger): Promise<OpenTelemetry> {
  const counters = new EngineCounters();
  const { tracing } = launch;
  if (tracing === undefined) return { telemetry: new EngineTelemetry({ counters }), close: () => Promise.resolve() };
  const { openEngineTracer } = await import("./tracing.ts");
  const onCount = (outcome: "exported" | "dropped", spans: number) =>
    counters.count("orch_spans_total", { outcome }, spans);
  const tracer = openEngineTracer({ launch, tracing, logger, onCount });
  return { telemetry: new EngineTelemetry({ tracer, counters }), close: () => tracer.close(CLOSE_MS) };
}
