"""Cycles of calls between the source files of a folder of src: the strongly connected components of the graph whose
nodes are the .c files and whose edges are the references to functions, read from the objects of a build folder.

An edge A -> B: the object of A has a relocation whose symbol is a function defined by the object of B, in its code (a
call, or a function passed as argument) or in its static data (a table of functions). Exempt are
- data symbols: the descriptors of formulations, integrators, joint types, ... are found by tables, not called;
- tables of a file that includes a .def file: their entries are registrations.
A file that is compiled for several number types counts once, by its object for double if it has one.

Usage, from the root of the repository: call_cycles.py BUILD [--limit N] [--all] [folder ...]
prints, for the given folders of src (default: all), the components of more than N files (default 3) with their files
and the references that close them: without those, calls inside the component go one way only. --all prints every
reference inside the components. The exit code is 1 if there is such a component, 2 if objects are missing."""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

number_type = re.compile(r'/cardan_(counted|dual|traced|complex)\.dir/')


def objects_of(build):
    """The object of every source of src: {source relative to the repository: object}."""
    with open(os.path.join(build, 'compile_commands.json')) as file:
        commands = json.load(file)
    objects = {}
    for entry in commands:
        path = re.search(r'/(src/(?!.*/src/).*\.c)$', entry['file'])
        output = re.search(r' -o (\S+)', entry['command'])
        if not path or not output:
            continue
        source, target = path.group(1), os.path.join(entry['directory'], output.group(1))
        if source not in objects or number_type.search(objects[source]):
            if source not in objects or not number_type.search(target):
                objects[source] = target
    return objects


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def base_name(symbol, target):
    """The name of a function for the number type double."""
    kind = number_type.search(target)
    return symbol.removesuffix('_' + kind.group(1)) if kind else symbol


def functions_of(targets):
    """The external functions that each object defines."""
    found = {target: [] for target in targets}
    for line in run('nm', '-g', '-P', '-A', '--defined-only', *targets).splitlines():
        target, symbol, kind = line.split()[:3]
        if kind in 'TW':
            found[target.removesuffix(':')].append(symbol)
    return found


def references_of(targets):
    """The symbols that the code (first set) and the static data (second set) of each object refer to."""
    found, here, part = {}, None, None
    for line in run('readelf', '-rW', *targets).splitlines():
        if line.startswith('File: '):
            here = found.setdefault(line.removeprefix('File: '), (set(), set()))
        elif line.startswith('Relocation section'):
            section = line.split("'")[1]
            part = 0 if '.text' in section else 1 if re.search(r'\.(ro)?data', section) else None
        elif part is not None and re.match('[0-9a-f]{8}', line) and len(line.split()) > 4:
            here[part].add(line.split()[4].split('@')[0])
    return found


def read_graph(build):
    """{source: {source: set of functions}} over all sources of a build folder."""
    objects = objects_of(build)
    missing = [source for source, target in objects.items() if os.path.exists(source) and not os.path.exists(target)]
    if missing or not objects:
        sys.exit('no objects of %s in %s' % (', '.join(sorted(missing)[:5]) or 'src', build))
    objects = {source: target for source, target in objects.items() if os.path.exists(source)}
    functions, references = functions_of(objects.values()), references_of(objects.values())
    defined = {base_name(symbol, target): source for source, target in objects.items() for symbol in functions[target]}
    graph = {}
    for source, target in objects.items():
        with open(source) as file:
            registers = re.search(r'^\s*#include ".*\.def"', file.read(), re.M)
        code, tables = references[target]
        edges = graph[source] = collections.defaultdict(set)
        for symbol in {base_name(symbol, target) for symbol in (code if registers else code | tables)}:
            if defined.get(symbol, source) != source:
                edges[defined[symbol]].add(symbol)
    return graph


def restrict(graph, members):
    return {a: {b: names for b, names in graph[a].items() if b in members} for a in members}


def components(graph):
    """Strongly connected components (Tarjan 1972), with an explicit stack."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, edges = work[-1]
            for other in edges:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    found.append(sorted(stack[cut:]))
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
    return found


def closing_edges(graph):
    """Few edges without which the graph has no cycle: those that go back in the order of Eades, Lin and Smyth (1993)."""
    left, first, last = set(graph), [], []
    weight = {(a, b): len(graph[a][b]) for a in graph for b in graph[a]}
    while left:
        def out(a):
            return sum(weight.get((a, b), 0) for b in left)

        def into(a):
            return sum(weight.get((b, a), 0) for b in left)
        sink = next((a for a in sorted(left) if out(a) == 0), None)
        source = next((a for a in sorted(left) if into(a) == 0), None)
        if sink:
            last.insert(0, sink)
            left.remove(sink)
        else:
            source = source or max(sorted(left), key=lambda a: out(a) - into(a))
            first.append(source)
            left.remove(source)
    order = {a: i for i, a in enumerate(first + last)}
    return [(a, b) for a in sorted(graph) for b in sorted(graph[a]) if order[a] > order[b]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('folders', nargs='*')
    parser.add_argument('--limit', type=int, default=3)
    parser.add_argument('--all', action='store_true')
    options = parser.parse_args()
    graph = read_graph(options.build)
    count = 0
    for folder in options.folders or sorted({source.split('/')[1] for source in graph}):
        members = {source for source in graph if source.startswith('src/%s/' % folder.removeprefix('src/').strip('/'))}
        if not members:
            sys.exit('no sources in src/%s' % folder)
        for component in components(restrict(graph, members)):
            if len(component) <= options.limit:
                continue
            count += 1
            inside = restrict(graph, set(component))
            print('src/%s: %d files call each other' % (folder, len(component)))
            print('    ' + ' '.join(component))
            if options.all:
                edges = [(a, b) for a in sorted(inside) for b in sorted(inside[a])]
            else:
                edges = closing_edges(inside)
                print('  closed by')
            for a, b in edges:
                print('    %s -> %s: %s' % (a, b, ', '.join(sorted(inside[a][b]))))
    sys.exit(1 if count else 0)


if __name__ == '__main__':
    main()
