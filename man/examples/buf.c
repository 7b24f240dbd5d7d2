/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* buf WORD...: a list of words, in a buffer that takes 24 bytes and no more. */
#include <madkit/buf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct madkit_buf buf;
	int status = 0;

	madkit_buf_init(&buf, 24);
	for (int i = 1; i < argc; i++)
		madkit_buf_printf(&buf, "%d %s\n", i, argv[i]);
	/* one look at the end is enough */
	if (buf.error) {
		fprintf(stderr, "buf: error %d after %zu bytes\n", -buf.error, buf.len);
		status = 1;
	}
	fwrite(buf.data, 1, buf.len, stdout);
	madkit_buf_free(&buf);
	return status;
}
