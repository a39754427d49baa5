#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What services of systemd are started with: units, drop-ins, files, and the
# user manager.  Values are those that systemd 252 gave them.
. tests/support.sh
. tests/system/support.sh

unit() {	# unit NAME [LAUNCHER] <LINES of [Service]
	{
		printf '[Service]\nType=oneshot\nExecStart=%s/test/see %s\n' \
			"${2:+$2 }" "$1"
		cat
	} >"$test/in/$1.service"
}

unit plain <<END
Environment=$V=max_split_size_mb:128
END
unit whole <<END
Environment="$V=max_split_size_mb:128,expandable_segments:True"
END
unit value <<END
Environment=$V="max_split_size_mb:128"
END
unit blanks <<END
Environment=$V = max_split_size_mb:128
END
unit dollar <<END
Environment=OTHER=a:1 "$V=\$OTHER,b:2"
END
unit percent <<END
Environment="$V=garbage_collection_threshold:0.8 %%"
END
unit escape <<END
Environment="$V=a\\x2cb"
END
unit continued <<END
Environment="$V=max_split_size_mb:128,\\
  expandable_segments:True"
END
unit slashes <<END
Environment=$V=a:1\\\\
Environment=OTHER=x
END
unit brackets <<END
Environment=$V=roundup_power2_divisions:[256:1,512:2,>:8]
END
unit twice <<END
Environment=$V=first:1
Environment=$V=second:1
END
unit reset <<END
Environment=$V=first:1
Environment=
END
unit unset <<END
Environment=$V=first:1
UnsetEnvironment=$V
END
unit dropin <<END
Environment=$V=unit:1
END
unit program "/usr/bin/env $V=max_split_size_mb:128" <<END
Environment=$V=unit:1
END
unit file <<END
EnvironmentFile=/test/in/file.env
Environment=$V=unit:1
END
cat >"$test/in/file.env" <<END
# a comment
$V=file:1
END
mkdir "$test/in/dropin.service.d"
printf '[Service]\nEnvironment=%s=dropin:1\n' $V \
	>"$test/in/dropin.service.d/10-x.conf"

# One line of an EnvironmentFile= each.
while IFS='	' read -r name line; do
	printf '%b\n' "$line" | sed "s/@/$V/" >"$test/in/$name.env"
	unit "$name" <<-END
	EnvironmentFile=/test/in/$name.env
	END
done <<'END'
envplain	@=a:1,b:2
envdouble	@="a:1,b:2"
envsingle	@='a:1'
envblanks	  @ = a:1  
envcomment	@=a:1 # not one
envexport	export @=a:1
envdollar	@=$HOME/x
envpercent	@=%H
envcr	@=a:1\r
envjoined	@=a:1,\\\nb:2
envslash	@=a:1,\\\\\nb:2
END
mkdir "$test/in/environment.d"
cat >"$test/in/environment.d/50-x.conf" <<END
FIRST=a:1
$V=\${FIRST},b:2
END

boot <<'END'
cp -r /test/in/*.service /test/in/*.service.d /etc/systemd/system/
systemctl daemon-reload
for unit in /test/in/*.service; do
	systemctl start "${unit##*/}"
done
mkdir -p ~u/.config/environment.d ~u/.config/systemd/user/default.target.wants
cp /test/in/environment.d/* ~u/.config/environment.d/
printf '[Service]\nType=oneshot\nExecStart=/test/see user\n' \
	>~u/.config/systemd/user/see.service
ln -s ../see.service ~u/.config/systemd/user/default.target.wants/
chown -R u: ~u/.config
systemctl start user@$(id -u u).service
/test/wait user
END

check() {	# check NAME [VALUE]: truth, and the unit's text
	sees "$@"
	reads "$1" systemd <"$test/in/$1.service"
}

check plain max_split_size_mb:128
check whole max_split_size_mb:128,expandable_segments:True
check value max_split_size_mb:128
check blanks
check dollar '$OTHER,b:2'
check percent 'garbage_collection_threshold:0.8 %'
check escape a,b
check continued 'max_split_size_mb:128,   expandable_segments:True'
check slashes 'a:1\'
check brackets 'roundup_power2_divisions:[256:1,512:2,>:8]'
check twice second:1
check reset
check unset
check program max_split_size_mb:128
check file file:1
sees dropin dropin:1
reads dropin systemd <"$test/in/dropin.service.d/10-x.conf"

comes plain /etc/systemd/system/plain.service:4
comes twice /etc/systemd/system/twice.service:5
comes dropin /etc/systemd/system/dropin.service.d/10-x.conf:2
comes file /test/in/file.env:2
comes envjoined /test/in/envjoined.env:1

checkfile() {	# checkfile NAME [VALUE]: truth, and the file's text
	sees "$@"
	reads "$1" systemd-env <"$test/in/$1.env"
}

checkfile envplain a:1,b:2
checkfile envdouble a:1,b:2
checkfile envsingle a:1
checkfile envblanks a:1
checkfile envcomment 'a:1 # not one'
checkfile envexport
checkfile envdollar '$HOME/x'
checkfile envpercent %H
checkfile envcr a:1
checkfile envjoined a:1,b:2
checkfile envslash 'a:1,\'
sees user a:1,b:2
reads user environment.d <"$test/in/environment.d/50-x.conf"
finish
