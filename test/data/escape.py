# SPDX-License-Identifier: BSD-3-Clause
# Read the files of test_escape.c with parsers of Python (and with Octave if it is installed) and compare the strings
# with the input texts. usage: escape.py FOLDER LANGUAGE
import codecs, csv, json, re, shutil, subprocess, sys, unicodedata
import xml.etree.ElementTree

folder, language = sys.argv[1:]
texts = [bytes.fromhex(line) for line in open(f'{folder}/texts').read().split('\n')[:-1]]

# one replacement per byte
codecs.register_error('each', lambda e: ('\ufffd' * (e.end - e.start), e.end))


def dangerous(c):
    code = ord(c)
    return (unicodedata.category(c) in ('Cc', 'Cs', 'Zl', 'Zp') or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
            or code in (0x61C, 0x200E, 0x200F, 0xFEFF) or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069)


def visible(text):
    out = ''
    for c in text.decode('utf-8', 'surrogateescape'):
        code = ord(c)
        out += (c if not dangerous(c) else {'\n': '\\n', '\r': '\\r', '\t': '\\t'}[c] if c in '\n\r\t' else
                f'\\x{code & 0xFF:02x}' if code < 0x80 or 0xDC80 <= code <= 0xDCFF else
                f'\\u{code:04x}' if code < 0x10000 else f'\\U{code:08x}')
    return out


def compare(actual, expected):
    assert len(actual) == len(expected), f'{len(actual)} texts, not {len(expected)}'
    for g, e in zip(actual, expected):
        assert g == e, f'{g!r} instead of {e!r}'


if language == 'python':
    source = open(f'{folder}/strings.py', 'rb').read()
    names = {}
    exec(compile(source, 'strings.py', 'exec'), names)
    assert names['n'] == len(texts)
    compare([s.encode('utf-8', 'surrogateescape') for s in names['all']], texts)
    assert not any(dangerous(c) for c in source.decode('utf-8') if c != '\n')
elif language == 'octave':
    source = open(f'{folder}/strings.m', 'rb').read().decode('utf-8')
    assert not any(dangerous(c) for c in source if c != '\n')
    # strings by the rules of Octave: pieces in single quotes, where '' is ', and numbers of bytes
    actual = []
    for line in re.findall(r'^all\{end \+ 1\} = (.*);$', source, re.M):
        valid = re.fullmatch(r"'(?:[^']|'')*'|\[(?:'(?:[^']|'')*'|char\(\[[0-9 ]*\]\)|, )*\]", line)
        assert valid, line
        text = b''
        for quoted, numbers in re.findall(r"'((?:[^']|'')*)'|char\(\[([0-9 ]*)\]\)", line):
            text += bytes(map(int, numbers.split())) if numbers else quoted.replace("''", "'").encode()
        actual.append(text)
    compare(actual, texts)
    if shutil.which('octave'):
        subprocess.run(['octave', '--no-gui', '--quiet', 'strings.m'], cwd=folder, check=True)
        lines = open(f'{folder}/octave.out').read().split('\n')[:-1]
        assert int(lines[0]) == len(texts)
        compare([bytes.fromhex(line) for line in lines[1:]], texts)
elif language == 'json':
    source = open(f'{folder}/strings.json', 'rb').read().decode('utf-8')
    assert not any(dangerous(c) for c in source if c != '\n')
    compare(json.loads(source), [t.decode('utf-8', 'each') for t in texts])
elif language == 'xml':
    source = open(f'{folder}/strings.xml', 'rb').read()
    assert not any(dangerous(c) for c in source.decode('utf-8') if c != '\n')
    root = xml.etree.ElementTree.fromstring(source)
    for of in (lambda e: e.text or '', lambda e: e.get('name'), lambda e: e.get('other')):
        compare([of(e) for e in root], [visible(t) for t in texts])
elif language == 'csv':
    source = open(f'{folder}/strings.csv', 'rb').read().decode('utf-8')
    assert not any(dangerous(c) for c in source if c != '\n')
    rows = list(csv.reader(source.split('\n')[:-1], strict=True))
    assert all(len(row) == 3 and row[0] == str(i) and row[2] == 'end' for i, row in enumerate(rows))
    actual = [row[1] for row in rows]
    # no cell is a formula for a spreadsheet: the writer puts an apostrophe before such a text
    assert not any(g[:1] in tuple('=+-@') and not re.fullmatch('[0-9.eE+-]*', g) for g in actual)
    compare([g[1:] if re.match("'+[=+@-]", g) else g for g in actual], [visible(t) for t in texts])
else:
    sys.exit(f'no language {language}')
