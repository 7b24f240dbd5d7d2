/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notices (IBA volume 1, section 13.4.8.2): 64 bytes in an SMP; in other classes, the GID of the issuer follows. The
 * trap number of a generic notice selects the layout of the details (section 14.2.5.1).
 */
#include "tables.h"

/* In a vendor's notice (IsGeneric 0), VendorID and DeviceID are at the offsets of the producer type and the trap
 * number. */
#define NOTICE \
	FIELD("IsGeneric", "NoticeIsGeneric", 0, 1, UNSIGNED), \
	FIELD("Type", "NoticeType", 1, 7, ENUM, VALUES(notice_type)), \
	FIELD("ProducerType", "NoticeProducerType,VendorID", 8, 24, ENUM, VALUES(producer_type)), \
	FIELD("TrapNumber", "NoticeTrapNumber,DeviceID", 32, 16, UNSIGNED), \
	FIELD("IssuerLID", "NoticeIssuerLID", 48, 16, LID), \
	FIELD("NoticeToggle", NULL, 64, 1, UNSIGNED), \
	FIELD("NoticeCount", NULL, 65, 15, UNSIGNED)
#define DETAILS \
	FIELD("DataDetails", "NoticeDataDetails", 80, 432, BYTES)
#define ISSUER \
	FIELD("IssuerGID", NULL, 512, 128, GID)

static const struct madkit_field notice_smp_fields[] = { NOTICE, DETAILS };
LAYOUT(notice_smp, "Notice", 64);

static const struct madkit_field notice_fields[] = { NOTICE, DETAILS, ISSUER };
LAYOUT(notice, "Notice", 80);

/* ---- by trap number -------------------------------------------------------- */

/* Both forms of a notice: the details are bits 80 to 511. */
#define NOTICES(x, n, ...) \
	static const struct madkit_field x##_smp_fields[] = { NOTICE, __VA_ARGS__ }; \
	static const struct madkit_field x##_fields[] = { NOTICE, __VA_ARGS__, ISSUER }; \
	static LAYOUT(x##_smp, n, 64); \
	static LAYOUT(x, n, 80)

/* The layouts of ib_types.h with the IBA's names; traps 68 and 69 are as in Wireshark. */
NOTICES(notice_64_67, "Notice of trap 64 to 67",
	RESERVED("Reserved", 80, 48),
	FIELD("GIDADDR", NULL, 128, 128, GID),
	RESERVED("Reserved2", 256, 256));

NOTICES(notice_68_69, "Notice of trap 68 or 69",
	FIELD("COMP_MASK", "ComponentMask", 80, 64, HEX),
	FIELD("WAIT_FOR_REPATH", NULL, 144, 1, UNSIGNED),
	RESERVED("Reserved", 145, 367));

NOTICES(notice_128, "Notice of trap 128",
	FIELD("LIDADDR", "NoticeDataLID", 80, 16, LID),
	RESERVED("Reserved", 96, 416));

NOTICES(notice_129_131, "Notice of trap 129 to 131",
	RESERVED("Reserved", 80, 16),
	FIELD("LIDADDR", NULL, 96, 16, LID),
	FIELD("PORTNO", NULL, 112, 8, UNSIGNED),
	RESERVED("Reserved2", 120, 392));

NOTICES(notice_144, "Notice of trap 144",
	RESERVED("Reserved", 80, 16),
	FIELD("LIDADDR", "NoticeDataTrap144LID", 96, 16, LID),
	RESERVED("Reserved2", 112, 15),
	FIELD("OtherLocalChanges", NULL, 127, 1, UNSIGNED),
	FIELD("CAPABILITYMASK", "NoticeDataTrap144CapMask", 128, 32, BITS, VALUES(cap_mask)),
	RESERVED("Reserved3", 160, 10),
	FIELD("CapabilityMask2Change", NULL, 170, 1, UNSIGNED),
	FIELD("HierarchyInfoChange", NULL, 171, 1, UNSIGNED),
	FIELD("SMPriorityChange", NULL, 172, 1, UNSIGNED),
	FIELD("LinkSpeedEnabledChange", NULL, 173, 1, UNSIGNED),
	FIELD("LinkWidthEnabledChange", NULL, 174, 1, UNSIGNED),
	FIELD("NodeDescriptionChange", NULL, 175, 1, UNSIGNED),
	FIELD("CAPABILITYMASK2", NULL, 176, 16, BITS, VALUES(cap_mask2)),
	RESERVED("Reserved4", 192, 320));

NOTICES(notice_145, "Notice of trap 145",
	RESERVED("Reserved", 80, 16),
	FIELD("LIDADDR", NULL, 96, 16, LID),
	RESERVED("Reserved2", 112, 16),
	FIELD("SYSTEMIMAGEGUID", NULL, 128, 64, GUID),
	RESERVED("Reserved3", 192, 320));

NOTICES(notice_256, "Notice of trap 256",
	RESERVED("Reserved", 80, 16),
	FIELD("LIDADDR", NULL, 96, 16, LID),
	FIELD("DRSLID", NULL, 112, 16, LID),
	FIELD("METHOD", NULL, 128, 8, HEX),
	RESERVED("Reserved2", 136, 8),
	FIELD("ATTRIBUTEID", NULL, 144, 16, HEX),
	FIELD("ATTRIBUTEMODIFIER", NULL, 160, 32, HEX),
	FIELD("MKEY", "M_Key", 192, 64, KEY),
	RESERVED("Reserved3", 256, 8),
	FIELD("DRNotice", NULL, 264, 1, UNSIGNED),
	FIELD("DRPathTruncated", NULL, 265, 1, UNSIGNED),
	FIELD("DRHopCount", NULL, 266, 6, UNSIGNED),
	FIELD("DRNoticeReturnPath", NULL, 272, 240, BYTES));

/* 257: a bad P_Key, 258: a bad Q_Key */
NOTICES(notice_257_258, "Notice of trap 257 or 258",
	RESERVED("Reserved", 80, 16),
	FIELD("LIDADDR1", NULL, 96, 16, LID),
	FIELD("LIDADDR2", NULL, 112, 16, LID),
	FIELD("KEY", NULL, 128, 32, HEX),
	FIELD("SL", NULL, 160, 4, UNSIGNED),
	RESERVED("Reserved2", 164, 4),
	FIELD("QP1", NULL, 168, 24, HEX),
	RESERVED("Reserved3", 192, 8),
	FIELD("QP2", NULL, 200, 24, HEX),
	FIELD("GIDADDR1", NULL, 224, 128, GID),
	FIELD("GIDADDR2", NULL, 352, 128, GID),
	RESERVED("Reserved4", 480, 32));

NOTICES(notice_259, "Notice of trap 259",
	FIELD("DataValid", NULL, 80, 16, HEX),
	FIELD("LIDADDR1", NULL, 96, 16, LID),
	FIELD("LIDADDR2", NULL, 112, 16, LID),
	FIELD("PKEY", "P_Key", 128, 16, HEX),
	FIELD("SL", NULL, 144, 4, UNSIGNED),
	RESERVED("Reserved", 148, 4),
	FIELD("QP1", NULL, 152, 24, HEX),
	RESERVED("Reserved2", 176, 8),
	FIELD("QP2", NULL, 184, 24, HEX),
	FIELD("GIDADDR1", NULL, 208, 128, GID),
	FIELD("GIDADDR2", NULL, 336, 128, GID),
	FIELD("SWLIDADDR", NULL, 464, 16, LID),
	FIELD("PORTNO", NULL, 480, 8, UNSIGNED),
	RESERVED("Reserved3", 488, 24));

/* Other classes number their traps independently: a bad B_Key (259), a bad CC_Key (0). */
#define NOTICE_OF_CLASS(x, n, ...) \
	static const struct madkit_field x##_fields[] = { NOTICE, __VA_ARGS__, ISSUER }; \
	static LAYOUT(x, n, 80)

NOTICE_OF_CLASS(notice_b_key, "Notice of trap 259 of baseboard management",
	FIELD("LIDADDR", NULL, 80, 16, LID),
	FIELD("METHOD", NULL, 96, 8, HEX),
	RESERVED("Reserved", 104, 8),
	FIELD("ATTRIBUTEID", NULL, 112, 16, HEX),
	FIELD("ATTRIBUTEMODIFIER", NULL, 128, 32, HEX),
	RESERVED("Reserved2", 160, 8),
	FIELD("QP", NULL, 168, 24, HEX),
	FIELD("BKEY", "B_Key", 192, 64, KEY),
	FIELD("GIDADDR", NULL, 256, 128, GID),
	RESERVED("Reserved3", 384, 128));

/* opa-ff's ib_bm.h */
NOTICE_OF_CLASS(notice_bm_trap, "Notice of trap 260 of baseboard management",
	FIELD("BMTrapDataLength", NULL, 80, 8, UNSIGNED),
	FIELD("BMTrapType", NULL, 88, 8, ENUM, VALUES(bm_trap_type)),
	FIELD("BMTrapTypeModifier", NULL, 96, 24, HEX),
	FIELD("BMTrapData", NULL, 120, 392, BYTES));

NOTICE_OF_CLASS(notice_cc_key, "Notice of trap 0 of congestion control",
	FIELD("SLID", NULL, 80, 16, LID),
	FIELD("METHOD", NULL, 96, 8, HEX),
	RESERVED("Reserved", 104, 8),
	FIELD("ATTRIBUTEID", NULL, 112, 16, HEX),
	RESERVED("Reserved2", 128, 16),
	FIELD("ATTRIBUTEMODIFIER", NULL, 144, 32, HEX),
	RESERVED("Reserved3", 176, 8),
	FIELD("QP", NULL, 184, 24, HEX),
	FIELD("CC_KEY", "CCKey", 208, 64, KEY),
	FIELD("SourceGID", NULL, 272, 128, GID),
	RESERVED("Reserved4", 400, 112));

/* generic notices of traps first to last */
#define TRAPS(first_trap, last_trap, x) \
	{ .mask = 0x80000000ffff0000, \
	  .first = 0x8000000000000000 | (uint64_t)(first_trap) << 16, \
	  .last = 0x8000000000000000 | (uint64_t)(last_trap) << 16, \
	  .layout = &madkit_layout_##x }
#define TRAPS_OF_SUBNET(suffix) \
	TRAPS(64, 67, notice_64_67##suffix), \
	TRAPS(68, 69, notice_68_69##suffix), \
	TRAPS(128, 128, notice_128##suffix), \
	TRAPS(129, 131, notice_129_131##suffix), \
	TRAPS(144, 144, notice_144##suffix), \
	TRAPS(145, 145, notice_145##suffix), \
	TRAPS(256, 256, notice_256##suffix), \
	TRAPS(257, 258, notice_257_258##suffix), \
	TRAPS(259, 259, notice_259##suffix)

const struct madkit_edition madkit_editions_notice[] = {
	TRAPS_OF_SUBNET(),
};

const struct madkit_edition madkit_editions_notice_smp[] = {
	TRAPS_OF_SUBNET(_smp),
};

const struct madkit_edition madkit_editions_notice_bm[] = {
	TRAPS(259, 259, notice_b_key),
	TRAPS(260, 260, notice_bm_trap),
};

const struct madkit_edition madkit_editions_notice_cc[] = {
	TRAPS(0, 0, notice_cc_key),
};
