// LangGraph's API server in its in-memory mode, as its own development command starts it, without that command's watching
// of files and compiling of TypeScript.
import { join } from "node:path";
import { startServer } from "@langchain/langgraph-api/server";

const graph = (name) => `${join(import.meta.dirname, "graphs.mjs")}:${name}`;

await startServer({
  host: "127.0.0.1",
  port: Number(process.env.PORT),
  nWorkers: Number(process.env.WORKERS),
  cwd: process.env.DATA_DIR,
  graphs: { scripted: graph("scripted"), remote: graph("remote") },
});
