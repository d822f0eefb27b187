// Written by satchel install; satchel uninstall opencode removes it.
// Asks satchel for context at the points of a session. Whatever goes wrong, opencode goes on as if it were not there.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { isAbsolute, join } from "node:path"

const patience = 10_000 // milliseconds; satchel's own deadlines are shorter

// On Windows spawn looks into the folder that it runs in before PATH, and that is somebody's repository.
const program = process.platform !== "win32" ? "satchel"
  : (process.env.PATH ?? "").split(";").filter((dir) => isAbsolute(dir)).map((dir) => join(dir, "satchel.exe")).find((file) => existsSync(file))

function ask(event, input) {
  return new Promise((resolve) => {
    if (!program) return resolve({})
    let out = ""
    const done = (value) => { clearTimeout(timer); resolve(value) }
    const child = spawn(program, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => { child.kill(); resolve({}) }, patience)
    child.on("error", () => done({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => { if (out.length < 1_000_000) out += chunk })
    child.on("close", (code) => {
      let answer
      try { answer = code === 0 && JSON.parse(out) } catch {}
      done(answer && typeof answer === "object" ? answer : {})
    })
    child.stdin.end(JSON.stringify(input))
  })
}

export const Satchel = async ({ directory }) => ({
  event: async ({ event }) => {
    const session = event.properties?.info?.id ?? event.properties?.sessionID
    if (event.type === "session.created") await ask(event.type, { session, cwd: directory, source: "startup" })
    if (event.type === "session.compacted") await ask(event.type, { session, cwd: directory })
  },
  "chat.message": async (input, output) => {
    const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
    const last = typed.at(-1)
    if (!last) return
    const { context } = await ask("chat.message", { session: input.sessionID, cwd: directory, prompt: typed.map((part) => part.text).join("\n") })
    if (typeof context !== "string" || context === "") return
    output.parts.push({ id: last.id + "satchel", sessionID: last.sessionID, messageID: last.messageID, type: "text", synthetic: true, text: context })
  },
  "tool.execute.after": async (input, output) => {
    await ask("tool.execute.after", { session: input.sessionID, cwd: directory, tool: input.tool, args: input.args, failed: output?.isError === true })
  },
  "experimental.session.compacting": async (input, output) => {
    const { context } = await ask("experimental.session.compacting", { session: input.sessionID, cwd: directory })
    if (typeof context === "string" && context !== "") output.context.push(context)
  },
})
