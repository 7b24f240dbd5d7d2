/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Managers among each other: who is master, who says what, and that it comes to an end. */
#include "tests/unit/sim_manage.h"
#include "util/array_size.h"

static unsigned int masters(const struct subject *x)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < MANAGERS; i++)
		n += x->sm[i] && x->sm[i]->state == SM_MASTER;
	return n;
}

/* The manager that ports send their traps to. */
static bool all_know(const struct subject *x, const char *master)
{
	unsigned int lid = info_of(port_at(x, subject_node(x, master), 1), IB_PORT_LID_F);
	bool good = true;

	for (uint32_t i = 0; i < x->s->fabric->nports; i++)
		if (x->s->fabric->ports[i].end && info_of(&x->s->fabric->ports[i], IB_PORT_LID_F))
			good &= info_of(&x->s->fabric->ports[i], IB_PORT_SMLID_F) == lid;
	return good;
}

/* h1 has the lower GUID, h3 the higher one: one that a master would have to yield to by the
 * IBA does not ask for it, one that it would not have to yield to is given it. */
static void two(const char *what, const char *first, const char *second, bool given)
{
	const char *master = given ? second : first;
	struct subject x;

	if (!ok(subject_open(&x, LINE), "%s", what))
		return;
	subject_manage(&x, 0, subject_node(&x, first));
	subject_run(&x, 1000 * MS);
	subject_manage(&x, 1, subject_node(&x, second));
	subject_run(&x, 30000 * MS);
	is_int(x.sm[given]->state, SM_MASTER, "... %s is master", master);
	is_int(x.sm[!given]->state, SM_STANDBY, "... the other one is standby");
	ok(all_know(&x, master), "... all ports know");
	is_up(&x, what);
	/* discovering, master, standby; and discovering, standby, master */
	is_u64(x.states[0], 2 + given, "... the first did not go to and fro");
	is_u64(x.states[1], 2 + given, "... nor did the second");
	sm_free(x.sm[given]);
	x.sm[given] = NULL;
	subject_run(&x, 31000 * MS);
	is_int(x.sm[!given]->state, SM_STANDBY, "... it goes: not noticed at once");
	subject_run(&x, 40000 * MS);
	is_int(x.sm[!given]->state, SM_MASTER, "... and the other one is master");
	ok(all_know(&x, given ? first : second), "... all ports know");
	is_up(&x, what);
	subject_close(&x);
}

static void three(void)
{
	struct subject x;
	unsigned int before;

	if (!subject_open(&x, "fat-tree:3,2,2"))
		return;
	subject_manage(&x, 0, subject_node(&x, "h2-1"));
	subject_manage(&x, 1, subject_node(&x, "h1-1"));
	subject_manage(&x, 2, subject_node(&x, "h3-1"));
	subject_run(&x, 60000 * MS);
	is_u64(masters(&x), 1, "three at once: one is master");
	is_up(&x, "three");
	before = x.states[0] + x.states[1] + x.states[2];
	subject_run(&x, 600000 * MS);
	is_u64(x.states[0] + x.states[1] + x.states[2], before, "... and stays it");
	for (unsigned int i = 0; i < 3; i++) {
		if (x.sm[i]->state != SM_MASTER)
			continue;
		sm_free(x.sm[i]);
		x.sm[i] = NULL;
		break;
	}
	subject_run(&x, 700000 * MS);
	is_u64(masters(&x), 1, "it goes: another is master");
	is_up(&x, "two of three");
	subject_close(&x);
}

/* opensm also has priority 0, and hands mastership to any manager with a higher one, unless that is master
 * or "not active". */
static void stranger(const char *what, const char *ours, const char *theirs, unsigned int priority,
		     unsigned int said)
{
	struct subject x;
	struct stranger *o = &x.stranger;

	if (!ok(subject_open(&x, LINE), "%s", what))
		return;
	subject_manage(&x, 0, subject_node(&x, ours));
	subject_run(&x, 1000 * MS);
	ok(stranger_come(&x, theirs, priority, SM_SAYS_DISCOVERING), "... a stranger comes");
	subject_run(&x, 5000 * MS);
	ok(o->asked > 1, "... it is asked until it is ready: %u times", o->asked);
	is_u64(o->sets, 0, "... and not given anything before");
	is_int(x.sm[0]->state, SM_MASTER, "... ours is master");
	o->state = SM_SAYS_STANDBY;
	o->refuses = 2;
	subject_run(&x, 10000 * MS);
	is_u64(o->sets, 3, "... then it is offered mastership until it takes it");
	is_u64(o->what, 1, "... by HANDOVER");
	is_u64(o->sender, SM_SAYS_MASTER, "... from a master");
	is_int(x.sm[0]->state, SM_STANDBY, "... ours is standby");
	/* from h3 over A to h1, and the other way */
	stranger_ask(&x, strcmp(ours, "h1") ? "0,1,2" : "0,1,1", 0);
	subject_run(&x, 10100 * MS);
	is_u64(o->heard, said, "... and says %s", said == SM_SAYS_STANDBY ? "so" : "that it is not active");
	o->asked = 0;
	subject_run(&x, 60100 * MS);
	is_between(o->asked, 40, 60, "... it asks for its master each second: %u times", o->asked);
	is_int(x.sm[0]->state, SM_STANDBY, "... which is there");
	stranger_go(&x);
	subject_run(&x, 70000 * MS);
	is_int(x.sm[0]->state, SM_MASTER, "... it is gone: ours is master again");
	is_up(&x, what);
	subject_close(&x);
}

/* A manager that is already master, and the messages that it may send to the one under test. */
static void told_to(void)
{
	enum { HANDOVER = 1, ACKNOWLEDGE, DISABLE, STANDBY, DISCOVER };
	static const struct {
		unsigned int what, says; /* the state that the sender claims */
		unsigned int status;
		enum sm_state then;
	} steps[] = {
		{ STANDBY, SM_SAYS_MASTER, 0x1c, SM_STANDBY },
		{ HANDOVER, SM_SAYS_STANDBY, 0x1c, SM_STANDBY },
		{ ACKNOWLEDGE, SM_SAYS_MASTER, 0x1c, SM_STANDBY },
		{ 9, SM_SAYS_MASTER, 0x1c, SM_STANDBY },
		{ DISABLE, SM_SAYS_MASTER, 0, SM_NOT_ACTIVE },
		{ DISABLE, SM_SAYS_MASTER, 0x1c, SM_NOT_ACTIVE },
		{ HANDOVER, SM_SAYS_MASTER, 0x1c, SM_NOT_ACTIVE },
		{ DISCOVER, SM_SAYS_MASTER, 0x1c, SM_NOT_ACTIVE },
		{ STANDBY, SM_SAYS_MASTER, 0, SM_STANDBY },
		/* it looks, and finds the stranger that is master still */
		{ DISCOVER, SM_SAYS_MASTER, 0, SM_STANDBY },
		{ HANDOVER, SM_SAYS_MASTER, 0, SM_MASTER },
		{ DISABLE, SM_SAYS_MASTER, 0x1c, SM_MASTER },
	};
	struct subject x;
	struct stranger *o = &x.stranger;

	if (!subject_open(&x, LINE) || !stranger_come(&x, "h3", 3, SM_SAYS_MASTER))
		return;
	subject_manage(&x, 0, subject_node(&x, "h1"));
	subject_run(&x, 1000 * MS);
	is_int(x.sm[0]->state, SM_STANDBY, "another is master: ours is standby");
	is_u64(x.swept[0], 0, "... and has changed nothing");
	is_u64(info_of(port_at(&x, subject_node(&x, "h2"), 1), IB_PORT_LID_F), 0, "... no LID");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		unsigned int was = o->state;

		o->state = steps[i].says;
		o->heard_status = 0xffff;
		stranger_ask(&x, "0,1,1", steps[i].what);
		/* until it has sent it, and responded with its own state */
		o->state = steps[i].what == HANDOVER && !steps[i].status ? SM_SAYS_NOT_ACTIVE : was;
		subject_run(&x, x.now + 500 * MS);
		is_u64(o->heard_status, steps[i].status, "told %u by a %s: status 0x%x", steps[i].what,
		       steps[i].says == SM_SAYS_MASTER ? "master" : "standby", steps[i].status);
		is_int(x.sm[0]->state, steps[i].then, "... then it is %d", steps[i].then);
	}
	is_u64(o->what, ACKNOWLEDGE, "mastership was acknowledged");
	is_u64(o->sender, SM_SAYS_STANDBY, "... by a standby");
	is_up(&x, "handed over");
	subject_close(&x);
}

int main(void)
{
	two("the second has the higher GUID", "h1", "h3", true);
	two("the second has the lower GUID", "h3", "h1", false);
	three();
	stranger("a stranger below ours", "h1", "h3", 0, SM_SAYS_NOT_ACTIVE);
	stranger("a stranger above ours", "h3", "h1", 0, SM_SAYS_STANDBY);
	stranger("a stranger of higher priority", "h1", "h3", 1, SM_SAYS_STANDBY);
	told_to();
	return tap_done();
}
