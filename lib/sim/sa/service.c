/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Services (IBA volume 1, sections 15.2.5.14 and 15.2.5.15), each of an ID, a GID and a
 * P_Key: until its lease is over or its port is gone.
 */
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array.h"
#include "util/time.h"

enum {
	FOR_EVER = 0xffffffff, /* ServiceLease, else in seconds */
	KEY_BYTES = 16,
};

/* The record with the ID, the GID and the P_Key of this one, with which records begin; -1: there is none. */
static int sa_service_find(const struct sa *sa, const uint8_t *record)
{
	size_t len = field_at(MADKIT_SERVICE_RECORD_SERVICE_P_KEY) + 2;

	for (uint32_t i = 0; i < sa->nservices; i++)
		if (!memcmp(sa->services[i].record, record, len))
			return (int)i;
	return -1;
}

static void look_for_first(struct sa *sa)
{
	sa->first_expires = UINT64_MAX;
	for (uint32_t i = 0; i < sa->nservices; i++)
		if (sa->services[i].expires < sa->first_expires)
			sa->first_expires = sa->services[i].expires;
}

static void remove_at(struct sa *sa, uint32_t i)
{
	memmove(&sa->services[i], &sa->services[i + 1], (--sa->nservices - i) * sizeof(*sa->services));
	look_for_first(sa);
}

/* What is left of the lease, in whole seconds that have begun. */
static uint32_t lease_left(const struct sa_service *service, uint64_t now)
{
	uint64_t left = service->expires > now ? service->expires - now : 0;

	return service->expires == UINT64_MAX ? FOR_EVER : (uint32_t)((left + NS_PER_S - 1) / NS_PER_S);
}

/* Who has no SM_Key is not told the ServiceKey. */
static void sa_service_offer(struct sa_query *q, const struct sa_service *service)
{
	memcpy(q->record, service->record, sizeof(q->record));
	field_put(MADKIT_SERVICE_RECORD_SERVICE_LEASE, q->record, lease_left(service, q->now));
	if (!q->trusted)
		memset(q->record + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY), 0, KEY_BYTES);
	sa_offer(q);
}

static bool may_see(const struct sa_query *q, const struct sa_service *service)
{
	return q->trusted ||
	       sa_has_pkey(q->sa, q->requester,
			   (uint16_t)field_get(MADKIT_SERVICE_RECORD_SERVICE_P_KEY, service->record));
}

int sa_service_records(struct sa_query *q)
{
	const uint8_t *key = q->wanted + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY);
	bool by_key = sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_KEY);

	/* it may be asked for, and is not told */
	sa_ignore(q, MADKIT_SERVICE_RECORD_SERVICE_KEY);
	for (uint32_t i = 0; i < q->sa->nservices && !q->out->error; i++) {
		const struct sa_service *service = &q->sa->services[i];

		if (may_see(q, service) &&
		    (!by_key ||
		     !memcmp(service->record + field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY), key, KEY_BYTES)))
			sa_service_offer(q, service);
	}
	return SA_OK;
}

/* What names a service, with the default for a P_Key that is not named. A status. */
static int sa_service_prepare(struct sa_query *q)
{
	if (!sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_ID) || !sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_GID))
		return SA_INSUFFICIENT;
	if (!sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_P_KEY))
		field_put(MADKIT_SERVICE_RECORD_SERVICE_P_KEY, q->wanted, MADKIT_PKEY_DEFAULT);
	return SA_OK;
}

/* A service that has a key is changed and taken away by who knows it. */
static bool sa_service_has_key(const struct sa_query *q, const struct sa_service *service)
{
	size_t at = field_at(MADKIT_SERVICE_RECORD_SERVICE_KEY);

	return q->trusted || bytes_are_zero(service->record + at, KEY_BYTES) ||
	       (sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_KEY) &&
		!memcmp(service->record + at, q->wanted + at, KEY_BYTES));
}

int sa_service_set(struct sa_query *q)
{
	struct sa *sa = q->sa;
	uint32_t port, lease = sa_names(q, MADKIT_SERVICE_RECORD_SERVICE_LEASE) ?
				       (uint32_t)field_get(MADKIT_SERVICE_RECORD_SERVICE_LEASE, q->wanted) :
				       (uint32_t)FOR_EVER;
	struct sa_service *service;
	int at, ret = sa_service_prepare(q);

	if (ret)
		return ret;
	if (sa_port_by_gid(sa, q->wanted + field_at(MADKIT_SERVICE_RECORD_SERVICE_GID), &port))
		return SA_INVALID_GID;
	if (!sa_has_pkey(sa, port, (uint16_t)field_get(MADKIT_SERVICE_RECORD_SERVICE_P_KEY, q->wanted)) ||
	    (!q->trusted && !sa_common_pkey(sa, port, q->requester)))
		return SA_INVALID;
	at = sa_service_find(sa, q->wanted);
	if (at >= 0 && !sa_service_has_key(q, &sa->services[at]))
		return SA_INVALID;
	if (at < 0) {
		if (sa->nservices >= SA_SERVICES_MAX ||
		    array_room(&sa->services, &sa->services_cap, sa->nservices, 1, sizeof(*service)))
			return SA_NO_RESOURCES;
		at = (int)sa->nservices++;
	}
	service = &sa->services[at];
	/* all that is sent is kept, named or not, up to the end of the record */
	memset(service->record, 0, sizeof(service->record));
	memcpy(service->record, q->wanted, q->attribute->bytes);
	service->expires = lease == FOR_EVER ? UINT64_MAX : q->now + lease * NS_PER_S;
	look_for_first(sa);
	memset(q->compare, 0, sizeof(q->compare));
	sa_service_offer(q, service);
	return SA_OK;
}

int sa_service_remove(struct sa_query *q)
{
	int at, ret = sa_service_prepare(q);

	if (ret)
		return ret;
	at = sa_service_find(q->sa, q->wanted);
	if (at < 0 || !may_see(q, &q->sa->services[at]))
		return SA_NO_RECORDS;
	if (!sa_service_has_key(q, &q->sa->services[at]))
		return SA_INVALID;
	memset(q->compare, 0, sizeof(q->compare));
	sa_service_offer(q, &q->sa->services[at]);
	remove_at(q->sa, (uint32_t)at);
	return SA_OK;
}

/* Names of services and their keys. */
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

/* Takes away all whose lease is over, and if the subnet has changed all whose port is gone. */
static void sift(struct sa *sa, uint64_t now, bool changed)
{
	uint32_t kept = 0, port;

	for (uint32_t i = 0; i < sa->nservices; i++) {
		const struct sa_service *s = &sa->services[i];
		const uint8_t *gid = s->record + field_at(MADKIT_SERVICE_RECORD_SERVICE_GID);

		if (s->expires > now && !(changed && sa_port_by_gid(sa, gid, &port)))
			sa->services[kept++] = *s;
	}
	sa->nservices = kept;
	look_for_first(sa);
}

void sa_services_expire(struct sa *sa, uint64_t now)
{
	if (sa->first_expires <= now)
		sift(sa, now, false);
}

void sa_services_gone(struct sa *sa)
{
	sift(sa, 0, true);
}
