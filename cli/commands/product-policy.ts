import type { ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { describeProduct } from "../describe-product.ts";
import { pathSegment } from "../http.ts";
import { type PolicyOptions, policyOptions, readPolicy } from "../policy-options.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productPolicyCommand: CommandMaker = (products, settings) => {
  policyOptions(products.command("policy <product>"))
    .description("Change a product's policy, at once; what is not given stays. Without an option, show it")
    .addHelpText(
      "after",
      example("orchctl products policy demo --engine-env LLM_PROVIDER=anthropic --engine-env LLM_API_KEY"),
    )
    .action(async (product: string, options: PolicyOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const body = await readPolicy(options, settings);
      const path = `/products/${pathSegment(product)}`;
      const record = await (Object.keys(body).length === 0
        ? client.admin<ProductRecord>(path)
        : client.admin<ProductRecord>(`${path}/policy`, { method: "PUT", body }));
      print.document(record, () => describeProduct(record));
      if (body.engine_env !== undefined)
        print.note("An engine takes these settings when it starts next: orchctl engines stop USER, then start USER.");
    });
};
