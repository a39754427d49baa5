#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run lines of Python, and read them: read-python.py FOLDER

Each line is run by this Python, then a child tells what it found in its
environment; read-script must say the same, or that it does not know.  With
SANITIZE set the lines are read alone.
"""
import json
import os
import subprocess
import sys

V = "PYTORCH_CUDA_ALLOC_CONF"
lits=['"a:1,b:2"',"'a:1'",'"""a:1"""','"a:1" ",b:2"','("a:1,"\n  "b:2")','f"a:{1+1}"','f"a:{64*2},b:{n}"','"a:%d" % 5','"a:%s,b:%d" % ("x", n)','",".join(["a:1","b:2"])','"a:{}".format(3)','"a:{x},b:{0}".format(n, x="y")','r"a:\\1"','"a:\\x41\\u0042\\101"','"a:" + str(n)','"a:1" * 2','n','None','b"a:1"','"a:1".replace("a","b")','" a:1 ".strip()','"a:1" if n == 7 else "b:2"','"a:1" if "x" in "xyz" else "b"','s','s + ",c:3"','t[0]','d["k"]','f"{s},z:{d[\'k\']}"','str(0.8)','f"g:{0.5}"','"a:1" or "b"','"" or "b:1"','not_a_name','"a\\\n:1"','"%s" % s','"a:%%" % ()','f"{{a}}:{n}"','"a:1,".rstrip(",")','os.environ.get("NOPE", "q:1")','os.getenv("NOPE", "q:2")','f"{n:04d}"','f"{n!r}"','"\\N{BULLET}"','u"a:1"','rb"x"','"a:1;b"','"a#1"','len(s)','True','[1]']
forms=['os.environ["{V}"] = {x}','os.environ.setdefault("{V}", {x})','os.environ.update({{"{V}": {x}}})','os.environ.update({V}={x})','os.environ |= {{"{V}": {x}}}','os.putenv("{V}", {x})','env = {{**os.environ, "{V}": {x}}}\nsubprocess.run(CHILD, env=env)','subprocess.run(CHILD, env=dict(os.environ, {V}={x}))','e = os.environ.copy()\ne["{V}"] = {x}\nsubprocess.run(CHILD, env=e)','os.environ["{V}"] = "z:9"\nos.environ["{V}"] += {x}']
extra=[
'os.environ["V"]="a:1"\ndel os.environ["V"]','os.environ["V"]="a:1"\nos.environ.pop("V")','os.environ["V"]="a:1"\nos.environ.pop("V", None)\nos.environ["V"]="b:2"',
'def f():\n    os.environ["V"]="a:1"\nf()','def f(v, w="q"):\n    os.environ["V"]=v+w\nf("a:1")','def f(v):\n    return v + ",b:2"\nos.environ["V"]=f("a:1")',
'if n > 3:\n    os.environ["V"]="a:1"\nelse:\n    os.environ["V"]="b:1"','x="a:1"\nif n > 8:\n    x="b:2"\nos.environ["V"]=x','for k, v in {"V":"a:1","W":"2"}.items():\n    os.environ[k]=v',
'x="a"\nfor i in range(3):\n    x += "b"\nos.environ["V"]=x','try:\n    os.environ["V"]=1\nexcept TypeError:\n    os.environ["V"]="1"','try:\n    os.environ["V"]="a:1"\nfinally:\n    pass',
'with open(os.devnull) as f:\n    os.environ["V"]="a:1"','class A:\n    os.environ["V"]="a:1"','os.environ["CUDA_VISIBLE_DEVICES"]=1\nos.environ["V"]="a:1"','import os as o\no.environ["V"]="a:1"',
'from os import environ as e2\ne2["V"]="a:1"','if "V" not in os.environ:\n    os.environ["V"]="a:1"','os.environ["V"]="a:1"; os.environ["V"]="b:2"','x = y = "a:1"\nos.environ["V"]=y','a, b = "a:1", "b:2"\nos.environ["V"]=b',
'os.environ["V"]="a:1"\nsubprocess.run(CHILD, env={"PATH": os.environ["PATH"]})','conf = {"V": "a:1"}\nos.environ.update(conf)','os.environ["V"]="a:1"\nos.putenv("V","b:2")','os.putenv("V","b:2")\nsubprocess.run(CHILD, env=os.environ.copy())',
'os.environ["V"]="a\\0b"','x = "a:1"\nx += ",b:2"\nos.environ["V"] = x','if __name__ == "__main__":\n    os.environ["V"]="a:1"','import sys\nsys.exit(0)\nos.environ["V"]="a:1"','if False:\n    os.environ["V"]="a:1"',
'while n > 5:\n    os.environ["V"]=f"n:{n}"\n    n -= 1','os.environ["V"] = "a:1"  # comment','os.environ [ "V" ] = "a:1"','(os.environ)["V"] = "a:1"','os.environ.__setitem__("V", "a:1")','os.environ["V"]: str = "a:1"','os.environ["V"] = (y := "a:1")',
'def g():\n    s = "inner"\ng()\nos.environ["V"] = s','x = [1,2,3]\nos.environ["V"] = f"a:{x[1]}"','os.environ["V"] = x = "a:1"','os.environ["V"] = os.environ["W"] = "a:1"','k = "V"\nos.environ[k] = "a:1"','os.environ["V"] = f\'{"a:1"}\'',
'raise SystemExit\nos.environ["V"]="a:1"','assert True\nos.environ["V"]="a:1"','os.environ["V"]="a:1" if os.environ.get("V") is None else "c:1"','lambda: os.environ.update(V="x")','if n == 7: os.environ["V"]="a:1"','async def f():\n    os.environ["V"]="a:1"\n','os.environ["V"]="a:1"\nos.unsetenv("V")',
'd2 = dict(os.environ)\nd2.update(V="a:1")\nsubprocess.run(CHILD, env=d2)','d2 = dict(os.environ, V="a:1")\nd2.pop("V")\nsubprocess.run(CHILD, env=d2)','os.system("export V=a:1; "+CH)','os.system("V=a:1 "+CH)','subprocess.run("V=a:1 "+CH, shell=True)','subprocess.run(["env","V=a:1"]+CHILD)','subprocess.run(["env","V=a:1",*CHILD])','os.environ["V"]="a:1"\nsubprocess.run(["env","-u","V"]+CHILD)',
'import copy\ne=copy.copy(dict(os.environ))\ne["V"]="a:1"\nsubprocess.run(CHILD,env=e)','for v in ["a:1","b:2"]:\n    os.environ["V"]=v','for v in ("a:1","b:2"):\n    os.environ["V"]=v\n    break','try:\n    pass\nexcept Exception:\n    os.environ["V"]="a:1"','os.environ["V"]="a:1"\nif n < 3:\n    del os.environ["V"]','def f():\n    if n > 3:\n        return "a:1"\n    return "b:1"\nos.environ["V"]=f()',
]

snips = [form.format(V=V, x=lit) for form in forms for lit in lits] + [
    line.replace('"V"', '"%s"' % V).replace("V=", V + "=") for line in extra]
before = """import os, subprocess
n = 7
s = "s:1"
t = ["t:1", 2]
d = {"k": "k:1"}
"""


def run(folder, text, starts):
    """What the last child of the text found."""
    out = os.path.join(folder, "found")
    open(out, "w").close()
    env = {k: v for k, v in os.environ.items() if k != V}
    if not starts:
        text += "subprocess.run(CHILD)\n"
    subprocess.run([sys.executable, "-c", text], env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = open(out).read().splitlines()
    return found[-1][1:] if found and found[-1] != "-" else None


def read(text):
    """The last value, whether it is known, and what is said."""
    done = subprocess.run(["read-script", "python"], input=text, text=True,
                          capture_output=True, check=True)
    value, fate, said = None, None, []
    for line in done.stdout.splitlines():
        place = json.loads(line)
        said += place["diagnostics"]
        if "variable" in place:
            value, fate = place["value"], place["fate"]
            said = place["diagnostics"]
    return value, fate, said


def main():
    folder = sys.argv[1]
    child = os.path.join(folder, "child")
    with open(child, "w") as f:
        f.write('#!/bin/sh\nif [ "${%s+x}" ]; then printf "+%%s\\n" "$%s"; '
                'else echo -; fi >>%s/found\n' % (V, V, folder))
    os.chmod(child, 0o755)
    start = 'CH = "%s"\nCHILD = [CH]\n' % child + before
    same = unknown = wrong = 0
    if os.environ.get("SANITIZE"):
        for snip in snips:
            read(start + snip + "\n")
        print("%d lines read" % len(snips))
        return False
    for snip in snips:
        truth = run(folder, start + snip + "\n",
                    "CHILD" in snip or "+CH" in snip)
        value, fate, said = read(start + snip + "\n")
        if value == truth:
            same += 1
        elif said or fate == "unknown":
            unknown += 1
        else:
            wrong += 1
            print("%r: %r, read as %r" % (snip, truth, value))
    print("%d the same, %d not told, %d wrong" % (same, unknown, wrong))
    return wrong > 0 or unknown * 4 > same


sys.exit(main())
