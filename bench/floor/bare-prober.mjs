// The floor of supervision: asks every engine how it is, as often as the daemon does, and draws no conclusions.
import { Agent, get } from "node:http";

const agent = new Agent({ keepAlive: true });
const every = Number(process.env.INTERVAL_MS);
for (const url of process.env.URLS.split(" ")) {
  const ask = () => get(url, { agent }, (response) => response.resume()).on("error", () => process.exit(1));
  setTimeout(() => setInterval(ask, every), Math.random() * every);
}
