/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cpi: the response time and the destinations in a ClassPortInfo. */
#include <madkit/cpi.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	const struct madkit_cpi_target wanted = { .lid = 7,
						  .qp = 42,
						  .qkey = 0x80010000 };
	struct madkit_cpi_target target;
	uint8_t cpi[MADKIT_CPI_BYTES] = { 0 };

	madkit_cpi_set_capmask2(cpi, 0x5);
	madkit_cpi_set_resp_time(cpi, 18);
	if (madkit_cpi_set_redirect(cpi, false, &wanted)) {
		fprintf(stderr, "cpi: a value does not fit\n");
		return 1;
	}
	printf("responds within %" PRIu64 " us, CapabilityMask2 0x%x\n",
	       madkit_cpi_resp_time_us(madkit_cpi_get_resp_time(cpi)),
	       (unsigned int)madkit_cpi_get_capmask2(cpi));
	if (madkit_cpi_get_redirect(cpi, false, &target))
		printf("redirects to LID %" PRIu32 ", QP %" PRIu32 "\n", target.lid,
		       target.qp);
	printf("%s\n", madkit_cpi_get_trap(cpi, false, &target) ? "sends traps" :
								  "sends no traps");
	return 0;
}
