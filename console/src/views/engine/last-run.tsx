import type { RunRecord } from "@orchd/client";
import { NONE } from "../../parts/format.ts";
import { Ago } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";

/** How a schedule or webhook ran last, which leads to the turn of that run. */
export const LastRun = ({ engine, run }: { readonly engine: string; readonly run: RunRecord | null }) => {
  if (run === null) return <>{NONE}</>;
  const { state, turn_id: turn, error, ended_at: ended, due_at: due } = run;
  return (
    <span title={error ?? ""}>
      {turn === null ? (
        state.replaceAll("_", " ")
      ) : (
        <a href={linkTo(`/engines/${engine}/turns/${turn}`)}>{state.replaceAll("_", " ")}</a>
      )}{" "}
      <Ago at={ended ?? due} />
    </span>
  );
};
