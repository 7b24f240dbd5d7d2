/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Differences of counters (src/madpoll/delta.c) in responses of any length and content. The first byte
 * chooses the attribute and the format; the rest are responses: the number of
 * bytes, a time, a status now and then, and data. No length is read beyond, no arithmetic
 * overflows, and each line of JSON can be read again. Linked with --wrap.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <string.h>
#include "fuzz/file.h"
#include "fuzz/input.h"
#include "cli/options.h"
#include "madpoll/delta.h"
#include "request/repeat.h"
#include "request/request_args.h"

/* The responder and the clock take the place of a port. */
static struct input responses;
static uint64_t now;
static bool check_json; /* takes longer than all else */

int __wrap_exchange_ask(struct exchange *x, const struct request *r, struct answer *a);
void __wrap_exchange_show(struct exchange *x, const struct request *r, const struct answer *a);
void __wrap_exchange_tell(struct exchange *x, const struct request *r, const struct answer *a);
void __wrap_answer_free(struct answer *a);
int __wrap_output_flush(struct output *out);
int __wrap_repeat_run(struct repeat *r, struct exchange *x, const struct sink *sink);
uint64_t __wrap_madkit_port_now(const struct madkit_port *port);

int __wrap_exchange_ask(struct exchange *x, const struct request *r, struct answer *a)
{
	static uint8_t mad[MADKIT_FRAME_BYTES];
	static struct madkit_recv recv;
	size_t n = byte(&responses), base = byte(&responses);

	(void)x;
	memset(a, 0, sizeof(*a));
	memset(mad, (int)base, sizeof(mad));
	memcpy(mad, r->mad, r->data_offset);
	for (size_t i = 0; i < n && r->data_offset + i < sizeof(mad); i++)
		mad[r->data_offset + i] = byte(&responses);
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
	now += word(&responses);
	recv.time_ns = now;
	a->job.reply.recv = &recv;
	exchange_message(x, MADKIT_MESSAGE_RESPONSE, &a->message);
	a->message.mad = mad;
	a->message.len = n & 1 ? r->data_offset + n : r->len;
	a->message.remote = &r->to;
	return n == 0xff ? EXIT_TIMEOUT : EXIT_DONE;
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

uint64_t __wrap_madkit_port_now(const struct madkit_port *port)
{
	(void)port;
	return now;
}

int __wrap_output_flush(struct output *out)
{
	struct madkit_json_in *in = check_json ? madkit_json_in_new() : NULL;
	struct madkit_error error;

	/* the line has to be JSON, though the reader refuses it, because it is not a request */
	if (in && out->format == FORMAT_JSON && out->buf.len &&
	    madkit_json_in_line(in, out->buf.data, out->buf.len, &error) < 0 &&
	    strstr(error.text, "not a JSON"))
		fuzz_die(error.text);
	madkit_json_in_free(in);
	madkit_buf_reset(&out->buf);
	return EXIT_DONE;
}

int __wrap_repeat_run(struct repeat *r, struct exchange *x, const struct sink *sink)
{
	do {
		for (size_t i = 0; i < r->n; i++) {
			struct task *task = &r->tasks[i];

			task->answer.status = __wrap_exchange_ask(x, task->request, &task->answer);
			if (!sink->take(sink->context, x, task))
				return 0;
		}
		__wrap_output_flush(x->out);
		r->round++;
	} while (responses.left > 0 && r->round != r->rounds);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"PortCounters",          "PortCountersExtended", "PortXmitDataSL",
		"PortRcvErrorDetails",   "PortFlowCtlCounters",  "NodeInfo",
		"PerfMgt:ClassPortInfo", "PortSamplesResult",
	};
	char get[] = "Get", select[] = "PortSelect=1";
	static const struct option_table no_options = { .n = 0 };
	struct cli_options o = { .table = &no_options,
				 .timing.timeout_ms = 1000,
				 .timing.have_count = true,
				 .timing.count = 5,
				 .to.have_lid = true,
				 .to.lid = 4,
				 .to.addr.qkey = MADKIT_QKEY_GSI };
	char name[40], *words[] = { get, name, select };
	struct output out;
	struct exchange x;
	struct request r;
	uint8_t how;

	fuzz_quiet();
	responses = (struct input){ data, size };
	now = 0;
	how = byte(&responses);
	check_json = how & 16;
	o.output.format = how & 8 ? FORMAT_JSON : FORMAT_TEXT;
	snprintf(name, sizeof(name), "%s", names[how & 7]);
	if (output_open(&out, &o))
		abort();
	exchange_begin(&x, &o, &out);
	if (request_build(&o, words, 2 + ((how & 7) < 5), &r))
		fuzz_die("no request");
	delta_run(&x, &r);
	request_free(&r);
	output_close(&out);
	return 0;
}
