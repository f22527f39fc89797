import { runConfined } from "@orchd/sandbox";

const script = process.argv[2] ?? "id; ls /home; cat /etc/shadow; echo kept > note && cat note";
const { ended } = await runConfined(["sh", "-c", script], { memoryMb: 128, maxProcesses: 16 });
const { output, exitCode, signal, limit } = await ended;
console.log(output);
console.log(limit ?? `ended with ${exitCode ?? signal}`);
