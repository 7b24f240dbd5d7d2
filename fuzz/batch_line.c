/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of madsend --batch: JSON to requests, with and without options of the command line. Each refusal has
 * a message; the MAD of a request has the length that the request states.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <string.h>
#include <madkit/json_in.h>
#include "fuzz/file.h"
#include "madsend/batch_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_batch_line_build(const struct cli_options *o, const struct madkit_json_message *m)
{
	struct madkit_error error = { .text = "" };
	struct request r;
	int status = batch_line(o, m, &r, &error);
	volatile uint8_t sum = 0;

	if (status && !error.text[0])
		fuzz_die("refused without a word");
	for (size_t i = 0; !status && i < r.len; i++)
		sum = (uint8_t)(sum + r.mad[i]);
	if (!status && (r.len < MADKIT_HEADER_BYTES || r.data_len > r.len))
		fuzz_die("a request of another length");
	request_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cli_options plain = {
		.timing.timeout_ms = 1000, .to.addr.qkey = MADKIT_QKEY_GSI,
	}, given = {
		.timing.timeout_ms = 1000, .to.addr.qkey = MADKIT_QKEY_GSI, .to.have_lid = true, .to.lid = 5, .manager.have_m_key = true, .manager.m_key = 6,
		.manager.have_sm_key = true, .manager.sm_key = 7, .class.have_oui = true, .class.oui = 0x1405, .class.rmpp = RMPP_USER,
	};
	struct madkit_json_in *in = madkit_json_in_new();

	fuzz_quiet();
	for (size_t at = 0, n; in && at < size; at += n) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		struct madkit_error error = { .text = "" };

		n = newline ? (size_t)(newline - data) + 1 - at : size - at;
		/* a cancellation makes no request */
		if (madkit_json_in_line(in, (const char *)data + at, n, &error) != 1 ||
		    madkit_json_in_message(in)->given & MADKIT_JSON_CANCEL)
			continue;
		fuzz_batch_line_build(&plain, madkit_json_in_message(in));
		fuzz_batch_line_build(&given, madkit_json_in_message(in));
	}
	madkit_json_in_free(in);
	return 0;
}
