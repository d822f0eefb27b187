#!/bin/sh
# Fails if a binary is not the one that another machine built of the same commit.
#
#   release/same.sh OS ARCH FILE
#
# EXPECTED holds what the other machine's release/build.sh wrote into SHA256SUMS.
# If it is not set nothing is compared: that is a build which publishes nothing.
set -eu
[ $# -eq 3 ] || { echo "usage: release/same.sh OS ARCH FILE" >&2; exit 2; }
[ -n "${EXPECTED+set}" ] || exit 0

name=satchel_$1_$2
[ "$1" != windows ] || name=$name.exe
want=$(printf '%s\n' "$EXPECTED" | awk -v name="$name" '$2 == name { print $1 }')
[ -n "$want" ] || { echo "same: the other machine has built no $name" >&2; exit 1; }

sum=sha256sum
command -v sha256sum >/dev/null || sum="shasum -a 256"
got=$($sum "$3" | awk '{ print $1 }')
[ "$got" = "$want" ] || { echo "same: $name has SHA-256 $got here, $want on the other machine" >&2; exit 1; }
echo "same: $name"
