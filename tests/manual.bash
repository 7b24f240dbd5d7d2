# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# To be sourced; needs MADKIT_BUILD.

# run_examples PAGE N: runs the lines of a manual page that begin with "$ ", in the order of the page. There are at least N. A
# line that ends with "# exits N" has to end with N, the others with 0.
run_examples() {
	local line wanted status examples=0
	while IFS= read -r line; do
		wanted=0
		[[ ! $line =~ '# exits '([0-9]+)$ ]] || wanted=${BASH_REMATCH[1]}
		status=0
		(set -o pipefail; eval "$line") || status=$?
		echo "[$status, should be $wanted] $line"
		((status == wanted)) || return 1
		examples=$((examples + 1))
	done < <(sed -n 's/^\$ //p' "$MADKIT_BUILD/man/$1" | sed -e 's/\\-/-/g' -e 's/\\e/\\/g' -e "s/\\\\(aq/'/g" -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' -e 's/\\(ga/`/g')
	((examples >= $2))
}
