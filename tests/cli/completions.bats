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
	for command in "${all_commands[@]}"; do
		run -0 bash -c ". '$completions/$command.bash' && complete -p $command"
		[[ $output == *"-F _madkit $command"* ]]
	done
}

@test "every option of --help is offered" {
	for command in "${all_commands[@]}"; do
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
	[[ $(completed madsend Set PortCounters CounterSelect = symb) == SymbolErrorCounter ]]
	[[ $(completed madsend Set PortCounters PortSelect = 1 CounterSelect = al) == all ]]
	[[ $(completed madsend Set PortCounters CounterSelect2 = | tr '\n' ' ') == 'all PortXmitWait QP1Dropped ' ]]
	[[ $(completed madsend Set PortCounters CounterSelect = SymbolErrorCounter,linkd) == SymbolErrorCounter,LinkDownedCounter ]]
	[[ -z $(completed madsend Set PortSamplesControl CounterSelect = a) ]]
	[[ $(completed madsend --class = PerfM) == PerfMgt ]]
	[[ $(completed madsend --format =) == $(completed madsend --format '') ]]
	[[ $(completed madsend --class = PerfMgt Get PortCounters PortS) == PortSelect= ]]
}

@test "the name of an adapter is none of a node" {
	madreg() { echo '{"ca":"mlx5_0"}'; }
	[[ $(completed madsend --Ca mlx) == mlx5_0 ]]
	[[ -z $(completed madsend --name mlx) ]]
}

@test "D11: names ignore case" {
	[[ $(completed madsend Get portc | head -n 2) == PortCounters$'\n'PortCountersExtended ]]
	[[ $(completed madsend get NODEI) == NodeInfo ]]
	[[ $(completed madsend gettab) == GetTable ]]
	[[ $(completed madsend Get nodeinfo nump) == NumPorts= ]]
	[[ $(completed madsend Set portinfo linkstate = ac) == Active ]]
	[[ $(completed madsend --class perf) == PerfMgt ]]
	[[ $(completed madsend -f JS) == json ]]
	[[ $(completed madsend Get NodeInfo --fields guid,nump) == guid,NumPorts ]]
}

@test "D11: only what the method and the attribute allow is offered" {
	[[ $(completed madsend GetTable N) == NodeRecord ]]
	[[ $(completed madsend gettracetable '') == TraceRecord ]]
	[[ $(completed madsend GetMulti '') == MultiPathRecord ]]
	[[ $(completed madsend Delete '' | tr '\n' ' ') == 'GUIDInfoRecord MCMemberRecord ServiceRecord ' ]]
	[[ $(completed madsend Get NodeR) == NodeRecord && -z $(completed madsend Set NodeR) ]]
	[[ -z $(completed madsend Set NodeI) && $(completed madsend Set PortI | head -n 1) == PortInfo ]]
	[[ $(completed madsend Get SA : No) == NodeRecord && $(completed madsend Get SubnMgt : No | tr '\n' ' ') == 'NodeDescription NodeInfo Notice ' ]]
	# a method by number
	[[ $(completed madsend 0x12 NodeR) == NodeRecord ]]
	# the attribute is there already
	before() { COMP_WORDS=("$@") COMP_CWORD=1; _madkit "$1"; echo "${COMPREPLY[*]}"; }
	[[ $(before madsend '' NodeRecord) == 'Get GetTable' ]]
	[[ $(before madsend G NodeInfo) == Get ]]
	[[ $(before madsend '' PerfMgt : ClassPortInfo) == 'Get Set' ]]
	[[ $(before madsend '' -j) == *GetTable*Report*TrapRepress* ]]
	# each method that is listed is one that madsend knows
	for method in $(madsend --describe -j | jq -r '.methods[]' | sort -u); do
		madsend --dry-run --class SA "$method" PathRecord -f raw >/dev/null
	done
	[[ $(madsend --describe -j | jq -s 'all(.methods | length > 0)') == true ]]
}

@test "D11: adapters, ports and devices" {
	madreg() {
		for port in mlx5_0/1 mlx5_0/2 mlx5_1/3; do
			echo "{\"device\":\"umad:$port\",\"data\":{\"device\":\"umad:$port\",\"ca\":\"${port%/*}\",\"port\":${port#*/},\"umad\":{\"path\":\"/dev/infiniband/umad${port#*/}\"},\"issm\":{\"path\":\"/dev/infiniband/issm0\"}}}"
		done
	}
	[[ $(completed madsend -C ML | tr '\n' ' ') == 'mlx5_0 mlx5_1 ' ]]
	[[ $(completed madsend -P '' | tr '\n' ' ') == '1 2 3 ' ]]
	[[ $(completed madsend -C mlx5_0 --Port '' | tr '\n' ' ') == '1 2 ' ]]
	[[ $(completed madsend --Ca = mlx5_1 --Port = '') == 3 ]]
	[[ -z $(completed madsend --retries '') ]]
	[[ $(completed madpoll --device /dev | tr '\n' ' ') == '/dev/infiniband/umad1 /dev/infiniband/umad2 /dev/infiniband/umad3 ' ]]
	[[ $(completed madpoll --device umad : mlx5_1) == mlx5_1/3 ]]
	[[ $(completed madpoll --device u | tr '\n' ' ') == 'umad:mlx5_0/1 umad:mlx5_0/2 umad:mlx5_1/3 ' ]]
	[[ $(completed madpoll --device '') == umad:mlx5_0/1* ]]
}

@test "D11: trap numbers" {
	[[ $(completed madrecv --subscribe '' | tr '\n' ' ') == '64 65 66 67 68 69 128 129 130 131 144 145 256 257 258 259 ' ]]
	[[ $(completed madrecv --subscribe 64,13 | tr '\n' ' ') == '64,130 64,131 ' ]]
	[[ $(completed madrecv --class 9 --method Get,tr | tr '\n' ' ') == 'Get,Trap Get,TrapRepress ' ]]
}

@test "D11: nodes of a simulated fabric" {
	net=$BATS_TEST_DIRNAME/../data/topologies/small.net
	[[ $(completed madsim "$net" --node L | tr '\n' ' ') == 'leaf1 leaf2 ' ]]
	[[ $(completed madsim "$net" --sm node3) == node3 ]]
	[[ $(completed madsend --device sim : "$net" --name node2) == 'node2\ HCA-1' ]]
	[[ $(completed madsend --device sim : "$net" @ node1 --name leaf | wc -l) == 2 ]]
	[[ $(MADKIT_DEVICE=sim:$net@node1 completed madsend --name leaf | wc -l) == 2 ]]
	[[ $(completed madsend --device sim : "$net" @ node | wc -l) == 4 ]]
	[[ $(completed madsend --device sim : "$net" @ | wc -l) == 6 ]]
	[[ $(completed madsend --device sim : "$net@leaf1") == "$net@leaf1" ]]
	[[ $(completed madsend --device sim : "$net" @ node1 GetTable NodeR) == NodeRecord ]]
	[[ $(completed madsend --device sim : fat-tree : 1,2,1 --name h) == 'h'* ]]
	[[ -z $(completed madsend --name node) && -z $(completed madsend --device sim : nosuch --name '') ]]
	# a command in the fabric
	[[ $(completed madsim "$net" -- madsend --name node2) == 'node2\ HCA-1' ]]
	[[ $(completed madsim --seed 3 "$net" -- madsend Get NodeI) == NodeInfo ]]
	[[ $(completed madsim "$net" -- madsen) == *madsend* ]]
}

@test "nodes, LIDs and port GUIDs of a fabric in memory and of one that madsim serves" {
	local net=$BATS_TEST_DIRNAME/../data/topologies/small.net
	start_served() { inside "$net" -- bash -c '. "$0"; COMP_WORDS=(madsend "$@") COMP_CWORD=$#; _madkit madsend; printf "%s\n" "${COMPREPLY[@]}"' "$completions/madsend.bash" "$@"; }
	[[ $(start_served --name node2) == 'node2\ HCA-1' ]]
	[[ $(start_served -L '' | wc -l) == $(madsend --device "sim:$net" -j GetTable NodeRecord | jq .data.LID | sort -u | wc -l) ]]
	[[ $(start_served -G 0x | sort) == "$(madsend --device "sim:$net" -j GetTable NodeRecord | jq -r .data.NodeInfo.PortGuid | sort -u)" ]]
	[[ $(completed madsend --device sim : "$net" -L '' | wc -l) -gt 3 ]]
	[[ $(completed madsend --device sim : "$net" -G 0x00 | wc -l) -gt 3 ]]
	[[ -z $(completed madsend -L '') && -z $(completed madsend -G 0x) ]]
}

@test "fields inside expressions, of an attribute before or behind the cursor" {
	[[ $(completed madpoll Get PortInfo --until LinkSt) == LinkState ]]
	[[ $(completed madsend Get PortInfo --filter "'LID > 3 && PhysLinkS") == 'LID > 3 && PhysLinkState' ]]
	[[ $(completed madsend Get PortInfo --assert '!(LinkSt') == '!(LinkState' ]]
	[[ $(completed madsend Get NodeInfo --filter NumP) == NumPorts ]]
	[[ -z $(completed madsend --filter NumP) ]]
	behind() { COMP_WORDS=("$@") COMP_CWORD=2; _madkit "$1"; echo "${COMPREPLY[*]}"; }
	[[ $(behind madpoll --until LinkSt Get PortInfo) == LinkState ]]
	[[ $(behind madsend --fields Guid,NumP Get NodeInfo) == Guid,NumPorts ]]
}

@test "topologies and what a madsim is told" {
	cd "$BATS_TEST_TMPDIR" || return
	touch fabric.net
	[[ $(completed madsim fa | sort) == fabric.net$'\n'fat-tree: ]] || [[ $(completed madsim fa | sort) == fat-tree:$'\n'fabric.net ]]
	[[ $(completed madsim --control socket l) == $'link\nleave' ]]
	[[ $(completed madsim --control socket fault d) == $'drop\ndelay\nduplicate' ]]
	[[ $(completed madsim --control socket fault drop a) == attribute= ]]
	[[ $(completed madsim --control socket fault answer as-) == $'as-modifier=\nas-port=' ]]
	[[ $(completed madsim --control socket fault drop class = PerfMgt r) == rate= ]]
	[[ -z $(completed madsim --control socket fault list '') ]]
	[[ $(completed madsim --control socket link node3 1 u) == up ]]
	[[ $(completed madsim --control socket link node3 1 w) == width= ]]
	[[ -z $(completed madsim --control socket link node3 1 width = 1x u) ]]
	[[ $(completed madsim --control socket link node3 1 e) == enabled= ]]
	[[ $(completed madsim --control socket link node3 1 shows = 4x,HDR s) == $'supported=\nshows=' ]]
	[[ $(completed madsim --control socket node node3 g) == gone ]]
	[[ $(completed madsim --control socket node node3 f) == firmware= ]]
	[[ $(completed madsim --control socket agent node3 m) == mute ]]
	[[ $(completed madsim --control socket agent node3 mute '' | sort) == $'gsi\nsmi' ]]
	[[ $(completed madsim --control socket tr) == traffic ]]
	[[ $(completed madsim --control socket te) == temperature ]]
	[[ $(completed madsim --control socket cable node3 1 n) == none ]]
	[[ $(completed madsim --control socket cable node3 1 serial = X n) == '' ]]
	[[ $(completed madsim --control socket cable node3 1 serial = X le) == length= ]]
	[[ $(completed madsim --control socket module node3 1 d) == diagnosis= ]]
	[[ $(completed madsim --control socket ber node3 1 raw = 1e-9 e) == effective= ]]
	[[ $(completed madsim --control socket register node3 n | sort) == $'noecho\nnormal' ]]
	[[ $(completed madsim --control socket j) == join ]]
	[[ $(completed madsim --control socket link node3 1 f) == flap= ]]
	[[ $(completed madsim --control socket sy) == sysfs ]]
	[[ $(completed madsim fabric.net --hosts roce,p) == roce,planar ]]
	[[ $(completed madsim --control socket traffic node3 1 g) == gbps= ]]
}

@test "madsim --control: the nodes of the fabric that MADSIM_SOCKET serves, or another socket" {
	local net=$BATS_TEST_DIRNAME/../data/topologies/small.net word
	for word in '$MADSIM_SOCKET' '"$MADSIM_SOCKET"' '${MADSIM_SOCKET}' path; do
		run -0 inside "$net" -- bash -c '. "$0"; [[ $1 != path ]] || set -- "$MADSIM_SOCKET"
			COMP_WORDS=(madsim --control "$1" link node2) COMP_CWORD=4
			_madkit madsim; printf "%s\n" "${COMPREPLY[@]}"' "$completions/madsend.bash" "$word"
		[[ $output == 'node2\ HCA-1' ]] || { echo "$word: $output"; return 1; }
	done
}

@test "names in a topology are quoted in each place: none is executed" {
	cd "$BATS_TEST_TMPDIR" || return
	local name='$(touch${IFS}PWNED)' text='b\c;touch PWNED "$(touch${IFS}PWNED)' word
	# ibnetdiscover prints no quotes; a served fabric may have them
	printf 'Hca\t1 "%s"\t# "%s"\n[1]\t"s"[1]\nSwitch\t2 "s"\t# "s"\n[1]\t"%s"[1]\n' "$name" "${text/\"}" "$name" >one.net
	literally() {
		local want=$1 got
		eval "got=($(shift && completed "$@"))"
		[[ " ${got[*]} " == *" $want "* && ! -e PWNED ]] || { echo "$*: ${got[*]}"; return 1; }
	}
	literally "$name" madsend --device sim : one.net @
	literally "$name" madsend --device sim : one.net @ '\$'
	literally "one.net@$name" madsend --device sim : 'one.net@\$'
	literally "$name" madsend --device = sim : one.net @ ''
	literally "$name" madsim one.net --node ''
	literally "$name" madsim one.net --sm ''
	literally "${text/\"}" madsend --device sim : one.net --name ''
	literally "${text/\"}" madsim one.net -- madsend --name ''
	MADKIT_DEVICE=sim:one.net literally "${text/\"}" madsend --name ''
	# as JSON has it
	madsend() {
		[[ $* == *NodeRecord* ]] || { command madsend "$@"; return; }
		printf '{"data":{"NodeDescription":"%s"}}\n' 'b\\c;touch PWNED \"$(touch${IFS}PWNED)' 'a\u0007b' '\\\",\"NodeDescription\":\"no'
	}
	literally "$text" madsend --device sim : unix : socket --name ''
	[[ $(completed madsend --device sim : unix : socket --name '' | wc -l) == 2 ]]
	literally '\","NodeDescription":"no' madsend --device sim : unix : socket --name ''
	# devices
	madreg() { echo '{"device":"umad:$(touch${IFS}PWNED)/1","ca":"$(touch${IFS}PWNED)","port":1}'; }
	literally '$(touch${IFS}PWNED)/1' madsend --device umad : ''
	literally 'umad:$(touch${IFS}PWNED)/1' madsend --device ''
	literally "$name" madsend -C ''
}

@test "a topology that is not a regular file is not read" {
	cd "$BATS_TEST_TMPDIR" || return
	mkfifo fifo
	export -f completed
	for topology in fifo /dev/zero fifo,sm=none; do
		for words in "madsend --device sim : $topology @" "madsend --device sim : $topology --name" "madsend --device sim : $topology -L" "madsim $topology --node"; do
			run -0 timeout 20 bash -c '. "$0/madsend.bash"; completed $1 ""' "$completions" "$words"
			[[ -z $output ]]
		done
	done
	cp "$BATS_TEST_DIRNAME/../data/topologies/small.net" a.net
	[[ $(completed madsend --device sim : a.net,sm=node1 -L '' | wc -l) -gt 3 ]]
}

@test "madsweep: requests, attributes whose counters it clears, orders, sources" {
	[[ $(completed madsweep '') == Get && -z $(completed madsweep S) ]]
	[[ $(completed madsweep Get NodeI) == NodeInfo && -z $(completed madsweep Get NodeRec) ]]
	[[ $(completed madsweep Get PortCounters,NodeI) == PortCounters,NodeInfo ]]
	[[ $(completed madsweep -q Get PerfMgt : ClassP) == ClassPortInfo ]]
	[[ $(completed madsweep Get PortCounters PortS) == PortSelect= ]]
	[[ $(completed madsweep --sort '') == guid$'\n'name && $(completed madsweep --via s) == smp$'\n'sa ]]
	[[ $(completed madsweep Get ModuleInfo --sort -Temp) == -Temperature* && $(completed madsweep Get ModuleInfo --sort Temp) == Temperature* ]]
	[[ $(completed madsweep Get ModuleInfo --sort -n) != *-name* ]]
	[[ $(completed madsweep --clear portc) == PortCounters$'\n'PortCountersExtended && -z $(completed madsweep --clear NodeI) ]]
	# each of them, and no other
	for attribute in $(completed madsweep --clear ''); do
		madsweep -q --device sim:fat-tree:1,1,0,sm=none --clear "$attribute" --select 'number == 9' --yes || (($? != 2))
	done
	for attribute in $(comm -13 <(completed madsweep --clear '') <(madsend --describe -j PerfMgt | jq -r .attribute | sort -u)); do
		run -2 madsweep --clear "$attribute" --select 'number == 9' --yes
	done
}

@test "madcheck: the rules" {
	[[ $(completed madcheck --rules te) == temp && $(completed madcheck --rules temp,be) == temp,ber ]]
	[[ $(completed madcheck --rules '' | wc -l) -eq 21 && $(completed madcheck --rules '') == *standard* && -z $(completed madcheck --rules swap) ]]
}

@test "madport: what to change, and to which value" {
	[[ $(completed madport leaf2/7 '') == disable$'\n'enable$'\n'reset$'\n'speed$'\n'width && $(completed madport res) == reset ]]
	[[ -z $(completed madport leaf 2>&1) && $(completed madport '' 2>&1) == disable$'\n'enable$'\n'reset$'\n'speed$'\n'width ]]
	[[ $(completed madport --device sim : fat-tree : 2,2,1 leaf 2>&1) == leaf1$'\n'leaf2 ]]
	[[ $(completed madport leaf2/7 speed e) == EDR && $(completed madport width a) == auto && $(completed madport --m-key '') == @ ]]
}

@test "madsweep: names of fields of ports" {
	local all
	all=$(madsweep -q --device sim:fat-tree:1,1,0 -j | jq -r 'select(.kind == "port").port | paths(scalars or . == null) | map(tostring) | join(".")' | sort -u)
	diff <(completed madsweep --fields '' | sort -u) - <<<"$all"
	[[ $(completed madsweep --select 'width < wid') == *'width < width_best'* ]]
	[[ $(completed madsweep --filter peer.node.n) == peer.node.name ]]
	[[ $(completed madsweep --fields node.name,num) == node.name,number ]]
	[[ $(completed madsweep Get PortCounters --filter "'SymbolE") == SymbolErrorCounter ]]
	[[ $(completed madsweep Get PortCounters --filter port.mt) == port.mtu && -z $(completed madsweep Get PortCounters --filter mt) ]]
	[[ $(completed madsweep Get PortCounters --select mt) == mtu ]]
	[[ $(completed madsweep --route 1,2 --fields ho) == hop && -z $(completed madsweep --fields ho) ]]
}

@test "madsweep: nodes of a map or of a simulated fabric, files of keys" {
	cd "$BATS_TEST_TMPDIR" || return
	local net=$BATS_TEST_DIRNAME/../data/topologies/small.net
	printf '# map\n0x1 "leaf one"\n0x2\t"$(touch${IFS}PWNED)"\nbad\n' >names.map
	touch keyfile
	[[ $(completed madsweep --node-name-map names.map --from le) == 'leaf\ one' ]]
	[[ $(completed madsweep --node-name-map = names.map --route 0x1,le) == '0x1,leaf\ one' ]]
	[[ $(completed madsweep --node-name-map names.map --route '') == *'\$\(touch'* && ! -e PWNED ]]
	[[ $(completed madsweep --device sim : "$net" --route node2) == 'node2\ HCA-1' ]]
	[[ -z $(completed madsweep --route le) && -z $(completed madsweep --from le) ]]
	[[ $(completed madsweep --m-key '') == @ && $(completed madsweep --m-key @ key) == keyfile ]]
	[[ $(completed madsweep -y @key) == @keyfile && -z $(completed madsweep --sm-key '') && -z $(completed madsend --m-key '') ]]
	[[ $(completed madsim "$net" -- madsweep Get NodeI) == NodeInfo ]]
	[[ $(completed madsim "$net" -- madsweep --from node2) == 'node2\ HCA-1' ]]
	[[ $(completed madsim "$net" -- madsw) == *madsweep* ]]
}
