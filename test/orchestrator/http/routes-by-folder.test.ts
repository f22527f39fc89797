import type { AddressInfo } from "node:net";
import express from "express";
import t from "tap";
import { RoutesByFolder } from "../../../src/orchestrator/http/routes-by-folder.ts";

t.test("requests are answered as by routes of Express itself", async (t) => {
  const app = express();
  const routes = new RoutesByFolder();
  routes.of("/engines/{user_id}").get("/engines/:user_id", (request, response) => {
    response.send(`engine ${request.params["user_id"]}`);
  });
  routes.of("/engines").post("/engines", (_request, response) => void response.send("made"));
  routes.of("/products").get("/products", (_request, response) => void response.send("products"));
  app.use(routes.handle);
  app.use((_request, response) => void response.status(404).send("none"));
  const server = app.listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = async (method: string, path: string) => (await fetch(`${base}${path}`, { method })).text();

  t.equal(await call("GET", "/engines/alice?auto_provision=true"), "engine alice");
  t.equal(await call("GET", "/engines/a%2Fb"), "engine a/b", "parameters are decoded");
  t.equal(await call("GET", "/ENGINES/alice/"), "engine alice", "upper case and a slash at the end do not matter");
  t.equal(await call("POST", "/engines"), "made");
  t.equal(await call("GET", "/products"), "products");
  for (const [method, path] of [
    ["GET", "/engines"],
    ["GET", "//engines/alice"],
    ["GET", "/elsewhere"],
    ["GET", "/"],
    ["OPTIONS", "/engines/alice"],
  ] as const)
    t.equal(await call(method, path), "none", `${method} ${path} goes on`);
});
