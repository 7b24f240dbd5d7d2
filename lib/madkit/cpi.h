/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ClassPortInfo (IBA volume 1, section 13.4.8.1): 72 bytes, and OPA's 80
 * bytes with 32-bit LIDs. Each function takes the attribute's data, which
 * must hold the bytes that the form named has.
 */
#ifndef MADKIT_CPI_H
#define MADKIT_CPI_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

#define MADKIT_CPI_BYTES     72
#define MADKIT_CPI_OPA_BYTES 80

/* CapabilityMask bits that are the same in every class. */
#define MADKIT_CPI_GENERATES_TRAPS 0x0001
#define MADKIT_CPI_SENDS_NOTICES   0x0002

/*
 * RespTimeValue, 0 to 31: a response takes at most 4.096 us * 2^n. The setter
 * keeps CapabilityMask2 and ignores bits above the fifth. Both forms have it
 * at the same place. Twins of ib_get_cpi_resp_time() and ib_set_cpi_resp_time().
 */
uint8_t madkit_cpi_get_resp_time(const uint8_t *cpi);
void madkit_cpi_set_resp_time(uint8_t *cpi, uint8_t value);

/* The time in microseconds that a RespTimeValue stands for, rounded up. */
uint64_t madkit_cpi_resp_time_us(uint8_t value);

/* CapabilityMask2, 27 bits; the setter keeps RespTimeValue. Both forms
 * have it at the same place. Twins of ib_get_cpi_capmask2(), ib_set_cpi_capmask2() and
 * opa_get_cpi_capmask2(). */
uint32_t madkit_cpi_get_capmask2(const uint8_t *cpi);
void madkit_cpi_set_capmask2(uint8_t *cpi, uint32_t mask);

/* CapabilityMask, 16 bits. */
uint16_t madkit_cpi_get_capmask(const uint8_t *cpi);
void madkit_cpi_set_capmask(uint8_t *cpi, uint16_t mask);

/* Where requests (redirect) or traps of a class go. */
struct madkit_cpi_target {
	uint8_t gid[16];
	uint8_t traffic_class;
	uint8_t sl;          /* 4 bits, 5 in the OPA form */
	uint32_t flow_label; /* 20 bits */
	uint32_t lid;        /* 16 bits in the IB form */
	uint16_t pkey;
	uint8_t hop_limit; /* traps only, else 0 */
	uint32_t qp;       /* 24 bits */
	uint32_t qkey;
};

/* Reads the redirect target. True where the port redirects: LID or GID are
 * not zero, as the IBA says. opa selects the 80-byte form. */
bool madkit_cpi_get_redirect(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target);
/* Writes it. 0, or -ERANGE where a value does not fit its field (nothing is
 * written then). */
int madkit_cpi_set_redirect(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target);

/* The trap target; true where it is set. */
bool madkit_cpi_get_trap(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target);
int madkit_cpi_set_trap(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target);

MADKIT_END_DECLS
#endif
