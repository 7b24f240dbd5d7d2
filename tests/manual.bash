# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# To be sourced; needs MADKIT_BUILD.

# page_text PAGE: its lines, without the escapes of troff.
page_text() {
	sed -e 's/\\-/-/g' -e 's/\\e/\\/g' -e "s/\\\\(aq/'/g" -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' -e 's/\\(ga/`/g' "$MADKIT_BUILD/man/$1"
}

# show_examples PAGE N: runs each example of the page and compares its standard output. There are at least
# N. Statuses are as for run_examples.
show_examples() {
	local line command='' shown='' wanted status got examples=0
	while IFS= read -r line; do
		case $line in
		.EX) command='' shown='' ;;
		'$ '*) command=${line#'$ '} ;;
		.EE)
			wanted=0 status=0
			[[ ! $command =~ '# exits '([0-9]+)$ ]] || wanted=${BASH_REMATCH[1]}
			got=$(set -o pipefail; eval "$command" 2>/dev/null) || status=$?
			[[ $status -eq $wanted && $got$'\n' == "$shown" ]] ||
				{ echo "[$status, should be $wanted] $command"; diff <(echo -n "$shown") <(echo "$got"); return 1; }
			examples=$((examples + 1))
			;;
		*) [[ -z $command ]] || shown+=$line$'\n' ;;
		esac
	done < <(page_text "$1")
	((examples >= $2))
}

# page_commands PAGE: the lines of a manual page that begin with "$ ", without that. A backslash at its end continues a line.
page_commands() {
	page_text "$1" | sed -n '/^\$ /{s///; :more; /\\$/{N; s/\\\n *//; b more}; p}'
}

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
	done < <(page_commands "$1")
	((examples >= $2))
}
