import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../src/contract/api-keys.ts";
import { fields } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const keyNewCommand: CommandMaker = (key, settings) => {
  key
    .command("new")
    .description("Create a platform key and its hash, without a call of the daemon")
    .addHelpText("after", example("orchctl key new --json"))
    .action((_options, command) => {
      const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
      const { hash, prefix, last4 } = storedKey(platformApiKey);
      // Named as in the body of PUT /products/{product_id}/platform-key-hash.
      const body = { api_key_hash: hash, key_prefix: prefix, key_last4: last4 };
      sessionOf(command, settings).print.document({ platform_api_key: platformApiKey, ...body }, () =>
        fields([["platform_api_key", platformApiKey], ...Object.entries(body)]),
      );
    });
};
