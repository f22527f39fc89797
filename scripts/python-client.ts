import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ClientLimits, DEFAULT_LIMITS, HOST_LIMITS } from "../src/client/limits.ts";
import { CLIENT_ERRORS } from "../src/client/orchd-error.ts";
import { CLASS_OF_CODE, CLASS_OF_STATUS } from "../src/client/retry-rule.ts";
import { ENGINE_ERRORS } from "../src/contract/engine/errors.ts";
import { ORCHESTRATOR_ERRORS } from "../src/contract/orchestrator/errors.ts";
import { VERSION } from "../src/shared/version.ts";
import { namedSchemas } from "./client-records.ts";
import { INTERFACES } from "./interfaces.ts";
import { pythonMethods } from "./python-methods.ts";
import { plain, pythonTypes } from "./python-types.ts";

const FILE = "clients/python/orchd.py";
const [START, END] = ["# <generated>\n", "# </generated>\n"];

/** `clients/python/orchd.py`, whose core is written by hand around a part that follows from the code. */
export function pythonClient(): Readonly<Record<string, string>> {
  const text = readFileSync(resolve(import.meta.dirname, "..", FILE), "utf8");
  const [head, tail] = [text.split(START)[0], text.split(END)[1]];
  if (head === undefined || tail === undefined) throw new Error(`${FILE} has no part "generated"`);
  return { [FILE]: `${head}${START}${generated()}${END}${tail}` };
}

function generated(): string {
  const schemas = namedSchemas();
  // A product has no admin key.
  const methods = [
    pythonMethods("_EngineMethods", INTERFACES.engine, () => true),
    pythonMethods("_OrchestratorMethods", INTERFACES.orchestrator, ({ auth }) => auth === "platform"),
  ];
  const used = methods.flatMap(({ text, requests }) => [text, ...requests]).join("\n");
  return `# Written by "npm run generate" from src/contract.

__version__ = "${VERSION}"

${limitsClass()}

#: Each code with its meaning. A later service may have others.
ERRORS: Dict[str, ErrorRow] = {
${errorRows()}}

_RETRY_OF_CODE: Dict[str, str] = ${JSON.stringify(CLASS_OF_CODE)}
_RETRY_OF_STATUS: Dict[int, str] = {${Object.entries(CLASS_OF_STATUS)
    .map(([status, kind]) => `${status}: "${kind}"`)
    .join(", ")}}


${types(pythonTypes(schemas, used))}


${methods.map(({ text }) => text).join("\n\n")}

`;
}

/** The records that the methods take and return. Only type checkers read them: their classes would be slow to make. */
function types(written: ReturnType<typeof pythonTypes>): string {
  const body = written.text.replaceAll(/^(?=.)/gm, "    ");
  return `if TYPE_CHECKING:\n${body}

_RECORDS = frozenset(
    """
${written.names.map((name) => `    ${name}\n`).join("")}    """.split()
)


def __getattr__(name: str) -> Any:
    """The types of records are plain dictionaries in a program that runs."""
    if name in _RECORDS:
        return dict
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")`;
}

/** The names and values of the client's limits, in seconds. */
function limitsClass(): string {
  const fields = Object.entries(DEFAULT_LIMITS).map(([name, value]) => {
    const type = { boolean: "bool", number: name.endsWith("Ms") ? "float" : "int" }[typeof value as string];
    return `    ${inSeconds(name)}: ${type ?? "Tuple[float, ...]"} = ${seconds(name, value)}\n`;
  });
  const changed = (Object.keys(HOST_LIMITS) as (keyof ClientLimits)[]).filter(
    (name) => HOST_LIMITS[name] !== DEFAULT_LIMITS[name],
  );
  const host = changed.map((name) => `${inSeconds(name)}=${seconds(name, HOST_LIMITS[name])}`);
  return `class Limits(NamedTuple):
    """How long and how often a client tries, as in docs/client.md."""

${fields.join("")}

#: Streams of the orchestrator are reopened for five minutes: long enough for an upgrade of the daemon.
HOST_LIMITS = Limits(${host.join(", ")})
`;
}

const inSeconds = (name: string): string =>
  name.replace(/Ms$/, "S").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function seconds(name: string, value: ClientLimits[keyof ClientLimits]): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(name.endsWith("Ms") ? value / 1000 : value);
  return `(${value.map((one) => String(one / 1000)).join(", ")})`;
}

function errorRows(): string {
  const rows = new Map<string, { readonly status: number | null; readonly cause: string }>(
    [...Object.entries(ORCHESTRATOR_ERRORS), ...Object.entries(ENGINE_ERRORS)].map(([code, row]) => [code, row]),
  );
  for (const [code, cause] of Object.entries(CLIENT_ERRORS)) rows.set(code, { status: null, cause });
  return [...rows]
    .map(
      ([code, { status, cause }]) => `    "${code}": ErrorRow(${status ?? "None"}, ${JSON.stringify(plain(cause))}),\n`,
    )
    .join("");
}
