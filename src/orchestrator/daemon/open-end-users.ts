import type { Logger } from "../../shared/logger.ts";
import type { EndUserParts } from "../http/end-user-call.ts";
import { UserRequestLimit } from "../http/user-request-limit.ts";
import { AllowedOrigins } from "../status/allowed-origins.ts";
import { UserTokens } from "../status/user-tokens.ts";
import type { OpenDatabase } from "../store/database.ts";
import { ProductDirectory } from "../store/product-directory.ts";
import { SealedBox } from "../store/sealed-box.ts";

interface EndUsersParts extends Pick<OpenDatabase, "db" | "newClient"> {
  readonly secretKey: string;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/**
 * What a follower admits end users by. It hears of revoked tokens by itself, also once this daemon leads: streams that
 * began before go on.
 */
export async function openEndUsers({
  db,
  newClient,
  secretKey,
  logger,
  stopping,
}: EndUsersParts): Promise<EndUserParts> {
  const directory = new ProductDirectory(db);
  await directory.listen(newClient, logger, stopping);
  const box = new SealedBox(secretKey);
  return {
    host: {
      directory,
      box,
      userTokens: new UserTokens({ db, box, directory, now: Date.now }),
      allowedOrigins: new AllowedOrigins({ db, directory }),
    },
    limit: new UserRequestLimit(Date.now),
  };
}
