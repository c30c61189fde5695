// Runs a wasm32-wasi program under node: node tests/wasm/run.mjs [--root DIR] PROGRAM.wasm ARGS...
// The program sees DIR (default: the current directory) as its current directory, and under its absolute path.
// The exit status is the program's; a trap is 70, like every internal error of the tool.
import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";

// The program runs in a process of its own, which tells its status before it ends: node, which still improves code in the
// background then, crashes at its own end now and then.
if (!process.send) {
  const child = fork(process.argv[1], process.argv.slice(2), { stdio: "inherit" });
  process.exitCode = 70;
  child.on("message", (status) => (process.exitCode = status));
} else {
  process.send(await run(process.argv.slice(2)), () => process.kill(process.pid, "SIGKILL"));
}

async function run(words) {
  // node prints a warning that wasi is experimental; it would end up between the lines of a diagnostic.
  process.removeAllListeners("warning");
  const { WASI } = await import("node:wasi");

  let root = ".";
  if (words[0] === "--root") {
    root = words[1];
    words.splice(0, 2);
  }
  root = resolve(root);
  const [program, ...rest] = words;
  if (!program) {
    console.error("usage: run.mjs [--root DIR] PROGRAM.wasm ARGS...");
    return 2;
  }

  const wasi = new WASI({
    version: "preview1",
    args: ["braid", ...rest],
    env: process.env,
    preopens: { [root]: root, ".": root },
    returnOnExit: true,
  });

  try {
    const module = await WebAssembly.compile(await readFile(program));
    // Debian 12 has node 18, which lacks getImportObject().
    const imports = { wasi_snapshot_preview1: wasi.wasiImport };
    const instance = await WebAssembly.instantiate(module, imports);
    return wasi.start(instance);
  } catch (error) {
    console.error(`${program}: ${error.stack ?? error}`);
    return 70;
  }
}
