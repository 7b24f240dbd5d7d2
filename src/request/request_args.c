/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/input.h"
#include "request_args.h"
#include "request_fields.h"
#include "cli/suggest.h"
#include "cli/wait.h"
#include "util/array_size.h"

/* Maximum data of one message, in bytes. */
#define DATA_MAX (64u << 20)

/* ---- payloads ------------------------------------------------------------------ */

/* Reads hex digits in pairs; blanks and colons are allowed between pairs. */
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
			return cli_usage_error("data '%.64s' is not hex: see position %d", text,
					       (int)(p - text));
		madkit_buf_char(data, (char)(high << 4 | low));
		p += 2;
	}
	return 0;
}

static int request_read_file(const char *path, struct madkit_buf *data)
{
	int fd = wait_open(path, O_RDONLY | O_CLOEXEC, 0);
	char chunk[4096];
	ssize_t n = fd;

	if (fd >= 0)
		input_note(fd);
	while (fd >= 0 && !data->error) {
		n = wait_over() ? wait_over() : wait_read(fd, chunk, sizeof(chunk));
		if (n <= 0)
			break;
		madkit_buf_add(data, chunk, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
	return n < 0 ? cli_failed((int)n, "cannot read '%s'", path) : 0;
}

/* Reads the bytes of data=HEX or data=@FILE, if one of the words is that. */
static int read_data(const struct request *r, struct madkit_buf *data)
{
	bool given = false;
	int ret = 0;

	for (int i = 0; i < r->nfields && !ret; i++) {
		const char *text = r->fields[i];

		if (!request_is_data(r, text))
			continue;
		if (given)
			return cli_usage_error("data is given twice");
		given = true;
		text += 5;
		ret = *text == '@' ? request_read_file(text + 1, data) : read_hex(text, data);
	}
	if (!ret && data->error) {
		if (data->error == -EFBIG)
			cli_insist("data has more than %u bytes", DATA_MAX);
		else
			cli_insist("data: %s", strerror(-data->error));
		ret = EXIT_LOCAL;
	}
	return ret;
}

/* ---- names --------------------------------------------------------------------- */

/* Reports a missing method. In infiniband-diags there is no method: the attribute is the first word. address:
 * the second word, or NULL. Returns EXIT_USAGE. */
static int method_missing(const struct cli_options *o, const char *attribute, const char *address)
{
	char option[SUGGESTED_ADDRESS_MAX], text[SUGGESTED_ADDRESS_MAX];

	if (address && !destination_given(&o->to) && suggest_address(address, option, text))
		return cli_usage_error(
			"'%s' is an attribute: the method precedes it, and %s, as in %s Get %s", attribute,
			text, option, attribute);
	return cli_usage_error("'%s' is an attribute: the method precedes it, as in Get %s", attribute,
			       attribute);
}

/* Reports a word that is an address, before the method or the attribute. Returns EXIT_DONE if there is
 * none. */
static int address_misplaced(const struct cli_options *o, char **words, int nwords)
{
	char option[SUGGESTED_ADDRESS_MAX], text[SUGGESTED_ADDRESS_MAX];
	int at = is_method_name(words[1]) ? 0 : nwords > 2 && is_attribute_name(words[2]) ? 1 : -1;

	if (at < 0 || !suggest_address(words[at], option, text))
		return EXIT_DONE;
	if (destination_given(&o->to))
		return cli_usage_error("'%s' is not %s: the destination is given by an option already",
				       words[at], at ? "an attribute" : "a method");
	return cli_usage_error("'%s' is not %s: %s, as in %s %s %s", words[at],
			       at ? "an attribute" : "a method", text, option, words[1 - at],
			       nwords > 2 ? words[2] : "ATTRIBUTE");
}

/* A modifier that was given selects the row of the attribute; otherwise, the row that was named sets the
 * modifier. Returns 0 or EXIT_USAGE. */
static int choose_row(const struct cli_options *o, struct request *r)
{
	const struct madkit_attribute *a = r->attribute;

	/* the name of a register is its number, which is the modifier */
	if (a->flags & MADKIT_ATTRIBUTE_READ_ONLY &&
	    (o->request.modifiers || (o->request.modifier && o->request.modifier != a->modifier_value)))
		return cli_usage_error("%s is register 0x%x, which is the modifier: --mod cannot change it",
				       a->name, a->modifier_value);
	if (r->header.modifier & r->attribute->modifier_mask)
		r->attribute = madkit_attribute_row(r->attribute, r->header.modifier);
	else
		r->header.modifier |= r->attribute->modifier_value;
	return EXIT_DONE;
}

static int find_names(const struct cli_options *o, char **words, struct request *r)
{
	struct madkit_error error = { .text = "" };
	int class = o->class.given ? o->class.id : -1;
	char near[SUGGESTION_MAX] = "";
	char text[20];
	int ret = madkit_attribute_find(words[1], class, &r->header.mgmt_class, &r->header.attribute,
					&r->attribute, &error);

	if (ret)
		return is_attribute_name(words[0]) ?
			       method_missing(o, words[0], words[1]) :
			       cli_usage_error("%s%s", error.text,
					       ret == -ENOENT ? suggest_attribute(words[1], class, near) :
								"");
	/* a number may be an attribute of a vendor */
	if (!r->attribute && o->class.have_oui)
		r->attribute =
			madkit_attribute_vendor(r->header.mgmt_class, o->class.oui, r->header.attribute);
	if (r->attribute) {
		r->oui = madkit_attribute_oui(r->attribute);
		if (choose_row(o, r))
			return EXIT_USAGE;
	}
	if (madkit_method_find(r->header.mgmt_class, words[0], &r->header.method)) {
		if (is_attribute_name(words[0]))
			return method_missing(o, words[0], NULL);
		if (!*suggest_record(words[0], r->attribute, near))
			suggest_method(words[0], r->header.mgmt_class, near);
		return cli_usage_error("unknown method '%s' of class %s%s", words[0],
				       madkit_class_name(r->header.mgmt_class, text), near);
	}
	request_name(r);
	return 0;
}

/* ---- the MAD ------------------------------------------------------------------- */

static int check_vendor(const struct cli_options *o, struct request *r)
{
	char text[20];
	const char *name = madkit_class_name(r->header.mgmt_class, text);

	if (r->vendor2 && cli_check_oui(o))
		return EXIT_USAGE;
	if (r->vendor2 && !r->oui && !o->class.have_oui)
		return cli_usage_error("class %s needs --oui", name);
	if (r->oui && o->class.have_oui && r->oui != o->class.oui)
		return cli_usage_error("%s is of OUI 0x%06x, not of --oui 0x%06x", r->attribute_name, r->oui,
				       o->class.oui);
	if (!r->vendor2 && o->class.have_oui)
		return cli_usage_error("class %s has no OUI: --oui is for classes 0x30 to 0x4f", name);
	if (o->class.have_oui)
		r->oui = o->class.oui;
	return EXIT_DONE;
}

/* Checks if a request uses RMPP even if it has only one segment (SubnAdmGetMulti): opensm refuses it without
 * RMPP. */
static bool request_is_always_rmpp(const struct request *r)
{
	return r->header.mgmt_class == MADKIT_CLASS_SA && r->header.method == MADKIT_METHOD_GET_MULTI;
}

/* Allocates the MAD with headers and data; long data makes it an RMPP message. */
static int request_make_mad(const struct cli_options *o, struct request *r)
{
	struct madkit_buf data;
	char text[20];
	size_t room;
	int ret;

	madkit_buf_init(&data, DATA_MAX);
	ret = read_data(r, &data);
	if (ret)
		goto out;
	ret = rmpp_choice_check(o, r->header.mgmt_class);
	if (ret)
		goto out;
	r->rmpp = rmpp_choice(o, r->header.mgmt_class);
	if (request_is_always_rmpp(r) && r->rmpp == RMPP_NONE) {
		ret = cli_usage_error("GetMulti needs RMPP: --rmpp kernel or --rmpp user");
		goto out;
	}
	r->data_offset = madkit_attribute_offset(r->header.base_version, r->header.mgmt_class, r->attribute);
	room = request_data_room(r);
	if (data.len > room && r->rmpp == RMPP_NONE) {
		ret = cli_usage_error("data of %zu bytes does not fit: %s holds %zu%s", data.len,
				      madkit_class_name(r->header.mgmt_class, text), room,
				      madkit_class_is_rmpp(r->header.mgmt_class) ? " without RMPP" : "");
		goto out;
	}
	r->data_len = data.len > room ? data.len : room;
	r->len = data.len > room ? r->data_offset + data.len : madkit_mad_bytes(r->header.base_version);
	r->mad = calloc(1, r->len);
	if (!r->mad) {
		ret = cli_no_memory();
		goto out;
	}
	if (data.len)
		memcpy(r->mad + r->data_offset, data.data, data.len);
	else if (r->attribute)
		madkit_attribute_choose(r->attribute, r->mad + r->data_offset, r->data_len);
	if (data.len > room || request_is_always_rmpp(r)) {
		madkit_rmpp_set_version(r->mad, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(r->mad, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(r->mad, MADKIT_RMPP_ACTIVE);
		madkit_rmpp_set_resptime(r->mad, MADKIT_RMPP_RESPTIME_UNSPECIFIED);
	}
out:
	madkit_buf_free(&data);
	return ret;
}

/* Rejects a request that changes a register, or that is for another page than its name. Returns 0 or EXIT_USAGE. */
static int request_check_read_only(const struct request *r)
{
	struct madkit_error error = { .text = "" };

	if (!request_check_register(r, &error))
		return EXIT_DONE;
	cli_usage_error("%s", error.text);
	request_hint_register(r);
	return EXIT_USAGE;
}

/* Only madsend can keep the fields that are not given: --merge sends a Get first. */
static int request_check_rest(const struct cli_options *o, const struct request *r)
{
	if (!request_leaves_rest(o, r, request_is_whole(r)))
		return EXIT_DONE;
	return cli_usage_error("Set %s replaces the whole attribute: %s", r->attribute_name,
			       o->mode == MODE_SEND ?
				       "--merge keeps the fields not given, --zero-rest makes them 0" :
				       "give every field, or set it with madsend --merge and poll with Get");
}

int request_build(const struct cli_options *o, char **words, int nwords, struct request *r)
{
	struct madkit_error error = { .text = "" };
	int ret;

	memset(r, 0, sizeof(*r));
	if (nwords < 1)
		return cli_usage_error("METHOD and ATTRIBUTE are missing: for example Get NodeInfo");
	if (nwords < 2 && is_attribute_name(words[0]))
		return method_missing(o, words[0], NULL);
	if (nwords < 2 && o->mode == MODE_SWEEP && strcasecmp(words[0], "Get"))
		return cli_usage_error(
			"'%s' is not a method: expected Get ATTRIBUTE; --select chooses nodes and ports",
			words[0]);
	if (nwords < 2)
		return cli_usage_error("ATTRIBUTE is missing after '%s'", words[0]);
	if (o->request.modifiers && o->mode != MODE_SEND && o->mode != MODE_SWEEP)
		return cli_usage_error("--mod '%s': madpoll repeats one request, madsend sends a list",
				       o->request.modifiers);
	r->header.base_version = MADKIT_BASE_VERSION_IB;
	/* in a survey, each request has its own modifier */
	r->header.modifier = o->mode == MODE_SWEEP ? 0 : o->request.modifier;
	r->fields = words + 2;
	r->nfields = nwords - 2;
	ret = address_misplaced(o, words, nwords);
	if (!ret)
		ret = find_names(o, words, r);
	if (ret)
		return ret;
	r->destination = o->to;
	if (request_route(r, &error))
		return cli_usage_error("%s", error.text);
	r->header.class_version = o->class.have_version ? o->class.version :
							  madkit_class_version(r->header.mgmt_class);
	r->expects_response = request_waits(r->header.method) && !o->request.no_response;
	r->vendor2 = madkit_class_is_vendor2(r->header.mgmt_class);
	ret = check_vendor(o, r);
	if (!ret)
		ret = request_make_mad(o, r);
	if (ret)
		return ret;
	madkit_header_put(r->mad, r->len, &r->header);
	request_put_keys(o, r);
	request_put_route(r);
	ret = request_check_read_only(r);
	if (!ret)
		ret = request_set_fields(o, r);
	if (!ret)
		ret = request_check_read_only(r);
	if (!ret)
		ret = request_check_modifier(r);
	if (!ret)
		ret = request_check_rest(o, r);
	if (!ret && request_need_port(r, request_names_port(r), &error))
		ret = cli_usage_error("%s: %s", r->attribute_name, error.text);
	return ret;
}

/* ---- options that have no effect on it ------------------------------------------------ */

/* Checks options of SA requests: the request itself, and queries that resolve its destination. */
static int check_sa(const struct cli_options *o, const struct request *r, const char *class)
{
	bool sa = r->header.mgmt_class == MADKIT_CLASS_SA;
	int status = EXIT_DONE;

	/* the SA is also queried */
	if (destination_is_resolved(&o->to) || o->names.wanted || o->names.map_path)
		return EXIT_DONE;
	if (!sa)
		status = cli_refuse(o, "sm-key", "class %s has no SM_Key", class);
	if (!status && sa && destination_given(&o->to))
		return cli_refuse(o, "sm-port", "the destination is given");
	return status || r->to_manager ? status :
					 cli_refuse(o, "sm-port", "nothing is sent to the subnet manager");
}

/* A message of several segments is resent even if it has no response: until it is acknowledged. */
static int check_waiting(const struct cli_options *o, const struct request *r)
{
	static const char why[] = "no response is awaited";
	bool resent = r->len > madkit_mad_bytes(r->header.base_version) || destination_is_resolved(&o->to);
	int status = cli_refuse(o, "redirects", why);

	if (!status)
		status = cli_refuse(o, "locate", why);
	if (!status && !resent)
		status = cli_refuse(o, "timeout", why);
	return status || resent ? status : cli_refuse(o, "retries", why);
}

/* Names are looked up by LID: a node on a directed route has none. */
static int check_name_options(const struct cli_options *o, const struct request *r)
{
	static const char direct[] = "nodes on a directed route are shown without a name";
	int status = r->to.direct ? cli_refuse(o, "names", direct) : EXIT_DONE;

	if (!status && r->to.direct)
		status = cli_refuse(o, "node-name-map", direct);
	return status;
}

int request_check_options(const struct cli_options *o, const struct request *r)
{
	char text[20];
	const char *class = madkit_class_name(r->header.mgmt_class, text);
	int status = check_name_options(o, r);

	if (!status)
		status = check_sa(o, r, class);
	if (!status && !r->smp)
		status = cli_refuse(o, "m-key", "class %s has no M_Key", class);
	/* kernel drivers use the index only for sends on QP1 */
	if (!status && r->smp)
		status = cli_refuse(o, "pkey-index", "queue pair 0, which sends class %s, does not use it",
				    class);
	if (!status && r->smp)
		status = cli_refuse(o, "redirects", "class %s has no redirection", class);
	if (!status && !request_waits(r->header.method))
		status = cli_refuse(o, "no-response", "%s has no response anyway", r->method_name);
	return status || r->expects_response || o->request.merge ? status : check_waiting(o, r);
}

int request_check_grh(const struct cli_options *o)
{
	static const char *const fields[] = { "gid-index", "hop-limit", "traffic-class", "flow-label" };
	int status = EXIT_DONE;

	for (size_t i = 0; i < ARRAY_SIZE(fields) && !status; i++)
		status = cli_refuse_without(o, fields[i], "gid");
	return status;
}
