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
	tcase_add_loop_test(tc, test_trap_is_said, 0, ARRAY_SIZE(said));
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
