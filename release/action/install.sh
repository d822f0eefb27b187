#!/usr/bin/env bash
# The first step of the action: installs satchel for this run, by the installer that
# people use, which compares what it downloads with checksums.txt.
set -euo pipefail

case $RUNNER_OS in
Linux | macOS) ;;
*) echo "::error::satchel's action runs on Linux and macOS, not on $RUNNER_OS" && exit 1 ;;
esac

# Who names the action by a release means the program of that release.
version=$INPUT_VERSION
if [[ -z $version && ${ACTION_REF-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	version=$ACTION_REF
fi

# A version is no place for anything else: it becomes a part of a URL.
if [[ -n $version && ! $version =~ ^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	echo "::error::the input version is no version such as v1.2.0" && exit 1
fi

dir=$RUNNER_TEMP/satchel/bin
PATH=$dir:$PATH SATCHEL_VERSION=$version SATCHEL_SHA256=$INPUT_SHA256 SATCHEL_INSTALL_DIR=$dir sh "$GITHUB_ACTION_PATH/release/install.sh"
echo "$dir" >>"$GITHUB_PATH"
echo "version=$("$dir/satchel" --version | sed 's/^satchel //')" >>"$GITHUB_OUTPUT"
