/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* expr EXPRESSION: evaluate an expression for the NodeInfo of a switch with 36 ports. */
#include <madkit/expr.h>
#include <madkit/mad.h>
#include <errno.h>
#include <stdio.h>

/* Builds the response. */
static int make_response(uint8_t mad[MADKIT_MAD_BYTES], struct madkit_error *error)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SUBN,
		.class_version = 1,
		.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
		.attribute = 0x0011,
	};
	const struct madkit_attribute *info;
	int ret = madkit_header_put(mad, MADKIT_MAD_BYTES, &header);

	if (ret)
		return ret;
	info = madkit_attribute_of(mad, MADKIT_MAD_BYTES, NULL);
	ret = madkit_set(info->layout, mad + MADKIT_SMP_DATA, info->bytes, "NodeType",
			 "Switch", NULL, error);
	if (!ret)
		ret = madkit_set(info->layout, mad + MADKIT_SMP_DATA, info->bytes,
				 "NumPorts", "36", NULL, error);
	return ret;
}

int main(int argc, char **argv)
{
	uint8_t mad[MADKIT_MAD_BYTES] = { 0 };
	const struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = mad,
		.len = sizeof(mad),
	};
	struct madkit_record record;
	struct madkit_error error;
	struct madkit_expr *expr;
	int ret;

	if (argc != 2 || make_response(mad, &error))
		return 2;
	madkit_record_get(&message, 0, &record);
	ret = madkit_expr_new(argv[1], &expr, &error);
	if (!ret) {
		ret = madkit_expr_check(expr, record.attribute, &error);
		if (!ret)
			ret = madkit_expr_eval(expr, &record);
		else
			madkit_expr_free(expr);
	}
	if (ret < 0 && ret != -ENODATA) {
		fprintf(stderr, "expr: %s\n", error.text);
		return 2;
	}
	madkit_expr_free(expr);
	printf("%s\n", ret == 1 ? "true" : ret == 0 ? "false" : "unknown");
	return ret == 1 ? 0 : 6;
}
