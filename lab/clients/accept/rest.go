package main

import (
	"bytes"
	"os"
	"path/filepath"
)

// protocol has other implementations speak to the server.
func protocol(t *trial) {
	b := t.setup("protocol", (*box).opencodeSettings)
	t.installed(b)

	// The Inspector.
	list := b.start(nil, "", append(t.argv("inspector"), "--cli", filepath.Join(b.bin, "satchel"), "mcp", "--method", "tools/list")...)
	t.want(list.code == 0 && bytes.Contains(list.out, []byte(`"name": "pack"`)), "inspector tools/list: %d %.200s %.200s", list.code, list.out, list.err)
	call := b.start(nil, "", append(t.argv("inspector"), "--cli", filepath.Join(b.bin, "satchel"), "mcp", "--method", "tools/call", "--tool-name", "pack", "--tool-arg", "task="+task, "--tool-arg", "budget=1500")...)
	t.want(call.code == 0 && bytes.Contains(call.out, []byte(answer)), "inspector tools/call: %d %.200s %.200s", call.code, call.out, call.err)

	// The TypeScript SDK's client, which checks every schema.
	script := filepath.Join(t.dir, "mcpsdk", "trial.mjs")
	if err := os.WriteFile(script, []byte(sdkClient), 0o600); err != nil {
		panic(notRun{err.Error()})
	}
	sdk := b.start([]string{"SATCHEL=" + filepath.Join(b.bin, "satchel")}, "", filepath.Join(t.nodeDir, "node"), script)
	t.want(sdk.code == 0 && bytes.Contains(sdk.out, []byte(answer)) && bytes.Contains(sdk.out, []byte("refused")) && bytes.Contains(sdk.out, []byte("package proxy")), "TypeScript SDK: %d %.300s %.300s", sdk.code, sdk.out, sdk.err)

	// opencode, with the server and the plugin that satchel installs.
	t.installed(b, "opencode")
	r := b.opencode("opencode: " + task + ` @@tool satchel_pack {"task":"` + task + `","budget":1500}@@`)
	t.want(r.code == 0, "opencode ended with %d: %s", r.code, r.err)
	text := t.given("opencode", b.api.asking("opencode: "))
	t.answered(b, "opencode")
	t.fact("%d characters beside the prompt of opencode, the answer of the server once", characters(text))
}

// sdkClient lists the tools, calls one, calls one wrongly, and reads a file.
const sdkClient = `import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
const c = new Client({ name: "trial", version: "0" })
await c.connect(new StdioClientTransport({ command: process.env.SATCHEL, args: ["mcp"], env: { PATH: process.env.PATH, HOME: process.env.HOME } }))
const { tools } = await c.listTools()
console.log(tools.map((t) => t.name).join(" "))
console.log((await c.callTool({ name: "pack", arguments: { task: "` + task + `", budget: 1500 } })).content[0].text)
try {
  const bad = await c.callTool({ name: "pack", arguments: { nope: 1 } })
  console.log(bad.isError ? "refused" : "taken")
} catch (e) { console.log("refused", e.message) }
console.log((await c.readResource({ uri: "satchel://file/` + answer + `:1-2" })).contents[0].text)
await c.close()
`
