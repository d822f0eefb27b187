#!/bin/sh
# Makes what archives and packages hold beside the binary, in release/generated:
# completions, manual pages, the licences of what is linked in. GoReleaser runs it
# before it builds. VERSION, COMMIT and DATE are those of release/build.sh.
set -eu
cd "$(dirname "$0")/.."
out=release/generated
rm -rf "$out"
mkdir -p "$out/completions"

release/build.sh "$out/bin" "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" >/dev/null
satchel=$(echo "$out"/bin/satchel_*)

"$satchel" completion bash >"$out/completions/satchel.bash"
"$satchel" completion zsh >"$out/completions/_satchel"
"$satchel" completion fish >"$out/completions/satchel.fish"
"$satchel" completion powershell >"$out/completions/satchel.ps1"
(cd lab && SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) go run ./release/man "../$out/man")
(cd lab && go run ./release/licenses ..) >"$out/THIRD_PARTY.txt"
rm -r "${out:?}/bin"
