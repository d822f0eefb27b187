// node count.mjs NODE_MODULES PACKAGE ENCODING: counts tokens for node.go.
// The first line of standard input holds the chunks as JSON, each later one a
// number of microseconds to count for. Each answer is one line of JSON.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [modules, name, encoding] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { version } = JSON.parse(readFileSync(join(modules, name, "package.json")));
let count;
if (name === "tiktoken") {
  const enc = require("tiktoken").get_encoding(encoding);
  count = (text) => enc.encode(text, [], []).length; // special tokens as text
} else {
  const { countTokens } = require(`gpt-tokenizer/encoding/${encoding}`);
  const asText = { disallowedSpecial: new Set() };
  count = (text) => countTokens(text, asText);
}

let chunks;
for await (const line of createInterface({ input: process.stdin })) {
  if (!chunks) {
    chunks = JSON.parse(line);
    console.log(JSON.stringify({ version }));
    continue;
  }
  const begin = process.cpuUsage();
  let tokens, times = 0, micros = 0;
  while (micros < Number(line)) {
    tokens = 0;
    for (const c of chunks) tokens += count(c);
    times++;
    const { user, system } = process.cpuUsage(begin);
    micros = user + system;
  }
  console.log(JSON.stringify({ tokens, times, micros }));
}
