import type { CommandMaker } from "../session.ts";
import { catalogDiffCommand, catalogPushCommand } from "./catalog-push.ts";
import { catalogDownloadCommand, catalogHistoryCommand, catalogRollbackCommand } from "./catalog-versions.ts";
import { catalogListCommand, catalogReloadCommand, catalogValidateCommand } from "./catalog.ts";

/** The commands of the product's catalog, then those of an engine's. */
export const CATALOG_COMMANDS: readonly CommandMaker[] = [
  catalogPushCommand,
  catalogDiffCommand,
  catalogHistoryCommand,
  catalogRollbackCommand,
  catalogDownloadCommand,
  catalogListCommand,
  catalogValidateCommand,
  catalogReloadCommand,
];
