/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "hex_order.h"

bool hex_order_begins_mad(unsigned int byte)
{
	return byte == MADKIT_BASE_VERSION_IB || byte == MADKIT_BASE_VERSION_OPA;
}

/* How much of the MAD's header that begins with these words is known, if their bytes
 * stand in the other order or not. */
static unsigned int hex_order_known(const uint8_t *p, size_t len, size_t word, bool turned)
{
	uint8_t h[MADKIT_HEADER_BYTES] = { 0 };

	for (size_t i = 0; i < len && i < sizeof(h); i++)
		h[turned ? i ^ (word - 1) : i] = p[i];
	return hex_order_begins_mad(h[0]) + (madkit_class_get(h[MADKIT_MAD_CLASS]) != NULL) +
	       (madkit_class_version(h[MADKIT_MAD_CLASS]) == h[MADKIT_MAD_CLASS_VERSION]) +
	       (madkit_method_name(h[MADKIT_MAD_CLASS], h[MADKIT_MAD_METHOD]) != NULL) +
	       (madkit_attribute_get(h[0], h[MADKIT_MAD_CLASS],
				     (uint16_t)(h[MADKIT_MAD_ATTRIBUTE] << 8 |
						h[MADKIT_MAD_ATTRIBUTE + 1])) != NULL);
}

void hex_order_settle(struct hex_order *order, struct madkit_buf *bytes)
{
	size_t last = order->word - 1, len;
	uint8_t *p;

	if (order->is != ORDER_OPEN)
		return;
	p = (uint8_t *)bytes->data + order->open;
	len = bytes->len - order->open;
	/* most machines are little-endian */
	order->is = hex_order_known(p, len, order->word, false) > hex_order_known(p, len, order->word, true) ?
			    ORDER_BIG :
			    ORDER_LITTLE;
	len -= len % order->word;
	for (size_t i = 0; order->is == ORDER_LITTLE && i < len; i++)
		if (i < (i ^ last)) {
			uint8_t byte = p[i];

			p[i] = p[i ^ last];
			p[i ^ last] = byte;
		}
}

bool hex_order_find(struct hex_order *order, unsigned int first, unsigned int last, size_t word,
		    const struct madkit_buf *bytes)
{
	bool big = hex_order_begins_mad(first), little = hex_order_begins_mad(last);

	if (order->is != ORDER_UNKNOWN)
		return true;
	if (big && little) {
		order->is = ORDER_OPEN;
		order->open = bytes->len;
		order->word = word;
	} else if (big || little) {
		order->is = little ? ORDER_LITTLE : ORDER_BIG;
	}
	return big || little;
}
