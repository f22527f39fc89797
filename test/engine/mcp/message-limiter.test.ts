import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import t from "tap";
import { MessageLimiter } from "../../../src/engine/mcp/message-limiter.ts";

const notification = (method: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: `notifications/${method}` });
const REQUEST: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "ping" };
const RESPONSE: JSONRPCMessage = { jsonrpc: "2.0", id: 1, result: {} };

t.test("each kind of message has its own limit in a window, and responses have none", async (t) => {
  const limiter = new MessageLimiter();
  const accepted = (message: JSONRPCMessage, now: number) =>
    Array.from({ length: 300 }, () => limiter.accepts(message, now)).filter(Boolean).length;
  t.equal(accepted(notification("progress"), 1000), 20);
  t.equal(accepted(notification("cancelled"), 1000), 20);
  t.equal(accepted(REQUEST, 1000), 100);
  t.equal(accepted(RESPONSE, 1000), 300);
  t.equal(accepted(notification("progress"), 1099), 0);
  t.equal(accepted(notification("progress"), 1100), 20);
});
