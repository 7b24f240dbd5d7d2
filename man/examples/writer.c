/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* writer: print a line of JSON. */
#include <madkit/writer.h>
#include <stdio.h>

int main(void)
{
	static const char *const reasons[] = { "link down", "no response" };
	struct madkit_writer w;
	struct madkit_buf buf;
	int status;

	madkit_buf_init(&buf, 0);
	madkit_writer_begin(&w, &buf);
	madkit_writer_object(&w, NULL);
	madkit_writer_string(&w, "node", "leaf \"1\"");
	madkit_writer_number(&w, "port", 3);
	madkit_writer_hex(&w, "guid", 0x2c90300000001, 16);
	madkit_writer_decimal(&w, "seconds", 0.5, 3);
	madkit_writer_array(&w, "reasons");
	for (int i = 0; i < 2; i++)
		madkit_writer_string(&w, NULL, reasons[i]);
	madkit_writer_close(&w);
	madkit_writer_close(&w);
	madkit_writer_line(&w);
	status = buf.error || fwrite(buf.data, 1, buf.len, stdout) != buf.len;
	madkit_buf_free(&buf);
	return status;
}
