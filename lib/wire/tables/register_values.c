/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for values of registers (registers.c), and their units. */
#include <stdbool.h>
#include <stddef.h>
#include "values.h"

#define LIST(x)	const struct madkit_value madkit_values_##x[]
#define END	{ .name = NULL }
#define VALUE(v, n)	{ .value = v, .name = n }
#define ORDERED(v, n, m)	{ .value = v, .name = n, .magnitude = m }

/* ---- units --------------------------------------------------------------------------------- */

#define UNIT_OF(x)	const struct madkit_unit madkit_unit_##x

UNIT_OF(seconds) = { .symbol = "s", .divisor = 1 };
UNIT_OF(seconds1000) = { .symbol = "s", .divisor = 1000 };
UNIT_OF(decibels) = { .symbol = "dB", .divisor = 1 };
UNIT_OF(nanometres) = { .symbol = "nm", .divisor = 1, .has_none = true };
UNIT_OF(gbps10) = { .symbol = "Gb/s", .divisor = 10 };
UNIT_OF(watts) = { .symbol = "W", .divisor = 1 };
UNIT_OF(quarter_watts) = { .symbol = "W", .divisor = 4 };
UNIT_OF(volts10000) = { .symbol = "V", .divisor = 10000, .has_none = true };
UNIT_OF(celsius256) = { .symbol = "C", .divisor = 256, .is_signed = true, .has_none = true };
UNIT_OF(celsius8) = { .symbol = "C", .divisor = 8, .is_signed = true, .has_none = true };
/* 0x8000 to 0x8003 are reasons why there is no temperature */
UNIT_OF(celsius8_or_none) = {
	.symbol = "C", .divisor = 8, .is_signed = true, .has_none = true, .none_first = 0x8000, .none_last = 0x8003,
};

/* by CableType and CableTechnology: copper and an empty cage have no light, and 0; by PowerUnit: whole dBm, or microwatts */
static UNIT_OF(microwatts) = { .symbol = "uW", .divisor = 1 };
static UNIT_OF(dbm) = {
	.symbol = "dBm",
	.divisor = 1,
	.is_signed = true,
	.by = 32 + 33,
	.by_width = 2,
	.by_set = 1 << 1,
	.other = &madkit_unit_microwatts,
};
static UNIT_OF(active) = {
	.symbol = "dBm",
	.divisor = 1,
	.is_signed = true,
	.has_none = true,
	.by = 32 + 64,
	.by_width = 8,
	/* but copper: 0x0a to 0x0f, 0x12 to 0x14 */
	.by_set = ~UINT32_C(0x1cfc00),
	.other = &madkit_unit_dbm,
};
UNIT_OF(optical_power) = {
	.symbol = "dBm",
	.divisor = 1,
	.is_signed = true,
	.has_none = true,
	.by = 32 + 96,
	.by_width = 4,
	.by_set = 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 8,
	.other = &madkit_unit_active,
};

/* 2 uA, times 2 to the power of TxBiasScale */
static UNIT_OF(tx_bias8) = { .symbol = "mA", .divisor = 125, .has_none = true, .times = 2 };
static UNIT_OF(tx_bias4) = {
	.symbol = "mA", .divisor = 125, .has_none = true,
	.by = 32 + 1300, .by_width = 2, .by_set = 1 << 3, .other = &madkit_unit_tx_bias8,
};
static UNIT_OF(tx_bias2) = {
	.symbol = "mA", .divisor = 250, .has_none = true,
	.by = 32 + 1300, .by_width = 2, .by_set = 1 << 2 | 1 << 3, .other = &madkit_unit_tx_bias4,
};
UNIT_OF(tx_bias) = {
	.symbol = "mA", .divisor = 500, .has_none = true,
	.by = 32 + 1300, .by_width = 2, .by_set = 1 << 1 | 1 << 2 | 1 << 3, .other = &madkit_unit_tx_bias2,
};

/* CMIS has a multiplier in two bits (by CableIdentifier) */
static UNIT_OF(cable_length_cmis) = { .symbol = "m", .divisor = 10, .has_none = true, .multiplier_bits = 2 };
UNIT_OF(cable_length) = {
	.symbol = "m", .divisor = 1, .has_none = true,
	.by = 32 + 112, .by_width = 8, .by_set = 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 10,
	.other = &madkit_unit_cable_length_cmis,
};

/* ---- values -------------------------------------------------------------------------------- */

/* how a register numbers ports */
LIST(pnat) = {
	VALUE(0, "local port"),
	VALUE(1, "IB port"),
	END
};

LIST(power_unit) = {
	VALUE(0, "dBm"),
	VALUE(1, "uW"),
	END
};

LIST(pddr_protocol) = {
	VALUE(0, "None"),
	VALUE(1, "InfiniBand"),
	VALUE(4, "Ethernet"),
	VALUE(8, "NVLink"),
	END
};

LIST(pddr_negotiation) = {
	VALUE(0, "Forced"),
	VALUE(1, "MLPN"),
	VALUE(2, "Clause 73"),
	VALUE(3, "Parallel detect"),
	VALUE(4, "InfiniBand"),
	END
};

LIST(phy_manager_state) = {
	VALUE(0, "Disabled"),
	VALUE(1, "Open"),
	VALUE(2, "Polling"),
	VALUE(3, "Active"),
	VALUE(4, "Close"),
	VALUE(5, "PhyUp"),
	VALUE(6, "Sleep"),
	VALUE(7, "RxDisable"),
	VALUE(8, "Signal"),
	VALUE(9, "Receiver"),
	VALUE(10, "Sync"),
	VALUE(11, "Negotiation"),
	VALUE(12, "Training"),
	VALUE(13, "SubFSM"),
	END
};

LIST(ib_phy_state) = {
	VALUE(0, "Disabled"),
	VALUE(1, "Initial"),
	VALUE(2, "ReceiverConfiguration"),
	VALUE(3, "ConfigurationTest"),
	VALUE(4, "WaitRemoteTest"),
	VALUE(5, "WaitEnhanced"),
	VALUE(6, "ConfigurationIdle"),
	VALUE(7, "LinkUp"),
	VALUE(8, "Polling"),
	END
};

LIST(register_width) = {
	ORDERED(1, "1x", 1),
	ORDERED(1 << 1, "2x", 2),
	ORDERED(1 << 2, "4x", 4),
	ORDERED(1 << 3, "8x", 8),
	ORDERED(1 << 4, "12x", 12),
	END
};

/* kb/s of a lane, as in PortInfo */
LIST(register_speed) = {
	ORDERED(1, "SDR", 2500000),
	ORDERED(1 << 1, "DDR", 5000000),
	ORDERED(1 << 2, "QDR", 10000000),
	ORDERED(1 << 3, "FDR10", 10312500),
	ORDERED(1 << 4, "FDR", 14062500),
	ORDERED(1 << 5, "EDR", 25781250),
	ORDERED(1 << 6, "HDR", 53125000),
	ORDERED(1 << 7, "NDR", 106250000),
	ORDERED(1 << 8, "XDR", 212500000),
	END
};

LIST(protocol_mask) = {
	VALUE(1, "InfiniBand"),
	VALUE(4, "Ethernet"),
	END
};

LIST(fec) = {
	VALUE(0, "None"),
	VALUE(1, "Firecode"),
	VALUE(2, "RS(528,514)"),
	VALUE(3, "LL(271,257)"),
	VALUE(4, "Quad (544,514)"),
	VALUE(5, "Quad PLR (546,516)"),
	VALUE(6, "Interleaved (544,514)"),
	VALUE(7, "RS(544,514)"),
	VALUE(8, "Octet PLR (546,516)"),
	VALUE(9, "ETC LL (272,258)"),
	VALUE(10, "Interleaved ETC LL (272,258)"),
	VALUE(11, "Interleaved PLR (544,514)"),
	VALUE(12, "RS PLR (544,514)"),
	VALUE(13, "LL PLR (271,257)"),
	VALUE(14, "ETC LL PLR (272,258)"),
	VALUE(15, "Interleaved ETC LL PLR (272,258)"),
	VALUE(16, "Double half-KP4 PLR (288,258)"),
	VALUE(17, "Quad half-KP4 PLR (288,258)"),
	VALUE(18, "Octet half-KP4 PLR (288,258)"),
	END
};

LIST(link_health) = {
	VALUE(0, "Unknown"),
	VALUE(1, "Attention"),
	VALUE(2, "Healthy"),
	END
};

LIST(pddr_group) = {
	VALUE(0, "Monitor"),
	END
};

LIST(link_diagnosis) = {
	VALUE(0, "No issue"),
	VALUE(1, "Closed by command"),
	VALUE(2, "Negotiation: no partner"),
	VALUE(3, "Negotiation: no acknowledgement"),
	VALUE(4, "Negotiation: next page failed"),
	VALUE(5, "Training: no frame lock"),
	VALUE(6, "Training: link inhibit timeout"),
	VALUE(7, "Training: partner not ready"),
	VALUE(8, "Training: not completed"),
	VALUE(9, "No block lock"),
	VALUE(10, "No alignment marker lock"),
	VALUE(11, "No alignment"),
	VALUE(12, "Firecode FEC not locked"),
	VALUE(13, "RS-FEC not locked"),
	VALUE(14, "Remote fault"),
	VALUE(15, "Bad signal"),
	VALUE(16, "Cable does not suit the port"),
	VALUE(17, "Too many errors"),
	VALUE(18, "Internal error 18"),
	VALUE(19, "Internal error 19"),
	VALUE(20, "Cable does not suit the port (20)"),
	VALUE(22, "Internal error 22"),
	VALUE(23, "Calibration failed"),
	VALUE(24, "Cable does not suit the port (24)"),
	VALUE(25, "Cable does not suit the port (25)"),
	VALUE(26, "Cable does not suit the port (26)"),
	VALUE(27, "Cable does not suit the port (27)"),
	VALUE(28, "Cable does not suit the port (28)"),
	VALUE(29, "Cable does not suit the port (29)"),
	VALUE(30, "Cable does not suit the port (30)"),
	VALUE(31, "Cable does not suit the port (31)"),
	VALUE(32, "Cable does not suit the port (32)"),
	VALUE(34, "Degraded (34)"),
	VALUE(35, "Degraded (35)"),
	VALUE(36, "Negotiation: no partner, forced"),
	VALUE(38, "Negotiation: FEC differs"),
	VALUE(39, "Negotiation: no common rate"),
	VALUE(42, "Rate of the cable"),
	VALUE(48, "Bad signal (48)"),
	VALUE(49, "Bad signal (49)"),
	VALUE(50, "Internal error 50"),
	VALUE(52, "Bad signal (52)"),
	VALUE(55, "Internal error 55"),
	VALUE(56, "Lanes not synchronised"),
	VALUE(57, "No signal"),
	VALUE(60, "Negotiation (60)"),
	VALUE(62, "Training (62)"),
	VALUE(63, "Training (63)"),
	VALUE(64, "Training (64)"),
	VALUE(65, "Training (65)"),
	VALUE(66, "Training (66)"),
	VALUE(69, "Negotiation (69)"),
	VALUE(70, "Bit error rate"),
	VALUE(128, "In progress"),
	VALUE(1023, "No information"),
	VALUE(1024, "Cable unplugged"),
	VALUE(1025, "Long-range cable"),
	VALUE(1026, "I2C bus"),
	VALUE(1027, "Cable memory (EEPROM)"),
	VALUE(1028, "Part number not in the list"),
	VALUE(1029, "Cable not supported"),
	VALUE(1030, "Module too hot"),
	VALUE(1031, "Cable shorted"),
	VALUE(1032, "Power budget exceeded"),
	VALUE(1033, "Closed by management"),
	VALUE(1034, "Module disabled"),
	VALUE(1035, "System power exceeded"),
	VALUE(1036, "PMD type not enabled"),
	VALUE(1040, "PCIe slot power exceeded"),
	VALUE(1042, "Module state machine"),
	VALUE(1043, "Stamping (1043)"),
	VALUE(1044, "Stamping (1044)"),
	VALUE(1045, "Stamping (1045)"),
	VALUE(1046, "Stamping (1046)"),
	VALUE(1047, "Data path (1047)"),
	VALUE(1048, "Data path (1048)"),
	VALUE(1050, "Boot (1050)"),
	VALUE(1051, "Boot (1051)"),
	VALUE(1052, "Boot (1052)"),
	VALUE(1053, "Boot (1053)"),
	VALUE(1054, "Low power"),
	VALUE(1055, "External laser (1055)"),
	VALUE(1056, "External laser (1056)"),
	VALUE(1057, "External laser (1057)"),
	VALUE(1058, "External laser (1058)"),
	VALUE(1059, "External laser (1059)"),
	VALUE(1060, "External laser (1060)"),
	VALUE(1061, "External laser (1061)"),
	VALUE(1062, "External laser (1062)"),
	VALUE(1063, "External laser (1063)"),
	END
};

/* SFF-8636 byte 147, upper half; CMIS byte 212 */
LIST(cable_technology) = {
	VALUE(0, "850 nm VCSEL"),
	VALUE(1, "1310 nm VCSEL"),
	VALUE(2, "1550 nm VCSEL"),
	VALUE(3, "1310 nm FP"),
	VALUE(4, "1310 nm DFB"),
	VALUE(5, "1550 nm DFB"),
	VALUE(6, "1310 nm EML"),
	VALUE(7, "1550 nm EML"),
	VALUE(8, "Other"),
	VALUE(9, "1490 nm DFB"),
	VALUE(10, "Copper, not equalised"),
	VALUE(11, "Copper, passively equalised"),
	VALUE(12, "Copper, near and far end limiting"),
	VALUE(13, "Copper, far end limiting"),
	VALUE(14, "Copper, near end limiting"),
	VALUE(15, "Copper, linear active"),
	VALUE(16, "C-band tunable laser"),
	VALUE(17, "L-band tunable laser"),
	VALUE(18, "Copper, near and far end linear"),
	VALUE(19, "Copper, far end linear"),
	VALUE(20, "Copper, near end linear"),
	END
};

LIST(cable_type) = {
	VALUE(0, "Unknown"),
	VALUE(1, "Active"),
	VALUE(2, "Optical"),
	VALUE(3, "Passive"),
	VALUE(4, "Unplugged"),
	VALUE(5, "Twisted pair"),
	VALUE(6, "CPO"),
	VALUE(7, "OE"),
	VALUE(8, "ELS"),
	END
};

LIST(cable_vendor) = {
	VALUE(0, "Other"),
	VALUE(1, "Mellanox"),
	VALUE(2, "Known OUI"),
	VALUE(3, "NVIDIA"),
	END
};

LIST(cable_identifier) = {
	VALUE(0, "QSFP28"),
	VALUE(1, "QSFP+"),
	VALUE(2, "SFP28"),
	VALUE(3, "QSA"),
	VALUE(4, "Backplane"),
	VALUE(5, "SFP-DD"),
	VALUE(6, "QSFP-DD"),
	VALUE(7, "QSFP-CMIS"),
	VALUE(8, "OSFP"),
	VALUE(9, "C2C"),
	VALUE(10, "DSFP"),
	VALUE(11, "Split cable"),
	VALUE(12, "CPO"),
	VALUE(13, "OE"),
	VALUE(14, "ELS"),
	END
};

/* CMIS byte 3 */
LIST(module_st) = {
	VALUE(1, "LowPower"),
	VALUE(2, "PowerUp"),
	VALUE(3, "Ready"),
	VALUE(4, "PowerDown"),
	VALUE(5, "Fault"),
	END
};

LIST(rx_power_type) = {
	VALUE(0, "OMA"),
	VALUE(1, "Average"),
	END
};

LIST(module_monitor) = {
	VALUE(1, "Temperature"),
	VALUE(2, "Voltage"),
	VALUE(4, "TxPower"),
	VALUE(8, "RxPower"),
	VALUE(16, "TxBias"),
	END
};

LIST(down_intent) = {
	VALUE(0, "Unknown"),
	VALUE(1, "Intended"),
	VALUE(2, "Not intended"),
	END
};

LIST(down_blame) = {
	VALUE(0, "Unknown"),
	VALUE(1, "Local"),
	VALUE(2, "Remote"),
	END
};

LIST(link_down_reason) = {
	VALUE(0, "None"),
	VALUE(1, "Unknown"),
	VALUE(2, "High bit error rate"),
	VALUE(3, "Block lock lost"),
	VALUE(4, "Alignment lost"),
	VALUE(5, "FEC synchronisation lost"),
	VALUE(6, "PLL lock lost"),
	VALUE(7, "FIFO overflow"),
	VALUE(8, "False SKIP"),
	VALUE(9, "Minor errors"),
	VALUE(10, "PLR timeout"),
	VALUE(11, "Heartbeat lost"),
	VALUE(12, "Credit watchdog"),
	VALUE(13, "Link integrity"),
	VALUE(14, "Buffer overrun"),
	VALUE(15, "Outband command, healthy link"),
	VALUE(16, "Outband command, high bit error rate"),
	VALUE(17, "Inband command, healthy link"),
	VALUE(18, "Inband command, high bit error rate"),
	VALUE(19, "Verification"),
	VALUE(20, "Remote fault"),
	VALUE(21, "TS1 from the peer"),
	VALUE(22, "Management"),
	VALUE(23, "Cable unplugged"),
	VALUE(24, "Cable access"),
	VALUE(25, "Thermal"),
	VALUE(26, "Current"),
	VALUE(27, "Power budget"),
	VALUE(28, "Fast recovery: raw bit error rate"),
	VALUE(29, "Fast recovery: effective bit error rate"),
	VALUE(30, "Fast recovery: symbol bit error rate"),
	VALUE(31, "Fast recovery: credits"),
	VALUE(32, "Peer: sleep"),
	VALUE(33, "Peer: disabled"),
	VALUE(34, "Peer: port lock"),
	VALUE(35, "Peer: thermal"),
	VALUE(36, "Peer: forced"),
	VALUE(37, "Peer: reset"),
	VALUE(38, "Reset"),
	VALUE(39, "Fast recovery: PLR"),
	VALUE(40, "Forced by hardware"),
	VALUE(42, "L1 exit"),
	VALUE(43, "Too many recoveries"),
	VALUE(44, "Contained"),
	VALUE(45, "Bandwidth loss"),
	VALUE(46, "External laser"),
	VALUE(47, "High symbol error rate"),
	VALUE(48, "NMX"),
	VALUE(49, "Bit error rate guard"),
	VALUE(50, "Local fault"),
	VALUE(51, "Interruption"),
	VALUE(52, "Debug"),
	VALUE(53, "Command"),
	VALUE(58, "Recovery bandwidth"),
	VALUE(59, "Peer: contained"),
	VALUE(60, "Module reset"),
	VALUE(61, "Contained: Rx"),
	VALUE(62, "Contained: Tx"),
	END
};

LIST(module_state) = {
	VALUE(0, "Initialising"),
	VALUE(1, "Plugged"),
	VALUE(2, "Unplugged"),
	VALUE(3, "Error"),
	END
};

LIST(psu_presence) = {
	VALUE(5, "Present"),
	END
};

LIST(psu_ok) = {
	VALUE(1, "OK"),
	END
};

LIST(psu_fan) = {
	VALUE(2, "OK"),
	END
};
