import { networkInterfaces } from "node:os";
import t from "tap";
import { isPublicAddress } from "../../../src/sandbox/proxy/public-address.ts";

const PRIVATE = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.0.1",
  "169.254.169.254",
  "169.254.170.2",
  "168.63.129.16",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.9",
  "224.0.0.1",
  "239.1.2.3",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:0:7f00:1::",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "",
  "localhost",
  "127.1",
  "0x7f.0.0.1",
  "8.8.8.8.",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.169.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "2003::1",
];

t.test("only globally routable addresses are public, in every notation", async (t) => {
  for (const address of PRIVATE) t.equal(isPublicAddress(address), false, address);
  for (const address of PUBLIC) t.equal(isPublicAddress(address), true, address);
});

t.test("addresses of this host are not public", async (t) => {
  for (const own of Object.values(networkInterfaces()).flat()) t.equal(isPublicAddress(own?.address ?? ""), false);
});
