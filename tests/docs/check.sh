#!/usr/bin/env bash
# Runs every fenced block of README.md and docs/*.md, each page in a folder of its own.
#
#   ```braid [file=NAME] [invalid]   a program: it parses, is valid (or not), prints and parses again, its `; run` lines hold;
#                                    with file= the commands below can use it
#   ```simple [file=NAME] [simple8]  a program in Simple: it parses; with file= the commands below can use it
#   ```pandasm [file=NAME] [invalid] a program in pandasm: it is valid (or not); with file= the commands below can use it
#   ```console                       `$ command` lines with the output, standard error too, that each gives; a last line
#                                    `[exit N]` if it fails, `...` for any lines
#   ```cpp [in=FRAME]                a program: it is compiled against the library; with in= it is a piece of one, which
#                                    tests/docs/frames/FRAME.cpp includes as "block.inc"
#   ```rules                         rewrite rules of src/rules; if the next block is ```text, others, of which rulec says that
#   ```text                          what the program or the rules of the block before print
#   ```text picture: WHY             a drawing, with the reason why nothing prints it
#   ```ebnf                          a grammar: a test in tests/grammar reads it from this page and holds it against the parser
#
# A block of any other kind is an error.
#
# usage: check.sh BRAID LIBRARY CXX RULEC INCLUDES [PAGE...]
#   without LIBRARY (-) programs are not compiled; INCLUDES is where the sources that are generated stand
set -u

braid=$(realpath "$1")
library=$2
cxx=$3
rulec=$4
generated=$5
shift 5
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$braid" "$work/bin/braid"
PATH=$work/bin:$PATH
export NO_COLOR=1 LC_ALL=C.UTF-8

failures=0 blocks=0 page='' start=0

fail() {  # MESSAGE [FILE]
  printf '%s:%s: %s\n' "${page#"$root"/}" "$start" "$1"
  [[ $# -gt 1 ]] && sed 's/^/    /' "$2"
  failures=$((failures + 1))
}

# compare EXPECTED ACTUAL MESSAGE   where a line `...` stands for any lines
compare() {
  local pattern
  if grep -qx '\.\.\.' "$1"; then
    # Everything is quoted but the dots, so that the whole output matches one pattern.
    pattern=$(while IFS= read -r line; do [[ $line == ... ]] && printf '*' || printf '%q\n' "$line"; done <"$1")
    [[ $(cat "$2") == $pattern ]] && return
  elif cmp -s "$1" "$2"; then
    return
  fi
  diff -u --label expected --label actual "$1" "$2" >"$work/diff"
  fail "$3" "$work/diff"
}

# take_words LANGUAGE FILE FLAG WORDS...   keeps the file under its name, and sets `flag` if FLAG, the only other word, is there
take_words() {
  local language=$1 file=$2 known=$3 word
  shift 3
  flag=''
  for word in "$@"; do
    case $word in
      file=*) cp "$file" "${word#file=}" ;;
      "$known") flag=yes ;;
      *) fail "unknown word '$word' behind $language" ;;
    esac
  done
}

# must_fail COMMAND...
must_fail() { "$@" >/dev/null 2>&1 && fail 'a program that should be invalid is valid'; }

run_braid() {  # FILE WORDS...
  local file=$1 flag
  take_words braid "$file" invalid "${@:2}"
  if [[ $flag ]]; then must_fail braid verify "$file"; return; fi
  if ! grep -q '; error' "$file"; then braid verify "$file" >log 2>&1 || fail 'the program is not valid' log; fi
  braid test "$file" >log 2>&1 || fail 'the program fails its test' log
}

run_pandasm() {  # FILE WORDS...
  local file=$1 flag
  take_words pandasm "$file" invalid "${@:2}"
  if [[ $flag ]]; then must_fail braid bc "$file"; return; fi
  braid bc "$file" >log 2>&1 || fail 'the program is not valid' log
}

run_simple() {  # FILE WORDS...
  local file=$1 flag
  take_words simple "$file" simple8 "${@:2}"
  local language=simple
  if [[ $flag ]]; then language=simple8; fi
  braid sea --language=$language "$file" >log 2>&1 || fail 'the program is not valid' log
}

run_console() {  # FILE
  local command='' line last=0
  : >expected
  finish_command() {
    [[ $command ]] || return
    # In a subshell whose $? is that of the command before, for `echo $?`.
    ( (exit $last); eval "$command") >actual 2>&1 </dev/null
    last=$?
    [[ $last -ne 0 ]] && echo "[exit $last]" >>actual
    compare expected actual "'$command' prints something else"
    : >expected
  }
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      finish_command
      command=${line#'$ '}
      case $command in
        braid\ * | *'| braid '* | cat\ * | echo\ *) ;;
        *) fail "'$command' is no command of the tool" && command='' ;;
      esac
    elif [[ $command ]]; then
      printf '%s\n' "$line" >>expected
    else
      fail 'output before the first command'
    fi
  done <"$1"
  finish_command
}

run_cpp() {  # FILE EXPECTED [in=FRAME]
  [[ $library == - ]] && return
  local source=$1 expected=$2 options=(-std=c++20 -Wall -Wextra -I "$root/include")
  if [[ $# -gt 2 ]]; then
    source=$root/tests/docs/frames/${3#in=}.cpp
    [[ $# -eq 3 && $3 == in=* && -f $source ]] || { fail "'${*:3}' behind cpp is no frame of tests/docs/frames"; return; }
    cp "$1" block.inc
    options+=(-I . -I "$root/src" -I "$generated")
    if ! grep -q '^int main' "$source"; then
      "$cxx" "${options[@]}" -fsyntax-only "$source" >log 2>&1 || fail 'the piece does not compile' log
      return
    fi
  fi
  if ! "$cxx" "${options[@]}" "$source" "$library" -o program >log 2>&1; then
    fail 'the program does not compile' log
    return
  fi
  ./program >actual 2>&1 || fail "the program ends with $?" actual
  [[ $expected != none ]] && compare "$expected" actual 'the program prints something else'
}

run_rules() {  # FILE EXPECTED
  if [[ $2 == none ]]; then
    squeeze() { sed -E 's/ +/ /g' "$@"; }
    squeeze "$1" | grep -vxFf <(squeeze "$root"/src/rules/*.rules) >actual && fail 'these rules do not stand in src/rules' actual
  else
    cp "$1" t.rules
    "$rulec" --check t.rules >actual 2>&1
    compare "$2" actual 'rulec prints something else'
  fi
}

# The parser of the grammar is the business of a test of its own, which names the page.
check_grammar() {
  grep -q "/docs/$(basename "$page")\"" "$root"/tests/grammar/*_test.cpp || fail 'no test in tests/grammar reads the grammar of this page'
}

# The blocks of a page, as block.N (text), tag.N (what stands behind the fence) and line.N.
split_page() {
  awk '
    /^```/ && !inside { inside = 1; ++n; tag = substr($0, 4); print tag > ("tag." n); print NR > ("line." n); printf "" > ("block." n); next }
    /^```/ && inside { inside = 0; close("block." n); close("tag." n); close("line." n); next }
    inside { print > ("block." n) }
    END { if (inside) print "a fence that is not closed"; print n + 0 > "count" }
  ' "$page"
}

check_page() {
  page=$(realpath "$1")
  local folder n count words open printed=0
  folder=$(mktemp -d "$work/page.XXXX")
  cd "$folder" || exit 1
  open=$(split_page)
  [[ $open ]] && fail "$open"
  count=$(cat count)
  for ((n = 1; n <= count; ++n)); do
    blocks=$((blocks + 1))
    start=$(cat "line.$n")
    read -ra words <"tag.$n"
    case ${words[0]:-} in
      braid)
        mv "block.$n" "block_$n.braid"
        run_braid "block_$n.braid" "${words[@]:1}"
        ;;
      simple)
        mv "block.$n" "block_$n.smp"
        run_simple "block_$n.smp" "${words[@]:1}"
        ;;
      pandasm)
        mv "block.$n" "block_$n.pa"
        run_pandasm "block_$n.pa" "${words[@]:1}"
        ;;
      console) run_console "block.$n" ;;
      cpp | rules)
        local expected=none
        [[ -f tag.$((n + 1)) && $(cat "tag.$((n + 1))") == text ]] && expected=block.$((n + 1)) && printed=$((n + 1))
        mv "block.$n" "block_$n.cpp"
        "run_${words[0]}" "block_$n.cpp" "$expected" "${words[@]:1}"
        ;;
      text)
        [[ ${words[1]:-} == picture: && ${#words[@]} -gt 2 ]] || [[ $printed -eq $n && ${#words[@]} -eq 1 ]] ||
          fail "text that nothing here prints; if it is a drawing, say 'text picture:' and why"
        ;;
      ebnf) check_grammar ;;
      *) fail "unknown tag '${words[0]:-}'" ;;
    esac
  done
  cd "$root" || exit 1
}

if [[ $# -eq 0 ]]; then
  set -- "$root"/README.md "$root"/docs/*.md
  page=$root/docs/ir.md
  if [[ -f $page ]]; then
    braid generate ir | cmp -s - "$page" || fail "is not what 'braid generate ir' writes; run ./dev docs"
  fi
fi
for file in "$@"; do check_page "$file"; done

echo "$blocks blocks, $failures failed"
[[ $failures -eq 0 && $blocks -gt 0 ]]
