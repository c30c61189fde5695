// Runs a wasm32-wasi program under node: node tests/wasm/run.mjs [--root DIR] PROGRAM.wasm ARGS...
// The program sees DIR (default: the current directory) as its current directory, and under its absolute path.
// The exit status is the program's; a trap is 70, like every internal error of the tool.
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";

// The program runs in a process of its own, which writes its status into a pipe as soon as it is known: node, which still
// works in the background then, crashes behind the end of the program now and then.
const status_pipe = 3, inside = "--inside";
const [, script, ...words] = process.argv;
if (words[0] !== inside) {
  const child = spawn(process.execPath, [script, inside, ...words], { stdio: ["inherit", "inherit", "inherit", "pipe"] });
  let status = "";
  child.stdio[status_pipe].on("data", (text) => (status += text));
  child.on("close", () => (process.exitCode = status === "" ? 70 : Number(status)));
} else {
  writeSync(status_pipe, String(await run(words.slice(1))));
  process.kill(process.pid, "SIGKILL");
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
    const imports = { wasi_snapshot_preview1: {} };
    // Called from JavaScript, not from wasm itself: that way node 20 now and then lost its stack when the program returned.
    for (const [name, call] of Object.entries(wasi.wasiImport)) imports.wasi_snapshot_preview1[name] = (...words) => call(...words);
    const instance = await WebAssembly.instantiate(module, imports);
    return wasi.start(instance);
  } catch (error) {
    console.error(`${program}: ${error.stack ?? error}`);
    return 70;
  }
}
