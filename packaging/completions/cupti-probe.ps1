# SPDX-License-Identifier: Apache-2.0
# PowerShell completion for cupti-probe, made by `make completions`.  To have it,
# add to $PROFILE:  . PATH/cupti-probe.ps1
Register-ArgumentCompleter -Native -CommandName cupti-probe -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)

	# Operands and values of options: words, and with @ what is found
	# elsewhere; no value: a flag.
	$commands = [ordered]@{
		'run' = @{
			Summary = 'run a program and record its GPU memory'
			Operands = '@command'
			Options = [ordered]@{
				'--front' = 'preload (default), or cupti: CUDA_INJECTION64_PATH', 'preload cupti'
				'--dir' = 'folder to record to (see info)', '@folder'
				'--size' = 'bytes of a process''s recording (default 64M)', '@any'
				'--snapshot' = 'also dump PyTorch''s own snapshot at an OOM', ''
				'--help' = 'options and examples', ''
			}
		}
		'report' = @{
			Summary = 'say why memory ran out'
			Operands = '@file @folder'
			Options = [ordered]@{
				'--format' = 'text (default), json, or markdown, nothing private', 'text json markdown'
				'--explain' = 'all facts, the whole ledger, all margins', ''
				'--write' = 'write NAME.report.txt and .json beside each file', ''
				'--help' = 'options and examples', ''
			}
		}
		'list' = @{
			Summary = 'list recordings'
			Operands = '@folder'
			Options = [ordered]@{
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'info' = @{
			Summary = 'print what a recording has, or where they go'
			Operands = '@file'
			Options = [ordered]@{
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'stat' = @{
			Summary = 'print what a process holds now'
			Operands = '@process @file'
			Options = [ordered]@{
				'--interval' = 'print a line every so often while it runs', '@any'
				'--format' = 'text (default) or json', 'text json'
				'--help' = 'options and examples', ''
			}
		}
		'prune' = @{
			Summary = 'remove recordings that are old or too many'
			Operands = '@folder'
			Options = [ordered]@{
				'--all' = 'also of OOMs that nobody has read about', ''
				'--dry-run' = 'say what would be removed', ''
				'--help' = 'options and examples', ''
			}
		}
		'metrics' = @{
			Summary = 'print numbers for Prometheus'
			Operands = '@folder'
			Options = [ordered]@{
				'--output' = 'file, replaced at once; -: standard output (default)', '@file'
				'--help' = 'options and examples', ''
			}
		}
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

	function Add-Values($what, $value) {
		foreach ($word in -split $what) {
			switch ($word) {
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
