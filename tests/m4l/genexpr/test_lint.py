"""Each rule: code that breaks it, and code that keeps it."""

from __future__ import annotations

import re

import pytest

from m4l.genexpr.lint import MAX_BYTES, RULES, lint

FINE = """\
ramp(a, b) {
  return 0.5 * (a + b);
}
History old(0);
History held(0);
History loud(0);
History known(0);
History gain(1);
Data ring(8);
Param depth(1);
g = gain;
if (samplerate != known) {
  g = exp(-1.0 / samplerate);
  gain = g;
  known = samplerate;
}
x = ramp(in1, old) * g;
ends = x > depth ? 1 : 0;
if (ends) {
  total = 0.0;
  for (k = 0; k < 8; k += 1) {
    total = total + peek(ring, k);
  }
  poke(ring, x, 3);
  loud = log10(max(total / 8.0, 1e-12));
}
old = in1;
held = x;
out1 = held;
out2 = loud;
"""

BAD = [
    ("R1", 2, "x = in1;\nf(a) {\n  return a;\n}\nHistory h(0);\nh = f(x);\nout1 = h;\n"),
    ("R1", 3, "History a(0);\na = in1;\nHistory b(0);\nb = in1;\nout1 = a;\nout2 = b;\n"),
    ("R1", 2, "History a(0);\nf(x) {\n  return x;\n}\na = f(in1);\nout1 = a;\n"),
    ("R2", 1, "History a(0); History b(0);\na = in1;\nb = a;\nout1 = a;\nout2 = b;\n"),
    ("R2", 1, "History samplerate(0);\n"),
    ("R2", 2, "History a(0);\nData a(4);\n"),
    ("R3", 2, "History a(0);\na = in1; x = in1;\nout1 = a;\n"),
    ("R3", 2, "History a(0);\na = in1\nout1 = a;\n"),
    ("R3", 2, "History a(0);\na = in1 > 0 ?\n  1.0 : 2.0;\nout1 = a;\n"),
    ("R4", 3, "History a(0);\na = in1;\nx = a;\nout1 = a;\n"),
    ("R4", 3, "History a(0);\na = in1;\na = in2;\nout1 = a;\n"),
    ("R4", 5, "History a(0);\nif (in1 > 0) {\n  a = in1;\n}\nx = a;\nout1 = a;\n"),
    (
        "R4",
        7,
        "History a(0);\nif (in1 > 0) {\n  a = 1;\n} else {\n  x = 2;\n}\na = in2;\nout1 = a;\n",
    ),
    (
        "R4",
        4,
        "History a(0);\nif (in1 > 0) {\n  for (k = 0; k < 3; k += 1) {\n    a = k;\n  }\n}\n"
        "out1 = a;\n",
    ),
    ("R4", 3, "History a(0);\na = in1;\nout1 = a + 0.0;\n"),
    ("R5", 2, "History a(0);\na = delay(in1, 3);\nout1 = a;\n"),
    ("R5", 1, "Delay a(3);\n"),
    ("R6", 4, "Data d(4);\nHistory a(0);\npoke(d, in1, 0);\na = peek(d, 0);\nout1 = a;\n"),
    (
        "R6",
        5,
        "Data d(4);\nHistory a(0);\nif (in1 > 0) {\n  for (k = 0; k < 3; k += 1) {\n"
        "    x = peek(d, k);\n    poke(d, x, k + 1);\n  }\n}\na = in1;\nout1 = a;\n",
    ),
    ("R7", 2, "History a(0);\nfor (k = 0; k < 3; k += 1) {\n  x = k;\n}\na = in1;\nout1 = a;\n"),
    (
        "R7",
        3,
        "f(x) {\n  y = x;\n  for (k = 0; k < 3; k += 1) {\n    y = y + k;\n  }\n  return y;\n}\n"
        "History a(0);\na = f(in1);\nout1 = a;\n",
    ),
    ("R7", 2, "History a(0);\nwhile (a < 3) {\n  a = a + 1;\n}\nout1 = a;\n"),
    ("R8", 2, "History a(0);\na = in1 * (1 / 2);\nout1 = a;\n"),
    ("R8", 3, "History a(0);\nn = in1 > 0;\na = (n + 1) / 2;\nout1 = a;\n"),
    ("R8", 2, "History a(0);\na = 3000000000;\nout1 = a;\n"),
    ("R9", 2, "History a(0);\na = magic(in1);\nout1 = a;\n"),
    ("R9", 2, "History a(0);\na = clamp(in1, 2);\nout1 = a;\n"),
    ("R10", 2, "Param p(0);\np = in1;\n"),
    ("R10", 1, "in1 = 2;\n"),
    ("R11", 1, "x = in1;\n"),
    ("R11", 1, "out1 = in1;\n"),
    ("R11", 3, "History a(0);\na = in1;\nout1 = a;\nx = in1;\n"),
    ("R11", 3, "History a(0);\na = in1;\nout1 = a;\nout1 = a;\n"),
    ("R11", 3, "History a(0);\na = in1;\nout2 = a;\n"),
    ("R11", 6, "History a(0);\na = in1;\nif (in1) {\n  out1 = a;\n}\nout2 = a;\n"),
    ("R12", 2, "History a(0);\na = in1 * samplerate;\nout1 = a;\n"),
    ("R12", 2, "History a(0);\na = mstosamps(in1);\nout1 = a;\n"),
    ("R12", 2, "History a(0);\na = exp(in1);\nout1 = a;\n"),
    ("R12", 5, "f(x) {\n  return tan(x);\n}\nHistory a(0);\na = f(in1);\nout1 = a;\n"),
    ("R12", 2, "History a(0);\nif (samplerate != a) {\n  x = tan(0.1);\n}\na = in1;\nout1 = a;\n"),
    ("R12", 2, "History a(0);\nif (samplerate > 50000) {\n  x = 1;\n}\na = in1;\nout1 = a;\n"),
    ("R13", 3, "History a(0);\nif (in1 > 0) {\n  a = log10(in1);\n}\nout1 = a;\n"),
    ("R13", 3, "History a(0);\nif (in1 > 0) {\n  a = sqrt(max(in1, 0));\n}\nout1 = a;\n"),
    ("R14", 1, "History a(0);\r\na = in1;\nout1 = a;\n"),
    ("R14", 1, "// dBé\nHistory a(0);\na = in1;\nout1 = a;\n"),
    ("R14", 1, FINE + "//" + "x" * MAX_BYTES + "\n"),
    ("syntax", 1, "out1 = ;\n"),
]


@pytest.mark.parametrize(("rule", "line", "source"), BAD)
def test_a_breach_is_found(rule: str, line: int, source: str) -> None:
    assert (rule, line) in {(finding.rule, finding.line) for finding in lint(source)}


def test_every_rule_has_a_breach() -> None:
    assert {rule for rule, _, _ in BAD} - {"syntax"} == set(RULES)


def test_fine_code_passes_every_rule() -> None:
    assert lint(FINE) == ()


def test_the_stand_in_of_the_device_passes(stand_in: str) -> None:
    assert lint(stand_in) == ()


def test_other_sides_of_a_branch_do_not_meet() -> None:
    source = (
        "History a(0);\nData d(4);\nif (in1 > 0) {\n  a = in1;\n  poke(d, in1, 0);\n} else {\n"
        "  x = a + peek(d, 0);\n  a = x;\n}\nout1 = a;\n"
    )
    assert lint(source) == ()


def test_findings_print_as_one_line() -> None:
    (finding,) = lint("History a(0);\na = exp(in1);\nout1 = a;\n")
    assert re.fullmatch(r"line 2, column 5: R12: 'exp' is costly .*", str(finding))
