import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../src/contract/orchestrator/api-keys.ts";
import { describeProduct } from "./product-show.ts";
import { type PolicyOptions, policyOptions, readPolicy } from "../policy-options.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { saveThenShow } from "../save-key.ts";
import { safe } from "../output.ts";

export const productPolicyCommand: CommandMaker = (products, settings) => {
  policyOptions(products.command("policy <product>"))
    .description("Change the given fields of a product's policy at once; without an option, show the policy")
    .addHelpText(
      "after",
      example("orchctl products policy demo --engine-env LLM_PROVIDER=anthropic --engine-env LLM_API_KEY"),
    )
    .action(async (product: string, options: PolicyOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const policy = await readPolicy(options, settings);
      const isChange = Object.keys(policy).length > 0;
      const record = await client.admin(
        (admin) => (isChange ? admin.setPolicy(product, policy) : admin.getProduct(product)),
        { product },
      );
      print.document(record, (columns) => describeProduct(record, columns));
      if (policy.engine_env !== undefined)
        print.note("An engine uses these settings from its next start: orchctl engines stop USER, then start USER.");
    });
};

interface Options extends PolicyOptions {
  readonly name?: string;
  readonly save: boolean;
}

export const productRegisterCommand: CommandMaker = (products, settings) => {
  policyOptions(products.command("register <slug>"))
    .description(
      "Register a product; its platform key is made here, shown once and saved, and only its hash is sent to the daemon",
    )
    .option("--name <name>", "a name for people")
    .option("--no-save", "do not save the key")
    .addHelpText("after", example("orchctl products register demo --max-engines 20"))
    .action(async (slug: string, options: Options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const policy = await readPolicy(options, settings);
      const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
      const params = {
        slug,
        name: options.name,
        key: storedKey(platformApiKey),
        ...(Object.keys(policy).length > 0 && { policy }),
      };
      const product = await client.admin((admin) => admin.registerProduct(params), { product: slug });
      const show = () =>
        print.document(
          { ...product, platform_api_key: platformApiKey },
          (columns) => `${describeProduct(product, columns)}\n\nPlatform key, shown only now:\n  ${platformApiKey}`,
        );
      if (!options.save) return show();
      await saveThenShow(() => credentials.savePlatformKey(product.slug, platformApiKey), show);
      const current = await credentials.currentProduct();
      print.note(`Saved in ${credentials.path}; ${whichIsCurrent(product.slug, current)}`);
    });
};

/** Only the first product becomes the current one. */
const whichIsCurrent = (slug: string, current: string | null): string =>
  slug === current
    ? `${safe(slug)} is the current product.`
    : `the current product stays ${safe(current)}: orchctl products use ${safe(slug)} changes it, --product ${safe(slug)} selects it for one command.`;
