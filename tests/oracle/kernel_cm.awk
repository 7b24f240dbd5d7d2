# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# iba.h ibta_vol1_c12.h -> a header for tests/oracle/kernel_cm.c: what they
# define, without what they include, and CM_FIELDS, a list of every field there
# is: WORD(name) of up to 64 bits, ROOM(name) of more.
/^#include/ { next }
{ print }
/\\$/ { sub(/[ \t]*\\$/, " "); line = line $0; next }
{ line = line $0 }
line ~ /^#define CM_[A-Z0-9_]+[ \t]+CM_FIELD/ {
	split(line, word, /[ \t]+/)
	list = list " \\\n\t" (line ~ /CM_FIELD_MLOC/ ? "ROOM" : "WORD") "(" word[2] ")"
}
{ line = "" }
END { print "#define CM_FIELDS" list }
