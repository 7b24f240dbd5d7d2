#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# contrib/fabric-ci, with exporters that see the cable that it pulls, and with one that does not.

load common

setup() {
	contrib=$(realpath "$BATS_TEST_DIRNAME/../../contrib")
	cd "$BATS_TEST_TMPDIR" || return
}

# fabric_ci [ARGUMENT...]
fabric_ci() { timeout -k 1 120 "$contrib/fabric-ci" "$@" 3>&-; }

@test "fabric-ci: the metrics of madsweep count the link that is lost" {
	run -0 fabric_ci madsweep -q -f prometheus
	[[ $output == *'counts the lost link: 0 before, 1 now' ]]
}

@test "fabric-ci: an exporter that runs ibqueryerrors and serves what it prints" {
	cat >exporter.py <<-'END'
		import http.server, re, subprocess
		class Metrics(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        out = subprocess.run(["ibqueryerrors", "--verbose", "--details", "--suppress-common", "--data", "--report-port",
		                              "--switch", "--ca"], capture_output=True, text=True).stdout
		        found = re.findall(r"GUID (0x[0-9a-f]+) port (\d+):.*?\[LinkDownedCounter == (\d+)", out)
		        self.send_response(200)
		        self.end_headers()
		        self.wfile.write("".join(f'link_downed{{guid="{g}",port="{p}"}} {n}\n' for g, p, n in found).encode() or b"up 1\n")
		server = http.server.HTTPServer(("127.0.0.1", 0), Metrics)
		print(server.server_port, file=open("port", "w"))
		server.serve_forever()
	END
	# the port is known only once the exporter runs
	cat >curl <<-'END'
		#!/bin/sh
		exec /usr/bin/curl --fail --silent --max-time 10 "http://127.0.0.1:$(cat port)/"
	END
	chmod +x curl
	URL=any PATH=$PWD:$PATH run -0 fabric_ci python3 exporter.py
	[[ $output == *'counts the lost link: 0 before, 2 now' ]]
}

@test "fabric-ci: an exporter that does not see the lost link fails" {
	sed "s/eventually 30/eventually 1/" "$contrib/fabric-ci" >fabric-ci
	chmod +x fabric-ci
	run -1 timeout 60 ./fabric-ci echo 'link_downed 7'
	[[ $output == 'fabric-ci: not within 1 s: is_counted' ]]
	run -2 fabric_ci
	[[ $output == *'fabric-ci EXPORTER [ARGUMENT...]'* ]]
}

@test "fabric-ci: on_host runs programs of madkit and of libibumad on the same host" {
	sed '/^# ---- the test/,$d' "$contrib/fabric-ci" >fabric-ci
	cat >>fabric-ci <<-'END'
		on_host "h2-1 HCA-1" madsend -D 0 --fields NodeDescription Get NodeDescription
		on_host "h2-1 HCA-1" smpquery -D nodedesc 0
	END
	chmod +x fabric-ci
	run -0 timeout 60 ./fabric-ci -
	[[ $output == *NodeDescription:*'h2-1 HCA-1'*'Node Description:'*'h2-1 HCA-1' ]]
}
