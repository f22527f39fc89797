import { Option } from "commander";
import { ENGINE_STATES, type EngineRecord, type EngineState } from "../../src/contract/orchestrator-records.ts";
import { table } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

interface Options {
  readonly state?: EngineState;
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
    .addOption(new Option("--state <state>", "only engines in this state").choices(ENGINE_STATES))
    .option("--all", "engines of every product, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl engines list --state running"))
    .action(async ({ state, all }: Options, command) => {
      const session = sessionOf(command, settings);
      if (all) return listAll(session, state);
      const data = await session.client.platform((orchestrator) => Array.fromAsync(orchestrator.list({ state })));
      session.print.document({ data, next_cursor: null }, () => table(COLUMNS, data.map(row)));
    });
};

async function listAll({ client, print }: Session, state: EngineState | undefined): Promise<void> {
  const productId = await client.wantedProductId();
  const { engines, products } = await client.admin(async (admin) => ({
    engines: await Array.fromAsync(admin.listEngines({ state })),
    products: await Array.fromAsync(admin.listProducts()),
  }));
  const data = engines.filter(({ product_id }) => productId === undefined || product_id === productId);
  const slugs = new Map(products.map(({ id, slug }) => [id, slug]));
  print.document({ data, next_cursor: null }, () =>
    table(
      ["PRODUCT", ...COLUMNS],
      data.map((engine) => [slugs.get(engine.product_id) ?? engine.product_id, ...row(engine)]),
    ),
  );
}
