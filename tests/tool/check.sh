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
printf '\xEF\xBB\xBFfunc @f() -> i64 { entry: ret 1 }\n' >marked.braid
printf 'func @f() -> i64 {\nentry:\n  ret 1\ndead:\n  ret 2\n}\n' >dead.braid

cat >program.pa <<'TEXT'
.function i32 main(panda.String[] a0) {
  lenarr a0
  return
}
.function i32 divide(i32 a0, i32 a1) {
  div a0, a1
  return
}
.function void endless() {
loop:
  jmp loop
}
.function i32 large() {
  movi v0, 1000000
  newarr v1, v0, i64[]
  ldai 3
  return
}
# Its argument; 1 for NaN, 2 for more than a number, 3 for less.
.function i32 narrow(u8 a0, f64 a1) {
  lda.64 a1
  fcmpl.64 a1
  jltz nan
  fmovi.64 v0, 1000000.0
  lda.64 a1
  fcmpl.64 v0
  jgtz more
  fmovi.64 v0, -1000000.0
  lda.64 a1
  fcmpl.64 v0
  jltz less
  lda a0
  return
nan:
  ldai 1
  return
more:
  ldai 2
  return
less:
  ldai 3
  return
}
# A program cannot catch that it has made too many steps.
.function void catches() {
  movi v0, 1
begin:
  movi v1, 0
loop:
  div v1, v0
  jmp loop
end:
handler:
  return.void
.catchall begin, end, handler
}
TEXT
printf '.function void f() {\n  return.void\n}\n' >no_main.pa
printf '.function i32 main() {\n  movi v0, 100\nloop:\n  inci v0, -1\n  lda v0\n  jgtz loop\n  return\n}\n' >hundred.pa
printf '.function i32 main() {\n  lda v0\n  return\n}\n' >invalid.pa
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
check 3 '' '' run program.pa one two three
check 4 '' '' run --entry=divide program.pa 13 3
check 253 '' '' run --entry=divide program.pa -- -13 4
check 1 '' $'braid: error: uncaught exception: panda.ArithmeticException: / by zero\n    at divide (program.pa:6)' run --entry=divide program.pa 1 0
check 1 '' 'braid: error: the limit of steps is reached' run --entry=endless --max-steps=1000 program.pa
check 1 '' 'braid: error: uncaught exception: panda.OutOfMemoryError*' run --entry=large --heap=1M program.pa
check 3 '' '' run --entry=large --heap=16M --gc-stress program.pa
check 2 '' "*'--heap' needs a size such as 64M, not 'much'*" run --heap=much program.pa
check 2 '' "program.pa: error: no function with a body is called 'nothing'" run --entry=nothing program.pa
check 2 '' "no_main.pa: error: no function with a body is called 'main'" run no_main.pa
check 2 '' '*the function takes 2 arguments, and gets 1*' run --entry=divide program.pa 1
check 2 '' "program.pa: error: 'x' cannot be argument 1, of type i32" run --entry=divide program.pa 1 x
check 2 '' "program.pa: error: '300' cannot be argument 0, of type u8" run --entry=narrow program.pa 300 0
check 2 '' "program.pa: error: '2.5x' cannot be argument 1, of type f64" run --entry=narrow program.pa 7 2.5x
check 255 '' '' run --entry=narrow program.pa 255 1
check 1 '' '' run --entry=narrow program.pa 7 nan
check 2 '' '' run --entry=narrow program.pa 7 inf
check 3 '' '' run --entry=narrow program.pa -- 7 -inf
for way in '' --osr=1 --engine=ssa '--engine=ssa --deopt-at=1' '--osr=1 --deopt-at=all' '--osr=2 --passes=inline'; do
  check 1 '' 'braid: error: the limit of steps is reached' run --entry=endless --max-steps=1000 $way program.pa
  check 1 '' 'braid: error: the limit of steps is reached' run --entry=catches --max-steps=1000 $way program.pa
done
check 2 '' "*'--throw-at' counts instructions of one engine*" run --throw-at=1 --deopt-at=2 --engine=ssa program.pa
check 2 '' "*'--throw-at' counts instructions of one engine*" run --throw-at=1 --osr=2 program.pa
check 2 '' "*'--deopt-at' needs '--engine=ssa'*" run --deopt-at=2 program.pa
check 2 '' "*'--passes' needs '--engine=ssa'*" run --passes=dce program.pa
check 2 '' "*'--trace' tells of the ways between engines*" run --trace program.pa
check 1 '' 'builds code for endless at 0 (jmp loop): @endless@0, *enters endless at 0 (jmp loop)*' run --trace --osr=2 --entry=endless --max-steps=100 program.pa
check 1 '' 'braid: error: the limit of steps is reached' run --entry=endless --max-steps=1000 --engine=both program.pa
check 1 '' 'braid: note: only bytecode came to the limit of steps: the engines were not compared*' run --max-steps=50 --engine=both hundred.pa
check 0 '' '' run --max-steps=200 --engine=both hundred.pa
check 1 '' 'invalid.pa:2:3: error: v0 is not assigned*' run invalid.pa
check 1 '' '*nowhere.pa*' run nowhere.pa
check 0 'usage: braid COMMAND*commands:*exit codes:*' '' --help
check 0 'usage: braid opt *--passes=LIST*' '' opt --help
check 0 'usage: braid opt *--passes=LIST*' '' help opt
check 2 '' 'braid: error: no command*'
check 2 '' "braid: error: unknown command 'rnu', did you mean 'run'[?]" rnu
check 2 '' "braid: error: unknown option '--pases', did you mean '--passes'[?]" opt --pases=dce good.braid
check 2 '' "braid: error: unknown option '-q'" run -q good.braid
check 2 '' "*'--trace' does not belong to 'braid print'" print --trace good.braid
check 2 '' "*'--verify-each' takes no value" opt --verify-each=yes good.braid
check 2 '' "*'--max-steps' needs a number, not 'x'" run --max-steps=x good.braid
check 2 '' "*needs a value" opt good.braid --passes
check 2 '' "*'c' is no value of '--style'" print --style=c good.braid
check 2 '' 'braid: error: no file*usage: braid run *' run
check 2 '' 'braid: error: expected one file*' print good.braid good.braid
check 2 '' "*there is no command 'x'*" help x
check 2 '' '*expected one command*' help opt run
check 2 '' "*there is no page 'x'*" generate x
check 2 '' "*'--report' and '--dot' print different things*" types --report --dot good.braid
check 2 '' "*'versions' is no value of '--mixed', did you mean 'version'[?]" types --mixed=versions good.braid
check 2 '' "*'--style' is for programs*" types --report --style=julia good.braid
check 2 '' "*'--dot' shows phis before*" types --dot --mixed=version good.braid
check 2 '' "*'--style' is for programs*" dessa --report --style=julia good.braid
check 2 '' "*'--budget' needs a number, not '-1'" types --budget=-1 good.braid
check 2 '' "*unknown pass 'dec', did you mean 'dce'[?]" opt --passes=dec good.braid

# Options that mean nothing for this kind of file.
for option in --passes=bogus --passes=dce --engine=ssa --osr=3 --deopt-at=1 --throw-at=1 --entry=nothing --heap=1M --gc-stress -acytron; do
  check 2 '' "*'--*' is for programs in pandasm (.pa files), not for 'good.braid'*usage: braid run *" run good.braid $option 5
  check 2 '' "*'--*' is for programs in pandasm (.pa files), not for 'loop.smp'*" run loop.smp $option 5
done
for option in --function=@main --max-memory=5 --language=simple; do
  check 2 '' "*'--*' is not for programs in pandasm (.pa files) such as 'program.pa'*usage: braid run *" run program.pa $option
done
check 2 '' "*'--language' is not for programs in pandasm*" verify good.braid program.pa --language=simple
check 2 '' "*unknown pass 'bogus'*" run --engine=ssa --passes=bogus program.pa

check 0 $'5\n5' '' run good.braid 5
check 0 $'-5\n-5' '' run good.braid -5
check 0 $'7\n7' '' run good.braid @main 7
check 0 '' '' run good.braid --function=@none false
check 1 '' 'braid: error: uncaught exception: zero' run good.braid 0
check 70 '' 'braid: error: internal error: *unreachable*' run good.braid @none true
check 2 '' "*'@main' takes 1 argument, not 0: @main(n: i64) -> i64" run good.braid
check 2 '' "*'@main' takes 1 argument, not 2: @main(n: i64) -> i64" run good.braid 1 2
check 2 '' "*argument 1 of '@main': 'x' is not of the type i64" run good.braid x
check 2 '' "*argument 1 of '@none': '2' is out of range for i1" run good.braid @none 2
# Arguments are literals of the text form.
cat >arguments.braid <<'TEXT'
func @byte(x: i8) -> i8 {
entry:
  ret %x
}
func @real(x: f64) -> f64 {
entry:
  ret %x
}
func @single(x: f32) -> f32 {
entry:
  ret %x
}
func @reference(x: ref) -> ref {
entry:
  ret %x
}
func @both(x: i16, y: i1) -> i16 {
entry:
  %0 = zext i1 %y to i16
  %1 = add i16 %x, %0
  ret %1
}
TEXT
check 0 '-128' '' run arguments.braid @byte -128
check 0 '-1' '' run arguments.braid @byte 0xff
check 0 '-128' '' run arguments.braid @byte -0x80
check 2 '' "*argument 1 of '@byte': '128' is out of range for i8" run arguments.braid @byte 128
check 2 '' "*argument 1 of '@byte': '-129' is out of range for i8" run arguments.braid @byte -129
check 2 '' "*argument 1 of '@byte': '0x100' is out of range for i8" run arguments.braid @byte 0x100
check 2 '' "*argument 1 of '@byte': '1.5' is not of the type i8" run arguments.braid @byte 1.5
check 2 '' "*argument 1 of '@byte': '' is not of the type i8" run arguments.braid @byte ''
check 2 '' "*argument 1 of '@byte': '99999999999999999999' is out of range for i8" run arguments.braid @byte 99999999999999999999
check 0 '1.5' '' run arguments.braid @real 0x1.8p+0
check 0 '-0.1' '' run arguments.braid @real -0.1
check 0 '-inf' '' run arguments.braid @real -inf
check 0 'nan*' '' run arguments.braid @real nan
check 2 '' "*argument 1 of '@real': '1e999' is out of range for f64" run arguments.braid @real 1e999
check 2 '' "*argument 1 of '@single': '1e39' is out of range for f32" run arguments.braid @single 1e39
check 2 '' "*argument 1 of '@real': 'one' is not of the type f64" run arguments.braid @real one
check 0 'null' '' run arguments.braid @reference null
check 2 '' "*argument 1 of '@reference': '0' is not of the type ref" run arguments.braid @reference 0
check 0 '8' '' run arguments.braid @both 7 true
check 0 '7' '' run arguments.braid @both 7 0
check 2 '' "*argument 1 of '@both'*argument 2 of '@both'*" run arguments.braid @both x 3
check 2 '' "*'@both' takes 2 arguments, not 1: @both(x: i16, y: i1) -> i16" run arguments.braid @both 1
check 1 '' "*there is no function '@mian', did you mean 'main'[?]" run good.braid @mian 1
check 1 '*' '*steps*' run --max-steps=1 good.braid 5
{
  printf 'extern @print(i64) -> void host\nfunc @recurse(n: i64) -> i64 {\nentry:\n  call @print(%%n)\n'
  printf '  %%m = add i64 %%n, 1\n  %%r = call @recurse(%%m)\n  ret %%r\n}\nfunc @row() -> void {\nentry:\n'
  for ((i = 1; i <= 50; ++i)); do printf '  call @print(%d)\n' $i; done
  printf '  ret\n}\n'
} >prints.braid
check 1 1 'braid: error: more than 3 steps' run --max-steps=3 prints.braid @recurse 1
check 1 $'1\n2\n3' 'braid: error: more than 8 steps' run --max-steps=8 prints.braid @recurse 1
check 1 $'1\n2\n3' 'braid: error: more than 3 steps' run --max-steps=3 prints.braid @row
check 1 $'1\n2' $'@row entry: call @print(1)\n@row entry: call @print(2)\n@row entry: call @print(3) ends the run: more than 2 steps\nbraid: error: more than 2 steps' run --trace --max-steps=2 prints.braid @row
check 0 $'5\n5' '*check_zero*' run --trace good.braid 5
check 1 '' $'@main (%n) ; 0\n@main entry: %0 = check_zero i64 %n throws zero*uncaught exception: zero' run --trace good.braid 0
check 0 $'5\n5' '' run --max-steps=0 --max-depth=0 --max-memory=0 good.braid 5
check 1 '' "error: cannot read 'nowhere.braid': No such file or directory" run nowhere.braid
check 1 '' "error: cannot read '$work': Is a directory" print "$work"

check 0 '' '' verify good.braid
check 1 '' 'invalid.braid:3:3: error: operand 0 of this add has the type f64, needs i64 \[operand-type\]*note: in the listing of @f*-->*' verify invalid.braid
check 1 '' "broken.braid:3:3: error: unknown operation 'frobnicate'*" verify broken.braid good.braid
{ echo 'func @f() -> i64 {'; echo 'entry:'; for ((i = 0; i < 150; ++i)); do echo '  frobnicate'; done; echo '  ret 1'; echo '}'; } >many.braid
check 1 '' '*many.braid: error: too many errors: 130 more' verify many.braid
# A byte order mark is no part of the text.
check 1 '' "marked.braid:1:20: error: expected the end of the line, found 'entry'*" verify marked.braid
check 0 '' 'dead.braid:5:3: warning: code will never be executed \[unreachable-code\]*' verify --warnings dead.braid
check 0 '' '' verify dead.braid
check 1 '' '*operand-type*' verify -w invalid.braid
check 2 '' "*'--warnings' does not belong to 'braid print'" print --warnings dead.braid
check 0 'func @f*' '' print invalid.braid
check 0 '1 ─ %1 =*' '' print --style=julia -f @main good.braid
check 0 '1 ─ %1 =*─────*└──*' '' print --style=julia -f @main --compacting=1 good.braid
check 0 '─────*1 ─ %1 =*' '' print --style=julia -f @main --compacting=0 good.braid
check 0 'func @main*' '' print -f @main --compacting=99 good.braid
check 1 '' '*invalid.braid*' print --compacting=1 invalid.braid
check 2 '' "*'--compacting' needs a number, not 'x'*" print --compacting=x good.braid
check 2 '' "*'--compacting' does not belong to 'braid opt'*" opt --compacting=1 good.braid
check 1 '' '*error*' opt invalid.braid

check 0 'pass *compact*simplify-edges*dce*' '' opt --list
check 0 '*check_zero*' '' opt good.braid
grep -q dead out && fail 'opt without --passes runs all of them, dce too'
check 0 'extern @print*check_zero*' '; after dce*check_zero*' opt --passes=compact,dce --print-after=dce --verify-each good.braid
grep -q 'after dce' out && fail 'what is printed after a pass is in the output'
check 0 '' '; after dce*check_zero*' opt --passes=dce,compact --print-after=dce -o after.braid good.braid
"$braid" opt --passes=dce,compact good.braid | cmp -s - after.braid || fail '--print-after changes what is written'
check 0 '1 ─*' '; after dce*1 ─*' opt --passes=dce --print-after=dce --style=julia -f @main good.braid
check 2 '' "*'--list' prints the table*" opt --list --passes=bogus good.braid
check 0 'pass *' '' opt --list -o-
check 2 '' "*'--print-after' names the pass 'compact', which does not run*usage: braid opt *" opt --passes=dce --print-after=compact good.braid
check 2 '' "*'compct' is no value of '--print-after', did you mean 'compact'[?]" opt --passes=dce --print-after=compct good.braid
check 0 'extern*' '; after compact*; after dce*' opt --passes=compact,dce --print-after=all good.braid
# Of two functions. The numbers stand at the ends of lines: the times before them may have any digits.
check 0 '*' $'pass *ms*dce*analysis*built\ncfg *% *2\ndominators *% *0\nuses *% *0\ntotal*%' opt --passes=dce --time-passes good.braid

# SSA, graphs, analyses.
cat >variables.braid <<'TEXT'
extern @use(i64) -> void host
func @f(c: i1) -> i64 {
  var x: i64
entry:
  set x, 1
  branch %c, left, join
left:
  set x, 2
  jump join
join:
  %r = get x
  ret %r
}
func @g() -> i64 {
entry:
  ret 0
}
TEXT
check 0 'extern @use*func @f*phi i64 \[entry: 1, left: 2\]*func @g*' '' ssa variables.braid
grep -q 'get x' out && fail 'a variable is left in SSA'
for algorithm in cytron braun regmap; do
  check 0 'func @f*phi i64 \[entry: 1, left: 2\]*' '' ssa variables.braid --algorithm=$algorithm -f @f
  check 0 'phis of x in @f by *renaming of x in @f by *def x*' '' ssa variables.braid -a $algorithm --trace=x
  check 0 '{*"schema": "braid.log"*"algorithm": "'$algorithm'"*}' '' ssa variables.braid -a $algorithm --log=json
done
check 0 '1 ─*φ (#1 => 1, #2 => 2)*' '' ssa variables.braid --style=julia -f @f
check 0 '[[]TRACE] in ControlFlow: BB| x mention   | x.reachingDef*entry | def x1      | ⊥ then x1*' '' ssa variables.braid --trace x --trace-style=seed
check 0 '@f*cytron *minimal *braun *regmap * ms * bytes' '' ssa variables.braid --compare
[[ $(awk -F'|' 'NR > 3 && $6 + 0 < 100' out) ]] && { fail 'peak memory is not counted'; cat out; }
check 1 '' '*there is no function with variables' ssa good.braid --compare
check 1 '' "variables.braid: error: there is no variable 'y'" ssa variables.braid --trace=y
check 1 '' "variables.braid: error: there is no variable 'x'" ssa variables.braid --trace=x -f @g
check 1 '' "*no function '@h'*" ssa variables.braid -f @h
check 1 '' '*error*' ssa invalid.braid
check 1 '' '*unknown operation*' ssa broken.braid
check 2 '' "*'--prune' is for '--algorithm=cytron'*usage: braid ssa *" ssa variables.braid -a braun --prune=semi
check 2 '' "*'--trace-style=seed' is for*" ssa variables.braid -a regmap --trace=x --trace-style=seed
check 2 '' "*'--trace-style' is for '--trace'*" ssa variables.braid --trace-style=seed
check 2 '' "*'--trace' needs the name of a variable*" ssa variables.braid --trace=
check 2 '' '*choose one*' ssa variables.braid --trace=x --compare
check 2 '' "*'--style' is for programs*" ssa variables.braid --trace=x --style=julia
for option in --algorithm=braun --prune=semi; do
  check 2 '' "*'--compare' is about all constructors*" ssa variables.braid --compare $option
done
check 2 '' "*'cytorn' is no value of '--algorithm', did you mean 'cytron'[?]" ssa variables.braid --algorithm=cytorn
check 2 '' "*'all' is no value of '--prune'*" ssa variables.braid --prune=all
check 2 '' "*'xml' is no value of '--log'*" ssa variables.braid --log=xml
check 2 '' '*expected one file*' ssa
check 0 '@f*to: left (true), join (false)*@g*' '' cfg variables.braid
check 0 '@f*idom: entry*frontier: join*live in: x*' '' cfg variables.braid --text --show=dom,frontier,live
check 0 'digraph "g" {*}' '' cfg variables.braid --dot --show=loops -f g
check 0 '{*"schema": "braid.cfg"*"post_idom"*"frontier"*"live_in"*"loops"*}' '' cfg variables.braid --json
check 0 '{*"schema": "braid.cfg"*"frontier"*}' '' cfg variables.braid --json --show=frontier
grep -q 'idom\|live_in\|loops' out && fail 'JSON has facts that --show does not name'
check 2 '' '*exclude each other*' cfg variables.braid --dot --json
check 2 '' "*'doom' is no value of '--show', did you mean 'dom'[?]" cfg variables.braid --show=loops,doom
check 2 '' "*'' is no value of '--show'*" cfg variables.braid --show=
check 1 '' '*error*' cfg invalid.braid
check 0 '@f*iterated frontiers*x: join*the graph is reducible*@g*' '' analyze variables.braid

# A deep nest of loops, whose frontiers are quadratic: everything else is linear.
nest() {  # DEPTH
  awk -v depth="$1" 'BEGIN {
    print "func @f(c: i1) -> i64 {\n  var x: i64 zero\nentry:\n  jump h0"
    for (i = 0; i < depth; ++i) print "h" i ":\n  set x, " i "\n  jump " (i + 1 < depth ? "h" i + 1 : "t" i)
    for (i = depth - 1; i >= 0; --i) print "t" i ":\n  branch %c, h" i ", " (i > 0 ? "t" i - 1 : "done")
    print "done:\n  %r = get x\n  ret %r\n}"
  }'
}
nest 50000 >nest.braid
check 0 '@f*' '' cfg nest.braid --show=dom,loops,live
check 0 'digraph*}' '' cfg nest.braid --dot --show=dom,loops
[[ $(wc -c <out) -lt 60000000 ]] || fail "the drawing of a nest has $(wc -c <out) bytes"
check 0 '{*}' '' cfg nest.braid --json --show=dom,live
check 0 'func @f*' '' ssa nest.braid
too_long="error: the list of dominance frontiers of '@f' has more than 10000000 entries"
check 1 '' "$too_long" cfg nest.braid --show=frontier
check 1 '' "$too_long" cfg nest.braid --json
check 1 '' "error: the list of the blocks of loops of '@f' has more than 10000000 entries" cfg nest.braid --json --show=loops
check 1 '' "$too_long" analyze nest.braid
check 1 '' "$too_long" ssa nest.braid --log=json
nest 500 >nest.braid
check 0 '@f*' '' analyze nest.braid
check 0 '{*}' '' ssa nest.braid --log=json
check 1 '' '*error*' analyze broken.braid
if command -v dot >/dev/null; then
  "$braid" cfg variables.braid --dot --show=dom,frontier,loops,live | dot -Tsvg >/dev/null || fail 'dot cannot read the graph'
fi
if command -v python3 >/dev/null; then
  "$braid" ssa variables.braid --log=json | python3 -m json.tool >/dev/null || fail 'the log is no JSON'
  "$braid" cfg variables.braid --json | python3 -m json.tool >/dev/null || fail 'the graph is no JSON'
fi
check 0 'func @f*set x, *' '[0-9]* of [0-9]* statements left after [0-9]* checks' reduce variables.braid --check 'grep -q "set x"'
[[ $(grep -c . out) -le 6 ]] || { fail 'not reduced'; cat out; }
mkdir "a folder's"
TMPDIR="$work/a folder's" check 0 '*' '*' reduce variables.braid -c 'grep -q left'
[[ -z $(ls "a folder's") ]] || fail 'a candidate is left behind'
check 0 '*' '*after 2 checks; there may be fewer' reduce variables.braid --check='grep -q left' --max-checks=2
check 0 '' '0 of [0-9]* statements left after [0-9]* checks' reduce variables.braid --check=true
check 1 '' '*the check does not hold for this program*' reduce variables.braid --check=false
check 1 '' "*cannot run 'no-such-command'" reduce variables.braid --check=no-such-command
check 1 '' '*the check does not hold*' reduce variables.braid --check='kill -9 $$; true'
check 1 '' '*unknown operation*' reduce broken.braid --check=true
check 2 '' "*'--check' is missing*" reduce variables.braid
printf 'int a = 1;\nwhile(arg > a) { a = a + arg / 7; if(a > 9) break; }\nreturn a - 1;\n' >big.smp
check 0 'arg / 7;' '4 of 34 tokens left after [0-9]* checks' reduce big.smp --check 'grep -q arg./.7'
printf 'int a=arg/7; return a;' >chapter8.smp
check 0 'int a=0/7;' '*tokens left*' reduce --language=simple8 chapter8.smp --check 'sh -c "case \$0 in *.smp) grep -q /7 \$0 ;; *) false ;; esac"'
check 0 '*/*' '*after 3 checks; there may be fewer' reduce big.smp --check='grep -q /' --max-checks=3
[[ $("$braid" reduce - --language=simple --check='grep -q /.7' <big.smp 2>/dev/null) == '0/ 7;' ]] || fail 'Simple from standard input is not reduced'
check 1 '' '*the check does not hold for this program*' reduce big.smp --check=false

printf 'val sq = { int x -> return x * x; };\nreturn sq(arg) + 1;\n' >square.smp
printf 'while(arg < 10) arg = arg + 1;\nreturn arg;\n' >loop.smp
printf 'return a;\nreturn 1\n' >broken.smp
printf 'int a = 1;\n' >falls.smp
printf 'if (arg) return 1;\n' >falls_behind.smp
printf 'return arg + 1;\n' >plus.smp
printf 'val f = { int n -> if (n > 3) { f(n - 1); while (1) n++; } return 1; };\nreturn f(arg);\n' >endless.smp
check 0 '*func @f*call @f*jump *' '' print endless.smp
check 0 'sq: return (x\*x);*main: return *' '' sea square.smp
check 0 $'10\n1\n5' '' sea square.smp --eval=3,0,-2
check 0 $'return *\n10' '' sea loop.smp --print=text --eval=3
check 0 'return Phi(Loop6,arg,(Phi_arg+1));' '' sea --language=simple8 loop.smp
check 0 '' '' sea loop.smp -o loop.txt
check 0 $'timeout\n10' '' sea --language=simple8 loop.smp --eval=-2000,1
check 0 'fallthrough' '' sea falls.smp --eval=1
check 0 'timeout' '' sea --language=simple8 falls.smp --eval=1
check 0 'return Phi(Loop6,arg,(Phi_arg+1));' '' sea --language=simple8 --no-peepholes loop.smp
check 0 'return 12;' '' sea --language=simple8 --assume-arg=11 plus.smp
check 0 'return (11+1);' '' sea --language=simple8 --no-peepholes --assume-arg=11 plus.smp
check 2 '' "*'--eval=5' evaluates the graph*" sea plus.smp 5
check 1 '' "broken.smp:1:8: error: undefined name 'a'*broken.smp:2:9: error: expected ';', found the end*" sea broken.smp
check 1 '' "broken.smp:1:8: error: Undefined name 'a'*" sea --language=simple8 broken.smp
check 1 '' "error: cannot read 'nowhere.smp'*" sea nowhere.smp
check 2 '' '*expected one file*usage: braid sea *' sea

printf '.function i32 f(i32 a0) {\n  lda a0\n  return\n}\n' >one.pa
printf '.function i32 f(i32 a0) {\n  lda a1\n  retrun\n}\n' >broken.pa
check 0 '.function i32 f(i32 a0) {*block 0:*0  lda a0 *# a0*1  return *# acc*}' '' bc one.pa
check 0 '' '' bc one.pa -o one.txt
check 1 '' "broken.pa:2:7: error: the function has 1 parameters*broken.pa:3:3: error: no instruction is called 'retrun', did you mean 'return'*" bc broken.pa
check 1 '' "error: cannot read 'nowhere.pa'*" bc nowhere.pa
check 2 '' '*expected one file*usage: braid bc *' bc
check 2 '' "*'--eval' needs numbers, not 'x'*" sea loop.smp --eval=1,x
check 2 '' "*'--assume-arg' needs one number*" sea loop.smp --assume-arg=1,2
check 2 '' "*'simple9' is no value of '--language', did you mean 'simple'[?]" sea loop.smp --language=simple9
check 0 '[0-9]* rewrites, none of them changes a result' '' sea square.smp --check-each-step 1 5 -7
check 0 '[0-9]* rewrites, none of them changes a result' '' sea --language=simple8 --check-each-step loop.smp
check 2 '' "*'--check-each-step' needs numbers, not 'x'*" sea loop.smp --check-each-step x
check 2 '' "*stand behind the file, not in '--eval'*" sea loop.smp --check-each-step --eval=1
check 2 '' "*'--check-each-step' prints no graph*" sea loop.smp --check-each-step --print=dot
printf '\xef\xbb\xbfreturn arg;' >marked.smp
check 0 'return arg;' '' sea marked.smp
check 1 '' "*marked.smp:1:1: error: Expected an identifier, found 'null'*" sea --language=simple8 marked.smp
check 1 '' "*marked.smp:1:1: error: Expected an identifier, found 'null'*" run --language=simple8 marked.smp 1
check 0 '[0-9]* rewrites, none of them changes a result' '' sea dead.braid --check-each-step @f
check 1 '' "*there is no function*" sea dead.braid --check-each-step @nobody 1
check 1 '' '*control reached the end of the function without a return*' run falls.smp 1
check 1 '' '*control reached the end of the function without a return*' run falls_behind.smp 0
check 0 '1' '' run falls_behind.smp 5
check 0 '*unreachable !end*' '' print falls_behind.smp
check 0 '26' '' run square.smp 5
check 0 '10' '' run --language=simple8 loop.smp 5
check 2 '' "*'@main' takes 1 argument, not 0: @main(*) -> *" run loop.smp
check 0 'func @main(arg: i64) -> i64 {*' '' print loop.smp
check 0 '' '' verify loop.smp square.smp
check 0 '*%x, %x*' '' opt square.smp
check 0 '@main*b2 (true)*' '' cfg loop.smp
check 0 '2 passed, 0 failed' '' test loop.smp square.smp

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
[[ $(offered braid opt --passes = dc) == dce ]] || fail "completing 'opt --passes=dc' gives '$(offered braid opt --passes = dc)'"
[[ $(offered braid opt --passes = dce,comp) == dce,compact ]] || fail "completing 'opt --passes=dce,comp' gives '$(offered braid opt --passes = dce,comp)'"
[[ $(offered braid opt -p pi,infer,promo) == pi,infer,promote ]] || fail "completing 'opt -p pi,infer,promo' gives '$(offered braid opt -p pi,infer,promo)'"
[[ $(offered braid ssa --algorithm = r) == regmap ]] || fail "completing 'ssa --algorithm=r' gives '$(offered braid ssa --algorithm = r)'"
[[ $(offered braid cfg --show = fr) == frontier ]] || fail "completing 'cfg --show=fr' gives '$(offered braid cfg --show = fr)'"
[[ $(offered braid run --trace good.b) == good.braid ]] || fail "completing 'run --trace good.b' gives '$(offered braid run --trace good.b)'"
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
  TERM=xterm script -qec "$braid verify broken.braid" /dev/null </dev/null | grep -q $'\x1b' || fail 'no colours on a terminal'
  TERM=dumb script -qec "$braid verify broken.braid" /dev/null </dev/null | grep -q $'\x1b' && fail 'a dumb terminal has colours'
  NO_COLOR=1 script -qec "$braid verify broken.braid" /dev/null </dev/null | grep -q $'\x1b' && fail 'NO_COLOR has colours'
fi

if command -v script >/dev/null; then
  printf 'func @f(x: i64) -> i64 {\nentry:\n  %%0 = neg i64 %%x\n  +> %%+0 = neg i64 %%0\n  ret %%0\n}\n' >buffered.braid
  for command in print opt; do
    passes=
    [[ $command == opt ]] && passes=--passes=
    TERM=xterm script -qec "$braid $command $passes --style=julia buffered.braid" /dev/null </dev/null | grep -q $'\x1b\\[32m' ||
      fail "braid $command does not show buffered statements in green on a terminal"
    NO_COLOR=1 TERM=xterm script -qec "$braid $command $passes --style=julia buffered.braid" /dev/null </dev/null | grep -q $'\x1b' &&
      fail "braid $command has colours with NO_COLOR"
    TERM=xterm script -qec "$braid $command $passes -o out --style=julia buffered.braid" /dev/null </dev/null
    grep -q $'\x1b' out && fail "braid $command has colours in a file"
  done
  TERM=xterm script -qec "$braid print --style=julia --compacting=0 buffered.braid" /dev/null </dev/null | grep -q $'^\x1b\\[31m─' ||
    fail 'the rule between what is emitted and what is ahead is not red on a terminal'
fi

# What a trace shows: parameters, operands where there is no result, and where the run ends.
cat >traced.braid <<'TEXT'
extern @host(i64) -> i64
func @f(a: i64, p: ptr) -> i64 {
  var x: i64 reject
entry:
  %s = save_state 3 reexecute [0: %a]
  %c = sgt i64 %a, 0
  guard %c, %s
  set x, %a
  branch %c, bad, good
bad:
  %q = load i64 %p
  ret %q
good:
  ret %a
}
func @g(c: i1) -> i64 {
  var x: i64 reject
entry:
  branch %c, set, join
set:
  set x, 1
  jump join
join:
  %0 = get x
  ret %0
}
func @h(a: i64) -> i64 {
entry:
  %0 = call @host(%a)
  ret %0
}
TEXT
check 1 '' '@f (%a, %p) ; 1, *@f entry: %0 = save_state 3 reexecute *0: %a* ; 1
@f entry: %1 = sgt i64 %a, 0 ; true
@f entry: guard %1, %0 ; true
@f entry: set x, %a ; 1
@f entry: branch %1, bad, good ; true
@f bad: %5 = load i64 %p ends the run: bad address in @f
*' run --trace traced.braid @f 1 null
check 0 'deopt 3*' '*@f entry: guard %1, %0 deopts' run --trace traced.braid @f 0 null
check 0 1 '@g (%c) ; true*@g join: %3 = get x ; 1
@g join: ret %3 ; 1' run --trace traced.braid @g true
check 70 '' '*@g join: %3 = get x ends the run: undefined*' run --trace traced.braid @g false
check 1 '' '*@h entry: %0 = call @host(%a) ends the run: *' run --trace traced.braid @h 1

# Memory and numbers that have an end. A memory checker needs more address space than that.
if (ulimit -v 1000000 && "$braid" --version) >out 2>&1; then
  (ulimit -v 1000000 && yes | "$braid" verify - >out 2>err)
  [[ $? == 1 && $(cat err) == 'braid: error: out of memory' && ! -s out ]] || { fail 'input without an end'; cat err; }
  (ulimit -v 1000000 && "$braid" verify /dev/zero >out 2>err)
  [[ $? == 1 && $(cat err) == 'braid: error: out of memory' ]] || { fail '/dev/zero'; cat err; }
fi
check 2 '' "braid: error: '--max-steps' is too large: 9223372036854775807 has more than 18 digits" run --max-steps=9223372036854775807 good.braid 1

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
printf '; test\n; run @f() == 2\n; run @g() == 2\nfunc @f() -> i64 {\nentry:\n  ret 1\n}\n' >wrong.braid
check 1 '*wrong.braid:2: run @f, as written and in * other forms*wrong.braid:3: there is no function '"'@g'"' with a body, as written and in*' '' test wrong.braid
[[ $(grep -c '@g' out) == 1 ]] || { fail 'one fault is reported more than once'; cat out; }
printf '; test\n; RUN @f() == 1\n; Run it twice.\nfunc @f() -> i64 {\nentry:\n  ret 1\n}\n' >case.braid
check 1 "*case.braid:2:1: error: 'RUN' is no directive; it is written 'run'*" '' test case.braid
[[ $(grep -c error: out) == 1 ]] || { fail 'a sentence is taken for a directive'; cat out; }
sed 's/$/\r/' files/bad.braid >expected.braid
sed 's/|   ret 1/|   ret 3/' expected.braid >files/returns.braid
check 0 'blessed files/returns.braid*' '' test --bless files/returns.braid
cmp -s files/returns.braid expected.braid || { fail 'blessing changes the ends of lines'; od -c files/returns.braid; }
check 0 '1 passed, 0 failed' '' test --bless files/returns.braid
rm files/returns.braid
mkdir linked
printf '; test\nfunc @f() -> i64 {\nentry:\n  ret 1\n}\n' >linked/x.braid
ln -s . linked/again
ln -s "$PWD/linked" linked/back
check 0 '1 passed, 0 failed' '' test linked
ln -s linked named
check 0 '1 passed, 0 failed' '' test named
mkdir empty
check 1 '0 passed, 0 failed' '*no golden files' test empty

if [[ $failures -ne 0 ]]; then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
