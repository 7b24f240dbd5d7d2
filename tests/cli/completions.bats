#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bash completion, loaded as bash-completion loads it.

setup() {
	load common
	completions=$BATS_TEST_DIRNAME/../../completions
	. "$completions/madsend.bash"
}

# completed WORD...: what the last word may become.
completed() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_madkit "$1"
	printf '%s\n' "${COMPREPLY[@]}"
}

@test "each command's file loads by itself and registers it" {
	for command in madsend madrecv madpoll madreg madsim; do
		run -0 bash -c ". '$completions/$command.bash' && complete -p $command"
		[[ $output == *"-F _madkit $command"* ]]
	done
}

@test "every option of --help is offered" {
	for command in madsend madrecv madpoll madreg madsim; do
		want=$("$command" --help | grep -oE -- '(^|  |, )--[A-Za-z-]+' | grep -oE -- '--[A-Za-z-]+' | sort -u)
		[[ $(completed "$command" -- | sort -u) == "$want" ]]
	done
}

@test "methods, attributes, fields, and arguments of options" {
	[[ $(completed madsend GetTab) == GetTable ]]
	[[ $(completed madsend Get NodeI) == NodeInfo ]]
	[[ $(completed madsend -D 0,1 -j Get NodeI) == NodeInfo ]]
	[[ $(completed madsend Get NodeInfo NumP) == NumPorts= ]]
	[[ $(completed madsend Get PerfMgt : ClassPortInfo RespT) == RespTimeVal= ]]
	[[ -z $(completed madsend Get NodeInfo NumPorts = 1) ]]
	[[ $(completed madsend -f j) == json ]]
	[[ $(completed madrecv --class Perf) == PerfMgt ]]
	[[ $(completed madsend --describe NodeI) == NodeInfo ]]
	[[ $(completed madsend --describe PerfM) == PerfMgt ]]
	[[ $(completed madsend Get NodeInfo --fields NumP) == NumPorts ]]
	[[ $(completed madpoll Get NodeInfo --fields Guid,NumP) == Guid,NumPorts ]]
	[[ -z $(completed madsend --fields NumP) ]]
	cd "$BATS_TEST_TMPDIR"
	: >some-file
	[[ $(completed madrecv -r some) == some-file ]]
	[[ $(completed madsend --device si) == sim: ]]
	[[ $(completed madsend --device sim : some) == some-file ]]
	[[ $(completed madsend --device sim :) == *some-file* ]]
	[[ $(completed madsend --device = sim : some) == some-file ]]
	[[ $(completed madsend --device sim : some-file Get NodeI) == NodeInfo ]]
	[[ $(completed madsend --device umad : some) != *some-file* ]]
}

@test "values and bits of a field, and what follows --option=" {
	[[ $(completed madsend Set PortInfo LinkState = Ac) == Active ]]
	[[ $(completed madsend Set SubnMgt : PortInfo M_Key = 1 LinkState = | tr '\n' ' ') == 'Active Armed Down Initialize NoChange ' ]]
	[[ $(completed madsend Set PortInfo LinkWidthEnabled = 4) == 4X ]]
	[[ $(completed madsend Get NodeRecord NodeInfo.NodeType = Ch) == 'Channel\ Adapter' ]]
	[[ $(completed madsend Get IOUnitInfo 'ControllerList[3]' = I) == Installed ]]
	[[ -z $(completed madsend Get PortInfo LID = A) ]]
	[[ $(completed madsend --class = PerfM) == PerfMgt ]]
	[[ $(completed madsend --format =) == $(completed madsend --format '') ]]
	[[ $(completed madsend --class = PerfMgt Get PortCounters PortS) == PortSelect= ]]
}

@test "the name of an adapter is none of a node" {
	madreg() { echo '{"ca":"mlx5_0"}'; }
	[[ $(completed madsend --Ca mlx) == mlx5_0 ]]
	[[ -z $(completed madsend --name mlx) ]]
}

@test "topologies and what a madsim is told" {
	cd "$BATS_TEST_TMPDIR" || return
	touch fabric.net
	[[ $(completed madsim fa | sort) == fabric.net$'\n'fat-tree: ]] || [[ $(completed madsim fa | sort) == fat-tree:$'\n'fabric.net ]]
	[[ $(completed madsim --control socket l) == link ]]
	[[ $(completed madsim --control socket fault d) == $'drop\ndelay\nduplicate' ]]
	[[ $(completed madsim --control socket fault drop a) == attribute= ]]
	[[ $(completed madsim --control socket fault drop class = PerfMgt r) == rate= ]]
	[[ -z $(completed madsim --control socket fault list '') ]]
	[[ $(completed madsim --control socket link node3 1 u) == up ]]
	[[ $(completed madsim --control socket node node3 g) == gone ]]
}
