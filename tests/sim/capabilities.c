/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preloaded into madsweep: the nodes lack the capabilities in LACKED and LACKED2, of switches only if LACKED_BY is set. */
#include <stdint.h>
#include <stdlib.h>
#include <madkit/constants.h>

/* They take the places of the library's functions. */
uint16_t lacking_capmask(const uint8_t *cpi) __asm__("madkit_cpi_get_capmask");
uint32_t lacking_capmask2(const uint8_t *cpi) __asm__("madkit_cpi_get_capmask2");

static uint32_t lacking_mask(const uint8_t *cpi, const char *variable)
{
	const char *lacked = getenv(variable);
	const unsigned int mask = (unsigned int)cpi[2] << 8 | cpi[3];

	if (!lacked || (getenv("LACKED_BY") && !(mask & MADKIT_CPI_CAP_PERF_ALL_PORT_SELECT)))
		return 0;
	return (uint32_t)strtoul(lacked, NULL, 0);
}

uint16_t lacking_capmask(const uint8_t *cpi)
{
	return (uint16_t)((cpi[2] << 8 | cpi[3]) & ~lacking_mask(cpi, "LACKED"));
}

uint32_t lacking_capmask2(const uint8_t *cpi)
{
	const uint32_t mask = (uint32_t)cpi[4] << 24 | (uint32_t)cpi[5] << 16 | (uint32_t)cpi[6] << 8 |
			      cpi[7];

	return mask >> 5 & ~lacking_mask(cpi, "LACKED2");
}
