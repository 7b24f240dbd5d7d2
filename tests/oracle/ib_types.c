/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Our tables against opensm's ib_types.h: sizes of structures, every field
 * read from random bytes by its structures and accessors, numbers of the SA's
 * components, and names of statuses and enumerations by number.
 */
#include <stdlib.h>
#include <iba/ib_types.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "../tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ROUNDS 100
#define SEEN_MAX 128

static uint64_t state = 0x69625f7479706573;

static void random_bytes(uint8_t *buf, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		buf[i] = (uint8_t)(state >> 24);
	}
}

/* What is being compared, and which fields have been. */
static struct {
	const char *name;
	const struct madkit_layout *layout;
	const uint8_t *buf;
	unsigned int errors;
	unsigned int nseen;
	struct {
		const struct madkit_field *field;
		uint32_t base;
	} seen[SEEN_MAX];
} now;

static bool seen(const struct madkit_field *field, uint32_t base)
{
	for (unsigned int i = 0; i < now.nseen; i++)
		if (now.seen[i].field == field && now.seen[i].base == base)
			return true;
	return false;
}

static bool find(const char *name, struct madkit_place *place)
{
	if (madkit_place_find(now.layout, name, strlen(name), place, NULL)) {
		if (!now.errors++)
			printf("# %s has no %s\n", now.name, name);
		return false;
	}
	if (!seen(place->field, place->base) && now.nseen < SEEN_MAX) {
		now.seen[now.nseen].field = place->field;
		now.seen[now.nseen++].base = place->base;
	}
	return true;
}

/* A number: ours against theirs, in host order. */
static void num(const char *name, uint64_t theirs)
{
	struct madkit_place place;
	uint64_t ours;

	if (!find(name, &place))
		return;
	if ((madkit_field_get(place.field, place.index, now.buf + place.base / 8,
			      now.layout->bytes - place.base / 8, &ours) ||
	     ours != theirs) && !now.errors++)
		printf("# %s: ours 0x%" PRIx64 ", theirs 0x%" PRIx64 "\n", name,
		       ours, theirs);
}

/* Bytes: where ours lies against where theirs does. */
static void bytes(const char *name, const void *theirs, size_t n)
{
	struct madkit_place place;
	const uint8_t *ours;

	if (!find(name, &place))
		return;
	ours = now.buf + place.base / 8 +
	       madkit_field_offset(place.field, place.index) / 8;
	if ((ours != theirs || place.field->width != n * 8) && !now.errors++)
		printf("# %s: ours at %td, theirs at %td\n", name, ours - now.buf,
		       (const uint8_t *)theirs - now.buf);
}

#define GID(name, g)	bytes(name, &(g), 16)
#define N16(name, v)	num(name, cl_ntoh16(v))
#define N32(name, v)	num(name, cl_ntoh32(v))
#define N64(name, v)	num(name, cl_ntoh64(v))

/* One element of an array. */
static const char *nth(const char *name, unsigned int i, const char *part)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s[%u]%s", name, i, part);
	return path;
}

/* ---- headers ----------------------------------------------------------------- */

static void common(const ib_mad_t *mad)
{
	num("base_version", mad->base_ver);
	num("class", mad->mgmt_class);
	num("class_version", mad->class_ver);
	num("method", mad->method);
	N64("tid", mad->trans_id);
	N16("attribute", mad->attr_id);
	N32("modifier", mad->attr_mod);
}

static void header(const void *buf)
{
	const ib_mad_t *mad = buf;

	common(mad);
	N16("status", mad->status);
	N16("class_specific", mad->class_spec);
}

static void header_dr(const void *buf)
{
	const ib_smp_t *smp = buf;

	common(buf);
	num("direction", (cl_ntoh16(smp->status) & 0x8000) >> 15);
	N16("status", ib_smp_get_status(smp));
	num("hop_pointer", smp->hop_ptr);
	num("hop_count", smp->hop_count);
}

static void smp(const void *buf)
{
	N64("m_key", ((const ib_smp_t *)buf)->m_key);
}

static void smp_dr(const void *buf)
{
	const ib_smp_t *mad = buf;

	N64("m_key", mad->m_key);
	N16("dr_slid", mad->dr_slid);
	N16("dr_dlid", mad->dr_dlid);
	bytes("initial_path", mad->initial_path, 64);
	bytes("return_path", mad->return_path, 64);
}

static void rmpp(const void *buf)
{
	const ib_rmpp_mad_t *mad = buf;

	num("version", mad->rmpp_version);
	num("type", mad->rmpp_type);
	num("resptime", ib_rmpp_get_resp_time(mad));
	num("flags", mad->rmpp_flags & 7);
	num("status", mad->rmpp_status);
	N32("segment", mad->seg_num);
	N32("payload_length", mad->paylen_newwin);
}

static void sa(const void *buf)
{
	const ib_sa_mad_t *mad = buf;

	N64("sm_key", mad->sm_key);
	N16("attribute_offset", mad->attr_offset);
	N64("component_mask", mad->comp_mask);
}

static void cc(const void *buf)
{
	N64("cc_key", ((const ib_cc_mad_t *)buf)->cc_key);
}

/* ---- attributes -------------------------------------------------------------- */

static void class_port_info(const void *buf)
{
	ib_class_port_info_t copy, *p = &copy;
	const ib_class_port_info_t *place = buf;

	memcpy(p, buf, sizeof(copy));
	num("BaseVersion", p->base_ver);
	num("ClassVersion", p->class_ver);
	N16("CapabilityMask", p->cap_mask);
	num("CapabilityMask2", ib_class_cap_mask2(p));
	num("RespTimeVal", ib_class_resp_time_val(p));
	GID("RedirectGID", place->redir_gid);
	num("RedirectTC", cl_ntoh32(p->redir_tc_sl_fl) >> 24);
	num("RedirectSL", cl_ntoh32(p->redir_tc_sl_fl) >> 20 & 0xf);
	num("RedirectFL", cl_ntoh32(p->redir_tc_sl_fl) & 0xfffff);
	N16("RedirectLID", p->redir_lid);
	N16("RedirectPKey", p->redir_pkey);
	num("RedirectQP", cl_ntoh32(p->redir_qp) & 0xffffff);
	N32("RedirectQKey", p->redir_qkey);
	GID("TrapGID", place->trap_gid);
	num("TrapTC", cl_ntoh32(p->trap_tc_sl_fl) >> 24);
	num("TrapSL", cl_ntoh32(p->trap_tc_sl_fl) >> 20 & 0xf);
	num("TrapFL", cl_ntoh32(p->trap_tc_sl_fl) & 0xfffff);
	N16("TrapLID", p->trap_lid);
	N16("TrapPKey", p->trap_pkey);
	num("TrapHL", cl_ntoh32(p->trap_hop_qp) >> 24);
	num("TrapQP", cl_ntoh32(p->trap_hop_qp) & 0xffffff);
	N32("TrapQKey", p->trap_qkey);
}

static void notice_smp(const void *buf)
{
	const ib_mad_notice_attr_t *p = buf;

	num("IsGeneric", ib_notice_is_generic(p) != 0);
	num("Type", ib_notice_get_type(p));
	N32("ProducerType", ib_notice_get_prod_type(p));
	N32("VendorID", ib_notice_get_vend_id(p));
	N16("TrapNumber", p->g_or_v.generic.trap_num);
	N16("DeviceID", p->g_or_v.vend.dev_id);
	N16("IssuerLID", p->issuer_lid);
	num("NoticeToggle", cl_ntoh16(p->toggle_count) >> 15);
	num("NoticeCount", cl_ntoh16(p->toggle_count) & 0x7fff);
	bytes("DataDetails", &p->data_details, 54);
}

static void notice(const void *buf)
{
	const ib_mad_notice_attr_t *p = buf;

	notice_smp(buf);
	GID("IssuerGID", p->issuer_gid);
}

static void inform_info(const void *buf)
{
	const ib_inform_info_t *p = buf;
	ib_net32_t qpn;
	uint8_t resp_time;

	ib_inform_info_get_qpn_resp_time(p->g_or_v.generic.qpn_resp_time_val, &qpn,
					 &resp_time);
	GID("GID", p->gid);
	N16("LIDRangeBegin", p->lid_range_begin);
	N16("LIDRangeEnd", p->lid_range_end);
	num("IsGeneric", p->is_generic);
	num("Subscribe", p->subscribe);
	N16("Type", p->trap_type);
	N16("TrapNumber", p->g_or_v.generic.trap_num);
	N32("QPN", qpn);
	num("RespTimeValue", resp_time);
	N32("ProducerType", ib_inform_info_get_prod_type(p));
}

static void node_description(const void *buf)
{
	bytes("NodeDescription", ((const ib_node_desc_t *)buf)->description, 64);
}

static void node_info(const void *buf)
{
	const ib_node_info_t *p = buf;

	num("BaseVers", p->base_version);
	num("ClassVers", p->class_version);
	num("NodeType", p->node_type);
	num("NumPorts", p->num_ports);
	N64("SystemGuid", p->sys_guid);
	N64("Guid", p->node_guid);
	N64("PortGuid", p->port_guid);
	N16("PartCap", p->partition_cap);
	N16("DevId", p->device_id);
	N32("Revision", p->revision);
	num("LocalPort", ib_node_info_get_local_port_num(p));
	N32("VendorId", ib_node_info_get_vendor_id(p));
}

static void switch_info(const void *buf)
{
	const ib_switch_info_t *p = buf;

	N16("LinearFdbCap", p->lin_cap);
	N16("RandomFdbCap", p->rand_cap);
	N16("McastFdbCap", p->mcast_cap);
	N16("LinearFdbTop", p->lin_top);
	num("DefPort", p->def_port);
	num("DefMcastPrimPort", p->def_mcast_pri_port);
	num("DefMcastNotPrimPort", p->def_mcast_not_port);
	num("LifeTime", p->life_state >> 3);
	num("StateChange", ib_switch_info_get_state_change(p));
	num("OptSLtoVLMapping", p->life_state & 3);
	N16("LidsPerPort", p->lids_per_port);
	N16("PartEnforceCap", p->enforce_cap);
	num("InboundPartEnf", p->flags >> 7);
	num("OutboundPartEnf", p->flags >> 6 & 1);
	num("FilterRawInbound", p->flags >> 5 & 1);
	num("FilterRawOutbound", p->flags >> 4 & 1);
	num("EnhancedPort0", ib_switch_info_is_enhanced_port0(p));
	N16("MulticastFDBTop", p->mcast_top);
}

static void guid_info(const void *buf)
{
	const ib_guid_info_t *p = buf;

	for (unsigned int i = 0; i < GUID_TABLE_MAX_ENTRIES; i++)
		N64(nth("GUID", i, ""), p->guid[i]);
}

static void port_info(const void *buf)
{
	const ib_port_info_t *p = buf;

	N64("Mkey", p->m_key);
	N64("GidPrefix", p->subnet_prefix);
	N16("Lid", p->base_lid);
	N16("SMLid", p->master_sm_base_lid);
	N32("CapMask", p->capability_mask);
	N16("DiagCode", p->diag_code);
	N16("MkeyLeasePeriod", p->m_key_lease_period);
	num("LocalPort", p->local_port_num);
	num("LinkWidthEnabled", p->link_width_enabled);
	num("LinkWidthSupported", p->link_width_supported);
	num("LinkWidthActive", p->link_width_active);
	num("LinkSpeedSupported", ib_port_info_get_link_speed_sup(p));
	num("LinkState", ib_port_info_get_port_state(p));
	num("PhysLinkState", ib_port_info_get_port_phys_state(p));
	num("LinkDownDefState", ib_port_info_get_link_down_def_state(p));
	num("ProtectBits", ib_port_info_get_mpb(p));
	num("LMC", ib_port_info_get_lmc(p));
	num("LinkSpeedActive", ib_port_info_get_link_speed_active(p));
	num("LinkSpeedEnabled", ib_port_info_get_link_speed_enabled(p));
	num("NeighborMTU", ib_port_info_get_neighbor_mtu(p));
	num("SMSL", ib_port_info_get_master_smsl(p));
	num("VLCap", ib_port_info_get_vl_cap(p));
	num("InitType", ib_port_info_get_init_type(p));
	num("VLHighLimit", p->vl_high_limit);
	num("VLArbHighCap", p->vl_arb_high_cap);
	num("VLArbLowCap", p->vl_arb_low_cap);
	num("InitReply", p->mtu_cap >> 4);
	num("MtuCap", ib_port_info_get_mtu_cap(p));
	num("VLStallCount", ib_port_info_get_vl_stall_count(p));
	num("HoqLife", ib_port_info_get_hoq_lifetime(p));
	num("OperVLs", ib_port_info_get_op_vls(p));
	num("PartEnforceInb", p->vl_enforce >> 3 & 1);
	num("PartEnforceOutb", p->vl_enforce >> 2 & 1);
	num("FilterRawInb", p->vl_enforce >> 1 & 1);
	num("FilterRawOutb", p->vl_enforce & 1);
	N16("MkeyViolations", p->m_key_violations);
	N16("PkeyViolations", p->p_key_violations);
	N16("QkeyViolations", p->q_key_violations);
	num("GuidCap", p->guid_cap);
	num("ClientReregister", ib_port_info_get_client_rereg(p));
	num("McastPkeyTrapSuppressionEnabled", ib_port_info_get_mcast_pkey_trap_suppress(p));
	num("SubnetTimeout", ib_port_info_get_timeout(p));
	num("RespTimeVal", ib_port_info_get_resp_time_value(p));
	num("LocalPhysErr", ib_port_info_get_local_phy_err_thd(p));
	num("OverrunErr", ib_port_info_get_overrun_err_thd(p));
	N16("MaxCreditHint", p->max_credit_hint);
	num("RoundTrip", cl_ntoh32(p->link_rt_latency) & 0xffffff);
	N16("CapMask2", p->capability_mask2);
	num("LinkSpeedExtActive", ib_port_info_get_link_speed_ext_active(p));
	num("LinkSpeedExtSupported", ib_port_info_get_link_speed_ext_sup(p));
	num("LinkSpeedExtEnabled", ib_port_info_get_link_speed_ext_enabled(p));
	/* in what this header calls reserved */
	num("LinkSpeedExtActive2", cl_ntoh32(p->link_rt_latency) >> 29 & 3);
	num("LinkSpeedExtSupported2", cl_ntoh32(p->link_rt_latency) >> 27 & 3);
	num("LinkSpeedExtEnabled2", cl_ntoh32(p->link_rt_latency) >> 24 & 7);
}

static void pkey_table(const void *buf)
{
	const ib_pkey_table_t *p = buf;

	for (unsigned int i = 0; i < IB_NUM_PKEY_ELEMENTS_IN_BLOCK; i++)
		N16(nth("PKey", i, ""), p->pkey_entry[i]);
}

static void sltovl_table(const void *buf)
{
	for (unsigned int i = 0; i < IB_MAX_NUM_VLS; i++)
		num(nth("SLtoVL", i, ""), ib_slvl_table_get(buf, (uint8_t)i));
}

static void vlarb_table(const void *buf)
{
	const ib_vl_arb_table_t *p = buf;

	for (unsigned int i = 0; i < IB_NUM_VL_ARB_ELEMENTS_IN_BLOCK; i++) {
		num(nth("Block", i, ".VL"), p->vl_entry[i].vl & 0xf);
		num(nth("Block", i, ".Weight"), p->vl_entry[i].weight);
	}
}

static void linear_table(const void *buf)
{
	const ib_lft_record_t *p = (const void *)((const uint8_t *)buf - 8);

	for (unsigned int i = 0; i < 64; i++)
		num(nth("Port", i, ""), p->lft[i]);
}

static void multicast_table(const void *buf)
{
	const ib_mft_record_t *p = (const void *)((const uint8_t *)buf - 8);

	for (unsigned int i = 0; i < IB_MCAST_BLOCK_SIZE; i++)
		N16(nth("PortMask", i, ""), p->mft[i]);
}

static void sm_info(const void *buf)
{
	const ib_sm_info_t *p = buf;

	N64("GUID", p->guid);
	N64("SM_Key", p->sm_key);
	N32("ActCount", p->act_count);
	num("Priority", ib_sminfo_get_priority(p));
	num("SMState", ib_sminfo_get_state(p));
}

static void port_counters(const void *buf)
{
	const ib_port_counters_t *p = buf;

	num("PortSelect", p->port_select);
	N16("CounterSelect", p->counter_select);
	N16("SymbolErrorCounter", p->symbol_err_cnt);
	num("LinkErrorRecoveryCounter", p->link_err_recover);
	num("LinkDownedCounter", p->link_downed);
	N16("PortRcvErrors", p->rcv_err);
	N16("PortRcvRemotePhysicalErrors", p->rcv_rem_phys_err);
	N16("PortRcvSwitchRelayErrors", p->rcv_switch_relay_err);
	N16("PortXmitDiscards", p->xmit_discards);
	num("PortXmitConstraintErrors", p->xmit_constraint_err);
	num("PortRcvConstraintErrors", p->rcv_constraint_err);
	num("CounterSelect2", p->counter_select2);
	num("LocalLinkIntegrityErrors", PC_LINK_INT(p->link_int_buffer_overrun));
	num("ExcessiveBufferOverrunErrors", PC_BUF_OVERRUN(p->link_int_buffer_overrun));
	N16("QP1Dropped", p->qp1_dropped);
	N16("VL15Dropped", p->vl15_dropped);
	N32("PortXmitData", p->xmit_data);
	N32("PortRcvData", p->rcv_data);
	N32("PortXmitPkts", p->xmit_pkts);
	N32("PortRcvPkts", p->rcv_pkts);
	N32("PortXmitWait", p->xmit_wait);
}

static void port_counters_ext(const void *buf)
{
	const ib_port_counters_ext_t *p = buf;

	num("PortSelect", p->port_select);
	N16("CounterSelect", p->counter_select);
	N32("CounterSelect2", p->counter_select2);
	N64("PortXmitData", p->xmit_data);
	N64("PortRcvData", p->rcv_data);
	N64("PortXmitPkts", p->xmit_pkts);
	N64("PortRcvPkts", p->rcv_pkts);
	N64("PortUnicastXmitPkts", p->unicast_xmit_pkts);
	N64("PortUnicastRcvPkts", p->unicast_rcv_pkts);
	N64("PortMulticastXmitPkts", p->multicast_xmit_pkts);
	N64("PortMulticastRcvPkts", p->multicast_rcv_pkts);
	N64("SymbolErrorCounter", p->symbol_err_cnt);
	N64("LinkErrorRecoveryCounter", p->link_err_recover);
	N64("LinkDownedCounter", p->link_downed);
	N64("PortRcvErrors", p->rcv_err);
	N64("PortRcvRemotePhysicalErrors", p->rcv_rem_phys_err);
	N64("PortRcvSwitchRelayErrors", p->rcv_switch_relay_err);
	N64("PortXmitDiscards", p->xmit_discards);
	N64("PortXmitConstraintErrors", p->xmit_constraint_err);
	N64("PortRcvConstraintErrors", p->rcv_constraint_err);
	N64("LocalLinkIntegrityErrors", p->link_integrity_err);
	N64("ExcessiveBufferOverrunErrors", p->buffer_overrun);
	N64("VL15Dropped", p->vl15_dropped);
	N64("PortXmitWait", p->xmit_wait);
	N64("QP1Dropped", p->qp1_dropped);
}

static void node_record(const void *buf)
{
	const ib_node_record_t *p = buf;

	N16("LID", p->lid);
	node_info(&p->node_info);	/* by the names alone: they are unique */
	bytes("NodeDescription", p->node_desc.description, 64);
}

static void port_info_record(const void *buf)
{
	const ib_portinfo_record_t *p = buf;
	ib_port_info_t aligned;	/* theirs wants eight bytes, the record has four */

	memcpy(&aligned, &p->port_info, sizeof(aligned));
	N16("EndportLID", p->lid);
	num("PortNum", p->port_num);
	num("Options", p->options);
	port_info(&aligned);
}

static void sm_info_record(const void *buf)
{
	const ib_sminfo_record_t *p = buf;

	N16("LID", p->lid);
	sm_info(&p->sm_info);
}

static void link_record(const void *buf)
{
	const ib_link_record_t *p = buf;

	N16("FromLID", p->from_lid);
	num("FromPort", p->from_port_num);
	num("ToPort", p->to_port_num);
	N16("ToLID", p->to_lid);
}

static void path_record(const void *buf)
{
	const ib_path_rec_t *p = buf;

	N64("ServiceID", p->service_id);
	GID("DGID", p->dgid);
	GID("SGID", p->sgid);
	N16("DLID", p->dlid);
	N16("SLID", p->slid);
	num("RawTraffic", cl_ntoh32(p->hop_flow_raw) >> 31);
	num("FlowLabel", ib_path_rec_flow_lbl(p));
	num("HopLimit", ib_path_rec_hop_limit(p));
	num("TClass", p->tclass);
	num("Reversible", p->num_path >> 7);
	num("NumbPath", ib_path_rec_num_path(p));
	N16("P_Key", p->pkey);
	num("QoSClass", ib_path_rec_qos_class(p));
	num("SL", ib_path_rec_sl(p));
	num("MTUSelector", ib_path_rec_mtu_sel(p));
	num("MTU", ib_path_rec_mtu(p));
	num("RateSelector", ib_path_rec_rate_sel(p));
	num("Rate", ib_path_rec_rate(p));
	num("PacketLifeTimeSelector", ib_path_rec_pkt_life_sel(p));
	num("PacketLifeTime", ib_path_rec_pkt_life(p));
	num("Preference", p->preference);
}

static void mcmember_record(const void *buf)
{
	const ib_member_rec_t *p = buf;
	uint32_t flow;
	uint8_t sl, hop, scope, join;

	ib_member_get_sl_flow_hop(p->sl_flow_hop, &sl, &flow, &hop);
	ib_member_get_scope_state(p->scope_state, &scope, &join);
	GID("MGID", p->mgid);
	GID("PortGID", p->port_gid);
	N32("Q_Key", p->qkey);
	N16("MLID", p->mlid);
	num("MTUSelector", p->mtu >> 6);
	num("MTU", p->mtu & 0x3f);
	num("TClass", p->tclass);
	N16("P_Key", p->pkey);
	num("RateSelector", p->rate >> 6);
	num("Rate", p->rate & 0x3f);
	num("PacketLifeTimeSelector", p->pkt_life >> 6);
	num("PacketLifeTime", p->pkt_life & 0x3f);
	num("SL", sl);
	num("FlowLabel", flow);
	num("HopLimit", hop);
	num("Scope", scope);
	num("JoinState", join);
	/* their bit field takes the lowest bit of the octet on a little-endian
	 * machine; the wire, umad_sa_mcm.h and libibmad have the highest */
	num("ProxyJoin", *((const uint8_t *)&p->scope_state + 1) >> 7);
}

static void service_record(const void *buf)
{
	const ib_service_record_t *p = buf;

	N64("ServiceID", p->service_id);
	GID("ServiceGID", p->service_gid);
	N16("ServiceP_Key", p->service_pkey);
	N32("ServiceLease", p->service_lease);
	bytes("ServiceKey", p->service_key, 16);
	bytes("ServiceName", p->service_name, 64);
	for (unsigned int i = 0; i < 16; i++)
		num(nth("ServiceData8", i, ""), p->service_data8[i]);
	for (unsigned int i = 0; i < 8; i++)
		N16(nth("ServiceData16", i, ""), p->service_data16[i]);
	for (unsigned int i = 0; i < 4; i++)
		N32(nth("ServiceData32", i, ""), p->service_data32[i]);
	for (unsigned int i = 0; i < 2; i++)
		N64(nth("ServiceData64", i, ""), p->service_data64[i]);
}

static const struct {
	const char *attribute;
	size_t bytes;		/* of the structure; 0: there is none */
	void (*compare)(const void *buf);
} attributes[] = {
	{ "SubnMgt:Notice", 0, notice_smp },
	{ "SubnMgt:NodeDescription", sizeof(ib_node_desc_t), node_description },
	{ "SubnMgt:NodeInfo", sizeof(ib_node_info_t), node_info },
	{ "SubnMgt:SwitchInfo", sizeof(ib_switch_info_t), switch_info },
	{ "SubnMgt:GUIDInfo", sizeof(ib_guid_info_t), guid_info },
	{ "SubnMgt:PortInfo", sizeof(ib_port_info_t), port_info },
	{ "SubnMgt:P_KeyTable", sizeof(ib_pkey_table_t), pkey_table },
	{ "SubnMgt:SLtoVLMappingTable", sizeof(ib_slvl_table_t), sltovl_table },
	{ "SubnMgt:VLArbitrationTable", sizeof(ib_vl_arb_table_t), vlarb_table },
	{ "SubnMgt:LinearForwardingTable", sizeof(((ib_lft_record_t *)0)->lft), linear_table },
	{ "SubnMgt:MulticastForwardingTable", sizeof(((ib_mft_record_t *)0)->mft), multicast_table },
	/* theirs leaves out the three reserved bytes at its end */
	{ "SubnMgt:SMInfo", sizeof(ib_sm_info_t) + 3, sm_info },
	{ "SA:ClassPortInfo", sizeof(ib_class_port_info_t), class_port_info },
	{ "SA:Notice", sizeof(ib_mad_notice_attr_t), notice },
	{ "SA:InformInfo", sizeof(ib_inform_info_t), inform_info },
	{ "SA:NodeRecord", sizeof(ib_node_record_t), node_record },
	{ "SA:PortInfoRecord", sizeof(ib_portinfo_record_t), port_info_record },
	{ "SA:SMInfoRecord", sizeof(ib_sminfo_record_t), sm_info_record },
	{ "SA:LinkRecord", sizeof(ib_link_record_t), link_record },
	{ "SA:ServiceRecord", sizeof(ib_service_record_t), service_record },
	{ "SA:PathRecord", sizeof(ib_path_rec_t), path_record },
	{ "SA:MCMemberRecord", sizeof(ib_member_rec_t), mcmember_record },
	{ "PerfMgt:PortCounters", sizeof(ib_port_counters_t), port_counters },
	{ "PerfMgt:PortCountersExtended", sizeof(ib_port_counters_ext_t), port_counters_ext },
};

/* A leaf that no comparison has named is a hole in the test. */
static int unseen(void *context, const struct madkit_item *item)
{
	bool *all = context;
	const struct madkit_field *f = item->field;

	if (item->event != MADKIT_WALK_FIELD || f->kind == MADKIT_KIND_RESERVED)
		return 0;
	if (!seen(f, item->bit - madkit_field_offset(f, item->index))) {
		printf("# %s is not compared\n", f->name);
		*all = false;
	}
	return 0;
}

static void compare(const char *name, const struct madkit_layout *layout,
		    void (*with)(const void *))
{
	/* eight bytes before the data: forwarding tables stand in records */
	static _Alignas(8) uint8_t room[8 + 256];
	bool all = true;

	memset(&now, 0, sizeof(now));
	now.name = name;
	now.layout = layout;
	now.buf = room + 8;
	for (int i = 0; i < ROUNDS && !now.errors; i++) {
		random_bytes(room, sizeof(room));
		with(now.buf);
	}
	ok(!now.errors, "%s: each field reads the same", name);
	madkit_walk(layout, now.buf, 256, unseen, &all);
	ok(all, "%s: each field is compared", name);
}

/* ---- components -------------------------------------------------------------- */

static const struct {
	const char *attribute, *field;
	uint64_t mask;		/* as theirs: big-endian */
} components[] = {
	{ "NodeRecord", "LID", IB_NR_COMPMASK_LID },
	{ "NodeRecord", "NodeInfo.BaseVers", IB_NR_COMPMASK_BASEVERSION },
	{ "NodeRecord", "NodeInfo.ClassVers", IB_NR_COMPMASK_CLASSVERSION },
	{ "NodeRecord", "NodeInfo.NodeType", IB_NR_COMPMASK_NODETYPE },
	{ "NodeRecord", "NodeInfo.NumPorts", IB_NR_COMPMASK_NUMPORTS },
	{ "NodeRecord", "NodeInfo.SystemGuid", IB_NR_COMPMASK_SYSIMAGEGUID },
	{ "NodeRecord", "NodeInfo.Guid", IB_NR_COMPMASK_NODEGUID },
	{ "NodeRecord", "NodeInfo.PortGuid", IB_NR_COMPMASK_PORTGUID },
	{ "NodeRecord", "NodeInfo.PartCap", IB_NR_COMPMASK_PARTCAP },
	{ "NodeRecord", "NodeInfo.DevId", IB_NR_COMPMASK_DEVID },
	{ "NodeRecord", "NodeInfo.Revision", IB_NR_COMPMASK_REV },
	{ "NodeRecord", "NodeInfo.LocalPort", IB_NR_COMPMASK_PORTNUM },
	{ "NodeRecord", "NodeInfo.VendorId", IB_NR_COMPMASK_VENDID },
	{ "NodeRecord", "NodeDescription", IB_NR_COMPMASK_NODEDESC },

	{ "PortInfoRecord", "EndportLID", IB_PIR_COMPMASK_LID },
	{ "PortInfoRecord", "PortNum", IB_PIR_COMPMASK_PORTNUM },
	{ "PortInfoRecord", "Options", IB_PIR_COMPMASK_OPTIONS },
	{ "PortInfoRecord", "PortInfo.Mkey", IB_PIR_COMPMASK_MKEY },
	{ "PortInfoRecord", "PortInfo.GidPrefix", IB_PIR_COMPMASK_GIDPRE },
	{ "PortInfoRecord", "PortInfo.Lid", IB_PIR_COMPMASK_BASELID },
	{ "PortInfoRecord", "PortInfo.SMLid", IB_PIR_COMPMASK_SMLID },
	{ "PortInfoRecord", "PortInfo.CapMask", IB_PIR_COMPMASK_CAPMASK },
	{ "PortInfoRecord", "PortInfo.DiagCode", IB_PIR_COMPMASK_DIAGCODE },
	{ "PortInfoRecord", "PortInfo.MkeyLeasePeriod", IB_PIR_COMPMASK_MKEYLEASEPRD },
	{ "PortInfoRecord", "PortInfo.LocalPort", IB_PIR_COMPMASK_LOCALPORTNUM },
	{ "PortInfoRecord", "PortInfo.LinkWidthEnabled", IB_PIR_COMPMASK_LINKWIDTHENABLED },
	{ "PortInfoRecord", "PortInfo.LinkWidthSupported", IB_PIR_COMPMASK_LNKWIDTHSUPPORT },
	{ "PortInfoRecord", "PortInfo.LinkWidthActive", IB_PIR_COMPMASK_LNKWIDTHACTIVE },
	{ "PortInfoRecord", "PortInfo.LinkSpeedSupported", IB_PIR_COMPMASK_LNKSPEEDSUPPORT },
	{ "PortInfoRecord", "PortInfo.LinkState", IB_PIR_COMPMASK_PORTSTATE },
	{ "PortInfoRecord", "PortInfo.PhysLinkState", IB_PIR_COMPMASK_PORTPHYSTATE },
	{ "PortInfoRecord", "PortInfo.LinkDownDefState", IB_PIR_COMPMASK_LINKDWNDFLTSTATE },
	{ "PortInfoRecord", "PortInfo.ProtectBits", IB_PIR_COMPMASK_MKEYPROTBITS },
	{ "PortInfoRecord", "PortInfo.LMC", IB_PIR_COMPMASK_LMC },
	{ "PortInfoRecord", "PortInfo.LinkSpeedActive", IB_PIR_COMPMASK_LINKSPEEDACTIVE },
	{ "PortInfoRecord", "PortInfo.LinkSpeedEnabled", IB_PIR_COMPMASK_LINKSPEEDENABLE },
	{ "PortInfoRecord", "PortInfo.NeighborMTU", IB_PIR_COMPMASK_NEIGHBORMTU },
	{ "PortInfoRecord", "PortInfo.SMSL", IB_PIR_COMPMASK_MASTERSMSL },
	{ "PortInfoRecord", "PortInfo.VLCap", IB_PIR_COMPMASK_VLCAP },
	{ "PortInfoRecord", "PortInfo.InitType", IB_PIR_COMPMASK_INITTYPE },
	{ "PortInfoRecord", "PortInfo.VLHighLimit", IB_PIR_COMPMASK_VLHIGHLIMIT },
	{ "PortInfoRecord", "PortInfo.VLArbHighCap", IB_PIR_COMPMASK_VLARBHIGHCAP },
	{ "PortInfoRecord", "PortInfo.VLArbLowCap", IB_PIR_COMPMASK_VLARBLOWCAP },
	{ "PortInfoRecord", "PortInfo.InitReply", IB_PIR_COMPMASK_INITTYPEREPLY },
	{ "PortInfoRecord", "PortInfo.MtuCap", IB_PIR_COMPMASK_MTUCAP },
	{ "PortInfoRecord", "PortInfo.VLStallCount", IB_PIR_COMPMASK_VLSTALLCNT },
	{ "PortInfoRecord", "PortInfo.HoqLife", IB_PIR_COMPMASK_HOQLIFE },
	{ "PortInfoRecord", "PortInfo.OperVLs", IB_PIR_COMPMASK_OPVLS },
	{ "PortInfoRecord", "PortInfo.PartEnforceInb", IB_PIR_COMPMASK_PARENFIN },
	{ "PortInfoRecord", "PortInfo.PartEnforceOutb", IB_PIR_COMPMASK_PARENFOUT },
	{ "PortInfoRecord", "PortInfo.FilterRawInb", IB_PIR_COMPMASK_FILTERRAWIN },
	{ "PortInfoRecord", "PortInfo.FilterRawOutb", IB_PIR_COMPMASK_FILTERRAWOUT },
	{ "PortInfoRecord", "PortInfo.MkeyViolations", IB_PIR_COMPMASK_MKEYVIO },
	{ "PortInfoRecord", "PortInfo.PkeyViolations", IB_PIR_COMPMASK_PKEYVIO },
	{ "PortInfoRecord", "PortInfo.QkeyViolations", IB_PIR_COMPMASK_QKEYVIO },
	{ "PortInfoRecord", "PortInfo.GuidCap", IB_PIR_COMPMASK_GUIDCAP },
	{ "PortInfoRecord", "PortInfo.ClientReregister", IB_PIR_COMPMASK_CLIENTREREG },
	/* named since, in what was reserved */
	{ "PortInfoRecord", "PortInfo.McastPkeyTrapSuppressionEnabled", IB_PIR_COMPMASK_RESV3 },
	{ "PortInfoRecord", "PortInfo.SubnetTimeout", IB_PIR_COMPMASK_SUBNTO },
	{ "PortInfoRecord", "PortInfo.RespTimeVal", IB_PIR_COMPMASK_RESPTIME },
	{ "PortInfoRecord", "PortInfo.LocalPhysErr", IB_PIR_COMPMASK_LOCALPHYERR },
	{ "PortInfoRecord", "PortInfo.OverrunErr", IB_PIR_COMPMASK_OVERRUNERR },
	{ "PortInfoRecord", "PortInfo.MaxCreditHint", IB_PIR_COMPMASK_MAXCREDHINT },
	{ "PortInfoRecord", "PortInfo.RoundTrip", IB_PIR_COMPMASK_LINKRTLAT },
	{ "PortInfoRecord", "PortInfo.CapMask2", IB_PIR_COMPMASK_CAPMASK2 },
	{ "PortInfoRecord", "PortInfo.LinkSpeedExtActive", IB_PIR_COMPMASK_LINKSPDEXTACT },
	{ "PortInfoRecord", "PortInfo.LinkSpeedExtSupported", IB_PIR_COMPMASK_LINKSPDEXTSUPP },
	{ "PortInfoRecord", "PortInfo.LinkSpeedExtEnabled", IB_PIR_COMPMASK_LINKSPDEXTENAB },
	{ "PortInfoRecord", "PortInfo.LinkSpeedExtActive2", 0 },
	{ "PortInfoRecord", "PortInfo.LinkSpeedExtSupported2", 0 },
	{ "PortInfoRecord", "PortInfo.LinkSpeedExtEnabled2", 0 },

	{ "SMInfoRecord", "LID", IB_SMIR_COMPMASK_LID },
	{ "SMInfoRecord", "SMInfo.GUID", IB_SMIR_COMPMASK_GUID },
	{ "SMInfoRecord", "SMInfo.SM_Key", IB_SMIR_COMPMASK_SMKEY },
	{ "SMInfoRecord", "SMInfo.ActCount", IB_SMIR_COMPMASK_ACTCOUNT },
	{ "SMInfoRecord", "SMInfo.Priority", IB_SMIR_COMPMASK_PRIORITY },
	{ "SMInfoRecord", "SMInfo.SMState", IB_SMIR_COMPMASK_SMSTATE },

	{ "LinkRecord", "FromLID", IB_LR_COMPMASK_FROM_LID },
	{ "LinkRecord", "FromPort", IB_LR_COMPMASK_FROM_PORT },
	{ "LinkRecord", "ToPort", IB_LR_COMPMASK_TO_PORT },
	{ "LinkRecord", "ToLID", IB_LR_COMPMASK_TO_LID },

	{ "PathRecord", "ServiceID", IB_PR_COMPMASK_SERVICEID },
	{ "PathRecord", "DGID", IB_PR_COMPMASK_DGID },
	{ "PathRecord", "SGID", IB_PR_COMPMASK_SGID },
	{ "PathRecord", "DLID", IB_PR_COMPMASK_DLID },
	{ "PathRecord", "SLID", IB_PR_COMPMASK_SLID },
	{ "PathRecord", "RawTraffic", IB_PR_COMPMASK_RAWTRAFFIC },
	{ "PathRecord", "FlowLabel", IB_PR_COMPMASK_FLOWLABEL },
	{ "PathRecord", "HopLimit", IB_PR_COMPMASK_HOPLIMIT },
	{ "PathRecord", "TClass", IB_PR_COMPMASK_TCLASS },
	{ "PathRecord", "Reversible", IB_PR_COMPMASK_REVERSIBLE },
	{ "PathRecord", "NumbPath", IB_PR_COMPMASK_NUMBPATH },
	{ "PathRecord", "P_Key", IB_PR_COMPMASK_PKEY },
	{ "PathRecord", "QoSClass", IB_PR_COMPMASK_QOS_CLASS },
	{ "PathRecord", "SL", IB_PR_COMPMASK_SL },
	{ "PathRecord", "MTUSelector", IB_PR_COMPMASK_MTUSELEC },
	{ "PathRecord", "MTU", IB_PR_COMPMASK_MTU },
	{ "PathRecord", "RateSelector", IB_PR_COMPMASK_RATESELEC },
	{ "PathRecord", "Rate", IB_PR_COMPMASK_RATE },
	{ "PathRecord", "PacketLifeTimeSelector", IB_PR_COMPMASK_PKTLIFETIMESELEC },
	{ "PathRecord", "PacketLifeTime", IB_PR_COMPMASK_PKTLIFETIME },
	/* the next number: theirs end before it */
	{ "PathRecord", "Preference", CL_HTON64(((uint64_t)1) << 22) },

	{ "MCMemberRecord", "MGID", IB_MCR_COMPMASK_MGID },
	{ "MCMemberRecord", "PortGID", IB_MCR_COMPMASK_PORT_GID },
	{ "MCMemberRecord", "Q_Key", IB_MCR_COMPMASK_QKEY },
	{ "MCMemberRecord", "MLID", IB_MCR_COMPMASK_MLID },
	{ "MCMemberRecord", "MTUSelector", IB_MCR_COMPMASK_MTU_SEL },
	{ "MCMemberRecord", "MTU", IB_MCR_COMPMASK_MTU },
	{ "MCMemberRecord", "TClass", IB_MCR_COMPMASK_TCLASS },
	{ "MCMemberRecord", "P_Key", IB_MCR_COMPMASK_PKEY },
	{ "MCMemberRecord", "RateSelector", IB_MCR_COMPMASK_RATE_SEL },
	{ "MCMemberRecord", "Rate", IB_MCR_COMPMASK_RATE },
	{ "MCMemberRecord", "PacketLifeTimeSelector", IB_MCR_COMPMASK_LIFE_SEL },
	{ "MCMemberRecord", "PacketLifeTime", IB_MCR_COMPMASK_LIFE },
	{ "MCMemberRecord", "SL", IB_MCR_COMPMASK_SL },
	{ "MCMemberRecord", "FlowLabel", IB_MCR_COMPMASK_FLOW },
	{ "MCMemberRecord", "HopLimit", IB_MCR_COMPMASK_HOP },
	{ "MCMemberRecord", "Scope", IB_MCR_COMPMASK_SCOPE },
	{ "MCMemberRecord", "JoinState", IB_MCR_COMPMASK_JOIN_STATE },
	{ "MCMemberRecord", "ProxyJoin", IB_MCR_COMPMASK_PROXY },

	{ "ServiceRecord", "ServiceID", IB_SR_COMPMASK_SID },
	{ "ServiceRecord", "ServiceGID", IB_SR_COMPMASK_SGID },
	{ "ServiceRecord", "ServiceP_Key", IB_SR_COMPMASK_SPKEY },
	{ "ServiceRecord", "ServiceLease", IB_SR_COMPMASK_SLEASE },
	{ "ServiceRecord", "ServiceKey", IB_SR_COMPMASK_SKEY },
	{ "ServiceRecord", "ServiceName", IB_SR_COMPMASK_SNAME },
	{ "ServiceRecord", "ServiceData8[0]", IB_SR_COMPMASK_SDATA8_0 },
	{ "ServiceRecord", "ServiceData8[7]", IB_SR_COMPMASK_SDATA8_7 },
	{ "ServiceRecord", "ServiceData8[15]", IB_SR_COMPMASK_SDATA8_15 },
	{ "ServiceRecord", "ServiceData16[0]", IB_SR_COMPMASK_SDATA16_0 },
	{ "ServiceRecord", "ServiceData16[7]", IB_SR_COMPMASK_SDATA16_7 },
	{ "ServiceRecord", "ServiceData32[0]", IB_SR_COMPMASK_SDATA32_0 },
	{ "ServiceRecord", "ServiceData32[3]", IB_SR_COMPMASK_SDATA32_3 },
	{ "ServiceRecord", "ServiceData64[0]", IB_SR_COMPMASK_SDATA64_0 },
	{ "ServiceRecord", "ServiceData64[1]", IB_SR_COMPMASK_SDATA64_1 },
	{ "ServiceRecord", "ServiceData32", IB_SR_COMPMASK_SDATA32_0 |
	  IB_SR_COMPMASK_SDATA32_1 | IB_SR_COMPMASK_SDATA32_2 |
	  IB_SR_COMPMASK_SDATA32_3 },
};

/* Every leaf of a record has to stand in the list above. */
struct listed {
	const char *attribute;
	const struct madkit_layout *layout;
	bool all;
};

static int listed(void *context, const struct madkit_item *item)
{
	struct listed *l = context;
	const struct madkit_field *f = item->field;

	if (item->event != MADKIT_WALK_FIELD || f->kind == MADKIT_KIND_RESERVED ||
	    item->index)
		return 0;
	for (size_t i = 0; i < COUNT(components); i++) {
		struct madkit_place place;

		if (!strcmp(components[i].attribute, l->attribute) &&
		    !madkit_place_find(l->layout, components[i].field,
				       strlen(components[i].field), &place, NULL) &&
		    place.field == f &&
		    place.base == item->bit - madkit_field_offset(f, 0))
			return 0;
	}
	printf("# %s is not in the list\n", f->name);
	l->all = false;
	return 0;
}

static const struct madkit_layout *sa_layout(const char *name)
{
	const struct madkit_attribute *attribute;
	uint8_t class;
	uint16_t id;

	return madkit_attribute_find(name, MADKIT_CLASS_SA, &class, &id, &attribute,
				     NULL) || !attribute ? NULL : attribute->layout;
}

static void check_components(void)
{
	static const uint8_t zero[256];
	const char *last = "";

	for (size_t i = 0; i < COUNT(components); i++) {
		const char *field = components[i].field;
		const struct madkit_layout *layout = sa_layout(components[i].attribute);
		struct madkit_place place;

		if (!layout || madkit_place_find(layout, field, strlen(field), &place,
						 NULL)) {
			ok(false, "%s has %s", components[i].attribute, field);
			continue;
		}
		is_u64(madkit_place_mask(&place), cl_ntoh64(components[i].mask),
		       "component of %s.%s", components[i].attribute, field);
		if (strcmp(last, components[i].attribute)) {
			struct listed l = { components[i].attribute, layout, true };

			last = components[i].attribute;
			madkit_walk(layout, zero, sizeof(zero), listed, &l);
			ok(l.all, "%s: each component is compared", last);
		}
	}
}

/* ---- words ------------------------------------------------------------------- */

static const char *value_name(const char *attribute, const char *field,
			      uint64_t value)
{
	struct madkit_place place;

	if (madkit_place_find(sa_layout(attribute), field, strlen(field), &place,
			      NULL))
		return NULL;
	return madkit_value_name(place.field->values, value);
}

static void check_words(void)
{
	static const struct {
		int number;
		const char *rate;
	} rates[] = {
		{ IB_PATH_RECORD_RATE_2_5_GBS, "2.5 Gbps" },
		{ IB_PATH_RECORD_RATE_5_GBS, "5 Gbps" },
		{ IB_PATH_RECORD_RATE_10_GBS, "10 Gbps" },
		{ IB_PATH_RECORD_RATE_14_GBS, "14 Gbps" },
		{ IB_PATH_RECORD_RATE_20_GBS, "20 Gbps" },
		{ IB_PATH_RECORD_RATE_25_GBS, "25 Gbps" },
		{ IB_PATH_RECORD_RATE_28_GBS, "28 Gbps" },
		{ IB_PATH_RECORD_RATE_30_GBS, "30 Gbps" },
		{ IB_PATH_RECORD_RATE_40_GBS, "40 Gbps" },
		{ IB_PATH_RECORD_RATE_50_GBS, "50 Gbps" },
		{ IB_PATH_RECORD_RATE_56_GBS, "56 Gbps" },
		{ IB_PATH_RECORD_RATE_60_GBS, "60 Gbps" },
		{ IB_PATH_RECORD_RATE_80_GBS, "80 Gbps" },
		{ IB_PATH_RECORD_RATE_100_GBS, "100 Gbps" },
		{ IB_PATH_RECORD_RATE_112_GBS, "112 Gbps" },
		{ IB_PATH_RECORD_RATE_120_GBS, "120 Gbps" },
		{ IB_PATH_RECORD_RATE_168_GBS, "168 Gbps" },
		{ IB_PATH_RECORD_RATE_200_GBS, "200 Gbps" },
		{ IB_PATH_RECORD_RATE_300_GBS, "300 Gbps" },
		{ IB_PATH_RECORD_RATE_400_GBS, "400 Gbps" },
		{ IB_PATH_RECORD_RATE_600_GBS, "600 Gbps" },
	};
	static const struct {
		uint16_t status;	/* big-endian */
		const char *word;
	} statuses[] = {
		{ IB_SA_MAD_STATUS_NO_RESOURCES, "no resources" },
		{ IB_SA_MAD_STATUS_REQ_INVALID, "invalid request" },
		{ IB_SA_MAD_STATUS_NO_RECORDS, "no records" },
		{ IB_SA_MAD_STATUS_TOO_MANY_RECORDS, "too many records" },
		{ IB_SA_MAD_STATUS_INVALID_GID, "invalid GID" },
		{ IB_SA_MAD_STATUS_INSUF_COMPS, "insufficient components" },
		{ IB_SA_MAD_STATUS_DENIED, "request denied" },
		{ IB_SA_MAD_STATUS_PRIO_SUGGESTED, "priority suggested" },
		{ IB_MAD_STATUS_BUSY, "busy" },
		{ IB_MAD_STATUS_REDIRECT, "redirect required" },
		{ IB_MAD_STATUS_UNSUP_CLASS_VER, "bad base or class version" },
		{ IB_MAD_STATUS_UNSUP_METHOD, "method not supported" },
		{ IB_MAD_STATUS_UNSUP_METHOD_ATTR, "method and attribute combination not supported" },
		{ IB_MAD_STATUS_INVALID_FIELD, "invalid value in attribute or modifier" },
	};
	static const struct {
		uint8_t status;
		const char *word;
	} rmpp_statuses[] = {
		{ IB_RMPP_STATUS_SUCCESS, "normal" },
		{ IB_RMPP_STATUS_RESX, "resources exhausted" },
		{ IB_RMPP_STATUS_T2L, "total time exceeded" },
		{ IB_RMPP_STATUS_BAD_LEN, "inconsistent last and payload length" },
		{ IB_RMPP_STATUS_BAD_SEG, "inconsistent first and segment number" },
		{ IB_RMPP_STATUS_BADT, "bad type" },
		{ IB_RMPP_STATUS_W2S, "new window last too small" },
		{ IB_RMPP_STATUS_S2B, "segment number too big" },
		{ IB_RMPP_STATUS_BAD_STATUS, "illegal status" },
		{ IB_RMPP_STATUS_UNV, "unsupported version" },
		{ IB_RMPP_STATUS_TMR, "too many retries" },
		{ IB_RMPP_STATUS_UNSPEC, "unspecified" },
	};

	for (size_t i = 0; i < COUNT(rates); i++)
		is_str(value_name("PathRecord", "Rate", (uint64_t)rates[i].number),
		       rates[i].rate, "rate %d", rates[i].number);
	for (size_t i = 0; i < COUNT(statuses); i++) {
		char text[80];

		madkit_status_text(MADKIT_CLASS_SA, cl_ntoh16(statuses[i].status),
				   text, sizeof(text));
		is_str(text, statuses[i].word, "status 0x%04x",
		       cl_ntoh16(statuses[i].status));
	}
	for (size_t i = 0; i < COUNT(rmpp_statuses); i++)
		is_str(madkit_rmpp_status_name(rmpp_statuses[i].status),
		       rmpp_statuses[i].word, "RMPP status %u",
		       rmpp_statuses[i].status);
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_NOTACTIVE),
	       "NotActive", "SM not active");
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_DISCOVERING),
	       "Discovering", "SM discovering");
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_STANDBY),
	       "Standby", "SM standby");
	is_str(value_name("SMInfoRecord", "SMState", IB_SMINFO_STATE_MASTER),
	       "Master", "SM master");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_GREATER_THAN),
	       "GreaterThan", "selector: greater");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_LESS_THAN),
	       "LessThan", "selector: less");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_EXACTLY),
	       "Exactly", "selector: exactly");
	is_str(value_name("PathRecord", "MTUSelector", IB_PATH_SELECTOR_LARGEST),
	       "Largest", "selector: largest");
}

int main(void)
{
	compare("header", &madkit_layout_header, header);
	compare("directed-route header", &madkit_layout_header_dr, header_dr);
	compare("RMPP header", &madkit_layout_rmpp, rmpp);
	compare("SMP header", madkit_class_get(0x01)->header, smp);
	compare("directed-route SMP header", madkit_class_get(0x81)->header, smp_dr);
	compare("SA header", madkit_class_get(0x03)->header, sa);
	compare("CC header", madkit_class_get(0x21)->header, cc);
	for (size_t i = 0; i < COUNT(attributes); i++) {
		const char *name = attributes[i].attribute;
		const struct madkit_attribute *attribute;
		uint8_t class;
		uint16_t id;

		if (madkit_attribute_find(name, -1, &class, &id, &attribute, NULL)) {
			ok(false, "%s is known", name);
			continue;
		}
		if (attributes[i].bytes)
			is_u64(attribute->bytes, attributes[i].bytes,
			       "%s: %zu bytes", name, attributes[i].bytes);
		compare(name, attribute->layout, attributes[i].compare);
	}
	check_components();
	check_words();
	return tap_done();
}
