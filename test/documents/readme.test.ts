import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import t from "tap";
import { CLIENT_ERRORS } from "../../src/client/orchd-error.ts";
import { ENGINE_EXITS } from "../../src/contract/engine-exit.ts";
import { ENGINE_ERRORS } from "../../src/contract/engine-errors.ts";
import { MEMORY_MB } from "../../src/contract/orchestrator-api.ts";
import { ORCHESTRATOR_ROUTES, type Route, SMALL_BODY_BYTES } from "../../src/contract/orchestrator-routes.ts";
import { ORCHESTRATOR_ERRORS } from "../../src/contract/orchestrator-errors.ts";
import { ORCHESTRATOR_EVENTS } from "../../src/contract/orchestrator-events.ts";
import { SETTINGS } from "../../src/contract/settings.ts";

const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");

/** The rows of the table that follows a heading, as cells. */
function tableAfter(marker: string): string[][] {
  const [, rest = ""] = readme.split(marker);
  const lines = rest.split("\n").slice(1);
  const start = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const plain = (cell = "") => cell.replaceAll("`", "");

t.test("the README's orchestrator errors are the table in the code, both ways", async (t) => {
  const rows = tableAfter("<!-- orchestrator errors -->").map(([code, status, cause, retry]) => [
    plain(code),
    status,
    cause,
    retry,
  ]);
  const table = Object.entries(ORCHESTRATOR_ERRORS).map(([code, row]) => [
    code,
    String(row.status),
    row.cause,
    row.retry,
  ]);
  t.same(rows, table);
});

t.test("the README's engine errors are the table in the code, both ways", async (t) => {
  const rows = tableAfter("<!-- engine errors -->").map(([code, status, cause]) => [plain(code), status, cause]);
  t.same(
    rows,
    Object.entries(ENGINE_ERRORS).map(([code, row]) => [
      code,
      row.status === null ? "in a stream" : String(row.status),
      row.cause,
    ]),
  );
});

t.test("the README's client errors are the table in the code, both ways", async (t) => {
  const rows = tableAfter("<!-- client errors -->").map(([code, meaning]) => [plain(code), meaning]);
  t.same(rows, Object.entries(CLIENT_ERRORS));
});

t.test("the README's exit codes of engines are the table in the code, both ways", async (t) => {
  const rows = tableAfter("<!-- engine exit codes -->").map(([code, cause, restart]) => [code, cause, restart]);
  t.same(
    rows,
    Object.values(ENGINE_EXITS).map(({ code, cause, restart }) => [String(code), cause, restart.replaceAll("_", " ")]),
  );
});

t.test("the README's routes are the routes of the code, both ways", async (t) => {
  const rows = tableAfter("<!-- routes -->").map(([route, auth]) => [plain(route), auth]);
  t.same(
    rows,
    Object.values(ORCHESTRATOR_ROUTES).map(({ method, path, auth }) => [`${method} ${path}`, auth]),
  );
});

t.test("the README's largest bodies are those of the routes, both ways", async (t) => {
  const rows = tableAfter("<!-- bodies -->").map(([route, size]) => [plain(route), size]);
  const larger = Object.values<Route>(ORCHESTRATOR_ROUTES).flatMap(({ method, path, maxBodyBytes }) =>
    maxBodyBytes === undefined ? [] : [[`${method} ${path}`, `${maxBodyBytes / 1024} KiB`]],
  );
  t.same(rows, [...larger, ["others", `${SMALL_BODY_BYTES / 1024} KiB`]]);
});

t.test("the README's bounds of memory_mb are those of the policy", async (t) => {
  const [, , meaning] = tableAfter("### Policy").find(([name]) => plain(name) === "memory_mb") ?? [];
  t.match(meaning, `${MEMORY_MB.min} to ${MEMORY_MB.max}: `);
});

t.test("the README's events are the events of the code, both ways", async (t) => {
  const rows = tableAfter("<!-- events -->").map(([type, meaning]) => [plain(type), meaning]);
  t.same(rows, Object.entries(ORCHESTRATOR_EVENTS));
});

t.test("the README names every setting, and no other", async (t) => {
  const names = tableAfter("<!-- settings -->").flatMap(([name]) => plain(name).split(", "));
  t.same(new Set(names), new Set(Object.keys(SETTINGS)));
});
