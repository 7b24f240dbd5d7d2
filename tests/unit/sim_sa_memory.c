/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every allocation of subnet administration fails once: what could not be done is refused as
 * "no resources", or not answered; nothing is half registered, nothing lost. */
#include "tests/unit/fail_alloc.h"
#include "tests/unit/sim_sa.h"

enum { NO_RESOURCES = 0x0100 };

static const char *const joined[] = { "fe80::10:1", "fe80::10:3", "fe80::10:4", "fe80::10:6" };

/* How many members, services and subscriptions there are. */
static unsigned int sim_sa_memory_registered(struct desk *d)
{
	struct sa_group group;
	uint32_t place = 0;
	unsigned int n = d->sa.nservices + d->sa.nsubscriptions;

	while (sa_next_group(&d->sa, &place, &group))
		n += group.nmembers;
	return n;
}

/* Requests, each of which registers one thing; how many did. wrong: a status that lies. */
static unsigned int sim_sa_memory_fill(struct desk *d, unsigned int *wrong)
{
	unsigned int done = 0;

	d->key = KEY;
	for (unsigned int i = 0; i < 24; i++) {
		unsigned int before = sim_sa_memory_registered(d);
		int status =
			i < 8  ? desk_ask(d, SET, "MCMemberRecord",
					  "MGID=ff12:401b:ffff::%x PortGID=%s "
					   "JoinState=1 Q_Key=1 P_Key=0xffff SL=0 FlowLabel=0 TClass=0 "
					   "RateSelector=2 Rate=2",
					  i / 4, joined[i % 4]) :
			i < 16 ? desk_ask(d, SET, "ServiceRecord", "ServiceID=%u ServiceGID=fe80::10:1", i) :
				 desk_ask(d, SET, "InformInfo",
					  "LIDRangeBegin=0xffff IsGeneric=1 Type=0xffff "
					  "Subscribe=1 TrapNumber=%u QPN=1 ProducerType=0xffffff",
					  60 + i);
		bool more = sim_sa_memory_registered(d) == before + 1;

		*wrong += status != SILENCE && status != NO_RESOURCES && status != 0;
		*wrong += status == 0 && !more;
		*wrong += status == NO_RESOURCES && more;
		done += more;
	}
	return done;
}

static void sim_sa_memory_requests(void)
{
	unsigned int failed = 0, wrong = 0, least = 99;

	for (long i = 0;; i++) {
		static struct desk d;
		unsigned int done;
		uint8_t notice[80] = { 0x80 | 3 };
		bool hit;

		desk_open(&d, LINE_NET, "h1", true);
		left = i;
		done = sim_sa_memory_fill(&d, &wrong);
		notice[5] = 80;
		sa_notice(&d.sa, notice);
		wrong += desk_ask(&d, GET_TABLE, "PathRecord", ALL) == 0 && d.count != 47;
		hit = reached();
		/* later requests work as usual: all records are found, and can be deleted */
		wrong += desk_ask(&d, GET_TABLE, "ServiceRecord", ALL) || d.count != d.sa.nservices;
		for (unsigned int m = 0; m < 8; m++)
			desk_ask(&d, DELETE, "MCMemberRecord",
				 "MGID=ff12:401b:ffff::%x PortGID=%s JoinState=1", m / 4, joined[m % 4]);
		wrong += sim_sa_memory_registered(&d) != d.sa.nservices + d.sa.nsubscriptions;
		failed += hit;
		least = done < least ? done : least;
		desk_close(&d);
		if (!hit) {
			wrong += done != 24;
			break;
		}
	}
	ok(failed > 10, "%u allocations fail", failed);
	is_u64(wrong, 0, "... each is told, and nothing is half done");
	ok(least >= 22, "... and spoils no more than what was to be done with it (%u of 24)", least);
}

static void beginning(void)
{
	static struct desk d;
	struct sa_options options = { .subnet = &d.s };
	unsigned int failed = 0, wrong = 0;

	desk_open(&d, LINE_NET, "h1", false);
	for (long i = 0;; i++) {
		struct sa sa;
		int ret;
		bool hit;

		left = i;
		ret = sa_init(&sa, &options);
		hit = reached();
		if (!ret)
			sa_fini(&sa);
		if (!hit)
			break;
		failed++;
		wrong += ret != -ENOMEM;
	}
	ok(failed > 0, "%u allocations of the beginning fail", failed);
	is_u64(wrong, 0, "... each is told");
	desk_close(&d);
}

int main(void)
{
	beginning();
	sim_sa_memory_requests();
	return tap_done();
}
