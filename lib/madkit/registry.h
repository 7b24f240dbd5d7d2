/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classes and attributes: which there are, how they are called, what lies in
 * them. All of it is constant data. */
#ifndef MADKIT_REGISTRY_H
#define MADKIT_REGISTRY_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include <madkit/field.h>

MADKIT_BEGIN_DECLS

enum madkit_attribute_flags {
	/* no public source gives the layout: the payload is bytes */
	MADKIT_ATTRIBUTE_UNKNOWN = 1 << 0,
};

/*
 * A layout that depends on what the data says: it holds where the data's first
 * eight bytes, as one big-endian number under mask, are first to last. Such a
 * layout begins as the attribute's own does, with the fields that choose.
 */
struct madkit_edition {
	uint64_t mask;
	uint64_t first;
	uint64_t last;
	const struct madkit_layout *layout;
};

struct madkit_attribute {
	const char *name;  /* "NodeInfo" */
	const char *alias; /* short names, comma-separated: "NI", or NULL */
	uint16_t id;
	uint16_t bytes;                        /* on the wire; SA records: padded to 8 */
	uint16_t offset;                       /* of its data in the MAD; 0: its class's */
	uint8_t flags;                         /* enum madkit_attribute_flags */
	const struct madkit_layout *layout;    /* of the data, where no
				 * edition is chosen */
	const struct madkit_edition *editions; /* NULL: none */
	uint16_t neditions;
	const char *modifier; /* what the attribute modifier means ("port",
				 * "block"), for titles and help, or NULL */
	/* Of several rows with one id this is that of the MADs whose modifier
	 * has modifier_value under modifier_mask; mask 0: of any. */
	uint32_t modifier_mask;
	uint32_t modifier_value;
};

struct madkit_class {
	const char *name;                   /* "SubnMgt" */
	const char *alias;                  /* comma-separated other names, or NULL */
	uint8_t id;                         /* first ... */
	uint8_t last;                       /* ... and last class with this header */
	uint32_t oui;                       /* whose attributes these are (classes 0x30 to
				 * 0x4f); 0: what all vendors share */
	uint8_t version;                    /* class version in use */
	uint16_t offset;                    /* where data begins */
	uint16_t bytes;                     /* data bytes in a 256-byte MAD */
	const struct madkit_layout *header; /* what lies between the common
				 * header (24 bytes) and the data: offsets count
				 * from the start of the MAD; NULL: nothing */
	const struct madkit_attribute *attributes;
	size_t nattributes;
};

/* The common header's layout; that of directed-route SMPs names the D bit and
 * the hop fields besides. Offsets from the start of the MAD. */
extern const struct madkit_layout madkit_layout_header;
extern const struct madkit_layout madkit_layout_header_dr;
extern const struct madkit_layout madkit_layout_rmpp;

/* The layout that the common header of a MAD of this class is decoded with. */
const struct madkit_layout *madkit_header_layout(uint8_t mgmt_class);

/* The layout of what else the class of this MAD has for a header
 * (madkit_class.header; OPA's SMPs have the M_Key alone), or NULL: nothing, or len
 * is below 24. In a cut MAD it may reach beyond the end. */
const struct madkit_layout *madkit_class_header(const uint8_t *mad, size_t len);

/* The classes, in ascending order of id. *count is set. */
const struct madkit_class *madkit_classes(size_t *count);

/* The class of a number, or NULL for a class nobody defined. */
const struct madkit_class *madkit_class_get(uint8_t mgmt_class);

/* ... as the vendor with this OUI uses it; that of madkit_class_get() for one
 * that no table knows. */
const struct madkit_class *madkit_class_vendor(uint8_t mgmt_class, uint32_t oui);

/* Class number by name, short name or number. 0; -ENOENT; error names it. */
int madkit_class_find(const char *name, uint8_t *mgmt_class, struct madkit_error *error);

/* Name of a class number: its own, or, for the ranges, "Vendor0x32",
 * "Application0x13", "Class0x50". buf needs 20 bytes; returned is a constant
 * or buf. */
const char *madkit_class_name(uint8_t mgmt_class, char buf[20]);

/*
 * The attribute of a MAD, or NULL for one that no table knows. base_version
 * selects OPA's forms.
 */
const struct madkit_attribute *madkit_attribute_get(uint8_t base_version, uint8_t mgmt_class, uint16_t id);

/* The attribute of a MAD of len bytes, whose OUI counts where its class has
 * one. Of several rows with its id it is wanted, else (or with NULL) the first
 * that its modifier does not rule out. NULL: no table knows it, or len is below 24. */
const struct madkit_attribute *madkit_attribute_of(const uint8_t *mad, size_t len,
						   const struct madkit_attribute *wanted);

/* The row of the same attribute that this modifier chooses: the one given, where
 * it does not rule it out; else the first. */
const struct madkit_attribute *madkit_attribute_row(const struct madkit_attribute *attribute,
						    uint32_t modifier);

/*
 * The attribute of the response to a request of this class and method: PathRecord
 * for GetMulti MultiPathRecord (IBA o15-0.2.7), TraceRecord for GetTraceTable, the
 * response's row of a baseboard management command, else the attribute itself.
 * NULL for NULL. Names that select from responses are checked against it.
 */
const struct madkit_attribute *madkit_attribute_answer(uint8_t mgmt_class, uint8_t method,
						       const struct madkit_attribute *attribute);

/* The attribute of a vendor's class (0x30 to 0x4f), its own or what all vendors
 * share, or NULL. */
const struct madkit_attribute *madkit_attribute_vendor(uint8_t mgmt_class, uint32_t oui, uint16_t id);

/* The OUI that an attribute of the tables belongs to, 0: none. */
uint32_t madkit_attribute_oui(const struct madkit_attribute *attribute);

/* How a request for an attribute selects a port. */
enum madkit_port_choice {
	MADKIT_PORT_NONE,     /* not, or by a part of the modifier */
	MADKIT_PORT_MODIFIER, /* the modifier is the port's number */
	MADKIT_PORT_FIELD,    /* by PortSelect in its data, 255: all ports (IBA
				 * volume 1, section 16.1.3) */
};

/* How requests for this attribute select a port, by its layout and its modifier. Never
 * blocks or fails. */
enum madkit_port_choice madkit_attribute_port(const struct madkit_attribute *attribute);

/* The layout that len bytes of the attribute's data have: an edition's, or its
 * own (NULL where it has none). Bytes beyond len count as zeros. */
const struct madkit_layout *madkit_attribute_layout(const struct madkit_attribute *attribute,
						    const uint8_t *data, size_t len);

/*
 * Finds a field of the attribute: in the layout that the data has, else in the
 * attribute's own. data NULL: in the first of all its layouts that has it.
 * Errors as madkit_place_find(); that of a name which another edition has
 * says when.
 */
int madkit_attribute_place(const struct madkit_attribute *attribute, const uint8_t *data, size_t len,
			   const char *name, size_t name_len, struct madkit_place *place,
			   struct madkit_error *error);

/* madkit_set() in the layout that madkit_attribute_place() finds the name in: the
 * fields that choose an edition are to be set before those that it alone has. */
int madkit_attribute_set(const struct madkit_attribute *attribute, uint8_t *data, size_t len,
			 const char *name, const char *text, struct madkit_place *place,
			 struct madkit_error *error);

/*
 * Finds an attribute by name: "NodeInfo", "ni", "PerfMgt:ClassPortInfo", or a
 * number when mgmt_class is known. mgmt_class: a class number, or -1 for any.
 * SubnMgt is preferred to SubnMgtDR, which has the same attributes.
 * 0 with the class and the attribute's number set and *attribute the entry
 * (NULL for a number that no table knows); -ENOENT; -EEXIST where several
 * classes have the name: error lists them.
 */
int madkit_attribute_find(const char *name, int mgmt_class, uint8_t *found_class, uint16_t *id,
			  const struct madkit_attribute **attribute, struct madkit_error *error);

/* Where the attribute's data begins in a MAD of that class and base version.
 * attribute may be NULL. */
size_t madkit_attribute_offset(uint8_t base_version, uint8_t mgmt_class,
			       const struct madkit_attribute *attribute);

MADKIT_END_DECLS
#endif
