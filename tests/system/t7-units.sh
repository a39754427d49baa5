#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The units that are installed: the folder of recordings, pruning, the files for
# Prometheus, the example for user managers, as systemd runs them.
. tests/support.sh
. tests/system/support.sh

${MAKE:-make} -s CC="${CC:-cc}" O="$O" SANITIZE="${SANITIZE-}" prefix=/usr \
	install-systemd DESTDIR="$test/in"
mkdir "$test/in/usr/bin"
cp "$(command -v allocctl)" "$(command -v cupti-probe)" "$test/in/usr/bin"
now=$(date +%s)
write-probe "$test/in/old.cpr" began=$((now - 31 * 86400))
write-probe "$test/in/unseen.cpr" ooms=1 began=$((now - 31 * 86400))
write-probe "$test/in/young.cpr" began=$((now - 86400))
chmod 644 "$test"/in/*.cpr

boot <<'END'
cp -r /test/in/usr/. /usr/
systemctl daemon-reload
V=PYTORCH_CUDA_ALLOC_CONF
d=/var/lib/cupti-probe t=/var/lib/prometheus/node-exporter

# Without the folders nothing fails.
systemctl start cupti-probe-prune.service cupti-probe-metrics.service &&
	: >/test/out/absent
systemd-tmpfiles --create cupti-probe.conf
stat -c '%a %U' $d >/test/out/folder
for f in old unseen young; do
	install -o u -m 600 /test/in/$f.cpr $d
done
systemctl start cupti-probe-prune.service
ls $d >/test/out/pruned
systemd-tmpfiles --clean cupti-probe.conf
ls $d >/test/out/kept
mkdir -p /etc/tmpfiles.d $t
sed 's/90d/1s/' /usr/lib/tmpfiles.d/cupti-probe.conf \
	>/etc/tmpfiles.d/cupti-probe.conf

# Timers, sooner than a minute after the start; the setting that all programs
# get is a wrong one.
echo $V=max_split_size_mb:x >/etc/environment
for p in allocctl cupti-probe; do
	mkdir -p /etc/systemd/system/$p-metrics.timer.d
	printf '[Timer]\nOnActiveSec=1s\n' \
		>/etc/systemd/system/$p-metrics.timer.d/soon.conf
done
systemctl daemon-reload
systemctl enable --now cupti-probe-prune.timer allocctl-metrics.timer \
	cupti-probe-metrics.timer
tries=0
until [ -e $t/allocctl.prom ] && [ -e $t/cupti_probe.prom ] ||
	[ $tries -gt 150 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
cp -p $t/*.prom /test/out
systemctl list-timers --all --no-pager --no-legend >/test/out/timers
systemctl --failed --no-legend --plain >/test/out/failed
journalctl -q --no-pager -u allocctl-metrics -u cupti-probe-metrics \
	-u cupti-probe-prune >/test/out/journal

# Another folder.
mkdir /srv/text
echo TEXTFILE_DIRECTORY=/srv/text >/etc/default/allocctl-metrics
systemctl start allocctl-metrics.service
ls /srv/text >/test/out/other

systemd-tmpfiles --clean cupti-probe.conf
ls $d >/test/out/aged

# The example, as a user manager reads it.
: >/etc/environment
mkdir -p /etc/environment.d ~u/.config/systemd/user/default.target.wants
cp /usr/share/liballoc/examples/50-pytorch-alloc.conf /etc/environment.d/
printf '[Service]\nType=oneshot\nExecStart=/test/see user\n' \
	>~u/.config/systemd/user/see.service
ln -s ../see.service ~u/.config/systemd/user/default.target.wants/
chown -R u: ~u/.config
systemctl start user@$(id -u u).service
/test/wait user
END

shows() {	# shows NAME WANTED: what the booted system wrote
	equal "$1" "$(tr '\n' ' ' <"$test/out/$1")" "$2"
}
[ -e "$test/out/absent" ] || fail 'a unit fails where there is no folder'
shows folder '1777 root '
shows pruned 'unseen.cpr young.cpr '
shows kept 'unseen.cpr young.cpr '
shows aged ''
shows failed ''
shows other 'allocctl.prom '
grep -q 'removed old.cpr' "$test/out/journal" || fail 'the journal has no names'
grep -q -x 'cupti_probe_recordings 2' "$test/out/cupti_probe.prom" ||
	fail "$(cat "$test/out/cupti_probe.prom")"
grep -q '^allocctl_setting{torch="none",scope="[a-z]*",state="refused",' \
	"$test/out/allocctl.prom" || fail "$(cat "$test/out/allocctl.prom")"
sed -n 's/^allocctl_setting/&/p' "$test/out/allocctl.prom"
for f in allocctl cupti_probe; do
	equal "mode of $f.prom" "$(stat -c %a "$test/out/$f.prom")" 644
done
for timer in allocctl-metrics cupti-probe-metrics cupti-probe-prune; do
	grep -q "^[A-Z].* $timer.timer" "$test/out/timers" ||
		fail "$timer.timer does not wait: $(cat "$test/out/timers")"
done
sees user expandable_segments:True
