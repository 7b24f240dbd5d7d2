/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chooses the port for a specification. Pure functions: the caller passes the list of ports. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/num.h>
#include "transport/choose.h"

enum { PHYS_LINK_UP = 5 };

bool port_wish_is_node(const char *spec)
{
	return spec[0] == '/';
}

/* Reads "/dev/infiniband/umadN". N has no leading zeros, as in the kernel's names. */
static int wish_node(const char *spec, struct port_wish *wish, struct madkit_error *error)
{
	static const char prefix[] = "/dev/infiniband/umad";
	const char *digits = spec + strlen(prefix);

	if (strncmp(spec, prefix, strlen(prefix)) || !*digits || (digits[0] == '0' && digits[1]) ||
	    digits[strspn(digits, "0123456789")] || strlen(spec) >= sizeof(wish->node))
		return madkit_error_set(error, -EINVAL, 0,
					"device '%.80s' is neither umad:CA/PORT nor /dev/infiniband/umadN",
					spec);
	strcpy(wish->node, spec);
	return 0;
}

int port_wish_parse(const char *spec, struct port_wish *wish, struct madkit_error *error)
{
	const char *ca = spec ? spec : "umad:", *slash;
	size_t n;
	uint64_t number;

	memset(wish, 0, sizeof(*wish));
	wish->port = -1;
	if (port_wish_is_node(ca))
		return wish_node(ca, wish, error);
	if (!strncmp(ca, "umad:", 5))
		ca += 5;
	else if (!strncmp(ca, "verbs:", 6))
		ca += 6;
	else
		return madkit_error_set(error, -EINVAL, 0, "device '%.80s' is not umad:CA/PORT", spec);
	slash = strchr(ca, '/');
	n = slash ? (size_t)(slash - ca) : strlen(ca);
	if (n >= sizeof(wish->ca))
		return madkit_error_set(error, -EINVAL, (int)(ca - spec), "CA name '%.70s' is too long", ca);
	memcpy(wish->ca, ca, n);
	if (slash) {
		int ret =
			madkit_parse_number(slash + 1, strlen(slash + 1), 254, "port number", &number, error);

		if (ret)
			return -EINVAL;
		wish->port = (int)number;
	}
	return 0;
}

static bool port_wish_fits(const struct madkit_port_info *port, const struct port_wish *wish)
{
	if (wish->node[0])
		return !strcmp(wish->node, port->umad_path);
	return (!wish->ca[0] || !strcmp(wish->ca, port->ca)) &&
	       (wish->port < 0 || wish->port == (int)port->port);
}

int madkit_port_matches(const struct madkit_port_info *port, const char *spec, struct madkit_error *error)
{
	struct port_wish wish;

	if (!port)
		return madkit_error_set(error, -EINVAL, -1, "the port is NULL");
	return port_wish_parse(spec, &wish, error) ? -EINVAL : port_wish_fits(port, &wish);
}

const struct madkit_port_info *madkit_port_partner(const struct madkit_port_info *port,
						   const struct madkit_port_info *ports, size_t count)
{
	for (size_t i = 0; port && ports && i < count; i++)
		if (port->link_layer == MADKIT_LINK_INFINIBAND &&
		    ports[i].link_layer == MADKIT_LINK_INFINIBAND && port->port_guid &&
		    ports[i].port_guid == port->port_guid && strcmp(ports[i].ca, port->ca) &&
		    (ports[i].cap_mask ^ port->cap_mask) & CAP_MASK_SM_DISABLED)
			return &ports[i];
	return NULL;
}

/* Checks if a port has QP0 only: it must be named. */
static bool port_is_smi(const struct madkit_port_info *port, const struct madkit_port_info *ports,
			size_t count)
{
	return !(port->cap_mask & CAP_MASK_SM_DISABLED) && madkit_port_partner(port, ports, count);
}

/* Sets the error, with a list of the ports that exist (truncated if it is too long). */
static int port_wish_refuse(const struct madkit_port_info *ports, size_t count, const char *what,
			    struct madkit_error *error)
{
	char list[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < count && len < sizeof(list); i++) {
		const char *state = madkit_port_state_name(ports[i].state);

		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s/%u (%s%s)", i ? ", " : "",
					ports[i].ca, ports[i].port,
					ports[i].link_layer == MADKIT_LINK_ETHERNET ? "RoCE, " : "",
					state ? state : "in no known state");
	}
	return madkit_error_set(error, -ENODEV, -1, "%s; there %s %s", what, count == 1 ? "is" : "are",
				count ? list : "no ports with a umad device");
}

int port_choose(const struct madkit_port_info *ports, size_t count, const struct port_wish *wish,
		size_t *chosen, struct madkit_error *error)
{
	/* best rank first; among ports of the same rank, the first one is chosen */
	enum { ACTIVE_IB, UP_IB, ACTIVE_ROCE, UP_ROCE, NAMED, NONE } best = NONE, rank;
	bool is_named = wish->ca[0] || wish->node[0];
	char what[160];

	for (size_t i = 0; i < count; i++) {
		const struct madkit_port_info *p = &ports[i];
		bool ib = p->link_layer == MADKIT_LINK_INFINIBAND;

		if (!port_wish_fits(p, wish) || (!ib && !is_named && count != 1))
			continue;
		if (!is_named && wish->port < 0 && port_is_smi(p, ports, count))
			continue;
		if (p->state == MADKIT_PORT_STATE_ACTIVE)
			rank = ib ? ACTIVE_IB : ACTIVE_ROCE;
		else if (p->phys_state == PHYS_LINK_UP)
			rank = ib ? UP_IB : UP_ROCE;
		else if (is_named)
			rank = NAMED;
		else
			continue;
		if (rank < best) {
			best = rank;
			*chosen = i;
		}
	}
	if (best != NONE)
		return 0;
	if (wish->node[0])
		snprintf(what, sizeof(what), "no port has the device node %s", wish->node);
	else if (wish->ca[0] && wish->port >= 0)
		snprintf(what, sizeof(what), "no port %s/%d", wish->ca, wish->port);
	else if (wish->ca[0])
		snprintf(what, sizeof(what), "no CA %s", wish->ca);
	else if (wish->port >= 0)
		snprintf(what, sizeof(what), "no InfiniBand port %d that is active or has its link up",
			 wish->port);
	else if (!count)
		snprintf(what, sizeof(what), "no InfiniBand device");
	else
		snprintf(what, sizeof(what), "no InfiniBand port that is active or has its link up");
	return port_wish_refuse(ports, count, what, error);
}
