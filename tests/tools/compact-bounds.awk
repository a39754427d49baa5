# SPDX-License-Identifier: Apache-2.0
# What policy compact has to reach, held against lines of compact-figures -q.
# Memory that a graph's pool keeps is not its to move: a recording with
# private pools is held against torch's policy alone.
function failed(what) {
	print $1 ": " what
	bad = 1
}
function median(list, n,	i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
			t = list[j]
			list[j] = list[j - 1]
			list[j - 1] = t
		}
	return list[int((n + 1) / 2)]
}
BEGIN { FS = "\t"; MIB = 1048576 }
{
	live = $3
	seconds = $4
	need = $7
	count++
	if (!need)
		failed("no limit suffices")
	if ($5 || $6)
		failed("torch's policy would do with less than " need)
}
!$19 && live >= 3584 * MIB {
	ratio[++big] = need / live
	if (need > 1.011 * live)
		failed("needs " need / live " of what is live")
	if (seconds >= 5 && ($12 < 0 || $12 > 10 * seconds))
		failed("loses " $12 " ms at 1.03 of what is live")
	if (seconds >= 5 && ($15 < 0 || $15 > 20 * seconds))
		failed("loses " $15 " ms at 1.01 of what is live")
}
!$19 && live < 3584 * MIB && need - live > ($17 >= 50 ? 110 : 32) * MIB {
	failed("needs " (need - live) / MIB " MiB more than is live")
}
# Without pressure, and where the program does not give memory back itself.
!$18 && live <= $20 / 4 && $10 > 100 {
	failed($10 " calls of the driver in the second half")
}
END {
	if (big >= 20 && median(ratio, big) > 1.004) {
		print "median " ratio[int((big + 1) / 2)]
		bad = 1
	}
	if (count < least) {
		print "only " count " recordings"
		bad = 1
	}
	exit bad
}
