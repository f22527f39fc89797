import t from "tap";
import { EgressRefused, EgressRules } from "../../../src/sandbox/proxy/egress-rules.ts";
import type { ConnectRule } from "../../../src/sandbox/proxy/host-list.ts";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "public.example": ["1.1.1.1", "2606:4700:4700::1111"],
  "a.public.example": ["1.1.1.1"],
  "xn--bcher-kva.example": ["1.1.1.1"],
  "inside.example": ["10.1.2.3"],
  "mixed.example": ["1.1.1.1", "10.1.2.3"],
  "loopback.example": ["127.0.0.1"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:10.1.2.3"],
  "zone.example": ["fe80::1%eth0"],
  "none.example": [],
  localhost: ["127.0.0.1", "::1"],
};

function bench(connect: ConnectRule, listen: readonly number[] = []) {
  const asked: string[] = [];
  const rules = new EgressRules({
    connect,
    listen,
    async resolve(hostname) {
      asked.push(hostname);
      return (NAMES[hostname] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  return { asked, rules };
}

/** `permitted`, or the reason. */
async function verdict(rules: EgressRules, host: string, port = 443): Promise<string> {
  try {
    const addresses = await rules.addressesOf(host, port);
    return addresses.length > 0 ? "permitted" : "nothing";
  } catch (error) {
    if (error instanceof EgressRefused) return error.message;
    throw error;
  }
}

const PRIVATE = /not on the public internet/;
const UNLISTED = /the rule connect does not list it/;

const NOT_PUBLIC = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "①②⑦.0.0.1",
  "0.0.0.0",
  "::1",
  "[::1]",
  "::",
  "::ffff:127.0.0.1",
  "[::ffff:7f00:1]",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "2002:7f00:1::",
  "169.254.169.254",
  "169.254.169.254.",
  "168.63.129.16",
  "fd00:ec2::254",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "inside.example",
  "mixed.example",
  "loopback.example",
  "metadata.example",
  "mapped.example",
  "zone.example",
  "none.example",
  "localhost",
  "LOCALHOST.",
];

t.test("an open network is the public internet, however an address is spelled", async (t) => {
  const { rules } = bench("open");
  for (const host of NOT_PUBLIC) t.match(await verdict(rules, host), PRIVATE, host);
  for (const host of ["1.1.1.1", "0x1010101", "2606:4700:4700::1111", "public.example", "PUBLIC.example."])
    t.equal(await verdict(rules, host), "permitted", host);
  t.match(await verdict(rules, "exa mple"), /expected a host name or an IP address/);
});

t.test("without a network every host is refused, and no name is resolved", async (t) => {
  const { rules, asked } = bench("none");
  for (const host of ["public.example", "1.1.1.1", "127.0.0.1"])
    t.match(await verdict(rules, host), /the rule connect is "none"/, host);
  t.same(asked, []);
});

t.test("a list permits its hosts by name and port, and no other name is resolved", async (t) => {
  const { rules, asked } = bench(["public.example:443", "*.public.example", "bücher.example"]);
  t.equal(await verdict(rules, "public.example"), "permitted");
  t.equal(await verdict(rules, "Public.Example."), "permitted");
  t.match(await verdict(rules, "public.example", 80), UNLISTED);
  t.equal(await verdict(rules, "a.public.example", 8443), "permitted");
  t.equal(await verdict(rules, "bücher.example"), "permitted");
  asked.length = 0;
  for (const host of ["notpublic.example", "public.example.evil.example", "example", "1.1.1.1", "inside.example"])
    t.match(await verdict(rules, host), UNLISTED, host);
  t.same(asked, []);
  const { rules: below } = bench(["*.public.example"]);
  t.match(await verdict(below, "public.example"), UNLISTED, "not the host itself");
});

t.test("a private address needs an entry of its own, and its names an entry too", async (t) => {
  const { rules } = bench(["*", "10.1.0.0/16", "[::1]:8080", "127.0.0.1:8080"]);
  for (const host of ["10.1.2.3", "10.1.255.255", "0xa010203", "::ffff:10.1.2.3", "inside.example", "mapped.example"])
    t.equal(await verdict(rules, host), "permitted", host);
  t.equal(await verdict(rules, "mixed.example"), "permitted", "one public, the other listed");
  t.match(await verdict(rules, "10.2.0.1"), PRIVATE);
  t.match(await verdict(rules, "metadata.example"), PRIVATE);
  t.equal(await verdict(rules, "localhost", 8080), "permitted");
  t.match(await verdict(rules, "localhost", 8081), PRIVATE);
  const { rules: listed } = bench(["inside.example"]);
  t.match(await verdict(listed, "inside.example"), PRIVATE, "a name alone does not open an address");
  const { rules: network } = bench(["10.1.0.0/16"]);
  t.match(await verdict(network, "inside.example"), UNLISTED, "an address alone does not open a name");
  t.equal(await verdict(network, "10.1.2.3"), "permitted");
});

t.test("the ports to listen on are open on loopback only, whatever the network", async (t) => {
  for (const rule of ["open", "none", ["public.example"]] as const) {
    const { rules } = bench(rule, [3000]);
    for (const host of ["localhost", "127.0.0.1", "::1"]) {
      t.equal(await verdict(rules, host, 3000), "permitted", host);
      t.not(await verdict(rules, host, 3001), "permitted", host);
    }
    for (const host of ["10.1.2.3", "127.0.0.2", "inside.example"])
      t.not(await verdict(rules, host, 3000), "permitted", host);
  }
});

t.test("the list of one program only narrows", async (t) => {
  const { rules } = bench(["public.example", "inside.example", "10.1.0.0/16"]);
  const narrowed = rules.narrowed(["public.example", "a.public.example", "10.1.2.3"]);
  t.equal(await verdict(narrowed, "public.example"), "permitted");
  t.equal(await verdict(narrowed, "10.1.2.3"), "permitted");
  t.match(await verdict(narrowed, "10.1.2.4"), /the rule connect of this program does not list it/);
  t.match(await verdict(narrowed, "inside.example"), /the rule connect of this program does not list it/);
  t.match(await verdict(narrowed, "a.public.example"), UNLISTED);
  t.match(await verdict(rules.narrowed("none"), "public.example"), /the rule connect of this program is "none"/);
  t.equal(await verdict(rules.narrowed("open"), "inside.example"), "permitted", "as the rule permits");
  t.equal(await verdict(rules.narrowed(["inside.example"]), "inside.example"), "permitted", "by name");
  t.throws(() => rules.narrowed(["https://x"]), { message: /^the rule connect of this program: expected a host/ });
});
