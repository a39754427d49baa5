# SPDX-License-Identifier: Apache-2.0
# fish completion for cupti-probe, made by `make completions`

function __cupti_probe_first -d 'no command is there yet'
	test (count (commandline -opc)) -eq 1
end

function __cupti_probe_in -d 'in that command'
	set -l words (commandline -opc)
	test "$words[2]" = $argv[1]
end

function __cupti_probe_program -d 'the program that is run; options with values'
	set -l words (commandline -opc)
	set -e words[1..2]
	while set -q words[1]
		if test "$words[1]" = --
			set -e words[1]
			string escape -- $words
			return 0
		else if contains -- $words[1] $argv
			set -e words[1]
		else if not string match -q -- '-*' $words[1]
			string escape -- $words
			return 0
		end
		set -e words[1]
	end
	return 1
end

function __cupti_probe_run -d 'complete it, or its arguments'
	set -l words (__cupti_probe_program $argv) (commandline -ct)
	complete "--do-complete=$words"
end

complete -c cupti-probe -f
complete -c cupti-probe -n __cupti_probe_first -l help -d 'commands'
complete -c cupti-probe -n __cupti_probe_first -l version -d 'the version'
complete -c cupti-probe -n __cupti_probe_first -a run -d 'run a program and record its GPU memory'
complete -c cupti-probe -n '__cupti_probe_in run' -x -a '(__cupti_probe_run --front --dir --size)'
complete -c cupti-probe -n '__cupti_probe_in run; and not __cupti_probe_program --front --dir --size >/dev/null' -l front -x -a 'preload cupti' -d 'preload (default), or cupti: CUDA_INJECTION64_PATH'
complete -c cupti-probe -n '__cupti_probe_in run; and not __cupti_probe_program --front --dir --size >/dev/null' -l dir -x -a '(__fish_complete_directories)' -d 'folder to record to (see info)'
complete -c cupti-probe -n '__cupti_probe_in run; and not __cupti_probe_program --front --dir --size >/dev/null' -l size -x -d 'bytes of a process\'s recording (default 64M)'
complete -c cupti-probe -n '__cupti_probe_in run; and not __cupti_probe_program --front --dir --size >/dev/null' -l snapshot -d 'also dump PyTorch\'s own snapshot at an OOM'
complete -c cupti-probe -n '__cupti_probe_in run; and not __cupti_probe_program --front --dir --size >/dev/null' -l help -d 'options and examples'
complete -c cupti-probe -n __cupti_probe_first -a report -d 'say why memory ran out'
complete -c cupti-probe -n '__cupti_probe_in report' -F
complete -c cupti-probe -n '__cupti_probe_in report' -l format -x -a 'text json markdown' -d 'text (default), json, or markdown, nothing private'
complete -c cupti-probe -n '__cupti_probe_in report' -l explain -d 'all facts, the whole ledger, all margins'
complete -c cupti-probe -n '__cupti_probe_in report' -l write -d 'write NAME.report.txt and .json beside each file'
complete -c cupti-probe -n '__cupti_probe_in report' -l help -d 'options and examples'
complete -c cupti-probe -n __cupti_probe_first -a list -d 'list recordings'
complete -c cupti-probe -n '__cupti_probe_in list' -a '(__fish_complete_directories)'
complete -c cupti-probe -n '__cupti_probe_in list' -l format -x -a 'text json' -d 'text (default) or json'
complete -c cupti-probe -n '__cupti_probe_in list' -l help -d 'options and examples'
complete -c cupti-probe -n __cupti_probe_first -a info -d 'print what a recording has, or where they go'
complete -c cupti-probe -n '__cupti_probe_in info' -F
complete -c cupti-probe -n '__cupti_probe_in info' -l format -x -a 'text json' -d 'text (default) or json'
complete -c cupti-probe -n '__cupti_probe_in info' -l help -d 'options and examples'
complete -c cupti-probe -n __cupti_probe_first -a stat -d 'print what a process holds now'
complete -c cupti-probe -n '__cupti_probe_in stat' -F -a '(__fish_complete_pids)'
complete -c cupti-probe -n '__cupti_probe_in stat' -l interval -x -d 'print a line every so often while it runs'
complete -c cupti-probe -n '__cupti_probe_in stat' -l format -x -a 'text json' -d 'text (default) or json'
complete -c cupti-probe -n '__cupti_probe_in stat' -l help -d 'options and examples'
complete -c cupti-probe -n __cupti_probe_first -a prune -d 'remove recordings that are old or too many'
complete -c cupti-probe -n '__cupti_probe_in prune' -a '(__fish_complete_directories)'
complete -c cupti-probe -n '__cupti_probe_in prune' -l all -d 'also of OOMs that nobody has read about'
complete -c cupti-probe -n '__cupti_probe_in prune' -l dry-run -d 'say what would be removed'
complete -c cupti-probe -n '__cupti_probe_in prune' -l help -d 'options and examples'
complete -c cupti-probe -n __cupti_probe_first -a metrics -d 'print numbers for Prometheus'
complete -c cupti-probe -n '__cupti_probe_in metrics' -a '(__fish_complete_directories)'
complete -c cupti-probe -n '__cupti_probe_in metrics' -l output -r -F -d 'file, replaced at once; -: standard output (default)'
complete -c cupti-probe -n '__cupti_probe_in metrics' -l help -d 'options and examples'
