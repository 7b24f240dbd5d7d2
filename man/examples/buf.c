/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* buf WORD...: print a numbered list, in a buffer of at most 24 bytes. */
#include <madkit/buf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct madkit_buf buf;
	int status = 0;

	madkit_buf_init(&buf, 24);
	for (int i = 1; i < argc; i++)
		madkit_buf_printf(&buf, "%d %s\n", i, argv[i]);
	/* one check at the end is enough */
	if (buf.error) {
		fprintf(stderr, "buf: error %d after %zu bytes\n", -buf.error, buf.len);
		status = 1;
	}
	fwrite(buf.data, 1, buf.len, stdout);
	madkit_buf_free(&buf);
	return status;
}
