# SPDX-License-Identifier: BSD-3-Clause
# Compare generated code with plain names and with other names: it must be equal except for comments and name strings.
# usage: escape_code.py PLAIN_FOLDER OTHER_FOLDER LANGUAGE
import ast, os, shutil, subprocess, sys, unicodedata

plain, other, language = sys.argv[1:]
begin = {'c': '//', 'python': '#', 'octave': '%'}[language]
names = [bytes.fromhex(line) for line in open(f'{other}/lost').read().split()]


def lines(folder, file):
    text = open(f'{folder}/{file}', 'rb').read().decode('utf-8')
    assert not any(unicodedata.category(c) in ('Cc', 'Cf', 'Zl', 'Zp') for c in text if c != '\n'), f'{folder}/{file}'
    return text.split('\n')


def is_comment(line):
    return line.strip().startswith(begin)


for file in sorted(f for f in os.listdir(plain) if f.startswith('escaped.')):
    a, b = lines(plain, file), lines(other, file)
    assert len(a) == len(b), f'{file}: {len(a)} and {len(b)} lines'
    for x, y in zip(a, b):
        same = x == y or (is_comment(x) and is_comment(y)) or 'joint ' in x
        assert same, f'{file}: {x!r} became {y!r}'
    if language == 'python':
        tree = ast.parse('\n'.join(b))
        constants = [n.value for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == '_constraint_name']
        assert len(constants) == 1
        found = [s.encode('utf-8', 'surrogateescape') for s in ast.literal_eval(constants[0])]
        assert found[1:1 + len(names)] == names, f'{found} instead of {names}'
        for python in ('python3', '/usr/bin/python3'):
            if shutil.which(python) and subprocess.run([python, '-c', 'import numpy'], capture_output=True).returncode == 0:
                result = subprocess.run([python, f'{other}/{file}'], capture_output=True)
                assert result.returncode == 0 and result.stdout == b'escaped: all results agree\n', result
                break
    if language == 'octave' and shutil.which('octave'):
        subprocess.run(['octave', '--no-gui', '--quiet', '--eval', 'f = escaped(); f.selftest()'], cwd=other, check=True)
