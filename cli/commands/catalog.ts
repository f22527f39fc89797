import type { CatalogRemark, CatalogShown } from "../../src/client/records.ts";
import { OrchdError } from "../../src/client/orchd-error.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

export const catalogListCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("list <user>")
    .description("List the agents, skills and declared tools that an engine uses")
    .addHelpText("after", example("orchctl catalog list alice"))
    .action(async (user: string, _options, command) => {
      const session = sessionOf(command, settings);
      const shown = await withEngine(session, user, (engine) => engine.showCatalog());
      session.print.document(shown, (columns) => table(["NAME", "KIND", "DESCRIPTION"], rowsOf(shown), columns));
    });
};

const rowsOf = ({ agents, skills, tools }: CatalogShown) =>
  Object.entries({ agent: agents, skill: skills, tool: tools }).flatMap(([kind, entries]) =>
    entries.map(({ name, description }) => [name, kind, description.replaceAll(/\s+/g, " ")]),
  );

export const catalogValidateCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("validate <user>")
    .description("Show what a reload of an engine's catalog would find, without a change")
    .addHelpText("after", example("orchctl catalog validate alice"))
    .action(async (user: string, _options, command) => {
      const { print, ...session } = sessionOf(command, settings);
      const { errors, warnings } = await withEngine({ print, ...session }, user, (engine) => engine.showCatalog());
      if (errors.length > 0) throw invalidCatalog(errors, "a reload would be refused");
      print.document({ errors, warnings }, () => ["the catalog is valid", ...describeWarnings(warnings)].join("\n"));
    });
};

export const catalogReloadCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("reload <user>")
    .description("Reload an engine's catalog and its core soul, each as a whole or not at all")
    .addHelpText("after", example("orchctl catalog reload alice"))
    .action(async (user: string, _options, command) => {
      const session = sessionOf(command, settings);
      const reloaded = await withEngine(session, user, async (engine) => {
        try {
          return { ...(await engine.reloadCatalog()), core_soul: await engine.reloadCoreSoul() };
        } catch (error) {
          const errors = error instanceof OrchdError ? error.details["errors"] : undefined;
          if (Array.isArray(errors)) throw invalidCatalog(errors as CatalogRemark[], "the old one stays");
          throw error;
        }
      });
      const { agents, skills, tools, servers, warnings } = reloaded;
      session.print.document(reloaded, () =>
        [
          `reloaded: agents ${agents}, skills ${skills}, tools ${tools}, tool servers ${servers}, and the core soul`,
          ...describeWarnings(warnings),
        ].join("\n"),
      );
    });
};

export const describeWarnings = (warnings: readonly CatalogRemark[]): readonly string[] =>
  warnings.map(({ path, message }) => `warning: ${safe(path)}: ${safe(message)}`);

export function invalidCatalog(errors: readonly CatalogRemark[], effect: string): CliFailure {
  const all = errors.map(({ path, message }) => `${safe(path)}: ${safe(message)}`);
  return new CliFailure("usage", `the catalog is invalid; ${effect}:\n${all.join("\n")}`, "CATALOG_INVALID");
}
