import t from "tap";
import { ENGINE_EXITS } from "../../src/contract/engine-exit.ts";
import {
  DEFAULT_POLICY,
  ENGINE_LIMITS,
  ENGINE_STATES,
  POLICY_ACTIONS,
  TOOL_LISTEN,
  TOOL_NETWORK_HOSTS,
  policyPatch,
} from "../../src/contract/orchestrator-api.ts";
import { ORCHESTRATOR_ERRORS } from "../../src/contract/orchestrator-errors.ts";
import { ORCHESTRATOR_ROUTES } from "../../src/contract/orchestrator-routes.ts";
import { type Route, SMALL_BODY_BYTES } from "../../src/contract/orchestrator-routes/route-row.ts";
import { ORCHESTRATOR_EVENTS } from "../../src/contract/orchestrator-events.ts";
import { isRunning } from "../../src/orchestrator/rules/engine-lifecycle.ts";
import { codesOf, namesIn, tableIs, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/orchestrator-api.md";

t.test("the routes are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "routes").map(([route, key]) => [withoutBackticks(route), key]);
  t.same(
    rows,
    Object.values(ORCHESTRATOR_ROUTES).map(({ method, path, auth }) => [`${method} ${path}`, auth]),
    tableIs(FILE, "routes", "src/contract/orchestrator-routes/, in their order"),
  );
});

t.test("the largest bodies are those of the routes, both ways", async (t) => {
  const rows = tableRows(FILE, "bodies").map(([route, size]) => [withoutBackticks(route), size]);
  const larger = Object.values<Route>(ORCHESTRATOR_ROUTES).flatMap(({ method, path, maxBodyBytes }) =>
    maxBodyBytes === undefined ? [] : [[`${method} ${path}`, `${maxBodyBytes / 1024} KiB`]],
  );
  t.same(
    rows,
    [...larger, ["others", `${SMALL_BODY_BYTES / 1024} KiB`]],
    tableIs(FILE, "bodies", "src/contract/orchestrator-routes/: maxBodyBytes"),
  );
});

t.test("the errors are the table in the code, both ways", async (t) => {
  const rows = tableRows(FILE, "orchestrator errors").map(([code, ...rest]) => [withoutBackticks(code), ...rest]);
  t.same(
    rows,
    Object.entries(ORCHESTRATOR_ERRORS).map(([code, { status, cause, retry }]) => [code, String(status), cause, retry]),
    tableIs(FILE, "orchestrator errors", "src/contract/orchestrator-errors.ts"),
  );
});

t.test("the states are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "states").map(([state, , running]) => [withoutBackticks(state), running]);
  t.same(
    rows,
    ENGINE_STATES.map((state) => [state, isRunning(state) ? "yes" : "no"]),
    tableIs(FILE, "states", "src/contract/engine-states.ts"),
  );
});

t.test("the exit codes of engines are the table in the code, both ways", async (t) => {
  t.same(
    tableRows(FILE, "engine exit codes"),
    Object.values(ENGINE_EXITS).map(({ code, cause, restart }) => [String(code), cause, restart.replaceAll("_", " ")]),
    tableIs(FILE, "engine exit codes", "src/contract/engine-exit.ts"),
  );
});

t.test("the events are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "events").map(([type, meaning]) => [withoutBackticks(type), meaning]);
  t.same(rows, Object.entries(ORCHESTRATOR_EVENTS), tableIs(FILE, "events", "src/contract/orchestrator-events.ts"));
});

t.test("the policy's fields and defaults are those of the code, both ways", async (t) => {
  const fields = Object.keys(policyPatch.shape).sort();
  t.same([...namesIn(FILE, "policy")].sort(), fields, tableIs(FILE, "policy", "src/contract/orchestrator-api.ts"));
  const rows = new Map(tableRows(FILE, "policy").map(([field, ...rest]) => [withoutBackticks(field), rest]));
  for (const [field, value] of Object.entries(DEFAULT_POLICY)) {
    const [shown, meaning] = rows.get(field) ?? [];
    if (field === "allowed_actions") t.same([shown, ...codesOf(meaning)], ["all", ...POLICY_ACTIONS]);
    else t.equal(withoutBackticks(shown), JSON.stringify(value), field);
  }
  for (const [field, { min, max }] of Object.entries(ENGINE_LIMITS))
    t.match(rows.get(field)?.[1], `${min} to ${max}: `);
  const { minPort, maxPort, maxPorts } = TOOL_LISTEN;
  t.match(rows.get("tool_network")?.[1], `${TOOL_NETWORK_HOSTS.min} to ${TOOL_NETWORK_HOSTS.max} hosts`);
  t.match(rows.get("tool_listen")?.[1], `at most ${maxPorts} TCP ports from ${minPort} to ${maxPort}`);
});
