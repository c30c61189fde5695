#!/usr/bin/env bash
# Mutation testing: changes one operator at a time in a copy of the sources, builds, runs the tests, and lists the changes
# that no test noticed. The sites are drawn by a seeded generator, so the same call tries the same mutants.
# usage: mutate.sh [--count N] [--seed S] [ROOM...]     (default: 40 mutants over all rooms)
#        mutate.sh --planted [FILE...]                  (default: tests/mutate/*.faults)
#        mutate.sh --check [FILE...]                    only whether the texts of the faults stand where they should
#
# Planted faults are chosen by hand, and every one must be noticed. A fault is five lines, then an empty one:
#   fault: what is wrong    file: where    tests: ctest names    old: a text that stands there once    new: what it becomes
# A test may be one of a room's unit tests: ssa/Construct.* runs these alone.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$root/build/mutate
tree=$work/tree
count=40
seed=1
rooms=()
planted=0
check=0
while [[ $# -gt 0 ]]; do
  case $1 in
    --count) count=$2; shift ;;
    --seed) seed=$2; shift ;;
    --planted) planted=1 ;;
    --check) check=1 ;;
    -*) echo "usage: mutate.sh [--count N] [--seed S] [ROOM...] | --planted [FILE...] | --check [FILE...]" >&2; exit 2 ;;
    *) rooms+=("$1") ;;
  esac
  shift
done

# for_each_fault COMMAND FILE...   runs it with fault, file, tests, old and new set
for_each_fault() {
  local command=$1 line
  shift
  fault=
  while IFS= read -r line <&4; do
    case $line in
      'fault: '*) [[ ! $fault ]] || "$command"; fault=${line#fault: } ;;
      'file: '*) file=${line#file: } ;;
      'tests: '*) tests=${line#tests: } ;;
      'old: '*) old=${line#old: } ;;
      'new:') new='' ;;
      'new: '*) new=${line#new: } ;;
    esac
  done 4< <(cat "$@")
  [[ ! $fault ]] || "$command"
}

# Says so if the fault has no place.
has_place() {
  if [[ $(grep -oFs -- "$old" "$file" | wc -l) -eq 1 ]]; then return; fi
  echo "$file: the text of the fault '$fault' does not stand there once" >&2
  return 1
}

if [[ $check -eq 1 ]]; then
  cd "$root"
  if [[ ${#rooms[@]} -eq 0 ]]; then rooms=(tests/mutate/*.faults); fi
  found=0 lost=0
  check_fault() { if has_place; then found=$((found + 1)); else lost=$((lost + 1)); fi; }
  for_each_fault check_fault "${rooms[@]}"
  echo "$found planted faults have their place, $lost have not"
  [[ $lost -eq 0 && $found -gt 0 ]]
  exit
fi

# Fresh files with fresh times: objects of a mutant that an interrupted run left behind must not be taken for current.
rm -rf "$tree"
mkdir -p "$tree"
(cd "$root" && git ls-files -z -co --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null) | tar -x -m -C "$tree"
cd "$tree"

# run_planted FILE...   plants each fault, builds what its tests need, and runs them
run_planted() {
  local survivors=0 noticed=0 name text
  plant() {
    has_place || exit 1
    text=$(cat "$file"; printf x)
    printf %s "$text" >"$work/original"
    text=${text/"$old"/"$new"}
    printf %s "${text%x}" >"$file"
    local targets=() pattern='' units=()
    for name in $tests; do
      if [[ $name == golden || $name == tool ]]; then targets+=(braid_tool); else targets+=("test_${name%%/*}"); fi
      if [[ $name == */* ]]; then units+=("$name"); else pattern+="${pattern:+|}$name"; fi
    done
    if ! cmake --build "$work/build" -j "$(nproc)" --target "${targets[@]}" >"$work/log" 2>&1; then
      cat "$work/log"
      echo "the fault '$fault' does not compile" >&2
      exit 1
    fi
    local passes=yes
    for name in "${units[@]}"; do
      timeout 120 "$work/build/test_${name%%/*}" --gtest_filter="${name#*/}" >"$work/log" 2>&1 || passes=
    done
    if [[ $passes && $pattern ]]; then
      ctest --test-dir "$work/build" --timeout 120 --stop-on-failure -R "^($pattern)\$" >"$work/log" 2>&1 || passes=
    fi
    if [[ $passes ]]; then
      survivors=$((survivors + 1))
      echo "$file: not noticed: $fault"
    else
      noticed=$((noticed + 1))
    fi
    text=$(cat "$work/original")
    printf %s "${text%x}" >"$file"
  }
  for_each_fault plant "$@"
  echo "$noticed planted faults noticed, $survivors not noticed"
  [[ $survivors -eq 0 ]]
}
if [[ $planted -eq 1 ]]; then
  if [[ ${#rooms[@]} -eq 0 ]]; then rooms=(tests/mutate/*.faults); fi
  cmake -S "$tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 >"$work/log" ||
    { cat "$work/log"; exit 1; }
  run_planted "${rooms[@]}"
  exit
fi
if [[ ${#rooms[@]} -eq 0 ]]; then rooms=(src/*/); fi

# One line per site: key <tab> file <tab> line <tab> column <tab> old <tab> new. Comments, preprocessor lines and asserts
# are left out: nothing that runs would change.
sites() {
  local room
  for room in "${rooms[@]}"; do
    room=${room#src/}
    find "src/${room%/}" -name '*.cpp' -o -name '*.h' | sort
  done | xargs awk -v seed="$seed" '
    BEGIN {
      srand(seed)
      pairs = " == : != ; != : == ; < : <= ; <= : < ; > : >= ; >= : > ; + : - ; - : + ; += : -= ; -= : += ; && : || ; || : && "
      n = split(pairs, pair, ";")
      for (i = 1; i <= n; i++) { split(pair[i], two, ":"); from[i] = two[1]; to[i] = two[2] }
      from[++n] = "return true"; to[n] = "return false"
      from[++n] = "return false"; to[n] = "return true"
      from[++n] = "if (!"; to[n] = "if ("
      from[++n] = "continue;"; to[n] = ";"
      from[++n] = "++"; to[n] = "--"
    }
    /^[ \t]*(\/\/|#|\*)/ || /assert|template/ { next }
    {
      code = $0
      sub(/\/\/.*/, "", code)
      for (i = 1; i <= n; i++) {
        column = index(code, from[i])
        if (column > 0) printf "%.9f\t%s\t%d\t%d\t%s\t%s\n", rand(), FILENAME, FNR, column, from[i], to[i]
      }
    }' | sort
}

build_and_test() {  # 0: all tests pass, 1: a test fails, 2: does not compile
  cmake --build "$work/build" -j "$(nproc)" >"$work/log" 2>&1 || return 2
  ctest --test-dir "$work/build" -j "$(nproc)" --timeout 120 --stop-on-failure -E '^(consumer|layers)$' >"$work/log" 2>&1 || return 1
}

cmake -S "$tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 >"$work/log" ||
  { cat "$work/log"; exit 1; }
echo "building without mutants"
build_and_test || { cat "$work/log"; echo "the tests must pass before mutants make sense" >&2; exit 1; }

sites >"$work/all_sites"
head -n "$count" "$work/all_sites" >"$work/sites"
killed=0 invalid=0 survivors=0
while IFS=$'\t' read -r _ file line column old new <&3; do
  cp "$file" "$work/original"
  awk -v line="$line" -v column="$column" -v old="$old" -v new="$new" \
    'FNR == line { $0 = substr($0, 1, column - 1) new substr($0, column + length(old)) } { print }' "$work/original" >"$file"
  status=0
  build_and_test || status=$?
  case $status in
    0)
      survivors=$((survivors + 1))
      echo "$file:$line:$column: not noticed: '$old' -> '$new'"
      sed -n "${line}p" "$work/original"
      ;;
    1) killed=$((killed + 1)) ;;
    2) invalid=$((invalid + 1)) ;;
  esac
  cp "$work/original" "$file"
done 3<"$work/sites"
echo "$killed noticed, $survivors not noticed, $invalid did not compile"
