import type { ExecuteOptions } from "@orchd/client";
import { address, setQuery } from "../../routing/address.ts";

/** What answers the messages of a conversation. Empty: what the engine takes without it. */
export interface Choice {
  readonly agent: string;
  readonly model: string;
  readonly effort: "" | "low" | "medium" | "high";
  readonly thinking: boolean;
}

export type TurnOptions = Pick<ExecuteOptions, "agent" | "model" | "effort" | "thinking">;

/** `b`: the second conversation of a comparison. */
export type SideName = "a" | "b";

export const EFFORTS = ["low", "medium", "high"] as const;

const nameIn = (side: SideName, field: keyof Choice): string => (side === "a" ? field : `${field}-b`);

/** The choice of the address, so that a link leads to the same. */
export function readChoice(side: SideName): Choice {
  const text = (field: keyof Choice) => address.value.query.get(nameIn(side, field)) ?? "";
  const effort = EFFORTS.find((name) => name === text("effort")) ?? "";
  return { agent: text("agent"), model: text("model"), effort, thinking: text("thinking") !== "off" };
}

export function writeChoice(side: SideName, { thinking, ...texts }: Partial<Choice>): void {
  const shown = { ...texts, ...(thinking !== undefined && { thinking: thinking ? "" : "off" }) };
  setQuery(
    Object.fromEntries(
      Object.entries(shown).map(([field, value]) => [nameIn(side, field as keyof Choice), value.trim()]),
    ),
  );
}

/** As options of a turn: what is left to the engine is not in them. */
export const turnOptions = ({ agent, model, effort, thinking }: Choice): TurnOptions => ({
  ...(agent !== "" && { agent }),
  ...(model !== "" && { model }),
  ...(effort !== "" && { effort }),
  thinking,
});
