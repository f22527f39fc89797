import { randomUUID } from "node:crypto";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import { openTracer } from "../../shared/tracing/otlp-tracer.ts";
import { NO_TRACER, type Tracer } from "../../shared/tracing/span.ts";
import { VERSION } from "../../shared/version.ts";
import type { Metrics } from "../status/metrics.ts";
import type { Config } from "./config.ts";

/** Time for the last spans to be sent when the daemon stops. */
const CLOSE_MS = 1000;

interface TelemetryParts {
  readonly config: Pick<Config, "tracing">;
  readonly folder: { readonly hostId: string };
  readonly logger: Logger;
  readonly resources: Releasers;
  readonly metrics: Metrics;
}

/** The daemon's metrics, and its tracer if tracing is on. */
export function openTelemetry(parts: TelemetryParts): { readonly metrics: Metrics; readonly tracer: Tracer } {
  const { config, folder, logger, resources, metrics } = parts;
  if (config.tracing === null) return { metrics, tracer: NO_TRACER };
  const tracer = openTracer(config.tracing, {
    resource: {
      "service.name": "orchd",
      "service.version": VERSION,
      "service.instance.id": randomUUID(),
      "orchd.host.id": folder.hostId,
    },
    scope: { name: "orchd", version: VERSION },
    logger,
    onCount: (outcome, spans) => metrics.spans.inc({ outcome }, spans),
  });
  resources.push(() => tracer.close(CLOSE_MS));
  return { metrics, tracer };
}
