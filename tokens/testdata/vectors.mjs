// Writes vectors.jsonl: hostile strings with their tokens, as the npm package
// tiktoken 1.0.22 (OpenAI's own encoder compiled to WebAssembly) has them.
//
//   npm install tiktoken@1.0.22     # anywhere
//   NODE_PATH=…/node_modules node vectors.mjs > vectors.jsonl
//
// A line is {"text" or "hex", "o200k", "cl100k"}. "hex" are bytes that are not
// valid UTF-8, decoded by TextDecoder before they are encoded. The first line
// names the version. The output depends on nothing else.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.NODE_PATH ? process.env.NODE_PATH + "/" : import.meta.url);
const { get_encoding } = require("tiktoken");
const version = JSON.parse(readFileSync(require.resolve("tiktoken").replace(/[^/]*$/, "package.json"))).version;
const o200k = get_encoding("o200k_base"), cl100k = get_encoding("cl100k_base");

// A linear congruential generator (Numerical Recipes), so that the strings stay the same.
let state = 20260101;
const below = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 4294967296 * n); };
const pick = (list) => list[below(list.length)];

const emit = (key, value, text) => console.log(JSON.stringify({
  [key]: value,
  o200k: [...o200k.encode(text, [], [])],
  cl100k: [...cl100k.encode(text, [], [])],
}));
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

console.log(JSON.stringify({ package: "tiktoken", version }));

// Chosen by hand.
for (const text of [
  "", " ", "a", "\n", "\r\n", "\t", "\u0000", "  ", "   x", "\n\n\n", " \n ", " \r\n\t \n x", "hello world",
  "I'm you're it's we've I'll he'd can't", "I'M YOU'RE IT'S WE'VE I'LL HE'D CAN'T", "it'\u017f it'\u017fo X'\u017f '\u017f '\u212a",
  "'s 't 're 've 'm 'll 'd", "''s '''re 's's's", "o'clock rock'n'roll 'tis", "'R 'rE 'L 'Lx 'v", "a'", "a'l", "A'r",
  "HTMLParser XMLHttpRequest getURLPath fooBAR FOObar fOo", "camelCase snake_case kebab-case SCREAMING_SNAKE dotted.path",
  "\u01c5 \u01c5a A\u01c5 \u01c5\u01c5 \u01c8x", "\u02b0 a\u02b0 A\u02b0b \u02b0A \u02b0\u02b0A", "e\u0301 E\u0301 \u0301a \u0301A \u0301\u0301 \u0301",
  "A\u0301B\u0301c", " \u0301x \u0301X !\u0301x", "\u0301FOO \u0301Foo \u0301'S x\u0301's X\u0301'S", "漢字かな交じり文 中文測試 한국어 텍스트",
  "漢A字b A漢 a漢A", "Привет МИР ПриветМир", "Ελληνικά ΣΊΣΥΦΟΣ ς", "العربية עברית हिन्दी ไทย", "ﬀ ß ẞ İ ı K Å",
  "😀 👩‍👩‍👧‍👦 🇩🇪 👍🏽 ☃️ \u{1F600}\u{1F601}a", "a😀b 😀'S", "\u{1D400}\u{1D41A} \u{10400}\u{10428} \u{20000}\u{2FFFF}\u{10FFFF}\u{E0001}",
  "١٢٣٤٥ ²³¹ ⅣⅤ ½¾ 一二三 ௧௨", "1 12 123 1234 12345 1234567890", "1,234.56 0x1F 1e10 3.14 v1.2.3-rc.4+build", "a1b2 1a 12ab34",
  "\u0085 a\u0085b \u2028 a\u2028b \u2029 \u00a0 \u3000 \u1680 \u200b \ufeff \u180e", "x\u0085\u0085\n\u2028y", " \u00a0 x", "\u3000\u3000x\u3000\u3000\u3000y",
  "\r \n \r\n\n\r x", "a\rb\nc\r\nd\n\re", "x \n  y\n\n   z\t\n", "\r\n \n  \n_", "foo   (bar)  [baz]   {qux}   ;", "    !    /    \"   '",
  "!\n!!\r\n)\n\n};\n\n}\n/\n//\n///\r\n/x", "a/b//c///d\n/ /\n", "// comment\n/* block */\n# hash\n<!-- html -->\n--\n", "http://example.org/a/b?c=d&e=%20f#g",
  "<|endoftext|>", "x<|fim_prefix|>y<|endofprompt|><|im_start|>", "_ __ ___ ____ _a a_ _A A_ __init__", "== === ==== => -> ::= != !== <=> ... … — – ",
  "\\n \\t \\u0041 \\\\", "$var ${var} @at #tag %d &amp; ^ ~ `code`", "a+b-c*d/e%f", "\u00ad soft\u00adhyphen zero\u200dwidth", "\ufffd \ufffd\ufffd a\ufffdb",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "=".repeat(200), " ".repeat(300) + "x", "-".repeat(79) + "\n", "\n".repeat(100), "\t".repeat(50) + "}", "ab".repeat(100), "\u00e9".repeat(70), "漢".repeat(90), "😀".repeat(40),
  "Supercalifragilisticexpialidocious antidisestablishmentarianism Donaudampfschifffahrtsgesellschaftskapitän",
  "0123456789abcdef0123456789ABCDEF deadbeefDEADBEEF c0ffee", "QWxhZGRpbjpvcGVuIHNlc2FtZQ== sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
]) emit("text", text, text);

// Code in several languages.
for (const text of [
  "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tif len(os.Args) < 2 {\n\t\tfmt.Fprintf(os.Stderr, \"usage: %s FILE\\n\", os.Args[0])\n\t\tos.Exit(2)\n\t}\n}\n",
  "def fib(n: int) -> int:\n    \"\"\"Return the n-th number.\"\"\"\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n\n\nif __name__ == '__main__':\n    print([fib(i) for i in range(10)])\n",
  "export async function* pages<T>(url: string, opts?: { limit?: number }): AsyncGenerator<T[]> {\n  let next: string | null = `${url}?limit=${opts?.limit ?? 100}`;\n  while (next) {\n    const res = await fetch(next, { headers: { 'X-Key': \"…\" } });\n    yield (await res.json()) as T[];\n    next = res.headers.get('link');\n  }\n}\n",
  "impl<'a, T: ?Sized + Display> fmt::Debug for Wrapper<'a, T> {\r\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\r\n        write!(f, \"Wrapper({})\", self.0)?;\r\n        Ok(())\r\n    }\r\n}\r\n",
  "#include <stdio.h>\n#define MAX(a,b) ((a)>(b)?(a):(b))\nstatic const char *const names[] = { \"x\", NULL };\nint main(int argc, char **argv) { return argc > 1 && argv[1][0] == '-' ? 0x7FFFFFFF : ~0U; }\n",
  "@Override\npublic List<Map.Entry<String, Integer>> getTopN(final int n) throws IOException {\n    return this.counts.entrySet().stream()\n            .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())\n            .limit(n).collect(Collectors.toList());\n}\n",
  "SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE u.name LIKE '%o''b%' GROUP BY 1 HAVING COUNT(*) > 10 ORDER BY n DESC;\n",
  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>It's &lt;here&gt;</title></head>\n<body onload=\"init()\"><p class='a b'>Text<br/>more</p></body></html>\n",
  "for f in \"$@\"; do\n  [[ -f $f ]] || { echo \"no: $f\" >&2; exit 1; }\n  sed -E 's/^([^:]+):\\s*(.*)$/\\2 \\1/' \"$f\" | awk '{print $1}' > \"${f%.txt}.out\"\ndone\n",
  "{\"name\":\"x\",\"version\":\"1.0.0\",\"dependencies\":{\"a\":\"^1.2.3\",\"@scope/b\":\"~0.0.1\"},\"n\":[1,2.5,-3e-7,null,true]}\n",
  "diff --git a/x.go b/x.go\nindex 83db48f..bf269f4 100644\n--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,4 @@ func f() {\n \tx := 1\n-\ty := 2\n+\ty := 3\n+\tz := 4\n",
  "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 42, in <module>\n    raise ValueError(f\"bad {x!r}\")\nValueError: bad 'ü'\n",
  "| a | b |\n|---|:-:|\n| 1 | **bold** |\n\n* item\n  * nested `code`\n\n1. one\n2. two\n\n> quote\n\n```go\nx := 1\n```\n",
  ".PHONY: all\nall: $(OBJS)\n\t$(CC) -o $@ $^ $(LDFLAGS)\n%.o: %.c\n\t@$(CC) -c $<\n",
  "server {\n    listen 443 ssl;\n    location ~* \\.(js|css)$ { expires 30d; add_header Cache-Control \"public\"; }\n}\n",
]) emit("text", text, text);

// Letters, marks and numbers that are new in Unicode 15.1 and 16.0.
for (const c of ["\u0897", "\u1c89", "\u1c8a", "\ua7cb", "\ua7cd", "\ua7da", "\ua7db", ..."\u{105c0}\u{105f3}\u{10d40}\u{10d4e}\u{10d50}\u{10d69}\u{10d70}\u{10ec2}\u{10efc}\u{11380}\u{113b8}\u{116d0}\u{11bc0}\u{11bf0}\u{11f5a}\u{13460}\u{143fa}\u{16100}\u{1611e}\u{16130}\u{16d40}\u{16d70}\u{18cff}\u{1ccf0}\u{1e5d0}\u{1e5ee}\u{1e5f1}\u{2ebf0}\u{2ee5d}"]) {
  const text = `a${c}b ${c} ${c}\n1${c}2!${c}/${c}'s${c}A${c}\n${c}`;
  emit("text", text, text);
}

// Random strings over an alphabet of what goes wrong.
const alphabet = [
  " ", " ", "  ", "   ", "\n", "\r\n", "\r", "\t", "\u0085", "\u2028", "\u2029", "\u00a0", "\u3000", "\u200b", "/", "//", "'", "'s", "'S", "'re", "'LL", "'\u017f", "\u017f",
  "a", "b", "the", "ing", "A", "B", "THE", "Foo", "é", "É", "ß", "\u01c5", "\u02b0", "\u00aa", "ж", "Ж", "漢", "字", "か", "한", "\u0301", "\u0308", "\u093e", "\u20dd",
  "0", "1", "23", "456", "7890", "²", "½", "Ⅳ", "١", ".", ",", ";", "(", ")", "{", "}", "!", "=", "==", "_", "-", "+", "*", "\"", "#", "$", "<", ">", "\\", "`", "|",
  "😀", "👍🏽", "\u200d", "\ufe0f", "🇩", "€", "—", "…", "“", "”", "\u{10400}", "\u{10428}", "\u{1D400}", "\ufffd", "\ufeff", "\u0000", "\u007f", "<|endoftext|>",
];
for (let n = 0; n < 300; n++) {
  let text = "";
  for (let k = 1 + below(n < 200 ? 12 : 60); k > 0; k--) text += pick(alphabet);
  emit("text", text, text);
}

// Bytes that are not UTF-8.
for (const hex of [
  "80", "ff", "c0af", "c3", "c328", "e28281e282", "e282", "e28261", "eda080", "edbfbf", "f09f98", "f09f9880f09f98", "f0288cbc", "f4908080", "f8888080", "fffe", "61ff62", "ffff61", "20ff20", "c3a9c3",
  "e0809f", "e09fbf", "f08080af", "f0808080", "61e282ac62e28263", "0aff0a", "31ff32", "efbbbf61", "80808080", "f1f1f1", "e1a0c0e2", "ed9fbfeda0",
]) emit("hex", hex, utf8.decode(Buffer.from(hex, "hex")));
for (let n = 0; n < 40; n++) {
  const bytes = [];
  for (let k = 1 + below(20); k > 0; k--) bytes.push(pick([0x20, 0x61, 0x41, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xed, 0xa0, 0xf0, 0x9f, 0x98, 0xf4, 0x90, 0xff, 0x0a, 0x27]));
  emit("hex", Buffer.from(bytes).toString("hex"), utf8.decode(Buffer.from(bytes)));
}
