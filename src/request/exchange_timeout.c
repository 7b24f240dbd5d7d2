/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long a table may take. The kernel's timeout is for all of it, and it asks again
 * in the middle of a response that takes longer; how long its sender needs is what its
 * ClassPortInfo says. */
#include <string.h>
#include <madkit/cpi.h>
#include "exchange.h"

/* response times to a table */
enum { RESPONSES = 8 };

/* Methods whose responses have RMPP whatever was asked for. */
static bool exchange_is_table(const struct request *r)
{
	return r->header.method == MADKIT_METHOD_GET_TABLE ||
	       r->header.method == MADKIT_METHOD_GET_TRACE_TABLE ||
	       r->header.method == MADKIT_METHOD_GET_MULTI;
}

static struct madkit_send *exchange_cpi_request(const struct exchange *x, const struct request *r)
{
	struct madkit_header header = {
		.base_version = r->header.base_version,
		.mgmt_class = r->header.mgmt_class,
		.class_version = r->header.class_version,
		.method = MADKIT_METHOD_GET,
		.attribute = MADKIT_ATTR_CLASS_PORT_INFO,
	};
	struct madkit_send *send = madkit_send_new(madkit_mad_bytes(header.base_version));

	if (!send)
		return NULL;
	madkit_header_put(send->mad, send->len, &header);
	/* whose agent it is for */
	if (r->vendor2)
		memcpy(send->mad + MADKIT_VENDOR2_OUI, r->mad + MADKIT_VENDOR2_OUI,
		       MADKIT_VENDOR2_DATA - MADKIT_VENDOR2_OUI);
	send->to = r->to;
	send->timeout_ms = x->options->timeout_ms;
	return send;
}

void exchange_timeout(struct exchange *x, const struct request *r)
{
	size_t data = madkit_class_data_offset(r->header.mgmt_class);
	struct madkit_job job = { .agent = x->agent, .deadline_ns = x->deadline_ns };
	const struct madkit_recv *recv;
	uint64_t ms;

	if (!exchange_is_table(r) || r->rmpp != RMPP_KERNEL || x->options->have_timeout)
		return;
	job.send = exchange_cpi_request(x, r);
	/* who does not answer that tells nothing: the request itself will say so */
	if (job.send && !exchange_run(x, &job)) {
		struct madkit_header h;

		recv = job.reply.recv;

		if (recv && recv->len >= data + MADKIT_CPI_BYTES &&
		    !madkit_header_get(recv->mad, recv->len, &h) && !h.status) {
			ms = RESPONSES * madkit_cpi_resp_time_us(madkit_cpi_get_resp_time(recv->mad + data)) /
			     1000;
			ms += x->timeout_ms;
			x->timeout_ms = ms < INT32_MAX ? (uint32_t)ms : INT32_MAX;
		}
		madkit_recv_free(job.reply.recv);
	}
	madkit_send_free(job.send);
	if (x->out->debug)
		cli_insist("the table may take %u ms", x->timeout_ms);
}
