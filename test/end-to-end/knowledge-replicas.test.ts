import t from "tap";
import { findsPassage, storeDocument } from "../helpers/product-documents.ts";
import { openReplicas } from "../helpers/replicas.ts";

const TAKEOVER_MS = 10_000;

const replicas = await openReplicas(t, { products: ["acme"] });
const first = await replicas.start();
const second = await replicas.start();
const { body: product } = await second.admin("/products/register", { method: "POST", body: { slug: "acme" } });
const key: string = product.platform_api_key;
const provisioned = await second.platform(key, "/engines/provision", { method: "POST", body: { user_id: "anna" } });
if (provisioned.status !== 201) throw new Error(provisioned.text);
const { id, engine_api_key: engineKey } = provisioned.body;
const anna = { url: `${second.url}/e/${id}`, key: engineKey };
const search = (query: string) =>
  second.platform(key, "/knowledge/search", { method: "POST", body: { query } }).then(({ body }) => body.results);

t.test("a document that a follower was given is found by engines and by the follower", async (t) => {
  await storeDocument(second, key, "refunds.md", "# Refunds\n\nA refund takes 14 days.");
  t.equal(await findsPassage(anna, "refund", /14 days/), "refunds.md:3");
  t.match(await search("refund"), [{ source: "refunds.md:3" }]);
  const [led, followed] = await Promise.all([first, second].map((daemon) => daemon.platform(key, "/knowledge")));
  t.same(followed?.body, led?.body);
});

t.test("a follower that takes over from a killed leader stores the next version", async (t) => {
  first.process.kill("SIGKILL");
  await replicas.awaitLeader(TAKEOVER_MS);
  t.equal(await findsPassage(anna, "refund", /14 days/), "refunds.md:3");
  await storeDocument(second, key, "delivery.md", "# Delivery\n\nParcels arrive on Friday.");
  t.equal(await findsPassage(anna, "when do parcels arrive", /Friday/), "delivery.md:3");
  t.match(await search("parcels"), [{ source: "delivery.md:3" }]);
});
