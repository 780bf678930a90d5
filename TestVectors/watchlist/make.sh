#!/bin/sh
# Makes the vault and the expected lines: make.sh QVAULT. Other times and salts make another file with the same figures.
set -eu
cd "$(dirname "$0")"
QVAULT_PASSWORD_COMMAND='echo watchlist' XDG_STATE_HOME=$(mktemp -d)
QVAULT_FILE=$PWD/watchlist.qvault
export QVAULT_FILE QVAULT_PASSWORD_COMMAND XDG_STATE_HOME
rm -f watchlist.qvault
"$1" create
"$1" fund import funds.jsonl prices.txt
"$1" fund --json > watchlist.jsonl
