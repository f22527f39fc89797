import { ApiError } from "../../src/orchestrator/api-error.ts";
import type { HostContext } from "../../src/orchestrator/host-context.ts";
import { admitEngine } from "../../src/orchestrator/operations/admit-engine.ts";
import { destroyEngine } from "../../src/orchestrator/operations/destroy-engine.ts";
import { provisionEngine } from "../../src/orchestrator/operations/provision-engine.ts";
import { restartEngine } from "../../src/orchestrator/operations/restart-engine.ts";
import { putEngineToSleep } from "../../src/orchestrator/operations/sleep-engine.ts";
import { startEngine } from "../../src/orchestrator/operations/start-engine.ts";
import { stopEngine } from "../../src/orchestrator/operations/stop-engine.ts";
import { isDatabaseUnavailable } from "../../src/orchestrator/store/database.ts";
import { findEngine } from "../../src/orchestrator/store/engines.ts";
import { findProduct } from "../../src/orchestrator/store/products.ts";
import { withinRequest } from "../../src/shared/request-context.ts";
import { NO_SPAN } from "../../src/shared/tracing/span.ts";
import type { Daemon } from "./daemon.ts";
import { world } from "./kernel/world.ts";
import { TURN_PATH } from "./machine/engine.ts";
import type { Command } from "./plan-events.ts";

/** A call of a client, for the invariants. */
interface OpenCall {
  readonly what: string;
  readonly startedAt: number;
}

/** A turn that an engine has answered. */
export interface AnsweredTurn {
  readonly id: string;
  readonly engineId: string;
}

/** The clients of the fleet: each command is a call, which must end. */
export class Clients {
  readonly open = new Set<OpenCall>();
  readonly answered: AnsweredTurn[] = [];
  /** Errors that no call may have. */
  readonly unexpected: string[] = [];
  readonly #productId: string;
  #turns = 0;

  constructor(productId: string) {
    this.#productId = productId;
  }

  run(command: Command, daemon: Daemon | null): void {
    if (command.kind === "turn") this.#turn(command.user, command.ms);
    else if (daemon?.host) this.#operate(command.kind, command.user, daemon, daemon.host);
    else world().note(`${command.kind} ${command.user}: no daemon serves`);
  }

  /** Calls of a daemon that is gone have ended with their connection. */
  #operate(kind: Exclude<Command["kind"], "turn">, user: string, daemon: Daemon, host: HostContext): void {
    const { scheduler, note } = world();
    const call: OpenCall = { what: `${kind} ${user}`, startedAt: scheduler.now };
    this.open.add(call);
    daemon.whenGone(() => this.open.delete(call));
    const end = (outcome: string) => {
      this.open.delete(call);
      note(`${call.what}: ${outcome}`);
    };
    note(call.what);
    scheduler.as(daemon.actor, () =>
      withinRequest({ requestId: call.what, actor: "product", span: NO_SPAN }, () =>
        perform(host, this.#productId, kind, user),
      ).then(end, (error: unknown) => {
        if (!isExpected(error))
          this.unexpected.push(`${call.what}: ${error instanceof Error ? error.stack : String(error)}`);
        end(error instanceof ApiError ? error.code : String(error));
      }),
    );
  }

  /** Calls the engine at the port of its row, as a client that has its address does. */
  #turn(user: string, ms: number): void {
    const { scheduler, machine, postgres, note } = world();
    const rows = postgres.rows("engines");
    const row = rows.find((one) => one["user_id"] === user) ?? rows[0];
    if (row === undefined) return note(`turn of ${user}: no engine`);
    const engineId = String(row["id"]);
    const id = `${user} ${++this.#turns}`;
    const call: OpenCall = { what: `turn ${id}`, startedAt: scheduler.now };
    this.open.add(call);
    machine.network.call(
      Number(row["port"]),
      { method: "POST", path: TURN_PATH, headers: {}, body: { id, ms } },
      (outcome) => {
        this.open.delete(call);
        if (outcome.kind === "answered" && outcome.status === 200) this.answered.push({ id, engineId });
      },
    );
  }
}

async function perform(
  host: HostContext,
  productId: string,
  kind: Exclude<Command["kind"], "turn">,
  user: string,
): Promise<string> {
  const product = await findProduct(host.db, productId);
  if (product === null) throw new Error("the product is gone");
  const request = { user_id: user };
  switch (kind) {
    case "admit":
      return (await admitEngine(host, product, request, () => undefined)).record.state;
    case "provision":
      return (await provisionEngine(host, product, request)).record.state;
    case "start":
      return (await startEngine(host, product, user)).state;
    case "stop":
      return (await stopEngine(host, product, { userId: user, options: {} })).result;
    case "kill":
      return (await stopEngine(host, product, { userId: user, options: { force: true } })).result;
    case "sleep":
      return (await putEngineToSleep(host, product, user)).state;
    case "restart": {
      const engine = await findEngine(host.db, productId, user);
      return engine === null ? "no engine" : (await restartEngine(host, engine.id, undefined)).state;
    }
    case "destroy":
    case "destroy keeping data":
      await destroyEngine(host, product, { userId: user, keepData: kind !== "destroy" });
      return "destroyed";
    default:
      return kind satisfies never;
  }
}

/** An error of the table, or of a database that is away or has another leader. */
function isExpected(error: unknown): boolean {
  if (error instanceof ApiError || isDatabaseUnavailable(error)) return true;
  const code = error instanceof Error && "code" in error ? error.code : "";
  return code === "OR001" || code === "57014" || code === "57P05" || code === "25P03";
}
