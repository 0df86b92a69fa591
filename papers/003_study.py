# SPDX-License-Identifier: BSD-3-Clause
# Tables and figures of paper 003 from tables of `cardan sweep`: box plots, convergence over nested grids, the grid of targets, and a comparison
# with the conclusions of the paper.   003_study.py SIZES OUTPUT TABLE [SHOOTING]
import csv, json, math, os, statistics, sys

sizes_folder, output, table = sys.argv[1:4]
shooting = sys.argv[4] if len(sys.argv) > 4 and os.path.exists(sys.argv[4]) else None
FORMS = ['impl', 'semi', 'exp1-o', 'exp1-a', 'exp2-o', 'exp2-a']
COSTS = ['0', '100000']
TITLE = {'0': 'cost 1, effort', '100000': 'cost 2, effort and rate'}
INK, GRID = '#262626', '#DADADA'
COLOURS = ['#0072B2', '#D55E00', '#009E73', '#B3508E', '#E69F00', '#56B4E9', '#000000']


def read(path):
    rows = []
    for row in csv.DictReader(open(path)):
        clean = {key.split(' [')[0]: value for key, value in row.items()}
        for key in ('phi', 'height', 'iterations', 'cost', 'seconds', 'functions', 'off', 'rate'):
            if key in clean:
                clean[key] = float(clean[key]) if clean[key] else math.nan
        clean['ok'] = clean['status'] == 'ok'
        rows.append(clean)
    return rows


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


# ---- SVG

def begin(width, height, title):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif">',
            f'<title>{title}</title><rect width="{width}" height="{height}" fill="#FFFFFF"/>']


def text(x, y, words, anchor='start', size=11, colour=INK, bold=False, angle=0):
    more = f' transform="rotate({angle} {x:.1f} {y:.1f})"' if angle else ''
    return '<text x="%.1f" y="%.1f" font-size="%g" text-anchor="%s" fill="%s"%s%s>%s</text>' % (x, y, size, anchor, colour, ' font-weight="bold"' if bold else '', more, words)


def line(x1, y1, x2, y2, colour=INK, width=1.0, dash=''):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"%s/>' % (x1, y1, x2, y2, colour, width, f' stroke-dasharray="{dash}"' if dash else '')


def write(name, svg):
    with open(os.path.join(output, name), 'w') as f:
        f.write('\n'.join(svg + ['</svg>', '']))


def ticks(low, high, log):
    if log:
        return [m * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5) if low * 0.999 <= m * 10.0**e <= high * 1.001]
    step = 10.0**math.floor(math.log10((high - low) / 4)) if high > low else 1
    for m in (1, 2, 5, 10):
        if (high - low) / (m * step) <= 6:
            step *= m
            break
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def panel(svg, box, title, unit, names, groups, log):
    """Box plot: quartiles and median; whiskers to the last value within 1.5 interquartile ranges; other values are crosses."""
    x0, y0, width, height = box
    values = [v for group in groups for v in group]
    svg.append(text(x0, y0 - 8, title, bold=True, size=12))
    if not values:
        svg.append(text(x0 + width / 2, y0 + height / 2, 'no values', 'middle'))
        return
    low, high = min(values), max(values)
    if log:
        low, high = low / 1.1, high * 1.1
    else:
        air = 0.06 * (high - low) or 0.05 * abs(high) or 1
        low, high = low - air, high + air
    at = (lambda v: y0 + height * (1 - math.log(v / low) / math.log(high / low))) if log else (lambda v: y0 + height * (1 - (v - low) / (high - low)))
    marks = ticks(low, high, log)
    if log and len(marks) < 3:
        marks = ticks(low, high, False)
    for v in marks:
        svg.append(line(x0, at(v), x0 + width, at(v), GRID))
        svg.append(text(x0 - 6, at(v) + 4, f'{v:.6g}', 'end', 10))
    svg.append(text(x0 - 52, y0 + height / 2, unit, 'middle', 11, angle=-90))
    svg.append(line(x0, y0 + height, x0 + width, y0 + height))
    for i, (name, group) in enumerate(zip(names, groups)):
        x = x0 + width * (i + 0.5) / len(names)
        half = 0.28 * width / len(names)
        colour = COLOURS[i % len(COLOURS)]
        svg.append(text(x, y0 + height + 15, name, 'middle', 10))
        if not group:
            continue
        first, middle, third = (quantile(group, q) for q in (0.25, 0.5, 0.75))
        whisker = 1.5 * (third - first)
        inside = [v for v in group if first - whisker <= v <= third + whisker] or group  # equal values: the quartiles have round-off
        svg.append(line(x, at(min(inside)), x, at(first), colour))
        svg.append(line(x, at(third), x, at(max(inside)), colour))
        for v in (min(inside), max(inside)):
            svg.append(line(x - half / 2, at(v), x + half / 2, at(v), colour))
        svg.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="0.2" stroke="%s"/>' % (x - half, at(third), 2 * half, max(at(first) - at(third), 0.5), colour, colour))
        svg.append(line(x - half, at(middle), x + half, at(middle), colour, 2))
        for v in group:
            if v not in inside:
                svg += [line(x - 3, at(v), x + 3, at(v), colour), line(x, at(v) - 3, x, at(v) + 3, colour)]


def boxes(name, title, rows, of, unit, log=False, names=FORMS, costs=None, key='form'):
    costs = costs or present
    svg = begin(90 + 430 * len(costs), 330, title)
    for c, cost in enumerate(costs):
        groups = [[of(r) for r in rows if r[key] == n and r['ok'] and (cost is None or r['cost_kind'] == cost)] for n in names]
        panel(svg, (80 + 430 * c, 40, 360, 240), TITLE.get(cost, title), unit, names, groups, log)
    write(name, svg)


# ---- the table

rows = read(table)
for r in rows:
    r['cost_kind'] = '%g' % r['rate'] if r['rate'] < 1 else '%.0f' % r['rate']
present = [c for c in COSTS if any(r['cost_kind'] == c for r in rows)]
phis, heights = sorted({r['phi'] for r in rows}), sorted({r['height'] for r in rows})
boxes('003_study_fig9.svg', 'Fig. 9: cost at the optimum', rows, lambda r: r['cost'], 'cost', log=True)
boxes('003_study_fig10_iterations.svg', 'Fig. 10: iterations', rows, lambda r: r['iterations'], 'iterations')
boxes('003_study_fig10_time.svg', 'Fig. 10: time of the solve', rows, lambda r: r['seconds'], 'time [s]', log=True)
boxes('003_study_fig11.svg', 'Fig. 11: time per iteration', rows, lambda r: 1e3 * r['seconds'] / max(r['iterations'], 1), 'time per iteration [ms]', log=True)


def good(cost, form):
    return [r for r in rows if r['cost_kind'] == cost and r['form'] == form and r['ok']]


def all_of(cost, form):
    return [r for r in rows if r['cost_kind'] == cost and r['form'] == form]


def median(values):
    return statistics.median(values) if values else math.nan


best = {}
for r in rows:
    if r['ok']:
        key = (r['cost_kind'], r['phi'], r['height'])
        best[key] = min(best.get(key, math.inf), r['cost'])


def higher(cost, form):
    """Number of targets at which another form found a motion with a cost lower by more than 0.1 %."""
    return sum(r['cost'] > 1.001 * best[(cost, r['phi'], r['height'])] for r in good(cost, form))


# ---- Fig. 7: nested grids

def grids():
    result = []
    strides = [s for s in range(len(phis) - 1, 0, -1) if (len(phis) - 1) % s == 0] or [1]
    for s in strides:
        p = phis[::s]
        share = (len(p) - 1) / max(len(phis) - 1, 1)
        fits = [t for t in range(max(len(heights) - 1, 1), 0, -1) if max(len(heights) - 1, 1) % t == 0]
        t = min(fits, key=lambda t: abs(1 / t - share))
        result.append((set(p), set(heights[::t])))
    return result


svg = begin(90 + 430 * len(present), 350, 'Fig. 7: mean number of iterations over the number of targets')
for c, cost in enumerate(present):
    x0, y0, width, height = 80 + 430 * c, 50, 360, 230
    curves = []
    for form in FORMS:
        points = []
        for p, z in grids():
            found = [r['iterations'] for r in good(cost, form) if r['phi'] in p and r['height'] in z]
            if found:
                points.append((len(p) * len(z), statistics.mean(found)))
        curves.append(points)
    values = [v for points in curves for _, v in points]
    svg.append(text(x0, y0 - 12, TITLE[cost], bold=True, size=12))
    if values:
        low, high = min(values), max(values)
        air = 0.06 * (high - low) or 1
        low, high = low - air, high + air
        counts = sorted({n for points in curves for n, _ in points})
        most = math.log(max(counts[-1], 2) / counts[0]) or 1
        at_x = lambda n: x0 + width * math.log(n / counts[0]) / most
        at_y = lambda v: y0 + height * (1 - (v - low) / (high - low))
        for v in ticks(low, high, False):
            svg += [line(x0, at_y(v), x0 + width, at_y(v), GRID), text(x0 - 6, at_y(v) + 4, f'{v:g}', 'end', 10)]
        for n in counts:
            svg.append(text(at_x(n), y0 + height + 15, n, 'middle', 10))
        svg += [line(x0, y0 + height, x0 + width, y0 + height), text(x0 + width / 2, y0 + height + 32, 'targets', 'middle')]
        svg.append(text(x0 - 52, y0 + height / 2, 'mean iterations', 'middle', 11, angle=-90))
        for i, points in enumerate(curves):
            path = ' '.join('%.1f,%.1f' % (at_x(n), at_y(v)) for n, v in points)
            svg.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[i]}" stroke-width="1.6"/>')
            svg += ['<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (at_x(n), at_y(v), COLOURS[i]) for n, v in points]
for i, form in enumerate(FORMS):
    svg += [line(80 + 90 * i, 335, 100 + 90 * i, 335, COLOURS[i], 2), text(105 + 90 * i, 339, form, size=10)]
write('003_study_fig7.svg', svg)

# ---- Fig. 6: targets and the start configuration of the arm, viewed along (1, -1.4, -0.7)

svg = begin(560, 380, 'Fig. 6: targets')
project = lambda x, y, z: (150 + 360 * (0.82 * x - 0.35 * y), 230 - 360 * (z + 0.25 * x + 0.35 * y))
al = math.acos(0.55 / 0.6)
joints, angle, x, z = [(0, 0, 0)], 0, 0, 0
for length, bend in ((0.3, al), (0.3, -2 * al), (0.1, al)):
    angle += bend
    x, z = x + length * math.cos(angle), z - length * math.sin(angle)
    joints.append((x, 0, z))
joints.append((x, 0, z + 0.2))
for p in phis:
    for h in heights:
        px, py = project(0.63 * math.cos(p), 0.63 * math.sin(p), h)
        example = abs(p - math.pi / 2) < 1e-6 and abs(h + 0.1) < 1e-9
        svg.append('<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>' % (px, py, 5 if example else 3, COLOURS[1] if example else COLOURS[0]))
for i, (a, b) in enumerate(zip(joints, joints[1:])):
    svg.append(line(*project(*a), *project(*b), COLOURS[5] if i == 3 else INK, 5 if i < 3 else 3))
for i, axis in enumerate(((0.12, 0, 0), (0, 0.12, 0), (0, 0, 0.12))):
    svg += [line(*project(0, 0, -0.25), *project(axis[0], axis[1], axis[2] - 0.25)), text(*project(1.25 * axis[0], 1.25 * axis[1], 1.25 * axis[2] - 0.25), 'xyz'[i], 'middle')]
svg.append(text(20, 24, f'{len(phis) * len(heights)} targets', bold=True, size=13))
write('003_study_fig6.svg', svg)

# ---- page

PAPER3 = {'impl': (8812, 8427, 72435, 39021), 'semi': (8812, 8427, 72435, 39021), 'exp1-o': (6412, 6027, 62519, 35286), 'exp1-a': (8812, 8427, 69635, 35021),
          'exp2-o': (6412, 6027, 62519, 35286), 'exp2-a': (8812, 8427, 69635, 35021)}
md = []
md.append('**Table 3**, sizes of the nonlinear program with the second cost, computed and printed:\n')
md.append('| form | unknowns | rows | entries of the Jacobian | of the Hessian | paper: Hessian |\n|---|---|---|---|---|---|')
same = True
for form in FORMS:
    s = json.load(open(f'{sizes_folder}/{form}.json'))
    ours = (s['unknowns'], s['constraints'], s['jacobian_nonzeros'], s['hessian_nonzeros'])
    same = same and ours[:3] == PAPER3[form][:3]
    md.append(f'| {form} | {ours[0]} | {ours[1]} | {ours[2]} | {ours[3]} | {PAPER3[form][3]} |')
md.append('\nThe numbers of unknowns, rows and entries of the Jacobian are ' + ('equal' if same else 'NOT equal') + ' to those of the paper.\n')
md.append(f'**Study**: {len(phis) * len(heights)} targets (angles: {len(phis)}, heights: {len(heights)}), {len(rows)} problems.\n')
md.append('![targets](003_study_fig6.svg)\n')
md.append('| cost | form | solved | median iterations | median time [s] | time per iteration [ms] | median cost | higher minima |\n|---|---|---|---|---|---|---|---|')
for cost in present:
    for form in FORMS:
        g = good(cost, form)
        md.append('| %s | %s | %d of %d | %.4g | %.3g | %.3g | %.8g | %d |' % (
            '1' if cost == '0' else '2', form, len(g), len(all_of(cost, form)), median([r['iterations'] for r in g]), median([r['seconds'] for r in g]),
            median([1e3 * r['seconds'] / max(r['iterations'], 1) for r in g]), median([r['cost'] for r in g]), higher(cost, form)))
md.append('\nHigher minima: targets at which another form found a motion with a cost lower by more than 0.1 %. Forms are compared only with each other: a minimum in which all of them end is not counted, although a lower one may exist (`cardan optimize --starts`).\n')
for name, what in (('fig7', 'Fig. 7, mean iterations over nested grids'), ('fig8_smooth', 'Fig. 8, example target, second cost'), ('fig8_effort', 'Fig. 8, first cost'), ('fig9', 'Fig. 9, cost at the optimum'),
                   ('fig10_iterations', 'Fig. 10, iterations'), ('fig10_time', 'Fig. 10, time'), ('fig11', 'Fig. 11, time per iteration')):
    if os.path.exists(f'{output}/003_study_{name}.svg'):
        md.append(f'{what}:\n\n![{what}](003_study_{name}.svg)\n')


def verdict(claim, holds, why):
    md.append(f'- {claim}: **{"confirmed" if holds else "contradicted"}** ({why}).')


def compare(claim, less, more, why):
    """Compare two times; a difference below 5 % is undecided."""
    if abs(less / more - 1) < 0.05:
        md.append(f'- {claim}: **undecided** ({why}).')
    else:
        verdict(claim, less < more, why)


EXPLICIT, IMPLICIT = FORMS[2:], FORMS[:2]
middle = {(c, f): (median([r['iterations'] for r in good(c, f)]), median([r['seconds'] for r in good(c, f)]), median([1e3 * r['seconds'] / max(r['iterations'], 1) for r in good(c, f)]))
          for c in present for f in FORMS}
md.append('**Conclusions of the paper, and measurements** (medians; differences of times below 5 % are undecided):\n')
for c in present:
    name = '1' if c == '0' else '2'
    slow, fast = max(middle[c, f][1] for f in IMPLICIT), min(middle[c, f][1] for f in EXPLICIT)
    compare(f'cost {name}: implicit and semi-explicit take less time than all explicit forms', slow, fast, f'{slow:.3g} s at most, {fast:.3g} s at least')
    slow, fast = max(middle[c, f][2] for f in IMPLICIT), min(middle[c, f][2] for f in EXPLICIT)
    compare(f'cost {name}: implicit and semi-explicit take less time per iteration than all explicit forms', slow, fast, f'{slow:.3g} ms at most, {fast:.3g} ms at least')
if '100000' in present:
    c = '100000'
    pairs = {}
    for f in IMPLICIT:
        for r in good(c, f):
            pairs.setdefault((r['phi'], r['height']), []).append(r['iterations'])
    both = [p for p in pairs.values() if len(p) == 2]
    equal = sum(p[0] == p[1] for p in both)
    verdict('cost 2: implicit and semi-explicit take nearly the same number of iterations, because their equations are the same', both and equal >= 0.9 * len(both), f'the same number at {equal} of {len(both)} targets')
    verdict('cost 2: forms rarely end in different minima', sum(higher(c, f) for f in FORMS) <= 0.01 * len([r for r in rows if r['cost_kind'] == c]), f'{sum(higher(c, f) for f in FORMS)} of {sum(len(good(c, f)) for f in FORMS)}')
if '0' in present:
    c = '0'
    one, other = sum(higher(c, f) for f in IMPLICIT) / 2, sum(higher(c, f) for f in EXPLICIT) / 4
    verdict('cost 1: implicit and semi-explicit end in higher minima more often than explicit forms', one > other, f'{one:g} and {other:g} targets per form')
    one, other = median([middle[c, f][0] for f in ('exp1-o', 'exp2-o')]), median([middle[c, f][0] for f in ('exp1-a', 'exp2-a')])
    verdict('cost 1: explicit forms take fewer iterations if accelerations are substituted (-o) than if they are unknowns (-a)', one < other, f'{one:g} and {other:g}')
    if '100000' in present:
        more = sum(higher('0', f) for f in FORMS)
        verdict('with the rate in the cost, forms end in different minima less often', sum(higher('100000', f) for f in FORMS) < more, f'{more} without, {sum(higher("100000", f) for f in FORMS)} with it')
per = {f: median([middle[c, f][2] for c in present]) for f in FORMS}
compare('order N takes less time per iteration if accelerations are unknowns', per['exp2-a'], per['exp2-o'], f'{per["exp2-a"]:.3g} ms and {per["exp2-o"]:.3g} ms')

if shooting:
    shots = read(shooting)
    schemes = ['radau', 'gauss', 'rk4']
    for r in shots:
        r['cost_kind'] = None
        r['both'] = r['transcription'] + ' ' + r['form']
    names = [s + ' ' + f for s in schemes for f in ('impl', 'exp1-o', 'exp2-o')]
    md.append('\n**Collocation and multiple shooting**, second cost, accelerations of the points as unknowns in both:\n')
    md.append('| transcription | form | solved | median iterations | median time [s] | median cost | largest final error in simulation |\n|---|---|---|---|---|---|---|')
    for name in names:
        g = [r for r in shots if r['both'] == name and r['ok']]
        n = sum(r['both'] == name for r in shots)
        if n:
            md.append('| %s | %s | %d of %d | %.4g | %.3g | %.9g | %.1e |' % (*name.split(), len(g), n, median([r['iterations'] for r in g]), median([r['seconds'] for r in g]), median([r['cost'] for r in g]),
                                                                            max([r['off'] for r in g], default=math.nan)))
    boxes('003_study_shooting.svg', 'iterations', shots, lambda r: r['iterations'], 'iterations', names=schemes, costs=[None], key='transcription')
    md.append('\n![iterations of collocation and multiple shooting](003_study_shooting.svg)\n')
    solved = {s: sum(r['ok'] for r in shots if r['transcription'] == s) / max(sum(r['transcription'] == s for r in shots), 1) for s in schemes}
    verdict('multiple shooting is less robust than collocation', solved['rk4'] < solved['radau'], ', '.join(f'{s} solved {100 * solved[s]:.0f} %' for s in schemes))
with open(f'{output}/003_study.md', 'w') as f:
    f.write('\n'.join(md) + '\n')
