import type { EngineRecord, ServerAsset, ServerToolAsset } from "@orchd/client";
import { useState } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { useAction } from "../../parts/action.ts";
import { Copy } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { engineCalls, productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";

/** The tool servers of an engine: whether they answer, their tools, and what their programs said last. */
export const ToolServers = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined)
    return (
      <p aria-busy="true" class="dim">
        Reading the engine
      </p>
    );
  if (engine === null) return <NoEngine />;
  // A read would wake it.
  return engine.running ? (
    <OfEngine engine={engine} />
  ) : (
    <Empty title={`The engine is ${engine.state.replace("_", " ")}.`}>
      <p>Its tool servers run while it does. Start it to see them.</p>
    </Empty>
  );
};

/** How often the servers are read while the user of a link may sign in. A link ends after some minutes. */
const REFRESH_MS = 3000;

const OfEngine = ({ engine }: { readonly engine: EngineRecord }) => {
  const { data, problem, reload } = useResource((signal) => engineCalls(engine.id).servers({ signal }), [engine.id]);
  const [linked, setLinked] = useState<readonly string[]>([]);
  const isAwaited = data?.some(({ name, status }) => linked.includes(name) && AWAITED.includes(status)) === true;
  usePolling(() => isAwaited && reload(), REFRESH_MS);
  if (problem !== null) return <ProblemNote problem={problem} onRetry={reload} />;
  if (data === null)
    return (
      <p class="dim" aria-busy="true">
        Reading the tool servers
      </p>
    );
  return (
    <>
      <div class="controls">
        <button type="button" onClick={reload}>
          Read again
        </button>
      </div>
      {data.length === 0 && (
        <Empty title="This engine has no tool server.">
          <p>
            They are listed in <code>.mcp.json</code> of the catalog.
          </p>
        </Empty>
      )}
      {data.map((server) => (
        <Server
          key={server.name}
          engine={engine}
          server={server}
          onChanged={reload}
          onLinked={() => setLinked([...linked, server.name])}
        />
      ))}
    </>
  );
};

/** What a server is until its user has signed in and it is connected. */
const AWAITED: readonly ServerAsset["status"][] = ["needs_login", "connecting"];

const COLOURS: Readonly<Record<ServerAsset["status"], string>> = {
  idle: "asleep",
  connecting: "changing",
  ready: "running",
  held: "failed",
  needs_login: "changing",
  restarting: "changing",
  failed: "failed",
};

const TOOLS: readonly Column<ServerToolAsset>[] = [
  { title: "Tool", cell: ({ tool }) => <code>{tool}</code> },
  {
    title: "What it does",
    kind: "wide",
    isExtra: true,
    cell: ({ description }) => <bdi class="dim">{description}</bdi>,
  },
  { title: "Permission", isExtra: true, cell: ({ permission }) => permission },
  {
    title: "Status",
    cell: ({ status, reason, note }) => <span title={reason ?? note ?? ""}>{status.replaceAll("_", " ")}</span>,
  },
];

interface ServerProps {
  readonly engine: EngineRecord;
  readonly server: ServerAsset;
  readonly onChanged: () => void;
  /** A login link was made. */
  readonly onLinked: () => void;
}

const Server = ({ engine, server, onChanged, onLinked }: ServerProps) => {
  const { name, transport, status, tools, error, stderr = [], next_try_in_s: wait } = server;
  const { isBusy, run } = useAction();
  const allow = async () => {
    await run(() => engineCalls(engine.id).allowTools({ server: name }), `The tools of ${name} are allowed.`);
    onChanged();
  };
  return (
    <section class="panel" aria-label={name}>
      <header>
        <h2>
          <code>{name}</code>
        </h2>
        <span class={`state ${COLOURS[status]}`}>
          <span class="dot" aria-hidden="true" />
          {status.replaceAll("_", " ")}
        </span>
        <span class="dim">
          {transport}, {tools.length === 1 ? "1 tool" : `${formatCount(tools.length)} tools`}
        </span>
        {status === "held" && may("operator") && (
          <button type="button" class="small" disabled={isBusy} onClick={() => void allow()}>
            Allow its tools
          </button>
        )}
      </header>
      {error !== undefined && <p class="field-problem">{error}</p>}
      {wait !== undefined && <p class="dim">{wait === 0 ? "It is tried now." : `Tried again in ${wait} s.`}</p>}
      {status === "needs_login" && may("operator") && <Login engine={engine} server={name} onMade={onLinked} />}
      {stderr.length > 0 && (
        <pre class="log" role="region" tabIndex={0} aria-label={`Last lines of ${name}`}>
          {stderr.join("\n")}
        </pre>
      )}
      {tools.length > 0 && (
        <Table label={`Tools of ${name}`} columns={TOOLS} rows={tools} keyOf={(tool) => tool.name} />
      )}
    </section>
  );
};

interface LoginProps {
  readonly engine: EngineRecord;
  readonly server: string;
  readonly onMade: () => void;
}

/** A link with which the user signs in. It is made on request, for it ends after some minutes. */
const Login = ({ engine, server, onMade }: LoginProps) => {
  const [url, setUrl] = useState<string | null>(null);
  const { isBusy, run } = useAction();
  const make = async () => {
    const connect = async () => setUrl((await productCalls(engine.product_id).connect(engine.user_id, server)).url);
    if (await run(connect)) onMade();
  };
  return url === null ? (
    <div class="controls">
      <button type="button" disabled={isBusy} onClick={() => void make()}>
        Make a login link
      </button>
      <span class="dim">The user signs in with it.</span>
    </div>
  ) : (
    <>
      <p class="dim">Give this link to the user. It works once, and this page shows when the user has signed in.</p>
      <div class="command">
        <code>{url}</code>
        <Copy text={url} />
      </div>
    </>
  );
};
