# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of the library's manual pages that are handed the kernel's devices.
set -u
. "$(dirname "$0")/tap.sh"
. "$MADKIT_SRC/tests/examples.bash"
# shellcheck disable=SC2034  # read by session
example_prefix=$EXAMPLES/

for name in $(examples_of kernel); do
    said=$(session "$name")
    tap_result $? "$name does what its manual page shows" || diag "$said"
done
ok "there are such examples" test "$tap_count" -gt 0
done_testing
