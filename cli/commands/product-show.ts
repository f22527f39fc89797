import { describeProduct } from "../describe-product.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productShowCommand: CommandMaker = (products, settings) => {
  products
    .command("show <product>")
    .description("Show a product, by slug or ID")
    .addHelpText("after", example("orchctl products show demo"))
    .action(async (product: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const record = await client.admin((admin) => admin.getProduct(product), { product });
      print.document(record, () => describeProduct(record));
    });
};
