// The floor of a start: the least program that answers /health. CommonJS, which starts faster and smaller than ES modules.
const { createServer } = require("node:http");

createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"status":"ok"}');
}).listen(Number(process.env.PORT), "127.0.0.1");
