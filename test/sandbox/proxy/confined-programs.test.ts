import { execFileSync } from "node:child_process";
import t from "tap";
import { freePort } from "../../helpers/daemon.ts";
import { cannotConfine, launcherBench } from "../programs/launcher-bench.ts";
import { PUBLIC, type ProxyBenchOptions, proxyBench, serve } from "./proxy-bench.ts";

const hasCurl = () => {
  try {
    return execFileSync("curl", ["--version"]).length > 0;
  } catch {
    return false;
  }
};
const skip = cannotConfine !== false ? cannotConfine : hasCurl() ? false : "curl is not installed";

async function bench(t: Parameters<typeof proxyBench>[0], options: ProxyBenchOptions = {}) {
  const proxy = await proxyBench(t, options);
  const { listen = [] } = options;
  return { ...proxy, ...launcherBench(t, { listen, network: (asked) => proxy.network.access(asked) }) };
}

t.test("a confined program reaches a host by the proxy, and by no other way", { skip }, async (t) => {
  const { run } = await bench(t, { policy: ["shop.example"] });
  const { port } = await serve(t, (_request, response) => response.end("hello"));
  t.match(await run(`curl -sS http://shop.example:${port}/`), { exitCode: 0, output: "hello" });
  t.match(await run(`curl -sSp http://shop.example:${port}/`), { exitCode: 0, output: "hello" }, "by CONNECT");
  t.match(await run(`curl -sS --noproxy '*' http://${PUBLIC}:${port}/`), { exitCode: 7 });
  t.match(await run(`env -i PATH="$PATH" curl -sS http://${PUBLIC}:${port}/`), { exitCode: 7 });
  t.match(
    await run(`env -i PATH="$PATH" curl -sS -x "http://127.0.0.1:\${HTTP_PROXY##*:}" http://shop.example:${port}/`),
    {
      output: /needs the user and password of HTTP_PROXY/,
    },
  );
});

t.test("a tool server's program has the narrower network that its entry asks for", { skip }, async (t) => {
  const { run, network } = await bench(t, { policy: ["shop.example", "other.example"] });
  const { port } = await serve(t, (_request, response) => response.end("hello"));
  const get = (host: string, network?: "open" | "none" | readonly string[]) =>
    run(`curl -sS http://${host}:${port}/`, network === undefined ? {} : { sandbox: { network } });
  t.match(await get("other.example"), { output: "hello" });
  t.match(await get("other.example", ["shop.example"]), { output: /sandbox\.network does not list it/ });
  t.match(await get("shop.example", ["shop.example"]), { output: "hello" });
  t.not((await get("shop.example", "none")).exitCode, 0);
  const { proxyPort } = await network.access();
  t.match(await run(`curl -sS http://127.0.0.1:${proxyPort}/`, { sandbox: { network: "none" } }), { exitCode: 7 });
});

t.test("a program listens on a port of tool_listen and is reached there, and on no other", { skip }, async (t) => {
  const port = await freePort();
  const { run } = await bench(t, { policy: "none", listen: [port] });
  const listen = (at: number) =>
    `"${process.execPath}" -e 'require("http").createServer((_, r) => r.end("dev")).on("error", (e) => { console.log(e.code); process.exit() }).listen(${at}, "127.0.0.1", () => console.log("up"))'`;
  const served = `${listen(port)} & for i in $(seq 300); do curl -sS http://127.0.0.1:${port}/ && break; sleep 0.1; done; kill $!`;
  t.match((await run(`{ ${served}; } 2>/dev/null`)).output, /dev/);
  t.match((await run(listen(await freePort()))).output, /^EACCES/);
});
