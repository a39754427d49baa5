#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What srun and sbatch give a task, by a Slurm of one host.
. tests/support.sh
. tests/system/support.sh
. tests/slurm.sh

slurm_conf 8 /run/prolog /test >"$test/in/slurm.conf"

# Each line: a name, and what is typed where the variable is submit:1.
cat >"$test/in/lines" <<END
all	srun /test/see all
none	srun --export=NONE /test/see none
named	srun --export=$V /test/see named
comma	unset $V; srun --export=ALL,$V=a:1,b:2 /test/see comma
quoted	unset $V; srun --export="ALL,$V='a:1,b:2'" /test/see quoted
kept	srun --export=ALL,$V=cli:1 /test/see kept
alone	srun --export=$V=cli:1 /test/see alone
prefix	$V=prefix:1 srun /test/see prefix
END
while IFS='	' read -r name line; do
	echo "$name	$line" | sed "s/@/$V/g; s/SEE/\/test\/see $name/"
done >>"$test/in/lines" <<'END'
nil	srun --export=NIL SEE
other	srun --export=OTHER SEE
set	unset @; srun --export=ALL,@=a:1 SEE
marks	unset @; srun --export=ALL,@="a:1" SEE
whole	unset @; srun --export="ALL,@=a:1" SEE
env	srun env @=b:2 SEE
variable	export SLURM_EXPORT_ENV=NONE; srun SEE
list	unset @; export SLURM_EXPORT_ENV=ALL,@=a:1; srun SEE
sbatch	sbatch -W -o /dev/null --wrap='SEE'
sbatchnone	sbatch -W -o /dev/null --export=NONE --wrap='SEE'
sbatchset	unset @; sbatch -W -o /dev/null --export=ALL,@=a:1 --wrap='SEE'
sbatchover	sbatch -W -o /dev/null --export=ALL,@=b:2 --wrap='SEE'
sbatchcomma	sbatch -W -o /dev/null --export=ALL,@=a:1,b:2 --wrap='SEE'
sbatchinside	sbatch -W -o /dev/null --wrap='@=a:1 SEE'
sbatchalone	sbatch -W -o /dev/null --export=@=b:2 --wrap='SEE'
salloc	salloc -Q SEE
END
cat >"$test/in/inside" <<END
#!/bin/bash
export $V=a:1,b:2
srun /test/see inside
END
cat >"$test/in/starved" <<END
#!/bin/bash
#SBATCH --export=NONE
export $V=a:1,b:2
srun /test/see starved
END
cat >"$test/in/cured" <<END
#!/bin/bash
#SBATCH --export=NONE
export $V=a:1,b:2
srun --export=ALL /test/see cured
END
cat >"$test/in/option" <<END
#!/bin/bash
#SBATCH --export=ALL,$V=cli:1
/test/see option
END
mkdir "$test/batch"
while IFS='	' read -r name text; do
	printf '#!/bin/bash\n%b\n' "$text" |
		sed "s/@/$V/g; s/SEE/\/test\/see $name/" >"$test/batch/$name"
done <<'END'
export	export @=a:1\nSEE
plain	unset @\n@=a:1\nSEE
cut	#SBATCH --export=ALL,@=a:1,b:2\nSEE
over	#SBATCH --export=ALL,@=a:1\nexport @=b:2\nSEE
overstep	#SBATCH --export=ALL,@=a:1\nexport @=b:2\nsrun SEE
nonebatch	#SBATCH --export=NONE\nexport @=a:1\nSEE
alonebatch	#SBATCH --export=@=a:1\nSEE
alonestep	#SBATCH --export=@=a:1\nsrun SEE
alonelate	#SBATCH --export=@=a:1\nexport @=b:2\nsrun SEE
otherstep	#SBATCH --export=OTHER=a:1\nexport @=b:2\nsrun SEE
late	export @=b:2\n#SBATCH --export=ALL,@=a:1\nSEE
doubled	#SBATCH --export=ALL,@="a:1"\nSEE
singled	#SBATCH --export=ALL,@='a:1,b:2'\nSEE
stepset	export @=a:1\nsrun --export=ALL,@=b:2 SEE
freed	#SBATCH --export=NONE\nunset SLURM_EXPORT_ENV\nexport @=a:1\nsrun SEE
END

{
	echo "V=$V"
	cat <<'END'
# Slurm wants an address that is not of the loopback.
ip address add 10.0.0.1/32 dev lo
mkdir -p /run/slurm/state
cp /test/in/slurm.conf /etc/slurm/slurm.conf
: >/etc/slurm/plugstack.conf
export SLURM_CONF=/etc/slurm/slurm.conf
printf '#!/bin/sh\n' >/run/prolog
chmod 755 /run/prolog
systemctl start munge
slurmctld -c
for i in 1 2 3 4 5 6 7 8; do slurmd -N n$i; done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ "$(sinfo -h -o %t)" != idle ] || break
	sleep 0.5
done
export HOME=/root $V=submit:1
while IFS='	' read -r name line; do
	timeout 60 bash -c "$line" </dev/null &
done </test/in/lines
for name in inside starved cured option; do
	timeout 60 sbatch -Q -W -o /dev/null /test/in/$name &
done
for file in /test/batch/*; do
	timeout 60 sbatch -Q -W -o /dev/null $file &
done
wait
printf '#!/bin/sh\necho export %s=prolog:1,x:2\n' $V >/run/prolog
srun /test/see prolog
kill $(cat /run/slurm/*.pid)
END
} >"$tmp/commands"
boot <"$tmp/commands"

typed() {	# typed NAME: what was typed, after the export
	echo "export $V=submit:1"
	sed -n "s/^$1	//p" "$test/in/lines"
}

check() {	# check NAME [VALUE]: of a line
	sees "$@"
	typed "$1" >"$tmp/typed"
	reads "$1" slurm <"$tmp/typed"
}

checkbatch() {	# checkbatch NAME [VALUE]: of a batch script
	sees "$@"
	reads "$1" slurm <"$test/in/$1"
}

check all submit:1
check none
check named submit:1
check comma a:1
check quoted "'a:1,b:2'"
check kept submit:1
check alone cli:1
check prefix prefix:1
checkbatch inside a:1,b:2
checkbatch starved
checkbatch cured a:1,b:2
checkbatch option cli:1
sees prolog prolog:1,x:2

while IFS='	' read -r name line; do
	typed "$name" >"$tmp/typed"
	reads "$name" slurm <"$tmp/typed"
done <"$test/in/lines"
for file in "$test"/batch/*; do
	reads "${file##*/}" slurm <"$file"
done
finish
