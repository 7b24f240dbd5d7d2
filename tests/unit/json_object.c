/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of the commands' own: commas, escapes, and one that there was no memory for. */
#include "cli/json_object.h"
#include "tests/tap.h"

static const char *test_json_object_fill(struct madkit_buf *buf, size_t max)
{
	madkit_buf_free(buf);
	madkit_buf_init(buf, max);
	json_open(buf, NULL, '{');
	json_string(buf, "text", "a\"b");
	json_number(buf, "number", UINT64_MAX);
	json_open(buf, "list", '[');
	json_hex(buf, NULL, 0x1f, 4);
	json_bool(buf, NULL, true);
	json_close(buf, ']');
	json_null(buf, "nothing");
	return json_end(buf);
}

int main(void)
{
	static const char want[] = "{\"text\":\"a\\\"b\",\"number\":18446744073709551615,"
				   "\"list\":[\"0x001f\",true],\"nothing\":null}";
	struct madkit_buf buf;
	bool cut = false;

	madkit_buf_init(&buf, 0);
	is_str(test_json_object_fill(&buf, 0), want, "an object");
	/* the first half of one is not an object, and has no end */
	for (size_t max = 1; max < sizeof(want); max++)
		cut |= test_json_object_fill(&buf, max) != NULL;
	ok(!cut, "what does not fit has no text");
	madkit_buf_free(&buf);
	return tap_done();
}
