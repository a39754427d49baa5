#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What reaches a program by su, sudo, ssh, cron and tmux on Debian 12, and what
# pam_env and .bashrc make of it on the way.
. tests/support.sh
. tests/system/support.sh

cat >"$test/in/environment" <<END
$V=etc_environment:1
END
cat >"$test/in/pam_env.conf" <<END
$V DEFAULT=pam_env_conf:1
END
cat >"$test/in/bashrc" <<END
export $V=bashrc:1
END
cat >"$test/in/profile.sh" <<END
export $V=etc_profile_d:1
END

crontab() {	# crontab NAME VALUE: a table that sets it so
	printf '%s = %s\n@reboot u /test/see %s\n' $V "$2" "$1" \
		>"$test/in/cron.d/$1"
}
mkdir "$test/in/cron.d"
crontab cron '"a:1,b:2"  '
crontab cronnumber 'a:1 # kept'
crontab crondollar '$HOME/x'
crontab cronbad '"a:1" # not a table'
cat >"$test/in/cron.d/lines" <<END
@reboot u $V=line:1 /test/see cronline
@reboot u $V=50%1 /test/see cronpercent
END

{
	echo "V=$V"
	cat <<'END'
as() { runuser -u u -- "$@"; }
export $V=parent:1
su u -c '/test/see su'
su - u -c '/test/see sudash'
runuser -u u -- /test/see runuser
sudo -u u /test/see sudo
sudo -u u -E /test/see sudokept
sudo -u u --preserve-env=$V /test/see sudonamed
sudo -u u $V=sudo:1 /test/see sudoset
echo "u ALL=(ALL) NOPASSWD: /test/see" >/etc/sudoers.d/u
chmod 440 /etc/sudoers.d/u
as sudo /test/see sudouser
as sudo $V=x:1 /test/see sudorefused

# The server of tmux keeps what it was started with.
export SHELL=/bin/sh TMUX_TMPDIR=/run
env $V=first:1 tmux -L t new-session -d '/test/see tmuxfirst; sleep 30'
env $V=second:1 tmux -L t new-window -d '/test/see tmuxstale'
tmux -L t setenv -g $V set:1
tmux -L t new-window -d '/test/see tmuxset'
env $V=third:1 tmux -L t new-session -d -e $V=given:1 '/test/see tmuxgiven'
/test/wait tmuxfirst tmuxstale tmuxset tmuxgiven

su - u -c 'mkdir -p .ssh; ssh-keygen -q -N "" -f .ssh/id_ed25519 -t ed25519;
	cp .ssh/id_ed25519.pub .ssh/authorized_keys;
	printf "StrictHostKeyChecking no\nLogLevel QUIET\n" >.ssh/config'
remote() {
	runuser -u u -- env HOME=/home/u $V=client:1 ssh "$@"
}
systemctl start ssh
remote 127.0.0.1 /test/see ssh
remote -o SendEnv=$V 127.0.0.1 /test/see sshsent
echo "AcceptEnv $V" >/etc/ssh/sshd_config.d/x.conf
systemctl restart ssh
remote -o SendEnv=$V 127.0.0.1 /test/see sshaccepted
remote -o SetEnv=$V=ssh:1 127.0.0.1 /test/see sshset
cp /test/in/bashrc ~u/.bashrc
chown u: ~u/.bashrc
remote 127.0.0.1 /test/see sshbashrc
rm ~u/.bashrc

# From here on with files of pam_env and of login shells.
cp /test/in/environment /etc/environment
su u -c '/test/see suenvironment'
remote 127.0.0.1 /test/see sshenvironment
cat /test/in/pam_env.conf >>/etc/security/pam_env.conf
su u -c '/test/see suconf'
cp /test/in/profile.sh /etc/profile.d/x.sh
su - u -c '/test/see suprofile'
su u -c '/test/see sunoprofile'

cp /test/in/cron.d/* /etc/cron.d/
rm -f /run/crond.reboot
systemctl restart cron
/test/wait cron cronnumber crondollar cronline
END
} >"$tmp/commands"
boot <"$tmp/commands"

# Nothing of pam_env is set yet.
sees su parent:1
sees sudash
sees runuser parent:1
sees sudo
sees sudokept parent:1
sees sudonamed parent:1
sees sudoset sudo:1
sees sudouser
[ ! -e "$test/out/sudorefused" ] || fail 'sudo took a variable of its rule'
sees tmuxfirst first:1
sees tmuxstale first:1
sees tmuxset set:1
sees tmuxgiven given:1
sees ssh
sees sshsent
sees sshaccepted client:1
sees sshset ssh:1
sees sshbashrc bashrc:1
sees suenvironment etc_environment:1
sees sshenvironment etc_environment:1
sees suconf pam_env_conf:1
sees suprofile etc_profile_d:1
sees sunoprofile pam_env_conf:1
sees cron a:1,b:2
sees cronnumber 'a:1 # kept'
sees crondollar '$HOME/x'
[ ! -e "$test/out/cronbad" ] || fail 'cron took text behind a quote'
sees cronline line:1
[ ! -e "$test/out/cronpercent" ] || fail 'cron did not cut at %'

# The files, and the lines as they would be typed.
reads sshbashrc bash <"$test/in/bashrc"
reads suprofile bash <"$test/in/profile.sh"
reads suenvironment environment <"$test/in/environment"
reads suconf pam_env <"$test/in/pam_env.conf"
for name in cron cronnumber crondollar; do
	reads $name crontab <"$test/in/cron.d/$name"
done
reads sudoset bash <<END
sudo -u u $V=sudo:1 /test/see
END
reads sudo bash <<END
export $V=parent:1
sudo -u u /test/see
END
reads sudokept bash <<END
export $V=parent:1
sudo -u u -E /test/see
END
reads ssh bash <<END
export $V=client:1
ssh 127.0.0.1 /test/see
END
reads sudash bash <<END
export $V=parent:1
su - u -c /test/see
END
finish
