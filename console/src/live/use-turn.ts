import { OrchdError } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { engineCalls } from "../session/clients.ts";
import { epoch } from "./connection.ts";
import { followTurn, oncePerFrame } from "./follow-turn.ts";
import { asProblem } from "../parts/problem.ts";
import { TurnSteps } from "./turn-steps.ts";

/** A turn, kept up to date to its end. After a lost connection it continues where it was. */
export function useTurn(engineId: string, turnId: string): { steps: TurnSteps; problem: OrchdError | null } {
  const [steps] = useState(() => new TurnSteps());
  const [problem, setProblem] = useState<OrchdError | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const changed = oncePerFrame(() => setVersion((version) => version + 1));
    setProblem(null);
    followTurn(engineCalls(engineId), { turnId, steps }, { signal: abort.signal, changed }).catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(asProblem(error));
    });
    return () => {
      abort.abort();
      changed.cancel();
    };
  }, [epoch.value]);
  return { steps, problem };
}
