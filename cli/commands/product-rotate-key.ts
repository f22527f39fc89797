import type { ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../src/contract/api-keys.ts";
import { pathSegment } from "../http.ts";
import { keepThenShow } from "../keep-key.ts";
import { duration } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly grace: number;
  readonly save: boolean;
}

export const productRotateKeyCommand: CommandMaker = (products, settings) => {
  products
    .command("rotate-key <product>")
    .description("Make a new platform key here, show it once, and send the daemon only its hash")
    .option("--grace <time>", "how long the old key still works", duration, 0)
    .option("--no-save", "do not keep the new key")
    .addHelpText("after", example("orchctl products rotate-key demo --grace 24h"))
    .action(async (product: string, { grace, save }: Options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
      const { hash, prefix, last4 } = storedKey(platformApiKey);
      const body = { api_key_hash: hash, key_prefix: prefix, key_last4: last4, grace_s: grace };
      const path = `/products/${pathSegment(product)}/platform-key-hash`;
      const record = await client.admin<ProductRecord>(path, { method: "PUT", body });
      const show = () =>
        print.document(
          { ...record, platform_api_key: platformApiKey },
          () => `Platform key, shown only now:\n  ${platformApiKey}`,
        );
      if (!save) return show();
      await keepThenShow(() => credentials.savePlatformKey(record.slug, platformApiKey), show);
      print.note(`Kept in ${credentials.path}.`);
    });
};
