import t from "tap";
import { HostTraffic } from "../../../src/sandbox/proxy/host-traffic.ts";
import { createLogger } from "../../../src/shared/logger.ts";

function bench() {
  const log: string[] = [];
  const traffic = new HostTraffic(createLogger("test", "debug", { write: (line: string) => void log.push(line) }));
  return { traffic, lines: () => log.map((line) => JSON.parse(line)) };
}

t.test("the totals are logged once, by bytes, and many hosts stay bounded", async (t) => {
  const { traffic, lines } = bench();
  traffic.log();
  t.same(lines(), [], "nothing without traffic");
  for (let host = 0; host < 600; host++) traffic.closed(`h${host}.example`, { sent: 1, received: host });
  traffic.closed("h499.example", { sent: 0, received: 1 });
  traffic.log();
  const [line, ...rest] = lines();
  t.same(rest, []);
  t.equal(line.hosts.length, 50);
  t.match(line.hosts[0], { host: "h499.example", connections: 2, sent: 1, received: 500 });
  t.equal(line.other_connections, 100 + 450);
});

t.test(
  "a tool that asks for ever more hosts does not fill the log, and its last refusals are still told",
  async (t) => {
    const { traffic, lines } = bench();
    for (let host = 0; host < 2000; host++) traffic.refused(`h${host}`, `h${host} is refused`);
    t.equal(lines().length, 500);
    const mark = traffic.mark();
    t.same(traffic.refusedSince(mark), []);
    traffic.refused("h1999", "h1999 is refused");
    traffic.refused("last", "last is refused");
    t.same(traffic.refusedSince(mark), ["h1999 is refused", "last is refused"]);
    t.equal(traffic.refusedSince(0).length, 50);
  },
);
