import * as z from "zod/mini";
import { loginTarget, waitingTurn } from "../engine/tool-login.ts";
import { identityCall } from "./identity-call.ts";

interface BrokerQuestion {
  /** What the broker wants to know. */
  readonly meaning: string;
  /** The body of the question. */
  readonly asked: z.ZodMiniObject;
  readonly answer: z.ZodMiniObject;
}

const text = z.string().check(z.minLength(1), z.maxLength(200));

/** A start of an engine, as in the keys that it has for the broker. */
const start = { engine: text, incarnation: text };

/**
 * What the broker asks the daemon. A question may arrive twice, because the broker repeats one whose answer was lost: its
 * handler must do the same as once.
 */
export const BROKER_QUESTIONS = {
  engine: {
    meaning: "Whether this start of an engine may still use its keys: false once it has stopped",
    asked: z.strictObject(start),
    answer: z.object({ is_current: z.boolean() }),
  },
  connection: {
    meaning: "The user's access token for a tool server, renewed if it is about to end or was refused there",
    asked: z.strictObject({
      ...start,
      target: loginTarget,
      /** SHA-256 of a token that the tool server has refused. */
      rejected: z.nullable(text),
    }),
    answer: z.object({
      state: z.enum(["token", "login", "away"]),
      token: z.nullable(z.string()),
      /** When it ends, in milliseconds since the epoch. */
      expires_at: z.nullable(z.number()),
      /** The private hosts that the product may call. */
      private_hosts: z.array(z.string()),
    }),
  },
  login: {
    meaning: "The link with which the user signs in to a tool server, for a turn that waits",
    asked: z.strictObject({ ...start, target: loginTarget, turn: z.strictObject(waitingTurn) }),
    answer: z.object({ url: z.string() }),
  },
  identity: {
    meaning:
      "A token for a call of this start of an engine: the daemon knows its user and product, and the engine says which agent calls",
    asked: z.extend(z.strictObject(start), identityCall.shape),
    answer: z.object({ token: z.string() }),
  },
} as const satisfies Readonly<Record<string, BrokerQuestion>>;

export type QuestionName = keyof typeof BROKER_QUESTIONS;
export type Asked<Name extends QuestionName> = z.output<(typeof BROKER_QUESTIONS)[Name]["asked"]>;
export type AnswerTo<Name extends QuestionName> = z.output<(typeof BROKER_QUESTIONS)[Name]["answer"]>;
