import { writeFileSync } from "node:fs";
import express from "express";
import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { listen } from "../../../src/shared/http/http-server.ts";
import { ApiError } from "../../../src/orchestrator/api-error.ts";
import { errorResponder } from "../../../src/orchestrator/http/error-responder.ts";
import { ask } from "../../helpers/api.ts";

const app = express();
app.get("/write", () => writeFileSync("/dev/full", "x"));
app.get("/launch", () => {
  try {
    writeFileSync("/dev/full", "x");
  } catch (error) {
    throw new ApiError("BACKEND_ERROR", "the engine's process cannot be started", {
      cause: new Error("x", { cause: error }),
    });
  }
});
app.get("/exit", () => {
  throw new ApiError("BACKEND_ERROR", "the engine's process exited with code 1");
});
app.get("/missing", () => writeFileSync("/nowhere/at/all", "x"));
app.use(errorResponder(createLogger("test", "silent"), () => null));
const listening = await listen(app, "127.0.0.1", 0);
t.teardown(() => listening.close(0));
const get = (path: string) => ask(`http://127.0.0.1:${listening.port}`, path);

t.test("a full disk is answered 503, with when to come again", async (t) => {
  const error = { code: "SERVICE_UNAVAILABLE", message: /no disk space/ };
  t.match(await get("/write"), { status: 503, headers: { "retry-after": "5" }, body: { error } });
  t.match(await get("/launch"), { status: 503, headers: { "retry-after": "5" }, body: { error } });
});

t.test("other faults keep their own codes", async (t) => {
  t.match(await get("/exit"), { status: 502, body: { error: { code: "BACKEND_ERROR" } } });
  t.match(await get("/missing"), { status: 500, body: { error: { code: "INTERNAL_ERROR" } } });
});
