import type { ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { describeProduct } from "../describe-product.ts";
import { pathSegment } from "../http.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productShowCommand: CommandMaker = (products, settings) => {
  products
    .command("show <product>")
    .description("Show a product, by slug or id")
    .addHelpText("after", example("orchctl products show demo"))
    .action(async (product: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const record = await client.admin<ProductRecord>(`/products/${pathSegment(product)}`);
      print.document(record, () => describeProduct(record));
    });
};
