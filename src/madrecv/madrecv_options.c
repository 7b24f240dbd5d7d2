/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of madrecv. */
#include <errno.h>
#include <string.h>
#include "cli/options.h"
#include "madrecv_options.h"
#include "util/array_size.h"

#define OPTIONS   struct madrecv_options
#define LISTEN    MODE_LISTEN
#define SUBSCRIBE MODE_SUBSCRIBE
#define SNOOP     MODE_SNOOP
#define READ      MODE_READ
#define LISTENING (LISTEN | SUBSCRIBE)
#define MADS      (LISTENING | READ)
#define ALL       (MADS | SNOOP)

/* BYTES[,BYTES...][,needed] */
static int madrecv_take_buffer(const struct option_row *row, void *member, char *text,
			       struct madkit_error *error)
{
	struct buffer_options *b = member;

	(void)row;
	b->n = 0;
	b->needed = false;
	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		uint64_t size;
		int ret;

		if (b->n && len == strlen("needed") && !strncmp(p, "needed", len) && !p[len]) {
			b->needed = true;
			return 0;
		}
		ret = madkit_parse_number(p, len, 1 << 30, "--buffer", &size, error);
		if (ret)
			return ret;
		if (!size || (b->n && size <= b->sizes[b->n - 1]))
			return madkit_error_set(error, -ERANGE, (int)(p - text),
						"--buffer '%.64s' is not a list of ascending sizes above 0",
						text);
		if (b->n == CLI_BUFFERS_MAX)
			return madkit_error_set(error, -E2BIG, -1, "--buffer '%.64s' has more than %d sizes",
						text, CLI_BUFFERS_MAX);
		b->sizes[b->n++] = (uint32_t)size;
		p += len;
		if (!*p)
			return 0;
	}
}

/* clang-format off */
static const struct option_row madrecv_rows[] = {
	OPTION_CLASS(LISTEN),
	OPTION_CLASS_VERSION(LISTEN),
	OPTION_OUI(LISTEN),
	OPTION_METHOD(LISTEN),
	OPTION_RMPP(LISTEN),
	{ 'r', "read", "FILE", "decode a capture, MADs, hex or a log (-: standard input)",
	  GROUP_OWN, READ, SHARED_STRING(read_path) },
	OPTION_BANNER(LISTENING | SNOOP, "print a line on standard error when ready"),
	{ 0, "respond", "AS", "answer requests: echo or ibping",
	  GROUP_OWN, LISTEN, OPTION_STRING(respond) },
	{ 0, "buffer", "BYTES,..", "receive into buffers of these sizes",
	  GROUP_OWN, LISTEN, .take = madrecv_take_buffer, SHARED_AT(buffers) },
	{ 0, "subscribe", "TRAP,..", "subscribe to traps and show the Reports",
	  GROUP_OWN, SUBSCRIBE, OPTION_STRING(subscribe) },
	{ 0, "snoop", NULL, "show headers of all MADs of this host",
	  GROUP_OWN, SNOOP, .take = NULL },

	OPTION_NODE_NAME_MAP(LISTENING),
	OPTION_NAMES(LISTENING),

	OPTIONS_PORT(LISTENING | SNOOP),
	OPTION_SM_PORT(SUBSCRIBE),
	OPTION_TIMEOUT(SUBSCRIBE),
	OPTION_RETRIES(LISTENING),
	OPTION_REDIRECTS(SUBSCRIBE),
	OPTION_DEADLINE(ALL, "end after this time (-1: never)"),
	OPTION_COUNT(ALL, "stop after N messages"),
	OPTION_INTERVAL(SUBSCRIBE, "time between renewals of the subscription (default 60000)"),
	OPTION_SM_KEY(SUBSCRIBE),
	OPTIONS_PACKET(SUBSCRIBE),
	OPTION_QP(SUBSCRIBE),

	OPTIONS_FORMAT(ALL),
	OPTION_PRETTY(ALL),
	OPTIONS_SELECT(ALL),
	OPTIONS_CAPTURE(MADS),

	OPTIONS_CONFIG(LISTENING),
	OPTION_QUIET(MADS),
	OPTION_VERBOSE(ALL),
	OPTIONS_HELP(ALL),
};
/* clang-format on */

static const struct option_form madrecv_forms[] = {
	{ LISTEN, NULL },
	{ SUBSCRIBE, "subscribe" },
	{ SNOOP, "snoop" },
	{ READ, "read" },
};

const struct option_table program_options = {
	.bytes = sizeof(OPTIONS),
	.rows = madrecv_rows,
	.n = ARRAY_SIZE(madrecv_rows),
	.forms = madrecv_forms,
	.nforms = ARRAY_SIZE(madrecv_forms),
};
