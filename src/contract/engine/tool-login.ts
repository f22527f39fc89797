import * as z from "zod/mini";
import { type RecordOf, field, nullable } from "../record.ts";

const name = z.string().check(z.minLength(1), z.maxLength(64));
const address = z.string().check(z.maxLength(2048));
const scope = z.string().check(z.regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/));

/** A tool server whose users sign in, as the engine's catalog has it. */
export const loginTarget = z.object({
  server: field(name, "The tool server's name.", "tickets"),
  url: field(address, "Its address.", "https://tickets.example.com/mcp"),
  scopes: nullable(
    z.array(scope).check(z.maxLength(64)),
    "The scopes to ask for. `null`: those that the server names.",
  ),
  client_id: nullable(z.string().check(z.maxLength(2048)), "A client that is registered already. `null`: none."),
});
export type LoginTarget = RecordOf<typeof loginTarget>;

/** How a login ended: the answers of its question too. */
export const LOGIN_OUTCOMES = ["signed_in", "refused"] as const;
export type LoginOutcome = (typeof LOGIN_OUTCOMES)[number];

/** `POST /control/logins`: how the login at a tool server ended. */
export const controlLoginRequest = z.object({ server: name, outcome: z.enum(LOGIN_OUTCOMES) });

/** `GET /control/logins` */
export const loginTargets = z.object({ servers: field(z.array(loginTarget), "Its tool servers that have logins.") });

/** The turn that waits for a login. */
const id = z.string().check(z.minLength(1), z.maxLength(512));
export const waitingTurn = { turn_id: id, task_id: id, tool_call_id: id };
