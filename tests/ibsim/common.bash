# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests on a simulated fabric, loaded at the top of a file. Each file has a separate fabric
# of data/topologies/$TOPOLOGY.net (default: small).

bats_require_minimum_version 1.5.0

# shellcheck source-path=SCRIPTDIR source=fabric.sh
. "$BATS_TEST_DIRNAME/fabric.sh"
# shellcheck source-path=SCRIPTDIR source=oracle.sh
. "$BATS_TEST_DIRNAME/oracle.sh"

start_fabric() { fabric_start "$BATS_TEST_DIRNAME/../data/topologies/${TOPOLOGY:-small}.net"; }

# A file with more to set up defines its own functions of these names.
setup_file() { start_fabric; }
teardown_file() { fabric_stop; }

# The value of a dotted line of infiniband-diags.
dotted() { sed -n "s/^[[:space:]]*$1:\{0,1\}\.*//p" | head -n 1; }

# For tests of examples: the commands by their names, as programs of node1.
commands_on_node1() {
	local program
	for program in madsend madrecv madpoll madreg; do
		eval "$program() { on node1 $program \"\$@\"; }"
	done
	cd "$FABRIC_DIR/cwd" || return
}

# The same as spawn, for a program that requests of others are to reach (see receive_all.c).
spawn_receiver() {
	# shellcheck disable=SC2034  # on's
	local FABRIC_RECEIVE=${MADKIT_BUILD:?}/tests/ibsim/.libs/receive_all.so
	spawn "$@"
}
