import { describeProduct } from "../describe-product.ts";
import { type PolicyOptions, policyOptions, readPolicy } from "../policy-options.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

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
      print.document(record, () => describeProduct(record));
      if (policy.engine_env !== undefined)
        print.note("An engine uses these settings from its next start: orchctl engines stop USER, then start USER.");
    });
};
