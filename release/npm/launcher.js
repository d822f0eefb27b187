#!/usr/bin/env node
// Starts the satchel of this platform. npm put it beside this package by its "os"
// and "cpu", as an optional dependency, so that no script runs on installing.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");
const { isatty } = require("node:tty");
const { name, version, optionalDependencies } = require("./package.json");

const windows = process.platform === "win32";
const packages = Object.keys(optionalDependencies);
const wanted = `${name}-${process.platform}-${process.arch}`;

// fail says what is wrong and how to mend it, as satchel does.
function fail(what, hint) {
  process.stderr.write(`satchel: ${what}\nhint: ${hint}\n`);
  process.exit(1);
}

// manifest returns where the package.json of an installed package is, or "".
function manifest(pkg) {
  try {
    return require.resolve(`${pkg}/package.json`);
  } catch {
    return "";
  }
}

if (!packages.includes(wanted)) {
  const have = packages.map((p) => p.slice(name.length + 1)).join(", ");
  fail(`there is no package for ${process.platform}-${process.arch}, only for ${have}`,
    "build it with Go: go install github.com/satchel-dev/satchel/cmd/satchel@latest");
}
const found = manifest(wanted);
if (!found) {
  const other = packages.find(manifest);
  if (other) {
    fail(`${wanted} is not installed, but ${other} is: node_modules or its lock file was made on another platform`,
      "remove node_modules and the lock file, and install again on this one");
  }
  fail(`${wanted} is not installed, the package with the program for this platform`,
    "install again without --omit=optional (or --no-optional); if a lock file names no such package, remove it and node_modules first");
}
const installed = require(found).version;
if (installed !== version) {
  fail(`${wanted} is ${installed}, and ${name} is ${version}`, `install ${name}@${version} again: both come together`);
}

const binary = join(dirname(found), "bin", windows ? "satchel.exe" : "satchel");
// A terminal sends SIGINT and SIGQUIT to every process of its foreground, the child
// among them, and satchel ends at once when it gets a second one. Windows does so, too.
const shared = windows || [0, 1, 2].some((fd) => isatty(fd));
// From before the child starts, so that none ends this process and leaves the child.
const signals = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => {
    if (!windows && !(shared && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
  });
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (err) => fail(`${binary} cannot be started: ${err.message}`, `install ${name}@${version} again`));
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  signals.forEach((s) => process.removeAllListeners(s));
  process.kill(process.pid, signal); // as the child ended; node itself ignores a few
  setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
});
