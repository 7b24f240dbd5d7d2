/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <time.h>
#include "topology_file.h"

int topology_file_check(const struct madsweep_options *o)
{
	if (o->shared.port.ndevices > 1 ||
	    (o->shared.port.ndevices && !strcmp(o->shared.port.devices[0], "all")))
		return cli_usage_error("--topology writes one subnet: choose one port with --device");
	if (o->from && !strchr(o->from, ','))
		return cli_usage_error("--from %s: with --topology, a directed route such as 0,1", o->from);
	return EXIT_DONE;
}

/* Writes the first line of ibnetdiscover. */
static void topology_file_date(struct exchange *x)
{
	struct madkit_message message;
	char text[64] = "";
	struct tm tm;

	exchange_message(x, MADKIT_MESSAGE_SUMMARY, &message);
	if (localtime_r(&message.time.tv_sec, &tm))
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	madkit_buf_printf(&x->out->buf, "#\n# Topology file: generated on %s\n", text);
}

int topology_file_write(struct exchange *x, const struct madkit_sweep *sweep, int *lacks)
{
	int ret;

	topology_file_date(x);
	ret = madkit_sweep_topology(sweep, &x->out->buf);
	if (ret < 0) {
		madkit_buf_reset(&x->out->buf);
		return cli_insist("cannot write the topology file: %s",
				  ret == -E2BIG ? "too many nodes or ports" : strerror(-ret));
	}
	if (ret & MADKIT_SWEEP_TOPOLOGY_OMITTED) {
		*lacks = EXIT_MALFORMED;
		cli_say("the topology file omits nodes, links, GUIDs or LIDs: its comments say which");
	}
	if (ret & MADKIT_SWEEP_TOPOLOGY_CHANGED)
		cli_say("the topology file cannot contain some values: its comments say which");
	return output_flush(x->out);
}
