#!/usr/bin/env bash
# Every block of refused.md is refused: what nobody checks cannot stand in a page.
# usage: refuses.sh BRAID LIBRARY CXX RULEC INCLUDES
set -u
here=$(dirname "$0")
said=$("$here/check.sh" "$@" "$here/refused.md") && { echo 'the page is accepted'; exit 1; }
read -r blocks _ failures _ <<<"${said##*$'\n'}"
[[ $blocks -gt 0 && $blocks -eq $failures ]] || { echo "$said"; exit 1; }
