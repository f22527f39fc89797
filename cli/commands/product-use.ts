import { CliFailure } from "../exit-codes.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productUseCommand: CommandMaker = (products, settings) => {
  products
    .command("use <slug>")
    .description("Make a product the current one for later commands")
    .addHelpText("after", example("orchctl products use demo"))
    .action(async (slug: string, _options, command) => {
      const {
        credentials,
        print,
        settings: { url },
      } = sessionOf(command, settings);
      if ((await credentials.platformKey(slug)) === null) {
        const advice = `orchctl products rotate-key ${slug} creates a new one; the old one expires then, or after --grace`;
        throw new CliFailure("notFound", `no key of ${slug} for ${url} is stored in ${credentials.path}; ${advice}`);
      }
      await credentials.useProduct(slug);
      print.document({ current: slug }, () => `${slug} is the current product.`);
    });
};
