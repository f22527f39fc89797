import { Command } from "commander";
import { VERSION } from "../src/shared/version.ts";
import { acpCommand } from "./commands/acp.ts";
import { auditListCommand, auditVerifyCommand } from "./commands/audit.ts";
import { backupCreateCommand, backupListCommand } from "./commands/backup.ts";
import { backupRestoreCommand, backupVerifyCommand } from "./commands/backup-restore.ts";
import { cancelCommand } from "./commands/cancel.ts";
import { CATALOG_COMMANDS } from "./commands/catalog-commands.ts";
import { KNOWLEDGE_COMMANDS } from "./commands/knowledge.ts";
import { chatCommand } from "./commands/chat.ts";
import { CONNECTION_COMMANDS } from "./commands/connections.ts";
import { consoleCommand } from "./commands/console.ts";
import { completionCommand } from "./commands/completion.ts";
import { engineDestroyCommand } from "./commands/engine-destroy.ts";
import { engineListCommand, engineShowCommand } from "./commands/engine-show.ts";
import { engineAdmitCommand, engineProvisionCommand, engineRotateKeyCommand } from "./commands/engine-keys.ts";
import { engineRestartCommand } from "./commands/engine-restart.ts";
import {
  engineSleepCommand,
  engineStartCommand,
  engineStopCommand,
  engineWaitCommand,
  engineWakeCommand,
} from "./commands/engine-state.ts";
import { eventsCommand } from "./commands/events.ts";
import { helpCommand } from "./commands/help.ts";
import { healthCommand } from "./commands/health.ts";
import { drainCommand, resumeCommand, statusCommand } from "./commands/host.ts";
import { identityRotateKeyCommand } from "./commands/identity.ts";
import { productRotateHookSecretCommand } from "./commands/hook-secret.ts";
import { keyNewCommand, keyPairCommand, productRotateKeyCommand } from "./commands/platform-key.ts";
import { NOTIFICATION_COMMANDS } from "./commands/notifications.ts";
import { logsCommand } from "./commands/logs.ts";
import { memoryEndCommand } from "./commands/memory-end.ts";
import { memoryEraseCommand } from "./commands/memory-erase.ts";
import { memoryExportCommand, memoryImportCommand } from "./commands/memory-file.ts";
import { memoryCorrectCommand, memoryForgetCommand, memoryProfileCommand } from "./commands/memory-profile.ts";
import { memoryListCommand, memorySearchCommand } from "./commands/memory-list.ts";
import { memoryLearnCommand, memorySkillsCommand } from "./commands/memory-learn.ts";
import { productDeleteCommand } from "./commands/product-delete.ts";
import { productListCommand, productShowCommand, productUseCommand } from "./commands/product-show.ts";
import { productPolicyCommand, productRegisterCommand } from "./commands/product-policy.ts";
import { QUESTION_COMMANDS, answerCommand } from "./commands/questions.ts";
import { importLettaCommand } from "./commands/import-letta.ts";
import { installCommand, rollbackCommand, uninstallCommand, upgradeCommand } from "./commands/release.ts";
import { pricesReloadCommand, usageCommand } from "./commands/usage.ts";
import { SECRET_COMMANDS } from "./commands/secrets.ts";
import { samplesCommand } from "./commands/samples.ts";
import { sessionListCommand, sessionRevokeCommand } from "./commands/sessions.ts";
import { scheduleCreateCommand } from "./commands/schedule-create.ts";
import {
  scheduleDeleteCommand,
  scheduleListCommand,
  schedulePauseCommand,
  scheduleResumeCommand,
  scheduleRunCommand,
  scheduleShowCommand,
} from "./commands/schedules.ts";
import {
  webhookCreateCommand,
  webhookDeleteCommand,
  webhookListCommand,
  webhookPauseCommand,
  webhookResumeCommand,
  webhookRotateCommand,
  webhookShowCommand,
} from "./commands/webhooks.ts";
import { vectorsConvertCommand } from "./commands/vectors-convert.ts";
import { tokenCreateCommand, tokenRevokeCommand } from "./commands/user-tokens.ts";
import { versionCommand } from "./commands/version.ts";
import { toolsAllowCommand, toolsListCommand } from "./commands/tools.ts";
import { ENGINE_PLAN_COMMANDS, PLAN_COMMANDS } from "./commands/plans.ts";
import { FILE_COMMANDS } from "./commands/files.ts";
import { TASK_COMMANDS } from "./commands/tasks.ts";
import { turnsListCommand, turnsShowCommand } from "./commands/turns.ts";
import { topCommand } from "./commands/top.ts";
import { debugBundleCommand } from "./commands/debug-bundle.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { emit } from "./output.ts";
import type { CommandMaker } from "./session.ts";
import { addShortForms } from "./short-forms.ts";
import type { Settings } from "./settings.ts";

const PRODUCT_COMMANDS: readonly CommandMaker[] = [
  productRegisterCommand,
  productListCommand,
  productShowCommand,
  productPolicyCommand,
  productRotateKeyCommand,
  productRotateHookSecretCommand,
  productUseCommand,
  productDeleteCommand,
];
const ENGINE_COMMANDS: readonly CommandMaker[] = [
  engineProvisionCommand,
  engineAdmitCommand,
  engineListCommand,
  engineShowCommand,
  engineStartCommand,
  engineSleepCommand,
  engineWakeCommand,
  engineStopCommand,
  engineRestartCommand,
  engineRotateKeyCommand,
  engineDestroyCommand,
  engineWaitCommand,
  ...ENGINE_PLAN_COMMANDS,
];
const MEMORY_COMMANDS: readonly CommandMaker[] = [
  memorySearchCommand,
  memoryListCommand,
  memoryExportCommand,
  memoryImportCommand,
  memoryEraseCommand,
  memoryLearnCommand,
  memorySkillsCommand,
  memoryEndCommand,
  memoryProfileCommand,
  memoryCorrectCommand,
  memoryForgetCommand,
];

const SCHEDULE_COMMANDS: readonly CommandMaker[] = [
  scheduleCreateCommand,
  scheduleListCommand,
  scheduleShowCommand,
  schedulePauseCommand,
  scheduleResumeCommand,
  scheduleRunCommand,
  scheduleDeleteCommand,
];
const WEBHOOK_COMMANDS: readonly CommandMaker[] = [
  webhookCreateCommand,
  webhookListCommand,
  webhookShowCommand,
  webhookPauseCommand,
  webhookResumeCommand,
  webhookRotateCommand,
  webhookDeleteCommand,
];

const BACKUP_COMMANDS: readonly CommandMaker[] = [
  backupCreateCommand,
  backupListCommand,
  backupVerifyCommand,
  backupRestoreCommand,
];

/**
 * The command line. It never ends the process: errors are thrown, and `printError` prints those of commander. `printHelp`
 * prints the help of a group that was called without a command.
 */
export function createProgram(
  settings: Settings,
  printError: (message: string) => void,
  printHelp: (help: string) => void = (help) => emit(process.stderr, help),
): Command {
  const program = new Command("orchctl")
    .description("Control orchd: products, engines and conversations with them")
    .version(VERSION)
    .option("--json", "print JSON")
    .option("--product <slug>", "the product to use (default: ORCH_PRODUCT, then the current one)")
    .option(
      "--url <url>",
      "the daemon's address (default: ORCH_URL, then ORCH_HOST and ORCH_PORT, then http://127.0.0.1:7700)",
    )
    .addHelpText("after", closingText())
    .exitOverride()
    .configureOutput({ outputError: printError, writeErr: printHelp, writeOut: (text) => emit(process.stdout, text) });
  const group = (name: string, description: string, makers: readonly CommandMaker[]) => {
    const command = program.command(name).description(description);
    for (const make of makers) make(command, settings);
  };
  program.commandsGroup("Every day:");
  addShortForms(program, settings);
  program.commandsGroup("Products and engines:");
  group("products", "Register products, set their policies and replace their keys", PRODUCT_COMMANDS);
  group("plans", "Named parts of a product's policy, which its engines can have", PLAN_COMMANDS);
  group("engines", "Provision, start, stop and inspect engines", ENGINE_COMMANDS);
  program.commandsGroup("Conversations:");
  chatCommand(program, settings);
  group("questions", "What turns wait for, of all users: list and answer it", QUESTION_COMMANDS);
  answerCommand(program, settings);
  cancelCommand(program, settings);
  acpCommand(program, settings);
  group("tasks", "List, search, rename, archive, export and delete conversations", TASK_COMMANDS);
  group("turns", "List an engine's turns, and show what their requests to the model consisted of", [
    turnsListCommand,
    turnsShowCommand,
  ]);
  group("files", "List, download, upload, move, remove and link the files of an engine's workspace", FILE_COMMANDS);
  program.commandsGroup("What an agent knows and can do:");
  group("memory", "List, search, correct, export, import and erase an engine's memory", MEMORY_COMMANDS);
  group("import", "Bring agents of other systems into an engine", [importLettaCommand]);
  group("catalog", "Push the catalog of a product's engines; list and reload an engine's", CATALOG_COMMANDS);
  group("knowledge", "Store, list, search and delete the documents of a product's knowledge", KNOWLEDGE_COMMANDS);
  group("tools", "List an engine's tool servers, and accept changed tools", [toolsListCommand, toolsAllowCommand]);
  program.commandsGroup("Users and other services:");
  group("tokens", "Tokens with which the browsers of end users call their engines", [
    tokenCreateCommand,
    tokenRevokeCommand,
  ]);
  group("connections", "Logins of users at tool servers: list, begin and end them", CONNECTION_COMMANDS);
  group("secrets", "Values that tools use and never hold: list, set and delete them", SECRET_COMMANDS);
  group("notifications", "What orchd tells the product's own services of", NOTIFICATION_COMMANDS);
  group("schedules", "Send messages to an engine at their times", SCHEDULE_COMMANDS);
  group("webhooks", "Let other services start turns of an engine", WEBHOOK_COMMANDS);
  program.commandsGroup("Operation:");
  consoleCommand(program, settings);
  group("sessions", "The people who are signed in to the console", [sessionListCommand, sessionRevokeCommand]);
  group("identity", "The key of the tokens that say for which user an agent acts", [identityRotateKeyCommand]);
  usageCommand(program, settings);
  group("prices", "The price table of models", [pricesReloadCommand]);
  doctorCommand(program, settings);
  topCommand(program, settings);
  samplesCommand(program, settings);
  group("vectors", "Related words of a language, for the search in memories", [vectorsConvertCommand]);
  logsCommand(program, settings);
  eventsCommand(program, settings);
  healthCommand(program, settings);
  statusCommand(program, settings);
  drainCommand(program, settings);
  resumeCommand(program, settings);
  group("backup", "Back up this host, and verify and restore backups", BACKUP_COMMANDS);
  group("audit", "The audit log of admin and key actions, a hash chain", [auditListCommand, auditVerifyCommand]);
  group("key", "Create keys, and send stored ones to another address", [keyNewCommand, keyPairCommand]);
  group("debug", "Collect what helps to find a fault", [debugBundleCommand]);
  versionCommand(program, settings);
  completionCommand(program, settings);
  program.commandsGroup("Releases:");
  for (const make of [installCommand, upgradeCommand, rollbackCommand, uninstallCommand]) make(program, settings);
  program.commandsGroup("Help:");
  helpCommand(program, settings);
  return program;
}

function closingText(): string {
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`);
  return [
    "",
    "Exit codes:",
    ...codes,
    "",
    "Keys come from ORCH_ADMIN_KEY, ORCH_PLATFORM_KEY, ORCH_ENGINE_KEY, ORCH_ADMIN_KEY_FILE,",
    "ORCH_PLATFORM_KEY_FILE, the stored credentials or a prompt; never from an argument.",
    "",
    "Example:",
    "  $ orchctl products register demo && orchctl engines provision alice && orchctl chat alice",
  ].join("\n");
}
