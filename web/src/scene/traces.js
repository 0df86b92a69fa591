// Paths of points of bodies: Alt+click starts or ends one. Each keeps the last 1500 positions.
import { Group, Vector3 } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

const capacity = 1500;

export function createTraces(view, bus) {
    const group = new Group();
    view.world.add(group);
    let traces = [];
    let last = -Infinity;

    // A second click near the point of a trace removes it.
    function toggle(hit) {
        const near = traces.find((trace) => trace.body === hit.body && trace.local.distanceTo(hit.local) < 0.03 * view.mechanism.length);
        if (near) remove(near);
        else add(hit.body, hit.local);
        view.redraw();
    }

    function add(body, local) {
        const geometry = new LineGeometry();
        geometry.setPositions(new Float32Array(3 * (capacity + 1)));
        geometry.instanceCount = 0;
        const material = new LineMaterial({ color: body.material.color, linewidth: 2.5, transparent: true, opacity: 0.9 });
        const line = new Line2(geometry, material);
        line.frustumCulled = false;
        group.add(line);
        traces.push({ body, local: local.clone(), line, count: 0, end: null });
    }

    function remove(trace) {
        trace.line.removeFromParent();
        trace.line.geometry.dispose();
        trace.line.material.dispose();
        traces = traces.filter((other) => other !== trace);
    }

    function extend(frame) {
        const back = frame.t < last;
        last = frame.t;
        for (const trace of traces) {
            const point = trace.body.group.localToWorld(trace.local.clone());
            if (back) trace.count = 0;
            else if (trace.end) append(trace, trace.end, point);
            trace.end = point;
        }
    }

    function append(trace, from, to) {
        const data = trace.line.geometry.attributes.instanceStart.data;
        if (trace.count === capacity) {
            data.array.copyWithin(0, 6);
            trace.count--;
        }
        data.array.set([from.x, from.y, from.z, to.x, to.y, to.z], 6 * trace.count);
        data.needsUpdate = true;
        trace.line.geometry.instanceCount = ++trace.count;
    }

    // After a reload traces stay with the bodies of the same names.
    bus.on('mechanism', (mechanism) => {
        const old = traces;
        for (const trace of old) remove(trace);
        for (const trace of old) {
            const body = mechanism.bodies.find((b) => b.name === trace.body.name);
            if (body) add(body, trace.local);
        }
    });
    bus.on('posed', extend);
    return { toggle, clear: () => traces.forEach(remove), addNamed: (body, local) => add(body, new Vector3().fromArray(local)), get count() { return traces.length; } };
}
