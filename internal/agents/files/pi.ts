// Written by satchel install; satchel uninstall pi removes it.
// Asks satchel for context at the points of a session. Whatever goes wrong, pi goes on as if it were not there.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { isAbsolute, join } from "node:path"

const patience = 10_000 // milliseconds; satchel's own deadlines are shorter

// On Windows spawn looks into the folder that it runs in before PATH, and that is somebody's repository.
const program = process.platform !== "win32" ? "satchel"
  : (process.env.PATH ?? "").split(";").filter((dir) => isAbsolute(dir)).map((dir) => join(dir, "satchel.exe")).find((file) => existsSync(file))

function run(args: string[], input: string, cwd: string, signal?: AbortSignal): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve) => {
    if (!program) return resolve({ code: null, out: "" })
    let out = ""
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"] })
    const stop = () => { child.kill(); done({ code: null, out: "" }) }
    const timer = setTimeout(stop, input === "" ? 6 * patience : patience)
    const done = (value: { code: number | null; out: string }) => { clearTimeout(timer); signal?.removeEventListener("abort", stop); resolve(value) }
    signal?.addEventListener("abort", stop)
    child.on("error", () => done({ code: null, out: "" }))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => { if (out.length < 4_000_000) out += chunk })
    child.on("close", (code) => done({ code, out }))
    child.stdin.end(input)
  })
}

export default function (pi: any) {
  const ask = async (event: string, input: object, ctx: any): Promise<any> => {
    const cwd = ctx?.cwd ?? process.cwd()
    const { code, out } = await run(["hook", "pi", event], JSON.stringify({
      session: ctx?.sessionManager?.getSessionId?.(), transcript: ctx?.sessionManager?.getSessionFile?.(), cwd, ...input,
    }), cwd)
    try {
      const answer = code === 0 ? JSON.parse(out) : {}
      return answer && typeof answer === "object" ? answer : {}
    } catch { return {} }
  }

  pi.on("session_start", async (event: any, ctx: any) => { await ask("session_start", { source: event.reason }, ctx) })
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const { context } = await ask("before_agent_start", { prompt: event.prompt }, ctx)
    if (typeof context === "string" && context !== "") return { message: { customType: "satchel", content: context, display: false } }
  })
  pi.on("tool_result", async (event: any, ctx: any) => { await ask("tool_result", { tool: event.toolName, args: event.input, failed: event.isError === true }, ctx) })
  pi.on("context", async (event: any, ctx: any) => {
    if (!event.messages.some((m: any) => m.role === "toolResult" && m.toolName === "read")) return
    const { stale } = await ask("context", { messages: event.messages }, ctx)
    if (!Array.isArray(stale) || stale.length === 0) return
    const messages = [...event.messages]
    for (const { index, text } of stale) {
      if (messages[index]?.role !== "toolResult" || typeof text !== "string") continue
      messages[index] = { ...messages[index], content: [{ type: "text", text }] }
    }
    return { messages }
  })
  pi.on("session_before_compact", async (event: any, ctx: any) => {
    const { context } = await ask("session_before_compact", {}, ctx)
    if (typeof context === "string" && context !== "") {
      event.preparation?.messagesToSummarize?.push({ role: "user", content: [{ type: "text", text: context }], timestamp: Date.now() })
    }
  })
  pi.on("session_compact", async (_event: any, ctx: any) => { await ask("session_compact", {}, ctx) })

  // pi has no MCP servers; these two are what an agent needs most of satchel's.
  const tool = (name: string, description: string, properties: any, args: (params: any) => string[]) => pi.registerTool({
    name, label: name, description, parameters: { type: "object", properties, required: ["query"], additionalProperties: false },
    async execute(_id: string, params: any, signal: AbortSignal, _update: any, ctx: any) {
      const { code, out } = await run(args(params), "", ctx?.cwd ?? process.cwd(), signal)
      const text = code === 0 ? out : `satchel ${name} gave no answer (exit code ${code ?? "none"}); is satchel on PATH?`
      return { content: [{ type: "text", text }], details: {} }
    },
  })
  tool("pack", "The code and documents of this repository that matter for a task, within a budget of tokens, most relevant first.",
    { query: { type: "string", description: "the task in plain words; names, paths and error messages help" }, budget: { type: "integer", minimum: 500, maximum: 50000, description: "tokens; 6000 if absent" } },
    (params) => ["pack", "--quiet", "--budget", String(params.budget ?? 6000), "--", String(params.query)])
  tool("search", "Ranks the files of this repository for words, names, a path or a traceback.",
    { query: { type: "string", description: "what to look for" }, limit: { type: "integer", minimum: 1, maximum: 100, description: "20 if absent" } },
    (params) => ["search", "--quiet", "--limit", String(params.limit ?? 20), "--", String(params.query)])
}
