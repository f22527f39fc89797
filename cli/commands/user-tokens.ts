import type { UserToken } from "../../src/client/records.ts";
import { interval } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const tokenCreateCommand: CommandMaker = (tokens, settings) => {
  tokens
    .command("create <user>")
    .description("Create a token with which the user's browser or app calls the engine; it is shown once")
    .option("--ttl <time>", "how long it is valid, at most 1h", interval)
    .option("--scope <scopes>", 'what it permits, separated by spaces, such as "turns tasks:read"')
    .option("--task <id...>", "only these tasks")
    .option("--task-prefix <text>", "only tasks whose id begins with this")
    .addHelpText("after", example("orchctl tokens create alice --ttl 15m"))
    .action(async (user: string, { ttl: ttlS, scope, task: ids, taskPrefix: prefix }: TokenOptions, command) => {
      const session = sessionOf(command, settings);
      const options = {
        ...(ttlS !== undefined && { ttlS }),
        ...(scope !== undefined && { scope }),
        ...boundsOf(ids, prefix),
      };
      const token = await session.client.platform((orchestrator) => orchestrator.createToken(user, options), { user });
      session.print.document(token, () => shown(token));
    });
};

export const tokenRevokeCommand: CommandMaker = (tokens, settings) => {
  tokens
    .command("revoke <user>")
    .description("End all tokens of a user, and the streams that they opened")
    .addHelpText("after", example("orchctl tokens revoke alice"))
    .action(async (user: string, _options, command) => {
      const session = sessionOf(command, settings);
      const revoked = await session.client.platform((orchestrator) => orchestrator.revokeTokens(user), { user });
      session.print.document(revoked, () => `all tokens of ${safe(user)} are revoked`);
    });
};

interface TokenOptions {
  readonly ttl?: number;
  readonly scope?: string;
  readonly task?: string[];
  readonly taskPrefix?: string;
}

/** Both together are refused by the daemon. */
const boundsOf = (ids: string[] | undefined, prefix: string | undefined) =>
  (ids !== undefined || prefix !== undefined) && {
    tasks: { ...(ids !== undefined && { ids }), ...(prefix !== undefined && { prefix }) },
  };

const shown = ({ token, scope, expires_at, url }: UserToken): string =>
  [
    `Token, valid until ${expires_at}, shown only now:`,
    `  ${token}`,
    `It permits ${scope}.`,
    ...(url === null ? [] : [`Browsers call ${url}/me/… with it.`]),
  ].join("\n");
