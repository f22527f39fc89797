import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { documentText } from "../documents/documents.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { root } from "./backends.ts";

t.setTimeout(120_000);

t.test("the commands of the page run as printed, from the first product to the end of the last", async (t) => {
  const [dataDir, databaseUrl, home] = [freshFolder(t), await freshDatabaseUrl(t), freshFolder(t, "home")];
  const daemon = await startDaemon(t, { dataDir, databaseUrl });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ORCH_URL: daemon.url,
    ORCH_DATA_DIR: dataDir,
    ORCHCTL_CONFIG_DIR: join(home, "config"),
  };
  /** The commands of a section, in their order. */
  const commandsOf = (section: string) => {
    const [, text = ""] =
      new RegExp(`^## ${section}\\n([^]*?)(?=^## )`, "m").exec(documentText("docs/getting-started.md")) ?? [];
    return [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, commands = ""]) => commands);
  };
  const npx = `npx() { shift; ${JSON.stringify(process.execPath)} ${join(root, "bin/orchctl.js")} "$@"; }`;
  const run = async (commands: string) => {
    const own = commands.replaceAll("http://127.0.0.1:7700", daemon.url).replaceAll("~/.local/share/orchd", dataDir);
    const running = promisify(execFile)("bash", ["-ec", `${npx}\n${own}`], { env });
    running.child.stdin?.end("/say Hello");
    return (await running).stdout;
  };
  const slugs = async () => (await daemon.admin("/products")).body.data.map(({ slug }: { slug: string }) => slug);

  t.match(await run(commandsOf("First conversation").join("")), /orchp_[^]*sk-orch-[^]*Hello/);
  const [register = "", provision = ""] = commandsOf("Without orchctl");
  const { platform_api_key: key } = JSON.parse(await run(register)) as { platform_api_key: string };
  t.match(await run(provision.replace("orchp_…", key)), '"user_id":"bob"');
  t.same((await slugs()).toSorted(), ["demo", "shop"]);
  const [cleanUp = ""] = commandsOf("Clean up");
  await run(cleanUp);
  t.same(await slugs(), []);
});
