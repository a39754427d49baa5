#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shells of this Debian find the completions by themselves where make install
# and the package put them.
. tests/support.sh
[ "$(id -u)" -eq 0 ] || skip 'a file system of its own needs root'
for c in bash zsh fish unshare; do
	command -v $c >/dev/null || skip "no $c"
done
[ -e /usr/share/bash-completion/bash_completion ] || skip 'no bash-completion'
unshare --mount mount -t overlay -o "lowerdir=$tmp:/usr" overlay /usr \
	2>/dev/null || skip 'no overlays here'

install_to() {	# install_to ROOT VARIABLES...
	root=$1
	shift
	${MAKE:-make} -s O="$O" install-data DESTDIR="$root" "$@"
}

in_root() {	# in_root ROOT COMMAND...: with what it has in place
	# shellcheck disable=SC2016 # for the shell that is run
	unshare --mount sh -eu -c 'mount -t overlay \
			-o "lowerdir=$1/usr:/usr" overlay /usr
		shift
		exec "$@"' - "$@"
}

find_all() {	# find_all ROOT: of each program by each shell
	for p in allocctl cupti-probe; do
		equal "bash, $p" "$(in_root "$1" bash --norc -c \
			". /usr/share/bash-completion/bash_completion
			_completion_loader $p; complete -p $p")" \
			"complete -F _$(echo $p | tr - _) $p"
		# shellcheck disable=SC2016
		equal "zsh, $p" "$(in_root "$1" zsh -f -c '
			autoload -U compinit; compinit -D -u
			print $_comps['$p']')" "_$p"
		equal "fish, $p" "$(HOME=$tmp in_root "$1" fish -c \
			"complete --do-complete='$p --v'" | cut -f 1)" --version
	done
}

install_to "$tmp/local" prefix=/usr/local
# Sessions of desktops have it; without it fish looks into /usr/share alone.
export XDG_DATA_DIRS=/usr/local/share:/usr/share
find_all "$tmp/local"
unset XDG_DATA_DIRS
# shellcheck disable=SC2046 # variables for make
install_to "$tmp/deb" prefix=/usr $(sed -n \
	's/^args += \(zshdir=[^ ]*\)$/\1/p' packaging/deb/rules)
find_all "$tmp/deb"
