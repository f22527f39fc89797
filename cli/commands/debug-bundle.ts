import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { execa } from "execa";
import { SECRET_FILES } from "../../src/contract/orchestrator/data-dir.ts";
import { isPublicSetting } from "../../src/contract/settings/settings.ts";
import { errorCode } from "../../src/shared/error-code.ts";
import { type BundleFile, collect } from "../bundle/collect.ts";
import { redactSecrets } from "../../src/shared/redact-secrets.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { withProgress } from "../progress.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

const TAR_MS = 60_000;
const ABOUT = `What describes this orchd for whoever helps with it: versions, settings, checks, status, products, engines, events and logs.

Keys, passwords, messages, metadata and the values of secret settings are left out. Of logs and events, only the fields
that orchd makes itself are kept. Identifiers of users, products and engines are in it, and names of hosts.
`;

export const debugBundleCommand: CommandMaker = (debug, settings) => {
  debug
    .command("bundle")
    .description("Write what describes the daemon and its host to one file, without secrets and messages")
    .option("-o, --output <file>", "the file to write, which must not exist (default: orchctl-debug-<time>.tar.gz)")
    .addHelpText("after", example("orchctl debug bundle --output /tmp/orchd.tar.gz"))
    .action(async ({ output }: { output?: string }, command) => {
      const session = sessionOf(command, settings);
      const name = `orchctl-debug-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}`;
      const path = resolve(output ?? `${name}.tar.gz`);
      // Prompts for a key before the progress is shown. Without a key, the bundle names what is missing.
      await session.client.admin(async () => undefined).catch(() => undefined);
      const files = await withProgress("collecting", async () => {
        const secrets = await knownSecrets(session);
        const found = (await collect(session)).map((one) => ({ ...one, content: redactSecrets(one.content, secrets) }));
        const all = [{ name: "README.txt", content: ABOUT }, ...found];
        await writeArchive(path, { name, files: all });
        return all;
      });
      session.print.document({ file: path, files: files.map((one) => one.name) }, () => {
        const list = files.map((one) => `  ${safe(one.name)}`);
        return [`${safe(path)} has:`, ...list, "Look into it before you give it away: tar -tzf, tar -xzf."].join("\n");
      });
    });
};

/** All secrets that this command can read. They are redacted. */
async function knownSecrets({ settings, credentials }: Session): Promise<readonly string[]> {
  const files = await Promise.all(
    SECRET_FILES.map((name) => readFile(join(settings.dataDir, name), "utf8").catch(() => "")),
  );
  const variables = Object.entries(settings.environment).filter(
    ([name]) => SECRET_NAME.test(name) && !isPublicSetting(name),
  );
  return [...files.map((text) => text.trim()), ...variables.map(([, value]) => value), ...(await credentials.keys())];
}

const SECRET_NAME = /KEY|SECRET|TOKEN|PASSWORD|DATABASE_URL|^LLM_/i;

/** Writes a file with mode 0600, atomically. */
async function writeArchive(
  path: string,
  { name, files }: { readonly name: string; readonly files: readonly BundleFile[] },
): Promise<void> {
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (error) {
    const reason = errorCode(error) === "EEXIST" ? "it exists" : errorCode(error);
    throw new CliFailure("usage", `--output: ${path} cannot be written (${reason})`);
  }
  const folder = await mkdtemp(join(tmpdir(), "orchctl-"));
  try {
    for (const one of files) {
      const place = join(folder, name, one.name);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await writeFile(place, one.content, { mode: 0o600 });
    }
    await execa("tar", ["-czf", path, "-C", folder, name], { timeout: TAR_MS, stdin: "ignore" });
  } catch (error) {
    await rm(path, { force: true });
    const reason = error instanceof Error && "shortMessage" in error ? String(error.shortMessage) : String(error);
    throw new CliFailure("unexpected", `the bundle cannot be written: ${reason}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
