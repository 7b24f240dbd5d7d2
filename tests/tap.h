/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Test Anything Protocol for tests in C: assertions, diagnostics, the plan at
 * the end. A test program ends with "return tap_done();". */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned int tap_count, tap_failed;

__attribute__((format(printf, 4, 5), unused)) static bool tap_ok(bool good, const char *file, int line,
								 const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", good ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (!good) {
		tap_failed++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
	return good;
}

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)

#define is_u64(got, want, ...) \
	do { \
		uint64_t got_ = (uint64_t)(got), want_ = (uint64_t)(want); \
		if (!ok(got_ == want_, __VA_ARGS__)) \
			printf("#  got 0x%" PRIx64 " (%" PRIu64 ")\n# want 0x%" PRIx64 " (%" PRIu64 ")\n", \
			       got_, got_, want_, want_); \
	} while (0)

#define is_int(got, want, ...) \
	do { \
		int64_t got_ = (int64_t)(got), want_ = (int64_t)(want); \
		if (!ok(got_ == want_, __VA_ARGS__)) \
			printf("#  got %" PRId64 "\n# want %" PRId64 "\n", got_, want_); \
	} while (0)

/* low <= got <= high */
#define is_between(got, low, high, ...) \
	do { \
		int64_t got_ = (int64_t)(got), low_ = (int64_t)(low), high_ = (int64_t)(high); \
		if (!ok(low_ <= got_ && got_ <= high_, __VA_ARGS__)) \
			printf("#  got %" PRId64 "\n# want %" PRId64 " to %" PRId64 "\n", got_, low_, \
			       high_); \
	} while (0)

#define is_str(got, want, ...) \
	do { \
		const char *got_ = (got), *want_ = (want); \
		if (!ok(got_ && want_ ? !strcmp(got_, want_) : got_ == want_, __VA_ARGS__)) \
			printf("#  got %s\n# want %s\n", got_ ? got_ : "(null)", want_ ? want_ : "(null)"); \
	} while (0)

#define is_mem(got, want, n, ...) \
	do { \
		const uint8_t *got_ = (const uint8_t *)(got); \
		const uint8_t *want_ = (const uint8_t *)(want); \
		size_t n_ = (n), i_ = 0; \
		while (i_ < n_ && got_[i_] == want_[i_]) \
			i_++; \
		if (!ok(i_ == n_, __VA_ARGS__)) \
			printf("# byte %zu: got 0x%02x want 0x%02x\n", i_, got_[i_], want_[i_]); \
	} while (0)

__attribute__((unused)) static int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
