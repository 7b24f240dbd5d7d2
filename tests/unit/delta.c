/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which responses to Get ClassPortInfo say whether a port has PortCountersExtended (src/madpoll/delta.c).
 * Linked with --wrap. */
#include <stdlib.h>
#include "cli/options.h"
#include "madpoll/delta.h"
#include "request/request_args.h"
#include "tests/tap.h"
#include "util/array_size.h"

/* The response to ClassPortInfo, and the exit status that exchange_ask() derives from it. */
static struct {
	uint16_t mad_status, cap_mask;
	int exit_status;
} reply;

int __wrap_exchange_ask(struct exchange *x, const struct request *r, struct answer *a);
void __wrap_exchange_show(struct exchange *x, const struct request *r, const struct answer *a);
void __wrap_exchange_tell(struct exchange *x, const struct request *r, const struct answer *a);
void __wrap_answer_free(struct answer *a);

int __wrap_exchange_ask(struct exchange *x, const struct request *r, struct answer *a)
{
	static uint8_t mad[MADKIT_MAD_BYTES];

	memset(a, 0, sizeof(*a));
	memcpy(mad, r->mad, sizeof(mad));
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
	mad[MADKIT_MAD_STATUS] = (uint8_t)(reply.mad_status >> 8);
	mad[MADKIT_MAD_STATUS + 1] = (uint8_t)reply.mad_status;
	mad[r->data_offset + 2] = (uint8_t)(reply.cap_mask >> 8);
	mad[r->data_offset + 3] = (uint8_t)reply.cap_mask;
	exchange_message(x, MADKIT_MESSAGE_RESPONSE, &a->message);
	a->message.mad = mad;
	a->message.len = sizeof(mad);
	a->status = reply.exit_status;
	return reply.exit_status;
}

void __wrap_exchange_show(struct exchange *x, const struct request *r, const struct answer *a)
{
	(void)x;
	(void)r;
	(void)a;
}

void __wrap_exchange_tell(struct exchange *x, const struct request *r, const struct answer *a)
{
	__wrap_exchange_show(x, r, a);
}

void __wrap_answer_free(struct answer *a)
{
	(void)a;
}

int main(void)
{
	static const struct {
		const char *name;
		uint16_t mad_status, cap_mask;
		int exit_status, unknown;
		bool extended;
	} replies[] = {
		{ "with extended counters", 0, 0x0200, EXIT_DONE, 0, true },
		{ "without", 0, 0, EXIT_DONE, 0, false },
		{ "unsupported attribute", 0x000c, 0, EXIT_STATUS, 0, false },
		{ "unsupported method", 0x0008, 0, EXIT_STATUS, 0, false },
		{ "invalid field", 0x001c, 0, EXIT_STATUS, 0, false },
		{ "busy", 0x0001, 0, EXIT_STATUS, EXIT_STATUS, false },
		{ "redirect", 0x0002, 0, EXIT_STATUS, EXIT_STATUS, false },
		{ "busy and unsupported", 0x000d, 0, EXIT_STATUS, EXIT_STATUS, false },
		{ "malformed", 0, 0x0200, EXIT_MALFORMED, EXIT_MALFORMED, false },
		{ "none", 0, 0, EXIT_TIMEOUT, EXIT_TIMEOUT, false },
	};
	char get[] = "Get", name[] = "PortCounters", select[] = "PortSelect=1";
	char *words[] = { get, name, select };
	static const struct option_table no_options = { .n = 0 };
	struct cli_options o = { .table = &no_options,
				 .timing.timeout_ms = 1000,
				 .to.have_lid = true,
				 .to.lid = 4,
				 .to.addr.qkey = MADKIT_QKEY_GSI };
	struct output out;
	struct exchange x;
	struct request r;

	if (output_open(&out, &o) || request_build(&o, words, 3, &r))
		return EXIT_FAILURE;
	exchange_begin(&x, &o, &out);
	for (size_t i = 0; i < ARRAY_SIZE(replies); i++) {
		int unknown = 0;
		unsigned int has;

		reply.mad_status = replies[i].mad_status;
		reply.cap_mask = replies[i].cap_mask;
		reply.exit_status = replies[i].exit_status;
		is_int(delta_ask(&x, &r, &has, &unknown), EXIT_DONE,
		       "A5: ClassPortInfo, %s: the counters are read", replies[i].name);
		ok(!(has & MADKIT_CPI_COUNTERS_EXTENDED) != replies[i].extended &&
			   unknown == replies[i].unknown,
		   "A5: ClassPortInfo, %s: exit status %d", replies[i].name, replies[i].unknown);
	}
	request_free(&r);
	output_close(&out);
	return tap_done();
}
