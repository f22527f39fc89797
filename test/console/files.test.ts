import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { png } from "../helpers/sample-files.ts";
import { until } from "../helpers/until.ts";
import { openBrowser, seriousFindings, show, signIn, withChromium } from "./browser.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

t.test("the files of a workspace in a browser", withChromium, async (t) => {
  const fleet = await openFleet(t, { env: { ORCH_PORT: String(await freePort()) } });
  const { url, adminKey } = fleet.daemon;
  const anna = await fleet.provision("anna");
  const put = (path: string, body: string | Buffer) =>
    fetch(`${anna.url}/files/content?path=${encodeURIComponent(path)}`, {
      method: "PUT",
      headers: { "x-engine-key": anna.key },
      body: typeof body === "string" ? body : new Uint8Array(body),
    });
  await put(
    "notes/readme.md",
    `# Title\n\n${HOSTILE}\n\n- one\n- **two**\n\n[link](javascript:alert(1)) [web](https://example.com)`,
  );
  await put("notes/page.html", `<script>alert(1)</script>${HOSTILE}`);
  await put("notes/table.csv", `name;sum\n"a;""b""";1\n${HOSTILE};2\n`);
  await put("notes/dot.png", png(3, 2));
  await put("notes/vector.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`);
  await put("notes/paper.pdf", "%PDF-1.4\n");
  await put("notes/data.bin", Buffer.from([0, 1, 2]));
  const browser = await openBrowser(t, url);
  const page = await browser.open("");
  await signIn(page, adminKey);
  const files = `/engines/${anna.id}/files`;
  const shown = (name: string) => page.getByRole("region", { name: `Content of notes/${name}` });
  const open = async (name: string) => {
    await page.getByRole("link", { name, exact: true }).click();
    return shown(name);
  };

  await t.test("opens folders, and shows each kind of file without running anything of it", async (t) => {
    await show(page, files);
    await page.getByRole("link", { name: "notes/" }).click();
    const markdown = await open("readme.md");
    await markdown.getByRole("heading", { name: "Title" }).waitFor();
    await markdown.getByText(HOSTILE).waitFor();
    t.equal(await markdown.locator("img").count(), 0, "HTML in Markdown is text");
    t.same(await markdown.getByRole("link").allTextContents(), ["web"]);
    await (await open("page.html")).locator("pre").waitFor();
    t.match(await shown("page.html").locator("pre").textContent(), /^<script>alert/);
    await (await open("vector.svg")).locator("pre").waitFor();
    t.match(await shown("vector.svg").locator("pre").textContent(), /^<svg /);
    const csv = await open("table.csv");
    await csv.getByRole("cell", { name: 'a;"b"', exact: true }).waitFor();
    await csv.getByRole("cell", { name: HOSTILE }).waitFor();
    const image = (await open("dot.png")).getByRole("img");
    await image.waitFor();
    await until("the image is shown", () =>
      page.evaluate<boolean>("document.querySelector('.file-image').naturalWidth === 3"),
    );
    const pdf = (await open("paper.pdf")).getByRole("link", { name: "Open the PDF" });
    t.match(await pdf.getAttribute("href"), /^blob:/);
    await (await open("data.bin")).getByText("This file is no text.").waitFor();
  });

  await t.test("downloads a file and a folder", async (t) => {
    await open("page.html");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      shown("page.html").getByRole("button", { name: "Download" }).click(),
    ]);
    t.equal(file.suggestedFilename(), "page.html");
    t.match(await readFile(await file.path(), "utf8"), "<script>");
    const [archive] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download as zip" }).click(),
    ]);
    t.equal(archive.suggestedFilename(), "notes.zip");
  });

  await t.test("uploads files, replaces none, and removes one after a question", async (t) => {
    const folder = t.testdir({ "new.txt": "uploaded", "page.html": "other" });
    const upload = (name: string) => page.getByLabel("Files to upload").setInputFiles(join(folder, name));
    await upload("new.txt");
    await (await open("new.txt")).getByText("uploaded").waitFor();
    await upload("page.html");
    await page.getByText(/there is a file or folder at this path/).waitFor();
    await page.getByRole("button", { name: "Remove new.txt" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await until("it is gone", async () => (await page.getByRole("link", { name: "new.txt" }).count()) === 0);
  });

  await t.test("everybody can use it, on a narrow page and in the dark too", async (t) => {
    await open("table.csv");
    await shown("table.csv").getByRole("cell").first().waitFor();
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      t.same(await seriousFindings(page, colorScheme), [], `${colorScheme}, ${width}`);
      t.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `fits ${width}`);
    }
  });

  t.same(browser.offences, []);
});
