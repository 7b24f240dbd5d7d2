/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A response about something else than its request. */
#include <errno.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "tests/tap.h"
#include "util/array_size.h"
#include "util/bits.h"

struct response_case {
	uint8_t mgmt_class;
	uint8_t method;
	uint16_t attribute;
	uint32_t modifier;
	uint8_t request[MADKIT_MAD_BYTES], response[MADKIT_MAD_BYTES];
	struct madkit_error error;
};

static void response_begin(struct response_case *c, uint8_t mgmt_class, uint8_t method, uint16_t attribute,
			   uint32_t modifier)
{
	const struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.tid = 7,
		.attribute = attribute,
		.modifier = modifier,
	};

	*c = (struct response_case){ .mgmt_class = mgmt_class };
	madkit_header_put(c->request, sizeof(c->request), &h);
	memcpy(c->response, c->request, sizeof(c->response));
	c->response[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
}

static int response_judge(struct response_case *c)
{
	c->error.text[0] = '\0';
	return madkit_response_check(c->request, sizeof(c->request), c->response, sizeof(c->response),
				     &c->error);
}

static int response_with_modifier(struct response_case *c, uint32_t modifier)
{
	put_be32(c->response + MADKIT_MAD_MODIFIER, modifier);
	return response_judge(c);
}

/* The modifiers that select an instance according to the IBA (volume 1, sections 14.2.5, 16.1.4, 16.3.3,
 * annex A10.4.3) and Mellanox. A response with an attribute that is not listed may have any modifier. */
static const struct {
	uint8_t mgmt_class;
	uint16_t attribute;
	uint32_t bits;
} response_selects[] = {
	{ 0x01, 0x14, UINT32_MAX }, /* GUIDInfo: block */
	{ 0x01, 0x15, 0x7fffffff }, /* PortInfo: port; bit 31 asks for extended speeds */
	{ 0x01, 0x16, UINT32_MAX }, /* P_KeyTable */
	{ 0x01, 0x17, UINT32_MAX }, /* SLtoVLMappingTable */
	{ 0x01, 0x18, UINT32_MAX }, /* VLArbitrationTable */
	{ 0x01, 0x19, UINT32_MAX }, /* LinearForwardingTable */
	{ 0x01, 0x1a, UINT32_MAX }, /* RandomForwardingTable */
	{ 0x01, 0x1b, UINT32_MAX }, /* MulticastForwardingTable */
	{ 0x01, 0x30, UINT32_MAX }, /* VendorDiag */
	{ 0x01, 0x33, UINT32_MAX }, /* PortInfoExtended */
	{ 0x01, 0xff90, UINT32_MAX },
	{ 0x04, 0x10, UINT32_MAX }, /* PortSamplesControl and results: sampling mechanism */
	{ 0x04, 0x11, UINT32_MAX },
	{ 0x04, 0x1e, UINT32_MAX },
	{ 0x06, 0x11, UINT32_MAX }, /* IOControllerProfile, ServiceEntries: slot */
	{ 0x06, 0x12, UINT32_MAX },
	{ 0x0a, 0x51, UINT32_MAX }, /* AccessRegisterGMP: register */
	{ 0x0a, 0x90, UINT32_MAX }, /* ports */
	{ 0x0a, 0x91, UINT32_MAX },
	{ 0x21, 0x15, UINT32_MAX }, /* SwitchPortCongestionSetting, CongestionControlTable: block */
	{ 0x21, 0x17, UINT32_MAX },
};

static uint32_t response_bits(uint8_t mgmt_class, uint16_t attribute)
{
	if (mgmt_class == MADKIT_CLASS_SUBN_DR)
		mgmt_class = MADKIT_CLASS_SUBN;
	for (size_t i = 0; i < ARRAY_SIZE(response_selects); i++)
		if (response_selects[i].mgmt_class == mgmt_class &&
		    response_selects[i].attribute == attribute)
			return response_selects[i].bits;
	return 0;
}

/* Every attribute of every class, Get and Set, each bit of the modifier. */
static void response_modifiers(void)
{
	size_t nclasses;
	const struct madkit_class *classes = madkit_classes(&nclasses);

	for (size_t i = 0; i < nclasses; i++) {
		for (size_t k = 0; k < classes[i].nattributes; k++) {
			const struct madkit_attribute *a = &classes[i].attributes[k];
			const uint8_t id = classes[i].id;
			const uint32_t bits = classes[i].oui ? 0 : response_bits(id, a->id);
			uint32_t found[2] = { 0 };

			for (unsigned int bit = 0; bit < 32; bit++) {
				for (uint8_t method = 1; method <= 2; method++) {
					struct response_case c;

					response_begin(&c, id, method, a->id, a->modifier_value);
					if (response_with_modifier(&c, a->modifier_value ^ UINT32_C(1)
												   << bit))
						found[method - 1] |= UINT32_C(1) << bit;
				}
			}
			ok(found[0] == bits && found[1] == bits,
			   "W11: %s:%s: bits 0x%x of the modifier select (0x%x, 0x%x)", classes[i].name,
			   a->name, bits, found[0], found[1]);
		}
	}
}

/* Fields that select: PortSelect is the second byte of all sets of counters (IBA volume 1, section 16.1.3). */
static void response_fields(void)
{
	static const struct {
		uint8_t mgmt_class;
		uint16_t attribute;
		size_t at;
		const char *word;
	} fields[] = {
		{ 0x04, 0x12, 65, "port" }, { 0x04, 0x15, 65, "port" }, { 0x04, 0x1d, 65, "port" },
		{ 0x04, 0x1f, 65, "port" }, { 0x04, 0x30, 65, "port" }, { 0x04, 0x37, 65, "port" },
		{ 0x04, 0x10, 65, "port" }, { 0x04, 0x19, 65, "port" }, { 0x0a, 0x51, 33, "Block" },
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		for (uint8_t method = 1; method <= 2; method++) {
			struct response_case c;

			response_begin(&c, fields[i].mgmt_class, method, fields[i].attribute, 0);
			c.request[fields[i].at] = c.response[fields[i].at] = 3;
			c.response[100] = 0xff;
			is_int(response_judge(&c), 0, "W11: class 0x%x attribute 0x%x: other data is data",
			       fields[i].mgmt_class, fields[i].attribute);
			c.response[fields[i].at] = 7;
			is_int(response_judge(&c), -EBADMSG, "W11: ... byte %zu selects", fields[i].at);
			snprintf(text, sizeof(text),
				 "the response is about %s 7, and the request asked for %s 3", fields[i].word,
				 fields[i].word);
			is_str(c.error.text, text, "W11: ... both values are named");
			c.response[5] = 0x1c;
			is_int(response_judge(&c), 0, "W11: a refusal need not have the fields");
		}
	}
}

static void response_attributes(void)
{
	struct response_case c;

	response_begin(&c, 0x01, 0x01, 0x11, 0);
	c.response[17] = 0x12;
	is_int(response_judge(&c), -EBADMSG, "W11: another attribute");
	is_str(c.error.text, "the response is about SwitchInfo, and the request asked for NodeInfo",
	       "W11: ... by name");
	c.response[5] = 0x1c;
	is_int(response_judge(&c), -EBADMSG, "W11: ... also with a status");
	c.response[16] = 0x12;
	response_judge(&c);
	is_str(c.error.text, "the response is about 0x1212, and the request asked for NodeInfo",
	       "W11: ... or by number");

	response_begin(&c, 0x30, 0x01, 0x77, 5);
	is_int(response_with_modifier(&c, 6), 0, "W11: the modifier of an unknown attribute says nothing");
	c.response[17] = 0x78;
	is_int(response_judge(&c), -EBADMSG, "W11: ... but the attribute is another one");

	response_begin(&c, 0x04, 0x01, 0x12, 0);
	c.response[17] = 0x01;
	is_int(response_judge(&c), -EBADMSG, "W11: a ClassPortInfo that was not requested");
	c.response[5] = MADKIT_STATUS_REDIRECT;
	is_int(response_judge(&c), 0, "W11: ... is a redirection with that status");
	c.response[17] = 0x02;
	is_int(response_judge(&c), -EBADMSG, "W11: ... and nothing else is");

	response_begin(&c, 0x03, 0x14, 0x3a, 0);
	c.response[17] = 0x35;
	is_int(response_judge(&c), 0, "W11: the SA's MultiPathRecord is answered by PathRecord");
	response_begin(&c, 0x03, 0x13, 0x35, 0);
	c.response[17] = 0x39;
	is_int(response_judge(&c), 0, "W11: ... GetTraceTable by TraceRecord");
	response_begin(&c, 0x03, 0x12, 0x11, 0);
	memset(c.response + 56, 0x55, 200);
	is_int(response_with_modifier(&c, 9), 0, "W11: records of the SA may have anything");
	response_begin(&c, 0x05, 0x03, 0x20, 0);
	c.response[3] = 0x03;
	is_int(response_with_modifier(&c, 1), 0, "W11: baseboard management sets bit 0 of the modifier");
}

static void response_texts(void)
{
	struct response_case c;

	response_begin(&c, 0x01, 0x01, 0x19, 0);
	response_with_modifier(&c, 3);
	is_str(c.error.text, "the response is about block 3, and the request asked for block 0",
	       "W11: a modifier that is one number has its meaning");
	response_begin(&c, 0x81, 0x01, 0x16, 0x10000);
	put_be16(c.response + MADKIT_MAD_STATUS, 0x8000);
	response_with_modifier(&c, 0x20000);
	is_str(c.error.text,
	       "the response has the modifier 0x20000, and the request 0x10000 (port << 16 | block)",
	       "W11: one of several parts is a number; the direction bit is no status");
	is_int(madkit_response_check(c.request, 20, c.response, 256, &c.error), 0, "W11: no request");
	is_int(madkit_response_check(c.request, 256, c.response, 20, &c.error), 0, "W11: no response");
	response_begin(&c, 0x04, 0x01, 0x12, 0);
	c.response[65] = 1;
	is_int(madkit_response_check(c.request, 256, c.response, 65, NULL), 0,
	       "W11: a field that is cut off");
	is_int(madkit_response_check(c.request, 256, c.response, 66, NULL), -EBADMSG,
	       "W11: ... and one that is not");
}

/* The modifiers of SMPs are compared first, and their data is not looked at if they are equal. */
static void response_of_smps(void)
{
	const struct madkit_class *subn = madkit_class_get(MADKIT_CLASS_SUBN);
	unsigned int selectors = 0;

	for (unsigned int i = 0; i < subn->nattributes; i++)
		for (unsigned int j = 0; j < subn->attributes[i].layout->nfields; j++)
			selectors += !!(subn->attributes[i].layout->fields[j].flags & MADKIT_FIELD_SELECTOR);
	is_int(selectors, 0, "W11: nothing in the data of an SMP selects");
}

/* ---- registers ----------------------------------------------------------------------- */

#define REGISTER_BLOCK_AT 32

static void response_put_field(uint8_t *mad, const struct madkit_field *f, uint64_t value)
{
	madkit_field_put(f, 0, mad + REGISTER_BLOCK_AT, MADKIT_MAD_BYTES - REGISTER_BLOCK_AT, value);
}

/* Begins a request for a register that has another value in each field that selects, and its response. */
static unsigned int response_begin_register(struct response_case *c, const struct madkit_attribute *a)
{
	unsigned int n = 0;

	response_begin(c, 0x0a, 0x01, a->id, a->modifier_value);
	for (unsigned int i = 0; i < a->layout->nfields; i++)
		if (a->layout->fields[i].flags & MADKIT_FIELD_INDEX) {
			response_put_field(c->request, &a->layout->fields[i], 1);
			n++;
		}
	madkit_attribute_choose(a, c->request + REGISTER_BLOCK_AT, MADKIT_MAD_BYTES - REGISTER_BLOCK_AT);
	memcpy(c->response + REGISTER_BLOCK_AT, c->request + REGISTER_BLOCK_AT,
	       MADKIT_MAD_BYTES - REGISTER_BLOCK_AT);
	return n;
}

/* One field that selects differs, or is 0, and the others are those of the request. */
static void response_of_index(const struct madkit_attribute *a, const struct madkit_field *f, bool alone)
{
	struct response_case c;
	uint64_t asked;
	int zero;

	response_begin_register(&c, a);
	madkit_field_get(f, 0, c.request + REGISTER_BLOCK_AT, MADKIT_MAD_BYTES - REGISTER_BLOCK_AT, &asked);
	response_put_field(c.response, f, asked ^ (f->width > 1 ? 2 : 1));
	is_int(response_judge(&c), f->width > 1 || !alone ? -EBADMSG : 0, "%s: another %s", a->name, f->name);
	response_begin_register(&c, a);
	response_put_field(c.response, f, 0);
	zero = response_judge(&c);
	is_int(zero, !asked || alone ? 0 : -EBADMSG, "%s: %s is not echoed, and others are", a->name,
	       f->name);
}

static void response_of_register(const struct madkit_attribute *a)
{
	struct response_case c;
	const unsigned int n = response_begin_register(&c, a);
	bool cut = true;

	is_int(response_judge(&c), 0, "%s: its %u indices", a->name, n);
	for (unsigned int i = 0; i < a->layout->nfields; i++)
		if (a->layout->fields[i].flags & MADKIT_FIELD_INDEX)
			response_of_index(a, &a->layout->fields[i], n == 1);
	response_begin_register(&c, a);
	memset(c.response + REGISTER_BLOCK_AT, 0, MADKIT_MAD_BYTES - REGISTER_BLOCK_AT);
	is_int(response_judge(&c), 0, "%s: no index is echoed", a->name);
	put_be16(c.response + REGISTER_BLOCK_AT, 1);
	is_int(response_judge(&c), -EBADMSG, "%s: another block", a->name);
	for (unsigned int status = 4; status < 0x10000; status = status * 2 + 1) {
		put_be16(c.response + MADKIT_MAD_STATUS, (uint16_t)status);
		cut &= !response_judge(&c);
	}
	ok(cut, "%s: a status needs no data", a->name);
	response_begin_register(&c, a);
	for (size_t len = 0; len <= MADKIT_MAD_BYTES; len++)
		cut &= !madkit_response_check(c.request, sizeof(c.request), c.response, len, NULL) &&
		       !madkit_response_check(c.request, len, c.response, sizeof(c.response), NULL);
	ok(cut, "%s: cut at any length", a->name);
	is_int(response_with_modifier(&c, a->modifier_value ^ 0x8000), -EBADMSG, "%s: another register",
	       a->name);
}

/* The second block has no indices: it begins with byte 220 of the register. */
static void response_of_second_block(const struct madkit_attribute *a)
{
	struct response_case c;

	response_begin_register(&c, a);
	put_be16(c.request + REGISTER_BLOCK_AT, 1);
	memset(c.response + REGISTER_BLOCK_AT, 0xa5, MADKIT_MAD_BYTES - REGISTER_BLOCK_AT);
	put_be16(c.response + REGISTER_BLOCK_AT, 1);
	is_int(response_judge(&c), 0, "%s: the second block", a->name);
	put_be16(c.response + REGISTER_BLOCK_AT, 2);
	is_int(response_judge(&c), -EBADMSG, "%s: the third block in its place", a->name);
	put_be16(c.response + REGISTER_BLOCK_AT, 0);
	is_int(response_judge(&c), -EBADMSG, "%s: the first block in its place", a->name);
}

static void response_registers(void)
{
	const struct madkit_class *mlnx = madkit_class_get(0x0a);

	for (unsigned int i = 0; i < mlnx->nattributes; i++) {
		const struct madkit_attribute *a = &mlnx->attributes[i];

		if (a->id != 0x51 || !a->modifier_mask)
			continue;
		response_of_register(a);
		if (a->neditions)
			response_of_second_block(a);
	}
}

int main(void)
{
	response_registers();
	response_of_smps();
	response_modifiers();
	response_fields();
	response_attributes();
	response_texts();
	return tap_done();
}
