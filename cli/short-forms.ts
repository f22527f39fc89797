import { Command } from "commander";
import { engineListCommand, engineShowCommand } from "./commands/engine-show.ts";
import { engineAdmitCommand, engineProvisionCommand, engineRotateKeyCommand } from "./commands/engine-keys.ts";
import { engineRestartCommand } from "./commands/engine-restart.ts";
import { engineStartCommand, engineStopCommand, engineWaitCommand } from "./commands/engine-state.ts";
import { productRegisterCommand } from "./commands/product-policy.ts";
import type { CommandMaker } from "./session.ts";
import type { Settings } from "./settings.ts";

interface ShortForm {
  readonly name: string;
  readonly alias?: string;
  readonly group: "products" | "engines";
  readonly make: CommandMaker;
}

/** Short names of frequent commands. */
const SHORT_FORMS: readonly ShortForm[] = [
  { name: "register", group: "products", make: productRegisterCommand },
  { name: "provision", group: "engines", make: engineProvisionCommand },
  { name: "admit", group: "engines", make: engineAdmitCommand },
  { name: "ls", alias: "ps", group: "engines", make: engineListCommand },
  { name: "show", group: "engines", make: engineShowCommand },
  { name: "start", group: "engines", make: engineStartCommand },
  { name: "stop", group: "engines", make: engineStopCommand },
  { name: "restart", group: "engines", make: engineRestartCommand },
  { name: "wait", group: "engines", make: engineWaitCommand },
  { name: "rotate", group: "engines", make: engineRotateKeyCommand },
];

/** Adds the short forms and returns the full name of each. */
export function addShortForms(program: Command, settings: Settings): ReadonlyMap<string, string> {
  return new Map(SHORT_FORMS.map((form) => addShortForm(program, form, settings)));
}

function addShortForm(program: Command, form: ShortForm, settings: Settings): readonly [string, string] {
  const holder = new Command();
  form.make(holder, settings);
  const [command] = holder.commands;
  if (command === undefined) throw new Error(`${form.name} has no command`);
  const fullName = `${form.group} ${command.name()}`;
  command.copyInheritedSettings(program).name(form.name).summary(`short for ${fullName}`);
  if (form.alias !== undefined) command.alias(form.alias);
  program.addCommand(command);
  return [form.name, fullName];
}
