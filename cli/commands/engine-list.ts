import { Option } from "commander";
import { ENGINE_STATES, type EngineRecord, type ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { table } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

interface Options {
  readonly state?: string;
  readonly all: boolean;
}

const COLUMNS = ["USER", "STATE", "PORT", "PID", "RESTARTS", "STARTED", "ID"];
const row = ({ user_id, state, port, pid, restarts, started_at, id }: EngineRecord) => [
  user_id,
  state,
  String(port),
  pid === null ? null : String(pid),
  String(restarts.count),
  started_at,
  id,
];

export const engineListCommand: CommandMaker = (engines, settings) => {
  engines
    .command("list")
    .description("List the product's engines")
    .addOption(new Option("--state <state>", "only those in this state").choices(ENGINE_STATES))
    .option("--all", "those of every product, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl engines list --state running"))
    .action(async ({ state, all }: Options, command) => {
      const session = sessionOf(command, settings);
      const query = state === undefined ? {} : { state };
      if (all) return listAll(session, query);
      const list = await session.client.all<EngineRecord>("platform", "/engines", query);
      session.print.document(list, () => table(COLUMNS, list.data.map(row)));
    });
};

async function listAll({ client, print }: Session, query: Readonly<Record<string, string>>): Promise<void> {
  const wanted = await client.wantedProductId();
  const { data: found } = await client.all<EngineRecord>("admin", "/admin/engines", query);
  const data = found.filter(({ product_id }) => wanted === null || product_id === wanted);
  const { data: products } = await client.all<ProductRecord>("admin", "/products");
  const slugs = new Map(products.map(({ id, slug }) => [id, slug]));
  print.document({ data, next_cursor: null }, () =>
    table(
      ["PRODUCT", ...COLUMNS],
      data.map((engine) => [slugs.get(engine.product_id) ?? engine.product_id, ...row(engine)]),
    ),
  );
}
