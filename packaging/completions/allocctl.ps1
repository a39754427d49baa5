# SPDX-License-Identifier: Apache-2.0
# PowerShell completion for allocctl, made by `make completions`.  To have it,
# add to $PROFILE:  . PATH/allocctl.ps1
Register-ArgumentCompleter -Native -CommandName allocctl -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)

	# Operands and values of options: words, and with @ what is found
	# elsewhere; no value: a flag.
	$commands = [ordered]@{
		'calibrate' = @{
			Summary = 'measure what device operations cost here'
			Operands = ''
			Options = [ordered]@{
				'--device' = 'the GPU, as CUDA counts (default: 0)', '@any'
				'--cudart' = 'libcudart.so (default: that of torch)', '@file'
				'--output' = 'where to write; - is standard output', '@file'
				'--system' = 'for all users: write to /etc/liballoc/costs.d', ''
				'--force' = 'replace the FILE of --output if it is there', ''
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'check' = @{
			Summary = 'say what torch makes of a setting'
			Operands = '@setting'
			Options = [ordered]@{
				'--torch' = '2.11 (default), another, all, or auto: that found here', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto all'
				'--python' = 'find the torch of this python or environment', '@file'
				'--set-at' = 'import (default), init or runtime: when torch sees it', 'import init runtime'
				'--build' = 'what torch is built for: cuda (default), rocm or cpu', 'cuda rocm cpu'
				'--platform' = 'linux, wsl or windows (default: this one)', 'linux wsl windows'
				'--policy' = 'what the site wants; default /etc/liballoc/policy.yaml', '@file'
				'--user' = 'who it is for, where the policy makes exemptions', '@any'
				'--path' = 'the program that it is for, likewise', '@file'
				'--repair' = 'print what to use by the policy, nothing else', ''
				'--format' = 'text (default), json, gcc or sarif', 'text json gcc sarif'
				'--json-lines' = 'read JSON strings, one a line, from standard input', ''
				'--help' = 'options and examples', ''
			}
		}
		'convert' = @{
			Summary = 'write a recording in another format'
			Operands = '@file'
			Options = [ordered]@{
				'--to' = 'pickle, perfetto or csv; default: by the end of OUT', 'pickle perfetto csv'
				'--force' = 'replace OUT if it is there', ''
				'--partial' = 'use the readable part of a truncated recording', ''
				'--help' = 'options and examples', ''
			}
		}
		'doctor' = @{
			Summary = 'say what decides about GPU memory here, and what to do'
			Operands = ''
			Options = [ordered]@{
				'--torch' = 'release of torch; default: the torch that is found', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto'
				'--python' = 'interpreter or environment whose torch it is', '@file'
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'env' = @{
			Summary = 'say which setting a process has and who set it'
			Operands = '@file'
			Options = [ordered]@{
				'--pid' = 'the process with that number, as it is now', '@process'
				'--core' = 'the process that left this core, or record of one', '@file'
				'--torch' = 'who reads the variables (default: the torch found)', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto'
				'--python' = 'interpreter or environment whose torch it is', '@file'
				'--build' = 'what torch is built for: cuda, rocm or cpu', 'cuda rocm cpu'
				'--show-origin' = 'who sets each variable: file and line', ''
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'explain' = @{
			Summary = 'say what an option, a code or a guide''s advice means'
			Operands = '@key presets'
			Options = [ordered]@{
				'--torch' = 'options of that release; status 1 if it has none such', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15'
				'--gpu' = 'presets for that GPU', 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090'
				'--memory' = 'presets for a GPU with so much memory', '@any'
				'--all' = 'all options with all that is known of them', ''
				'--format' = 'text (default), or man: the source of a manual page', 'text man'
				'--help' = 'options and examples', ''
			}
		}
		'fleet' = @{
			Summary = 'say whether all nodes of a cluster agree'
			Operands = '@file'
			Options = [ordered]@{
				'--from' = 'operands are FILEs that hold what nodes have reported', ''
				'--nodes' = 'who has to answer, as ''n[1-4],login''', '@any'
				'--node' = 'print the report of this node', ''
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'metrics' = @{
			Summary = 'print for Prometheus whether settings are valid'
			Operands = ''
			Options = [ordered]@{
				'--python' = 'interpreter or environment whose torch it is', '@file'
				'--output' = 'file, replaced at once; -: standard output (default)', '@file'
				'--help' = 'options and examples', ''
			}
		}
		'replay' = @{
			Summary = 'play a recording again, as it was or otherwise'
			Operands = '@file'
			Options = [ordered]@{
				'--setting' = 'replay under this one instead of the recorded', '@setting'
				'--limit' = 'most bytes to reserve, a cap; none; auto: recorded', 'none auto'
				'--card' = 'most bytes that the card has for this process', 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090'
				'--torch' = 'the allocator of this release; auto: the recorded one', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 auto'
				'--device' = 'device, or all (default: the one with most events)', 'all'
				'--policy' = 'torch (default) or compact, liballoc''s own', 'torch compact'
				'--set-at' = 'this was given to torch''s setter before that event', '@any'
				'--empty-cache-above' = 'put in empty_cache() at steps with more reserved', '@any'
				'--empty-cache-every' = 'put in empty_cache() at each N-th step', '@any'
				'--verify' = 'compare with the recording, event by event', ''
				'--emit-events' = 'write the events, one JSON object a line', '@file'
				'--log-splits' = 'print each block that is split', ''
				'--partial' = 'use what a truncated file gives', ''
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'report' = @{
			Summary = 'show a recording in a page: time, map, verdict'
			Operands = '@file'
			Options = [ordered]@{
				'--output' = 'or -o: where to (default: FILE.html); - is stdout', '@file'
				'--force' = 'replace OUT if it is there', ''
				'--setting' = 'replay this beside it; may be given again', '@setting'
				'--limit' = '... under this cap, none, or auto: the recorded', '@any'
				'--card' = '... on a card of so much, or a GPU''s name', 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090'
				'--torch' = '... by the rules of this release', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15'
				'--device' = 'device (default: the one with most events)', '@any'
				'--at' = 'map before this event (default: the last OOM, or peak)', '@any'
				'--format' = 'html (default), or svg: the one picture of --plot', 'html svg'
				'--plot' = 'timeline, map, holes, settings or holders', 'timeline map holes settings holders'
				'--term' = 'draw in the terminal instead: all, or that of --plot', ''
				'--no-tune' = 'do not search for settings', ''
				'--partial' = 'use what a truncated file gives', ''
				'--help' = 'options and examples', ''
			}
		}
		'run' = @{
			Summary = 'run a PyTorch program with liballoc''s allocator'
			Operands = '@command'
			Options = [ordered]@{
				'--policy' = 'compact (default) or torch', 'torch compact'
				'--limit' = 'bytes that a GPU may hold', '@any'
				'--record' = 'snapshot with history when the program ends', '@file'
				'--help' = 'options and examples', ''
			}
		}
		'set' = @{
			Summary = 'write a setting where it belongs'
			Operands = '@setting'
			Options = [ordered]@{
				'--shell' = 'who reads the line (default: the shell that calls)', 'bash zsh sh ksh mksh fish tcsh cmd batch powershell dockerfile docker docker-env compose k8s systemd environment.d environment slurm conda sudo launchctl python notebook dotenv crontab launch.json kernel.json modulefile modulefile-lua'
				'--variable' = 'the variable (default PYTORCH_CUDA_ALLOC_CONF)', 'PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF'
				'--persist' = 'for this session, user or system', 'session user system'
				'--file' = 'the file, in place of the one that --persist finds', '@file'
				'--apply' = 'put the line there, which --undo takes out again', ''
				'--undo' = 'take it out: every other byte stays', ''
				'--torch' = 'the release that reads it (default 2.11)', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15'
				'--force' = 'also what torch refuses, or a later line undoes', ''
				'--help' = 'options and examples', ''
			}
		}
		'triage' = @{
			Summary = 'say why memory ran out, and what would have helped'
			Operands = '@file'
			Options = [ordered]@{
				'--limit' = 'the cap in bytes, where messages and recordings lack it', '@any'
				'--card' = 'bytes of the card, or a GPU''s name, likewise', 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090'
				'--setting' = 'that was in force when it failed', '@setting'
				'--torch' = 'that failed (default: what the files tell)', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15'
				'--device' = 'of recordings (default: all)', '@any'
				'--try' = 'would this have helped? may be given again', '@setting'
				'--tune' = 'search for a setting that helps, too', ''
				'--program' = 'recording of the same program without a limit', '@file'
				'--core' = 'core file, or latest: of systemd''s store', '@file latest'
				'--partial' = 'use what a truncated recording gives', ''
				'--jobs' = 'threads (default: all cores)', '@any'
				'--explain' = 'all facts, the whole ledger, all margins', ''
				'--format' = 'text (default), json, or markdown, nothing private', 'text json markdown'
				'--shell' = 'to write lines for: bash (default), cmd or powershell', 'bash cmd powershell'
				'--lang' = 'en or zh (default: of the environment)', 'en zh'
				'--help' = 'options and examples', ''
			}
		}
		'tune' = @{
			Summary = 'find the setting that fits or needs least'
			Operands = '@file'
			Options = [ordered]@{
				'--card' = 'what the card has left, or a GPU''s name', 'H200 H100-80GB A100-80GB A100-40GB L40S L4 A10 V100-16GB V100-32GB T4 RTX-3090 RTX-4090 RTX-5090'
				'--limit' = 'cap in bytes; none; auto: what the recording hit', 'none auto'
				'--torch' = 'release that the setting is for (default: 2.11)', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15'
				'--setting' = 'try this one too; may be given again', '@setting'
				'--preset' = 'and what guides recommend, see allocctl explain presets', 'v100 a100 consumer input-varied input-mixed input-steady 24gb sixth stepwise'
				'--method' = 'search, or guide: the guides'' procedure beside it', 'search guide'
				'--empty-cache-above' = 'put in empty_cache() at steps with more reserved', '@any'
				'--empty-cache-every' = 'put in empty_cache() at each N-th step', '@any'
				'--costs' = 'YAML file of what device operations cost', '@file'
				'--jobs' = 'threads (default: all cores)', '@any'
				'--shard' = 'make share I of the replays, write it as JSON', '@any'
				'--merge' = 'FILEs are what all shards wrote: finish the search', ''
				'--device' = 'device (default: the one with most events)', '@any'
				'--partial' = 'use what a truncated file gives', ''
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'verify' = @{
			Summary = 'say whether a setting reaches a program'
			Operands = '@setting'
			Options = [ordered]@{
				'--script' = 'say what it gives its programs; -: standard input', '@file'
				'--kind' = 'what the file is: bash, cmd, dockerfile, slurm ...', 'bash sh busybox zsh ksh mksh fish tcsh cmd cmd-prompt powershell python notebook ipynb dockerfile compose k8s yaml systemd slurm dotenv docker-env systemd-env environment.d environment pam_env crontab launch.json kernel.json conda modulefile modulefile-lua'
				'--variable' = 'look for this one (default: those of torch)', 'PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF'
				'--shell' = 'run this shell and its startup files, and ask a child', 'bash zsh dash sh ksh mksh fish tcsh powershell pwsh'
				'--login' = 'with --shell: what the startup files of a login give', ''
				'--interactive' = 'with --shell: what those of a terminal give', ''
				'--torch' = 'the release that reads it (default 2.11)', '1.9 1.10 1.11 1.12 1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15'
				'--os' = 'where it runs (default windows for cmd and powershell)', 'linux windows'
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
	}
	$settings = [ordered]@{
		'max_split_size_mb' = ''
		'max_non_split_rounding_mb' = ''
		'large_segment_size_mb' = ''
		'garbage_collection_threshold' = ''
		'roundup_power2_divisions' = ''
		'expandable_segments' = 'True False'
		'pinned_use_background_threads' = 'True False'
		'backend' = 'native cudaMallocAsync'
		'release_lock_on_cudamalloc' = 'True False'
		'release_lock_on_hipmalloc' = 'True False'
		'pinned_use_cuda_host_register' = 'True False'
		'pinned_use_hip_host_register' = 'True False'
		'pinned_num_register_threads' = ''
		'pinned_reserve_segment_size_mb' = ''
		'graph_capture_record_stream_reuse' = 'True False'
		'per_process_memory_fraction' = ''
		'roundup_bypass_threshold_mb' = ''
		'pinned_free_catch_all' = 'True False'
		'throw_on_cudamalloc_oom' = 'True False'
		'pinned_max_round_threshold_mb' = ''
		'pinned_max_cached_size_mb' = ''
		'expandable_segments_reserve' = ''
		'expandable_segments_reserve_by_class' = ''
	}

	# The words before the one to complete.
	$before = @($commandAst.CommandElements |
		Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
		ForEach-Object { $_.Extent.Text })
	$offers = [System.Collections.Generic.List[object]]::new()
	$lead = ''

	function Add-Offer($text, $about) {
		$offers.Add(@($text, $about))
	}

	function Add-Setting($value) {
		$last = $value.LastIndexOf(',') + 1
		$front = $value.Substring(0, $last)
		$option, $rest = $value.Substring($last) -split ':', 2
		if ($null -eq $rest) {
			foreach ($key in $settings.Keys) {
				Add-Offer "$front${key}:" $key
			}
		} elseif ($settings.Contains($option)) {
			foreach ($word in -split $settings[$option]) {
				Add-Offer "$front${option}:$word" $word
			}
		}
	}

	function Add-Values($what, $value) {
		foreach ($word in -split $what) {
			switch ($word) {
			'@setting' { Add-Setting $value }
			'@key' {
				foreach ($key in $settings.Keys) {
					Add-Offer $key $key
				}
			}
			'@process' {
				foreach ($process in Get-Process) {
					Add-Offer "$($process.Id)" $process.Name
				}
			}
			{ $_ -notlike '@*' } { Add-Offer $word $word }
			}
		}
	}

	# Has a program begun that is run?  What follows is for that one.
	function Test-Program($command) {
		$option = $null
		foreach ($word in $before | Select-Object -Skip 2) {
			if ($option) {
				$option = $null
			} elseif ($word -eq '--' -or $word -notlike '-*') {
				return $true
			} elseif ($command.Options[$word]) {
				$option = $command.Options[$word][1]
			}
		}
		$false
	}

	if ($before.Count -le 1) {
		foreach ($name in $commands.Keys) {
			Add-Offer $name $commands[$name].Summary
		}
		Add-Offer '--help' 'commands'
		Add-Offer '--version' 'the version'
	} elseif ($commands.Contains($before[1])) {
		$command = $commands[$before[1]]
		if ($command.Operands -eq '@command' -and
			(Test-Program $command)) { return }
		$value = $wordToComplete
		$option = $before[-1]
		if ($wordToComplete -match '^(--[a-z-]+)=(.*)$') {
			$option = $Matches[1]
			$value = $Matches[2]
			$lead = "$option="
		}
		$row = $command.Options[$option]
		if ($row -and $row[1]) {
			Add-Values $row[1] $value
		} elseif ($wordToComplete -like '-*') {
			foreach ($name in $command.Options.Keys) {
				Add-Offer $name $command.Options[$name][0]
			}
		} else {
			Add-Values $command.Operands $value
		}
	}

	# Without an answer PowerShell completes names of files.
	foreach ($offer in $offers) {
		$text = $lead + $offer[0]
		if (-not $text.StartsWith($wordToComplete)) { continue }
		[System.Management.Automation.CompletionResult]::new(
			$text, $offer[0], 'ParameterValue', $offer[1])
	}
}
