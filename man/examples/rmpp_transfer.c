/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rmpp_transfer: send a message of a vendor class from a sender to a receiver in one loop,
 * without a port. No packet is lost here, so that the time is always 0; a real program calls
 * madkit_rmpp_sender_expire() to resend lost packets. */
#include <madkit/mad.h>
#include <madkit/rmpp_transfer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *heap_resize(void *context, void *old, size_t old_size, size_t size)
{
	(void)context;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static int transfer_message(const uint8_t *bytes, size_t len,
			    struct madkit_rmpp_receiver *receiver)
{
	const struct madkit_addr sender_at = { .lid = 1, .qp = 1 },
				 receiver_at = { .lid = 2, .qp = 1 };
	struct madkit_rmpp_sender sender;
	uint8_t mad[MADKIT_FRAME_BYTES];
	unsigned int segments = 0, acks = 0;
	struct madkit_addr to;
	size_t mad_len;
	int ret = madkit_rmpp_sender_start(&sender, bytes, len, &receiver_at, NULL, 0);

	while (!ret &&
	       madkit_rmpp_sender_outcome(&sender).state == MADKIT_RMPP_STATE_ACTIVE) {
		while (!ret && madkit_rmpp_sender_packet(&sender, mad, 0)) {
			const struct madkit_rmpp_arrival arrival = {
				.from = &sender_at,
				.mad = mad,
				.len = sender.segments.mad_bytes,
			};

			ret = madkit_rmpp_receiver_take(receiver, &arrival);
			segments++;
		}
		while (!ret &&
		       madkit_rmpp_receiver_packet(receiver, mad, &mad_len, &to)) {
			ret = madkit_rmpp_sender_take(&sender, &receiver_at, mad, mad_len,
						      0);
			acks++;
		}
	}
	printf("%u segments, %u ACKs\n", segments, acks);
	return ret;
}

int main(void)
{
	static uint8_t bytes[MADKIT_VENDOR2_DATA + 20000];
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = 0x32,
		.class_version = 1,
		.method = MADKIT_METHOD_SEND,
		.tid = 1,
	};
	const struct madkit_rmpp_heap heap = { .resize = heap_resize };
	struct madkit_rmpp_receiver_options options;
	struct madkit_rmpp_receiver *receiver;
	struct madkit_rmpp_message message;
	int status = 1;

	madkit_header_put(bytes, sizeof(bytes), &header);
	memset(bytes + MADKIT_VENDOR2_DATA, 'x', sizeof(bytes) - MADKIT_VENDOR2_DATA);
	madkit_rmpp_receiver_options_init(&options);
	if (madkit_rmpp_receiver_new(&heap, &options, &receiver))
		return 1;
	if (!transfer_message(bytes, sizeof(bytes), receiver) &&
	    madkit_rmpp_receiver_message(receiver, &message)) {
		status = message.outcome.state != MADKIT_RMPP_STATE_COMPLETE ||
			 message.len != sizeof(bytes) ||
			 memcmp(message.bytes + MADKIT_VENDOR2_DATA,
				bytes + MADKIT_VENDOR2_DATA,
				sizeof(bytes) - MADKIT_VENDOR2_DATA);
		printf("%zu bytes, %s\n", message.len, status ? "damaged" : "unchanged");
		madkit_rmpp_message_free(&heap, &message);
	}
	madkit_rmpp_receiver_free(receiver);
	return status;
}
