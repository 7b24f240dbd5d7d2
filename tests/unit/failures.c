/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which failures are counted together once ten of a kind have been reported. Linked with --wrap. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "request/failures.h"
#include "tests/tap.h"

static unsigned int reported;
static char said[8][160];
static unsigned int nsaid;

void __wrap_cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_exchange_tell(struct exchange *x, const struct request *r, const struct answer *a);

void __wrap_cli_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(said[nsaid++ % 8], sizeof(said[0]), format, args);
	va_end(args);
}

void __wrap_exchange_tell(struct exchange *x, const struct request *r, const struct answer *a)
{
	(void)x;
	(void)r;
	(void)a;
	reported++;
}

int main(void)
{
	struct madkit_send silent = { .timeout_ms = 1 }, busy = { .busy = 3 };
	struct request waits = { .expects_response = true }, sends = { .expects_response = false };
	const struct {
		const struct request *request;
		struct madkit_send *send;
		uint32_t attempts;
		const char *text;
	} kinds[] = {
		{ &waits, &silent, 3, "and 2 more requests without a response (-v reports each)" },
		{ &waits, &busy, 3, "and 2 more requests with only BUSY responses (-v reports each)" },
		{ &waits, &silent, 0,
		  "and 2 more requests not sent, because the device did not accept them (-v reports each)" },
		{ &sends, &silent, 3, "and 2 more requests not known to have arrived (-v reports each)" },
	};
	struct failures f = { .all = false };

	for (unsigned int n = 0; n < 12; n++)
		for (unsigned int i = 0; i < 4; i++) {
			const struct answer a = { .status = EXIT_TIMEOUT,
						  .error = -ETIMEDOUT,
						  .job = { .send = kinds[i].send,
							   .reply.attempts = kinds[i].attempts } };

			failures_tell(&f, NULL, kinds[i].request, &a);
		}
	is_u64(reported, 4 * FAILURES_TOLD, "ten of each kind are reported");
	failures_finish(&f);
	is_u64(nsaid, 4, "the others are counted by what became of them");
	for (unsigned int i = 0; i < 4; i++)
		is_str(said[i], kinds[i].text, "kind %u of failure", i);
	return tap_done();
}
