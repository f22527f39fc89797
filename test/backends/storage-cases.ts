import { randomUUID } from "node:crypto";
import type { Test } from "tap";
import { sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import type { StoredEngine } from "../../src/orchestrator/fleet/engine-storage.ts";
import type { Member } from "../../src/shared/tar.ts";
import { type BackendUnderTest, ask, started } from "./under-test.ts";

export async function storageCases(t: Test, under: BackendUnderTest): Promise<void> {
  const { storage } = under.backend;
  const product = `prod_${randomUUID()}`;
  const engineOf = (user: string) => ({ id: `eng_${randomUUID()}`, product_id: product, user_id: user });
  const orderFor = async (engine: StoredEngine) => ({
    ...(await under.order("does-as-told.storage", { engine_id: engine.id })),
    owner: { product_id: engine.product_id, user_id: engine.user_id },
  });
  /** Runs the engine once, and asks for a deed. */
  const once = async (t: Test, engine: StoredEngine, deed: string, how: Record<string, string>) => {
    const { process } = await started(t, under, await orderFor(engine));
    const answer = await ask(process, deed, how);
    await process.stop(5000);
    under.backend.sockets.release(engine.id);
    return answer;
  };
  t.teardown(() => storage.eraseKeptOf(product));

  await t.test("data of a user", async (t) => {
    const [first, second, third] = [engineOf("ann"), engineOf("ann"), engineOf("ann")];
    const ann = { product_id: product, user_id: "ann" };

    await t.test("are in an engine's storage", async (t) => {
      await storage.prepare(first);
      t.notOk(await storage.isRestored(first));
      await once(t, first, "write", { name: "note", text: "hers" });
    });

    const skip = under.readsStorage ? false : "this backend does not read the files of engines";
    await t.test("are read as members of an archive", { skip }, async (t) => {
      const names: string[] = [];
      const take = async ({ path }: Member, body: AsyncIterable<Uint8Array>) => {
        names.push(path);
        for await (const _ of body);
      };
      // The engine's test has ended, and erased its storage.
      const engine = engineOf("reader");
      await storage.prepare(engine);
      const { process } = await started(t, under, await orderFor(engine));
      await ask(process, "write", { name: "note", text: "hers" });
      t.match(await storage.read(engine, { signal: new AbortController().signal, take }), {
        kind: "read",
        notes: "",
      });
      t.ok(names.includes("note"), String(names));
      t.same(await storage.read(engineOf("nobody"), { signal: new AbortController().signal, take }), {
        kind: "missing",
      });
    });

    await t.test("are kept for the next engine", async (t) => {
      await storage.prepare(first);
      await storage.keep(first);
      t.ok(await storage.hasKept(ann));
      t.ok((await storage.keptProducts()).includes(product));
      const [kept, ...others] = (await storage.listKept()).filter(({ productId }) => productId === product);
      t.same([kept, others], [{ productId: product, user: sha256("ann") }, []], "as archives name them");
      if (kept === undefined || !under.readsStorage) return;
      const reader = { signal: new AbortController().signal, take: async () => undefined };
      t.same(await storage.read(kept, reader), { kind: "read", notes: "" });
    });

    await t.test("are kept again when the next provision fails", async (t) => {
      await storage.prepare(second);
      t.ok(await storage.isRestored(second));
      t.notOk(await storage.hasKept(ann));
      await storage.discard(second);
      t.ok(await storage.hasKept(ann));
    });

    await t.test("are the next engine's once its provision has succeeded", async (t) => {
      await storage.prepare(third);
      await storage.settle(third);
      t.notOk(await storage.isRestored(third));
      t.notOk(await storage.hasKept(ann));
      await storage.erase(third);
    });
  });

  await t.test("a file outlives a destroy that keeps data, and only for its user", async (t) => {
    const [first, second, stranger] = [engineOf("bob"), engineOf("bob"), engineOf("eve")];
    await storage.prepare(first);
    const engine = await started(t, under, await orderFor(first));
    await ask(engine.process, "write", { name: "note", text: "his" });
    await engine.process.stop(5000);
    await storage.keep(first);
    await storage.prepare(stranger);
    t.equal(await once(t, stranger, "read", { name: "note" }), null);
    await storage.prepare(second);
    t.equal(await once(t, second, "read", { name: "note" }), "his");
  });

  await t.test("storage that was created is erased when the provision fails", async (t) => {
    const [first, second] = [engineOf("dan"), engineOf("dan")];
    await storage.prepare(first);
    await storage.discard(first);
    await storage.prepare(second);
    t.notOk(await storage.isRestored(second));
    await storage.erase(second);
  });

  await t.test("to erase is final, and twice is no error", async (t) => {
    const engine = engineOf("fay");
    const before = await started(t, under, await orderFor(engine));
    await ask(before.process, "write", { name: "note", text: "hers" });
    await before.process.stop(5000);
    await storage.erase(engine);
    await t.resolves(storage.erase(engine));
    t.equal(await once(t, engine, "read", { name: "note" }), null);
  });

  await t.test("kept data of a user, and of a product, are erased", async (t) => {
    const [one, other] = [engineOf("gil"), engineOf("hal")];
    for (const engine of [one, other]) {
      await storage.prepare(engine);
      await storage.keep(engine);
    }
    await storage.eraseKept(one);
    t.same([await storage.hasKept(one), await storage.hasKept(other)], [false, true]);
    await storage.eraseKeptOf(product);
    t.notOk(await storage.hasKept(other));
    t.notOk((await storage.keptProducts()).includes(product));
  });
}
