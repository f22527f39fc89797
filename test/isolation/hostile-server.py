"""A tool server whose one tool runs the attempts in the engine's workspace."""
import json, subprocess, sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message.get("method")
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "hostile", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "attempt", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        done = subprocess.run([sys.executable, "run-attempts.py"], close_fds=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        result = {"content": [{"type": "text", "text": done.stdout.decode("utf8", "replace")}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}}),
              flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
