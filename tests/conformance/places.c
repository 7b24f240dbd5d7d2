// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The places on which the suite runs, and its cases. */
#include "tests/conformance/conformance.h"
#include "util/array_size.h"

const char *const capability_names[CAPABILITIES] = {
	"server", "peer", "umad", "rmpp", "cm", "roce", "smi", "pm", "sa", "tables", "iba", "files",
};

const struct place places[] = {
	/* Linux with two soft-RoCE devices: the kernel itself, but neither QP 0 nor a fabric */
	{ "kernel", false, "umad:rxe0", "umad:rxe1", SERVER | PEER | FILES | UMAD | RMPP | CM | ROCE },
	/* ibsim with opensm: a fabric and its management, but no RMPP and nothing that a kernel does */
	{ "ibsim", false, "umad:", NULL, SERVER | SMI | PM | SA },
	/* a fabric of our own, in the process: each port that is opened has one to itself */
	{ "sim", true, "sim:small.net@node3", NULL, UMAD | RMPP | CM | SMI | PM | SA | TABLES | IBA },
	/* ... and served to all */
	{ "madsim", true, "sim:unix:madsim@node3", "sim:unix:madsim@node2",
	  SERVER | PEER | FILES | UMAD | RMPP | CM | SMI | PM | SA | TABLES | IBA },
	/* ... through libibumad and the preloaded device, a process being at one node */
	{ "shim", true, "umad:", NULL, SERVER | FILES | UMAD | RMPP | CM | SMI | PM | SA | TABLES | IBA },
};
const size_t nplaces = ARRAY_SIZE(places);

extern const struct tests fork_tests, registration_tests, sending_tests, dispatch_tests, timing_tests,
	receiving_tests;
extern const struct tests rmpp_tests, by_hand_tests, smi_tests, pm_tests, sa_tests, table_tests;

const struct tests *const all_tests[] = {
	&registration_tests, &sending_tests, &dispatch_tests, &timing_tests, &receiving_tests, &fork_tests,
	&rmpp_tests,         &by_hand_tests, &smi_tests,      &pm_tests,     &sa_tests,        &table_tests,
};
const size_t nall_tests = ARRAY_SIZE(all_tests);
