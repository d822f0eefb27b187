#!/bin/sh
# Builds the binaries of a release, byte for byte as .goreleaser.yaml does: the same
# commit, version and Go give the same bytes in every folder and on every machine.
#
#   release/build.sh FOLDER [OS/ARCH]...     all six targets, if none is named
#
# FOLDER gets the binaries and their SHA256SUMS. VERSION is the tag of the commit, or
# v0.0.0-snapshot; COMMIT and DATE (RFC 3339, UTC) are the commit's, if git knows it.
set -eu

targets="linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

[ $# -gt 0 ] || { echo "usage: release/build.sh FOLDER [OS/ARCH]..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $targets

cd "$(dirname "$0")/.."
: "${VERSION=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null || echo v0.0.0-snapshot)}"
: "${COMMIT=$(git rev-parse HEAD)}"
: "${DATE=$(TZ=UTC0 git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)}"

# What would change the bytes is said here, whatever the environment says.
export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOEXPERIMENT='' GOAMD64=v1 GOARM64=v8.0 GOFIPS140=off

sum=sha256sum
command -v sha256sum >/dev/null || sum="shasum -a 256"
variables=github.com/satchel-dev/satchel/internal/front/cli/base
rm -f "$folder/SHA256SUMS"
for target; do
	os=${target%/*} arch=${target#*/}
	name=satchel_${os}_${arch}
	[ "$os" != windows ] || name=$name.exe
	GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false \
		-ldflags "-s -w -buildid= -X $variables.releaseVersion=$VERSION -X $variables.releaseCommit=$COMMIT -X $variables.releaseDate=$DATE" \
		-o "$folder/$name" ./cmd/satchel
	(cd "$folder" && $sum "$name") | tee -a "$folder/SHA256SUMS"
done
