# SPDX-License-Identifier: Apache-2.0
# Figures of compact-figures as a table; ratios are to what is live.
function ratio(bytes) {
	return bytes ? sprintf("%.4f", bytes / $3) : "-"
}
BEGIN {
	FS = "\t"
	printf "%-40s %9s %7s %8s %8s %8s %8s %6s %16s %16s\n", "recording",
		"live MiB", "seconds", "native", "expand.", "compact",
		"MiB more", "calls", "1.03: ms first+later",
		"1.01: ms first+later"
}
{
	printf "%-40s %9.0f %7.1f %8s %8s %8s %8.1f %6d %10.1f + %7.1f " \
		"%10.1f + %7.1f\n", $1, $3 / 1048576, $4, ratio($5),
		ratio($6), ratio($7), ($7 - $3) / 1048576, $10, $11, $12,
		$14, $15
}
