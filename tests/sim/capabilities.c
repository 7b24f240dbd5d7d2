/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preloaded into madsweep, on a served fabric: the nodes lack the capabilities in LACKED and LACKED2, of switches only
 * if LACKED_BY is set. It changes the responses to Get ClassPortInfo of PerfMgt when they arrive. */
#define _GNU_SOURCE /* recvmmsg() */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include <madkit/cpi.h>
#include <madkit/mad.h>
#include "sim/serve/proto.h"

static uint32_t lacking_mask(const char *variable)
{
	const char *lacked = getenv(variable);

	return lacked ? (uint32_t)strtoul(lacked, NULL, 0) : 0;
}

static void lacking_change(uint8_t *mad, size_t len)
{
	uint8_t *cpi;
	struct madkit_header h;
	uint16_t mask;

	if (len < MADKIT_MAD_BYTES || madkit_header_get(mad, len, &h) || h.mgmt_class != MADKIT_CLASS_PERF ||
	    h.method != (MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE) ||
	    h.attribute != MADKIT_ATTR_CLASS_PORT_INFO)
		return;
	cpi = mad + MADKIT_PERF_DATA;
	mask = madkit_cpi_get_capmask(cpi);
	if (getenv("LACKED_BY") && !(mask & MADKIT_CPI_CAP_PERF_ALL_PORT_SELECT))
		return;
	madkit_cpi_set_capmask(cpi, (uint16_t)(mask & ~lacking_mask("LACKED")));
	madkit_cpi_set_capmask2(cpi, madkit_cpi_get_capmask2(cpi) & ~lacking_mask("LACKED2"));
}

/* Takes the place of the C library's function, which the simulated transport calls for MADs. */
int recvmmsg(int fd, struct mmsghdr *packets, unsigned int n, int flags, struct timespec *timeout)
{
	const int got = (int)syscall(SYS_recvmmsg, fd, packets, n, flags, timeout);

	for (int i = 0; i < got; i++)
		if (packets[i].msg_len > sizeof(struct proto_mad))
			lacking_change((uint8_t *)packets[i].msg_hdr.msg_iov->iov_base +
					       sizeof(struct proto_mad),
				       packets[i].msg_len - sizeof(struct proto_mad));
	return got;
}
