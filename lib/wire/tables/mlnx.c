/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mellanox's vendor class 0x0a, as in infiniband-diags' vendstat.c, mstflint's mtcr_ib_ofed.c and ibutils' ibvs_base.h.
 */
#include "tables.h"

/* The modifier selects the port of the switch: 1 the CPU's, 2 and 3 I2C, 4 GPIO. */
static const struct madkit_field ext_port_i2c_fields[] = {
	FIELD("Size", NULL, 0, 32, UNSIGNED),
	FIELD("DeviceSelect", NULL, 32, 32, HEX),
	FIELD("Offset", NULL, 64, 32, HEX),
	FIELD("Dword", NULL, 96, 32, HEX, ARRAY(53), ROWS),
};
static LAYOUT(ext_port_i2c, "ExtPortAccess", 224);

static const struct madkit_field ext_port_cpu_fields[] = {
	FIELD("TargetSize", NULL, 0, 4, UNSIGNED),
	FIELD("Size", NULL, 4, 28, UNSIGNED),
	FIELD("Address", NULL, 32, 32, HEX),
	FIELD("Dword", NULL, 64, 32, HEX, ARRAY(54), ROWS),
};
static LAYOUT(ext_port_cpu, "ExtPortAccessCPU", 224);

/* ibutils sets a mask in the first two words, the low one first; no public source describes the rest */
static const struct madkit_field ext_port_gpio_fields[] = {
	FIELD("MaskLow", NULL, 0, 32, HEX),
	FIELD("MaskHigh", NULL, 32, 32, HEX),
	FIELD("Dword", NULL, 64, 32, HEX, ARRAY(54), ROWS),
};
static LAYOUT(ext_port_gpio, "ExtPortAccessGPIO", 224);

#define GENERAL_INFO \
	FIELD("HWRevision", NULL, 0, 16, HEX), \
	FIELD("HWDeviceID", NULL, 16, 16, HEX), \
	RESERVED("Reserved", 32, 192), \
	FIELD("HWUpTime", NULL, 224, 32, UNSIGNED), \
	RESERVED("Reserved2", 256, 8), \
	FIELD("FWMajor", NULL, 264, 8, UNSIGNED), \
	FIELD("FWMinor", NULL, 272, 8, UNSIGNED), \
	FIELD("FWSubMinor", NULL, 280, 8, UNSIGNED), \
	FIELD("FWBuildID", NULL, 288, 32, HEX), \
	FIELD("FWMonth", NULL, 320, 8, HEX), \
	FIELD("FWDay", NULL, 328, 8, HEX), \
	FIELD("FWYear", NULL, 336, 16, HEX), \
	RESERVED("Reserved3", 352, 16), \
	FIELD("FWHour", NULL, 368, 16, HEX), \
	FIELD("FWPSID", "PSID", 384, 128, STRING), \
	FIELD("FWIniFileVersion", NULL, 512, 32, UNSIGNED)

static const struct madkit_field general_info_fields[] = {
	GENERAL_INFO,
	FIELD("FWExtMajor", NULL, 544, 32, UNSIGNED),
	FIELD("FWExtMinor", NULL, 576, 32, UNSIGNED),
	FIELD("FWExtSubMinor", NULL, 608, 32, UNSIGNED),
	RESERVED("Reserved4", 640, 136),
	FIELD("SWMajor", NULL, 776, 8, UNSIGNED),
	FIELD("SWMinor", NULL, 784, 8, UNSIGNED),
	FIELD("SWSubMinor", NULL, 792, 8, UNSIGNED),
	RESERVED("Reserved5", 800, 224),
	FIELD("CapabilityMask", NULL, 1024, 32, BITS, VALUES(mlnx_general_cap)),
	RESERVED("Reserved6", 1056, 736),
};
static LAYOUT(general_info, "GeneralInfo", 224);

/* Layout without the extended version. vendstat uses it for every device that its list lacks, but the list is older
 * than recent devices. madkit uses it only for InfiniScale III, which vendstat names. */
static const struct madkit_field general_info_is3_fields[] = {
	GENERAL_INFO,
	RESERVED("Reserved4", 544, 8),
	FIELD("SWMajor", NULL, 552, 8, UNSIGNED),
	FIELD("SWMinor", NULL, 560, 8, UNSIGNED),
	FIELD("SWSubMinor", NULL, 568, 8, UNSIGNED),
	RESERVED("Reserved5", 576, 1216),
};
static LAYOUT(general_info_is3, "GeneralInfo of InfiniScale III", 224);

static const struct madkit_edition madkit_editions_general_info[] = {
	{ .mask = 0x0000ffff00000000, .first = 0x0000b92400000000,
	  .last = 0x0000b92400000000, .layout = &madkit_layout_general_info_is3 },
};

static const struct madkit_field mlnx_config_record_fields[] = {
	FIELD("Address", NULL, 0, 32, HEX),
	FIELD("Data", NULL, 32, 32, HEX),
	FIELD("Mask", NULL, 64, 32, HEX),
};
LAYOUT(mlnx_config_record, "ConfigSpaceRecord", 12);

/* In the modifier, bits 22 and 23 are the mode, and bits 16 to 21 count dwords or records. In mode 0, the modifier
 * holds the address, its upper octet first. */
static const struct madkit_field config_space_fields[] = {
	FIELD("Dword", NULL, 0, 32, HEX, ARRAY(56), ROWS),
};
static LAYOUT(config_space, "ConfigSpaceAccess", 224);

static const struct madkit_field config_space_records_fields[] = {
	FIELD("Record", NULL, 0, 96, STRUCT, ARRAY(18), SUB(mlnx_config_record)),
	RESERVED("Reserved", 1728, 64),
};
static LAYOUT(config_space_records, "ConfigSpaceRecords", 224);

/* a block of a register: 55 dwords */
static const struct madkit_field access_register_fields[] = {
	FIELD("Block", NULL, 0, 16, UNSIGNED, SELECTOR),
	RESERVED("Reserved", 16, 16),
	FIELD("Data", NULL, 32, 1760, BYTES),
};
static LAYOUT(access_register, "AccessRegisterGMP", 224);

static const struct madkit_field counter_group_info_fields[] = {
	RESERVED("Reserved", 0, 24),
	FIELD("NumCounterGroups", NULL, 24, 8, UNSIGNED),
	FIELD("GroupMask", NULL, 32, 32, HEX, ARRAY(2)),
};
static LAYOUT(counter_group_info, "CounterGroupInfo", 12);

static const struct madkit_field config_counter_group_fields[] = {
	RESERVED("Reserved", 0, 32),
	RESERVED("Reserved2", 32, 24, ARRAY(2), .stride = 32),
	FIELD("GroupSelect", NULL, 56, 8, UNSIGNED, ARRAY(2), .stride = 32),
};
static LAYOUT(config_counter_group, "ConfigCounterGroup", 12);

/* the data of a register's first block also has the page or the group; the other blocks are bytes */
#define PDDR(page)	PAGE(88, 8, page), EDITIONS(register)
#define PPCNT(group)	PAGE(58, 6, group), EDITIONS(register)
/* shorter than a block: another block is one of AccessRegisterGMP, all of its bytes */
#define ONE_BLOCK	PAGE(0, 16, 0)

const struct madkit_attribute madkit_attributes_mlnx[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	EMPTY("SWReset", NULL, 0x0012, MODIFIER("seconds until then")),
	ATTRIBUTE("ExtPortAccess", "ExtPortAccessI2C", 0x0013, 224, ext_port_i2c,
		  MODIFIER("I2C port + 1"), CHOSEN(0xfffffffe, 2)),
	ATTRIBUTE("ExtPortAccessCPU", NULL, 0x0013, 224, ext_port_cpu,
		  MODIFIER("1: CPU"), CHOSEN(0xffffffff, 1)),
	ATTRIBUTE("ExtPortAccessGPIO", NULL, 0x0013, 224, ext_port_gpio,
		  MODIFIER("4: GPIO"), CHOSEN(0xffffffff, 4)),
	ATTRIBUTE("GeneralInfo", NULL, 0x0017, 224, general_info, EDITIONS(general_info)),
	ATTRIBUTE("ConfigSpaceAccess", NULL, 0x0050, 224, config_space,
		  MODIFIER("address 23-16 << 24 | dwords << 16 | address 15-0"),
		  CHOSEN(0x00c00000, 0)),
	ATTRIBUTE("ConfigSpaceRecords", NULL, 0x0050, 224, config_space_records,
		  MODIFIER("2 << 22 | records << 16"), CHOSEN(0x00c00000, 0x00800000)),
	ATTRIBUTE("AccessRegisterGMP", NULL, 0x0051, 224, access_register, SELECTS("register")),
	ATTRIBUTE("PhyOperation", "PDDR:0", 0x0051, 224, phy_operation, REGISTER(0x5031), PDDR(0),
		  COLUMNS("PhyManagerState,WidthActive,SpeedActive,FECActive,LinkHealth")),
	ATTRIBUTE("LinkDiagnosis", "PDDR:1", 0x0051, 224, link_diagnosis, REGISTER(0x5031), PDDR(1), JOINED(link_diagnosis),
		  COLUMNS("Diagnosis,Message")),
	ATTRIBUTE("ModuleInfo", "PDDR:3", 0x0051, 224, module_info, REGISTER(0x5031), PDDR(3),
		  COLUMNS("CableType,CableTechnology,CableIdentifier,CableLength,VendorName,VendorPartNumber,VendorSerialNumber,Temperature")),
	ATTRIBUTE("LinkDownInfo", "PDDR:6", 0x0051, 224, link_down_info, REGISTER(0x5031), PDDR(6),
		  COLUMNS("DownBlame,DownIntent,LocalReason,RemoteReason")),
	ATTRIBUTE("PhyCounters", "PPCNT:0x12", 0x0051, 224, phy_counters, REGISTER(0x5008), PPCNT(18), JOINED(phy_counters),
		  COLUMNS("LinkDownEvents,RecoveryEvents,SymbolErrors,RsFecCorrectedBlocks,RsFecUncorrectableBlocks,TimeSinceLastClear")),
	ATTRIBUTE("BitErrors", "PPCNT:0x16", 0x0051, 224, bit_errors, REGISTER(0x5008), PPCNT(22),
		  COLUMNS("RawPhysicalBER,EffectivePhysicalBER,SymbolBER,EffectivePhysicalErrors,SymbolErrors,TimeSinceLastClear")),
	ATTRIBUTE("RecoveryCounters", "PPCNT:0x1a", 0x0051, 224, recovery_counters, REGISTER(0x5008), PPCNT(26)),
	ATTRIBUTE("RegisterPortCounters", "PPCNT:0x20", 0x0051, 224, register_port_counters, REGISTER(0x5008), PPCNT(32)),
	ATTRIBUTE("PlrCounters", "PPCNT:0x22", 0x0051, 224, plr_counters, REGISTER(0x5008), PPCNT(34),
		  COLUMNS("PlrRcvCodes,PlrRcvCodeErrors,PlrRcvUncorrectableCodes,PlrXmitRetryEvents")),
	ATTRIBUTE("FecHistogram", "PPCNT:0x23", 0x0051, 224, fec_histogram, REGISTER(0x5008), PPCNT(35)),
	ATTRIBUTE("PortMapping", "PLIB", 0x0051, 20, port_mapping, REGISTER(0x500a), ONE_BLOCK,
		  COLUMNS("PortSelect,IBPort")),
	ATTRIBUTE("LinkModes", "PTYS", 0x0051, 72, link_modes, REGISTER(0x5004), PAGE(61, 3, 1),
		  COLUMNS("DataRate,WidthActive,SpeedActive,WidthEnabled,SpeedEnabled,WidthCapability,SpeedCapability")),
	ATTRIBUTE("LaneMapping", "PMLP", 0x0051, 68, lane_mapping, REGISTER(0x5002), ONE_BLOCK),
	ATTRIBUTE("ModuleState", "PMAOS", 0x0051, 20, module_state, REGISTER(0x5012), ONE_BLOCK,
		  COLUMNS("Module,ModuleState,ErrorType")),
	ATTRIBUTE("SensorList", "MTCAP", 0x0051, 20, sensor_list, REGISTER(0x9009), ONE_BLOCK),
	ATTRIBUTE("Sensor", "MTMP", 0x0051, 36, sensor, REGISTER(0x900a), ONE_BLOCK,
		  COLUMNS("SensorName,Temperature,MaxTemperature,ThresholdHigh")),
	ATTRIBUTE("Sensors", "MTBR", 0x0051, 224, sensors, REGISTER(0x900f), ONE_BLOCK, PRESET(32 + 56, 8, 51),
		  COLUMNS("BaseSensorIndex,NumRecords,Sensor.Temperature")),
	ATTRIBUTE("Fans", "MFCR", 0x0051, 12, fans, REGISTER(0x9001), ONE_BLOCK),
	ATTRIBUTE("FanSpeed", "MFSM", 0x0051, 12, fan_speed, REGISTER(0x9003), ONE_BLOCK,
		  COLUMNS("Tacho,RPM")),
	ATTRIBUTE("FanLimits", "FORE", 0x0051, 16, fan_limits, REGISTER(0x9007), ONE_BLOCK),
	ATTRIBUTE("PowerSupplies", "MSPS", 0x0051, 164, power_supplies, REGISTER_GUESSED(0x900d), ONE_BLOCK),
	ATTRIBUTE("DeviceInfo", "MGIR", 0x0051, 164, device_info, REGISTER(0x9020), ONE_BLOCK,
		  COLUMNS("DeviceID,PSID,FWMajor,FWMinor,FWSubMinor,UpTime")),
	ATTRIBUTE("SystemInfo", "MSGI", 0x0051, 132, system_info, REGISTER(0x9021), ONE_BLOCK,
		  COLUMNS("SerialNumber,PartNumber,Revision,ProductName")),
	ATTRIBUTE("CPLD", "MSCI", 0x0051, 16, cpld, REGISTER(0x902a), ONE_BLOCK),
	ATTRIBUTE("Slots", "MGPIR", 0x0051, 164, slots, REGISTER(0x9100), ONE_BLOCK,
		  COLUMNS("NumModules,NumSlots")),
	ATTRIBUTE("CounterGroupInfo", NULL, 0x0090, 12, counter_group_info, SELECTS("port")),
	ATTRIBUTE("ConfigCounterGroup", NULL, 0x0091, 12, config_counter_group, SELECTS("port")),
};
