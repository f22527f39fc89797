// The floor of a first paint: a page of one heading, without a style or a script.
import { createServer } from "node:http";

createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end("<!doctype html><title>bare</title><h1>bare page</h1>");
}).listen(Number(process.env.PORT), "127.0.0.1");
