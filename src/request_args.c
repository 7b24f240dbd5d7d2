/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "request_args.h"
#include "suggest.h"

/* What is sent in one message at most. */
#define DATA_MAX (64u << 20)

/* ---- payloads ------------------------------------------------------------------ */

/* Hex digits, in pairs; blanks and colons between pairs are fine. */
static int read_hex(const char *text, struct madkit_buf *data)
{
	const char *p = text;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	while (*p) {
		int high, low;

		if (*p == ' ' || *p == ':') {
			p++;
			continue;
		}
		high = cli_hex_digit(p[0]);
		low = high < 0 ? -1 : cli_hex_digit(p[1]);
		if (low < 0)
			return cli_usage_error("data '%.64s' is not hex: see position %d",
					       text, (int)(p - text));
		madkit_buf_char(data, (char)(high << 4 | low));
		p += 2;
	}
	return 0;
}

static int read_file(const char *path, struct madkit_buf *data)
{
	FILE *file = fopen(path, "re");
	char chunk[4096];
	size_t n;
	int ret = 0;

	if (!file) {
		cli_say("cannot read '%s': %s", path, strerror(errno));
		return EXIT_LOCAL;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), file)) && !data->error)
		madkit_buf_add(data, chunk, n);
	if (ferror(file)) {
		cli_say("cannot read '%s': %s", path, strerror(errno));
		ret = EXIT_LOCAL;
	}
	fclose(file);
	return ret;
}

/* The bytes of data=HEX or data=@FILE, if the words have one. */
static int read_data(struct request *r, struct madkit_buf *data, bool *given)
{
	int ret = 0;

	*given = false;
	for (int i = 0; i < r->nfields && !ret; i++) {
		const char *text = r->fields[i];

		if (strncasecmp(text, "data=", 5))
			continue;
		if (*given)
			return cli_usage_error("data is given twice");
		*given = true;
		text += 5;
		ret = *text == '@' ? read_file(text + 1, data) : read_hex(text, data);
	}
	if (!ret && data->error) {
		if (data->error == -EFBIG)
			cli_say("data has more than %u bytes", DATA_MAX);
		else
			cli_say("data: %s", strerror(-data->error));
		ret = EXIT_LOCAL;
	}
	return ret;
}

/* ---- the parts of a request ------------------------------------------------------ */

bool request_waits(uint8_t method)
{
	switch (method) {
	case MADKIT_METHOD_SEND:
	case MADKIT_METHOD_TRAP:
	case MADKIT_METHOD_REPORT:
	case MADKIT_METHOD_TRAP_REPRESS:
		return false;
	default:
		return !(method & MADKIT_METHOD_RESPONSE);
	}
}

/* In infiniband-diags the attribute stands alone, or first. */
static int method_missing(const char *attribute)
{
	return cli_usage_error("'%s' is an attribute: the method stands before it, as in Get %s",
			       attribute, attribute);
}

/* A modifier that was given chooses the row, a row that was named the modifier. */
static void choose_row(struct request *r)
{
	if (r->header.modifier & r->attribute->modifier_mask)
		r->attribute = madkit_attribute_row(r->attribute, r->header.modifier);
	else
		r->header.modifier |= r->attribute->modifier_value;
}

void request_name(struct request *r)
{
	const char *name = madkit_method_name(r->header.mgmt_class, r->header.method);
	char text[20];

	if (r->attribute)
		snprintf(r->attribute_name, sizeof(r->attribute_name), "%s",
			 r->attribute->name);
	else
		snprintf(r->attribute_name, sizeof(r->attribute_name),
			 "%s attribute 0x%04x",
			 madkit_class_name(r->header.mgmt_class, text),
			 r->header.attribute);
	if (name)
		snprintf(r->method_name, sizeof(r->method_name), "%s", name);
	else
		snprintf(r->method_name, sizeof(r->method_name), "method 0x%02x",
			 r->header.method);
}

static int find_names(const struct cli_options *o, char **words,
		      struct request *r)
{
	struct madkit_error error = { .text = "" };
	int class = o->have_class ? o->mgmt_class : -1;
	char near[SUGGESTION_MAX] = "";
	char text[20];
	int ret = madkit_attribute_find(words[1], class, &r->header.mgmt_class,
					&r->header.attribute, &r->attribute, &error);

	if (ret)
		return is_attribute_name(words[0]) ? method_missing(words[0]) :
			cli_usage_error("%s%s", error.text, ret == -ENOENT ?
				suggest_attribute(words[1], class, near) : "");
	/* a number may be one of a vendor's */
	if (!r->attribute && o->have_oui)
		r->attribute = madkit_attribute_vendor(r->header.mgmt_class, o->oui,
						       r->header.attribute);
	if (r->attribute) {
		r->oui = madkit_attribute_oui(r->attribute);
		choose_row(r);
	}
	if (madkit_method_find(r->header.mgmt_class, words[0], &r->header.method)) {
		if (is_attribute_name(words[0]))
			return method_missing(words[0]);
		if (!*suggest_record(words[0], r->attribute, near))
			suggest_method(words[0], r->header.mgmt_class, near);
		return cli_usage_error("unknown method '%s' of class %s%s", words[0],
			madkit_class_name(r->header.mgmt_class, text), near);
	}
	request_name(r);
	return 0;
}

/* Which way an SMP goes, and whether the words about it agree. */
int request_route(const struct cli_options *o, struct request *r)
{
	int n = (o->have_lid && !o->have_gid) + o->have_guid + o->have_gid +
		(o->name != NULL) + (o->have_direct && !o->have_lid);

	if (n > 1 || (o->have_direct && o->have_gid))
		return cli_usage_error("more than one destination: one of -L, -D, -L with -D, -G, --gid (with -L), --name");
	r->to = o->addr;
	r->smp = madkit_class_is_smi(r->header.mgmt_class);
	if (o->have_direct && !r->smp)
		return cli_usage_error("%s is no SMP: -D takes subnet management alone; use -L, -G, --gid or --name",
				       r->attribute_name);
	if (o->addr.qkey != MADKIT_QKEY_GSI)
		return cli_usage_error("--qkey 0x%08x would be ignored: umad sends 0x%08x whatever it is told",
				       o->addr.qkey, MADKIT_QKEY_GSI);
	if (o->have_grh_field && !o->have_gid)
		return cli_usage_error("--gid-index, --hop-limit, --traffic-class and --flow-label are of the GRH, which needs --gid");
	r->to.grh = o->have_gid;
	if (!o->have_qp)
		r->to.qp = r->smp ? 0 : 1;
	if (r->smp)
		r->to.qkey = 0;
	if (o->have_lid)
		r->to.lid = o->lid;
	if (!r->smp)
		return 0;
	if (o->have_direct || !n) {
		/* from here on, or from the LID on */
		r->header.mgmt_class = MADKIT_CLASS_SUBN_DR;
		r->to.direct = true;
		r->to.dr_slid = MADKIT_LID_PERMISSIVE;
		r->to.dr_dlid = MADKIT_LID_PERMISSIVE;
		if (!o->have_lid)
			r->to.lid = MADKIT_LID_PERMISSIVE;
	} else {
		r->header.mgmt_class = MADKIT_CLASS_SUBN;
	}
	return 0;
}

static size_t data_room(const struct request *r)
{
	const struct madkit_class *class = madkit_class_get(r->header.mgmt_class);

	if (class && !(r->attribute && r->attribute->offset))
		return class->bytes;
	return madkit_mad_bytes(r->header.base_version) - r->data_offset;
}

static int check_vendor(const struct cli_options *o, struct request *r)
{
	char text[20];
	const char *name = madkit_class_name(r->header.mgmt_class, text);

	if (r->vendor2 && !r->oui && !o->have_oui)
		return cli_usage_error("class %s needs --oui", name);
	if (r->oui && o->have_oui && r->oui != o->oui)
		return cli_usage_error("%s is of OUI 0x%06x, not of --oui 0x%06x",
				       r->attribute_name, r->oui, o->oui);
	if (!r->vendor2 && o->have_oui)
		return cli_usage_error("class %s has no OUI: --oui is for classes 0x30 to 0x4f",
				       name);
	if (o->oui > 0xffffff)
		return cli_usage_error("--oui 0x%x does not fit 24 bits", o->oui);
	if (o->have_oui)
		r->oui = o->oui;
	return 0;
}

/* Room for headers and data; a long payload makes it an RMPP message. */
static int make_mad(const struct cli_options *o, struct request *r)
{
	struct madkit_buf data;
	bool given, rmpp = madkit_class_is_rmpp(r->header.mgmt_class);
	char text[20];
	size_t room;
	int ret;

	madkit_buf_init(&data, DATA_MAX);
	ret = read_data(r, &data, &given);
	if (ret)
		goto out;
	if (o->rmpp == RMPP_KERNEL && !rmpp) {
		ret = cli_usage_error("class %s carries no RMPP: --rmpp none",
				      madkit_class_name(r->header.mgmt_class, text));
		goto out;
	}
	r->rmpp_version = rmpp && o->rmpp != RMPP_NONE ? MADKIT_RMPP_VERSION : 0;
	r->data_offset = madkit_attribute_offset(r->header.base_version,
						 r->header.mgmt_class, r->attribute);
	room = data_room(r);
	if (data.len > room && !r->rmpp_version) {
		ret = cli_usage_error("data of %zu bytes does not fit: %s holds %zu%s",
			data.len, madkit_class_name(r->header.mgmt_class, text), room,
			rmpp ? " without RMPP" : "");
		goto out;
	}
	r->data_len = data.len > room ? data.len : room;
	r->len = data.len > room ? r->data_offset + data.len :
				   madkit_mad_bytes(r->header.base_version);
	r->mad = calloc(1, r->len);
	if (!r->mad) {
		cli_say("out of memory");
		ret = EXIT_LOCAL;
		goto out;
	}
	if (data.len)
		memcpy(r->mad + r->data_offset, data.data, data.len);
	if (data.len > room) {
		madkit_rmpp_set_version(r->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(r->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(r->mad, MADKIT_RMPP_ACTIVE);
		madkit_rmpp_set_resptime(r->mad, MADKIT_RMPP_RESPTIME_UNSPECIFIED);
	}
out:
	madkit_buf_free(&data);
	return ret;
}

/* A field of what the data is so far. */
static int find_field(const struct request *r, const char *name, size_t len,
		      struct madkit_place *place)
{
	return madkit_attribute_place(r->attribute, r->mad + r->data_offset,
				      r->data_len, name, len, place, NULL);
}

/* Whether one of the first n words sets the same place, under whatever name. */
static bool is_set_before(const struct request *r, int n,
			  const struct madkit_place *place)
{
	struct madkit_place other;

	for (int i = 0; i < n; i++) {
		const char *text = r->fields[i];

		if (!find_field(r, text, strcspn(text, "="), &other) &&
		    other.field == place->field && other.base == place->base &&
		    other.index == place->index && other.whole == place->whole)
			return true;
	}
	return false;
}

/* Attributes of PerfMgt name the port in their data (IBA volume 1, section 16.1.3). */
static bool has_port_select(const struct request *r, struct madkit_place *place)
{
	return r->header.mgmt_class == MADKIT_CLASS_PERF && r->attribute &&
	       r->attribute->layout && !r->attribute->modifier &&
	       !madkit_place_find(r->attribute->layout, "PortSelect", 10, place, NULL);
}

/* A modifier that nobody looks at, where the port was meant. */
static int check_modifier(const struct request *r)
{
	struct madkit_place place;
	uint64_t port;

	if (!r->header.modifier || !has_port_select(r, &place) ||
	    request_value(r, "PortSelect", &port) || port)
		return 0;
	return cli_usage_error("%s takes no modifier: the port is PortSelect=%u",
			       r->attribute_name, r->header.modifier);
}

/* What madkit_set() says, with the name that was meant where it knows none. */
static int field_error(const struct request *r, const char *name,
		       const struct madkit_error *error)
{
	char near[SUGGESTION_MAX] = "";
	struct madkit_place place;
	bool prefixed = !strncmp(error->text, r->attribute_name,
				 strlen(r->attribute_name));

	bool unknown = madkit_attribute_place(r->attribute, NULL, 0, name, strlen(name),
					      &place, NULL) == -ENOENT;

	if (unknown)
		suggest_field(name, r->attribute->layout, near);
	return cli_usage_error("%s%s%s%s%s%s", prefixed ? "" : r->attribute_name,
			       prefixed ? "" : ": ", error->text, near,
			       unknown ? "; see madsend --describe " : "",
			       unknown ? r->attribute_name : "");
}

/* Sets a field of the class's header, which every class that is asked for it has. */
static void put_header(struct request *r, const char *name, uint64_t value)
{
	const struct madkit_class *class = madkit_class_get(r->header.mgmt_class);
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	madkit_set(class->header, r->mad, r->len, name, text, NULL, NULL);
}

/* The SA components that a word has set: of an array as many elements as it has
 * values. */
static uint64_t components(const struct madkit_place *place, const char *value)
{
	struct madkit_place element = *place;
	uint64_t mask;

	element.whole = 0;
	mask = madkit_place_mask(&element);
	while (place->whole && (value = strchr(value, ','))) {
		value++;
		element.index++;
		mask |= madkit_place_mask(&element);
	}
	return mask;
}

/* In infiniband-diags a port follows as a word of its own. */
static int not_a_field(const struct request *r, const char *word)
{
	const char *modifier = r->attribute ? r->attribute->modifier : NULL;
	struct madkit_place place;
	uint64_t port;

	if (!madkit_parse_number(word, strlen(word), UINT8_MAX, "port", &port, NULL)) {
		if (modifier && !strcmp(modifier, "port"))
			return cli_usage_error("'%s' is not Field=value; the port is -m %s",
					       word, word);
		if (has_port_select(r, &place))
			return cli_usage_error("'%s' is not Field=value; the port is PortSelect=%s",
					       word, word);
	}
	return cli_usage_error("'%s' is not Field=value", word);
}

/* Sets the field that word i names, if it is one of those that the attribute has
 * whatever its data says (common), or if it is none of them. */
static int set_field(struct request *r, int i, bool common, uint64_t *mask)
{
	const struct madkit_layout *layout = r->attribute ? r->attribute->layout : NULL;
	struct madkit_error error = { .text = "" };
	struct madkit_place place;
	char name[MADKIT_PATH_MAX];
	const char *value = strchr(r->fields[i], '=');
	size_t n;
	bool is_common;

	if (!value)
		return not_a_field(r, r->fields[i]);
	n = (size_t)(value++ - r->fields[i]);
	if (n == 4 && !strncasecmp(r->fields[i], "data", 4))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)n, r->fields[i]);
	if (!layout)
		return cli_usage_error("no table knows the fields of %s: '%s' cannot be set; give data=HEX",
				       r->attribute_name, name);
	is_common = madkit_place_find(layout, name, strlen(name), &place, NULL) != -ENOENT;
	if (is_common != common)
		return 0;
	if (madkit_attribute_set(r->attribute, r->mad + r->data_offset, r->data_len,
				 name, value, &place, &error))
		return field_error(r, name, &error);
	if (is_set_before(r, i, &place))
		return cli_usage_error("%s: %s is given twice", r->attribute_name, name);
	*mask |= components(&place, value);
	return 0;
}

int request_set_fields(const struct cli_options *o, struct request *r)
{
	uint64_t mask = 0;
	int ret = 0;

	/* what others there are, these may choose */
	for (int i = 0; i < r->nfields && !ret; i++)
		ret = set_field(r, i, true, &mask);
	for (int i = 0; i < r->nfields && !ret; i++)
		ret = set_field(r, i, false, &mask);
	if (ret)
		return ret;
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		put_header(r, "component_mask", o->have_comp_mask ? o->comp_mask : mask);
	else if (o->have_comp_mask)
		return cli_usage_error("%s has no component mask: --comp-mask is for the SA",
				       r->attribute_name);
	return 0;
}

/* How many elements a value names. */
static unsigned int elements(const char *value)
{
	unsigned int n = 1;

	while ((value = strchr(value, ','))) {
		value++;
		n++;
	}
	return n;
}

/* Whether one of the words sets all of a field that is not nested. */
static bool is_given(const struct request *r, const struct madkit_field *field)
{
	for (int i = 0; i < r->nfields; i++) {
		const char *text = r->fields[i];
		size_t n = strcspn(text, "=");
		struct madkit_place place;

		if (text[n] && field->kind != MADKIT_KIND_STRUCT &&
		    !madkit_place_find(r->attribute->layout, text, n, &place, NULL) &&
		    place.field == field && (!field->count || (place.whole &&
		    elements(text + n + 1) == field->count)))
			return true;
	}
	return false;
}

bool request_is_whole(const struct request *r)
{
	const struct madkit_layout *layout = r->attribute ? r->attribute->layout : NULL;

	for (unsigned int i = 0; layout && i < layout->nfields; i++)
		if (layout->fields[i].kind != MADKIT_KIND_RESERVED &&
		    !is_given(r, &layout->fields[i]))
			return false;
	return layout != NULL;
}

int request_value(const struct request *r, const char *name, uint64_t *value)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_REQUEST, .attribute = r->attribute,
		.mad = r->mad, .len = r->len,
	};
	struct madkit_record record;

	madkit_record_get(&message, 0, &record);
	return madkit_record_value(&record, name, value);
}

void request_put_route(struct request *r)
{
	if (r->to.direct)
		madkit_smp_put_route(r->mad, &r->to, 0);
}

void request_put_keys(const struct cli_options *o, struct request *r)
{
	if (r->smp)
		put_header(r, "m_key", o->m_key);
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		put_header(r, "sm_key", o->sm_key);
	if (r->vendor2)
		put_header(r, "oui", r->oui);
}

int request_build(const struct cli_options *o, char **words, int nwords,
		  struct request *r)
{
	int ret;

	memset(r, 0, sizeof(*r));
	if (nwords < 1)
		return cli_usage_error("METHOD and ATTRIBUTE are missing: for example Get NodeInfo");
	if (nwords < 2)
		return is_attribute_name(words[0]) ? method_missing(words[0]) :
			cli_usage_error("ATTRIBUTE is missing after '%s'", words[0]);
	r->header.base_version = MADKIT_BASE_VERSION_IB;
	r->header.modifier = o->modifier;
	r->fields = words + 2;
	r->nfields = nwords - 2;
	ret = find_names(o, words, r);
	if (!ret)
		ret = request_route(o, r);
	if (ret)
		return ret;
	r->header.class_version = o->class_version ? o->class_version :
				  madkit_class_version(r->header.mgmt_class);
	r->expects_response = request_waits(r->header.method) && !cli_flag(o, OPT_NO_RESPONSE);
	r->vendor2 = madkit_class_is_vendor2(r->header.mgmt_class);
	ret = check_vendor(o, r);
	if (!ret)
		ret = make_mad(o, r);
	if (ret)
		return ret;
	madkit_header_put(r->mad, r->len, &r->header);
	request_put_keys(o, r);
	request_put_route(r);
	ret = request_set_fields(o, r);
	return ret ? ret : check_modifier(r);
}

int request_derive(const struct request *r, const char *attribute,
		   uint32_t modifier, struct request *d)
{
	*d = *r;
	d->mad = NULL;
	d->nfields = 0;
	if (madkit_attribute_find(attribute, r->header.mgmt_class,
				  &d->header.mgmt_class, &d->header.attribute,
				  &d->attribute, NULL))
		return -ENOENT;
	d->header.method = MADKIT_METHOD_GET;
	d->header.modifier = modifier;
	snprintf(d->attribute_name, sizeof(d->attribute_name), "%s", attribute);
	snprintf(d->method_name, sizeof(d->method_name), "Get");
	d->expects_response = true;
	d->len = madkit_mad_bytes(d->header.base_version);
	d->data_offset = madkit_attribute_offset(d->header.base_version,
						 d->header.mgmt_class, d->attribute);
	d->data_len = data_room(d);
	d->mad = calloc(1, d->len);
	if (!d->mad)
		return -ENOMEM;
	memcpy(d->mad, r->mad, d->data_offset);
	madkit_header_put(d->mad, d->len, &d->header);
	request_put_route(d);
	return 0;
}

void request_free(struct request *r)
{
	free(r->mad);
	r->mad = NULL;
}

const char *request_text(const struct request *r, char buf[112])
{
	snprintf(buf, 112, "%s %s", r->method_name, r->attribute_name);
	return buf;
}
