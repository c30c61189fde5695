<?php
// What PHP says of every operation on every pair of some awkward values. Writes tests/php/dynamic_table.txt, which
// ir_dynamic_test checks the evaluator against:   php tests/php/dynamic_table.php > tests/php/dynamic_table.txt
error_reporting(0);
$values = [null, false, true, 0, 1, -7, 3, 64, PHP_INT_MAX, PHP_INT_MIN, 0.0, -0.0, 1.5, -2.75, 1e19, 1e300, INF, NAN,
           "", "0", "a", "10", "1e1", " 12 ", "5 apples", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
           "1e999", "ab"];

function shown($v): string {
  if ($v === null) return "null";
  if (is_bool($v)) return $v ? "true" : "false";
  if (is_int($v)) return "i" . $v;
  if (is_float($v)) return "f" . bin2hex(strrev(pack("d", is_nan($v) ? NAN : $v)));
  return "s" . bin2hex($v);
}
$binary = [
  "dyn.add" => fn($a, $b) => $a + $b, "dyn.sub" => fn($a, $b) => $a - $b, "dyn.mul" => fn($a, $b) => $a * $b,
  "dyn.div" => fn($a, $b) => $a / $b, "dyn.rem" => fn($a, $b) => $a % $b, "dyn.and" => fn($a, $b) => $a & $b,
  "dyn.or" => fn($a, $b) => $a | $b, "dyn.xor" => fn($a, $b) => $a ^ $b, "dyn.shl" => fn($a, $b) => $a << $b,
  "dyn.shr" => fn($a, $b) => $a >> $b, "dyn.concat" => fn($a, $b) => $a . $b, "dyn.eq" => fn($a, $b) => $a == $b,
  "dyn.lt" => fn($a, $b) => $a < $b, "dyn.le" => fn($a, $b) => $a <= $b, "dyn.identical" => fn($a, $b) => $a === $b,
];
$unary = [
  "dyn.not" => fn($a) => ~$a, "dyn.truth" => fn($a) => (bool)$a, "dyn.to_int" => fn($a) => (int)$a,
  "dyn.to_float" => fn($a) => (float)$a, "dyn.to_string" => fn($a) => (string)$a,
];
function result(callable $f): string {
  try {
    return shown($f());
  } catch (DivisionByZeroError) {
    return "!zero";
  } catch (ArithmeticError) {
    return "!negative";
  } catch (TypeError) {
    return "!type";
  }
}
echo "values ", implode(" ", array_map(shown(...), $values)), "\n";
foreach ($binary as $op => $f)
  foreach ($values as $a) {
    $row = [];
    foreach ($values as $b) $row[] = result(fn() => $f($a, $b));
    echo $op, " ", shown($a), " ", implode(" ", $row), "\n";
  }
foreach ($unary as $op => $f) {
  $row = [];
  foreach ($values as $a) $row[] = result(fn() => $f($a));
  echo $op, " - ", implode(" ", $row), "\n";
}
