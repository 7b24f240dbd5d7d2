/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_mad - management datagrams: header, constants and names
 *
 * A management datagram (MAD) has a common header of 24 bytes (IBA volume 1, section 13.4.2), the
 * header of its class, and the data of an attribute. This page has the constants of the headers,
 * functions that read and write the common header, and the names of methods and statuses.
 *
 * The functions do not block or allocate memory, and any number of threads may call them at once. Names
 * are constant strings, which the caller does not free.
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
#define MADKIT_FRAME_BYTES   2048 /* size of a buffer for any single MAD */
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
	MADKIT_CLASS_MLNX = 0x0a, /* used by Mellanox */
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

/* OUIs: OpenIB, of the vendor classes that are in the tables (ibping and ibsysstat), and Mellanox, in VendorID of NodeInfo. */
enum {
	MADKIT_OUI_OPENIB = 0x001405,
	MADKIT_OUI_MELLANOX = 0x0002c9,
};

/* Methods. The meaning of 0x08 to 0x7f depends on the class. */
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
	MADKIT_TRAP_GID_IN = 64,        /* a port is now in service */
	MADKIT_TRAP_GID_OUT = 65,       /* a port is out of service */
	MADKIT_TRAP_GROUP_CREATED = 66, /* a multicast group was created */
	MADKIT_TRAP_GROUP_DELETED = 67,
	MADKIT_TRAP_LINK_STATE = 128,     /* the state of a link of a switch changed */
	MADKIT_TRAP_LINK_INTEGRITY = 129, /* the threshold LocalPhysErr was reached */
	MADKIT_TRAP_BUFFER_OVERRUN = 130, /* the threshold OverrunErr was reached */
	MADKIT_TRAP_FLOW_CONTROL = 131,   /* the flow control update watchdog expired */
	MADKIT_TRAP_LOCAL_CHANGE = 144,   /* CapabilityMask, node description, link width or speed changed */
	MADKIT_TRAP_SYSTEM_GUID = 145,    /* the system image GUID changed */
	MADKIT_TRAP_BAD_M_KEY = 256,
	MADKIT_TRAP_BAD_P_KEY = 257,
	MADKIT_TRAP_BAD_Q_KEY = 258,
	MADKIT_TRAP_SWITCH_BAD_P_KEY = 259, /* a bad P_Key at an external port of a switch */
};

/* The status field of the common header (IBA volume 1, table 112). */
enum {
	MADKIT_STATUS_BUSY = 0x0001,
	MADKIT_STATUS_REDIRECT = 0x0002,
	MADKIT_STATUS_CODE_SHIFT = 2, /* a code of three bits */
	MADKIT_STATUS_CODE_MASK = 0x07,
	MADKIT_STATUS_RESERVED = 0x00e0,
	MADKIT_STATUS_CLASS_SHIFT = 8, /* the upper byte is specific to the class */
};

/* The upper byte of an SA status (IBA volume 1, table 193). */
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

/* Offsets of header fields and of data, in bytes. */
enum {
	MADKIT_MAD_BASE_VERSION = 0,
	MADKIT_MAD_CLASS = 1,
	MADKIT_MAD_CLASS_VERSION = 2,
	MADKIT_MAD_METHOD = 3,
	MADKIT_MAD_STATUS = 4,      /* 2 bytes; in a directed-route SMP, the D bit and 15 bits */
	MADKIT_MAD_HOP_POINTER = 6, /* of a directed-route SMP */
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

/*
 * madkit_mad_bytes - return the length of a MAD
 * @base_version: base version of the MAD
 *
 * Return: 256, or 2048 for the base version of Omni-Path.
 */
size_t madkit_mad_bytes(uint8_t base_version);

/* The common header, in host byte order. */
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

/*
 * madkit_header_get - read the header of a MAD
 * @mad: start of the MAD
 * @len: bytes of the MAD
 * @h:   receives the header
 *
 * Return: 0, or -ENODATA if @len is less than 24.
 */
int madkit_header_get(const uint8_t *mad, size_t len, struct madkit_header *h);

/*
 * madkit_header_put - write the header of a MAD
 * @mad: start of the MAD
 * @len: bytes of the MAD
 * @h:   the header
 *
 * The D bit, the hop fields and reserved bytes are unchanged.
 *
 * Return: 0, or -ENODATA if @len is less than 24.
 */
int madkit_header_put(uint8_t *mad, size_t len, const struct madkit_header *h);

/*
 * madkit_mad_is_response - check whether a MAD is a response
 * @mad: start of the MAD
 * @len: bytes of the MAD
 *
 * A response has bit 0x80 of the method set, or the method TrapRepress, or is of class BM with bit 0 of
 * the attribute modifier set.
 *
 * Return: true if it is a response; false also if @len is less than 24.
 *
 * Twin of ib_response_mad(), which requires a complete header.
 */
bool madkit_mad_is_response(const uint8_t *mad, size_t len);

/*
 * madkit_method_response - return the method of a response
 * @mgmt_class: class of the request
 * @method:     method of the request
 *
 * Get and Set are answered by GetResp (0x81), Trap by TrapRepress (0x07), GetTraceTable of the SA by GetTableResp
 * (0x92), and any other request by its method with bit 0x80 set. A Send of class BM is answered by a Send, with bit 0
 * of the attribute modifier set: see madkit_mad_is_response().
 *
 * Return: the method; 0 if there is no response: @method is that of a response, or a Send of any other class.
 */
uint8_t madkit_method_response(uint8_t mgmt_class, uint8_t method);

/*
 * madkit_class_is_rmpp - check whether a class supports RMPP
 * @mgmt_class: the class
 *
 * Return: true for SA, DevMgt, DevAdm, BIS, and the vendor classes 0x30 to 0x4f.
 *
 * Twin of ib_is_mad_class_rmpp().
 */
bool madkit_class_is_rmpp(uint8_t mgmt_class);

/*
 * madkit_class_is_vendor2 - check whether a class is a vendor class with an OUI
 * @mgmt_class: the class
 *
 * Return: true for 0x30 to 0x4f.
 */
bool madkit_class_is_vendor2(uint8_t mgmt_class);

/*
 * madkit_class_is_smi - check whether a class uses QP0
 * @mgmt_class: the class
 *
 * Return: true for the subnet management classes, 0x01 and 0x81.
 */
bool madkit_class_is_smi(uint8_t mgmt_class);

/*
 * madkit_class_data_offset - return where the data of a class begins in a MAD
 * @mgmt_class: the class
 *
 * The M_Key and other class headers of classes without RMPP count as data here. For the start of an
 * attribute, use madkit_attribute_offset().
 *
 * Return: 56 for SA; 64 for DevMgt, DevAdm and BIS; 40 for the vendor classes 0x30 to 0x4f; 24 for
 * other classes.
 *
 * Twin of ib_get_mad_data_offset().
 */
size_t madkit_class_data_offset(uint8_t mgmt_class);

/*
 * madkit_class_version - return the current version of a class
 * @mgmt_class: the class
 *
 * Return: 2 for SA, CM and CC; 1 for other classes.
 */
uint8_t madkit_class_version(uint8_t mgmt_class);

/*
 * madkit_smp_put_route - write a directed route into an SMP to be sent
 * @mad:     MAD of 256 bytes of class SubnMgtDR
 * @addr:    address with a directed route
 * @own_lid: LID of the sending port; 0: not known
 *
 * Writes the hop pointer (0), hop count, initial path, DrSLID and DrDLID. DrDLID is addr->dr_dlid.
 * DrSLID is addr->dr_slid; if that is 0 or permissive, and addr->lid states that a LID-routed part
 * comes first, it is @own_lid instead. In both fields, 0 becomes the permissive LID.
 *
 * madkit_agent_post() calls this function.
 *
 * Return: 0, or -EINVAL if @addr has no directed route or more than 63 hops.
 *
 * Source: IBA volume 1, section 14.2.2.
 */
int madkit_smp_put_route(uint8_t *mad, const struct madkit_addr *addr, uint32_t own_lid);

/*
 * madkit_smp_get_route - read the directed route of an SMP
 * @mad:  start of the MAD
 * @len:  bytes of the MAD
 * @addr: receives direct, hops, path, dr_slid and dr_dlid; unchanged on failure
 *
 * Return: 0, or -ENODATA if the MAD is not of class SubnMgtDR and base version 1, ends within its path,
 * or has more than 63 hops.
 */
int madkit_smp_get_route(const uint8_t *mad, size_t len, struct madkit_addr *addr);

/* ---- names ------------------------------------------------------------------ */

/*
 * madkit_method_name - return the name of a method
 * @mgmt_class: class of the MAD
 * @method:     the method
 *
 * Return: a name such as "Get", "GetResp" or "GetTable", or NULL if the method has no name.
 */
const char *madkit_method_name(uint8_t mgmt_class, uint8_t method);

/*
 * madkit_method_find - find a method by its name or number
 * @mgmt_class: class of the MAD
 * @name:       name, ignoring case, or a number up to 255 (decimal or 0x)
 * @method:     receives the method
 *
 * Return: 0, or -ENOENT if there is no such method.
 */
int madkit_method_find(uint8_t mgmt_class, const char *name, uint8_t *method);

/*
 * madkit_status_text - describe a MAD status
 * @mgmt_class: class of the MAD, which determines the meaning of the upper byte
 * @status:     the status
 * @text:       receives the description, which always ends in NUL; "OK" for 0
 * @size:       bytes of @text
 *
 * Describes the bits that are common to all classes (IBA volume 1, table 112) and the upper byte of an
 * SA status (table 193).
 *
 * Return: the length of the whole description, which may be @size or more, as with snprintf(3).
 */
size_t madkit_status_text(uint8_t mgmt_class, uint16_t status, char *text, size_t size);

/*
 * madkit_rmpp_end_text - describe the RMPP status of a STOP or ABORT
 * @status:  the status
 * @illegal: true if a packet of its type must not have this status
 * @text:    receives the description; if @illegal, it has the form "RMPP status 1 (illegal)"
 * @size:    bytes of @text
 *
 * Return: the length of the whole description, as madkit_status_text().
 */
size_t madkit_rmpp_end_text(uint8_t status, bool illegal, char *text, size_t size);

MADKIT_END_DECLS
#endif
