import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import t from "tap";
import { DOCUMENTS, documentText } from "./documents.ts";

const root = resolve(import.meta.dirname, "../..");
const withoutCode = (text: string) => text.replaceAll(/```[^]*?```/g, "");

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

t.test("every link leads to a file and a heading that exist", async (t) => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...withoutCode(documentText(document)).matchAll(/\]\(([^)]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^https?:/.test(link)) return [];
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? document : join(dirname(document), file);
      if (!existsSync(join(root, target))) return [`${document}: ${link}`];
      const isFound = anchor === undefined || anchorsOf(documentText(target)).includes(anchor);
      return isFound ? [] : [`${document}: ${link}`];
    }),
  );
  t.same(broken, []);
});

t.test("every file and folder that a document names exists", async (t) => {
  const missing = DOCUMENTS.flatMap((document) =>
    [
      ...documentText(document).matchAll(
        /`((?:src|test|cli|bin|scripts|migrations|bench|systemd|examples)\/[\w./-]*)`/g,
      ),
    ]
      .map(([, path = ""]) => path)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${document}: ${path}`),
  );
  t.same(missing, []);
});

t.test("every source file that a document for contributors names without its folder exists", async (t) => {
  const roots = ["src", "cli", "console", "scripts", "test", "bench", "migrations", "bin"];
  const sources = roots.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  const missing = ["docs/architecture.md", "CONTRIBUTING.md"].flatMap((document) =>
    [...documentText(document).matchAll(/`((?:[a-z][\w-]*\/)*[a-z][\w.-]*\.tsx?)`/g)]
      .map(([, path = ""]) => path)
      .filter((path) => !sources.some((source) => source.endsWith(`/${path}`) || source === path))
      .map((path) => `${document}: ${path}`),
  );
  t.same(missing, [], "name each file as it is called now");
});

t.test("the files in the paths of a call and of a turn exist", async (t) => {
  const blocks = [...documentText("docs/architecture.md").matchAll(/```\n((?:POST|GET) [^]*?)```/g)];
  const rooms = ["src/orchestrator", "src/engine"];
  t.equal(blocks.length, rooms.length);
  const missing = blocks.flatMap(([, block = ""], index) =>
    [...block.matchAll(/^ +([a-z]+\/[\w./-]*)/gm)]
      .map(([, path = ""]) => join(rooms[index] ?? "", path))
      .filter((path) => !existsSync(join(root, path))),
  );
  t.same(missing, []);
});

t.test("every folder of the sources is in the architecture's list of rooms", async (t) => {
  const named = documentText("docs/architecture.md");
  const folders = ["src", "src/orchestrator", "src/engine"].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}/${name}/`)
      .filter((folder) => folder !== "src/orchestrator/" && folder !== "src/engine/"),
  );
  t.same(
    folders.filter((folder) => !named.includes(`\`${folder}\``)),
    [],
  );
});

t.test("the README has at most 165 lines and names every document", async (t) => {
  const readme = documentText("README.md");
  t.ok(readme.trimEnd().split("\n").length <= 165);
  t.same(
    DOCUMENTS.filter((path) => path !== "README.md" && !readme.includes(`](${path})`)),
    [],
  );
});
