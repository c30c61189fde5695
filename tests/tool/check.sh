#!/usr/bin/env bash
# What the tool does with its command line, its streams and its exit code.
# usage: check.sh BRAID
set -u

braid=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

cat >good.braid <<'TEXT'
extern @print(i64) -> void host
func @main(n: i64) -> i64 {
entry:
  %d = check_zero i64 %n
  %dead = add i64 %d, 1
  call @print(%d)
  ret %d
}
func @none(c: i1) -> void {
entry:
  branch %c, yes, no
yes:
  unreachable
no:
  ret
}
TEXT
cat >invalid.braid <<'TEXT'
func @f(d: f64) -> i64 {
entry:
  %x = add i64 %d, 1
  ret %x
}
TEXT
printf 'func @f() -> i64 {\nentry:\n  frobnicate\n}\n' >broken.braid
printf 'func @f() -> i64 {\nentry:\n  ret 1\ndead:\n  ret 2\n}\n' >dead.braid

fail() {
  printf 'FAIL: %s\n' "$1"
  failures=$((failures + 1))
}

# check CODE OUT ERR ARGS...   OUT and ERR are patterns that the whole stream must match.
check() {
  local code=$1 out=$2 err=$3
  shift 3
  "$braid" "$@" >out 2>err </dev/null
  local got=$?
  [[ $got == "$code" ]] || fail "braid $*: exit code $got, expected $code"
  [[ $(cat out) == $out ]] || { fail "braid $*: standard output is not '$out' but"; cat out; }
  [[ $(cat err) == $err ]] || { fail "braid $*: standard error is not '$err' but"; cat err; }
}

check 0 'braid [0-9]*.[0-9]*.[0-9]*' '' --version
check 0 'usage: braid COMMAND*commands:*exit codes:*' '' --help
check 0 'usage: braid opt *--passes=LIST*' '' opt --help
check 0 'usage: braid opt *--passes=LIST*' '' help opt
check 2 '' 'braid: error: no command*'
check 2 '' "braid: error: unknown command 'rnu', did you mean 'run'[?]" rnu
check 2 '' "braid: error: unknown option '--pases', did you mean 'passes'[?]" opt --pases=dce good.braid
check 2 '' "braid: error: unknown option '-q'" run -q good.braid
check 2 '' "*'--trace' does not belong to 'braid print'" print --trace good.braid
check 2 '' "*'--verify-each' takes no value" opt --verify-each=yes good.braid
check 2 '' "*'--max-steps' needs a number, not 'x'" run --max-steps=x good.braid
check 2 '' "*needs a value" opt good.braid --passes
check 2 '' "*'c' is no value of '--style'" print --style=c good.braid
check 2 '' 'braid: error: no file*usage: braid run *' run
check 2 '' 'braid: error: expected one file*' print good.braid good.braid
check 2 '' "*there is no command 'x'*" help x
check 2 '' "*there is no page 'x'*" generate x
check 2 '' "*unknown pass 'dec', did you mean 'dce'[?]" opt --passes=dec good.braid

check 0 $'5\n5' '' run good.braid 5
check 0 $'-5\n-5' '' run good.braid -5
check 0 $'7\n7' '' run good.braid @main 7
check 0 '' '' run good.braid --function=@none false
check 1 '' 'braid: error: uncaught exception: zero' run good.braid 0
check 70 '' 'braid: error: internal error: *unreachable*' run good.braid @none true
check 1 '' "*'@main' takes 1 argument, not 0" run good.braid
check 1 '' "*argument 1 of '@main': 'x' is not of the type i64" run good.braid x
check 1 '' "*there is no function '@mian', did you mean 'main'[?]" run good.braid @mian 1
check 1 '*' '*steps*' run --max-steps=1 good.braid 5
check 0 $'5\n5' '*check_zero*' run --trace good.braid 5
check 1 '' "error: cannot read 'nowhere.braid': No such file or directory" run nowhere.braid
check 1 '' "error: cannot read '$work': Is a directory" print "$work"

check 0 '' '' verify good.braid
check 1 '' 'invalid.braid:3:3: error: operand 0 of this add has the type f64, needs i64 \[operand-type\]*note: in the listing of @f*-->*' verify invalid.braid
check 1 '' "broken.braid:3:3: error: unknown operation 'frobnicate'*" verify broken.braid good.braid
check 0 '' 'dead.braid:5:3: warning: code will never be executed \[unreachable-code\]*' verify --warnings dead.braid
check 0 '' '' verify dead.braid
check 1 '' '*operand-type*' verify -w invalid.braid
check 2 '' "*'--warnings' does not belong to 'braid print'" print --warnings dead.braid
check 0 'func @f*' '' print invalid.braid
check 0 '1 ─ %1 =*' '' print --style=julia -f @main good.braid
check 1 '' '*error*' opt invalid.braid

check 0 'pass *compact*simplify-edges*dce*' '' opt --list
check 0 '*check_zero*' '' opt good.braid
grep -q dead out && fail 'opt without --passes runs all of them, dce too'
check 0 '; after dce*check_zero*' '' opt --passes=compact,dce --print-after=dce --verify-each good.braid
check 0 '*' 'pass *ms*dce*total*%' opt --passes=dce --time-passes good.braid

check 0 '' '' print good.braid -o copy.braid
check 0 '' '' print copy.braid -ocopy2.braid
cmp -s copy.braid copy2.braid || fail 'printing a printed file changes it'
check 1 '' "error: cannot write '/nowhere/x': *" print good.braid -o /nowhere/x

for page in man bash zsh fish ir; do check 0 '*' '' generate $page; [[ -s out ]] || fail "generate $page is empty"; done
"$braid" generate bash | bash -n || fail 'the completion for bash is not valid'
if command -v zsh >/dev/null; then "$braid" generate zsh | zsh -n || fail 'the completion for zsh is not valid'; fi
if command -v fish >/dev/null; then "$braid" generate fish | fish -n || fail 'the completion for fish is not valid'; fi

# What bash offers, asked as bash asks.
offered() {  # WORDS... the last one is being completed
  bash -c 'source <("$0" generate bash); compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _braid; echo "${COMPREPLY[*]}"' \
    "$braid" "$@"
}
[[ $(offered braid ver) == verify ]] || fail "completing 'braid ver' gives '$(offered braid ver)'"
[[ $(offered braid opt --pa) == --passes= ]] || fail "completing 'opt --pa' gives '$(offered braid opt --pa)'"
[[ $(offered braid opt --passes = d) == dce ]] || fail "completing 'opt --passes=d' gives '$(offered braid opt --passes = d)'"
[[ $(offered braid generate f) == fish ]] || fail "completing 'generate f' gives '$(offered braid generate f)'"

# Standard input, pipes that close, colours.
[[ $("$braid" run - @main 3 <good.braid) == $'3\n3' ]] || fail 'standard input is not read'
[[ $("$braid" verify - <broken.braid 2>&1) == '<stdin>:3:3: error:'* ]] || fail 'standard input has no name'
{ printf 'func @f(x: i64) -> i64 {\nentry:\n'; for ((i = 0; i < 20000; ++i)); do echo "  %v$i = add i64 %x, $i"; done; printf '  ret %%x\n}\n'; } >big.braid
"$braid" print big.braid 2>err | head -n 1 >/dev/null
[[ ${PIPESTATUS[0]} == 0 && ! -s err ]] || fail 'a reader that goes away is not an error'
if [[ -w /dev/full ]]; then
  "$braid" print big.braid >/dev/full 2>err
  [[ $? == 1 && $(cat err) == *'cannot write'* ]] || fail 'a full disk is an error'
fi
"$braid" verify broken.braid 2>&1 | grep -q $'\x1b' && fail 'colours without a terminal'
if command -v script >/dev/null; then
  script -qec "$braid verify broken.braid" /dev/null </dev/null | grep -q $'\x1b' || fail 'no colours on a terminal'
  NO_COLOR=1 script -qec "$braid verify broken.braid" /dev/null </dev/null | grep -q $'\x1b' && fail 'NO_COLOR has colours'
fi

# Golden files.
mkdir files files/.hidden
printf '; test\n; run @f() == 1\nfunc @f() -> i64 {\nentry:\n  ret 1\n}\n' | tee files/.hidden/x.braid >files/good.braid
check 0 '1 passed, 0 failed' '' test files
printf '; test print\n; run @f() == 2\nfunc @f() -> i64 {\nentry:\n  ret 1\n}\n' >files/bad.braid
check 1 '*FAIL files/bad.braid*1 passed, 1 failed' '' test -j 2 files
printf '; test print\nfunc @f() -> i64 {\nentry:\n  ret 1\n}\n; expect\n; | old\n; a comment behind it\n' >files/bad.braid
check 0 'blessed files/bad.braid*2 passed, 0 failed' '' test --bless files
check 0 '2 passed, 0 failed' '' test files
grep -q 'a comment behind it' files/bad.braid || fail 'blessing removes what is no expect block'
check 1 '*0 passed, 1 failed' '' test nowhere.braid
check 2 '' '*--jobs*' test -j 0 files
mkdir empty
check 1 '0 passed, 0 failed' '*no golden files' test empty

if [[ $failures -ne 0 ]]; then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
