/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_cpi - read and write ClassPortInfo
 *
 * Every management class has the attribute ClassPortInfo (IBA volume 1, section 13.4.8.1). It states
 * the capabilities of the class at a port, its response time, and the destinations of requests and
 * traps. InfiniBand's form has 72 bytes; Omni-Path's has 80 bytes and 32-bit LIDs.
 *
 * In each function, cpi is the start of the attribute's data, which must have all bytes of the form.
 * The functions do not block, and any number of threads may call them at once.
 */
#ifndef MADKIT_CPI_H
#define MADKIT_CPI_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

#define MADKIT_CPI_BYTES     72 /* InfiniBand's form */
#define MADKIT_CPI_OPA_BYTES 80 /* Omni-Path's form */

/* CapabilityMask bits that have the same meaning in every class. */
#define MADKIT_CPI_GENERATES_TRAPS 0x0001
#define MADKIT_CPI_SENDS_NOTICES   0x0002

/*
 * madkit_cpi_get_resp_time, madkit_cpi_set_resp_time - get or set RespTimeValue
 * @cpi:   the attribute, in either form
 * @value: 0 to 31; higher bits are ignored
 *
 * A RespTimeValue of n means that a response takes at most 4.096 us * 2^n. Setting it does not change
 * CapabilityMask2.
 *
 * Return: madkit_cpi_get_resp_time(): the value, 0 to 31.
 *
 * Twins of ib_get_cpi_resp_time() and ib_set_cpi_resp_time().
 */
uint8_t madkit_cpi_get_resp_time(const uint8_t *cpi);
void madkit_cpi_set_resp_time(uint8_t *cpi, uint8_t value);

/*
 * madkit_cpi_resp_time_us - convert a RespTimeValue to microseconds
 * @value: the RespTimeValue; bits above the fifth are ignored
 *
 * Return: 4.096 us * 2^value in microseconds, rounded up.
 */
uint64_t madkit_cpi_resp_time_us(uint8_t value);

/*
 * madkit_cpi_get_capmask2, madkit_cpi_set_capmask2 - get or set CapabilityMask2
 * @cpi:  the attribute, in either form
 * @mask: 27 bits; higher bits are ignored
 *
 * Setting it does not change RespTimeValue.
 *
 * Return: madkit_cpi_get_capmask2(): the mask.
 *
 * Twins of ib_get_cpi_capmask2(), ib_set_cpi_capmask2() and opa_get_cpi_capmask2().
 */
uint32_t madkit_cpi_get_capmask2(const uint8_t *cpi);
void madkit_cpi_set_capmask2(uint8_t *cpi, uint32_t mask);

/*
 * madkit_cpi_get_capmask, madkit_cpi_set_capmask - get or set CapabilityMask
 * @cpi:  the attribute, in either form
 * @mask: 16 bits
 *
 * Return: madkit_cpi_get_capmask(): the mask.
 */
uint16_t madkit_cpi_get_capmask(const uint8_t *cpi);
void madkit_cpi_set_capmask(uint8_t *cpi, uint16_t mask);

/* The counters of a port that not every port has. */
enum madkit_cpi_counters {
	MADKIT_CPI_COUNTERS_EXTENDED = 1 << 0, /* PortCountersExtended */
	MADKIT_CPI_COUNTERS_IETF = 1 << 1,     /* it includes unicast and multicast packets */
	MADKIT_CPI_COUNTERS_ERRORS = 1 << 2,   /* it includes counters of errors */
	MADKIT_CPI_COUNTERS_SUM = 1 << 3,      /* PortSelect 255: the sum of all ports */
};

/*
 * madkit_cpi_get_counters - get which counters a port has
 * @cpi: the attribute of the class PerfMgt
 *
 * MADKIT_CPI_COUNTERS_IETF and MADKIT_CPI_COUNTERS_ERRORS are set only if MADKIT_CPI_COUNTERS_EXTENDED is
 * set. A port without them leaves these fields of PortCountersExtended 0: they do not count.
 *
 * Return: bits of enum madkit_cpi_counters, by CapabilityMask and CapabilityMask2 (IBA volume 1, section
 * 16.1.1.1; opensm's IB_PM_EXT_WIDTH_SUPPORTED, IB_PM_EXT_WIDTH_NOIETF_SUP and
 * IB_PM_IS_ADDL_PORT_CTRS_EXT_SUP).
 */
unsigned int madkit_cpi_get_counters(const uint8_t *cpi);

/* The destination for requests (redirection) or traps of a class. */
struct madkit_cpi_target {
	uint8_t gid[16];
	uint8_t traffic_class;
	uint8_t sl;          /* 4 bits; 5 bits in Omni-Path's form */
	uint32_t flow_label; /* 20 bits */
	uint32_t lid;        /* 16 bits; 32 bits in Omni-Path's form */
	uint16_t pkey;
	uint8_t hop_limit; /* of traps; 0 for a redirection */
	uint32_t qp;       /* 24 bits */
	uint32_t qkey;
};

/*
 * madkit_cpi_get_redirect - get the destination to which the port redirects requests
 * @cpi:    the attribute
 * @opa:    true for Omni-Path's form of 80 bytes
 * @target: receives the destination
 *
 * Return: true if the port redirects requests, that is if the LID or the GID is not zero (IBA volume 1,
 * section 13.4.8.1).
 */
bool madkit_cpi_get_redirect(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target);

/*
 * madkit_cpi_set_redirect - set the destination to which the port redirects requests
 * @cpi:    the attribute
 * @opa:    true for Omni-Path's form of 80 bytes
 * @target: the destination
 *
 * Return: 0, or -ERANGE if a value does not fit into its field; @cpi is then unchanged.
 */
int madkit_cpi_set_redirect(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target);

/*
 * madkit_cpi_get_trap - get the destination of the port's traps
 * @cpi:    the attribute
 * @opa:    true for Omni-Path's form of 80 bytes
 * @target: receives the destination
 *
 * Return: true if a destination is set, that is if the LID or the GID is not zero.
 */
bool madkit_cpi_get_trap(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target);

/*
 * madkit_cpi_set_trap - set the destination of the port's traps
 * @cpi:    the attribute
 * @opa:    true for Omni-Path's form of 80 bytes
 * @target: the destination
 *
 * Return: 0, or -ERANGE if a value does not fit into its field; @cpi is then unchanged.
 */
int madkit_cpi_set_trap(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target);

MADKIT_END_DECLS
#endif
