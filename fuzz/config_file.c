/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Configuration files. Each refusal has a message that names a line and has no control characters; values are
 * within their bounds, and the command line takes precedence.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <string.h>
#include "fuzz/file.h"
#include "cli/config_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cli_options o = { .timing.timeout_ms = 1000 }, given = {
		.timing.have_timeout = true,
		.timing.timeout_ms = 7,
		.manager.have_m_key = true,
		.manager.m_key = 8,
		.manager.have_sm_key = true,
		.manager.sm_key = 9,
	};
	struct madkit_error error = { .text = "" };
	int fd = fuzz_file(data, size), ret, again;
	char path[40];

	fuzz_path(fd, path);
	ret = config_file_read(path, &o, &error);
	if (ret && (ret != -EINVAL || !strstr(error.text, " line ")))
		fuzz_die("refused without a line");
	if (!ret && memchr(data, 0, size))
		fuzz_die("a NUL byte was accepted");
	if (o.port.default_number > 255 || !o.timing.timeout_ms || o.timing.timeout_ms > INT32_MAX ||
	    (o.port.default_ca && strlen(o.port.default_ca) > 63))
		fuzz_die("a value beyond its bounds");
	again = config_file_read(path, &given, NULL);
	if (again != ret || given.timing.timeout_ms != 7 || given.manager.m_key != 8 ||
	    given.manager.sm_key != 9)
		fuzz_die("the command line does not win");
	close(fd);
	return 0;
}
