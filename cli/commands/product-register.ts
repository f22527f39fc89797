import type { ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { describeProduct } from "../describe-product.ts";
import { keepThenShow } from "../keep-key.ts";
import { safe } from "../output.ts";
import { type PolicyOptions, policyOptions, readPolicy } from "../policy-options.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options extends PolicyOptions {
  readonly name?: string;
  readonly save: boolean;
}

export const productRegisterCommand: CommandMaker = (products, settings) => {
  policyOptions(products.command("register <slug>"))
    .description("Register a product; its platform key is shown once and kept for the next commands")
    .option("--name <name>", "a name for people")
    .option("--no-save", "do not keep the key")
    .addHelpText("after", example("orchctl products register demo --max-engines 20"))
    .action(async (slug: string, options: Options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const policy = await readPolicy(options, settings);
      const body = {
        slug,
        ...(options.name !== undefined && { name: options.name }),
        ...(Object.keys(policy).length > 0 && { policy }),
      };
      const product = await client.admin<ProductRecord & { platform_api_key: string }>("/products/register", {
        method: "POST",
        body,
      });
      const { platform_api_key: key } = product;
      const show = () =>
        print.document(product, () => `${describeProduct(product)}\n\nPlatform key, shown only now:\n  ${key}`);
      if (!options.save) return show();
      await keepThenShow(() => credentials.savePlatformKey(product.slug, key), show);
      const current = await credentials.currentProduct();
      print.note(`Kept in ${credentials.path}; ${whichIsCurrent(product.slug, current)}`);
    });
};

/** The first product becomes the current one; a later one does not silently take its place. */
const whichIsCurrent = (slug: string, current: string | null): string =>
  slug === current
    ? `${safe(slug)} is the current product.`
    : `the current product stays ${safe(current)}: orchctl products use ${safe(slug)} changes it, --product ${safe(slug)} names it once.`;
