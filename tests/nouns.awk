# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# awk -f nouns.awk -v files=REGEX NOUNS FUNCTIONS: prints the static functions in the files with a name of one word, or
# one that begins with another word than a noun of the tree. NOUNS has words in names of files, directories and structs;
# FUNCTIONS is the output of functions.awk.
function stem(word) { # without the ending of a plural
	if (!sub(/ies$/, "", word) && !sub(/es$/, "", word))
		sub(/s$/, "", word)
	return word
}
FILENAME == ARGV[1] {
	n = split($0, words, /[\/_ ]+/)
	for (i = 1; i <= n; i++)
		nouns[stem(words[i])]
	next
}
$3 == "static" && $2 ~ files && $1 ~ /^[a-z]/ {
	split($1, words, "_")
	if ($1 !~ /_/ || !(stem(words[1]) in nouns))
		print $2 ": " $1
}
