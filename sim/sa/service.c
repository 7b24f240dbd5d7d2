/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Services (IBA volume 1, sections 15.2.5.14 and 15.2.5.15), each identified by its ID, GID and P_Key, and
 * kept until its lease expires.
 */
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array.h"
#include "util/time.h"

enum {
	FOR_EVER = 0xffffffff, /* ServiceLease without expiry; other values are seconds */
	KEY_BYTES = 16,
};

static void service_find_first(struct sa *sa)
{
	sa->first_expires = UINT64_MAX;
	for (uint32_t i = 0; i < sa->nservices; i++)
		if (sa->services[i].expires < sa->first_expires)
			sa->first_expires = sa->services[i].expires;
}

static void service_remove_at(struct sa *sa, uint32_t i)
{
	memmove(&sa->services[i], &sa->services[i + 1], (--sa->nservices - i) * sizeof(*sa->services));
	service_find_first(sa);
}

/* Returns the remaining lease in seconds, rounded up. */
static uint32_t service_lease_left(const struct sa_service *service, uint64_t now)
{
	uint64_t left = service->expires > now ? service->expires - now : 0;

	return service->expires == UINT64_MAX ? FOR_EVER : (uint32_t)((left + NS_PER_S - 1) / NS_PER_S);
}

/* Hides the ServiceKey from requesters without the SM_Key. */
static void sa_service_offer(struct sa_query *q, const struct sa_service *service)
{
	memcpy(q->record, service->record, sizeof(q->record));
	field_put(MADKIT_SERVICE_RECORD_SERVICE_LEASE, q->record, service_lease_left(service, q->now));
	if (!q->trusted)
		memset(q->record + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY), 0, KEY_BYTES);
	sa_offer(q);
}

static bool service_may_see(const struct sa_query *q, const struct sa_service *service)
{
	return q->trusted ||
	       sa_has_pkey(q->sa, q->requester,
			   (uint16_t)field_get(MADKIT_SERVICE_RECORD_SERVICE_P_KEY, service->record));
}

int sa_service_records(struct sa_query *q)
{
	const uint8_t *key = q->wanted + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY);
	bool by_key = sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_KEY);

	/* requests may select by the ServiceKey, although the record offered may not show it */
	sa_ignore(q, MADKIT_SERVICE_RECORD_SERVICE_KEY);
	for (uint32_t i = 0; i < q->sa->nservices && !q->out->error; i++) {
		const struct sa_service *service = &q->sa->services[i];

		if (service_may_see(q, service) &&
		    (!by_key ||
		     !memcmp(service->record + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY), key, KEY_BYTES)))
			sa_service_offer(q, service);
	}
	return SA_OK;
}

/* Checks if the requester and the port have the P_Key that the request names. As in opensm, any GID is
 * accepted if it names no P_Key, and the GID prefix, which clients leave 0, is ignored. */
static bool sa_service_is_allowed(const struct sa_query *q)
{
	const uint8_t *gid = q->wanted + field_at(MADKIT_SERVICE_RECORD_SERVICE_GID);
	uint16_t pkey = (uint16_t)field_get(MADKIT_SERVICE_RECORD_SERVICE_P_KEY, q->wanted);
	uint32_t port;

	if (!sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_P_KEY))
		return true;
	if (!sa_has_pkey(q->sa, q->requester, pkey))
		return false;
	if (gid[0] == 0xff)
		return true;
	port = sa_port_by_guid(q->sa, get_be64(gid + 8));
	return port != SUBNET_NONE && sa_has_pkey(q->sa, port, pkey);
}

/* Returns the index of the service with the ID, GID and P_Key (default: 0xffff) of the request, or -1 if
 * there is none. Records begin with these three fields. */
static int sa_service_find(struct sa_query *q)
{
	size_t len = field_at(MADKIT_SERVICE_RECORD_SERVICE_P_KEY) + 2;

	if (!sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_P_KEY))
		field_put(MADKIT_SERVICE_RECORD_SERVICE_P_KEY, q->wanted, MADKIT_PKEY_DEFAULT);
	for (uint32_t i = 0; i < q->sa->nservices; i++)
		if (!memcmp(q->sa->services[i].record, q->wanted, len))
			return (int)i;
	return -1;
}

int sa_service_set(struct sa_query *q)
{
	struct sa *sa = q->sa;
	uint32_t lease = sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_LEASE) ?
				 (uint32_t)field_get(MADKIT_SERVICE_RECORD_SERVICE_LEASE, q->wanted) :
				 (uint32_t)FOR_EVER;
	struct sa_service *service;
	int at;

	if (!sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_ID) ||
	    !sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_GID) || !sa_service_is_allowed(q))
		return SA_INVALID;
	at = sa_service_find(q);
	if (at < 0) {
		if (sa->nservices >= SA_SERVICES_MAX ||
		    array_room(&sa->services, &sa->services_cap, sa->nservices, 1, sizeof(*service)))
			return SA_NO_RESOURCES;
		at = (int)sa->nservices++;
	}
	service = &sa->services[at];
	/* everything that was sent is kept, selected or not, up to the end of the record */
	memset(service->record, 0, sizeof(service->record));
	memcpy(service->record, q->wanted, q->attribute->bytes);
	service->expires = lease == FOR_EVER ? UINT64_MAX : q->now + lease * NS_PER_S;
	service_find_first(sa);
	memset(q->compare, 0, sizeof(q->compare));
	sa_service_offer(q, service);
	return SA_OK;
}

/* As in opensm, the ServiceKey is not checked. */
int sa_service_remove(struct sa_query *q)
{
	int at;

	if (!sa_service_is_allowed(q))
		return SA_INVALID;
	at = sa_service_find(q);
	if (at < 0)
		return SA_NO_RECORDS;
	memset(q->compare, 0, sizeof(q->compare));
	sa_service_offer(q, &q->sa->services[at]);
	service_remove_at(q->sa, (uint32_t)at);
	return SA_OK;
}

/* Offers the names and keys of services that have a key. */
int sa_association_records(struct sa_query *q)
{
	const struct sa *sa = q->sa;

	for (uint32_t i = 0; i < sa->nservices && !q->out->error; i++) {
		const uint8_t *record = sa->services[i].record;

		memset(q->record, 0, sizeof(q->record));
		memcpy(q->record + field_at(MADKIT_SERVICE_ASSOCIATION_RECORD_SERVICE_KEY),
		       record + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY), KEY_BYTES);
		memcpy(q->record + field_at(MADKIT_SERVICE_ASSOCIATION_RECORD_SERVICE_NAME),
		       record + field_at(MADKIT_SERVICE_RECORD_SERVICE_NAME),
		       at_width(MADKIT_SERVICE_ASSOCIATION_RECORD_SERVICE_NAME) / 8);
		if (!bytes_are_zero(q->record, KEY_BYTES))
			sa_offer(q);
	}
	return SA_OK;
}

void sa_services_expire(struct sa *sa, uint64_t now)
{
	uint32_t kept = 0;

	if (sa->first_expires > now)
		return;
	for (uint32_t i = 0; i < sa->nservices; i++)
		if (sa->services[i].expires > now)
			sa->services[kept++] = sa->services[i];
	sa->nservices = kept;
	service_find_first(sa);
}
