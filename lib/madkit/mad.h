/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The management datagram (MAD): constants of its header, access to it, names
 * of methods and statuses, and the pure helpers of the kernel's ib_mad.h.
 * IBA volume 1, chapter 13 (section 13.4.2 for the common header).
 */
#ifndef MADKIT_MAD_H
#define MADKIT_MAD_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

struct madkit_addr;

#define MADKIT_MAD_BYTES     256  /* base version 1 */
#define MADKIT_MAD_OPA_BYTES 2048 /* base version 0x80 (Omni-Path) */
#define MADKIT_FRAME_BYTES   2048 /* what every single-MAD buffer holds */
#define MADKIT_HEADER_BYTES  24   /* common header */

#define MADKIT_BASE_VERSION_IB  0x01
#define MADKIT_BASE_VERSION_OPA 0x80

/* Management classes. */
enum {
	MADKIT_CLASS_SUBN = 0x01,    /* LID-routed subnet management */
	MADKIT_CLASS_SUBN_DR = 0x81, /* directed-route subnet management */
	MADKIT_CLASS_SA = 0x03,
	MADKIT_CLASS_PERF = 0x04,
	MADKIT_CLASS_BM = 0x05,
	MADKIT_CLASS_DEVICE = 0x06,
	MADKIT_CLASS_CM = 0x07,
	MADKIT_CLASS_SNMP = 0x08,
	MADKIT_CLASS_VENDOR1_FIRST = 0x09,
	MADKIT_CLASS_MLNX = 0x0a, /* as Mellanox uses it */
	MADKIT_CLASS_VENDOR1_LAST = 0x0f,
	MADKIT_CLASS_DEVADM = 0x10,
	MADKIT_CLASS_BOOT = 0x11,
	MADKIT_CLASS_BIS = 0x12,
	MADKIT_CLASS_APP_FIRST = 0x13,
	MADKIT_CLASS_CC = 0x21,
	MADKIT_CLASS_APP_LAST = 0x2f,
	MADKIT_CLASS_VENDOR2_FIRST = 0x30,
	MADKIT_CLASS_VENDOR2_LAST = 0x4f,
};

/* OUIs whose vendor classes the tables know: OpenIB's ibping and ibsysstat. */
enum {
	MADKIT_OUI_OPENIB = 0x001405,
};

/* Methods. Those above 0x07 without 0x80 belong to classes. */
enum {
	MADKIT_METHOD_GET = 0x01,
	MADKIT_METHOD_SET = 0x02,
	MADKIT_METHOD_SEND = 0x03,
	MADKIT_METHOD_TRAP = 0x05,
	MADKIT_METHOD_REPORT = 0x06,
	MADKIT_METHOD_TRAP_REPRESS = 0x07,
	MADKIT_METHOD_GET_TABLE = 0x12,       /* SA */
	MADKIT_METHOD_GET_TRACE_TABLE = 0x13, /* SA */
	MADKIT_METHOD_GET_MULTI = 0x14,       /* SA */
	MADKIT_METHOD_DELETE = 0x15,          /* SA */
	MADKIT_METHOD_RESPONSE = 0x80,        /* the response bit */
};

/* Numbers of generic traps (IBA volume 1, section 14.2.5.1). */
enum {
	MADKIT_TRAP_GID_IN = 64,        /* a port came into service */
	MADKIT_TRAP_GID_OUT = 65,       /* ... or went out of it */
	MADKIT_TRAP_GROUP_CREATED = 66, /* a multicast group */
	MADKIT_TRAP_GROUP_DELETED = 67,
	MADKIT_TRAP_LINK_STATE = 128,     /* a switch: the state of a link changed */
	MADKIT_TRAP_LINK_INTEGRITY = 129, /* LocalPhysErr was reached */
	MADKIT_TRAP_BUFFER_OVERRUN = 130, /* OverrunErr was reached */
	MADKIT_TRAP_FLOW_CONTROL = 131,   /* the watchdog of flow control updates */
	MADKIT_TRAP_LOCAL_CHANGE = 144,   /* CapabilityMask, node description, link width or speed */
	MADKIT_TRAP_SYSTEM_GUID = 145,    /* the system image GUID changed */
	MADKIT_TRAP_BAD_M_KEY = 256,
	MADKIT_TRAP_BAD_P_KEY = 257,
	MADKIT_TRAP_BAD_Q_KEY = 258,
	MADKIT_TRAP_SWITCH_BAD_P_KEY = 259, /* at a switch's external port */
};

/* The common status field, IBA volume 1, table 112. */
enum {
	MADKIT_STATUS_BUSY = 0x0001,
	MADKIT_STATUS_REDIRECT = 0x0002,
	MADKIT_STATUS_CODE_SHIFT = 2, /* a code of three bits */
	MADKIT_STATUS_CODE_MASK = 0x07,
	MADKIT_STATUS_RESERVED = 0x00e0,
	MADKIT_STATUS_CLASS_SHIFT = 8, /* the upper byte: the class's */
};

/* ... and what its upper byte is for the SA, table 193. */
enum {
	MADKIT_SA_STATUS_NO_RESOURCES = 1,
	MADKIT_SA_STATUS_INVALID_REQUEST = 2,
	MADKIT_SA_STATUS_NO_RECORDS = 3,
	MADKIT_SA_STATUS_TOO_MANY_RECORDS = 4,
	MADKIT_SA_STATUS_INVALID_GID = 5,
	MADKIT_SA_STATUS_INSUFFICIENT_COMPONENTS = 6,
	MADKIT_SA_STATUS_DENIED = 7,
	MADKIT_SA_STATUS_PRIORITY_SUGGESTED = 8,
};

/* Offsets of headers' fields and of data, in bytes. */
enum {
	MADKIT_MAD_BASE_VERSION = 0,
	MADKIT_MAD_CLASS = 1,
	MADKIT_MAD_CLASS_VERSION = 2,
	MADKIT_MAD_METHOD = 3,
	MADKIT_MAD_STATUS = 4,      /* 2 bytes; DR: the D bit and 15 bits */
	MADKIT_MAD_HOP_POINTER = 6, /* directed-route SMP only */
	MADKIT_MAD_HOP_COUNT = 7,
	MADKIT_MAD_TID = 8,        /* 8 bytes */
	MADKIT_MAD_ATTRIBUTE = 16, /* 2 bytes */
	MADKIT_MAD_MODIFIER = 20,  /* 4 bytes */
	MADKIT_SMP_MKEY = 24,      /* 8 bytes */
	MADKIT_SMP_DR_SLID = 32,
	MADKIT_SMP_DR_DLID = 34,
	MADKIT_SMP_DATA = 64,
	MADKIT_SMP_INITIAL_PATH = 128,   /* 64 bytes */
	MADKIT_SMP_RETURN_PATH = 192,    /* 64 bytes */
	MADKIT_SA_KEY = 36,              /* SM_Key, 8 bytes */
	MADKIT_SA_ATTRIBUTE_OFFSET = 44, /* 2 bytes, in units of 8 bytes */
	MADKIT_SA_COMPONENT_MASK = 48,   /* 8 bytes */
	MADKIT_SA_DATA = 56,
	MADKIT_PERF_DATA = 64,
	MADKIT_BM_DATA = 64,
	MADKIT_SNMP_DATA = 64,
	MADKIT_MLNX_DATA = 32,
	MADKIT_DEVICE_DATA = 64, /* DevMgt, DevAdm, BIS */
	MADKIT_CC_DATA = 64,
	MADKIT_VENDOR2_OUI = 37, /* 3 bytes */
	MADKIT_VENDOR2_DATA = 40,
};

/* The bytes of one MAD with this base version: 256, or 2048 for OPA's. */
size_t madkit_mad_bytes(uint8_t base_version);

/* The header, in host order. Text and JSON use the tables instead. */
struct madkit_header {
	uint8_t base_version;
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t method;
	uint16_t status; /* without the D bit of directed-route SMPs */
	uint64_t tid;
	uint16_t attribute;
	uint32_t modifier;
};

/* Reads the header of a MAD. 0, or -ENODATA where len is below 24. */
int madkit_header_get(const uint8_t *mad, size_t len, struct madkit_header *h);

/* Writes it; the D bit, hop fields and reserved bytes keep what they hold.
 * 0, or -ENODATA where len is below 24. */
int madkit_header_put(uint8_t *mad, size_t len, const struct madkit_header *h);

/*
 * Whether the MAD is a response: method bit 0x80, or TrapRepress, or class BM
 * with bit 0 of the attribute modifier set. A MAD shorter than a header is none.
 * Twin of ib_response_mad(), which takes for granted that there is a header.
 */
bool madkit_mad_is_response(const uint8_t *mad, size_t len);

/* Whether the class carries RMPP: SA, DevMgt, DevAdm, BIS, and vendor classes
 * 0x30-0x4f. Twin of ib_is_mad_class_rmpp(). */
bool madkit_class_is_rmpp(uint8_t mgmt_class);

/* Whether the class is one of the vendor classes with an OUI (0x30-0x4f). */
bool madkit_class_is_vendor2(uint8_t mgmt_class);

/* Whether SMPs of this class travel on QP0 (0x01, 0x81). */
bool madkit_class_is_smi(uint8_t mgmt_class);

/*
 * Where the class's data begins in a MAD: SA 56, DevMgt, DevAdm and BIS 64,
 * vendor 0x30-0x4f 40, the others 24. This counts the M_Key and other class headers
 * of single-packet classes as data; the layout's own offset is
 * madkit_attribute_offset(). Twin of ib_get_mad_data_offset().
 */
size_t madkit_class_data_offset(uint8_t mgmt_class);

/* The class version in use: 2 for SA, CM and CC, else 1. */
uint8_t madkit_class_version(uint8_t mgmt_class);

/*
 * Writes the directed route of addr into an SMP of class SubnMgtDR that is about
 * to be sent, mad being of 256 bytes: hop pointer 0, hop count, initial path,
 * DrDLID, and DrSLID: the permissive LID, or, where addr->lid says that a
 * LID-routed part comes first, own_lid (the sender's; 0: not known, permissive),
 * unless addr->dr_slid names one. 0, or -EINVAL for an address without a route
 * or with more than 63 hops. IBA volume 1, section 14.2.2.
 */
int madkit_smp_put_route(uint8_t *mad, const struct madkit_addr *addr, uint32_t own_lid);

/* Its inverse: direct, hops, path, dr_slid and dr_dlid of addr from an SMP of
 * class SubnMgtDR and base version 1. 0; -ENODATA for what is none, is cut before
 * the end of its path or counts more than 63 hops: addr stays as it is. */
int madkit_smp_get_route(const uint8_t *mad, size_t len, struct madkit_addr *addr);

/* ---- names ------------------------------------------------------------------
 * Names point to constants. Numbers without a name give NULL.
 */

/* Name of a method of a class ("Get", "GetResp", "GetTable", "Send" ...). */
const char *madkit_method_name(uint8_t mgmt_class, uint8_t method);

/* Method by name, ignoring case, or by number (0x.. or decimal up to 255).
 * 0, -ENOENT for an unknown word. */
int madkit_method_find(uint8_t mgmt_class, const char *name, uint8_t *method);

/*
 * The status field of a MAD in words: the common bits (busy, redirect,
 * invalid field, IBA table 112) and, for SA, its own upper byte (table 193).
 * mgmt_class selects the meaning of the class-specific byte. text always ends
 * in NUL; "OK" for 0. Returns the length of the whole text, which may be more
 * than size, as snprintf does.
 */
size_t madkit_status_text(uint8_t mgmt_class, uint16_t status, char *text, size_t size);

/* The name of an SA status byte (MADKIT_SA_STATUS_...) and of an RMPP status; NULL
 * for unassigned ones. */
const char *madkit_sa_status_name(uint8_t status);
const char *madkit_rmpp_status_name(uint8_t status);
/* "RMPP status 121 (bad type)"; size and what is returned as for
 * madkit_status_text(). */
size_t madkit_rmpp_status_text(uint8_t status, char *text, size_t size);
/* The same of a STOP or ABORT; if it must not have that status: "RMPP status 1 (illegal)". */
size_t madkit_rmpp_end_text(uint8_t status, bool illegal, char *text, size_t size);

MADKIT_END_DECLS
#endif
