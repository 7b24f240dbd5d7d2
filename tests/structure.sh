#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The house rules that a machine can check: arrows point down, the library
# keeps no state and does not print, declared names are exported, and every
# file states its licence.
src=${top_srcdir:?}
build=${top_builddir:?}
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "${top_srcdir:?}/tests/tap.sh"
# the order of sort
export LC_ALL=C

# The public headers, by the layer that they belong to; a header of the library
# itself belongs to its folder.
util='decls error buf num escape'
wire="$util access addr constants cpi field mad message registry rmpp"
rmpp="$wire rmpp_transfer"
expr="$wire expr"
format="$expr format writer capture grid metrics"
counters="$wire counters"
json="$format json_in"
topology="$wire compare"
sim="$rmpp"
agent="$rmpp agent port query redirect dispatch resolve portid trace"
names="$agent names"
sweep="$names counters compare sweep survey registers path"
health="$sweep health"
plan="$json compare plan"
folders='agent|counters|expr|format|health|json|names|plan|rmpp|sweep|topology|transport|util|wire'
none "every folder of the library has its layer" "$(find "$src/lib" -mindepth 1 -maxdepth 1 -type d |
	sed 's|.*/||' | grep -vxE "$folders|madkit|\.libs|\.deps")"
# Which folders and public headers a folder may include from.
includes() { # FILES HEADERS ALLOWED...: FILES is a pattern of paths
	files=$src/$1 headers=$(echo "$2" | tr ' ' '|'); shift 2
	allowed=$(echo "$*" | tr ' ' '|')
	# shellcheck disable=SC2086  # a pattern
	grep -HoE '#include "[a-z_/]+/' $files | grep -vE "\"($allowed)/\$" | sed "s|^$src/||"
	# shellcheck disable=SC2086
	grep -HoE '#include <madkit/[a-z_]+\.h>' $files |
		grep -vE "<madkit/($headers)\.h>\$" | sed "s|^$src/||"
}
public() { # HEADERS THEY-MAY-INCLUDE
	headers=$(echo "$2" | tr ' ' '|')
	for header in $1; do
		[ "$header" = constants ] || grep -HoE '#include <madkit/[a-z_]+\.h>' "$src/lib/madkit/$header.h"
	done | grep -vE "<madkit/($headers)\.h>\$" | sed "s|^$src/||"
}
none "no arrow of the layers points up" "$(
	includes 'lib/util/*.[ch]' "$util" util
	includes 'lib/wire/*.[ch]' "$wire" util wire tables wire/tables
	includes 'lib/wire/tables/*.[ch]' "$wire" util wire
	includes 'lib/rmpp/*.[ch]' "$rmpp" util wire rmpp
	includes 'lib/expr/*.[ch]' "$expr" util wire expr
	includes 'lib/counters/*.[ch]' "$counters" util wire counters
	includes 'lib/format/*.[ch]' "$format" util wire expr format
	includes 'lib/json/*.[ch]' "$json" util wire expr json
	includes 'lib/topology/*.[ch]' "$topology" util wire wire/tables topology
	includes 'lib/plan/*.[ch]' "$plan" util wire wire/tables json topology plan
	includes 'sim/fabric/*.[ch]' "$sim" util wire topology sim/fabric
	includes 'sim/host/*.[ch]' "$sim" util wire rmpp topology sim/fabric sim/host
	includes 'sim/sa/*.[ch]' "$sim" util wire topology sim/fabric sim/host sim/sa
	includes 'sim/sm/*.[ch]' "$sim" util wire topology sim/fabric sim/host sim/sa sim/sm
	includes 'sim/*.[ch]' "$sim" util wire topology sim/fabric sim/host sim/sm sim
	includes 'sim/serve/*.[ch]' "$sim" util wire topology sim/fabric sim/host sim sim/serve
	includes 'sim/transport/*.[ch]' "$agent" util wire topology sim/fabric sim/host sim sim/serve transport sim/transport
	includes 'lib/transport/*.[ch]' "$agent" util wire wire/tables transport
	includes 'lib/agent/*.[ch]' "$agent" util wire rmpp transport agent
	includes 'lib/names/*.[ch]' "$names" util wire transport agent names
	includes 'lib/sweep/*.[ch]' "$sweep" util wire wire/tables rmpp transport agent topology counters names sweep
	includes 'lib/health/*.[ch]' "$health" util wire wire/tables agent topology sweep health)"
# The headers that a directory of the simulator has for others; the rest is used inside it (and by tests).
open='fabric/(fabric|fault|misbehaviour|settings)|host/host|sa/sa|sm/sm|serve/(client|proto|serve|wire)|transport/unix'
none "every directory of the simulator has its layer" "$(find "$src/sim" -mindepth 1 -maxdepth 1 -type d |
	sed 's|.*/||' | grep -vxE 'fabric|host|sa|sm|serve|transport|preload|madsim')"
none "... and the others include its own headers only" "$(cd "$src" &&
	grep -roE --include='*.[ch]' '#include "sim/[a-z]+/[a-z_]+\.h"' lib sim src bench |
	grep -vE "^(sim/[a-z]+/)[a-z_]+\.[ch]:#include \"\1|\"sim/($open)\.h\"")"
none "the protocol and its client include nothing else of the library" "$(cd "$src" &&
	grep -nE '#include ("|<madkit/)' sim/serve/proto.[ch] sim/serve/client.[ch] sim/serve/wire.[ch] |
	grep -vE '"sim/serve/(client|proto|wire)\.h"$')"
none "no files of a directory include one another in a cycle" "$(
	cd "$src" && find lib sim src -name '*.[ch]' | sed 's|/[^/]*$||' | sort -u |
	while read -r directory; do
		awk -f tests/closure.awk -f tests/cycles.awk "$directory"/*.[ch]
	done)"
# The same by what the objects use of one another.
none "no files of a directory call one another in a cycle" "$(
	cd "$build" && { find lib sim -path '*/.libs/*.o'; find src sim/madsim -name '*.o'; } |
	xargs nm -A | awk -f "$src/tests/closure.awk" -f "$src/tests/calls.awk")"
seen=$(printf '%s\n' 'a/x.o:0 T f' 'a/x.o: U g' 'a/.libs/l-y.o:0 T g' 'a/.libs/l-y.o: U h' 'a/z.o:0 T h' 'a/z.o: U f' |
	awk -f "$src/tests/closure.awk" -f "$src/tests/calls.awk")
none "... which would be seen" "$([ "$seen" = 'a: x y z' ] || echo "$seen")"
none "libmadkit includes nothing of libmadkit-sim" "$(cd "$src" &&
	grep -rnE --include='*.[ch]' '#include "sim/' lib)"
none "the table of transports alone names the simulator" "$(cd "$src" &&
	grep -rnE --include='*.[ch]' '"sim[:"]' lib src |
	grep -vE '^(lib/madkit/[a-z]+\.h:[0-9]+:.*(\*|/\*))' |
	grep -vE '^lib/transport/transports\.c:[0-9]+:	\{ "sim", \{ "libmadkit-sim\.so", ')"
none "... nor does one of the public headers" "$(
	public "$util" "$util"; public "$wire" "$wire"; public "$rmpp" "$rmpp"; public "$expr" "$expr"
	public "$format" "$format"; public "$json" "$json"; public "$counters" "$counters"; public "$topology" "$topology"; public "$plan" "$plan"; public "$agent" "$agent"; public "$names" "$names"
	public "$sweep" "$sweep"; public "$health" "$health")"
none "madkit.h includes all but portid.h" "$(
	for header in "$src"/lib/madkit/*.h; do basename "$header"; done |
		grep -vxE 'madkit\.h|portid\.h|decls\.h' | while read -r header; do
			grep -qxF "#include <madkit/$header>" "$src/lib/madkit/madkit.h" || echo "$header"
		done)"
none "every public header has its layer" "$(
	for header in "$src"/lib/madkit/*.h; do basename "$header" .h; done |
		grep -vxE "$(echo "madkit $plan $health" | tr ' ' '|')")"

# wire, rmpp, expr, counters, format, json, topology and sim (except its transports and the client) use no system calls
none "the pure layers include nothing that touches the world" "$(cd "$src" &&
	grep -rnE --include='*.[ch]' \
		'#include <(unistd|fcntl|poll|sys/socket|infiniband/[a-z/_]+)\.h>' \
		lib/util lib/wire lib/rmpp lib/expr lib/counters lib/format lib/json lib/plan lib/topology sim |
	grep -vE '^sim/(transport/|preload/|madsim/|serve/(client|wire)\.)')"
none "only tests include a JSON library" "$(cd "$src" &&
	grep -rlE --include='*.[ch]' '#include <json' lib src sim)"
none "only lib/transport/umad.c includes infiniband/umad.h" "$(cd "$src" &&
	grep -rlE --include='*.[ch]' '#include <infiniband/umad\.h>' lib |
	grep -v '^lib/transport/umad\.c$')"
none "only lib/transport/verbs*.c include infiniband/verbs.h" "$(cd "$src" &&
	grep -rlE --include='*.[ch]' '#include <infiniband/verbs\.h>' lib |
	grep -vE '^lib/transport/verbs_?[a-z]*\.[ch]$')"
none "only lib/transport/trace*.[ch] include libtracefs" "$(cd "$src" &&
	grep -rlE --include='*.[ch]' '#include <(tracefs|kbuffer|event-parse|trace-[a-z]+)\.h>' lib src |
	grep -vE '^lib/transport/trace_?[a-z]*\.[ch]$')"

# Arrays grow by array_room() and array_extend(). Others: madkit_buf has its own limit and error; a received frame is
# shrunk (recv.c); messages of RMPP grow as the receiver requests (rmpp.c, segments.c); the one array of the
# commands, which include public headers only (holders.c).
none "only lib/util/array.c grows arrays with realloc()" "$(cd "$src" &&
	grep -rnE --include='*.[ch]' '\brealloc(array)?\(' lib src sim | grep -vE \
		-e '^lib/util/(array|buf)\.c:' -e '^lib/agent/(recv|rmpp)\.c:' -e '^src/(madrecv/segments|request/holders)\.c:' \
		-e '^lib/madkit/rmpp_transfer\.h:[0-9]+:	(/\*| \*)')"

# the commands use the library as any other program does; madsim also uses its internals
none "src includes of the library its public headers, array_size.h and nearest.h alone" "$(cd "$src" &&
	grep -rnE --include='*.[ch]' "#include (\"(\.\./|lib/|src/)|[\"<]($folders|sim)/)" src |
	grep -vE ':#include "util/(array_size|nearest)\.h"$')"
# Files that the commands share; a command includes no file of another one.
none "src has a directory for each command, and three for what they share" "$(find "$src/src" -mindepth 1 -maxdepth 1 |
	sed 's|.*/||' | grep -vxE 'cli|request|subnet|madcheck|madpoll|madport|madrecv|madreg|madsend|madsweep|madwatch')"
# cli/option_names.h is made at build time, and found by its path.
none "... which include what is below them: cli, request, subnet, then the commands" "$(
	cd "$src/src" && for directory in *; do
		case $directory in cli) below='util|cli' ;; request) below='util|cli' ;; subnet) below='util|cli|request' ;;
			*) below='util|cli|request|subnet' ;; esac
		grep -HoE '#include "[a-z_]+/' "$directory"/*.[ch] | grep -vE "\"($below)/\$"
	done)"
none "madsim includes those, the simulator's, topology's and transport.h" "$(cd "$src" &&
	grep -nE '#include "[a-z_.]+/' sim/madsim/*.[ch] |
	grep -vE ':#include "(util/array_size|(sim|topology|cli)/[a-z_/]+|transport/transport)\.h"$')"
none "ARRAY_SIZE() is written out nowhere" "$(cd "$src" &&
	grep -rnE --include='*.[ch]' 'sizeof\((.+)\) / sizeof\((\*\1|\(?\1\)?\[0\])\)' bench fuzz lib sim src tests |
	grep -vE '^(lib/util/array_size\.h|tests/client\.c):')"

# A search for a function finds that function alone, static ones included. Names that more than one file has to
# define:
#   main, LLVMFuzzerTestOneInput	each program has one, each fuzz target has one
#   ioctl, opendir, read, write		the C library's, which sim/preload and tests/torture/fail.c replace
#   umad_recv, umad_register2		libibumad's, which fuzz/umad.c and tests/ibsim replace
#   __wrap_*				the C library's, which a test replaces (ld --wrap)
everywhere='main|LLVMFuzzerTestOneInput|ioctl|opendir|read|write|umad_recv|umad_register2|__wrap_[a-z_]+'
functions=$(mktemp)
(cd "$src" && find lib sim src fuzz bench man/examples tests -name '*.[ch]' -exec awk -f tests/functions.awk {} +) > "$functions"
none "the functions are found" "$(for name in madkit_port_open umad_transport_send bits_get shim_call main; do
	grep -q "^$name " "$functions" || echo "$name"
done)"
none "every function is defined once" "$(sort "$functions" | awk -v everywhere="^($everywhere)\$" '
	$1 ~ everywhere { next }
	$1 == name { print $1 ": " file ", " $2 }
	{ name = $1; file = $2 }')"
# ... and its name says where to look for it. Inline functions of headers are no part.
nouns=$(mktemp)
named='^(lib|sim|src)/.*[.]c$'
(cd "$src" && find lib sim src -name '*.[ch]' | sed 's/\.[ch]$//' &&
	find lib sim src -name '*.[ch]' -exec sed -nE 's/^((static|const|typedef) )*(struct|enum|union) ([a-z0-9_]+) \{.*/\4/p' {} +) > "$nouns"
none "a static name has two words or more, and begins with a noun of a file or a struct" "$(
	awk -v files="$named" -f "$src/tests/nouns.awk" "$nouns" "$functions")"
none "... or would be seen" "$(
	seen=$(printf '%s\n' 'may lib/agent/x.c static' 'is_here sim/x.c static' 'agent_may lib/agent/x.c static' 'may sim/x.c' |
		awk -v files="$named" -f "$src/tests/nouns.awk" "$nouns" - | tr '\n' ' ')
	[ "$seen" = 'lib/agent/x.c: may sim/x.c: is_here ' ] || echo "$seen")"
rm -f "$nouns"

# the preloaded umad device is not part of the library
none "the device to preload includes of the library the protocol's client and array_size.h alone" "$(cd "$src" &&
	grep -nE '#include ("[a-z_]+/|<(madkit|infiniband)/)' sim/preload/*.[ch] |
	grep -vE '#include "(sim/preload/(next|shim)|sim/serve/(client|wire)|util/array_size)\.h"$')"
none "... and exports nothing of its own, nor of the library" "$(
	nm -D --defined-only "$build/lib/.libs/libmadsim_umad.so" | awk '{ print $3 }' |
		grep -E '^(shim|next|proto|madkit|host|sim)_')"
none "... and the client calls nothing that it replaces" "$(
	nm -D --defined-only "$build/lib/.libs/libmadsim_umad.so" | awk '{ print $3 }' | sort -u > "$functions"
	nm -u "$build"/sim/serve/.libs/libmadkit_sim_client_internal_la-*.o | awk '$1 == "U" { print $2 }' | sort -u |
		comm -12 - "$functions")"
rm -f "$functions"

objects=$(find "$build/lib" "$build/sim" -path '*/.libs/libmadkit_*internal_la-*.o' | sort)
none "the library's objects are there" "$([ -n "$objects" ] || echo "none below $build/lib")"
if grep -q '^SAN_CFLAGS = .*fsanitize' "$build/Makefile"; then
	skip "the library has no mutable globals" "sanitizers add their own"
else
	# relocated constants (.data.rel.ro) are constants
	none "the library has no mutable globals" "$(for o in $objects; do
		objdump -t "$o" | awk -v o="${o##*internal_la-}" \
			'/ O / && / \.(data|bss|tdata|tbss)/ && !/\.data\.rel\.ro/ { print o ": " $NF }'
	done)"
fi
# Symbols from outside the library that the objects of a folder use.
if grep -q '^SAN_CFLAGS = .*fsanitize' "$build/Makefile"; then
	skip "the pure layers take nothing from the world" "sanitizers add their own"
else
	own=$(mktemp)
	# shellcheck disable=SC2086  # a list of names without blanks
	nm --defined-only $objects | awk 'NF == 3 { print $3 }' | sort -u > "$own"
	imports() { # FOLDER ALLOWED
		[ "$1" = sim ] && library=libmadkit_sim || library=libmadkit
		find "$build/$1" -path '*/sim/transport' -prune -o -path "*/.libs/${library}_internal_la-*.o" -exec nm -u {} + |
			awk '$1 == "U" { print $2 }' | sort -u | comm -23 - "$own" |
			sed -E 's/^__(.*)_chk$/\1/' |
			grep -vxE "_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|$2" | sed "s|^|$1: |"
	}
	# bcmp: what clang makes of memcmp
	bytes='bcmp|(mem|str|stp)(chr|cmp|cpy|move|set|len|nlen|rchr|cspn|spn|ncmp|casecmp|ncasecmp|ncpy)'
	heap='malloc|calloc|realloc|free|strdup|strndup'
	none "the pure layers take nothing from the world" "$(
		imports lib/wire "$bytes|v?snprintf|inet_(ntop|pton)"
		imports lib/rmpp "$bytes"
		imports lib/expr "$bytes|$heap|reg(comp|exec|error|free)"
		imports lib/counters "$bytes|$heap"
		imports lib/format "$bytes|$heap|qsort|snprintf|__ctype_(b|toupper)_loc|toupper"
		imports lib/json "$bytes|$heap|v?snprintf|qsort"
		imports lib/topology "$bytes|$heap|v?snprintf|qsort"
		imports sim "$bytes|$heap|v?snprintf"
		imports lib/plan "$bytes|$heap|v?snprintf|strtoull"
		imports lib/sweep "$bytes|$heap"
		imports lib/health "$bytes|$heap|qsort"
		imports lib/util "$bytes|$heap|vsnprintf")"
	rm -f "$own"
fi
none "the library never prints and never exits" "$(for o in $objects; do
	nm -u "$o" | sed -E 's/ __(.*)_chk$/ \1/' | grep -E ' (v?f?printf|puts|putchar|putc|fputs|perror|exit|_exit|abort|err|errx|warn|warnx|syslog)$' |
		sed "s|^|${o##*internal_la-}: |"
done)"

# B2, B4, B11: what may block goes through src/cli/wait.c, which a signal and the deadline end. The others here
# do not block: /dev/null; the terminal's poll in cli.c, which a signal ends; files of /proc and of madsim itself;
# directories; flock() with LOCK_NB; sockets after epoll_wait() with MSG_DONTWAIT; epoll_wait(), which a signal ends.
blocking='open|openat|fopen|fdopen|opendir|creat|p?read|p?write|readv|writev|p?poll|p?select|connect|accept4?|recv(from|msg|mmsg)?'
blocking="$blocking|send(to|msg|mmsg)?|(clock_)?nanosleep|u?sleep|wait|waitpid|waitid|wait[34]|sigwait(info)?|sigtimedwait|sigsuspend|pause"
blocking="$blocking|fgets|getline|getdelim|fread|f?getc|fwrite|fputs|printf|puts|fprintf|flock|lockf|epoll_p?wait2?|system|popen|tcdrain"
none "B2: no call of the commands may block outside src/cli/wait.c" "$(
	find "$build/src" "$build/sim/madsim" -name '*.o' | while read -r o; do
		name=${o##*/}
		nm -u "$o" | sed -E 's/.* //; s/^__(.*)_(chk|2|alias)$/\1/; s/64(_2)?$//' | grep -xE "$blocking" |
			sed "s|^|${name#madsim-} |"
	done | sort -u | grep -vxE \
		-e 'wait\.o .*' -e 'cli\.o (open|ppoll|waitpid|waitid|sigwaitinfo|sigtimedwait)' -e 'holders\.o (fopen|fgets|opendir)' \
		-e 'madsim_calls\.o (accept4|recvmsg)' -e 'madsim_channel\.o recvmmsg' \
		-e 'madsim_server\.o (open|openat|connect|flock|epoll_p?wait2?)' -e 'madsim_tree\.o (open|openat|opendir|fdopendir)')"
none "... and what may block is seen" "$(
	find "$build/src" -name 'wait.o' -exec nm -u {} + | grep -qE ' (__)?poll' || echo "wait.o has no poll()")"

so=$build/lib/.libs/libmadkit.so
declared=$(mktemp); exported=$(mktemp); listed=$(mktemp)
trap 'rm -f "$declared" "$exported" "$listed"' EXIT
# without comments and inline functions, a name before a parenthesis is a
# function, and a declaration that begins with extern is data
sed -e 's|/\*.*\*/||' -e '/\/\*/,/\*\//d' "$src"/lib/madkit/*.h |
	awk '/^static inline/ { skip = 1 } !skip { print } /^}/ { skip = 0 }' |
	grep -v '^#' | tr '\n' ' ' | tr ';' '\n' | sed 's/__attribute__.*//' |
	grep -v typedef | grep -oE 'madkit_[a-z0-9_]+ *\(|extern const struct [a-z_]+ madkit_[a-z_]+' |
	grep -oE 'madkit_[a-z0-9_]+ *\(?$' | tr -d ' (' | sort -u > "$declared"
nm -D --defined-only "$so" | awk '$3 ~ /^madkit_/ && $3 !~ /^madkit_private_/ { sub(/@.*/, "", $3); print $3 }' |
	sort -u > "$exported"
sed -n '/^};/q; s/^	\(madkit_[a-z0-9_]*\);$/\1/p' "$src/lib/libmadkit.sym" > "$listed"
none "lib/libmadkit.sym lists names alone, sorted, each once" "$(
	sed '/^\/\*/,/\*\//d' "$src/lib/libmadkit.sym" |
		grep -vE '^(|MADKIT_([0-9]+|PRIVATE) \{|global:|	madkit_[a-z0-9_]+;|local:|	\*;|\}( MADKIT_[0-9]+)?;)$'
	LC_ALL=C sort -u "$listed" | diff - "$listed")"
sort -u -o "$listed" "$listed"
none "every declared name is listed in lib/libmadkit.sym" "$(comm -23 "$declared" "$listed")"
none "every listed name is declared" "$(comm -13 "$declared" "$listed")"
none "every declared function is exported" "$(comm -23 "$declared" "$exported")"
none "every exported name is declared in a public header" "$(comm -13 "$declared" "$exported")"
none "tests/public says why names are public that no command and no simulator uses, and of no others" "$(
	grep -rhoE --include='*.[ch]' 'madkit_[a-z0-9_]+' "$src/src" "$src/sim" | sort -u |
		comm -13 - "$listed" > "$exported"
	sed -n 's/^\(madkit_[a-z0-9_]*\)	[^	].*/\1/p' "$src/tests/public" | diff "$exported" -)"
none "nothing else is exported" "$(nm -D --defined-only "$so" |
	awk '$2 != "A" && $3 !~ /^madkit_/ { print $3 }' | grep -vE '^_(init|fini)$|asan|ubsan')"

# Libraries that are loaded at the start.
needed() { # FILE
	objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep -vE '^lib([atu]bsan|[at]san|clang_rt\..*)\.so'
}
# A rule of ours with the name of automake's replaces it.
none "make install installs libraries and commands" "$(
	for list in lib_LTLIBRARIES pkglib_LTLIBRARIES bin_PROGRAMS; do
		grep -qxF "install-$(echo "$list" | tr -d _): \$($list)" "$build/Makefile" || echo "$list"
	done)"
if [ -f "$build/lib/.libs/libmadkit.a" ]; then
	none "the static library defines public names alone" "$(nm -g --defined-only "$build/lib/.libs/libmadkit.a" |
		awk 'NF == 3 { print $3 }' | sort -u | diff "$exported" - | grep -vE 'asan|ubsan')"
else
	skip "the static library defines public names alone" "configure without --enable-static"
fi
none "libmadkit.pc requires the packages of the headers that the public headers include, and nothing else" "$(
	{
		grep -qhF '<infiniband/mad.h>' "$src"/lib/madkit/*.h && echo libibmad
		grep -qhF '<infiniband/umad.h>' "$src"/lib/madkit/*.h && echo libibumad
		grep -qhF '<infiniband/verbs.h>' "$src"/lib/madkit/*.h && echo libibverbs
		grep -hoE '^#include <[a-z_]+/' "$src"/lib/madkit/*.h | grep -vE '<(madkit|infiniband|sys)/'
	} > "$declared"
	sed -n 's/^Requires[a-z.]*: *//p' "$build/lib/libmadkit.pc" | tr ' ' '\n' | grep . | diff "$declared" -)"

# Symbols of libmadkit that libmadkit-sim and madsim use, and of libmadkit-sim that madsim uses.
sim=$build/lib/.libs/libmadkit-sim.so
exports() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u; } # LIBRARY
none "libmadkit exports to libmadkit-sim and madsim what they call, and nothing else" "$(
	nm -D -u "$sim" "$build/.libs/madsim" | sed -n 's/.* \(madkit_private_.*\)@MADKIT_PRIVATE$/\1/p' | sort -u > "$declared"
	exports "$so" | grep '^madkit_private_' | diff "$declared" -)"
none "... by the private names, sorted" "$(sed -n 's/^	\(madkit_private_.*\);$/\1/p' "$src/lib/libmadkit.sym" | diff "$declared" -)"
none "... each of which is declared as such" "$(grep -rhoE --include='*.h' 'MADKIT_PRIVATE\([a-z0-9_]+\)' "$src/lib" |
	sed -n 's/MADKIT_PRIVATE(\(.*\))/madkit_private_\1/p' | grep -v 'private_name$' | sort | diff "$declared" -)"
none "libmadkit-sim exports its transports and what madsim calls, and nothing else" "$(
	{ echo madkit_transport_library; nm -D -u "$build/.libs/madsim" | sed -n 's/.* \(.*\)@MADKIT_SIM_PRIVATE$/\1/p'; } | sort > "$declared"
	exports "$sim" | grep -vE '^_(init|fini)$|asan|ubsan' | diff "$declared" -)"
none "... by the names in lib/libmadkit-sim.sym, sorted" "$(sed -n '/^local:/q; s/^	\([a-z0-9_]*\);$/\1/p' "$src/lib/libmadkit-sim.sym" | diff "$declared" -)"
objects_define() { # LIBRARY: the functions and data that its objects define for one another
	nm -g --defined-only "$build/lib/.libs/$1-internal.a" | awk 'NF == 3 { print $3 }' | sort -u
}
none "libmadkit defines nothing of the simulator" "$(
	objects_define libmadkit-sim > "$declared"
	objects_define libmadkit | comm -12 - "$declared" | grep -vE 'asan|ubsan'
	exports "$so" | comm -12 - "$declared")"
system='libc\.so\.[0-9]+|ld-linux.*|libgcc_s\.so\.1'
none "libmadkit needs libibumad and libc" "$(needed "$so" | grep -vxE "$system|libibumad\.so\.3")"
commands=$(sed -n 's/^bin_PROGRAMS = //p' "$src/Makefile.am")
none "the commands but madsim need libmadkit and libc" "$(
	for command in $commands; do
		[ "$command" = madsim ] || needed "$build/.libs/$command" | grep -vxE "$system|libmadkit\.so\.0" | sed "s|^|$command: |"
	done)"
none "libmadkit-sim and madsim need these, and madsim libmadkit-sim" "$(
	needed "$sim" | grep -vxE "$system|libmadkit\.so\.0"
	needed "$build/.libs/madsim" | grep -vxE "$system|libmadkit(-sim\.so|\.so\.0)")"

# tests/kernel/FACTS: "- fact", then a tab, the test and words of its assertion
held() { # a test's source
	for file in "$src/tests/kernel/$1.c" "$src/tests/kernel/guest/$1.sh"; do
		[ -f "$file" ] && echo "$file"
	done
}
facts=$src/tests/kernel/FACTS
none "tests/kernel/FACTS holds facts" "$(grep -q '^- ' "$facts" || echo "$facts")"
none "each of them has its test" "$(awk '/^-/ { if (fact) print fact; fact = $0 } /^\t/ { fact = "" }
	END { if (fact) print fact }' "$facts")"
none "... whose words are there" "$(sed -n 's/^\t//p' "$facts" | while IFS= read -r line; do
	file=$(held "${line%%: *}")
	[ -n "$file" ] && grep -qF -- "${line#*: }" "$file" || echo "$line"
done)"
none "... and every program that holds facts stands in it" "$(for file in "$src"/tests/kernel/umad_*.c; do
	name=$(basename "$file" .c)
	[ "$name" = umad_end ] || grep -q "^	$name: " "$facts" || echo "$name"
done)"

none "every file has its SPDX line" "$(cd "$src" &&
	find . \( -name .git -o -name 'build*' -o -name '_*' -o -name autom4te.cache -o -name m4 -o -name .cache \) -prune -o \
		-type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.bats' -o -name '*.bash' -o -name '*.am' \
		-o -name '*.ac' -o -name '*.[1-8]' \) -print |
	grep -vE '^\./(aclocal|config\.h)' | while read -r f; do
		head -n 5 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' || echo "$f"
	done)"

tap_done
