# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck source=completions/madkit.bash
. "${BASH_SOURCE[0]%/*}/madkit.bash"
