import * as z from "zod/mini";
import { SECRET_PLACES } from "../orchestrator/secret-limits.ts";
import { MISUSES } from "./secret-calls.ts";
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

/** Tokens. */
const amount = z.int().check(z.gte(0), z.lte(1_000_000_000));

/** The policy's `tool_network`. */
const toolNetwork = z.union([z.enum(["open", "none"]), z.array(z.string())]);

/** A start of an engine, as in the keys that it has for the broker. */
const start = { engine: text, incarnation: text };

/**
 * What the broker asks the daemon. A question may arrive twice, because the broker repeats one whose answer was lost: its
 * handler must do the same as once.
 */
export const BROKER_QUESTIONS = {
  engine: {
    meaning:
      "Whether this start of an engine may still use its keys (not once it has stopped), whether its calls are reserved, and what its tools may connect to",
    asked: z.strictObject(start),
    answer: z.object({ is_current: z.boolean(), has_budgets: z.boolean(), tool_network: toolNetwork }),
  },
  reserve: {
    meaning: "Reserves the most that a model call may cost in the budgets of its user and its product",
    asked: z.strictObject({ ...start, id: z.uuid(), provider: text, model: text, input: amount, output: amount }),
    /** `wait`: it depends on calls in flight, and is to be asked again. */
    answer: z.object({
      verdict: z.enum(["reserved", "wait", "refused"]),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  },
  settle: {
    meaning: "Replaces a reservation by what the call has used. A reservation that is unknown was settled before",
    asked: z.strictObject({
      id: z.uuid(),
      input: amount,
      output: amount,
      cache_read: amount,
      cache_write: amount,
    }),
    answer: z.object({}),
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
  secret: {
    meaning:
      "The value of a secret for an engine's user, and where it may go. Null: there is none, or it cannot be read",
    asked: z.strictObject({ ...start, name: text }),
    answer: z.object({
      secret: z.nullable(
        z.object({
          value: z.string(),
          hosts: z.array(z.string()),
          place: z.enum(SECRET_PLACES),
          header: z.nullable(z.string()),
          prefix: z.nullable(z.string()),
          network: toolNetwork,
        }),
      ),
    }),
  },
  secret_hosts: {
    meaning: "The hosts of secrets of an engine's user, by their names",
    asked: z.strictObject({ ...start, names: z.array(text).check(z.maxLength(100)) }),
    answer: z.object({ hosts: z.record(z.string(), z.array(z.string())) }),
  },
  misused: {
    meaning: "A request with a placeholder was refused, which becomes an event",
    asked: z.strictObject({ ...start, name: text, misuse: z.enum(MISUSES), host: z.string().check(z.maxLength(300)) }),
    answer: z.object({}),
  },
} as const satisfies Readonly<Record<string, BrokerQuestion>>;

export type QuestionName = keyof typeof BROKER_QUESTIONS;
export type Asked<Name extends QuestionName> = z.output<(typeof BROKER_QUESTIONS)[Name]["asked"]>;
export type AnswerTo<Name extends QuestionName> = z.output<(typeof BROKER_QUESTIONS)[Name]["answer"]>;
