// SPDX-License-Identifier: Apache-2.0
/*
 * What PowerShell gives a child: tests/data/powershell.jsonl holds what a real
 * pwsh 7.6.9 on Linux gave; the table here is what the documentation of the
 * language says of lines that were not run.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "util/util.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

#define TORCH "PYTORCH_CUDA_ALLOC_CONF"

static const char *const short_name[] = { "V", NULL };

/* NULL: the child has no such variable. */
static const struct {
	const char *text, *value;
} documented[] = {
	{ "$env:V = \"expandable_segments:True\"", "expandable_segments:True" },
	{ "$x=1..3; $env:V=\"$x\"", "1 2 3" },
	{ "$env:V=1..3 -join \",\"", "1,2,3" },
	{ "$env:V=\"a\",\"b\" -join \",\"", "a,b" },
	{ "$env:V = if ($true) {\"a:1\"} else {\"b:2\"}", "a:1" },
	{ "$env:V = switch (2) { 1 {\"a\"} 2 {\"b\"} default {\"c\"} }", "b" },
	{ "$env:V = foreach ($i in 1..3) {\"k$i\"}", "k1 k2 k3" },
	{ "$env:V = $true \? \"y\" : \"n\"", "y" },
	{ "$env:V = $null \?\? \"a:1\"", "a:1" },
	{ "$env:V \?\?= \"a:1\"", "a:1" },
	{ "$env:V=\"x\"; $env:V \?\?= \"a:1\"", "x" },
	{ "$env:V=\"max_split_size_mb:128\" -replace '\\d+','256'",
	  "max_split_size_mb:256" },
	{ "$env:V=\"a:1,b:2\" -replace '(\\w):(\\d)','$2:$1'", "1:a,2:b" },
	{ "$env:V=\"abc\".Replace(\"b\",\"x\").ToUpper()", "AXC" },
	{ "$env:V=\" a:1 \".Trim()", "a:1" },
	{ "$env:V=\"a:1,b:2\".Split(\",\")[1]", "b:2" },
	{ "$env:V=(\"a:1,b:2\" -split \",\")[0]", "a:1" },
	{ "$env:V=\"a\"*3", "aaa" },
	{ "$env:V=[string]::Join(\",\", \"a\",\"b\")", "a,b" },
	{ "$env:V=[string]::Join(\",\", @(\"a\",\"b\"))", "a,b" },
	{ "$env:V=[string]::Format(\"{0}:{1}\", \"a\", 1)", "a:1" },
	{ "$env:V=\"{0:N2}\" -f 1234.567", "1,234.57" },
	{ "$env:V=\"{0,5}|{1,-5}|\" -f \"a\",\"b\"", "    a|b    |" },
	{ "$env:V=\"{0:D3}\" -f 7", "007" },
	{ "$env:V=\"{0:X}\" -f 255", "FF" },
	{ "function f($v) { $env:V = $v }; f \"a:1\"", "a:1" },
	{ "function f { param([string]$Conf=\"d:1\") $env:V = $Conf }; f -Conf \"a:1\"",
	  "a:1" },
	{ "function f { param([string]$Conf=\"d:1\") $env:V = $Conf }; f",
	  "d:1" },
	{ "function f { $env:V = \"a:1\" }", NULL },
	{ "$h=@{a=1}; $env:V=\"$($h['a'])\"", "1" },
	{ "$env:V=@'\na:1\nb:2\n'@", "a:1\nb:2" },
	{ "$n=5\n$env:V=@\"\na:$n\n\"@", "a:5" },
	{ "$env:V=1KB", "1024" },
	{ "$env:V=0x10", "16" },
	{ "$env:V=1e3", "1000" },
	{ "$env:V=7/2", "3.5" },
	{ "$env:V=8/2", "4" },
	{ "$env:V=10%3", "1" },
	{ "$env:V=\"5\"+3", "53" },
	{ "$env:V=5+\"3\"", "8" },
	{ "$env:V=[int]\"12\"+1", "13" },
	{ "$env:V=[int]2.5", "2" },
	{ "$env:V=[int]3.5", "4" },
	{ "$env:V=[bool]1", "True" },
	{ "$env:V=\"a\" -eq \"A\"", "True" },
	{ "$env:V=\"a\" -ceq \"A\"", "False" },
	{ "$env:V=!$true", "False" },
	{ "$env:V=-not $true", "False" },
	{ "$env:V=(1,2,3).Count", "3" },
	{ "$env:V=@(1,2,3).Length", "3" },
	{ "$env:V=$null", NULL },
	{ "$env:V=$(echo a:1)", "a:1" },
	{ "$env:V=Write-Output \"a:1\"", "a:1" },
	{ "$env:V=echo a:1 b:2", "a:1 b:2" },
	{ "$env:V=\"a:1\"|ForEach-Object { $_ + \",b:2\" }", "a:1,b:2" },
	{ "$env:V=\"a:1\"|% { \"$_,b\" }", "a:1,b" },
	{ "$env:V=1..3|Where-Object { $_ -gt 1 }", "2 3" },
	{ "$env:V=1..5|Select-Object -First 2", "1 2" },
	{ "\"a:1\" | Set-Item Env:V", "a:1" },
	{ "$env:V=\"a:1\"; $env:W=$env:V; $env:V=\"$env:W,b\"", "a:1,b" },
	{ "$env:V=\"a:1\"; Copy-Item Env:V Env:X; Remove-Item Env:V; $env:V=$env:X",
	  "a:1" },
	{ "if (Test-Path Env:V) { $env:V=\"a\" } else { $env:V=\"b\" }", "b" },
	{ "$env:V=\"a:1\"; $env:V=(Get-Item Env:V).Value+\",c\"", "a:1,c" },
	{ "$env:V=\"a:1\"; $env:V=(gi env:V).Name", "V" },
	{ "$i=0; while ($i -lt 3) { $i++ }; $env:V=\"a:$i\"", "a:3" },
	{ "for ($i=0; $i -lt 3; $i++) { $env:V += \"$i\" }", "012" },
	{ "do { $j++ } until ($j -ge 4); $env:V=\"$j\"", "4" },
	{ "try { throw \"x\" } catch { $env:V=\"c\" } finally { $env:V+=\"f\" }",
	  "cf" },
	{ "try { [int]\"abc\" } catch { $env:V=\"caught\" }", "caught" },
	{ "try { nosuch_cmd } catch { $env:V=\"caught\" }", "caught" },
	{ "& { $env:V=\"a:1\" }", "a:1" },
	{ ". { $env:V=\"a:1\" }", "a:1" },
	{ "$sb={ $env:V=\"a:1\" }; & $sb", "a:1" },
	{ "$sb={ param($x) $env:V=$x }; & $sb \"q\"", "q" },
	{ "iex '$env:V=\"a:1\"'", "a:1" },
	{ "Start-Job { $env:V=\"a:1\" } | Wait-Job", NULL },
	{ "pwsh -Command '$env:V=\"a:1\"'", NULL },
	{ "pwsh -NoProfile -c { $env:V=\"a:1\" }", NULL },
	{ "export V=a:1", NULL },
	{ "V=a:1", NULL },
	{ "V=\"a:1\"", NULL },
	{ "$env:V=“a:1”", "a:1" },
	{ "$env:V=‘a:1’", "a:1" },
	{ "$env:V=\"$n:128\"", "" },
	{ "$n=5; $env:V=\"a$n:128,x\"", "a,x" },
	{ "$n=5; $env:V=\"a${n}:128,x\"", "a5:128,x" },
	{ "$n=5; $env:V=\"a:$n`:x\"", "a:5:x" },
	{ "$p=@{Path=\"Env:V\"; Value=\"a:1\"}; Set-Item @p", "a:1" },
	{ "$env:V=@{a=1}.a", "1" },
	{ "$env:V=[pscustomobject]@{a=1;b=2}", "@{a=1; b=2}" },
	{ "$env:V=[ordered]@{a=1}",
	  "System.Collections.Specialized.OrderedDictionary" },
	{ "$a,$b=\"x\",\"y\"; $env:V=\"$a$b\"", "xy" },
	{ "$a,$b=1,2,3; $env:V=\"$b\"", "2 3" },
	{ "$env:V=\"a:1\" -f", NULL },
	{ "$env:V=\"a:1\" +", NULL },
	{ "$env:V=(", NULL },
	{ "$env:V=\"a:1\"; }", NULL },
	{ "$env:V=\"a\" \"b\"", NULL },
	{ "$env:V = \"a:1\"; exit; $env:V=\"b\"", "a:1" },
	{ "$env:V = \"a:1\"; return; $env:V=\"b\"", "a:1" },
	{ "$env:V = \"a:1\"; throw \"x\"; $env:V=\"b\"", "a:1" },
	{ "$env:V = \"a:1\"; 1/0; $env:V=\"b\"", "b" },
	{ "$env:V='it''s'", "it's" },
	{ "$env:V=\"`u{41}\"", "A" },
	{ "$env:V=a:1,b:2", NULL },
	{ "$env:V=128", "128" },
	{ "$env:V=-1", "-1" },
	{ "$env:V=+1", "1" },
	{ "$env:V=1.0", "1" },
	{ "$env:V=.5", "0.5" },
	{ "$env:V=1,2,3", "1 2 3" },
	{ "$env:V=,1", "1" },
	{ "$env:V=$true,$false", "True False" },
	{ "$env:V=[char]65", "A" },
	{ "$env:V=[string][char]65+\"b\"", "Ab" },
	{ "$env:V=\"abc\".Substring(1)", "bc" },
	{ "$env:V=\"abc\".Length", "3" },
	{ "$env:V=\"abc\"[0]", "a" },
	{ "$env:V=-join (\"a\",\"b\")", "ab" },
	{ "$env:V=-join \"a\",\"b\"", "a b" },
	{ "$env:V=\"abc\"[0,1]", "a b" },
	{ "$env:V=\"abc\"[-1]", "c" },
	{ "$OFS=\",\"; $env:V=\"$(1..3)\"", "1,2,3" },
	{ "$OFS=\",\"; $env:V=@(\"a\",\"b\") -join \";\"", "a;b" },
	{ "New-Item Env:V -Value a:1", "a:1" },
	{ "New-Item -Path Env: -Name V -Value a:1", "a:1" },
	{ "New-Item -Path Env:\\ -Name V -Value a:1", "a:1" },
	{ "Set-Item -LiteralPath Env:V -Value \"a:1\"", "a:1" },
	{ "[Environment]::SetEnvironmentVariable('V','a:1','Process')", "a:1" },
	{ "[Environment]::SetEnvironmentVariable('V','a:1','Machine')", NULL },
	{ "[Environment]::SetEnvironmentVariable('V',$null)", "" },
	{ "[System.Environment]::SetEnvironmentVariable(\"V\", \"a:$(64*2)\")",
	  "a:128" },
	{ "$env:V=\"a:1\"; [Environment]::SetEnvironmentVariable('V',[Environment]::GetEnvironmentVariable('V')+\",b\")",
	  "a:1,b" },
	{ "$env:V=[math]::Pow(2,3)", "8" },
	{ "$env:V=[math]::Max(1,5)", "5" },
	{ "$env:V=[math]::Floor(3.7)", "3" },
	{ "$env:V=\"a:1\" # comment", "a:1" },
	{ "$env:V = `\n \"a:1\"", "a:1" },
	{ "$env:V =\n \"a:1\"", "a:1" },
	{ "$env:V = \"a:1\" +\n \",b\"", "a:1,b" },
	{ "$l=@(); $l+=\"a\"; $l+=\"b\"; $env:V=$l -join \",\"", "a,b" },
	{ "$h=[ordered]@{a=1;b=2}; $env:V=($h.GetEnumerator()|%{\"$($_.Key):$($_.Value)\"}) -join \",\"",
	  "a:1,b:2" },
	{ "$h=[ordered]@{a=1;b=2}; $env:V=($h.Keys|%{\"${_}:$($h[$_])\"}) -join \",\"",
	  "a:1,b:2" },
	{ "\"x\" -match \"x(.*)\" | Out-Null; $env:V=\"$($Matches[0])\"", "x" },
	{ "if (\"a:128\" -match \"(\\d+)\") { $env:V=$Matches[1] }", "128" },
	{ "$env:V=\"a\" -like \"a*\"", "True" },
	{ "$env:V=3 -in 1,2,3", "True" },
	{ "$env:V=1,2,3 -contains 5", "False" },
	{ "$env:V=5 -band 3", "1" },
	{ "$env:V=1 -shl 4", "16" },
	{ "$script:V=\"a:1\"", NULL },
	{ "sv V a:1", NULL },
	{ "set-item env:V a:1 -Force", "a:1" },
	{ "$env:V=\"a:1\" > $null", "" },
	{ "$env:V=\"a:1\" 2>&1", "a:1" },
	{ "$null = $env:V = \"a:1\"", "a:1" },
	{ "[void]($env:V = \"a:1\")", "a:1" },
	{ "($env:V = \"a:1\")", "a:1" },
	{ "if ($env:V -eq $null) { $env:V=\"a\" }", "a" },
	{ "if (-not $env:V) { $env:V=\"a\" }", "a" },
	{ "if (!$env:V) { $env:V=\"a\" }", "a" },
	{ "\"a:1\",\"b:2\" | % { $env:V=$_ }", "b:2" },
	{ "1..3 | % { $env:V=\"k:$_\" }", "k:3" },
	{ "foreach ($v in \"a:1\",\"b:2\") { $env:V=$v }", "b:2" },
	{ "switch -wildcard (\"abc\") { \"a*\" { $env:V=\"w\" } }", "w" },
	{ "switch -regex (\"abc\") { \"^a\" { $env:V=\"r\" } }", "r" },
	{ "$env:V=[int]$true", "1" },
	{ "$env:V=\"1\"+1", "11" },
	{ "$env:V=1+\"1\"", "2" },
	{ "$env:V=2*3+1", "7" },
	{ "$env:V=\"a\"+1+2", "a12" },
	{ "$env:V=\"a\" + (1+2)", "a3" },
	{ "$env:V=\"True\" -eq $true", "True" },
	{ "$env:V=@(\"a:1\")", "a:1" },
	{ "$env:V=@(\"a\",\"b\")[1]", "b" },
	{ "$env:V=\"a:$null\"", "a:" },
	{ "$env:V=\"\"", "" },
	{ "$env:V=''", "" },
	{ "$env:V=\" \"", " " },
	{ "$x=\"V\"; Set-Item \"Env:$x\" \"a:1\"", "a:1" },
	{ "$x=\"V\"; [Environment]::SetEnvironmentVariable($x,\"a:1\")",
	  "a:1" },
	{ "Set-Alias q Set-Item; q Env:V a:1", "a:1" },
	{ "cmd /c \"set V=a\"; $env:V=\"b\"", "b" },
	{ "$env:V=\"a:1\"; Remove-Item Env:\\V -ErrorAction SilentlyContinue",
	  NULL },
	{ "$env:V=\"a:1\"; del Env:V", NULL },
	{ "$env:V=\"a:1\"; rm Env:V", "a:1" },
	{ "$env:V=\"a:1\"; $env:V=foo_bar", "a:1" },
	{ "$env:V=\"a:1\"; set V=b", "a:1" },
	{ "$env:V=\"a:1\"; bash -c 'export V=b'", "a:1" },
	{ "$env:V=\"1\" + \"2\" * 2", "122" },
	{ "$env:V=10.5*2", "21" },
	{ "$env:V=1GB", "1073741824" },
	{ "$env:V=1GB/1MB", "1024" },
	{ "$env:V=\"$(1GB/1MB)\"", "1024" },
	{ "$env:V=\"a;b\"", "a;b" },
	{ "$env:V='$x'", "$x" },
	{ "$env:V=\"`$x\"", "$x" },
	{ "$env:V=\"a\" ; $env:V += 1", "a1" },
	{ "$env:V=1; $env:V+=1", "11" },
	{ "$x=1; $x+=1; $env:V=$x", "2" },
	{ "$x=\"5\"; $x*=2; $env:V=$x", "55" },
	{ "$env:V={a:1}", "a:1" },
	{ "$env:V=[string]$null", "" },
	{ "$env:V=\"a\",\"b\"|Select-Object -Last 1", "b" },
	{ "$env:V=@{a=1}.Count", "1" },
	{ "$env:V='{\"a\":1}'", "{\"a\":1}" },
	{ "$env:V=\"{0}\" -f 'a:1'", "a:1" },
	{ "$env:V='a:{0},b:{1}' -f 1,$true", "a:1,b:True" },
	{ "$env:V = 'a:1'.ToString()", "a:1" },
	{ "$env:V = (5).ToString()", "5" },
	{ "$env:V = \"a\" -ne \"b\" -and $true", "True" },
	{ "Invoke-Expression \"`$env:V='a:1'\"", "a:1" },
	{ "$env:V=\"$(if ($true) {'a:1'})\"", "a:1" },
	{ "$env:V=$(foreach ($k in 'a','b') { \"${k}:1\" }) -join ','",
	  "a:1,b:1" },
};

/*
 * What the documentation of the language says of lines as guides and scripts
 * have them, written before they were read: none may be wrong, and most have
 * to be told.
 */
enum answer {
	AS_IT_IS, /* the value is told */
	MAY_BE_OPEN, /* that only running could tell is no wrong answer */
	OPEN /* only running could tell */
};

#define LINUX LA_PLATFORM_LINUX
#define WINDOWS LA_PLATFORM_WINDOWS

static const struct {
	const char *text, *value;
	enum answer answer;
	enum la_platform platform;
} guides[] = {
	{ "if ([string]::IsNullOrWhiteSpace($env:V)) { $env:V = "
	  "\"a:1\" } elseif ($env:V -match \"x\") { $env:V = \"b:2\" "
	  "}",
	  "a:1", AS_IT_IS, LINUX },
	{ "if ($env:V -notmatch \"gc\") { $env:V = \"$env:V,gc:1\" }",
	  ",gc:1", AS_IT_IS, LINUX },
	{ "$env:V=\"a:1\"; if ($env:V -notmatch \"gc\") { $env:V = "
	  "\"$env:V,gc:1\" }",
	  "a:1,gc:1", AS_IT_IS, LINUX },
	{ "$old = $env:V; try { $env:V = \"a:1\"; python x } finally "
	  "{ if ($null -eq $old) { Remove-Item Env:V -ErrorAction "
	  "SilentlyContinue } else { $env:V = $old } }",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V = \"exp:True, a:1,b:2\"; $parts = @($env:V -split "
	  "\",\" | ForEach-Object { $_.Trim() } | Where-Object { $_ "
	  "-and ($_ -notmatch \"^exp\") }); $env:V = $parts -join "
	  "\",\"",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "${env:V} = 'a:1'; \"${env:V},b:2\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "$Env:V = \"a:1\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "$ENV:V = \"a:1\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "Set-Item -Path Env:V -Value (\"a:\" + 128)",
	  "a:128", AS_IT_IS, LINUX },
	{ "Set-Item env:\\V -Value 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "New-Item -Path Env:\\V -Value 'a:1' -Force | Out-Null",
	  "a:1", AS_IT_IS, LINUX },
	{ "Set-Content Env:V 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "Set-Content -Path Env:\\V -Value 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$conf = @{ Path = 'Env:V'; Value = 'a:1' }; New-Item "
	  "@conf | Out-Null",
	  "a:1", AS_IT_IS, LINUX },
	{ "$opts = [ordered]@{ max_split_size_mb = 128; "
	  "garbage_collection_threshold = 0.8 }; $env:V = "
	  "($opts.GetEnumerator() | ForEach-Object { '{0}:{1}' -f "
	  "$_.Key, $_.Value }) -join ','",
	  "max_split_size_mb:128,garbage_collection_threshold:0.8", AS_IT_IS, LINUX },
	{ "$env:V = 'max_split_size_mb:{0}' -f (64 * 2)",
	  "max_split_size_mb:128", AS_IT_IS, LINUX },
	{ "$mb = 256; $env:V = "
	  "\"max_split_size_mb:$mb,garbage_collection_threshold:0.8\"",
	  "max_split_size_mb:256,garbage_collection_threshold:0.8", AS_IT_IS, LINUX },
	{ "$k=\"m\"; $env:V = \"$($k):128\"",
	  "m:128", AS_IT_IS, LINUX },
	{ "$k=\"m\"; $env:V = \"$k`:128\"",
	  "m:128", AS_IT_IS, LINUX },
	{ "$k=\"m\"; $env:V = \"$k:128\"",
	  "", AS_IT_IS, LINUX },
	{ "$env:V = \"a:1\" + \",b:\" + 2",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = \"a:1,\", \"b:2\" -join \"\"",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = ($env:V, \"b:2\" | Where-Object { $_ }) -join "
	  "\",\"",
	  "b:2", AS_IT_IS, LINUX },
	{ "$env:V = \"a:1\" -replace \":\", \"=\"",
	  "a=1", AS_IT_IS, LINUX },
	{ "$env:V = (\"a:1;b:2\").Replace(\";\", \",\")",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = [string]::Concat(\"a\", \":\", 1)",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = \"a:1\".PadRight(5) + \"|\"",
	  "a:1  |", AS_IT_IS, LINUX },
	{ "$env:V = @\"\na:1,\nb:2\n\"@ -replace \"\\r?\\n\", \"\"",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = (@'\na:1\nb:2\n'@ -split \"\\r?\\n\") -join ','",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = if ($IsWindows) { 'a:1' } else { 'b:2' }",
	  "b:2", AS_IT_IS, LINUX },
	{ "$env:V = $IsLinux ? 'a:1' : 'b:2'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = if ($IsWindows) { 'a:1' } else { 'b:2' }",
	  "a:1", AS_IT_IS, WINDOWS },
	{ "$env:V = $env:W \?\? 'd:1'",
	  NULL, OPEN, LINUX },
	{ "switch ($true) { $true { $env:V = 'a:1' } }",
	  "a:1", AS_IT_IS, LINUX },
	{ "$gpu = 'A100'; switch -Wildcard ($gpu) { 'A*' { $env:V = "
	  "'a:1'; break } default { $env:V = 'd:1' } }",
	  "a:1", AS_IT_IS, LINUX },
	{ "switch (24) { { $_ -lt 12 } { $env:V='s:1' } { $_ -ge 12 "
	  "} { $env:V='l:1' } }",
	  "l:1", AS_IT_IS, LINUX },
	{ "foreach ($kv in @{ V = 'a:1' }.GetEnumerator()) { "
	  "Set-Item \"Env:$($kv.Key)\" $kv.Value }",
	  "a:1", AS_IT_IS, LINUX },
	{ "@{ V = 'a:1' }.GetEnumerator() | ForEach-Object { "
	  "[Environment]::SetEnvironmentVariable($_.Key, $_.Value) }",
	  "a:1", AS_IT_IS, LINUX },
	{ "\"V=a:1\",\"W=2\" | ForEach-Object { $n, $v = $_ -split "
	  "\"=\", 2; Set-Item \"Env:$n\" $v }",
	  "a:1", AS_IT_IS, LINUX },
	{ "function Set-Conf { param([int]$Mb = 128) $env:V = "
	  "\"max_split_size_mb:$Mb\" }; Set-Conf -Mb 512",
	  "max_split_size_mb:512", AS_IT_IS, LINUX },
	{ "function f { $env:V = 'a:1' }; f | Out-Null",
	  "a:1", AS_IT_IS, LINUX },
	{ "Invoke-Command -ScriptBlock { $env:V = 'a:1' }",
	  "a:1", AS_IT_IS, LINUX },
	{ "Invoke-Command -ComputerName gpu01 -ScriptBlock { $env:V "
	  "= 'a:1' }",
	  NULL, OPEN, LINUX },
	{ "Start-Process python -ArgumentList 'x.py' -Environment @{ "
	  "V = 'a:1' }",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V='a:1'; Start-Process python -ArgumentList x.py "
	  "-UseNewEnvironment",
	  "a:1", AS_IT_IS, WINDOWS },
	{ "cmd /c \"set V=a:1 && python x.py\"",
	  "a:1 ", AS_IT_IS, WINDOWS },
	{ "cmd /c \"set V=a:1&& python x.py\"",
	  "a:1", AS_IT_IS, WINDOWS },
	{ "& cmd /c 'set \"V=a:1\" & python x.py'",
	  "a:1", AS_IT_IS, WINDOWS },
	{ "setx V a:1; $env:V = 'b:2'",
	  "b:2", AS_IT_IS, WINDOWS },
	{ "setx V \"a:1\"",
	  NULL, AS_IT_IS, WINDOWS },
	{ "reg add HKCU\\Environment /v V /t REG_SZ /d a:1 /f",
	  NULL, AS_IT_IS, WINDOWS },
	{ "conda env config vars set V=a:1",
	  NULL, AS_IT_IS, LINUX },
	{ "Add-Content $PROFILE '$env:V = \"a:1\"'",
	  NULL, AS_IT_IS, LINUX },
	{ "'$env:V = \"a:1\"' | Add-Content $PROFILE",
	  NULL, AS_IT_IS, LINUX },
	{ "echo '$env:V = \"a:1\"' >> $PROFILE",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V='a:1'; Remove-Item -Path Env:\\V",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V='a:1'; Clear-Item Env:V",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V='a:1'; Clear-Variable V",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V='a:1'; Remove-Variable V -ErrorAction Ignore",
	  "a:1", AS_IT_IS, LINUX },
	{ "[System.Environment]::SetEnvironmentVariable('V', 'a:1', "
	  "[System.EnvironmentVariableTarget]::User)",
	  NULL, AS_IT_IS, WINDOWS },
	{ "[Environment]::SetEnvironmentVariable('V', 'a:1', "
	  "[EnvironmentVariableTarget]::Process)",
	  "a:1", AS_IT_IS, LINUX },
	{ "[Environment]::SetEnvironmentVariable('V','a:1','User'); "
	  "$env:V = [Environment]::GetEnvironmentVariable('V','User')",
	  NULL, OPEN, WINDOWS },
	{ "[Environment]::SetEnvironmentVariable('V','a:1','User'); "
	  "$env:V = [Environment]::GetEnvironmentVariable('V','User')",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:Path += \";C:\\x\"; $env:V = \"a:1\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "bash -c \"V=a:1 python x.py\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "bash -c \"export V=a:1\"",
	  NULL, AS_IT_IS, LINUX },
	{ "pwsh -NoProfile -Command { $env:V = 'a:1'; python x.py }",
	  "a:1", AS_IT_IS, LINUX },
	{ "powershell -Command \"$env:V = 'a:1'; python x.py\"",
	  NULL, AS_IT_IS, WINDOWS },
	{ "powershell -Command '$env:V = \"a:1\"; python x.py'",
	  NULL, OPEN, WINDOWS },
	{ "$env:V='a:1'; python --% x.py \"a b\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "$PSDefaultParameterValues['Set-Item:Value'] = 'z:1'; "
	  "Set-Item Env:V",
	  NULL, OPEN, LINUX },
	{ "$env:V = 'a:1' # max 'quoted' comment",
	  "a:1", AS_IT_IS, LINUX },
	{ "<# $env:V = 'x:1' #> $env:V = 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "#$env:V = 'a:1'",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V <# c #> = 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = \"a``b\"",
	  "a`b", AS_IT_IS, LINUX },
	{ "$env:V = \"tab`there\"",
	  "tab\there", AS_IT_IS, LINUX },
	{ "$env:V = \"q\"\"q\"",
	  "q\"q", AS_IT_IS, LINUX },
	{ "$env:W='a:1'; Rename-Item Env:W V",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:W='a:1'; Copy-Item Env:W Env:V",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = $env:W",
	  NULL, OPEN, LINUX },
	{ "$env:V = \"$env:W\"",
	  NULL, OPEN, LINUX },
	{ "$env:V = \"gc:\" + 0.80",
	  "gc:0.8", AS_IT_IS, LINUX },
	{ "$env:V = \"gc:{0:N2}\" -f 0.8",
	  "gc:0.80", AS_IT_IS, LINUX },
	{ "$env:V = \"gc:$(0.8)\"",
	  "gc:0.8", AS_IT_IS, LINUX },
	{ "$env:V = 'gc:' + (0.5 + 0.3)",
	  "gc:0.8", AS_IT_IS, LINUX },
	{ "1..3 | ForEach-Object -Begin { $s = @() } -Process { $s "
	  "+= \"k$_\" } -End { $env:V = $s -join ',' }",
	  "k1,k2,k3", AS_IT_IS, LINUX },
	{ "$env:V = 'x'.GetType().Name",
	  "String", MAY_BE_OPEN, LINUX },
	{ "trap { $env:V = 't:1'; continue } throw 'x'",
	  NULL, OPEN, LINUX },
	{ "try { throw 'a' } catch [System.Exception] { $env:V = "
	  "'c:1' }",
	  "c:1", AS_IT_IS, LINUX },
	{ "$env:V = &{ 'a:1' }",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = & { param($m) \"max:$m\" } 64",
	  "max:64", AS_IT_IS, LINUX },
	{ "$sb = [scriptblock]::Create('$env:V = \"a:1\"'); & $sb",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "$f = { $env:V = $args[0] }; & $f 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$f = { $env:V = $args[0] }; $f.Invoke('a:1')",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "filter S { $env:V = $_ }; 'a:1' | S",
	  "a:1", AS_IT_IS, LINUX },
	{ "function S { process { $env:V = $_ } }; 'a:1','b:2' | S",
	  "b:2", AS_IT_IS, LINUX },
	{ "function S { [CmdletBinding()] "
	  "param([Parameter(ValueFromPipeline)][string]$C) process { "
	  "$env:V = $C } }; 'a:1' | S",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "while ($true) { $env:V='a:1'; break }",
	  "a:1", AS_IT_IS, LINUX },
	{ "do { $env:V = 'a:1' } while ($false)",
	  "a:1", AS_IT_IS, LINUX },
	{ "for ($i = 0; $i -lt 3; $i++) { if ($i -eq 1) { continue "
	  "}; $env:V = \"i:$i\" }",
	  "i:2", AS_IT_IS, LINUX },
	{ ":outer foreach ($a in 1,2) { foreach ($b in 1,2) { if ($b "
	  "-eq 2) { continue outer }; $env:V = \"$a$b\" } }",
	  "21", MAY_BE_OPEN, LINUX },
	{ "class C { static [void] S() { $env:V = 'a:1' } }; [C]::S()",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "$env:V = (Get-Content conf.txt -Raw).Trim()",
	  NULL, OPEN, LINUX },
	{ "$env:V = $(nvidia-smi -L)",
	  NULL, OPEN, LINUX },
	{ "$m = Read-Host; $env:V = \"max:$m\"",
	  NULL, OPEN, LINUX },
	{ "param([string]$Conf = 'a:1')\n$env:V = $Conf",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = $args[0]",
	  NULL, OPEN, LINUX },
	{ "$env:V = \"$PSScriptRoot\"",
	  NULL, OPEN, LINUX },
	{ "using namespace System\n[Environment]::SetEnvironmentVaria"
	  "ble('V','a:1')",
	  "a:1", AS_IT_IS, LINUX },
	{ "Import-Module ./m.psm1; $env:V = 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V='a:1' && python x.py",
	  NULL, OPEN, LINUX },
	{ "$env:V='a:1'; python x.py && echo done",
	  "a:1", AS_IT_IS, LINUX },
	{ "\"V\",\"W\" | % { Set-Item \"env:$_\" \"a:1\" }",
	  "a:1", AS_IT_IS, LINUX },
	{ "$name = 'V'; New-Item -Path Env:\\ -Name $name -Value "
	  "'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1' -as [string]",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = 'A:1'.ToLower()",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1'.Insert(3, ',b:2')",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1,b:2' -split ',' -join ';'",
	  "a:1;b:2", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1,b:2,c:3' -split ',' | Select-Object -Skip 1 "
	  "| Join-String -Separator ','",
	  "b:2,c:3", MAY_BE_OPEN, LINUX },
	{ "$env:V = 'a:1','b:2' | Join-String -Separator ','",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = ('b:2','a:1' | Sort-Object) -join ','",
	  "a:1,b:2", MAY_BE_OPEN, LINUX },
	{ "Set-Variable x 'a:1'; $env:V = $x",
	  "a:1", AS_IT_IS, LINUX },
	{ "$x='a:1'; $env:V = (Get-Variable x).Value",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "$script:c = 'a:1'; function f { $env:V = $script:c }; f",
	  "a:1", AS_IT_IS, LINUX },
	{ "$global:c = 'a:1'; & { $env:V = $global:c }",
	  "a:1", AS_IT_IS, LINUX },
	{ "function f { $c = 'in' }; $c='out'; f; $env:V=$c",
	  "out", AS_IT_IS, LINUX },
	{ "function f { $script:c = 'in' }; $c='out'; f; $env:V=$c",
	  "in", AS_IT_IS, LINUX },
	{ "function f { return 'a:1' }; $env:V = f",
	  "a:1", AS_IT_IS, LINUX },
	{ "function f($a, $b) { \"$a,$b\" }; $env:V = f 'a:1' 'b:2'",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "function f($a, $b) { \"$a,$b\" }; $env:V = f('a:1','b:2')",
	  "a:1 b:2,", AS_IT_IS, LINUX },
	{ "$a = \"a:1\",\"b:2\"; $env:V = \"$($a[0]),$($a[1])\"",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$a = \"a:1\",\"b:2\"; $env:V = \"$a[0]\"",
	  "a:1 b:2[0]", AS_IT_IS, LINUX },
	{ "$h = @{ v = 'a:1' }; $env:V = $h.v",
	  "a:1", AS_IT_IS, LINUX },
	{ "$h = @{ v = 'a:1' }; $env:V = \"$h.v\"",
	  "System.Collections.Hashtable.v", AS_IT_IS, LINUX },
	{ "$h = @{ v = 'a:1' }; $env:V = $h['v']",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = ('{\"a\":1}' | ConvertFrom-Json).a",
	  "1", MAY_BE_OPEN, LINUX },
	{ "if (Get-Command nvidia-smi -ErrorAction SilentlyContinue) "
	  "{ $env:V='a:1' }",
	  NULL, OPEN, LINUX },
	{ "if ($LASTEXITCODE -eq 0) { $env:V='a:1' }",
	  NULL, OPEN, LINUX },
	{ "if ($PSVersionTable.PSVersion.Major -ge 7) { $env:V='a:1' "
	  "} else { $env:V='b:1' }",
	  NULL, OPEN, LINUX },
	{ "if (Test-Path ./x) { $env:V='a:1' }",
	  NULL, OPEN, LINUX },
	{ "try { Get-Item nofile -ErrorAction Stop; $env:V = 'a' } "
	  "catch { $env:V = 'b' }",
	  NULL, OPEN, LINUX },
	{ "$ErrorActionPreference='Stop'; $env:V='a:1'; "
	  "nosuch-command; $env:V='b:1'",
	  "b:1", AS_IT_IS, LINUX },
	{ "Set-StrictMode -Version Latest; $env:V = \"a:$undefined\"",
	  NULL, OPEN, LINUX },
	{ "$mb = 128; $env:V = \"max:$Mb\"",
	  "max:128", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1'.Split(':')[-1]",
	  "1", AS_IT_IS, LINUX },
	{ "Start-ThreadJob { $env:V = 'a:1' }",
	  NULL, OPEN, LINUX },
	{ "1..2 | ForEach-Object -Parallel { $env:V = \"p:$_\" }",
	  NULL, OPEN, LINUX },
	{ "Start-Job -ScriptBlock { $env:V = 'a:1'; python x.py } | "
	  "Receive-Job -Wait",
	  NULL, AS_IT_IS, LINUX },
	{ "$psi = New-Object System.Diagnostics.ProcessStartInfo "
	  "'python'; $psi.EnvironmentVariables['V'] = 'a:1'",
	  NULL, AS_IT_IS, LINUX },
	{ "$psi = [System.Diagnostics.ProcessStartInfo]::new('python'"
	  "); $psi.Environment.Add('V','a:1')",
	  NULL, AS_IT_IS, LINUX },
	{ "Set-ItemProperty -Path HKCU:\\Environment -Name V -Value "
	  "'a:1'",
	  NULL, AS_IT_IS, WINDOWS },
	{ "New-ItemProperty -Path 'HKCU:\\Environment' -Name 'V' "
	  "-Value 'a:1' -PropertyType String",
	  NULL, AS_IT_IS, WINDOWS },
	{ "docker run -e V=a:1 --gpus all img",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V='a:1'; docker run -e \"V=$env:V\" img",
	  "a:1", AS_IT_IS, LINUX },
	{ "PS> $env:V = \"a:1\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V=\"a:1\" python x.py",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V=\"a:1\" | python x.py",
	  NULL, OPEN, LINUX },
	{ "env:V=\"a:1\"",
	  NULL, AS_IT_IS, LINUX },
	{ "$V=\"a:1\"",
	  NULL, AS_IT_IS, LINUX },
	{ "$env.V = \"a:1\"",
	  NULL, AS_IT_IS, LINUX },
	{ "set $env:V=\"a:1\"",
	  NULL, AS_IT_IS, LINUX },
	{ "Set-Item Env:V a:1,b:2",
	  "a:1 b:2", AS_IT_IS, LINUX },
	{ "Set-Item Env:V \"a:1\" -PassThru | Out-Null",
	  "a:1", AS_IT_IS, LINUX },
	{ "Set-Item Env:V \"a:1\" -WhatIf",
	  NULL, AS_IT_IS, LINUX },
	{ "$WhatIfPreference = $true; Set-Item Env:V 'a:1'",
	  NULL, OPEN, LINUX },
	{ "$env:V = [Environment]::GetEnvironmentVariable('V') \?\? "
	  "'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = $env:V ? $env:V : 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = ($env:V) -or 'a:1'",
	  "True", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1' -and 'b'",
	  "True", AS_IT_IS, LINUX },
	{ "$a,$env:V = 'x','a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V, $env:W = 'a:1', 'b:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = $env:W = 'a:1'",
	  "a:1", AS_IT_IS, LINUX },
	{ "[void](Set-Item Env:V 'a:1')",
	  "a:1", AS_IT_IS, LINUX },
	{ "$x='a:1'; Invoke-Expression \"`$env:V = '$x'\"",
	  "a:1", AS_IT_IS, LINUX },
	{ "'$env:V = \"a:1\"' | iex",
	  "a:1", AS_IT_IS, LINUX },
	{ "$c = '$env:V = \"a:1\"'; Invoke-Expression -Command $c",
	  "a:1", AS_IT_IS, LINUX },
	{ "if ($true) { $env:V = 'a:1' } elseif (Test-Path x) { "
	  "$env:V = 'b' } else { $env:V = 'c' }",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1'; if (Test-Path x) { $env:V = 'b:2' }",
	  NULL, OPEN, LINUX },
	{ "$e = @{}; $e['V'] = 'a:1'; foreach ($k in $e.Keys) { "
	  "Set-Item -Path Env:$k -Value $e[$k] }",
	  "a:1", AS_IT_IS, LINUX },
	{ "foreach ($l in 'V=a:1','W=b') { if ($l -match "
	  "'^(\\w+)=(.*)$') { [Environment]::SetEnvironmentVariable($"
	  "Matches[1], $Matches[2], 'Process') } }",
	  "a:1", AS_IT_IS, LINUX },
	{ "Get-Content .env | ForEach-Object { $n,$v = $_ -split "
	  "'=',2; Set-Item \"Env:$n\" $v }",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V = 'a:1'\n& 'C:\\x\\activate.ps1'\npython x.py",
	  "a:1", AS_IT_IS, LINUX },
	{ "Push-Location x; $env:V='a:1'; Pop-Location",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = \"a:1\"\nif (-not $?) { $env:V = 'b' }",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "& python -c \"print('x')\"; if ($LASTEXITCODE -ne 0) { "
	  "throw 'x' }; $env:V = 'a:1'",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "$env:V = (1,2,3 | Measure-Object -Sum).Sum",
	  "6", MAY_BE_OPEN, LINUX },
	{ "$env:V = 'mb:' + [math]::Round(127.6)",
	  "mb:128", AS_IT_IS, LINUX },
	{ "$env:V = \"mb:$([int](24GB / 192MB))\"",
	  "mb:128", AS_IT_IS, LINUX },
	{ "$vram = 24; $env:V = if ($vram -ge 24) { 'l:1' } elseif "
	  "($vram -ge 12) { 'm:1' } else { 's:1' }",
	  "l:1", AS_IT_IS, LINUX },
	{ "$d = 'a:1'; if ($PSBoundParameters.ContainsKey('Conf')) { "
	  "$d = $Conf }; $env:V = $d",
	  NULL, OPEN, LINUX },
	{ "$l = [System.Collections.Generic.List[string]]::new(); "
	  "$l.Add('a:1'); $l.Add('b:2'); $env:V = $l -join ','",
	  "a:1,b:2", MAY_BE_OPEN, LINUX },
	{ "$sb = New-Object System.Text.StringBuilder; "
	  "[void]$sb.Append('a:1'); $env:V = $sb.ToString()",
	  "a:1", MAY_BE_OPEN, LINUX },
	{ "$x = 'a:1'; Set-Alias se Set-Item; se -Path Env:V -Value "
	  "$x",
	  "a:1", AS_IT_IS, LINUX },
	{ "New-Alias se Set-Item; se Env:V a:1",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = \"line1`nline2\"",
	  "line1\nline2", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1'; $env:V = $env:V.TrimEnd('1') + '2'",
	  "a:2", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1' + [Environment]::NewLine",
	  "a:1\n", AS_IT_IS, LINUX },
	{ "$env:V = 'a:1'; & { $env:V = 'b:2'; python x.py }; python "
	  "y.py",
	  "b:2", AS_IT_IS, LINUX },
	{ "$env:V = \"$(('a:1','b:2') -join ',')\"",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$OFS = ','; $env:V = \"$('a:1','b:2')\"",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$OFS = ','; $env:V = 'a:1','b:2'",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = (& { 'a:1'; 'b:2' }) -join ','",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = $(\n 'a:1'\n)",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = (\n'a:1' +\n',b:2'\n)",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "function global:f { $env:V='a:1' }; f",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = 'x'; function f { Remove-Item Env:V }; f",
	  NULL, AS_IT_IS, LINUX },
	{ "workflow w { $env:V = 'a:1' }",
	  NULL, OPEN, LINUX },
	{ "begin { $env:V = 'a:1' } end { python x.py }",
	  "a:1", AS_IT_IS, LINUX },
	{ "if ($env:OS -eq 'Windows_NT') { $env:V = 'a:1' } else { "
	  "$env:V = 'b:2' }",
	  "a:1", MAY_BE_OPEN, WINDOWS },
	{ "$env:V = 'a:1' | Tee-Object -Variable x",
	  "a:1", AS_IT_IS, LINUX },
	{ "$env:V = Get-Date -Format yyyy",
	  NULL, OPEN, LINUX },
	{ "$env:V = Join-Path 'a' 'b'",
	  "a/b", MAY_BE_OPEN, LINUX },
	{ "'a:1' | Set-Variable x; $env:V = $x",
	  "a:1", AS_IT_IS, LINUX },
	{ "& { [CmdletBinding()] param() $env:V = 'a:1' }",
	  "a:1", AS_IT_IS, LINUX },
	{ "Set-Item -Path Env:V",
	  NULL, AS_IT_IS, LINUX },
	{ "Set-Item Env:V ''",
	  "", AS_IT_IS, LINUX },
	{ "Set-Item Env:V $null",
	  NULL, AS_IT_IS, LINUX },
	{ "$env:V = '{0}:{1},{2}:{3}' -f 'a',1,'b',2",
	  "a:1,b:2", AS_IT_IS, LINUX },
	{ "$env:V = 'a:{0}' -f 'x','y'",
	  "a:x", AS_IT_IS, LINUX },
	{ "$env:V = 'a:{0}{1}' -f 'x'",
	  NULL, MAY_BE_OPEN, LINUX },
	{ "$env:V = '{{a}}:{0}' -f 1",
	  "{a}:1", AS_IT_IS, LINUX },
	{ "$env:V = 'aXbXc' -split 'x' -join ','",
	  "a,b,c", AS_IT_IS, LINUX },
	{ "$env:V = 'aXb' -csplit 'x' -join ','",
	  "aXb", AS_IT_IS, LINUX },
	{ "$env:V = 'AbC' -creplace 'b','z'",
	  "AzC", AS_IT_IS, LINUX },
	{ "$env:V = 'max:1' -replace '(?<n>\\d)','${n}28'",
	  "max:128", MAY_BE_OPEN, LINUX },
	{ "$env:V='a:1' -replace 'a',{ 'z' }",
	  "z:1", MAY_BE_OPEN, LINUX },
	{ "$env:V = 'a.b' -replace '.','x'",
	  "xxx", AS_IT_IS, LINUX },
	{ "$env:V = 'a$b' -replace '\\$','S'",
	  "aSb", AS_IT_IS, LINUX },
};

static struct la_script *read_text(const char *text, const char *const *watched,
				   enum la_platform platform)
{
	struct la_script_options options = { .kind = LA_SCRIPT_POWERSHELL,
					     .platform = platform,
					     .watched = watched };
	struct la_script *script;

	ck_assert_int_eq(
		la_script_read(&script, text, strlen(text), &options, NULL), 0);
	return script;
}

/* The last that names the variable, or NULL. */
static const struct la_script_assignment *
last_of(const struct la_script *script, const char *name)
{
	const struct la_script_assignment *a, *found = NULL;
	size_t count, i;

	a = la_script_assignments(script, &count);
	for (i = 0; i < count; i++)
		if (!strcmp(a[i].variable, name))
			found = &a[i];
	return found;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool says(const struct la_script_assignment *a, enum la_script_code code)
{
	size_t i;

	for (i = 0; i < a->diagnostic_count; i++)
		if (a->diagnostics[i].code == code)
			return true;
	return false;
}

START_TEST(test_documented)
{
	struct la_script *script =
		read_text(documented[_i].text, short_name, LA_PLATFORM_LINUX);
	const struct la_script_assignment *a = last_of(script, "V");
	const char *value = a ? a->value : NULL;

	ck_assert_msg(same(value, documented[_i].value), "%s: %s, not %s",
		      documented[_i].text, value ? value : "none",
		      documented[_i].value ? documented[_i].value : "none");
	ck_assert(!a || a->fate != LA_SCRIPT_UNKNOWN);
	la_script_free(script);
}
END_TEST

START_TEST(test_guides)
{
	struct la_script *script = read_text(guides[_i].text, short_name,
					     guides[_i].platform);
	const struct la_script_assignment *a = last_of(script, "V");
	const char *value = a ? a->value : NULL;
	bool open = a && a->fate == LA_SCRIPT_UNKNOWN;

	ck_assert_msg(!open || a->diagnostic_count, "%s", guides[_i].text);
	ck_assert_msg(open ? guides[_i].answer != AS_IT_IS :
			     guides[_i].answer != OPEN &&
				     same(value, guides[_i].value),
		      "%s: %s, not %s", guides[_i].text,
		      open  ? "open" :
		      value ? value :
			      "none",
		      guides[_i].value ? guides[_i].value : "none");
	la_script_free(script);
}
END_TEST

START_TEST(test_most_guides_are_told)
{
	size_t i, open = 0;

	for (i = 0; i < ARRAY_SIZE(guides); i++)
		open += guides[i].answer == MAY_BE_OPEN;
	ck_assert_uint_le(open, ARRAY_SIZE(guides) / 10);
}
END_TEST

#ifdef HAVE_JANSSON
static void one_recorded(json_t *row)
{
	const char *text = json_string_value(json_object_get(row, "snippet"));
	const char *seen = json_string_value(json_object_get(row, "value"));
	struct la_script *script = read_text(text, NULL, LA_PLATFORM_LINUX);
	const struct la_script_assignment *a = last_of(script, TORCH);
	const char *value = a ? a->value : NULL;

	ck_assert_msg(same(value, seen), "%s: %s, not %s", text,
		      value ? value : "none", seen ? seen : "none");
	la_script_free(script);
}

START_TEST(test_recorded)
{
	FILE *file = fopen("tests/data/powershell.jsonl", "r");
	char line[4096];
	json_t *row;
	int rows = 0;

	ck_assert_ptr_nonnull(file);
	for (; fgets(line, sizeof(line), file); rows++) {
		row = json_loads(line, 0, NULL);
		ck_assert_ptr_nonnull(row);
		one_recorded(row);
		json_decref(row);
	}
	fclose(file);
	ck_assert_int_eq(rows, 68);
}
END_TEST
#endif

static const struct {
	const char *text;
	enum la_platform platform;
	enum la_script_code code;
} said[] = {
	{ "$env:V=\"a$key:128\"", LA_PLATFORM_LINUX, LA_SCRIPT_VARIABLE_COLON },
	{ "$env:V=a:1", LA_PLATFORM_LINUX, LA_SCRIPT_BAREWORD },
	{ "$env:V='a:1' | Out-Null", LA_PLATFORM_LINUX, LA_SCRIPT_PIPELINE },
	{ "set V=a:1", LA_PLATFORM_LINUX, LA_SCRIPT_SET_VARIABLE },
	{ "(venv) PS D:\\ai-x> setx V \"a:1\"", LA_PLATFORM_WINDOWS,
	  LA_SCRIPT_REGISTRY },
	{ "[Environment]::SetEnvironmentVariable('V','a:1','User')",
	  LA_PLATFORM_WINDOWS, LA_SCRIPT_REGISTRY },
	{ "$env:V=''", LA_PLATFORM_LINUX, LA_SCRIPT_EMPTY_REMOVES },
	{ "$env:V='a','b'", LA_PLATFORM_LINUX, LA_SCRIPT_LIST_JOINED },
	{ "$env:V += 'a'", LA_PLATFORM_LINUX, LA_SCRIPT_TAKEN_UNSET },
	{ "$env:V=\"a:$n\"", LA_PLATFORM_LINUX, LA_SCRIPT_EMPTY_VARIABLE },
	{ "if ($false) { $env:V='a' }", LA_PLATFORM_LINUX, LA_SCRIPT_NOT_RUN },
	{ "export V=a:1", LA_PLATFORM_LINUX, LA_SCRIPT_OTHER_LANGUAGE },
	{ "$env:V=(Get-Date).Year", LA_PLATFORM_LINUX,
	  LA_SCRIPT_NEEDS_RUNNING },
	{ "$env:V='a", LA_PLATFORM_LINUX, LA_SCRIPT_SYNTAX },
	{ "Start-Job { $env:V='a' }", LA_PLATFORM_LINUX, LA_SCRIPT_CHILD_ENDS },
	{ "$env:V='a'; Start-Process x -UseNewEnvironment", LA_PLATFORM_WINDOWS,
	  LA_SCRIPT_NOT_PASSED },
	{ "Set-Item Env:V a -WhatIf", LA_PLATFORM_LINUX, LA_SCRIPT_NOT_RUN },
};

START_TEST(test_trap_is_said)
{
	struct la_script *script =
		read_text(said[_i].text, short_name, said[_i].platform);
	const struct la_script_assignment *a = last_of(script, "V");

	ck_assert_msg(a && says(a, said[_i].code), "%s", said[_i].text);
	la_script_free(script);
}
END_TEST

/* Windows PowerShell has no && and no ternary operator; from documentation. */
START_TEST(test_5_1_is_told_apart)
{
	struct la_script *script = read_text("$env:V = $true \? 'a' : 'b'",
					     short_name, LA_PLATFORM_WINDOWS);
	const struct la_script_diagnostic *whole;
	size_t count;

	whole = la_script_diagnostics(script, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(whole->code, LA_SCRIPT_READERS_DIFFER);
	ck_assert_uint_eq(whole->column, 16);
	la_script_free(script);
	script = read_text("$env:V = 'a'", short_name, LA_PLATFORM_WINDOWS);
	la_script_diagnostics(script, &count);
	ck_assert_uint_eq(count, 0);
	la_script_free(script);
}
END_TEST

START_TEST(test_names_differ_in_case_but_on_windows)
{
	struct la_script *script =
		read_text("$env:v='a:1'", short_name, LA_PLATFORM_LINUX);

	ck_assert_ptr_null(last_of(script, "V"));
	la_script_free(script);
	script = read_text("$env:v='a:1'", short_name, LA_PLATFORM_WINDOWS);
	ck_assert_str_eq(last_of(script, "v")->value, "a:1");
	la_script_free(script);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script-powershell");
	TCase *tc = tcase_create("script-powershell");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_documented, 0, ARRAY_SIZE(documented));
	tcase_add_loop_test(tc, test_guides, 0, ARRAY_SIZE(guides));
	tcase_add_test(tc, test_most_guides_are_told);
	tcase_add_loop_test(tc, test_trap_is_said, 0, ARRAY_SIZE(said));
	tcase_add_test(tc, test_5_1_is_told_apart);
	tcase_add_test(tc, test_names_differ_in_case_but_on_windows);
#ifdef HAVE_JANSSON
	tcase_add_test(tc, test_recorded);
#endif
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
