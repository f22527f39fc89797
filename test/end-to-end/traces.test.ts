import t from "tap";
import { startCollector } from "../helpers/collector.ts";
import { launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };

t.test("one trace follows a product's calls through the daemon, the engine, its model and its tools", async (t) => {
  const collector = await startCollector(t);
  const env = {
    LLM_PROVIDER: "sandbox",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=collector%20key",
  };
  const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t), env });
  const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme" } });
  const post = (path: string, body: unknown) =>
    daemon.platform(product.platform_api_key, path, { method: "POST", headers, body });
  const { body: engine } = await post("/engines/admit", { user_id: "user-4711" });
  const stream = await openStream(engine.url, "/execute", {
    headers: { ...headers, "x-engine-key": engine.engine_api_key },
    body: { task_id: "task", message: "/tool list_files {}\n/say done" },
  });
  await stream.all();
  await post("/engines/user-4711/stop", {});
  await daemon.stop();
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const find = (name: string) => spans.find((span) => span.name === name);
  const parentOf = (name: string) => spans.find(({ spanId }) => spanId === find(name)?.parentSpanId)?.name;
  t.equal(find("POST /engines/admit")?.parentSpanId, CALLER);
  t.equal(find("POST /engines/{user_id}/stop")?.parentSpanId, CALLER);
  t.equal(parentOf("boot engine"), "POST /engines/admit");
  t.equal(find("POST /execute")?.parentSpanId, CALLER);
  t.equal(parentOf("execute_tool list_files"), "invoke_agent default");
  t.match(find("POST /engines/admit"), {
    kind: 2,
    attributes: { "http.route": "/engines/admit", "http.response.status_code": 201 },
    resource: { "service.name": "orchd" },
  });
  t.match(find("invoke_agent default")?.resource, { "service.name": "orchd-engine", "orchd.product": "acme" });
  t.ok(collector.requests.every((one) => one.headers["x-key"] === "collector key"));
  const sent = collector.requests.map(({ body }) => body).join("");
  t.notMatch(sent, /user-4711/);
  t.notOk(sent.includes(engine.engine_api_key) || sent.includes(product.platform_api_key));
  t.notMatch(sent, /GET \/(metrics|ready|health)/);
});

t.test("settings of tracing that are wrong are named, without the key in them", async (t) => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "secret-value",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_TRACES_SAMPLER_ARG: "2",
  };
  const { process, output } = launchDaemon({ ...env, ORCH_DATA_DIR: freshFolder(t) });
  await until("it has ended", () => process.exitCode !== null);
  t.equal(process.exitCode, 1);
  for (const name of Object.keys(env)) t.match(output(), new RegExp(`${name}: expected `));
  t.notMatch(output(), /secret-value/);
});
