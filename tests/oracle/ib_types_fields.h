/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* clang-format off */
/* Part of ib_types.c: each structure of theirs, field by field, as num(),
 * bytes() and ib_types_nth() there compare them. */
#ifndef ORACLE_IB_TYPES_FIELDS_H
#define ORACLE_IB_TYPES_FIELDS_H

/* ---- headers ----------------------------------------------------------------- */

static void ib_types_common(const ib_mad_t *mad)
{
	num("base_version", mad->base_ver);
	num("class", mad->mgmt_class);
	num("class_version", mad->class_ver);
	num("method", mad->method);
	N64("tid", mad->trans_id);
	N16("attribute", mad->attr_id);
	N32("modifier", mad->attr_mod);
}

static void ib_types_header(const void *buf)
{
	const ib_mad_t *mad = buf;

	ib_types_common(mad);
	N16("status", mad->status);
	N16("class_specific", mad->class_spec);
}

static void ib_types_header_dr(const void *buf)
{
	const ib_smp_t *smp = buf;

	ib_types_common(buf);
	num("direction", (cl_ntoh16(smp->status) & 0x8000) >> 15);
	N16("status", ib_smp_get_status(smp));
	num("hop_pointer", smp->hop_ptr);
	num("hop_count", smp->hop_count);
}

static void ib_types_smp(const void *buf)
{
	N64("m_key", ((const ib_smp_t *)buf)->m_key);
}

static void ib_types_smp_dr(const void *buf)
{
	const ib_smp_t *mad = buf;

	N64("m_key", mad->m_key);
	N16("dr_slid", mad->dr_slid);
	N16("dr_dlid", mad->dr_dlid);
	bytes("initial_path", mad->initial_path, 64);
	bytes("return_path", mad->return_path, 64);
}

static void ib_types_rmpp(const void *buf)
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

static void ib_types_sa(const void *buf)
{
	const ib_sa_mad_t *mad = buf;

	N64("sm_key", mad->sm_key);
	N16("attribute_offset", mad->attr_offset);
	N64("component_mask", mad->comp_mask);
}

static void ib_types_cc(const void *buf)
{
	N64("cc_key", ((const ib_cc_mad_t *)buf)->cc_key);
}

/* ---- attributes -------------------------------------------------------------- */

static void ib_types_class_port_info(const void *buf)
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

static void ib_types_notice_smp(const void *buf)
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

/* ---- by trap; what they begin with has been compared */

#define DETAILS(x) (&((const ib_mad_notice_attr_t *)buf)->data_details.x)

static void ib_types_notice_64_67(const void *buf)
{
	bytes("GIDADDR", &DETAILS(ntc_64_67)->gid, 16);
}

static void ib_types_notice_128(const void *buf)
{
	N16("LIDADDR", DETAILS(ntc_128)->sw_lid);
}

static void ib_types_notice_129_131(const void *buf)
{
	N16("LIDADDR", DETAILS(ntc_129_131)->lid);
	num("PORTNO", DETAILS(ntc_129_131)->port_num);
}

static void ib_types_notice_144(const void *buf)
{
	uint16_t flags = DETAILS(ntc_144)->change_flgs;

	N16("LIDADDR", DETAILS(ntc_144)->lid);
	num("OtherLocalChanges", DETAILS(ntc_144)->local_changes &
				 TRAP_144_MASK_OTHER_LOCAL_CHANGES);
	N32("CAPABILITYMASK", DETAILS(ntc_144)->new_cap_mask);
	N16("CAPABILITYMASK2", DETAILS(ntc_144)->cap_mask2);
	num("CapabilityMask2Change", !!(flags & TRAP_144_MASK_CAPABILITY_MASK2_CHANGE));
	num("HierarchyInfoChange", !!(flags & TRAP_144_MASK_HIERARCHY_INFO_CHANGE));
	num("SMPriorityChange", !!(flags & TRAP_144_MASK_SM_PRIORITY_CHANGE));
	num("LinkSpeedEnabledChange", !!(flags & TRAP_144_MASK_LINK_SPEED_ENABLE_CHANGE));
	num("LinkWidthEnabledChange", !!(flags & TRAP_144_MASK_LINK_WIDTH_ENABLE_CHANGE));
	num("NodeDescriptionChange", !!(flags & TRAP_144_MASK_NODE_DESCRIPTION_CHANGE));
}

static void ib_types_notice_145(const void *buf)
{
	N16("LIDADDR", DETAILS(ntc_145)->lid);
	N64("SYSTEMIMAGEGUID", DETAILS(ntc_145)->new_sys_guid);
}

static void ib_types_notice_256(const void *buf)
{
	N16("LIDADDR", DETAILS(ntc_256)->lid);
	N16("DRSLID", DETAILS(ntc_256)->dr_slid);
	num("METHOD", DETAILS(ntc_256)->method);
	N16("ATTRIBUTEID", DETAILS(ntc_256)->attr_id);
	N32("ATTRIBUTEMODIFIER", DETAILS(ntc_256)->attr_mod);
	N64("MKEY", DETAILS(ntc_256)->mkey);
	num("DRNotice", DETAILS(ntc_256)->dr_trunc_hop >> 7);
	num("DRPathTruncated", DETAILS(ntc_256)->dr_trunc_hop >> 6 & 1);
	num("DRHopCount", DETAILS(ntc_256)->dr_trunc_hop & 0x3f);
	bytes("DRNoticeReturnPath", DETAILS(ntc_256)->dr_rtn_path, 30);
}

static void ib_types_notice_257_258(const void *buf)
{
	N16("LIDADDR1", DETAILS(ntc_257_258)->lid1);
	N16("LIDADDR2", DETAILS(ntc_257_258)->lid2);
	N32("KEY", DETAILS(ntc_257_258)->key);
	num("SL", cl_ntoh32(DETAILS(ntc_257_258)->qp1) >> 28);
	num("QP1", cl_ntoh32(DETAILS(ntc_257_258)->qp1) & 0xffffff);
	num("QP2", cl_ntoh32(DETAILS(ntc_257_258)->qp2) & 0xffffff);
	bytes("GIDADDR1", &DETAILS(ntc_257_258)->gid1, 16);
	bytes("GIDADDR2", &DETAILS(ntc_257_258)->gid2, 16);
}

static void ib_types_notice_259(const void *buf)
{
	N16("DataValid", DETAILS(ntc_259)->data_valid);
	N16("LIDADDR1", DETAILS(ntc_259)->lid1);
	N16("LIDADDR2", DETAILS(ntc_259)->lid2);
	N16("PKEY", DETAILS(ntc_259)->pkey);
	num("SL", cl_ntoh32(DETAILS(ntc_259)->sl_qp1) >> 28);
	num("QP1", cl_ntoh32(DETAILS(ntc_259)->sl_qp1) & 0xffffff);
	num("QP2", cl_ntoh32(DETAILS(ntc_259)->qp2) & 0xffffff);
	bytes("GIDADDR1", &DETAILS(ntc_259)->gid1, 16);
	bytes("GIDADDR2", &DETAILS(ntc_259)->gid2, 16);
	N16("SWLIDADDR", DETAILS(ntc_259)->sw_lid);
	num("PORTNO", DETAILS(ntc_259)->port_no);
}

static void ib_types_notice_b_key(const void *buf)
{
	N16("LIDADDR", DETAILS(ntc_bkey_259)->lidaddr);
	num("METHOD", DETAILS(ntc_bkey_259)->method);
	N16("ATTRIBUTEID", DETAILS(ntc_bkey_259)->attribute_id);
	N32("ATTRIBUTEMODIFIER", DETAILS(ntc_bkey_259)->attribute_modifier);
	num("QP", cl_ntoh32(DETAILS(ntc_bkey_259)->qp) & 0xffffff);
	N64("BKEY", DETAILS(ntc_bkey_259)->bkey);
	bytes("GIDADDR", &DETAILS(ntc_bkey_259)->gid, 16);
}

static void ib_types_notice_cc_key(const void *buf)
{
	N16("SLID", DETAILS(ntc_cckey_0)->slid);
	num("METHOD", DETAILS(ntc_cckey_0)->method);
	N16("ATTRIBUTEID", DETAILS(ntc_cckey_0)->attribute_id);
	N32("ATTRIBUTEMODIFIER", DETAILS(ntc_cckey_0)->attribute_modifier);
	num("QP", cl_ntoh32(DETAILS(ntc_cckey_0)->qp) & 0xffffff);
	N64("CC_KEY", DETAILS(ntc_cckey_0)->cc_key);
	bytes("SourceGID", &DETAILS(ntc_cckey_0)->source_gid, 16);
}

static void ib_types_notice(const void *buf)
{
	const ib_mad_notice_attr_t *p = buf;

	ib_types_notice_smp(buf);
	GID("IssuerGID", p->issuer_gid);
}

static void ib_types_inform_info(const void *buf)
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

static void ib_types_node_description(const void *buf)
{
	bytes("NodeDescription", ((const ib_node_desc_t *)buf)->description, 64);
}

static void ib_types_node_info(const void *buf)
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

static void ib_types_switch_info(const void *buf)
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

static void ib_types_guid_info(const void *buf)
{
	const ib_guid_info_t *p = buf;

	for (unsigned int i = 0; i < GUID_TABLE_MAX_ENTRIES; i++)
		N64(ib_types_nth("GUID", i, ""), p->guid[i]);
}

static void ib_types_port_info(const void *buf)
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
	N16("CapabilityMask2", p->capability_mask2);
	num("LinkSpeedExtActive", ib_port_info_get_link_speed_ext_active(p));
	num("LinkSpeedExtSupported", ib_port_info_get_link_speed_ext_sup(p));
	num("LinkSpeedExtEnabled", ib_port_info_get_link_speed_ext_enabled(p));
	/* in what this header calls reserved */
	num("LinkSpeedExtActive2", cl_ntoh32(p->link_rt_latency) >> 29 & 3);
	num("LinkSpeedExtSupported2", cl_ntoh32(p->link_rt_latency) >> 27 & 3);
	num("LinkSpeedExtEnabled2", cl_ntoh32(p->link_rt_latency) >> 24 & 7);
}

static void ib_types_pkey_table(const void *buf)
{
	const ib_pkey_table_t *p = buf;

	for (unsigned int i = 0; i < IB_NUM_PKEY_ELEMENTS_IN_BLOCK; i++)
		N16(ib_types_nth("PKey", i, ""), p->pkey_entry[i]);
}

static void ib_types_sltovl_table(const void *buf)
{
	for (unsigned int i = 0; i < IB_MAX_NUM_VLS; i++)
		num(ib_types_nth("SLtoVL", i, ""), ib_slvl_table_get(buf, (uint8_t)i));
}

static void ib_types_vlarb_table(const void *buf)
{
	const ib_vl_arb_table_t *p = buf;

	for (unsigned int i = 0; i < IB_NUM_VL_ARB_ELEMENTS_IN_BLOCK; i++) {
		num(ib_types_nth("Block", i, ".VL"), p->vl_entry[i].vl & 0xf);
		num(ib_types_nth("Block", i, ".Weight"), p->vl_entry[i].weight);
	}
}

static void ib_types_linear_table(const void *buf)
{
	const ib_lft_record_t *p = (const void *)((const uint8_t *)buf - 8);

	for (unsigned int i = 0; i < 64; i++)
		num(ib_types_nth("Port", i, ""), p->lft[i]);
}

static void ib_types_multicast_table(const void *buf)
{
	const ib_mft_record_t *p = (const void *)((const uint8_t *)buf - 8);

	for (unsigned int i = 0; i < IB_MCAST_BLOCK_SIZE; i++)
		N16(ib_types_nth("PortMask", i, ""), p->mft[i]);
}

static void ib_types_sm_info(const void *buf)
{
	const ib_sm_info_t *p = buf;

	N64("GUID", p->guid);
	N64("SM_Key", p->sm_key);
	N32("ActCount", p->act_count);
	num("Priority", ib_sminfo_get_priority(p));
	num("SMState", ib_sminfo_get_state(p));
}

static void ib_types_port_counters(const void *buf)
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

static void ib_types_port_counters_ext(const void *buf)
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

static void ib_types_node_record(const void *buf)
{
	const ib_node_record_t *p = buf;

	N16("LID", p->lid);
	ib_types_node_info(&p->node_info);	/* by the names alone: they are unique */
	bytes("NodeDescription", p->node_desc.description, 64);
}

static void ib_types_port_info_record(const void *buf)
{
	const ib_portinfo_record_t *p = buf;
	ib_port_info_t aligned;	/* theirs wants eight bytes, the record has four */

	memcpy(&aligned, &p->port_info, sizeof(aligned));
	N16("EndportLID", p->lid);
	num("PortNum", p->port_num);
	num("Options", p->options);
	ib_types_port_info(&aligned);
}

static void ib_types_sm_info_record(const void *buf)
{
	const ib_sminfo_record_t *p = buf;

	N16("LID", p->lid);
	ib_types_sm_info(&p->sm_info);
}

static void ib_types_link_record(const void *buf)
{
	const ib_link_record_t *p = buf;

	N16("FromLID", p->from_lid);
	num("FromPort", p->from_port_num);
	num("ToPort", p->to_port_num);
	N16("ToLID", p->to_lid);
}

static void ib_types_path_record(const void *buf)
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

static void ib_types_mcmember_record(const void *buf)
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

static void ib_types_service_record(const void *buf)
{
	const ib_service_record_t *p = buf;

	N64("ServiceID", p->service_id);
	GID("ServiceGID", p->service_gid);
	N16("ServiceP_Key", p->service_pkey);
	N32("ServiceLease", p->service_lease);
	bytes("ServiceKey", p->service_key, 16);
	bytes("ServiceName", p->service_name, 64);
	for (unsigned int i = 0; i < 16; i++)
		num(ib_types_nth("ServiceData8", i, ""), p->service_data8[i]);
	for (unsigned int i = 0; i < 8; i++)
		N16(ib_types_nth("ServiceData16", i, ""), p->service_data16[i]);
	for (unsigned int i = 0; i < 4; i++)
		N32(ib_types_nth("ServiceData32", i, ""), p->service_data32[i]);
	for (unsigned int i = 0; i < 2; i++)
		N64(ib_types_nth("ServiceData64", i, ""), p->service_data64[i]);
}

static void ib_types_port_samples_control(const void *buf)
{
	const ib_port_samples_control_t *p = buf;
	ib_net16_t select[15];

	memcpy(select, (const uint8_t *)buf + offsetof(ib_port_samples_control_t,
						       counter_select0), sizeof(select));
	num("OpCode", p->op_code);
	num("PortSelect", p->port_select);
	num("Tick", p->tick);
	num("CounterWidth", p->counter_width & 7);
	num("CounterMask0", cl_ntoh32(p->counter_mask) >> 27 & 7);
	for (unsigned int i = 1; i <= 14; i++) {
		char name[20];

		snprintf(name, sizeof(name), "CounterMask%u", i);
		num(name, i < 10 ? cl_ntoh32(p->counter_mask) >> (9 - i) * 3 & 7 :
		    (uint32_t)cl_ntoh16(p->counter_mask_10to14) >> (14 - i) * 3 & 7);
	}
	num("SampleMechanisms", p->sample_mech);
	num("SampleStatus", p->sample_status & 3);
	N64("OptionMask", p->option_mask);
	N64("VendorMask", p->vendor_mask);
	N32("SampleStart", p->sample_start);
	N32("SampleInterval", p->sample_interval);
	N16("Tag", p->tag);
	for (unsigned int i = 0; i < 15; i++)
		N16(ib_types_nth("CounterSelect", i, ""), select[i]);
	/* of a later edition than theirs */
	N64("SamplesOnlyOptionMask", *(const ib_net64_t *)((const uint8_t *)buf + 72));
}

static void ib_types_port_samples_result(const void *buf)
{
	const ib_port_samples_result_t *p = buf;
	const ib_net32_t *counter = &p->counter0;

	N16("Tag", p->tag);
	num("SampleStatus", cl_ntoh16(p->sample_status) & 3);
	for (unsigned int i = 0; i < 15; i++)
		N32(ib_types_nth("Counter", i, ""), counter[i]);
}

static void ib_types_port_xmit_data_sl(const void *buf)
{
	const ib_port_xmit_data_sl_t *p = buf;

	num("PortSelect", p->port_select);
	N16("CounterSelect", p->counter_select);
	for (unsigned int i = 0; i < 16; i++)
		N32(ib_types_nth("XmtDataSL", i, ""), p->port_xmit_data_sl[i]);
}

static void ib_types_port_rcv_data_sl(const void *buf)
{
	const ib_port_rcv_data_sl_t *p = buf;

	num("PortSelect", p->port_select);
	N16("CounterSelect", p->counter_select);
	for (unsigned int i = 0; i < 16; i++)
		N32(ib_types_nth("RcvDataSL", i, ""), p->port_rcv_data_sl[i]);
}

static void ib_types_congestion_info(const void *buf)
{
	const ib_cong_info_t *p = buf;

	/* theirs takes the field's low octet for reserved */
	num("CongestionInfo", (unsigned int)p->cong_info << 8 | p->resv);
	num("ControlTableCap", p->ctrl_table_cap);
}

static void ib_types_congestion_key_info(const void *buf)
{
	const ib_cong_key_info_t *p = buf;

	N64("CC_Key", p->cc_key);
	num("CC_KeyProtectBit", cl_ntoh16(p->protect_bit) >> 15);
	N16("CC_KeyLeasePeriod", p->lease_period);
	N16("CC_KeyViolations", p->violations);
}

static void ib_types_congestion_log(const void *buf)
{
	const ib_cong_log_t *p = buf;

	num("LogType", p->log_type);
	num("CongestionFlags", p->log_details.log_sw.cong_flags);
	N16("LogEventsCounter", p->log_details.log_sw.event_counter);
	bytes("LogDetails", (const uint8_t *)buf + 4, sizeof(*p) - 4);
}

static void ib_types_switch_congestion_setting(const void *buf)
{
	const ib_sw_cong_setting_t *p = buf;

	N32("Control_Map", p->control_map);
	bytes("Victim_Mask", p->victim_mask, 32);
	bytes("Credit_Mask", p->credit_mask, 32);
	num("Threshold", p->threshold_resv >> 4);
	num("Packet_Size", p->packet_size);
	num("CS_Threshold", cl_ntoh16(p->cs_threshold_resv) >> 12);
	N16("CS_ReturnDelay", p->cs_return_delay);
	N16("Marking_Rate", p->marking_rate);
}

static void ib_types_switch_port_congestion_setting(const void *buf)
{
	const ib_sw_port_cong_setting_t *p = buf;

	for (unsigned int i = 0; i < IB_CC_SW_PORT_SETTING_ELEMENTS; i++) {
		const ib_sw_port_cong_setting_element_t *e = &p->block[i];

		num(ib_types_nth("Element", i, ".Valid"), e->valid_ctrl_type_res_threshold >> 7);
		num(ib_types_nth("Element", i, ".Control_Type"),
		    e->valid_ctrl_type_res_threshold >> 6 & 1);
		num(ib_types_nth("Element", i, ".Threshold"),
		    e->valid_ctrl_type_res_threshold & 15);
		num(ib_types_nth("Element", i, ".Packet_Size"), e->packet_size);
		N16(ib_types_nth("Element", i, ".Cong_Parm_Marking_Rate"), e->cong_param);
	}
}

static void ib_types_ca_congestion_setting(const void *buf)
{
	const ib_ca_cong_setting_t *p = buf;

	N16("Port_Control", p->port_control);
	N16("Control_Map", p->control_map);
	for (unsigned int i = 0; i < IB_CA_CONG_ENTRY_DATA_SIZE; i++) {
		const ib_ca_cong_entry_t *e = &p->entry_list[i];

		N16(ib_types_nth("Entry", i, ".CCTI_Timer"), e->ccti_timer);
		num(ib_types_nth("Entry", i, ".CCTI_Increase"), e->ccti_increase);
		num(ib_types_nth("Entry", i, ".Trigger_Threshold"), e->trigger_threshold);
		num(ib_types_nth("Entry", i, ".CCTI_Min"), e->ccti_min);
	}
}

static void ib_types_congestion_control_table(const void *buf)
{
	const ib_cc_tbl_t *p = buf;

	N16("CCTI_Limit", p->ccti_limit);
	for (unsigned int i = 0; i < IB_CC_TBL_ENTRY_LIST_MAX; i++) {
		uint16_t e = cl_ntoh16(p->entry_list[i].shift_multiplier);

		num(ib_types_nth("Entry", i, ".CCT_Shift"), e >> 14);
		num(ib_types_nth("Entry", i, ".CCT_Multiplier"), e & 0x3fff);
	}
}

static void ib_types_timestamp(const void *buf)
{
	const ib_time_stamp_t *p = buf;

	N32("Timestamp", p->value);
}

static void ib_types_sltovl_record(const void *buf)
{
	const ib_slvl_table_record_t *p = buf;

	N16("LID", p->lid);
	num("InputPortNum", p->in_port_num);
	num("OutputPortNum", p->out_port_num);
	ib_types_sltovl_table(&p->slvl_tbl);
}

static void ib_types_switch_info_record(const void *buf)
{
	const ib_switch_info_record_t *p = buf;

	N16("LID", p->lid);
	ib_types_switch_info(&p->switch_info);
}

static void ib_types_linear_record(const void *buf)
{
	const ib_lft_record_t *p = buf;

	N16("LID", p->lid);
	N16("BlockNum", p->block_num);
	for (unsigned int i = 0; i < sizeof(p->lft); i++)
		num(ib_types_nth("Port", i, ""), p->lft[i]);
}

static void ib_types_multicast_record(const void *buf)
{
	const ib_mft_record_t *p = buf;

	N16("LID", p->lid);
	/* the position lies as high as in the modifier of the SM's attribute */
	num("Position", (uint64_t)cl_ntoh16(p->position_block_num) << 16 >>
	    IB_MCAST_POSITION_SHIFT);
	num("BlockNum", cl_ntoh16(p->position_block_num) & IB_MCAST_BLOCK_ID_MASK_HO);
	for (unsigned int i = 0; i < IB_MCAST_BLOCK_SIZE; i++)
		N16(ib_types_nth("PortMask", i, ""), p->mft[i]);
}

static void ib_types_guid_info_record(const void *buf)
{
	const ib_guidinfo_record_t *p = buf;

	N16("LID", p->lid);
	num("BlockNum", p->block_num);
	ib_types_guid_info(&p->guid_info);
}

static void ib_types_pkey_record(const void *buf)
{
	const ib_pkey_table_record_t *p = buf;

	N16("LID", p->lid);
	N16("BlockNum", p->block_num);
	num("PortNum", p->port_num);
	ib_types_pkey_table(&p->pkey_tbl);
}

static void ib_types_vlarb_record(const void *buf)
{
	const ib_vl_arb_table_record_t *p = buf;

	N16("LID", p->lid);
	num("OutputPortNum", p->port_num);
	num("BlockNum", p->block_num);
	ib_types_vlarb_table(&p->vl_arb_tbl);
}

static void ib_types_inform_info_record(const void *buf)
{
	const ib_inform_info_record_t *p = buf;

	GID("SubscriberGID", p->subscriber_gid);
	N16("Enum", p->subscriber_enum);
	ib_types_inform_info(&p->inform_info);
}

static void ib_types_port_info_ext(const void *buf)
{
	const ib_port_info_ext_t *p = buf;
	const uint8_t *ndr = p->reserved;	/* newer than theirs */

	N32("CapMask", p->cap_mask);
	N16("FECModeActive", p->fec_mode_active);
	N16("FDRFECModeSupported", p->fdr_fec_mode_sup);
	N16("FDRFECModeEnabled", p->fdr_fec_mode_enable);
	N16("EDRFECModeSupported", p->edr_fec_mode_sup);
	N16("EDRFECModeEnabled", p->edr_fec_mode_enable);
	N16("HDRFECModeSupported", p->hdr_fec_mode_sup);
	N16("HDRFECModeEnabled", p->hdr_fec_mode_enable);
	num("NDRFECModeSupported", (uint64_t)ndr[0] << 8 | ndr[1]);
	num("NDRFECModeEnabled", (uint64_t)ndr[2] << 8 | ndr[3]);
}

static void ib_types_port_info_ext_record(const void *buf)
{
	const ib_portinfoext_record_t *p = buf;

	N16("EndportLID", p->lid);
	num("PortNum", p->port_num);
	num("Options", p->options);
	ib_types_port_info_ext(&p->port_info_ext);
}

static void ib_types_mlnx_ext_port_info(const void *buf)
{
	const ib_mlnx_ext_port_info_t *p = buf;

	num("StateChangeEnable", p->state_change_enable);
	num("LinkSpeedSupported", p->link_speed_supported);
	num("LinkSpeedEnabled", p->link_speed_enabled);
	num("LinkSpeedActive", p->link_speed_active);
}

static void ib_types_multi_path_record(const void *buf)
{
	const ib_multipath_rec_t *p = buf;
	uint32_t flow = cl_ntoh32(p->hop_flow_raw);

	num("RawTraffic", flow >> 31);
	num("FlowLabel", flow >> 8 & 0xfffff);
	num("HopLimit", flow & 0xff);
	num("TClass", p->tclass);
	num("Reversible", p->num_path >> 7);
	num("NumbPath", ib_multipath_rec_num_path(p));
	N16("P_Key", p->pkey);
	num("QoSClass", ib_multipath_rec_qos_class(p));
	num("SL", ib_multipath_rec_sl(p));
	num("MTUSelector", ib_multipath_rec_mtu_sel(p));
	num("MTU", ib_multipath_rec_mtu(p));
	num("RateSelector", ib_multipath_rec_rate_sel(p));
	num("Rate", ib_multipath_rec_rate(p));
	num("PacketLifeTimeSelector", ib_multipath_rec_pkt_life_sel(p));
	num("PacketLifeTime", ib_multipath_rec_pkt_life(p));
	num("ServiceID8MSB", cl_ntoh64(ib_multipath_rec_service_id(p)) >> 56);
	num("ServiceID56LSB", cl_ntoh64(ib_multipath_rec_service_id(p)) << 8 >> 8);
	num("IndependenceSelector", p->independence >> 6);
	num("SGIDCount", p->sgid_count);
	num("DGIDCount", p->dgid_count);
	for (unsigned int i = 0; i < IB_MULTIPATH_MAX_GIDS; i++)
		GID(ib_types_nth("SDGID", i, ""), p->gids[i]);
}

static void ib_types_io_unit_info(const void *buf)
{
	const ib_iou_info_t *p = buf;

	N16("Change_ID", p->change_id);
	num("MaxControllers", p->max_controllers);
	/* their accessors take the two highest bits; opa-ff's ib_dm.h has the
	 * lowest, and so has the IBA's table */
	num("DiagDeviceID", p->diag_rom >> 1 & 1);
	num("OptionROM", p->diag_rom & 1);
	/* ... and ioc_at_slot() every second slot from the octet after its own,
	 * where opa-ff and rdma-core's srp_daemon go on in the same one */
	for (unsigned int i = 0; i < 2 * IB_DM_CTRL_LIST_SIZE; i++)
		num(ib_types_nth("ControllerList", i, ""),
		    p->controller_list[i / 2] >> (i % 2 ? 0 : 4) & 0xf);
	for (uint8_t slot = 1; slot < IB_DM_CTRL_LIST_SIZE; slot += 2)
		num(ib_types_nth("ControllerList", slot - 1u, ""), ioc_at_slot(p, slot));
}

static void ib_types_io_controller_profile(const void *buf)
{
	const ib_ioc_profile_t *p = buf;

	N64("GUID", p->ioc_guid);
	num("VendorID", ib_ioc_profile_get_vend_id(p));
	N32("DeviceID", p->dev_id);
	N16("DeviceVersion", p->dev_ver);
	num("SubsystemVendorID", cl_ntoh32(p->subsys_vend_id) >> 8);
	N32("SubsystemID", p->subsys_id);
	N16("IOClass", p->io_class);
	N16("IOSubclass", p->io_subclass);
	N16("Protocol", p->protocol);
	N16("ProtocolVersion", p->protocol_ver);
	N16("SendMessageDepth", p->send_msg_depth);
	num("RDMAReadDepth", p->rdma_read_depth);
	N32("SendMessageSize", p->send_msg_size);
	N32("RDMATransferSize", p->rdma_size);
	num("ControllerOperationsMask", p->ctrl_ops_cap);
	num("ServiceEntries", p->num_svc_entries);
	bytes("IDString", p->id_string, sizeof(p->id_string));
}

static void ib_types_service_entries(const void *buf)
{
	const ib_svc_entries_t *p = buf;

	for (unsigned int i = 0; i < SVC_ENTRY_COUNT; i++) {
		bytes(ib_types_nth("ServiceEntry", i, ".ServiceName"), p->service_entry[i].name,
		      MAX_SVC_ENTRY_NAME_LEN);
		N64(ib_types_nth("ServiceEntry", i, ".ServiceID"), p->service_entry[i].id);
	}
}

static void ib_types_congestion_log_switch(const void *buf)
{
	const ib_cong_log_t *p = buf;

	N32("CurrentTimeStamp", p->log_details.log_sw.time_stamp);
	bytes("PortMap", p->log_details.log_sw.port_map, 32);
	for (unsigned int i = 0; i < 15; i++) {
		const ib_cong_log_event_sw_t e = p->log_details.log_sw.entry_list[i];

		N16(ib_types_nth("Entry", i, ".SLID"), e.slid);
		N16(ib_types_nth("Entry", i, ".DLID"), e.dlid);
		num(ib_types_nth("Entry", i, ".SL"), cl_ntoh32(e.sl) >> 28);
		N32(ib_types_nth("Entry", i, ".Timestamp"), e.time_stamp);
	}
}

/* ib_types.h has the SL, type of service and LIDs of an entry at other offsets: the table explains why
 * libibmad's offsets are used. */
static void ib_types_congestion_log_ca(const void *buf)
{
	const ib_cong_log_t *p = buf;
	struct madkit_place place;

	num("ThresholdEventCounter", cl_ntoh16(p->log_details.log_ca.event_counter));
	N16("ThresholdCongestionEventMap", p->log_details.log_ca.event_map);
	N32("CurrentTimeStamp", p->log_details.log_ca.time_stamp);
	for (unsigned int i = 0; i < 13; i++) {
		const ib_cong_log_event_ca_t e = p->log_details.log_ca.log_event[i];

		num(ib_types_nth("Entry", i, ".Local_QP_CN_Entry"),
		    cl_ntoh32(e.local_qp_resv0) >> 8);
		num(ib_types_nth("Entry", i, ".Remote_QP_Number_CN_Entry"),
		    cl_ntoh32(e.remote_qp_sl_service_type) >> 8);
		N32(ib_types_nth("Entry", i, ".Timestamp_CN_Entry"), e.time_stamp);
		ib_types_find(ib_types_nth("Entry", i, ".SL_CN_Entry"), &place);
		ib_types_find(ib_types_nth("Entry", i, ".Service_Type_CN_Entry"), &place);
		ib_types_find(ib_types_nth("Entry", i, ".Local_LID_CN"), &place);
		ib_types_find(ib_types_nth("Entry", i, ".Remote_LID_CN_Entry"), &place);
	}
}

/* By trap, or by log type. Traps 68 and 69 it does not have. */
static const struct {
	const char *attribute;
	uint16_t which;
	void (*compare)(const void *buf);
} notices[] = {
	{ "SubnMgt:Notice", 64, ib_types_notice_64_67 }, { "SA:Notice", 67, ib_types_notice_64_67 },
	{ "SubnMgt:Notice", 128, ib_types_notice_128 }, { "SA:Notice", 128, ib_types_notice_128 },
	{ "SubnMgt:Notice", 129, ib_types_notice_129_131 }, { "SA:Notice", 131, ib_types_notice_129_131 },
	{ "SubnMgt:Notice", 144, ib_types_notice_144 }, { "SA:Notice", 144, ib_types_notice_144 },
	{ "SubnMgt:Notice", 145, ib_types_notice_145 }, { "SA:Notice", 145, ib_types_notice_145 },
	{ "SubnMgt:Notice", 256, ib_types_notice_256 }, { "SA:Notice", 256, ib_types_notice_256 },
	{ "SubnMgt:Notice", 257, ib_types_notice_257_258 }, { "SA:Notice", 258, ib_types_notice_257_258 },
	{ "SubnMgt:Notice", 259, ib_types_notice_259 }, { "SA:Notice", 259, ib_types_notice_259 },
	{ "BM:Notice", 259, ib_types_notice_b_key }, { "CC:Notice", 0, ib_types_notice_cc_key },
	{ "CC:CongestionLog", 1, ib_types_congestion_log_switch },
	{ "CC:CongestionLog", 2, ib_types_congestion_log_ca },
};

static const struct {
	const char *attribute;
	size_t bytes;		/* of the structure; 0: does not exist */
	void (*compare)(const void *buf);
} attributes[] = {
	{ "SubnMgt:Notice", 0, ib_types_notice_smp },
	{ "SubnMgt:NodeDescription", sizeof(ib_node_desc_t), ib_types_node_description },
	{ "SubnMgt:NodeInfo", sizeof(ib_node_info_t), ib_types_node_info },
	{ "SubnMgt:SwitchInfo", sizeof(ib_switch_info_t), ib_types_switch_info },
	{ "SubnMgt:GUIDInfo", sizeof(ib_guid_info_t), ib_types_guid_info },
	{ "SubnMgt:PortInfo", sizeof(ib_port_info_t), ib_types_port_info },
	{ "SubnMgt:P_KeyTable", sizeof(ib_pkey_table_t), ib_types_pkey_table },
	{ "SubnMgt:SLtoVLMappingTable", sizeof(ib_slvl_table_t), ib_types_sltovl_table },
	{ "SubnMgt:VLArbitrationTable", sizeof(ib_vl_arb_table_t), ib_types_vlarb_table },
	{ "SubnMgt:LinearForwardingTable", sizeof(((ib_lft_record_t *)0)->lft), ib_types_linear_table },
	{ "SubnMgt:MulticastForwardingTable", sizeof(((ib_mft_record_t *)0)->mft), ib_types_multicast_table },
	/* theirs leaves out the three reserved bytes at its end */
	{ "SubnMgt:SMInfo", sizeof(ib_sm_info_t) + 3, ib_types_sm_info },
	{ "SubnMgt:PortInfoExtended", sizeof(ib_port_info_ext_t), ib_types_port_info_ext },
	{ "SubnMgt:MlnxExtendedPortInfo", sizeof(ib_mlnx_ext_port_info_t), ib_types_mlnx_ext_port_info },
	{ "SA:ClassPortInfo", sizeof(ib_class_port_info_t), ib_types_class_port_info },
	{ "SA:Notice", sizeof(ib_mad_notice_attr_t), ib_types_notice },
	{ "SA:InformInfo", sizeof(ib_inform_info_t), ib_types_inform_info },
	{ "SA:NodeRecord", sizeof(ib_node_record_t), ib_types_node_record },
	{ "SA:PortInfoRecord", sizeof(ib_portinfo_record_t), ib_types_port_info_record },
	{ "SA:SMInfoRecord", sizeof(ib_sminfo_record_t), ib_types_sm_info_record },
	{ "SA:LinkRecord", sizeof(ib_link_record_t), ib_types_link_record },
	{ "SA:ServiceRecord", sizeof(ib_service_record_t), ib_types_service_record },
	{ "SA:PathRecord", sizeof(ib_path_rec_t), ib_types_path_record },
	{ "SA:MCMemberRecord", sizeof(ib_member_rec_t), ib_types_mcmember_record },
	{ "SA:SLtoVLMappingTableRecord", sizeof(ib_slvl_table_record_t), ib_types_sltovl_record },
	{ "SA:SwitchInfoRecord", sizeof(ib_switch_info_record_t), ib_types_switch_info_record },
	{ "SA:LinearForwardingTableRecord", sizeof(ib_lft_record_t), ib_types_linear_record },
	{ "SA:MulticastForwardingTableRecord", sizeof(ib_mft_record_t), ib_types_multicast_record },
	{ "SA:GUIDInfoRecord", sizeof(ib_guidinfo_record_t), ib_types_guid_info_record },
	{ "SA:P_KeyTableRecord", sizeof(ib_pkey_table_record_t), ib_types_pkey_record },
	{ "SA:VLArbitrationTableRecord", sizeof(ib_vl_arb_table_record_t), ib_types_vlarb_record },
	{ "SA:InformInfoRecord", sizeof(ib_inform_info_record_t), ib_types_inform_info_record },
	{ "SA:MultiPathRecord", sizeof(ib_multipath_rec_t), ib_types_multi_path_record },
	/* theirs leaves out the padding to eight bytes */
	{ "SA:PortInfoExtendedRecord", sizeof(ib_portinfoext_record_t) + 4, ib_types_port_info_ext_record },
	{ "DevMgt:IOUnitInfo", sizeof(ib_iou_info_t), ib_types_io_unit_info },
	{ "DevMgt:IOControllerProfile", sizeof(ib_ioc_profile_t), ib_types_io_controller_profile },
	{ "DevMgt:ServiceEntries", sizeof(ib_svc_entries_t), ib_types_service_entries },
	{ "PerfMgt:PortCounters", sizeof(ib_port_counters_t), ib_types_port_counters },
	{ "PerfMgt:PortCountersExtended", sizeof(ib_port_counters_ext_t), ib_types_port_counters_ext },
	/* theirs is of the first edition */
	{ "PerfMgt:PortSamplesControl", sizeof(ib_port_samples_control_t) + 12, ib_types_port_samples_control },
	{ "PerfMgt:PortSamplesResult", sizeof(ib_port_samples_result_t), ib_types_port_samples_result },
	/* theirs fill up a MAD */
	{ "PerfMgt:PortXmitDataSL", sizeof(ib_port_xmit_data_sl_t) - 124, ib_types_port_xmit_data_sl },
	{ "PerfMgt:PortRcvDataSL", sizeof(ib_port_rcv_data_sl_t) - 124, ib_types_port_rcv_data_sl },
	/* theirs leave out the reserved bytes at the end */
	{ "CC:CongestionInfo", sizeof(ib_cong_info_t) + 1, ib_types_congestion_info },
	{ "CC:CongestionKeyInfo", sizeof(ib_cong_key_info_t) + 2, ib_types_congestion_key_info },
	{ "CC:CongestionLog", sizeof(ib_cong_log_t), ib_types_congestion_log },
	{ "CC:SwitchCongestionSetting", sizeof(ib_sw_cong_setting_t), ib_types_switch_congestion_setting },
	{ "CC:SwitchPortCongestionSetting", sizeof(ib_sw_port_cong_setting_t), ib_types_switch_port_congestion_setting },
	{ "CC:CACongestionSetting", sizeof(ib_ca_cong_setting_t), ib_types_ca_congestion_setting },
	{ "CC:CongestionControlTable", sizeof(ib_cc_tbl_t), ib_types_congestion_control_table },
	{ "CC:Timestamp", sizeof(ib_time_stamp_t), ib_types_timestamp },
};

#endif
