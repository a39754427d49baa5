#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines with su, sudo, ssh, tmux, cron and pam_env: the analyser reads what the
# program ran.
. tests/support.sh
. tests/system/support.sh

# Each is a script that root runs.
while IFS='	' read -r name text; do
	printf '%b\n' "$text" |
		sed "s/@/$V/g; s/SEE/\/test\/see $name/" >"$test/in/$name.sh"
done <<'END'
sudo-reset	export @=a:1\nsudo SEE
sudo-all	export @=a:1\nsudo -E SEE
sudo-list	export @=a:1\nsudo --preserve-env=@ SEE
sudo-others	export @=a:1\nsudo --preserve-env=OTHER,LANG SEE
sudo-set	sudo @=a:1,b:2 SEE
sudo-set-over	export @=a:1\nsudo @=b:2 SEE
sudo-set-other	export @=a:1\nsudo PYTORCH_ALLOC_CONF=b:2 SEE
sudo-set-all	export @=a:1\nsudo -E PYTORCH_ALLOC_CONF=b:2 SEE
sudo-env	export @=a:1\nsudo env @=b:2 SEE
sudo-prefix	@=a:1 sudo SEE
sudo-login	export @=a:1\nsudo -i SEE
sudo-user	export @=a:1\nsudo -u u SEE
sudo-user-all	export @=a:1\nsudo -E -u u SEE
sudo-shell	export @=a:1\nsudo sh -c '@=b:2 SEE'
su-command	export @=a:1\nsu u -c 'SEE'
su-login	export @=a:1\nsu - u -c 'SEE'
su-l	export @=a:1\nsu -l u -c 'SEE'
su-inside	export @=a:1\nsu - u -c '@=b:2 SEE'
su-keep	export @=a:1\nsu -p u -c 'SEE'
su-list	export @=a:1\nsu -w @ - u -c 'SEE'
su-list-other	export @=a:1\nsu -w OTHER - u -c 'SEE'
runuser	export @=a:1\nrunuser -u u SEE
runuser-login	export @=a:1\nrunuser -l u -c 'SEE'
ssh-outer	export @=a:1\nssh far SEE
ssh-prefix	@=a:1 ssh far SEE
ssh-inside	ssh far @=a:1 SEE
ssh-export	ssh far 'export @=a:1; SEE'
ssh-quotes	ssh far export @="a:1,b:2;" SEE
ssh-send	export @=a:1\nssh -o SendEnv=@ far SEE
ssh-set	ssh -o SetEnv=@=a:1 far SEE
tmux-stale	export @=a:1\ntmux new-window 'SEE'
tmux-session	export @=a:1\ntmux new-session -d 'SEE'
tmux-prefix	@=a:1 tmux new-session -d 'SEE'
tmux-option	tmux new-session -d -e @=a:1 'SEE'
tmux-window	tmux new-window -e @=a:1 'SEE'
tmux-inside	tmux new-session -d '@=a:1 SEE'
END

# One file of pam_env each, then su.
while IFS='	' read -r name line; do
	printf '%b\n' "$line" | sed "s/@@/$V/g" >"$test/in/$name"
done <<'END'
environment-plain	@@=a:1,b:2
environment-double	@@="a:1,b:2"
environment-single	@@='a:1'
environment-export	export @@=a:1
environment-blanks	@@ = a:1
environment-dollar	@@=$HOME/x
environment-comment	@@=a:1 # x
environment-trail	@@=a:1   
environment-open	@@="a:1
environment-inner	@@=a:"1"
environment-joined	@@=a:1,\\\nb:2
environment-twice	@@=a:1\n@@=b:2
environment-lead	  @@=a:1
environment-gone	@@=a:1\n@@=
environment-cr	@@=a:1\r
pam-default	@@ DEFAULT=a:1
pam-override	@@ DEFAULT=a:1 OVERRIDE=b:2
pam-quotes	@@ DEFAULT="a:1 b:2"
pam-single	@@ DEFAULT='a:1'
pam-home	@@ DEFAULT=@{HOME}/x
pam-other	X DEFAULT=a:1\n@@ DEFAULT=${X},b:2
pam-shell	@@=a:1
pam-comment	@@ DEFAULT=a:1 # x
END

# One crontab each, of a user of its own.
while IFS='	' read -r name text; do
	printf '%b\n' "$text" |
		sed "s/@@/$V/g; s/SEE/\/test\/see $name/" >"$test/in/$name"
done <<'END'
cron-plain	@@=a:1\n@reboot SEE
cron-blanks	@@ = a:1,b:2\n@reboot SEE
cron-double	@@="a:1,b:2 "\n@reboot SEE
cron-lead	@@=" a:1"\n@reboot SEE
cron-single	@@='a:1'\n@reboot SEE
cron-ends	@@=' a:1 '\n@reboot SEE
cron-junk	@@="a:1" x\n@reboot SEE
cron-open	@@="a:1\n@reboot SEE
cron-empty	@@=\n@reboot SEE
cron-quotes	@@=""\n@reboot SEE
cron-backslash	@@="a\\"b"\n@reboot SEE
cron-dollar	@@=$HOME/x\n@reboot SEE
cron-comment	@@=a:1 # x\n@reboot SEE
cron-trail	@@=a:1   \n@reboot SEE
cron-inner	@@=a:"1"\n@reboot SEE
cron-name	"@@"=a:1\n@reboot SEE
cron-after	@reboot SEE\n@@=a:1
cron-twice	@@=a:1\n@@=b:2\n@reboot SEE
cron-export	export @@=a:1\n@reboot SEE
cron-prefix	@@=a:1\n@reboot @@=b:2 SEE
cron-escaped	@reboot @@=a:1\\%b SEE
cron-percent	@reboot SEE; : @@=a%b
cron-value	@@=a:1%b\n@reboot SEE
cron-brackets	@@=roundup_power2_divisions:[256:1,>:8]\n@reboot SEE
END

cat >"$test/in/ssh" <<'END'
Host far
	HostName localhost
	User u
	StrictHostKeyChecking no
	LogLevel ERROR
END

boot <<'END'
cd /tmp
export HOME=/root
mkdir -p ~/.ssh ~u/.ssh
ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519
cp ~/.ssh/id_ed25519.pub ~u/.ssh/authorized_keys
cp /test/in/ssh ~/.ssh/config
chown -R u: ~u/.ssh
systemctl start ssh
tmux new-session -d 'sleep 300'
for f in /test/in/*.sh; do
	timeout 20 bash "$f" </dev/null
done
for f in /test/in/environment-*; do
	cp "$f" /etc/environment
	su u -c "/test/see ${f##*/}"
done
: >/etc/environment
for f in /test/in/pam-*; do
	cp "$f" /etc/security/pam_env.conf
	su u -c "/test/see ${f##*/}"
done
: >/etc/security/pam_env.conf
for f in /test/in/cron-*; do
	name=${f##*/}
	useradd -d /tmp "$name"
	crontab -u "$name" "$f" || : >"/test/in/$name.refused"
done
rm -f /run/crond.reboot
systemctl restart cron
for f in /test/in/cron-*; do
	[ -e "$f.refused" ] || [ "$f" != "${f%.refused}" ] ||
		/test/wait "${f##*/}"
done
tmux kill-server
END

for f in "$test"/in/*.sh; do
	name=${f##*/}
	reads "${name%.sh}" bash <"$f"
done
for f in "$test"/in/environment-*; do
	reads "${f##*/}" environment <"$f"
done
for f in "$test"/in/pam-*; do
	reads "${f##*/}" pam_env <"$f"
done
for f in "$test"/in/cron-*; do
	[ "$f" != "${f%.refused}" ] || reads "${f##*/}" crontab <"$f"
done
finish
