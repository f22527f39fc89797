import type { ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { describeProduct } from "../describe-product.ts";
import { CliFailure } from "../exit-codes.ts";
import { pathSegment } from "../http.ts";
import { type PolicyOptions, policyOptions, readPolicy } from "../policy-options.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productPolicyCommand: CommandMaker = (products, settings) => {
  policyOptions(products.command("policy <product>"))
    .description("Change a product's policy, at once; what is not given stays")
    .addHelpText("after", example("orchctl products policy demo --max-engines none --engine-env LLM_API_KEY"))
    .action(async (product: string, options: PolicyOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const body = await readPolicy(options, settings);
      if (Object.keys(body).length === 0) {
        throw new CliFailure("usage", `nothing to change was given; orchctl products show ${product} shows the policy`);
      }
      const path = `/products/${pathSegment(product)}/policy`;
      const record = await client.admin<ProductRecord>(path, { method: "PUT", body });
      print.document(record, () => describeProduct(record));
    });
};
