import type { RouteName } from "../../src/contract/orchestrator/routes.ts";
import type { Route } from "../../src/contract/orchestrator/routes/route-row.ts";
import type { ContractCaller } from "./contract-caller.ts";

/** Calls every route of the vault, for the engine of alice and for the product `demo`. */
export async function callSecrets(caller: ContractCaller<RouteName, Route>): Promise<void> {
  const call = caller.call.bind(caller);
  const ofUser = { user_id: "alice", secret_name: "GITHUB" };
  const ofProduct = { product_id: "demo", secret_name: "GITHUB" };
  const body = { value: "ghp_0123456789", hosts: ["api.github.com"] };
  await call("setUserSecret", { path: ofUser, body, expect: 200 });
  for (const bad of [
    { ...body, value: "short" },
    { ...body, value: "with a line\nfeed" },
    { ...body, hosts: [] },
    { ...body, hosts: ["*"] },
    { ...body, hosts: ["https://api.github.com"] },
    { ...body, place: "cookie" },
    { ...body, header: "not a header" },
    { ...body, host: "api.github.com" },
    { ...body, from: "file:github" },
  ])
    await call("setUserSecret", { path: ofUser, body: bad, expect: "INVALID_REQUEST" });
  await call("setUserSecret", { path: { ...ofUser, secret_name: "no-hyphen" }, body, expect: "INVALID_REQUEST" });
  await call("setUserSecret", { path: { ...ofUser, user_id: "nobody" }, body, expect: "ENGINE_NOT_FOUND" });
  await call("listUserSecrets", { path: { user_id: "alice" }, expect: 200 });
  await call("listUserSecrets", { path: { user_id: "nobody" }, expect: "ENGINE_NOT_FOUND" });
  await call("showUserSecret", { path: ofUser, expect: 200 });
  await call("deleteUserSecret", { path: ofUser, expect: 200 });
  await call("deleteUserSecret", { path: ofUser, expect: "SECRET_NOT_FOUND" });
  await call("showUserSecret", { path: ofUser, expect: "SECRET_NOT_FOUND" });
  await call("setProductSecret", { path: ofProduct, body: { ...body, place: "basic" }, expect: 200 });
  for (const from of ["file:github", "env:GITHUB", "command:github"])
    await call("setProductSecret", {
      path: ofProduct,
      body: { hosts: ["github.com"], from },
      expect: "INVALID_REQUEST",
    });
  await call("setProductSecret", { path: ofProduct, body: { hosts: ["github.com"] }, expect: "INVALID_REQUEST" });
  await call("listProductSecrets", { path: { product_id: "demo" }, expect: 200 });
  await call("showProductSecret", { path: ofProduct, expect: 200 });
  await call("deleteProductSecret", { path: ofProduct, expect: 200 });
  await call("deleteProductSecret", { path: ofProduct, expect: "SECRET_NOT_FOUND" });
  await call("showProductSecret", { path: ofProduct, expect: "SECRET_NOT_FOUND" });
  for (const name of ["listProductSecrets", "showProductSecret", "deleteProductSecret", "setProductSecret"] as const)
    await call(name, {
      path: { ...ofProduct, product_id: "nowhere" },
      ...(name === "setProductSecret" && { body }),
      expect: "PRODUCT_NOT_FOUND",
    });
  await call("rotateMaster", { body: {}, expect: 200 });
  await call("rotateMaster", { body: { after: "nowhere" }, expect: "INVALID_REQUEST" });
  await call("rotateMaster", { body: { after: '["pg_authid"]' }, expect: "INVALID_REQUEST" });
}
