# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For tests of programs on a madsim, loaded at the top of a file. Each file has a separate fabric.

bats_require_minimum_version 1.5.0

# shellcheck source-path=SCRIPTDIR source=serve.sh
. "$BATS_TEST_DIRNAME/serve.sh"
# shellcheck source-path=SCRIPTDIR source=../ibsim/oracle.sh
. "$BATS_TEST_DIRNAME/../ibsim/oracle.sh"

# shellcheck disable=SC2034  # the tests'
TOPOLOGIES=$BATS_TEST_DIRNAME/../data/topologies

teardown_file() { serve_end; }

# The value of a dotted line of infiniband-diags.
dotted() { sed -n "s/^[[:space:]]*$1:\{0,1\}\.*//p" | head -n 1; }
