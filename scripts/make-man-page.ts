import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { createProgram } from "../cli/program.ts";
import { readSettings } from "../cli/settings.ts";
import { addShortForms } from "../cli/short-forms.ts";
import { manPage } from "./man-page.ts";

/** Writes the manual of orchctl: `<folder>/orchctl.1`. */
export async function makeManPage(folder: string, version: string): Promise<void> {
  const settings = readSettings("/");
  const program = createProgram(settings, () => undefined);
  const shortForms = addShortForms(new Command(), settings);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "orchctl.1"), manPage({ program, version, shortForms }));
}
