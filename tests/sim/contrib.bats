#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# contrib/madsend.py, which runs madsend as a coprocess, on a served fabric.

setup() {
	load common
	cd "$dir" || return
	contrib=$(realpath "$BATS_TEST_DIRNAME/../../contrib")
	export PYTHONPATH=$contrib PYTHONDONTWRITEBYTECODE=1
	serve "$topologies/small.net" --sm node1
	export MADKIT_DEVICE=sim:unix:$socket@node2
}

teardown() { clean_up; }

# python [ARGUMENT...]: runs the program on standard input
python() {
	{
		cat <<-'END'
			import os, signal, sys, threading, time
			from madsend import Madsend, MadsendError
			def silent(fabric, lid, **limits):
			    return fabric.submit("Get", "NodeInfo", {"lid": lid}, **{"timeout": 100000, **limits})
			def fails(future, *texts):
			    error = future.exception(20)
			    assert type(error) is MadsendError and all(text in str(error) for text in texts), repr(error)
			def refused(fabric, *texts):
			    try:
			        fabric.request("Get", "NodeInfo")
			    except MadsendError as error:
			        assert all(text in str(error) for text in texts), repr(error)
			    else:
			        assert False
		END
		cat
	} >program.py
	timeout -k 1 60 python3 -W error program.py "$@" 3>&-
}

# The fields that do not depend on the time of sending
lasting='[.kind, .record, .records, (.remote | del(.name)), .status, .data, (.header | del(.tid))]'

@test "the module needs nothing beyond Python 3.9" {
	python3 -c 'import ast, sys
for name in sys.argv[1:]:
    tree = ast.parse(open(name).read(), name, feature_version=(3, 9))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
        assert all(n.split(".")[0] in sys.stdlib_module_names | {"madsend"} for n in names), names
' "$contrib"/*.py
}

@test "results are the lines that madsend prints: responses, tables, a MAD status, silence, errors" {
	{
		madsend -j -L 4 Get NodeInfo
		madsend -j -L 4 Get PortCounters PortSelect=2
		madsend -j -D 0,1 -m 1 Get PortInfo
		madsend -j GetTable NodeRecord
		madsend -j GetTable NodeRecord LID=99 || :
		madsend -j -L 4 -m 99 Get PortInfo || :
		madsend -j -q -L 99 -t 50 --retries 1 Get NodeInfo || :
	} | jq -cS "$lasting" >expected
	python <<-'END' | jq -cS "$lasting" >got
		import json
		with Madsend() as fabric:
		    futures = [fabric.submit(*request, **more) for request, more in (
		        (("Get", "NodeInfo", {"lid": 4}), {}),
		        (("Get", "PortCounters", {"lid": 4}, {"PortSelect": 2}), {}),
		        (("Get", "PortInfo", {"path": "0,1"}), {"modifier": 1}),
		        (("GetTable", "NodeRecord"), {}),
		        (("GetTable", "NodeRecord", None, {"LID": 99}), {}),
		        (("Get", "PortInfo", {"lid": 4}), {"modifier": 99}),
		        (("Get", "NodeInfo", {"lid": 99}), {"timeout": 50, "retries": 1}))]
		    for future in futures:
		        for line in future.result():
		            print(json.dumps(line))
	END
	diff expected got
	[[ $(wc -l <got) == 12 ]]
	python <<-'END'
		fabric = Madsend()
		slow = silent(fabric, 99, timeout=300, retries=1)
		# others do not wait for it
		assert fabric.request("Get", "NodeInfo", {"lid": 4})[0]["kind"] == "response" and not slow.done()
		line, = fabric.request("Get", "Nonsense", {"lid": 4})
		assert line["kind"] == "error" and "Nonsense" in line["data"]["error"], line
		line, = fabric.request("Get", "NodeInfo", {"lid": 99}, deadline=20)
		assert line["kind"] == "timeout" and line["attempts"] == 1, line
		line, = fabric.request("Send", "0x10", {"lid": 4}, {"Data": "00"}, **{"class": "0x32", "oui": "0x1405"})
		assert line["kind"] == "request", line
		for bad in {"PortSelect": float("nan")}, {"PortSelect": object()}:
		    try:
		        fabric.submit("Get", "PortCounters", {"lid": 4}, bad)
		    except (TypeError, ValueError):
		        continue
		    assert False
		summary = fabric.close()
		assert slow.result()[0]["attempts"] == 2
		assert summary == fabric.close() and summary["lines"] == 5 and summary["answered"] == 1, summary
		refused(fabric, "closed")
	END
}

@test "cancel() ends a request at once, also of more than the window holds" {
	python <<-'END'
		with Madsend() as fabric:
		    futures = [silent(fabric, 900 + lid) for lid in range(1000)]
		    for i, future in enumerate(futures):
		        if i % 2:
		            assert future.cancel()
		        else:
		            fabric.cancel(future)
		    for future in futures:
		        line, = future.result(20)
		        assert line["kind"] == "error" and line["status"]["send"] == 125, line
		        assert line["status"]["text"] == "cancelled", line
		        assert not future.cancelled() and not future.cancel()
		    # its response is faster
		    future = fabric.submit("Get", "NodeInfo", {"lid": 4})
		    future.result()
		    assert not future.cancel()
		    fabric.cancel(future)
		    fabric._write({"cancel": future.line})
		    assert fabric.request("Get", "NodeInfo", {"lid": 4})[0]["kind"] == "response"
		    assert fabric.close()["cancelled"] == 1000
	END
}

@test "a consumer that does not read: all responses come, and memory is bounded" {
	# kB; AddressSanitizer keeps freed memory
	growth=8192
	! sanitized || growth=1000000
	python "$growth" <<-'END'
		def memory(pid):
		    return int([line for line in open(f"/proc/{pid}/status") if line.startswith("VmHWM")][0].split()[1])
		def requests(n):
		    global made
		    for i in range(n):
		        made += 1
		        yield {"method": "GetTable" if i % 100 == 0 else "Get", "attribute": "NodeRecord" if i % 100 == 0 else "NodeInfo",
		               "remote": {} if i % 100 == 0 else {"lid": i % 6 + 1}}
		def check(i, lines):
		    assert [line["kind"] for line in lines] == ["response"] * (1, 6)[i % 100 == 0], lines
		    assert lines[0]["remote"]["lid"] == i % 6 + 1 or i % 100 == 0, lines
		fabric, made = Madsend("-t", "500", "--retries", "0"), 0
		pid = fabric._process.pid
		# nothing is read until all has been sent
		futures = [fabric.submit(**request) for request in requests(5000)]
		time.sleep(1)
		assert len(fabric._requests) == 0
		for i, future in enumerate(futures):
		    check(i, future.result())
		del futures
		before, before_here = memory(pid), memory("self")
		# map() does not run ahead of its consumer
		made = 0
		for i, lines in enumerate(fabric.map(requests(20000))):
		    check(i, lines)
		    assert made <= i + 1002, (made, i)
		    if i == 3000:
		        time.sleep(1)
		    # even if its process is stopped, while madsend waits to write to it
		    if i == 6000:
		        if not os.fork():
		            time.sleep(1.5)
		            os.kill(os.getppid(), signal.SIGCONT)
		            os._exit(0)
		        os.kill(os.getpid(), signal.SIGSTOP)
		assert i == 19999
		growth = memory(pid) - before, memory("self") - before_here
		assert max(growth) < int(sys.argv[1]), growth
		# several threads, more requests than there is room for
		small, done = Madsend(limit=3), []
		def ask(first):
		    for i in range(first, first + 200):
		        check(i, small.request("Get", "NodeInfo", {"lid": i % 6 + 1}) if i % 100 else small.request("GetTable", "NodeRecord"))
		        done.append(i)
		threads = [threading.Thread(target=ask, args=(i * 1000,)) for i in range(8)]
		[thread.start() for thread in threads]
		[thread.join() for thread in threads]
		assert len(done) == 1600 and small.close()["answered"] == 1600
		assert fabric.close()["answered"] == 25000 and fabric._process.returncode == 0
	END
}

@test "madsend is killed: each outstanding request raises an exception, those that wait for room too" {
	for how in KILL TERM; do
		case $how in KILL) text='was killed by signal 9' ;; *) text='ended with status 143' ;; esac
		python "$how" "$text" "$socket" <<-'END'
			import json, subprocess
			how, text, socket = sys.argv[1:]
			def sends():
			    return json.loads(subprocess.check_output(["madsim", "--control", socket, "stats"]))["sends"]
			before, fabric = sends(), Madsend(limit=200)
			futures, waiting = [silent(fabric, 900 + lid) for lid in range(200)], []
			def wait():
			    try:
			        silent(fabric, 99)
			    except MadsendError as error:
			        waiting.append(str(error))
			threads = [threading.Thread(target=wait) for _ in range(4)]
			[thread.start() for thread in threads]
			# the window is full or parked, and each thread waits for room
			while fabric._line < 200 or fabric._room._value or len(fabric._room._cond._waiters) < 4:
			    time.sleep(0.01)
			# and one request at least is outstanding
			while sends() == before:
			    pass
			os.kill(fabric._process.pid, getattr(signal, "SIG" + how))
			for future in futures:
			    fails(future, text)
			[thread.join(20) for thread in threads]
			assert len(waiting) == 4 and all(text in w for w in waiting), waiting
			refused(fabric, text)
			fabric.cancel(futures[0])
			summary = fabric.close()
			assert summary is None if how == "KILL" else summary["outstanding"] > 0, summary
		END
	done
	# in the middle of a stream
	python <<-'END'
		fabric, n = Madsend(), 0
		try:
		    for lines in fabric.map({"method": "GetTable", "attribute": "PathRecord"} for _ in range(1000000)):
		        assert len(lines) == 36
		        n += 1
		        if n == 20:
		            fabric._process.kill()
		except MadsendError as error:
		    assert "signal 9" in str(error)
		assert fabric.close() is None and n and not fabric._requests
	END
}

@test "the device vanishes: each outstanding request raises an exception" {
	python "$madsim_pid" <<-'END'
		fabric = Madsend()
		futures = [silent(fabric, 900 + lid) for lid in range(500)]
		time.sleep(0.3)
		os.kill(int(sys.argv[1]), signal.SIGKILL)
		for future in futures:
		    fails(future, "device")
		fabric._reader.join(20)
		refused(fabric, "ended with status 1", "the device is gone")
		assert fabric.close()["errors"] > 0
	END
}

@test "a madsend that cannot start raises an exception with its message" {
	python <<-'END'
		for options, texts in ((("--device", "nosuch"), ("status 2", "nosuch")), (("--device", "sim:unix:/nosuch"), ("status 1", "/nosuch"))):
		    try:
		        Madsend(*options)
		    except MadsendError as error:
		        assert all(text in str(error) for text in texts), error
		    else:
		        assert False
		path = os.environ["PATH"]
		os.environ["PATH"] = "/nosuch"
		try:
		    Madsend()
		except MadsendError as error:
		    assert "cannot run madsend: No such file" in str(error), error
		else:
		    assert False
		os.environ["PATH"] = path
		# an exception in the block does not wait for outstanding requests
		before = time.monotonic()
		try:
		    with Madsend() as fabric:
		        future = silent(fabric, 99)
		        raise KeyError
		except KeyError:
		    pass
		fails(future, "status 143")
		assert time.monotonic() - before < 20
	END
}

@test "options that change the output are refused, and a deadline is the reason of an early end" {
	python <<-'END'
		for options in (("--fields", "data"), ("--filter=LID>1",), ("--fil", "x"), ("-p",), ("-f", "text"), ("-Kfjson",), ("-fjson",),
		                ("--dry_run",), ("--batch", "x"), ("-V",), ("--assert", "1"), ("-t", "50", "--pretty")):
		    try:
		        Madsend(*options).close()
		    except ValueError as error:
		        assert "option -" in str(error) and "needs the complete output" in str(error), error
		    else:
		        assert False, options
		for options in (("-q",), ("-j",), ("-t50",), ("-Kt", "50"), ("-v",), ("--retries=0",), ("--banner",), ("--summary", "--window", "4")):
		    with Madsend(*options) as fabric:
		        assert fabric.request("Get", "NodeInfo", {"lid": 4})[0]["kind"] == "response"
		fabric = Madsend("--deadline", "500")
		silent(fabric, 99).result(20)
		fabric._reader.join(20)
		refused(fabric, "ended with status 3: the deadline has passed")
	END
}
