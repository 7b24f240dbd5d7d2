# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's rdma/ib_mad.h and rdma/ib_smi.h as one header that user space can compile (without their #include
# lines; tests/oracle/ib_mad.c defines what these bring), followed by NAMES(X): X("name") for every identifier in
# them that begins with ib_, opa_, IB_ or OPA_.
/^#include/ { next }
{
	print
	text = text "\n" $0
}
END {
	while ((at = index(text, "/*")) > 0) {
		rest = substr(text, at)
		code = code substr(text, 1, at - 1) " "
		text = substr(rest, index(rest, "*/") + 2)
	}
	n = split(code text, words, /[^A-Za-z0-9_]+/)
	printf "#define NAMES(X)"
	for (i = 1; i <= n; i++)
		if (words[i] ~ /^(ib|opa|IB|OPA)_/ && words[i] !~ /^IB_(MAD|SMI)_H$/ && !seen[words[i]]++)
			printf " \\\n\tX(\"%s\")", words[i]
	print ""
}
