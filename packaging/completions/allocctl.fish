# SPDX-License-Identifier: Apache-2.0
# fish completion for allocctl, made by `make completions`

function __allocctl_first -d 'no command is there yet'
	test (count (commandline -opc)) -eq 1
end

function __allocctl_in -d 'in that command'
	set -l words (commandline -opc)
	test "$words[2]" = $argv[1]
end

function __allocctl_program -d 'the program that is run; options with values'
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

function __allocctl_run -d 'complete it, or its arguments'
	set -l words (__allocctl_program $argv) (commandline -ct)
	complete "--do-complete=$words"
end

function __allocctl_keys -d 'options of a setting'
	string join \n max_split_size_mb max_non_split_rounding_mb large_segment_size_mb garbage_collection_threshold roundup_power2_divisions expandable_segments pinned_use_background_threads backend release_lock_on_cudamalloc release_lock_on_hipmalloc pinned_use_cuda_host_register pinned_use_hip_host_register pinned_num_register_threads pinned_reserve_segment_size_mb graph_capture_record_stream_reuse per_process_memory_fraction roundup_bypass_threshold_mb pinned_free_catch_all throw_on_cudamalloc_oom pinned_max_round_threshold_mb pinned_max_cached_size_mb expandable_segments_reserve expandable_segments_reserve_by_class
end

function __allocctl_setting -d 'an option of a setting, or a value of one'
	set -l token (commandline -ct | string replace -r -- '^--[a-z-]*=' '')
	set -l before (string replace -r -- '[^,]*$' '' "$token")
	set -l last (string replace -r -- '^.*,' '' "$token")
	if not string match -q -- '*:*' "$last"
		string replace -r -- '(.*)' "$before"'$1:' (__allocctl_keys)
		return
	end
	set -l key (string replace -r -- ':.*' '' "$last")
	for value in (__allocctl_values $key)
		echo "$before$key:$value"
	end
end

function __allocctl_values -d 'values of an option of a setting'
	switch $argv[1]
	case expandable_segments pinned_use_background_threads release_lock_on_cudamalloc release_lock_on_hipmalloc pinned_use_cuda_host_register pinned_use_hip_host_register graph_capture_record_stream_reuse pinned_free_catch_all throw_on_cudamalloc_oom
		string join \n True False
	case backend
		string join \n native cudaMallocAsync
	end
end

complete -c allocctl -f
complete -c allocctl -n __allocctl_first -l help -d 'commands'
complete -c allocctl -n __allocctl_first -l version -d 'the version'
complete -c allocctl -n __allocctl_first -a calibrate -d 'measure what device operations cost here'
complete -c allocctl -n '__allocctl_in calibrate' -l device -x -d 'the GPU, as CUDA counts (default: 0)'
complete -c allocctl -n '__allocctl_in calibrate' -l cudart -r -F -d 'libcudart.so (default: that of torch)'
complete -c allocctl -n '__allocctl_in calibrate' -l output -r -F -d 'where to write; - is standard output'
complete -c allocctl -n '__allocctl_in calibrate' -l system -d 'for all users: write to /etc/liballoc/costs.d'
complete -c allocctl -n '__allocctl_in calibrate' -l force -d 'replace the FILE of --output if it is there'
complete -c allocctl -n '__allocctl_in calibrate' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in calibrate' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a check -d 'say what torch makes of a setting'
complete -c allocctl -n '__allocctl_in check' -a '(__allocctl_setting)'
complete -c allocctl -n '__allocctl_in check' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto all' -d '2.11 (default), another, all, or auto: that found here'
complete -c allocctl -n '__allocctl_in check' -l python -r -F -d 'find the torch of this python or environment'
complete -c allocctl -n '__allocctl_in check' -l set-at -x -a 'import init runtime' -d 'import (default), init or runtime: when torch sees it'
complete -c allocctl -n '__allocctl_in check' -l build -x -a 'cuda rocm cpu' -d 'what torch is built for: cuda (default), rocm or cpu'
complete -c allocctl -n '__allocctl_in check' -l platform -x -a 'linux wsl windows' -d 'linux, wsl or windows (default: this one)'
complete -c allocctl -n '__allocctl_in check' -l policy -r -F -d 'what the site wants; default /etc/liballoc/policy.yaml'
complete -c allocctl -n '__allocctl_in check' -l user -x -d 'who it is for, where the policy makes exemptions'
complete -c allocctl -n '__allocctl_in check' -l path -r -F -d 'the program that it is for, likewise'
complete -c allocctl -n '__allocctl_in check' -l repair -d 'print what to use by the policy, nothing else'
complete -c allocctl -n '__allocctl_in check' -l format -x -a 'text json gcc sarif' -d 'text (default), json, gcc or sarif'
complete -c allocctl -n '__allocctl_in check' -l json-lines -d 'read JSON strings, one a line, from standard input'
complete -c allocctl -n '__allocctl_in check' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a convert -d 'write a recording in another format'
complete -c allocctl -n '__allocctl_in convert' -F
complete -c allocctl -n '__allocctl_in convert' -l to -x -a 'pickle perfetto csv' -d 'pickle, perfetto or csv; default: by the end of OUT'
complete -c allocctl -n '__allocctl_in convert' -l force -d 'replace OUT if it is there'
complete -c allocctl -n '__allocctl_in convert' -l partial -d 'use the readable part of a truncated recording'
complete -c allocctl -n '__allocctl_in convert' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a doctor -d 'say what decides about GPU memory here, and what to do'
complete -c allocctl -n '__allocctl_in doctor' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto' -d 'release of torch; default: the torch that is found'
complete -c allocctl -n '__allocctl_in doctor' -l python -r -F -d 'interpreter or environment whose torch it is'
complete -c allocctl -n '__allocctl_in doctor' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in doctor' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a env -d 'say which setting a process has and who set it'
complete -c allocctl -n '__allocctl_in env' -F
complete -c allocctl -n '__allocctl_in env' -l pid -x -a '(__fish_complete_pids)' -d 'the process with that number, as it is now'
complete -c allocctl -n '__allocctl_in env' -l core -r -F -d 'the process that left this core, or record of one'
complete -c allocctl -n '__allocctl_in env' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto' -d 'who reads the variables (default: the torch found)'
complete -c allocctl -n '__allocctl_in env' -l python -r -F -d 'interpreter or environment whose torch it is'
complete -c allocctl -n '__allocctl_in env' -l build -x -a 'cuda rocm cpu' -d 'what torch is built for: cuda, rocm or cpu'
complete -c allocctl -n '__allocctl_in env' -l show-origin -d 'who sets each variable: file and line'
complete -c allocctl -n '__allocctl_in env' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in env' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a explain -d 'say what an option, a code or a guide\'s advice means'
complete -c allocctl -n '__allocctl_in explain' -a 'presets (__allocctl_keys)'
complete -c allocctl -n '__allocctl_in explain' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15' -d 'options of that release; status 1 if it has none such'
complete -c allocctl -n '__allocctl_in explain' -l gpu -x -a 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090' -d 'presets for that GPU'
complete -c allocctl -n '__allocctl_in explain' -l memory -x -d 'presets for a GPU with so much memory'
complete -c allocctl -n '__allocctl_in explain' -l all -d 'all options with all that is known of them'
complete -c allocctl -n '__allocctl_in explain' -l format -x -a 'text man' -d 'text (default), or man: the source of a manual page'
complete -c allocctl -n '__allocctl_in explain' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a fleet -d 'say whether all nodes of a cluster agree'
complete -c allocctl -n '__allocctl_in fleet' -F
complete -c allocctl -n '__allocctl_in fleet' -l from -d 'operands are FILEs that hold what nodes have reported'
complete -c allocctl -n '__allocctl_in fleet' -l nodes -x -d 'who has to answer, as \'n[1-4],login\''
complete -c allocctl -n '__allocctl_in fleet' -l node -d 'print the report of this node'
complete -c allocctl -n '__allocctl_in fleet' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in fleet' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a metrics -d 'print for Prometheus whether settings are valid'
complete -c allocctl -n '__allocctl_in metrics' -l python -r -F -d 'interpreter or environment whose torch it is'
complete -c allocctl -n '__allocctl_in metrics' -l output -r -F -d 'file, replaced at once; -: standard output (default)'
complete -c allocctl -n '__allocctl_in metrics' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a replay -d 'play a recording again, as it was or otherwise'
complete -c allocctl -n '__allocctl_in replay' -F
complete -c allocctl -n '__allocctl_in replay' -l setting -x -a '(__allocctl_setting)' -d 'replay under this one instead of the recorded'
complete -c allocctl -n '__allocctl_in replay' -l limit -x -a 'none auto' -d 'most bytes to reserve, a cap; none; auto: recorded'
complete -c allocctl -n '__allocctl_in replay' -l card -x -a 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090' -d 'most bytes that the card has for this process'
complete -c allocctl -n '__allocctl_in replay' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto' -d 'the allocator of this release; auto: the recorded one'
complete -c allocctl -n '__allocctl_in replay' -l device -x -a 'all' -d 'device, or all (default: the one with most events)'
complete -c allocctl -n '__allocctl_in replay' -l policy -x -a 'torch compact' -d 'torch (default) or compact, liballoc\'s own'
complete -c allocctl -n '__allocctl_in replay' -l set-at -x -d 'this was given to torch\'s setter before that event'
complete -c allocctl -n '__allocctl_in replay' -l empty-cache-above -x -d 'put in empty_cache() at steps with more reserved'
complete -c allocctl -n '__allocctl_in replay' -l empty-cache-every -x -d 'put in empty_cache() at each N-th step'
complete -c allocctl -n '__allocctl_in replay' -l verify -d 'compare with the recording, event by event'
complete -c allocctl -n '__allocctl_in replay' -l emit-events -r -F -d 'write the events, one JSON object a line'
complete -c allocctl -n '__allocctl_in replay' -l log-splits -d 'print each block that is split'
complete -c allocctl -n '__allocctl_in replay' -l partial -d 'use what a truncated file gives'
complete -c allocctl -n '__allocctl_in replay' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in replay' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a report -d 'show a recording in a page: time, map, verdict'
complete -c allocctl -n '__allocctl_in report' -F
complete -c allocctl -n '__allocctl_in report' -l output -r -F -d 'or -o: where to (default: FILE.html); - is stdout'
complete -c allocctl -n '__allocctl_in report' -l force -d 'replace OUT if it is there'
complete -c allocctl -n '__allocctl_in report' -l setting -x -a '(__allocctl_setting)' -d 'replay this beside it; may be given again'
complete -c allocctl -n '__allocctl_in report' -l limit -x -d '... under this cap, none, or auto: the recorded'
complete -c allocctl -n '__allocctl_in report' -l card -x -a 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090' -d '... on a card of so much, or a GPU\'s name'
complete -c allocctl -n '__allocctl_in report' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15' -d '... by the rules of this release'
complete -c allocctl -n '__allocctl_in report' -l device -x -d 'device (default: the one with most events)'
complete -c allocctl -n '__allocctl_in report' -l at -x -d 'map before this event (default: the last OOM, or peak)'
complete -c allocctl -n '__allocctl_in report' -l format -x -a 'html svg' -d 'html (default), or svg: the one picture of --plot'
complete -c allocctl -n '__allocctl_in report' -l plot -x -a 'timeline map holes settings holders' -d 'timeline, map, holes, settings or holders'
complete -c allocctl -n '__allocctl_in report' -l term -d 'draw in the terminal instead: all, or that of --plot'
complete -c allocctl -n '__allocctl_in report' -l no-tune -d 'do not search for settings'
complete -c allocctl -n '__allocctl_in report' -l partial -d 'use what a truncated file gives'
complete -c allocctl -n '__allocctl_in report' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a run -d 'run a PyTorch program with liballoc\'s allocator'
complete -c allocctl -n '__allocctl_in run' -x -a '(__allocctl_run --policy --limit --record)'
complete -c allocctl -n '__allocctl_in run; and not __allocctl_program --policy --limit --record >/dev/null' -l policy -x -a 'torch compact' -d 'compact (default) or torch'
complete -c allocctl -n '__allocctl_in run; and not __allocctl_program --policy --limit --record >/dev/null' -l limit -x -d 'bytes that a GPU may hold'
complete -c allocctl -n '__allocctl_in run; and not __allocctl_program --policy --limit --record >/dev/null' -l record -r -F -d 'snapshot with history when the program ends'
complete -c allocctl -n '__allocctl_in run; and not __allocctl_program --policy --limit --record >/dev/null' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a set -d 'write a setting where it belongs'
complete -c allocctl -n '__allocctl_in set' -a '(__allocctl_setting)'
complete -c allocctl -n '__allocctl_in set' -l shell -x -a 'bash zsh sh ksh mksh fish tcsh cmd batch powershell dockerfile docker docker-env compose k8s systemd environment.d environment slurm conda sudo launchctl python notebook dotenv crontab launch.json kernel.json modulefile modulefile-lua' -d 'who reads the line (default: the shell that calls)'
complete -c allocctl -n '__allocctl_in set' -l variable -x -a 'PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF' -d 'the variable (default PYTORCH_CUDA_ALLOC_CONF)'
complete -c allocctl -n '__allocctl_in set' -l persist -x -a 'session user system' -d 'for this session, user or system'
complete -c allocctl -n '__allocctl_in set' -l file -r -F -d 'the file, in place of the one that --persist finds'
complete -c allocctl -n '__allocctl_in set' -l apply -d 'put the line there, which --undo takes out again'
complete -c allocctl -n '__allocctl_in set' -l undo -d 'take it out: every other byte stays'
complete -c allocctl -n '__allocctl_in set' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15' -d 'the release that reads it (default 2.11)'
complete -c allocctl -n '__allocctl_in set' -l force -d 'also what torch refuses, or a later line undoes'
complete -c allocctl -n '__allocctl_in set' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a triage -d 'say why memory ran out, and what would have helped'
complete -c allocctl -n '__allocctl_in triage' -F
complete -c allocctl -n '__allocctl_in triage' -l limit -x -d 'the cap in bytes, where messages and recordings lack it'
complete -c allocctl -n '__allocctl_in triage' -l card -x -a 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090' -d 'bytes of the card, or a GPU\'s name, likewise'
complete -c allocctl -n '__allocctl_in triage' -l setting -x -a '(__allocctl_setting)' -d 'that was in force when it failed'
complete -c allocctl -n '__allocctl_in triage' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15' -d 'that failed (default: what the files tell)'
complete -c allocctl -n '__allocctl_in triage' -l device -x -d 'of recordings (default: all)'
complete -c allocctl -n '__allocctl_in triage' -l try -x -a '(__allocctl_setting)' -d 'would this have helped? may be given again'
complete -c allocctl -n '__allocctl_in triage' -l tune -d 'search for a setting that helps, too'
complete -c allocctl -n '__allocctl_in triage' -l program -r -F -d 'recording of the same program without a limit'
complete -c allocctl -n '__allocctl_in triage' -l core -r -F -a 'latest' -d 'core file, or latest: of systemd\'s store'
complete -c allocctl -n '__allocctl_in triage' -l partial -d 'use what a truncated recording gives'
complete -c allocctl -n '__allocctl_in triage' -l jobs -x -d 'threads (default: all cores)'
complete -c allocctl -n '__allocctl_in triage' -l explain -d 'all facts, the whole ledger, all margins'
complete -c allocctl -n '__allocctl_in triage' -l format -x -a 'text json markdown' -d 'text (default), json, or markdown, nothing private'
complete -c allocctl -n '__allocctl_in triage' -l shell -x -a 'bash cmd powershell' -d 'to write lines for: bash (default), cmd or powershell'
complete -c allocctl -n '__allocctl_in triage' -l lang -x -a 'en zh' -d 'en or zh (default: of the environment)'
complete -c allocctl -n '__allocctl_in triage' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a tune -d 'find the setting that fits or needs least'
complete -c allocctl -n '__allocctl_in tune' -F
complete -c allocctl -n '__allocctl_in tune' -l card -x -a 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090' -d 'what the card has left, or a GPU\'s name'
complete -c allocctl -n '__allocctl_in tune' -l limit -x -a 'none auto' -d 'cap in bytes; none; auto: what the recording hit'
complete -c allocctl -n '__allocctl_in tune' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15' -d 'release that the setting is for (default: 2.11)'
complete -c allocctl -n '__allocctl_in tune' -l setting -x -a '(__allocctl_setting)' -d 'try this one too; may be given again'
complete -c allocctl -n '__allocctl_in tune' -l preset -x -a 'v100 a100 consumer input-varied input-mixed input-steady 24gb sixth stepwise' -d 'and what guides recommend, see allocctl explain presets'
complete -c allocctl -n '__allocctl_in tune' -l method -x -a 'search guide' -d 'search, or guide: the guides\' procedure beside it'
complete -c allocctl -n '__allocctl_in tune' -l empty-cache-above -x -d 'put in empty_cache() at steps with more reserved'
complete -c allocctl -n '__allocctl_in tune' -l empty-cache-every -x -d 'put in empty_cache() at each N-th step'
complete -c allocctl -n '__allocctl_in tune' -l costs -r -F -d 'YAML file of what device operations cost'
complete -c allocctl -n '__allocctl_in tune' -l jobs -x -d 'threads (default: all cores)'
complete -c allocctl -n '__allocctl_in tune' -l shard -x -d 'make share I of the replays, write it as JSON'
complete -c allocctl -n '__allocctl_in tune' -l merge -d 'FILEs are what all shards wrote: finish the search'
complete -c allocctl -n '__allocctl_in tune' -l device -x -d 'device (default: the one with most events)'
complete -c allocctl -n '__allocctl_in tune' -l partial -d 'use what a truncated file gives'
complete -c allocctl -n '__allocctl_in tune' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in tune' -l help -d 'options and examples'
complete -c allocctl -n __allocctl_first -a verify -d 'say whether a setting reaches a program'
complete -c allocctl -n '__allocctl_in verify' -a '(__allocctl_setting)'
complete -c allocctl -n '__allocctl_in verify' -l script -r -F -d 'say what it gives its programs; -: standard input'
complete -c allocctl -n '__allocctl_in verify' -l kind -x -a 'bash sh busybox zsh ksh mksh fish tcsh cmd cmd-prompt powershell python notebook ipynb dockerfile compose k8s yaml systemd slurm dotenv docker-env systemd-env environment.d environment pam_env crontab launch.json kernel.json conda modulefile modulefile-lua' -d 'what the file is: bash, cmd, dockerfile, slurm ...'
complete -c allocctl -n '__allocctl_in verify' -l variable -x -a 'PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF' -d 'look for this one (default: those of torch)'
complete -c allocctl -n '__allocctl_in verify' -l shell -x -a 'bash zsh dash sh ksh mksh fish tcsh powershell pwsh' -d 'run this shell and its startup files, and ask a child'
complete -c allocctl -n '__allocctl_in verify' -l login -d 'with --shell: what the startup files of a login give'
complete -c allocctl -n '__allocctl_in verify' -l interactive -d 'with --shell: what those of a terminal give'
complete -c allocctl -n '__allocctl_in verify' -l torch -x -a '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15' -d 'the release that reads it (default 2.11)'
complete -c allocctl -n '__allocctl_in verify' -l os -x -a 'linux windows' -d 'where it runs (default windows for cmd and powershell)'
complete -c allocctl -n '__allocctl_in verify' -l format -x -a 'text json' -d 'text (default) or json'
complete -c allocctl -n '__allocctl_in verify' -l help -d 'options and examples'
