#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of the manual pages, run on node1 of the small topology in the order of each page:
# lines that begin with "$ ". One that ends with "# exits N" has to end with N, the others with 0.

load common

setup() { commands_on_node1; }

run_examples() { # PAGE
	local line wanted status examples=0
	while IFS= read -r line; do
		wanted=0
		[[ ! $line =~ '# exits '([0-9]+)$ ]] || wanted=${BASH_REMATCH[1]}
		status=0
		(set -o pipefail; eval "$line") || status=$?
		echo "[$status, should be $wanted] $line"
		((status == wanted)) || return 1
		examples=$((examples + 1))
	done < <(sed -n 's/^\$ //p' "$MADKIT_BUILD/man/$1" | sed -e 's/\\-/-/g' -e 's/\\e/\\/g')
	((examples >= ${2:-2}))
}

@test "the examples of madsend(1)" { run_examples madsend.1 6; }
@test "the examples of madrecv(1)" { run_examples madrecv.1 3; }
@test "the examples of madpoll(1)" { run_examples madpoll.1; }
@test "the examples of madreg(1)" { run_examples madreg.1; }
@test "the examples of madkit(7)" { run_examples madkit.7 4; }
