/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_registers - which nodes of a sweep answer requests for registers, and by which local ports
 *
 * Registers of NVIDIA's devices, such as ModuleInfo and BitErrors, are attributes of the class Mlnx that a survey
 * (madkit_survey(3)) requests from every port. It has to know more about a node first: if the node answers such
 * requests at all, which local port an IB port of a switch has, and if the registers of its type of device can be
 * trusted. A struct madkit_registers keeps this, so that several surveys of a sweep ask for it once.
 *
 * The functions do not block. The surveys that use it change it: one thread at a time may use it.
 */
#ifndef MADKIT_REGISTERS_H
#define MADKIT_REGISTERS_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/registry.h>
#include <madkit/sweep.h>

MADKIT_BEGIN_DECLS

/* ---- how a survey prepares a node ----------------------------------------------
 * A survey for an attribute that is a register sends these requests before the first one to a node, one at a time:
 *
 * - Get GeneralInfo, which says if the node has the registers, and its firmware
 * - to a switch, PortMapping (PLIB) of its local ports from 1 on, until each IB port has one
 * - to one node of each type of device and firmware, requests that check if it agrees with itself: LinkModes
 *   (PTYS) of a port that is up with PortInfo, RegisterPortCounters (PPCNT 0x20) with PortCounters that are read
 *   before and after, and DeviceInfo (MGIR) with GeneralInfo
 *
 * If one of these checks fails, or none of LinkModes and DeviceInfo is possible, the nodes of that type are left out.
 * A node that refuses both is MADKIT_REGISTERS_REFUSED, and another one is checked, up to three of a type.
 * They wait for the checks; nodes of other types do not.
 *
 * Local ports are used, never IB ports with PortNumbering, which no other program sends. Whether they mean the same is
 * checked nevertheless and is only for information.
 */

struct madkit_registers;

/* The state of a node. */
enum madkit_registers_state {
	MADKIT_REGISTERS_UNKNOWN, /* not asked, or not all answers have arrived */
	MADKIT_REGISTERS_READY,
	MADKIT_REGISTERS_MISSING, /* GeneralInfo says so (status is 0), or the node refused that */
	MADKIT_REGISTERS_SILENT, /* no response; if it responded to GeneralInfo, the next survey asks it again */
	MADKIT_REGISTERS_LEFT_OUT, /* its type of device and firmware cannot be trusted */
	MADKIT_REGISTERS_REFUSED,  /* it refused PortMapping or a register of the check */
	MADKIT_REGISTERS_INVALID,  /* it answered with something else */
};

struct madkit_registers_node {
	uint8_t state;    /* enum madkit_registers_state */
	uint16_t status;  /* MAD status of MADKIT_REGISTERS_MISSING and MADKIT_REGISTERS_REFUSED */
	uint16_t refused; /* MAD status by which a node that is ready refused a register; 0: none */
	uint32_t type;    /* number of its type; UINT32_MAX: not known */
	const char
		*reason; /* a text for people, valid until the registers are freed; NULL: the node is ready */
};

/* The checks of a type. */
enum madkit_registers_check {
	MADKIT_REGISTERS_LINK_MODES,     /* with PortInfo */
	MADKIT_REGISTERS_PORT_COUNTERS,  /* RegisterPortCounters with PortCounters */
	MADKIT_REGISTERS_DEVICE_INFO,    /* with GeneralInfo */
	MADKIT_REGISTERS_PORT_NUMBERING, /* ModuleInfo by IB port with that by local port; for information */
	MADKIT_REGISTERS_CHECKS,
};

enum madkit_registers_verdict {
	MADKIT_REGISTERS_UNCHECKED,
	MADKIT_REGISTERS_AGREES,
	MADKIT_REGISTERS_DISAGREES,
	MADKIT_REGISTERS_IMPOSSIBLE, /* refused with a status, not answered, or nothing to compare with */
};

enum {
	MADKIT_REGISTERS_TEXT = 96,         /* room for a text with its NUL */
	MADKIT_REGISTERS_LOCAL_PORTS = 148, /* of the largest device */
};

/* The result of a check. */
struct madkit_registers_result {
	uint8_t verdict;                  /* enum madkit_registers_verdict */
	uint16_t status;                  /* MAD status that made it impossible; else 0 */
	char text[MADKIT_REGISTERS_TEXT]; /* the values: "4x EDR, 4x HDR"; "": none */
};

/* A type: a device with a firmware. */
struct madkit_registers_type {
	uint16_t device;      /* as in NodeInfo; if that has 0, as in GeneralInfo */
	uint16_t hw_device;   /* as in GeneralInfo */
	uint32_t firmware[3]; /* major, minor, sub-minor */
	uint32_t nodes;       /* number of its nodes so far */
	uint32_t node;        /* the last node that was checked; MADKIT_SWEEP_NONE: none yet */
	uint8_t port;         /* the IB port that was checked; 0: none */
	bool judged;          /* the checks have ended */
	bool trusted;
	char name[MADKIT_REGISTERS_TEXT]; /* "MT54000 27.2012.2200" */
	char why[MADKIT_REGISTERS_TEXT]; /* why it is left out: "LinkModes disagrees with PortInfo (4x EDR, 4x HDR)" */
	struct madkit_registers_result results[MADKIT_REGISTERS_CHECKS];
};

/*
 * madkit_registers_new - begin to keep what surveys of a sweep learn about registers
 * @sweep:     the sweep, which has ended and must outlive the registers
 * @registers: receives the object; free it with madkit_registers_free(), after the surveys
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_registers_new(const struct madkit_sweep *sweep, struct madkit_registers **registers);

/*
 * madkit_registers_free - free registers
 * @registers: registers to free, or NULL
 */
void madkit_registers_free(struct madkit_registers *registers);

/*
 * madkit_registers_get - return the state of a node
 * @registers: the registers
 * @node:      number of the node in the sweep
 *
 * Return: the state.
 */
struct madkit_registers_node madkit_registers_get(const struct madkit_registers *registers, uint32_t node);

/*
 * madkit_registers_begin - prepare a node for one of its ports, without a survey
 * @registers: the registers, which no survey uses
 * @node:      number of the node in the sweep, which has not been asked anything
 * @port:      the only port that is needed
 *
 * PortMapping begins with the number of the port and ends when its local port is known, and the checks are
 * made with this port, also if it is down. The caller sends the requests of madkit_registers_next().
 *
 * Return: 0; -EINVAL: there is no such port, or the node has been asked.
 */
int madkit_registers_begin(struct madkit_registers *registers, uint32_t node, unsigned int port);

/*
 * madkit_registers_next - make the next request that prepares a node
 * @registers: the registers
 * @node:      number of the node, as in madkit_registers_begin()
 * @mad:       receives a Get of 256 bytes by GMP, without V_Key
 *
 * Return: true: the caller sends the request; false: the preparation has ended (madkit_registers_get()).
 */
bool madkit_registers_next(struct madkit_registers *registers, uint32_t node, uint8_t mad[256]);

/*
 * madkit_registers_take - take the response to that request
 * @registers: the registers
 * @node:      number of the node
 * @mad:       the response, also one with an error status, or NULL if none arrived
 * @len:       its bytes
 * @mismatch:  it is about something else than the request
 *
 * Return: 0; -EINVAL if no request was outstanding; -ENOMEM if out of memory, which says nothing about the node.
 */
int madkit_registers_take(struct madkit_registers *registers, uint32_t node, const uint8_t *mad, size_t len,
			  bool mismatch);

/*
 * madkit_registers_local_port - return the local port of a port
 * @registers: the registers
 * @node:      number of the node in the sweep
 * @port:      number of the port, as in NodeInfo and PortCounters
 *
 * Requests for registers have it in PortSelect and PortSelectMsb. Port 1 of a CA has local port 1; what others
 * have is not known.
 *
 * Return: the local port; 0 if the port has none, as port 0 of a switch, or PortMapping did not have it.
 */
unsigned int madkit_registers_local_port(const struct madkit_registers *registers, uint32_t node,
					 unsigned int port);

/*
 * madkit_registers_select - complete the data of a request for a register
 * @attribute: the register
 * @port:      the local port, or the IB port if the data has PortNumbering 1; 0 if the register is not of a port
 * @data:      the data
 * @len:       bytes of @data
 *
 * Sets PortSelect and PortSelectMsb, of those that the register has, and what madkit_attribute_choose() sets, such as
 * the page of PDDR. The other bits are not changed. Let them be 0: bits of some registers change a device.
 */
void madkit_registers_select(const struct madkit_attribute *attribute, unsigned int port, uint8_t *data,
			     size_t len);

/*
 * madkit_registers_type - return a type of device and firmware
 * @registers: the registers
 * @number:    from 0 on, in the order in which they were found
 *
 * Return: the type, valid until the next step of a survey; NULL: there are no more.
 */
const struct madkit_registers_type *madkit_registers_type(const struct madkit_registers *registers,
							  uint32_t number);

/*
 * madkit_registers_check_name - return the name of a check
 * @check: one of enum madkit_registers_check
 *
 * Return: a constant text, such as "LinkModes with PortInfo".
 */
const char *madkit_registers_check_name(enum madkit_registers_check check);

/*
 * madkit_registers_lacks - check if a MAD status means that a device does not have a register, or none at all
 * @status: MAD status of a response to a request for a register, or to GeneralInfo
 *
 * Return: true for 4, 12 and 20; false for others, as of a device that is busy.
 */
bool madkit_registers_lacks(uint16_t status);

/*
 * madkit_registers_status_text - return a text for a MAD status in response to a request for a register
 * @status: MAD status
 *
 * These statuses are not those of the IBA: mstflint has their meanings.
 *
 * Return: a constant text, such as "register not supported"; NULL if the status is not known.
 */
const char *madkit_registers_status_text(uint16_t status);

MADKIT_END_DECLS
#endif
