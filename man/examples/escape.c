/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* escape TEXT: print a text escaped for a terminal and for JSON. */
#include <madkit/escape.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct madkit_buf buf;
	int status = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: escape TEXT\n");
		return 2;
	}
	madkit_buf_init(&buf, 0);
	madkit_text_escape(&buf, argv[1], strlen(argv[1]));
	madkit_buf_char(&buf, '\n');
	madkit_json_string(&buf, argv[1], strlen(argv[1]));
	madkit_buf_char(&buf, '\n');
	if (buf.error || fwrite(buf.data, 1, buf.len, stdout) != buf.len)
		status = 1;
	madkit_buf_free(&buf);
	return status;
}
