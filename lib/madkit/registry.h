/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_registry - tables of classes and attributes
 *
 * The registry contains every management class and attribute that the library knows, with their names,
 * numbers and layouts (madkit_field(3)). madkit-attributes(7) lists them.
 *
 * All results are constant data, which the caller does not free. The functions do not block or allocate
 * memory, and any number of threads may call them at once.
 */
#ifndef MADKIT_REGISTRY_H
#define MADKIT_REGISTRY_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include <madkit/field.h>

MADKIT_BEGIN_DECLS

/* Flags of an attribute. */
enum madkit_attribute_flags {
	/* no public source describes the layout; the data is shown as bytes */
	MADKIT_ATTRIBUTE_UNKNOWN = 1 << 0,
	/* only Get is sent */
	MADKIT_ATTRIBUTE_READ_ONLY = 1 << 1,
	/* no document or program has the layout: it is a guess from published values */
	MADKIT_ATTRIBUTE_EXPERIMENTAL = 1 << 2,
};

/*
 * A layout that applies only to certain data of an attribute: the first eight bytes, as a big-endian
 * number ANDed with mask, are in the range first to last. It begins with the same fields as the
 * attribute's own layout, including those that select the edition.
 */
struct madkit_edition {
	uint64_t mask;
	uint64_t first;
	uint64_t last;
	const struct madkit_layout *layout;
};

/* The number of entries of a table of a node: a field of another attribute of that node, of the same
 * class or, if that has no such attribute, of SubnMgt. */
struct madkit_extent {
	const char *attribute; /* "SwitchInfo"; NULL: none */
	const char *field;     /* "LinearFdbTop" */
	const char *instead;   /* a field of the same attribute, to use if field is 0; NULL: none */
	int32_t add; /* to the value of field; 1 if it is the number of the last entry, and the first is 0 */
};

/* A run of blocks. */
struct madkit_blocks {
	uint8_t first;                 /* number of the first block */
	uint8_t entries;               /* of a block; 0: the attribute has no such run */
	struct madkit_extent own;      /* of a CA, of a router, and of port 0 of a switch */
	struct madkit_extent external; /* of other ports of a switch; attribute NULL: the same */
};

/* Which ports have an attribute of their own. */
enum madkit_instances_ports {
	MADKIT_INSTANCES_SWITCH_PORTS = 1 << 0, /* ports 1 to N of a switch */
	MADKIT_INSTANCES_CA_PORTS =
		1 << 1, /* ports 1 to N of a CA or router; otherwise the modifier has port 0 */
	MADKIT_INSTANCES_PORT0 = 1 << 2,          /* port 0 of a switch */
	MADKIT_INSTANCES_ENHANCED_PORT0 = 1 << 3, /* port 0 of a switch, if it is enhanced */
	MADKIT_INSTANCES_INPUT_PORTS = 1 << 4,    /* once for each input port: 0 to N of a switch */
};

/* How the attribute modifier selects one of several instances of an attribute in a node: a port, a block of a table. */
struct madkit_instances {
	uint8_t ports; /* enum madkit_instances_ports; 0: the modifier has no port */
	/* positions in the modifier, in bits from its end */
	uint8_t port_shift, input_shift, block_shift, position_shift;
	uint8_t position; /* ports of a position (MulticastForwardingTable); 0: the modifier has no position */
	struct madkit_blocks blocks[2];
};

/*
 * An attribute: a row of the tables. Several rows with one ID describe forms of the attribute that the
 * modifier selects.
 */
struct madkit_attribute {
	const char *name;  /* "NodeInfo" */
	const char *alias; /* short names, separated by commas ("NI"), or NULL */
	uint16_t id;
	uint16_t bytes;                        /* length; SA records: padded to a multiple of 8 */
	uint16_t offset;                       /* of the data in the MAD; 0: the offset of the class */
	uint8_t flags;                         /* enum madkit_attribute_flags */
	const struct madkit_layout *layout;    /* of the data, unless an edition applies */
	const struct madkit_edition *editions; /* NULL: none */
	uint16_t neditions;
	const char *modifier; /* meaning of the attribute modifier ("port", "block"), or NULL */
	/* Bits of the modifier that select one of several instances of the attribute. A response has the bits of
	 * its request. Fields that select have MADKIT_FIELD_SELECTOR. */
	uint32_t selects;
	/* This row describes MADs if their modifier, ANDed with modifier_mask, is modifier_value. Mask
	 * 0: any modifier. */
	uint32_t modifier_mask;
	uint32_t modifier_value;
	/* This row describes MADs only if this field of the data also has this value: bits from the start of the
	 * data, and their number. Width 0: any data. */
	uint16_t choice, choice_width;
	uint32_t choice_value;
	/* bits of the data of a request that have a value unless the caller sets another one; width 0: none */
	uint16_t preset, preset_width;
	uint32_t preset_value;
	const struct madkit_layout
		*joined; /* of the data of all blocks together; NULL: one block has all of it */
	const struct madkit_instances *instances; /* NULL: a node has the attribute once */
	/* names of fields, separated by commas: columns of a table for people; NULL: the first fields */
	const char *columns;
};

/* A management class, or a range of classes with one format. */
struct madkit_class {
	const char *name;  /* "SubnMgt" */
	const char *alias; /* other names, separated by commas, or NULL */
	uint8_t id;        /* first class of the range */
	uint8_t last;      /* last class of the range */
	uint32_t oui;      /* vendor of the attributes (classes 0x30 to 0x4f); 0: common to all vendors */
	uint8_t version;   /* current class version */
	uint16_t offset;   /* of the data in a MAD */
	uint16_t bytes;    /* of data in a MAD of 256 bytes */
	/* fields between the common header (24 bytes) and the data, with offsets from the start of the
	 * MAD; NULL: none */
	const struct madkit_layout *header;
	const struct madkit_attribute *attributes;
	size_t nattributes;
};

/* ---- headers ---------------------------------------------------------------- */

/*
 * Layouts of headers, with offsets from the start of the MAD: the common header; the common header of a
 * directed-route SMP, which has the D bit and the hop fields; and the RMPP header.
 */
extern const struct madkit_layout madkit_layout_header;
extern const struct madkit_layout madkit_layout_header_dr;
extern const struct madkit_layout madkit_layout_rmpp;

/*
 * Layout of the object "port" of JSON lines: a port of a subnet and the other end of its cable
 * (struct madkit_message.port). No MAD has it.
 */
extern const struct madkit_layout madkit_layout_port_object;

/*
 * Layout of the object "problem" of JSON lines (struct madkit_message.problem). No MAD has it.
 */
extern const struct madkit_layout madkit_layout_problem_object;

/*
 * Layout of the object "difference" of JSON lines (struct madkit_message.difference). No MAD has it.
 */
extern const struct madkit_layout madkit_layout_difference_object;

/* ---- classes ---------------------------------------------------------------- */

/*
 * madkit_classes - return all classes
 * @count: receives the number of classes
 *
 * Return: an array of classes, in ascending order of id.
 */
const struct madkit_class *madkit_classes(size_t *count);

/*
 * madkit_class_get - return a class
 * @mgmt_class: number of the class
 *
 * Return: the class, or NULL if it is not defined.
 */
const struct madkit_class *madkit_class_get(uint8_t mgmt_class);

/*
 * madkit_class_find - find a class by its name or number
 * @name:       name, alias or number
 * @mgmt_class: receives the number of the class
 * @error:      receives the reason of a failure, or NULL
 *
 * Return: 0, or -ENOENT if there is no such class.
 */
int madkit_class_find(const char *name, uint8_t *mgmt_class, struct madkit_error *error);

/*
 * madkit_class_name - return the name of a class number
 * @mgmt_class: number of the class
 * @buf:        buffer that may be used for the name
 *
 * Return: a constant string or @buf: the name of the class, or for a number in a range "Vendor0x32",
 * "Application0x13" or "Class0x50".
 */
const char *madkit_class_name(uint8_t mgmt_class, char buf[20]);

/* ---- attributes ------------------------------------------------------------- */

/*
 * madkit_attribute_get - return an attribute
 * @base_version: base version of the MAD; that of Omni-Path selects Omni-Path's forms
 * @mgmt_class:   class of the MAD
 * @id:           attribute ID
 *
 * Return: the attribute, or NULL if it is not in the tables.
 */
const struct madkit_attribute *madkit_attribute_get(uint8_t base_version, uint8_t mgmt_class, uint16_t id);

/*
 * madkit_attribute_of - return the attribute of a MAD
 * @mad:    start of the MAD; the OUI is used if the class has one
 * @len:    bytes of the MAD
 * @wanted: the row to return if it describes this MAD, or NULL
 *
 * If several rows have the ID, and @wanted is NULL or does not suit the attribute modifier, the row is chosen by the
 * modifier and the data: one for a certain modifier rather than one for any.
 *
 * Return: the attribute; NULL if it is not in the tables, or if @len is less than 24.
 */
const struct madkit_attribute *madkit_attribute_of(const uint8_t *mad, size_t len,
						   const struct madkit_attribute *wanted);

/*
 * madkit_attribute_row - return the row of an attribute that a modifier selects
 * @attribute: a row of the attribute
 * @modifier:  attribute modifier
 *
 * Return: @attribute if the modifier allows it; else the row with the same ID that the modifier chooses, the
 * first one if the data also chooses.
 */
const struct madkit_attribute *madkit_attribute_row(const struct madkit_attribute *attribute,
						    uint32_t modifier);

/*
 * madkit_attribute_choose - set what in the data chooses a row
 * @attribute: row of the tables
 * @data:      data of a request for the attribute
 * @len:       bytes of @data
 *
 * Sets the page of PDDR, for example, so that the data is that of @attribute. Most rows are not chosen by data; nothing
 * is changed then.
 */
void madkit_attribute_choose(const struct madkit_attribute *attribute, uint8_t *data, size_t len);

/*
 * madkit_attribute_answer - return the attribute of the response to a request
 * @mgmt_class: class of the request
 * @method:     method of the request
 * @attribute:  attribute of the request, or NULL
 *
 * Use it to check names of a filter that is applied to responses.
 *
 * Return: PathRecord for GetMulti of MultiPathRecord (IBA o15-0.2.7); TraceRecord for GetTraceTable;
 * the response's row of a baseboard management command; @attribute itself in all other cases.
 */
const struct madkit_attribute *madkit_attribute_answer(uint8_t mgmt_class, uint8_t method,
						       const struct madkit_attribute *attribute);

/*
 * madkit_response_check - check whether a response has the instance that the request selects
 * @request:      the request
 * @request_len:  bytes of @request
 * @response:     a response with the transaction ID of the request
 * @response_len: bytes of @response
 * @error:        receives the difference, with both values, or NULL
 *
 * Compares the attribute IDs (madkit_attribute_answer()); and, if the response has no error status, what the tables
 * know to select an instance of the attribute: bits of the modifier (struct madkit_attribute.selects) and fields
 * (MADKIT_FIELD_SELECTOR), such as PortSelect. A redirection and a response without data are not compared further.
 *
 * The kernel does not compare any of these (drivers/infiniband/core/mad.c, ib_find_send_mad()).
 *
 * Return: 0, or -EBADMSG if the response is about something else.
 */
int madkit_response_check(const uint8_t *request, size_t request_len, const uint8_t *response,
			  size_t response_len, struct madkit_error *error);

/*
 * madkit_attribute_vendor - return an attribute of a vendor class
 * @mgmt_class: class, 0x30 to 0x4f
 * @oui:        OUI of the vendor
 * @id:         attribute ID
 *
 * Return: the attribute of that vendor, or the one that is common to all vendors; NULL if it is not in
 * the tables.
 */
const struct madkit_attribute *madkit_attribute_vendor(uint8_t mgmt_class, uint32_t oui, uint16_t id);

/*
 * madkit_attribute_oui - return the vendor of an attribute
 * @attribute: attribute of the tables
 *
 * Return: the OUI, or 0 if the attribute is not a vendor's.
 */
uint32_t madkit_attribute_oui(const struct madkit_attribute *attribute);

/* How a request for an attribute selects a port. */
enum madkit_port_choice {
	MADKIT_PORT_NONE,     /* it does not, or by a part of the attribute modifier */
	MADKIT_PORT_MODIFIER, /* the attribute modifier is the port number */
	MADKIT_PORT_FIELD,    /* PortSelect in the data; 255: all ports (IBA volume 1, section 16.1.3) */
};

/*
 * madkit_attribute_port - return how requests for an attribute select a port
 * @attribute: the attribute
 *
 * Return: the way, derived from the layout and the meaning of the modifier.
 */
enum madkit_port_choice madkit_attribute_port(const struct madkit_attribute *attribute);

/*
 * madkit_attribute_layout - return the layout that applies to data
 * @attribute: the attribute
 * @data:      data of the attribute
 * @len:       bytes of @data; bytes beyond it count as zero
 *
 * Return: the layout of an edition, or else the attribute's own; NULL if it has none.
 */
const struct madkit_layout *madkit_attribute_layout(const struct madkit_attribute *attribute,
						    const uint8_t *data, size_t len);

/*
 * madkit_attribute_place - find a field of an attribute by its name
 * @attribute: the attribute
 * @data:      data of the attribute, which selects the layout; NULL: use the first layout that has the
 *             field
 * @len:       bytes of @data
 * @name:      name of the field, as for madkit_place_find(); it needs no NUL
 * @name_len:  bytes of @name
 * @place:     receives the position
 * @error:     receives the reason of a failure, or NULL. If only another edition has the field, the
 *             text states which data selects that edition.
 *
 * Searches the layout that applies to @data, and then the attribute's own layout.
 *
 * Return: as madkit_place_find().
 */
int madkit_attribute_place(const struct madkit_attribute *attribute, const uint8_t *data, size_t len,
			   const char *name, size_t name_len, struct madkit_place *place,
			   struct madkit_error *error);

/*
 * madkit_attribute_set - set a field of an attribute from text
 * @attribute: the attribute
 * @data:      data of the attribute; changed
 * @len:       bytes of @data
 * @name:      name of the field, as for madkit_attribute_place()
 * @text:      the value, as for madkit_set()
 * @place:     receives the position that was set, or NULL
 * @error:     receives the reason of a failure, or NULL
 *
 * Set the fields that select an edition before the fields that only this edition has.
 *
 * Return: as madkit_set().
 */
int madkit_attribute_set(const struct madkit_attribute *attribute, uint8_t *data, size_t len,
			 const char *name, const char *text, struct madkit_place *place,
			 struct madkit_error *error);

/*
 * madkit_attribute_find - find an attribute by its name
 * @name:        "NodeInfo", "ni", "PerfMgt:ClassPortInfo", or a number if the class is known
 * @mgmt_class:  class to search, or -1 for all classes. SubnMgt is preferred to SubnMgtDR, which has
 *               the same attributes.
 * @found_class: receives the class
 * @id:          receives the attribute ID
 * @attribute:   receives the attribute; NULL for a number that is not in the tables
 * @error:       receives the reason of a failure, or NULL
 *
 * Return: 0; -ENOENT if there is no such attribute; -EEXIST if several classes have the name (@error
 * lists them).
 */
int madkit_attribute_find(const char *name, int mgmt_class, uint8_t *found_class, uint16_t *id,
			  const struct madkit_attribute **attribute, struct madkit_error *error);

/*
 * madkit_attribute_offset - return where the data of an attribute begins in a MAD
 * @base_version: base version of the MAD
 * @mgmt_class:   class of the MAD
 * @attribute:    the attribute; NULL: not known
 *
 * Return: bytes from the start of the MAD.
 */
size_t madkit_attribute_offset(uint8_t base_version, uint8_t mgmt_class,
			       const struct madkit_attribute *attribute);

/* ---- the blocks of a table ---------------------------------------------------------
 * An attribute with instances (struct madkit_instances) is a table of a node or of each of its ports. A
 * request gets one block of it, which the attribute modifier selects. How many blocks there are depends on
 * other attributes of the node.
 */

/* The known properties of a node. */
struct madkit_blocks_node {
	bool is_switch;
	uint8_t nports; /* NodeInfo:NumPorts */
	/* Gets the field of an attribute of the node: of PortInfo, that of this port. Returns 0; 1 if it is
	 * not known; or a negative error, which ends the list. */
	int (*value)(void *context, const char *attribute, const char *field, unsigned int port,
		     uint64_t *value);
	void *context;
};

/* Modifiers, in the order in which the blocks are requested. */
struct madkit_blocks_list {
	uint32_t *modifiers; /* the caller's; NULL: they are only counted */
	size_t max;          /* room in modifiers */
	size_t n;
	/* The number of blocks of a run is not known: the first one is in the list, and the last modifier of
	 * the list is that of the first block that may be missing. */
	bool unknown;
};

/*
 * madkit_blocks_ports - return which ports of a node have a table
 * @instances: of the attribute
 * @node:      the node
 * @first:     receives the first port; 0 if the node has one table
 * @last:      receives the last port
 *
 * Return: 0, or the result of value() if it did not return 0.
 */
int madkit_blocks_ports(const struct madkit_instances *instances, const struct madkit_blocks_node *node,
			unsigned int *first, unsigned int *last);

/*
 * madkit_blocks_base - return the bits of a modifier that select the port
 * @instances: of the attribute
 * @is_switch: the node is a switch; others may have no port in the modifier
 * @port:      number of the port
 *
 * Return: the bits.
 */
uint32_t madkit_blocks_base(const struct madkit_instances *instances, bool is_switch, unsigned int port);

/*
 * madkit_blocks_shift - return the position of the number of a block in a modifier
 * @instances: of the attribute
 *
 * Return: bits from the end. If a table exists for each input port, the block is the input port.
 */
unsigned int madkit_blocks_shift(const struct madkit_instances *instances);

/*
 * madkit_blocks_all - append the modifiers of all blocks of the table of a port, or of a node
 * @instances: of the attribute
 * @node:      the node
 * @port:      number of the port; of a table of a node, the port through which it is queried (of a
 *             switch: 0)
 * @base:      bits of each modifier, usually those of madkit_blocks_base()
 * @list:      the list; unknown is set anew
 *
 * Return: 0; -ENOENT if only switches have the table; -E2BIG if the list is full; or an error of value().
 */
int madkit_blocks_all(const struct madkit_instances *instances, const struct madkit_blocks_node *node,
		      unsigned int port, uint32_t base, struct madkit_blocks_list *list);

MADKIT_END_DECLS
#endif
