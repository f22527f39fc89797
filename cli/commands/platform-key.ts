import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../src/contract/orchestrator/api-keys.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { saveThenShow } from "../save-key.ts";
import { duration } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { fields } from "../table.ts";

interface Options {
  readonly grace: number;
  readonly save: boolean;
}

export const productRotateKeyCommand: CommandMaker = (products, settings) => {
  products
    .command("rotate-key <product>")
    .description("Create a new platform key here, show it once, and send only its hash to the daemon")
    .option("--grace <time>", "how long the old key stays valid", duration, 0)
    .option("--no-save", "do not save the new key")
    .addHelpText("after", example("orchctl products rotate-key demo --grace 24h"))
    .action(async (product: string, { grace: graceS, save }: Options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
      const key = { ...storedKey(platformApiKey), graceS };
      const record = await client.admin((admin) => admin.setPlatformKeyHash(product, key), { product });
      const show = () =>
        print.document(
          { ...record, platform_api_key: platformApiKey },
          () => `Platform key, shown only now:\n  ${platformApiKey}`,
        );
      if (!save) return show();
      await saveThenShow(() => credentials.savePlatformKey(record.slug, platformApiKey), show);
      print.note(`Saved in ${credentials.path}.`);
    });
};

export const keyNewCommand: CommandMaker = (key, settings) => {
  key
    .command("new")
    .description("Create a platform key and its hash, without a call of the daemon")
    .addHelpText("after", example("orchctl key new --json"))
    .action((_options, command) => {
      const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
      const { hash, prefix, last4 } = storedKey(platformApiKey);
      // The fields of PUT /products/{product_id}/platform-key-hash.
      const body = { api_key_hash: hash, key_prefix: prefix, key_last4: last4 };
      sessionOf(command, settings).print.document({ platform_api_key: platformApiKey, ...body }, (columns) =>
        fields([["platform_api_key", platformApiKey], ...Object.entries(body)], columns),
      );
    });
};

export const keyPairCommand: CommandMaker = (key, settings) => {
  key
    .command("pair")
    .description("Send the stored keys of a host to another address of it too")
    .addHelpText("after", example("orchctl key pair --url https://orchd.example.com"))
    .action(async (_options, command) => {
      const {
        credentials,
        print,
        settings: { url },
      } = sessionOf(command, settings);
      const unpaired = await credentials.unpaired();
      if (unpaired !== null) await credentials.pair(unpaired);
      const products = await credentials.products();
      if (products.length === 0)
        throw new CliFailure(
          "notFound",
          `no keys of the host that answers at ${url} are stored in ${credentials.path}`,
        );
      print.document({ url, products }, () => `The stored keys of ${products.join(", ")} are used at ${safe(url)}.`);
    });
};
