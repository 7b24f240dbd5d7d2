/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notices (IBA volume 1, section 13.4.8.2): 64 bytes in an SMP; elsewhere the
 * issuer's GID follows. What the details are, the number of a generic notice's
 * trap says (section 14.2.5.1).
 */
#include "tables.h"

/* A vendor's notice (IsGeneric 0) has its VendorID and DeviceID where a
 * generic one has the producer and the trap's number. */
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

/* Both forms of one: its own fields are those from bit 80 up to bit 512. */
#define NOTICES(x, n, ...) \
	static const struct madkit_field x##_smp_fields[] = { NOTICE, __VA_ARGS__ }; \
	static const struct madkit_field x##_fields[] = { NOTICE, __VA_ARGS__, ISSUER }; \
	static LAYOUT(x##_smp, n, 64); \
	static LAYOUT(x, n, 80)

/* ib_types.h's ntc_256 */
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

/* generic notices of traps first to last */
#define TRAPS(first_trap, last_trap, x) \
	{ .mask = 0x80000000ffff0000, \
	  .first = 0x8000000000000000 | (uint64_t)(first_trap) << 16, \
	  .last = 0x8000000000000000 | (uint64_t)(last_trap) << 16, \
	  .layout = &madkit_layout_##x }

const struct madkit_edition madkit_editions_notice[] = {
	TRAPS(256, 256, notice_256),
};

const struct madkit_edition madkit_editions_notice_smp[] = {
	TRAPS(256, 256, notice_256_smp),
};
