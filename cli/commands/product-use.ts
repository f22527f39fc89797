import { CliFailure } from "../exit-codes.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productUseCommand: CommandMaker = (products, settings) => {
  products
    .command("use <slug>")
    .description("Make a product the one that later commands are for")
    .addHelpText("after", example("orchctl products use demo"))
    .action(async (slug: string, _options, command) => {
      const {
        credentials,
        print,
        settings: { url },
      } = sessionOf(command, settings);
      if ((await credentials.platformKey(slug)) === null) {
        const way = `orchctl products rotate-key ${slug} makes a new one, and the old one ends then, or after --grace`;
        throw new CliFailure("notFound", `no key of ${slug} for ${url} is kept in ${credentials.path}; ${way}`);
      }
      await credentials.useProduct(slug);
      print.document({ current: slug }, () => `${slug} is the current product.`);
    });
};
