/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* portid: convert an ib_portid_t of libibmad to an address and back. */
#include <madkit/portid.h>
#include <stdio.h>

int main(void)
{
	ib_portid_t portid = { .drpath.cnt = 2, .drpath.p = { 0, 1, 7 } }, again;
	char text[MADKIT_ADDR_TEXT_MAX];
	struct madkit_addr addr;

	if (madkit_addr_from_portid(&addr, &portid))
		return 1;
	printf("%s\n", madkit_addr_text(&addr, text));
	if (madkit_addr_to_portid(&again, &addr))
		return 1;
	printf("%d hops, the last through port %d\n", again.drpath.cnt,
	       again.drpath.p[again.drpath.cnt]);
	portid.lid = 0x10000;
	printf("LID of 17 bits: error %d\n", madkit_addr_from_portid(&addr, &portid));
	return 0;
}
