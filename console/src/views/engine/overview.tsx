import type { EngineRecord } from "@orchd/client";
import { engineById } from "../../live/engine.ts";
import { useSamples } from "../../live/samples.ts";
import { SamplePlots } from "../../parts/sample-plots.tsx";
import { admin } from "../../session/clients.ts";
import type { ViewProps } from "../view.ts";
import { EngineFacts } from "./engine-facts.tsx";
import { EngineLog } from "./engine-log.tsx";
import { LastErrorPanel } from "./last-error.tsx";
import { NoEngine } from "./no-engine.tsx";
import { Lives } from "./lives.tsx";

/** One engine: what it is, what it uses, its lives and its log. */
export const EngineOverview = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined)
    return (
      <p aria-busy="true" class="dim">
        Reading the engine
      </p>
    );
  return engine === null ? <NoEngine /> : <Overview engine={engine} />;
};

const Overview = ({ engine }: { readonly engine: EngineRecord }) => {
  const samples = useSamples((signal) => admin.engineSamples(engine.id, { signal }), [engine.id]);
  return (
    <>
      <EngineFacts engine={engine} />
      {engine.last_error !== null && (
        <LastErrorPanel error={engine.last_error} isOver={engine.state === "running" || engine.state === "sleeping"} />
      )}
      {samples.data !== null && <SamplePlots series={samples.data} />}
      <EngineLog engine={engine} />
      <Lives engine={engine} />
    </>
  );
};
