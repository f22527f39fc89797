/** A bug that somebody could make: one text of one file replaced by another. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A second guard against the same, which goes too. */
  readonly and?: Pick<Mutation, "from" | "to">;
}

const supervision = (file: string) => `src/orchestrator/supervision/${file}.ts`;
const store = (file: string) => `src/orchestrator/store/${file}.ts`;
const operations = (file: string) => `src/orchestrator/operations/${file}.ts`;
const recovery = (file: string) => `src/orchestrator/recovery/${file}.ts`;

/** Dropped fences, swapped and dropped steps, missing retries and deadlines. Each must be found. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "a late result of an earlier incarnation moves the row",
    file: store("engine-states"),
    from: `return (incarnation === undefined ? free : free.where("incarnation", "=", incarnation)).forUpdate();`,
    to: `return free.forUpdate();`,
  },
  {
    name: "the database does not fence engines",
    file: "migrations/orchestrator/0015-leaders.ts",
    from: `  "engines",\n`,
    to: "",
  },
  {
    name: "a new leader keeps the epoch",
    file: store("leaders"),
    from: "epoch: sql<string>`hosts.epoch + 1`",
    to: "epoch: sql<string>`hosts.epoch + 0`",
  },
  {
    name: "a daemon always believes that it leads",
    file: store("host-lock"),
    from: `    if (this.#over.signal.aborted) return false;\n    if (this.#session.isFresh()`,
    to: `    if (this.#over.signal.aborted || true) return true;\n    if (this.#session.isFresh()`,
  },
  {
    name: "a launch does not ask who leads",
    file: supervision("launch-as-leader"),
    from: "while (!(await leadership.isHeld()))",
    to: "while (leadership === undefined)",
  },
  {
    name: "a wake does not wait for the exit",
    file: supervision("wake-engine"),
    from: "if (row === null || !isAsleep(row))",
    to: `if (row === null || row.state !== "sleeping")`,
    and: { from: "    withoutProcess: true,\n", to: "" },
  },
  {
    name: "an outcome of a wake is kept for ever",
    file: supervision("wake-engine"),
    from: ".finally(() => host.wakes.delete(engineId))",
    to: "",
  },
  {
    name: "a sleeping engine's socket is not watched",
    file: supervision("await-calls"),
    from: "if (held) sockets.awaitCall",
    to: "if (held && row.port < 0) sockets.awaitCall",
  },
  {
    name: "calls are refused for ever",
    file: supervision("wake-engine"),
    from: `  await retryUntilStopped(host, "calls of a sleeping engine", () => awaitCallsIfAsleep(host, engineId));`,
    to: "",
  },
  {
    name: "a lost answer to running fails the boot",
    file: supervision("retry-until-stopped"),
    from: "(lost ? await movedEarlier(host, move) : null)",
    to: "(lost && movedEarlier.length < 0 ? move.set : null)",
  },
  {
    name: "a failed boot leaves its process",
    file: supervision("boot-on-port"),
    from: "(await leadership.isHeld()) ? await process.stop(ABANDON_TERM_MS) : null",
    to: "(await leadership.isHeld()) ? null : null",
  },
  {
    name: "a process is not recorded",
    file: supervision("boot-on-port"),
    from: "      handle: JSON.stringify(handle),\n",
    to: "",
  },
  {
    name: "a destroy leaves the process",
    file: operations("destroy-engine"),
    from: "const end = await endProcess(host, engine, { drainMs: 0, termMs: TERM_MS });",
    to: `const end = { kind: "drained" } as Awaited<ReturnType<typeof endProcess>>;`,
  },
  {
    name: "a failed provision counts its process as gone",
    file: operations("undo-provision"),
    from: "let attempt = processIsGone ? undoProvision : abandonProvision;",
    to: "let attempt = processIsGone ? undoProvision : undoProvision;",
  },
  {
    name: "the undo of a reservation never ends",
    file: operations("provision-engine"),
    from: "host.transitions.own(identity.id, () => undoReservation(host, identity)),",
    to: "host.transitions.own(identity.id, () => undoReservation(host, identity).then(() => new Promise(() => undefined))),",
  },
  {
    name: "a stop does not wait for the boot in flight",
    file: supervision("end-process"),
    from: `  boot?.abort("stopped");\n  await boot?.settled.catch(() => undefined);`,
    to: "  boot?.abort.name;",
  },
  {
    name: "a stop does not wait for the sleep in progress",
    file: supervision("end-process"),
    from: "  await sleepSettled(host, engine.id);\n",
    to: "  sleepSettled.name;\n",
  },
  {
    name: "a stopped engine stays supervised",
    file: supervision("end-process"),
    from: "  host.live.remove(engine.id, engine.incarnation);\n",
    to: "",
  },
  {
    name: "an exit during a sleep is a crash",
    file: supervision("supervise-engine"),
    from: "      await live.fallingAsleep;\n",
    to: "",
  },
  {
    name: "an exit is not handled",
    file: supervision("supervise-engine"),
    from: "await host.transitions.own(live.id, () => handleExit(host, live, exit));",
    to: "if (live.isStopping) await host.transitions.own(live.id, () => handleExit(host, live, exit));",
  },
  {
    name: "an awake slot is never released",
    file: supervision("acquire-awake-slot"),
    from: "    host.awakeSlots.release(engineId);\n",
    to: "",
  },
  {
    name: "a boot slot is released only by a healthy boot",
    file: supervision("boot-queue"),
    from: `    } finally {\n      slot.release();\n    }`,
    to: "    } finally {\n    }",
  },
  {
    name: "an owner of a transition stays",
    file: supervision("transition-owners"),
    from: "    } finally {\n      const remaining",
    to: "    } finally {\n      if (Math.random() < 0.2) await new Promise(() => undefined);\n      const remaining",
  },
  {
    name: "the reaper overlooks engines without an owner",
    file: recovery("reap-overdue"),
    from: "(engine) => engine.isActive && !isSupervised(host, engine)",
    to: "(engine) => engine.isActive && engine.isOverdue && !isSupervised(host, engine)",
  },
  {
    name: "two provisions look at the same port",
    file: store("ports"),
    from: `.where("engine_id", "is", null)\n        .where("port", ">=", min)`,
    to: `.where("port", ">=", min)`,
  },
  {
    name: "a user id that is taken fails the boot",
    file: store("engine-users"),
    from: "if (!hasCode(error, UNIQUE_VIOLATION) || attempt === ATTEMPTS) throw error;",
    to: "throw error;",
  },
  {
    name: "an adopted sleeping engine is not settled",
    file: recovery("finish-transition"),
    from: "    await recordAsleep(host, row);\n",
    to: "    recordAsleep.name;\n",
  },
  {
    name: "an engine that answers is not adopted",
    file: recovery("reconcile-fleet"),
    from: 'await adoptEngine(host, row, { process, product, answers: adoption === "adopt" });',
    to: "if (product === null) await adoptEngine(host, row, { process, product, answers: true });",
  },
  {
    name: "a crashed engine restarts beside its orphan",
    file: recovery("finish-transition"),
    from: "await endProcess(host, row, { drainMs, termMs: TERM_MS, restarts: true })",
    to: `await Promise.resolve({ kind: "drained" } as ProcessEnd)`,
  },
  {
    name: "a stop keeps the socket",
    file: supervision("end-process"),
    from: "  host.backend.sockets.release(engine.id);\n  const conflict",
    to: "  const conflict",
    and: { from: "  host.backend.sockets.release(engine.id);\n  // Only a port", to: "  // Only a port" },
  },
  {
    name: "a start does not end a revival",
    file: supervision("end-revival"),
    from: "  const revival = host.boots.get(id);",
    to: "  if (incarnation !== null) return;\n  const revival = host.boots.get(id);",
  },
  {
    name: "a provision does not ask who leads",
    file: operations("provision-engine"),
    from: `    if (!(await host.leadership.isHeld())) throw new LaunchFailed("this daemon no longer leads the host");\n`,
    to: "",
  },
  {
    name: "a stop does not wait for a claim in flight",
    file: supervision("claim-lane"),
    from: "  inClaimLane(host, engineId, () => Promise.resolve());",
    to: "  host.lanes && engineId ? Promise.resolve() : Promise.resolve();",
  },
];
