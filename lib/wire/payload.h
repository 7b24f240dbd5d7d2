/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PayloadLength of RMPP segments. */
#ifndef WIRE_PAYLOAD_H
#define WIRE_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <madkit/rmpp.h>

/* Returns the bytes of data in a message, from the PayloadLength of its first segment. Its frames have frame
 * bytes each, with data from begin on. PayloadLength includes the class header (which is between the RMPP
 * header and the data) of every segment; that of the last segment includes only its own (IBA volume 1,
 * section 13.6.2.1). 0: no data, or unknown. */
static inline uint64_t payload_data(uint32_t payload, size_t frame, size_t begin)
{
	uint64_t segment = frame - MADKIT_RMPP_END;
	uint64_t heads =
		(payload + segment - 1) / segment * (begin > MADKIT_RMPP_END ? begin - MADKIT_RMPP_END : 0);

	return payload > heads ? payload - heads : 0;
}

#endif
