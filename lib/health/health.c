/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "health/ber.h"
#include "health/firmware.h"
#include "health/forwarding.h"
#include "health/identities.h"
#include "health/links.h"
#include "health/managers.h"
#include "health/modules.h"
#include "health/partitions.h"
#include "health/problem.h"
#include "health/rises.h"
#include "health/silence.h"
#include "health/thresholds.h"
#include "sweep/registers.h"
#include "util/bits.h"
#include "wire/access.h"

enum { HEALTH_GENERAL_INFO = 0x0017 }; /* attribute of class Mlnx */

int madkit_health_new(const struct madkit_sweep *sweep, const struct madkit_health_settings *settings,
		      struct madkit_health **health)
{
	struct madkit_health *h = calloc(1, sizeof(*h));
	size_t count;

	if (!h)
		return -ENOMEM;
	h->sweep = sweep;
	h->settings = *settings;
	for (size_t i = 0; i < RULES && sweep->attr.link; i++)
		if (madkit_health_rules(&count)[i].subnet)
			h->settings.rules &= ~(UINT32_C(1) << i);
	madkit_buf_init(&h->text, 0);
	madkit_buf_init(&h->scratch, 0);
	*health = h;
	return 0;
}

void madkit_health_free(struct madkit_health *h)
{
	if (!h)
		return;
	problems_free(h);
	madkit_buf_free(&h->text);
	madkit_buf_free(&h->scratch);
	free(h->ports);
	free(h->managers);
	free(h->strays);
	free(h->firmware);
	free(h->over);
	free(h->unjudged);
	for (size_t i = 0; i < h->npairs; i++)
		free(h->pairs[i].keys);
	free(h->pairs);
	forwarding_free(h);
	rises_free(h);
	gauges_free(h);
	madkit_registers_free(h->registers);
	free(h->again);
	free(h->again_read);
	free(h);
}

/* ---- requests ------------------------------------------------------------------------------ */

/* The requests. counts: a port that does not respond was not judged. */
static const struct {
	uint8_t mgmt_class;
	uint16_t attribute;
	enum rule_number rule;
	bool counts, pauses, all_blocks, once;
	bool is_register; /* of AccessRegisterGMP ... */
	enum gauge_register gauge;
} health_steps[] = {
	[HEALTH_RISES] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS_EXTENDED, RULE_RISES,
			   .counts = false },
	[HEALTH_RISES_NARROW] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, RULE_RISES, .counts = false },
	[HEALTH_RISES_AGAIN] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS_EXTENDED, RULE_RISES,
				 .counts = false },
	[HEALTH_RISES_NARROW_AGAIN] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, RULE_RISES,
					.counts = false },
	[HEALTH_RISES_DISCARDS] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_XMIT_DISCARD_DETAILS, RULE_RISES,
				    .once = true },
	[HEALTH_MANAGERS] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_SM_INFO, RULE_SM, .counts = false },
	[HEALTH_COUNTERS] = { MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS, RULE_COUNTERS, .counts = true },
	[HEALTH_PARTITIONS] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_P_KEY_TABLE, RULE_PKEY, .counts = true,
				.all_blocks = true },
	[HEALTH_FORWARDING] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_LINEAR_FORWARDING_TABLE, RULE_ROUTE,
				.counts = true, .all_blocks = true },
	[HEALTH_FIRMWARE] = { MADKIT_CLASS_MLNX, HEALTH_GENERAL_INFO, RULE_FIRMWARE, .once = true },
#define HEALTH_REGISTER(which) \
	{ \
		MADKIT_CLASS_MLNX, MADKIT_ATTR_ACCESS_REGISTER_GMP, RULES, .is_register = true, \
									   .gauge = which \
	}
	[HEALTH_MODULES] = HEALTH_REGISTER(GAUGE_MODULE),
	[HEALTH_DIAGNOSES] = HEALTH_REGISTER(GAUGE_DIAGNOSIS),
	[HEALTH_SENSORS] = HEALTH_REGISTER(GAUGE_SENSOR),
	[HEALTH_PHYS] = HEALTH_REGISTER(GAUGE_PHY),
	[HEALTH_BIT_ERRORS] = HEALTH_REGISTER(GAUGE_BER),
	[HEALTH_REASONS] = { MADKIT_CLASS_MLNX, MADKIT_ATTR_ACCESS_REGISTER_GMP, RULES, .once = true,
			     .is_register = true, .gauge = GAUGE_REASON },
	[HEALTH_MANAGERS_AGAIN] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_SM_INFO, RULE_SM, .pauses = true },
	[HEALTH_STRAYS] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_PORT_INFO, RULE_SM, .counts = true },
	[HEALTH_LINKS_AGAIN] = { MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_PORT_INFO, RULE_HALF, .counts = true,
				 .pauses = true },
};

/* Checks if the sweep read everything that it was meant to. */
static bool health_is_finished(const struct madkit_health *h)
{
	return h->sweep->ended;
}

/* Checks if the rises of counters are judged. */
static bool health_wants_rises(const struct madkit_health *h)
{
	return health_is_finished(h) && (h->settings.window_ms || h->settings.earlier) &&
	       (health_wants(h, RULE_RISES) || health_wants(h, RULE_FLAPPING));
}

/* Lists the ports of links whose last link-down is of interest. */
static int health_list_reasons(struct madkit_health *h)
{
	int ret = 0;

	if (!h->firmware && !h->registers)
		return 0;
	if (health_wants_rises(h) && health_wants(h, RULE_FLAPPING))
		ret = rises_list_flapping(h);
	if (!ret && health_wants(h, RULE_SLOW))
		ret = links_list_slow(h);
	return ret;
}

/* Prepares the request of a step: h->ports has its ports, none if it is not needed. Returns 0 or -ENOMEM. */
static int health_prepare(struct madkit_health *h)
{
	const bool finished = health_is_finished(h);

	h->nports = 0;
	switch (h->step) {
	case HEALTH_RISES:
		return health_wants_rises(h) && !h->settings.earlier ? rises_list_wide(h, false) : 0;
	case HEALTH_RISES_NARROW:
		return health_wants_rises(h) && !h->settings.earlier ? rises_list_narrow(h, false) : 0;
	case HEALTH_RISES_AGAIN:
		return health_wants_rises(h) ? rises_list_wide(h, true) : 0;
	case HEALTH_RISES_NARROW_AGAIN:
		return health_wants_rises(h) ? rises_list_narrow(h, true) : 0;
	case HEALTH_RISES_DISCARDS:
		return health_wants_rises(h) ? rises_list_discards(h) : 0;
	case HEALTH_MANAGERS:
		return finished && health_wants(h, RULE_SM) ? managers_list(h) : 0;
	case HEALTH_COUNTERS:
		return finished && health_wants(h, RULE_COUNTERS) ? thresholds_list(h, RULE_COUNTERS) : 0;
	case HEALTH_PARTITIONS:
		return finished && health_wants(h, RULE_PKEY) ? partitions_list(h) : 0;
	case HEALTH_FORWARDING:
		return finished && health_wants(h, RULE_ROUTE) ? forwarding_list(h) : 0;
	case HEALTH_FIRMWARE:
		return finished && health_wants(h, RULE_FIRMWARE) ? firmware_list(h) : 0;
	case HEALTH_MODULES:
	case HEALTH_DIAGNOSES:
	case HEALTH_SENSORS:
	case HEALTH_PHYS:
	case HEALTH_BIT_ERRORS:
		return finished ? gauges_list(h, health_steps[h->step].gauge) : 0;
	case HEALTH_REASONS:
		return finished ? health_list_reasons(h) : 0;
	case HEALTH_MANAGERS_AGAIN:
		return finished && health_wants(h, RULE_SM) && managers_in_doubt(h) ? managers_list(h) : 0;
	case HEALTH_STRAYS:
		return finished && health_wants(h, RULE_SM) ? managers_list_strays(h) : 0;
	case HEALTH_LINKS_AGAIN:
		if (links_doubt(h))
			return -ENOMEM;
		h->again = calloc(h->nports + 1, sizeof(*h->again));
		h->again_read = calloc(h->nports + 1, sizeof(*h->again_read));
		return h->again && h->again_read ? 0 : -ENOMEM;
	default:
		return 0;
	}
}

/* Returns the rule that needs a request: one of those that do, if there are several. */
static enum rule_number health_rule(const struct madkit_health *h)
{
	if (h->step != HEALTH_LINKS_AGAIN)
		return health_steps[h->step].rule;
	return health_wants(h, RULE_HALF) ? RULE_HALF : health_wants(h, RULE_INIT) ? RULE_INIT : RULE_ROUTE;
}

/* Pauses once, before the first second reading. */
static uint32_t health_pause(const struct madkit_health *h)
{
	const enum rule_number rule = health_rule(h) == RULE_ROUTE ? RULE_INIT : health_rule(h);

	return (uint32_t)h->settings.limits[rule][RULE_AGAIN_MS];
}

/* Returns when the second readings of counters begin: each is then at least so long after the first one. */
static uint64_t health_window_end(const struct madkit_health *h)
{
	return h->settings.earlier ? 0 : h->first_ns + (uint64_t)h->settings.window_ms * 1000000;
}

int madkit_health_next(struct madkit_health *h, struct madkit_health_request *request)
{
	while (h->step < HEALTH_END && ++h->step < HEALTH_END) {
		int ret = health_prepare(h);

		if (ret)
			return ret;
		if (!h->nports)
			continue;
		if (health_steps[h->step].is_register && !h->registers &&
		    madkit_registers_new(h->sweep, &h->registers))
			return -ENOMEM;
		*request = (struct madkit_health_request){
			.mgmt_class = health_steps[h->step].mgmt_class,
			.attribute = health_steps[h->step].attribute,
			.ports = h->ports,
			.nports = h->nports,
			.all_blocks = health_steps[h->step].all_blocks,
			.once = health_steps[h->step].once,
			.row = health_steps[h->step].is_register ? gauges_row(health_steps[h->step].gauge) :
								   NULL,
			.registers = health_steps[h->step].is_register ? h->registers : NULL,
			.wait_ms = health_steps[h->step].pauses ? health_pause(h) : 0,
			.after_ns = h->step == HEALTH_RISES_AGAIN || h->step == HEALTH_RISES_NARROW_AGAIN ?
					    health_window_end(h) :
					    0,
		};
		return 1;
	}
	return 0;
}

/* Returns the data of a response; NULL if there is none, it is an error, or it is about another port, block or
 * attribute than the request. */
static const uint8_t *health_data(struct madkit_survey_result *result)
{
	const struct madkit_message *message = madkit_survey_message(result);
	const struct madkit_send *send = result->job.send;
	struct madkit_record record;

	madkit_record_get(message, 0, &record);
	if (message->kind != MADKIT_MESSAGE_RESPONSE || result->error || !record.data || !record.attribute ||
	    record.len < record.attribute->bytes ||
	    madkit_response_check(send->mad, send->len, message->mad, message->len, NULL))
		return NULL;
	return record.data;
}

/* Says why there are no data. */
static const char *health_why(const struct madkit_message *message)
{
	return message->kind == MADKIT_MESSAGE_RESPONSE ? "it refused the request, or answered another" :
							  "no response";
}

/* Says why the register of a port is not known. */
static const char *health_register_why(const struct madkit_health *h, struct madkit_survey_result *result)
{
	const struct madkit_message *message = madkit_survey_message(result);
	const struct madkit_registers_node node =
		madkit_registers_get(h->registers, h->ports[result->at].node);
	const char *why = node.reason;

	/* the status says more: the node may only be busy */
	if ((node.state == MADKIT_REGISTERS_REFUSED || node.state == MADKIT_REGISTERS_MISSING) &&
	    node.status && madkit_registers_status_text(node.status))
		why = madkit_registers_status_text(node.status);
	if (!why)
		why = result->reason;
	if (!why && message->kind == MADKIT_MESSAGE_RESPONSE)
		why = madkit_registers_status_text(get_be16(message->mad + MADKIT_MAD_STATUS));
	return why ? why : health_why(message);
}

/* Checks if a device does not have a register, so that there is nothing to judge. */
static bool health_lacks(const struct madkit_health *h, struct madkit_survey_result *result)
{
	const struct madkit_registers_node node =
		madkit_registers_get(h->registers, h->ports[result->at].node);
	const struct madkit_message *message = madkit_survey_message(result);

	if (node.state == MADKIT_REGISTERS_MISSING)
		return !node.status || madkit_registers_lacks(node.status);
	if (node.state == MADKIT_REGISTERS_REFUSED)
		return madkit_registers_lacks(node.status);
	if (node.state != MADKIT_REGISTERS_READY)
		return false;
	/* other ports of a CA have none */
	if (health_node(h, h->ports[result->at].node)->type != MADKIT_NODE_TYPE_SWITCH &&
	    !madkit_registers_local_port(h->registers, h->ports[result->at].node, h->ports[result->at].port))
		return true;
	/* after the first refusal, its other ports are not asked */
	if (result->error == -EOPNOTSUPP)
		return madkit_registers_lacks(node.refused);
	return !result->error && message->kind == MADKIT_MESSAGE_RESPONSE &&
	       madkit_registers_lacks(get_be16(message->mad + MADKIT_MAD_STATUS));
}

static void health_take_register(struct madkit_health *h, struct madkit_survey_result *result,
				 const uint8_t *data)
{
	const enum gauge_register which = health_steps[h->step].gauge;

	if (data)
		gauges_take(h, which, result->at, data);
	else
		gauges_miss(h, which, result->at, health_lacks(h, result), health_register_why(h, result));
}

void madkit_health_take(struct madkit_health *h, struct madkit_survey_result *result)
{
	const struct madkit_message *message;
	const uint8_t *data;

	if (result->about == MADKIT_SURVEY_CPI && h->rises)
		rises_take_cpi(h, result);
	if (result->about != MADKIT_SURVEY_TARGET || result->at >= h->nports)
		return;
	message = madkit_survey_message(result);
	data = health_data(result);
	/* not every device has GeneralInfo; managers count after the last reading */
	if (!data && health_steps[h->step].counts)
		problem_leave(h, health_rule(h), h->ports[result->at].node, h->ports[result->at].port,
			      health_why(message));
	if (health_steps[h->step].is_register) {
		health_take_register(h, result, data);
		return;
	}
	switch (h->step) {
	case HEALTH_RISES:
	case HEALTH_RISES_NARROW:
	case HEALTH_RISES_AGAIN:
	case HEALTH_RISES_NARROW_AGAIN:
		rises_take(h, result, data);
		break;
	case HEALTH_RISES_DISCARDS:
		if (data)
			rises_take_discards(h, result->at, data);
		break;
	case HEALTH_MANAGERS:
	case HEALTH_MANAGERS_AGAIN:
		managers_take(h, result->at, data);
		break;
	case HEALTH_STRAYS:
		if (data)
			managers_take_stray(h, result->at, data);
		break;
	case HEALTH_COUNTERS:
		if (data)
			thresholds_take(h, result->at, data);
		break;
	case HEALTH_PARTITIONS:
		if (data)
			partitions_take(h, result->at, data);
		break;
	case HEALTH_FORWARDING:
		if (data)
			forwarding_take(h, result->at, get_be32(message->mad + MADKIT_MAD_MODIFIER), data);
		break;
	case HEALTH_FIRMWARE:
		firmware_take(h, result->at, message->kind == MADKIT_MESSAGE_RESPONSE, data);
		break;
	case HEALTH_LINKS_AGAIN:
		if (data)
			memcpy(h->again[result->at], data, MADKIT_SWEEP_INFO_BYTES);
		h->again_read[result->at] = data;
		break;
	default:
		break;
	}
}

/* ---- the judgement ------------------------------------------------------------------------- */

static void health_count_ports(struct madkit_health *h, uint32_t node)
{
	for (unsigned int port = 1; port <= health_node(h, node)->nports; port++) {
		const struct sweep_place at = { node, (uint8_t)port };
		uint64_t phys;

		if (!health_is_down(h, at))
			continue;
		phys = health_phys_state(h, at);
		h->counts.down++;
		h->counts.disabled += phys == HEALTH_DISABLED;
		h->counts.polling += phys == HEALTH_POLLING;
	}
}

static void health_count_nodes(struct madkit_health *h)
{
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);

		h->counts.nodes++;
		h->counts.switches += n->type == MADKIT_NODE_TYPE_SWITCH;
		h->counts.hosts += n->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER && !health_is_aggregation(n);
		if (n->type == MADKIT_NODE_TYPE_SWITCH)
			health_count_ports(h, i);
	}
}

/* Checks if the sweep and the requests about managers ended by themselves: a manager that was not asked, or whose response
 * was not awaited, is not silent. Without a link, nothing is known of the subnet. */
static bool health_knows_managers(const struct madkit_health *h)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(h->sweep, &counts);
	return health_is_finished(h) && h->sweep->nnodes && h->step > HEALTH_STRAYS &&
	       !(counts.missing & MADKIT_SWEEP_NO_LINK);
}

int madkit_health_judge(struct madkit_health *h)
{
	int ret;

	health_count_nodes(h);
	ret = silence_judge(h);
	if (!ret && health_wants(h, RULE_SM) && health_knows_managers(h))
		ret = managers_judge(h);
	if (!ret)
		ret = identities_judge(h);
	if (!ret)
		ret = links_judge(h);
	if (!ret && health_wants(h, RULE_COUNTERS))
		ret = thresholds_judge(h);
	if (!ret)
		ret = rises_judge(h);
	if (!ret)
		ret = modules_judge(h);
	if (!ret)
		ret = bers_judge(h);
	if (!ret && health_wants(h, RULE_PKEY))
		ret = partitions_judge(h);
	if (!ret && health_wants(h, RULE_ROUTE))
		ret = forwarding_judge(h);
	if (!ret && health_wants(h, RULE_FIRMWARE))
		ret = firmware_judge(h);
	if (!ret)
		ret = gauges_count(h);
	problems_sort(h);
	return ret ? ret : h->error;
}

void madkit_health_count(const struct madkit_health *h, struct madkit_health_counts *counts)
{
	*counts = h->counts;
}
