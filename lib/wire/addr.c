/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* LIDs, GUIDs, GIDs and directed routes from text and to text. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <madkit/addr.h>
#include "util/bits.h"
#include "util/emit.h"
#include "util/hex.h"

int madkit_parse_lid(const char *text, uint32_t *lid, struct madkit_error *error)
{
	uint64_t value;
	int ret = madkit_parse_number(text, strlen(text), 0xffff, "LID", &value, error);

	if (!ret)
		*lid = (uint32_t)value;
	return ret;
}

int madkit_parse_guid(const char *text, uint64_t *guid, struct madkit_error *error)
{
	bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = text + (prefix ? 2 : 0);
	size_t n = strlen(digits);
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		if (hex_digit(digits[i]) < 0)
			return madkit_error_set(error, -EINVAL, (int)(digits + i - text),
						"GUID '%.64s' is not a hexadecimal number", text);
		value = value << 4 | (unsigned int)hex_digit(digits[i]);
	}
	if (!n)
		return madkit_error_set(error, -EINVAL, 0, "GUID '%.64s' has no digits", text);
	if (n > 16)
		return madkit_error_set(error, -ERANGE, 0, "GUID '%.64s' has %zu digits: at most 16", text,
					n);
	if (!prefix && n < 16)
		return madkit_error_set(error, -EINVAL, 0, "GUID '%.64s': a GUID begins with 0x", text);
	*guid = value;
	return 0;
}

int madkit_parse_gid(const char *text, uint8_t gid[16], struct madkit_error *error)
{
	struct in6_addr in6;

	if (inet_pton(AF_INET6, text, &in6) != 1)
		return madkit_error_set(error, -EINVAL, 0, "GID '%.64s' is not an IPv6 address", text);
	memcpy(gid, &in6, 16);
	return 0;
}

int madkit_parse_path(const char *text, struct madkit_addr *addr, struct madkit_error *error)
{
	uint8_t path[MADKIT_HOPS_MAX + 1];
	unsigned int n = 0;

	for (const char *p = text;; n++) {
		size_t len = strcspn(p, ",");
		uint64_t port;
		int ret = madkit_parse_number(p, len, 254, "path: port", &port, error);

		if (ret) {
			if (error)
				error->position += (int)(p - text);
			return ret;
		}
		if (n > MADKIT_HOPS_MAX)
			return madkit_error_set(error, -ERANGE, (int)(p - text),
						"path '%.64s' has more than %d hops", text, MADKIT_HOPS_MAX);
		if (!n != !port)
			return madkit_error_set(error, -EINVAL, (int)(p - text),
						n ? "path '%.64s': port 0 leads nowhere" :
						    "path '%.64s' does not begin with 0 (this node)",
						text);
		path[n] = (uint8_t)port;
		p += len;
		if (!*p++)
			break;
	}
	addr->direct = true;
	addr->hops = (uint8_t)n;
	memset(addr->path, 0, sizeof(addr->path));
	memcpy(addr->path, path, n + 1);
	addr->dr_slid = MADKIT_LID_PERMISSIVE;
	addr->dr_dlid = MADKIT_LID_PERMISSIVE;
	return 0;
}

/* Writes a path without a NUL. Returns the end. */
static char *put_path(char *p, const struct madkit_addr *addr)
{
	for (unsigned int i = 0; i <= addr->hops && i <= MADKIT_HOPS_MAX; i++) {
		if (i)
			*p++ = ',';
		p = emit_u64(p, addr->path[i]);
	}
	return p;
}

char *madkit_path_text(const struct madkit_addr *addr, char buf[MADKIT_PATH_TEXT_MAX])
{
	*put_path(buf, addr) = 0;
	return buf;
}

char *madkit_gid_text(const uint8_t gid[16], char buf[MADKIT_GID_TEXT_MAX])
{
	if (!inet_ntop(AF_INET6, gid, buf, MADKIT_GID_TEXT_MAX))
		buf[0] = 0;
	return buf;
}

void madkit_gid_put(uint8_t gid[16], uint64_t prefix, uint64_t port_guid)
{
	put_be64(gid, prefix);
	put_be64(gid + 8, port_guid);
}

char *madkit_addr_text(const struct madkit_addr *addr, char buf[MADKIT_ADDR_TEXT_MAX])
{
	char *p;

	if (addr->direct) {
		p = buf;
		/* the node at which a combined route begins */
		if (addr->dr_slid != MADKIT_LID_PERMISSIVE && addr->lid)
			p = stpcpy(emit_u64(stpcpy(p, "Lid "), addr->lid), " ");
		p = emit_u64(stpcpy(p, "DR path slid "), addr->dr_slid);
		p = emit_u64(stpcpy(p, "; dlid "), addr->dr_dlid);
		*put_path(stpcpy(p, "; "), addr) = 0;
	} else if (addr->grh && !addr->lid) {
		madkit_gid_text(addr->gid, stpcpy(buf, "Gid "));
	} else {
		*emit_u64(stpcpy(buf, "Lid "), addr->lid) = 0;
	}
	return buf;
}
