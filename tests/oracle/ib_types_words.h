/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* clang-format off */
/* Part of ib_types.c: what their constants are in our words. */
#ifndef ORACLE_IB_TYPES_WORDS_H
#define ORACLE_IB_TYPES_WORDS_H

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

#endif
