/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A response about another port than the one that the request selected. */
#include <string.h>
#include "src/request.h"
#include "src/request_args.h"
#include "tests/tap.h"

enum { PORT_SELECT = 64 + 1 }; /* in a PerfMgt MAD (IBA volume 1, section 16.1.2) */

static bool other_port(char *select, uint8_t answered)
{
	char *words[] = { (char[]){ "Get" }, (char[]){ "PortCounters" }, select };
	struct cli_options options = { .to.have_lid = true, .to.lid = 4, .to.addr.qkey = MADKIT_QKEY_GSI };
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_message response = { .kind = MADKIT_MESSAGE_RESPONSE, .mad = mad, .len = sizeof(mad) };
	struct request request;
	uint64_t was_asked = 0, was_answered = 0;
	bool other;

	if (!ok(!request_build(&options, words, 3, &request), "A4: a request with %s", select))
		return false;
	memcpy(mad, request.mad, sizeof(mad));
	mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	mad[PORT_SELECT] = answered;
	other = request_other_port(&request, &response, &was_asked, &was_answered);
	if (other) {
		is_u64(was_asked, request.mad[PORT_SELECT], "A4: ... the port that was asked for");
		is_u64(was_answered, answered, "A4: ... the port that the response is about");
	}
	request_free(&request);
	return other;
}

/* PortInfo's port is the modifier (IBA volume 1, section 14.2.5.6). */
static bool request_port_other_modifier(uint32_t modifier, uint8_t answered)
{
	char *words[] = { (char[]){ "Get" }, (char[]){ "PortInfo" } };
	struct cli_options options = {
		.to.have_lid = true, .to.lid = 4, .modifier = modifier, .to.addr.qkey = MADKIT_QKEY_GSI
	};
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_message response = { .kind = MADKIT_MESSAGE_RESPONSE, .mad = mad, .len = sizeof(mad) };
	struct request request;
	uint64_t was_asked, was_answered;
	bool other;

	if (!ok(!request_build(&options, words, 2, &request), "A4: a request for port %u", modifier))
		return false;
	memcpy(mad, request.mad, sizeof(mad));
	mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	mad[23] = answered;
	other = request_other_port(&request, &response, &was_asked, &was_answered);
	if (other)
		ok(was_asked == modifier && was_answered == answered, "A4: ... both ports are known");
	request_free(&request);
	return other;
}

int main(void)
{
	ok(!request_port_other_modifier(3, 3), "A4: ... its response has the same modifier");
	ok(request_port_other_modifier(3, 7), "A4: ... a response with another modifier is recognised");
	ok(!other_port((char[]){ "PortSelect=3" }, 3), "A4: ... its response is about port 3");
	ok(other_port((char[]){ "PortSelect=3" }, 0), "A4: ... a response about port 0 is recognised");
	ok(!other_port((char[]){ "PortSelect=255" }, 255), "A4: ... its response is about all ports");
	ok(other_port((char[]){ "PortSelect=255" }, 1), "A4: ... a response about one port is recognised");
	return tap_done();
}
