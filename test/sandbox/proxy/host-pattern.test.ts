import t from "tap";
import { formatHostPattern, readHostPattern } from "../../../src/sandbox/proxy/host-pattern.ts";

/** Each as written and as stored. */
const VALID: Readonly<Record<string, string>> = {
  "Example.COM": "example.com",
  "example.com.": "example.com",
  "bücher.example": "xn--bcher-kva.example",
  "*.Bücher.example:443": "*.xn--bcher-kva.example:443",
  "*": "*",
  "*:443": "*:443",
  "localhost:3000": "localhost:3000",
  "my_host.internal": "my_host.internal",
  "10.1.0.0/16": "10.1.0.0/16",
  "10.1.2.3/32": "10.1.2.3",
  "192.168.0.7:5432": "192.168.0.7:5432",
  "::1": "::1",
  "0:0:0:0:0:0:0:1": "::1",
  "[fd00::5]": "fd00::5",
  "[FD00:0::5]:80": "[fd00::5]:80",
  "fd12:3456::/32": "fd12:3456::/32",
};

const INVALID: readonly (readonly [text: string, problem: RegExp])[] = [
  ["", /expected a host/],
  ["https://example.com", /expected a host/],
  ["example.com/path", /expected a host/],
  ["user@example.com", /expected a host/],
  ["example.com?x", /expected a host/],
  ["exa mple.com", /expected a host/],
  ["ex%61mple.com", /expected a host/],
  ["a.*.example.com", /expected a host/],
  ["*example.com", /expected a host/],
  ["*.*", /expected a host/],
  ["*.", /expected a host/],
  ["a..b", /expected a host/],
  ["*.10.0.0.1", /expected a host/],
  [`${"a".repeat(64)}.example`, /expected a host/],
  ["a.".repeat(127) + "aaaa", /expected a host/],
  ["x".repeat(261), /at most 260 characters/],
  ["2130706433", /expected a host/],
  ["0x7f.1", /expected a host/],
  ["0177.0.0.1", /expected a host/],
  ["127.1", /expected a host/],
  ["example.com:0", /a port from 1 to 65535/],
  ["example.com:65536", /a port from 1 to 65535/],
  ["example.com:http", /expected a host/],
  ["0.0.0.0/0", /a prefix from \/8 to \/32/],
  ["10.0.0.0/33", /a prefix from \/8 to \/32/],
  ["::/0", /a prefix from \/7 to \/128/],
  ["10.0.0.0/8:80", /expected a host/],
  ["[10.0.0.1]", /expected a host/],
  ["fe80::1%eth0", /without a zone/],
  ["::ffff:10.0.0.1", /the IPv4 address instead/],
  ["[::ffff:a00:1]:80", /the IPv4 address instead/],
  ["::ffff:0:0/96", /the IPv4 address instead/],
];

t.test("an entry of a list of hosts is written in its canonical form, which reads as itself", async (t) => {
  for (const [text, stored] of Object.entries(VALID)) {
    const { pattern, problem } = readHostPattern(text);
    t.equal(problem, null, text);
    t.equal(pattern && formatHostPattern(pattern), stored, text);
    t.same(readHostPattern(stored).pattern, pattern, `${text} again`);
  }
});

t.test("an entry that is no host or network is refused with what was expected", async (t) => {
  for (const [text, words] of INVALID) t.match(readHostPattern(text).problem ?? "accepted", words, text);
});
