import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { Logger } from "../../shared/logger.ts";
import { type OpenTracer, openTracer } from "../../shared/tracing/otlp-tracer.ts";
import { VERSION } from "../../shared/version.ts";

/** The engine's tracer, in a bundle of its own. */
export const openEngineTracer = ({
  launch,
  tracing,
  logger,
  onCount,
}: {
  readonly launch: EngineLaunch;
  readonly tracing: NonNullable<EngineLaunch["tracing"]>;
  readonly logger: Logger;
  readonly onCount: (outcome: "exported" | "dropped", spans: number) => void;
}): OpenTracer =>
  openTracer(tracing, {
    resource: {
      "service.name": "orchd-engine",
      "service.version": VERSION,
      "service.instance.id": launch.incarnation,
      "orchd.engine.id": launch.engine_id,
      "orchd.product": launch.product,
    },
    scope: { name: "orchd", version: VERSION },
    logger,
    onCount,
  });
