# SPDX-License-Identifier: BSD-3-Clause
# Parse the files of test_escape_print.c. usage: escape_print.py FOLDER FORMAT COUNT
import csv, glob, json, sys, unicodedata
import xml.etree.ElementTree

folder, format, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = sorted(glob.glob(f'{folder}/*.{format}'))
assert len(files) == count, files
for file in files:
    text = open(file, 'rb').read().decode('utf-8')
    assert not any(unicodedata.category(c) in ('Cc', 'Cf', 'Zl', 'Zp') for c in text if c != '\n'), file
    if format == 'svg':
        tags = {element.tag.split('}')[1] for element in xml.etree.ElementTree.fromstring(text).iter()}
        assert tags <= {'svg', 'title', 'rect', 'text', 'g', 'path', 'line', 'circle', 'polyline', 'polygon', 'ellipse', 'clipPath', 'defs',
                        'tspan'}, (file, tags)
        names = {name for element in xml.etree.ElementTree.fromstring(text).iter() for name in element.attrib}
        assert not any(name.startswith('on') for name in names), (file, names)
    elif format == 'csv':
        rows = list(csv.reader(text.split('\n')[:-1], strict=True))
        assert len(rows) == 2 and len(rows[0]) == len(rows[1]), rows
        assert not any(cell[:1] in tuple('=+-@') for row in rows for cell in row), rows
    else:
        names = json.loads(text)
        assert len(names) == 8 and all(key == value for key, value in names.items())
        assert ''.join(map(chr, range(1, 128))) == next(iter(names))[:127]
