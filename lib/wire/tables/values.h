/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of values and bits that fields share. */
#ifndef WIRE_VALUES_H
#define WIRE_VALUES_H

#include <madkit/field.h>

/* enumerations */
extern const struct madkit_value madkit_values_bm_device[];
extern const struct madkit_value madkit_values_bm_status[];
extern const struct madkit_value madkit_values_bm_trap_type[];
extern const struct madkit_value madkit_values_cm_ap_status[];
extern const struct madkit_value madkit_values_cm_mra_message[];
extern const struct madkit_value madkit_values_cm_rej_message[];
extern const struct madkit_value madkit_values_cm_rej_reason[];
extern const struct madkit_value madkit_values_cm_sidr_status[];
extern const struct madkit_value madkit_values_cm_transport[];
extern const struct madkit_value madkit_values_cm_transport_extended[];
extern const struct madkit_value madkit_values_controller_state[];
extern const struct madkit_value madkit_values_extended_width[];
extern const struct madkit_value madkit_values_fec_mode[];
extern const struct madkit_value madkit_values_link_down_default[];
extern const struct madkit_value madkit_values_link_speed_active[];
extern const struct madkit_value madkit_values_link_speed_ext_active[];
extern const struct madkit_value madkit_values_link_speed_ext2_active[];
extern const struct madkit_value madkit_values_link_width_active[];
extern const struct madkit_value madkit_values_mc_scope[];
extern const struct madkit_value madkit_values_method[];
extern const struct madkit_value madkit_values_method_sa[];
extern const struct madkit_value madkit_values_mlnx_register_method[];
extern const struct madkit_value madkit_values_mlnx_semaphore_op[];
extern const struct madkit_value madkit_values_mlnx_tlv[];
extern const struct madkit_value madkit_values_mtu[];
extern const struct madkit_value madkit_values_node_type[];
extern const struct madkit_value madkit_values_notice_type[];
extern const struct madkit_value madkit_values_oper_vls[];
extern const struct madkit_value madkit_values_phys_state[];
extern const struct madkit_value madkit_values_port_node_type[];
extern const struct madkit_value madkit_values_severity[];
extern const struct madkit_value madkit_values_problem_event[];
extern const struct madkit_value madkit_values_difference[];
extern const struct madkit_value madkit_values_difference_by[];
extern const struct madkit_value madkit_values_port_state[];
extern const struct madkit_value madkit_values_producer_type[];
extern const struct madkit_value madkit_values_rate[];
extern const struct madkit_value madkit_values_rmpp_status[];
extern const struct madkit_value madkit_values_rmpp_type[];
extern const struct madkit_value madkit_values_sa_status[];
extern const struct madkit_value madkit_values_selector[];
extern const struct madkit_value madkit_values_selector_time[];
extern const struct madkit_value madkit_values_sm_state[];
extern const struct madkit_value madkit_values_speed[];
extern const struct madkit_value madkit_values_status_code[];
extern const struct madkit_value madkit_values_trap_type[];
extern const struct madkit_value madkit_values_vl_cap[];
extern const struct madkit_value madkit_values_width[];

/* bits */
extern const struct madkit_value madkit_values_cap_mask[];
extern const struct madkit_value madkit_values_cap_mask2[];
extern const struct madkit_value madkit_values_controller_ops[];
extern const struct madkit_value madkit_values_cpi_cap[];
extern const struct madkit_value madkit_values_cpi_cap2[];
extern const struct madkit_value madkit_values_cpi_cap2_perf[];
extern const struct madkit_value madkit_values_cpi_cap2_sa[];
extern const struct madkit_value madkit_values_cpi_cap_bm[];
extern const struct madkit_value madkit_values_cpi_cap_perf[];
extern const struct madkit_value madkit_values_cpi_cap_sa[];
extern const struct madkit_value madkit_values_cc_control_map[];
extern const struct madkit_value madkit_values_cc_info[];
extern const struct madkit_value madkit_values_join_state[];
extern const struct madkit_value madkit_values_link_speed[];
extern const struct madkit_value madkit_values_link_speed_ext[];
extern const struct madkit_value madkit_values_link_speed_ext2[];
extern const struct madkit_value madkit_values_link_speed_ext_enabled[];
extern const struct madkit_value madkit_values_link_width[];
extern const struct madkit_value madkit_values_mlnx_general_cap[];
extern const struct madkit_value madkit_values_port_ext_cap_mask[];
extern const struct madkit_value madkit_values_port_counters_extended_select[];
extern const struct madkit_value madkit_values_port_counters_extended_select2[];
extern const struct madkit_value madkit_values_port_counters_select[];
extern const struct madkit_value madkit_values_port_counters_select2[];
extern const struct madkit_value madkit_values_port_extended_speeds_select[];
extern const struct madkit_value madkit_values_port_flow_ctl_counters_select[];
extern const struct madkit_value madkit_values_port_op_rcv_counters_select[];
extern const struct madkit_value madkit_values_port_rcv_con_ctrl_select[];
extern const struct madkit_value madkit_values_port_rcv_data_sl_select[];
extern const struct madkit_value madkit_values_port_rcv_error_details_select[];
extern const struct madkit_value madkit_values_port_sl_rcv_becn_select[];
extern const struct madkit_value madkit_values_port_sl_rcv_fecn_select[];
extern const struct madkit_value madkit_values_port_vl_flow_ctl_errors_select[];
extern const struct madkit_value madkit_values_port_vl_op_data_select[];
extern const struct madkit_value madkit_values_port_vl_op_packets_select[];
extern const struct madkit_value madkit_values_port_vl_xmit_time_cong_select[];
extern const struct madkit_value madkit_values_port_vl_xmit_wait_select[];
extern const struct madkit_value madkit_values_port_xmit_con_ctrl_select[];
extern const struct madkit_value madkit_values_port_xmit_data_sl_select[];
extern const struct madkit_value madkit_values_port_xmit_discard_details_select[];
extern const struct madkit_value madkit_values_sw_port_vl_congestion_select[];
extern const struct madkit_value madkit_values_rmpp_flags[];

/* register_values.c */
extern const struct madkit_value madkit_values_pnat[];
extern const struct madkit_value madkit_values_power_unit[];
extern const struct madkit_value madkit_values_pddr_protocol[];
extern const struct madkit_value madkit_values_pddr_negotiation[];
extern const struct madkit_value madkit_values_phy_manager_state[];
extern const struct madkit_value madkit_values_ib_phy_state[];
extern const struct madkit_value madkit_values_register_width[];
extern const struct madkit_value madkit_values_register_speed[];
extern const struct madkit_value madkit_values_protocol_mask[];
extern const struct madkit_value madkit_values_fec[];
extern const struct madkit_value madkit_values_link_health[];
extern const struct madkit_value madkit_values_pddr_group[];
extern const struct madkit_value madkit_values_link_diagnosis[];
extern const struct madkit_value madkit_values_cable_technology[];
extern const struct madkit_value madkit_values_cable_type[];
extern const struct madkit_value madkit_values_cable_vendor[];
extern const struct madkit_value madkit_values_cable_identifier[];
extern const struct madkit_value madkit_values_module_st[];
extern const struct madkit_value madkit_values_rx_power_type[];
extern const struct madkit_value madkit_values_module_monitor[];
extern const struct madkit_value madkit_values_down_intent[];
extern const struct madkit_value madkit_values_down_blame[];
extern const struct madkit_value madkit_values_link_down_reason[];
extern const struct madkit_value madkit_values_module_state[];
extern const struct madkit_value madkit_values_psu_presence[];
extern const struct madkit_value madkit_values_psu_ok[];
extern const struct madkit_value madkit_values_psu_fan[];
extern const struct madkit_unit madkit_unit_seconds;
extern const struct madkit_unit madkit_unit_seconds1000;
extern const struct madkit_unit madkit_unit_decibels;
extern const struct madkit_unit madkit_unit_nanometres;
extern const struct madkit_unit madkit_unit_gbps10;
extern const struct madkit_unit madkit_unit_watts;
extern const struct madkit_unit madkit_unit_quarter_watts;
extern const struct madkit_unit madkit_unit_volts10000;
extern const struct madkit_unit madkit_unit_celsius256;
extern const struct madkit_unit madkit_unit_celsius8;
extern const struct madkit_unit madkit_unit_celsius8_or_none;
extern const struct madkit_unit madkit_unit_optical_power;
extern const struct madkit_unit madkit_unit_tx_bias;
extern const struct madkit_unit madkit_unit_cable_length;

#endif
