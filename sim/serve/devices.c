/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/serve/devices.h"
#include "topology/find.h"
#include "util/array.h"
#include "util/table.h"

/* ---- names ----------------------------------------------------------------------------- */

static bool devices_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool devices_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the length of a name without the number at its end. */
static size_t devices_stem(const char *name)
{
	size_t len = strlen(name);

	while (len && devices_is_digit(name[len - 1]))
		len--;
	return len;
}

/* mlx5_2 comes before mlx5_10. */
static int devices_compare_names(const char *a, const char *b)
{
	size_t x = devices_stem(a), y = devices_stem(b);
	int order = memcmp(a, b, x < y ? x : y);

	if (order || x != y)
		return order ? order : (x > y) - (x < y);
	/* without leading zeros, the longer number is the greater one */
	a += x + strspn(a + x, "0");
	b += y + strspn(b + y, "0");
	order = (strlen(a) > strlen(b)) - (strlen(a) < strlen(b));
	return order ? order : strcmp(a, b);
}

const struct device *devices_find(const struct devices *devices, const char *name, size_t len)
{
	for (unsigned int i = 0; i < devices->n; i++)
		if (strlen(devices->list[i].name) == len && !memcmp(devices->list[i].name, name, len))
			return &devices->list[i];
	return NULL;
}

/* Names the device: stem and the lowest free number that is not below from. */
static void devices_name(struct devices *devices, struct device *device, const char *stem, unsigned int from)
{
	char name[sizeof(device->name)];

	do
		snprintf(name, sizeof(name), "%s%u", stem, from++);
	while (devices_find(devices, name, strlen(name)));
	memcpy(device->name, name, sizeof(name));
}

/* ---- making them -------------------------------------------------------------------------- */

static struct device *devices_add(struct devices *devices, uint32_t *room, enum device_kind kind,
				  uint32_t node)
{
	struct device *device;

	if (array_room(&devices->list, room, devices->n, 1, sizeof(*devices->list)))
		return NULL;
	device = &devices->list[devices->n++];
	*device = (struct device){ .kind = kind, .node = node, .first = 1, .last = 1 };
	return device;
}

/* Checks if a host's name can be the name of its directory. It must begin with a letter, because the
 * directories of other hosts are numbers. */
static bool devices_is_directory(const char *word, size_t len)
{
	bool good = len && len < sizeof(((struct devices *)0)->host) && devices_is_letter(word[0]);

	for (size_t i = 0; good && i < len; i++)
		good = devices_is_letter(word[i]) || devices_is_digit(word[i]) || strchr("-_.", word[i]);
	return good;
}

/* A CA of the host. word is the second word of its description. */
struct candidate {
	uint32_t node;
	const char *word;
};

static bool devices_is_before(const struct candidate *a, const struct candidate *b)
{
	int order = devices_compare_names(a->word, b->word);

	return order < 0 || (!order && a->node < b->node);
}

/* Shell sort: hosts have few CAs, and qsort() of the C library may allocate memory. */
static void devices_sort(struct candidate *list, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			struct candidate moved = list[i];
			uint32_t at = i;

			for (; at >= gap && devices_is_before(&moved, &list[at - gap]); at -= gap)
				list[at] = list[at - gap];
			list[at] = moved;
		}
}

static int devices_add_candidate(struct candidate **list, uint32_t *room, uint32_t *n, uint32_t node,
				 const char *word)
{
	int ret = array_room(list, room, *n, 1, sizeof(**list));

	if (!ret)
		(*list)[(*n)++] = (struct candidate){ .node = node, .word = word };
	return ret;
}

/* Lists the CAs of the node's host in the order of their umad devices. */
static int devices_collect(const struct topology *t, uint32_t node, unsigned int flags,
			   struct candidate **list, uint32_t *n, struct devices *devices)
{
	const struct topology_node *from = &t->nodes[node];
	const char *device, *word = from->description;
	size_t len = find_host(from, &device);
	uint32_t room = 0;
	int ret = 0;

	if (!len || flags & DEVICES_SINGLE) {
		snprintf(devices->host, sizeof(devices->host), "%u", node);
		return devices_add_candidate(list, &room, n, node, device);
	}
	for (uint32_t i = 0; !ret && i < t->nnodes; i++)
		if (!strncmp(t->nodes[i].description, word, len) && find_host(&t->nodes[i], &device) == len)
			ret = devices_add_candidate(list, &room, n, i, device);
	if (ret)
		return ret;
	if (devices_is_directory(word, len))
		snprintf(devices->host, sizeof(devices->host), "%.*s", (int)len, word);
	else
		snprintf(devices->host, sizeof(devices->host), "%u", (*list)[0].node);
	devices_sort(*list, *n);
	return 0;
}

/* Checks if all ports of a CA are planes of one port. */
static bool devices_has_planes(const struct topology *t, uint32_t node)
{
	const unsigned int nports = t->nodes[node].nports;
	unsigned int p = 2;

	while (p <= nports && topology_port(t, node, p)->guid == topology_port(t, node, 1)->guid)
		p++;
	return nports > 1 && p > nports;
}

static int devices_make(const struct topology *t, const struct candidate *list, uint32_t n,
			unsigned int flags, struct devices *devices)
{
	uint32_t room = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct topology_node *node = &t->nodes[list[i].node];
		bool planar = flags & DEVICES_PLANAR && node->type == TOPOLOGY_CA;
		struct device *device =
			devices_add(devices, &room, planar ? DEVICE_GSI : DEVICE_WHOLE, list[i].node);

		if (!device)
			return -ENOMEM;
		device->first = node->type == TOPOLOGY_SWITCH ? 0 : 1;
		device->last = node->type == TOPOLOGY_SWITCH                 ? 0 :
			       planar && devices_has_planes(t, list[i].node) ? 1 :
									       node->nports;
		if (find_is_device(list[i].word))
			snprintf(device->name, sizeof(device->name), "%s", list[i].word);
	}
	/* all names from descriptions are assigned by now */
	for (uint32_t i = 0; i < n; i++)
		if (!devices->list[i].name[0])
			devices_name(devices, &devices->list[i], "sim", 0);
	if (flags & DEVICES_ROCE && t->nodes[list[0].node].type == TOPOLOGY_CA) {
		struct device *device = devices_add(devices, &room, DEVICE_ROCE, list[0].node);
		bool mlx5 = !strncmp(devices->list[0].name, "mlx5_", 5);

		if (!device)
			return -ENOMEM;
		devices_name(devices, device, mlx5 ? "mlx5_" : "roce", mlx5 ? n : 0);
	}
	for (uint32_t i = 0; i < n && flags & DEVICES_PLANAR; i++) {
		struct device *device;

		if (devices->list[i].kind != DEVICE_GSI)
			continue;
		device = devices_add(devices, &room, DEVICE_SMI, list[i].node);
		if (!device)
			return -ENOMEM;
		device->planes = devices_has_planes(t, list[i].node);
		device->last = t->nodes[list[i].node].nports * (device->planes ? 1 : DEVICES_PLANES);
		devices_name(devices, device, "smi", 1);
	}
	return 0;
}

int devices_of(const struct topology *t, uint32_t node, unsigned int flags, struct devices *devices)
{
	struct candidate *list = NULL;
	unsigned int umad = 0;
	uint32_t n = 0;
	int ret;

	*devices = (struct devices){ .n = 0 };
	ret = devices_collect(t, node, flags, &list, &n, devices);
	if (!ret)
		ret = devices_make(t, list, n, flags, devices);
	free(list);
	for (unsigned int i = 0; i < devices->n; i++) {
		devices->list[i].umad = umad;
		umad += devices->list[i].last - devices->list[i].first + 1;
	}
	if (ret)
		devices_free(devices);
	return ret;
}

void devices_free(struct devices *devices)
{
	free(devices->list);
	*devices = (struct devices){ .n = 0 };
}

/* ---- looking for them ------------------------------------------------------------------- */

const struct device *devices_umad(const struct devices *devices, unsigned int umad, unsigned int *port)
{
	for (unsigned int i = 0; i < devices->n; i++) {
		const struct device *device = &devices->list[i];

		*port = device->first + (umad - device->umad);
		if (umad >= device->umad && *port <= device->last)
			return device;
	}
	return NULL;
}

const struct device *devices_main(const struct devices *devices, uint32_t node)
{
	for (unsigned int i = 0; i < devices->n; i++)
		if (devices->list[i].node == node &&
		    (devices->list[i].kind == DEVICE_WHOLE || devices->list[i].kind == DEVICE_GSI))
			return &devices->list[i];
	return NULL;
}

static uint64_t devices_hash(const char *text)
{
	uint64_t hash = 0;

	while (*text)
		hash = table_mix(hash, (uint8_t)*text++);
	return hash;
}

int devices_check(const struct topology *t, unsigned int flags, struct madkit_error *error)
{
	struct table seen = { 0 };
	int ret = flags & DEVICES_SINGLE ? 0 : table_reserve(&seen, t->nnodes);

	for (uint32_t i = 0; !ret && !(flags & DEVICES_SINGLE) && i < t->nnodes; i++) {
		const struct topology_node *n = &t->nodes[i], *other;
		const char *device;
		size_t len = find_host(n, &device), step = 0;
		uint64_t hash;

		if (!len)
			continue;
		hash = devices_hash(n->description);
		while ((other = table_next(&seen, hash, &step)))
			if (!strcmp(other->description, n->description))
				break;
		if (other)
			ret = madkit_error_set(error, -EEXIST, -1,
					       "host '%.*s' has two CAs '%s': nodes '%s' and '%s'", (int)len,
					       n->description, device, other->name, n->name);
		else
			table_put(&seen, hash, (void *)n);
	}
	table_free(&seen);
	return ret;
}
