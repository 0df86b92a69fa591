// Scene and motion of a planar four-bar linkage in closed form, for tests of the page.
const [a, b, c, d] = [1, 2.2, 1.5, 2];
const turn = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
const bar = (length) => [{ kind: 'bar', a: [0, 0, 0], b: [length, 0, 0], radius: 0.045 }];
const joint = (name, first, second, at, on) => ({
    name, joint_type: 'revolute', first, second, frame_first: [at, 0, 0, 1, 0, 0, 0], frame_second: [on, 0, 0, 1, 0, 0, 0],
    coordinates: [{ name: `${name}.q`, unit: 'rad', index: 'ABCD'.indexOf(name), lower: null, upper: null, drivable: true, effort: name === 'A' ? 'A.effort' : null }],
});
export const centre = [1, 0.6, 0];

// Angles of crank, coupler, rocker, of which the last begins at D.
function angles(phi) {
    const [bx, by] = [a * Math.cos(phi), a * Math.sin(phi)];
    const e = Math.hypot(d - bx, by);
    const coupler = Math.atan2(-by, d - bx) + Math.acos((b * b + e * e - c * c) / (2 * b * e));
    const rocker = Math.atan2(by + b * Math.sin(coupler), bx + b * Math.cos(coupler) - d);
    return [phi, coupler, rocker];
}

// Poses relative to `centre`.
export function poses(phi) {
    const [p, q, r] = angles(phi);
    const at = [[0, 0, 0], [a * Math.cos(p), a * Math.sin(p), 0], [d, 0, 0]];
    return [p, q, r].flatMap((angle, i) => [...at[i].map((x, k) => x - centre[k]), ...turn(angle)]);
}

export function scene(id = 1) {
    const first = poses(Math.PI / 3);
    const pose = (i) => first.slice(7 * i, 7 * i + 7).map((x, k) => (k < 3 ? x + centre[k] : x));
    const body = (name, i, length, mass, colour) => ({ name, mass, centre: [length / 2, 0, 0], colour, pose: pose(i), shapes: bar(length) });
    return {
        type: 'scene', id, name: 'four-bar', centre, length: 3.2, weight: 44, gravity: [0, -9.81, 0], planar: true, coordinates: 4,
        camera: { right: [1, 0, 0], up: [0, 1, 0], toward: [0, 0, 1] },
        bodies: [body('crank', 0, a, 1, '#3b6ea8'), body('coupler', 1, b, 2, '#d88a2f'), body('<b>rocker</b>', 2, c, 1.5, '#3f8f5f')],
        ground: { shapes: [] },
        joints: [joint('A', -1, 0, 0, 0), joint('B', 0, 1, a, 0), joint('C', 1, 2, b, c), joint('D', 2, -1, 0, d)],
        elements: [{ kind: 'spring', name: 'spring', first: 0, a: [0.6, 0, 0], second: 2, b: [0.5, 0, 0] }],
        markers: [{ name: 'tip', body: 1, pose: [b, 0, 0, 1, 0, 0, 0] }],
        columns: [{ name: 'A.q', unit: 'rad' }, { name: 'A.v', unit: 'rad/s' }, { name: 'A.effort', unit: 'N m' }],
        parameters: [{ name: 'a', value: a }, { name: 'b', value: b }], points: [{ name: 'B', position: [0.5, 0.866, 0] }],
    };
}

export function frame({ phi, t, number, grab, flags, id = 1, columns = [], contacts = [] }) {
    const values = [];
    const f32 = (...list) => values.push(...list.map((x) => [4, x]));
    const f64 = (...list) => values.push(...list.map((x) => [8, x]));
    f32(...poses(phi));
    if (flags & 1) f32(phi, 0.1, 0.2, 0.3);
    if (flags & 2) for (let i = 0; i < 4; i++) f32(20 - 5 * i, 25, 0, 0, 0, i === 3 ? 4 : 0, i < 2 ? 1 : 0);
    if (flags & 4) f64(...columns.map((name) => ({ 'A.q': phi, 'A.v': 1, 'A.effort': 7.5 })[name]));
    if (flags & 8) f64(1, 2, 0, 0);
    const shown = (flags & 15) | (contacts.length ? flags & 32 : 0);
    const bytes = Buffer.alloc(40 + values.reduce((sum, [size]) => sum + size, 0) + (shown & 32 ? 4 + 28 * contacts.length : 0));
    bytes.writeUInt8(1, 0);
    bytes.writeUInt8(shown, 1);
    bytes.writeUInt16LE(id, 2);
    bytes.writeUInt32LE(number, 4);
    bytes.writeUInt32LE(grab, 8);
    bytes.writeFloatLE(12.5, 12);
    bytes.writeDoubleLE(t, 16);
    bytes.writeFloatLE(1e-12, 24);
    bytes.writeFloatLE(1e-11, 28);
    bytes.writeFloatLE(0.4, 32);
    bytes.writeFloatLE(1, 36);
    let offset = 40;
    for (const [size, x] of values) {
        if (size === 4) bytes.writeFloatLE(x, offset);
        else bytes.writeDoubleLE(x, offset);
        offset += size;
    }
    if (shown & 32) {
        bytes.writeUInt32LE(contacts.length, offset);
        contacts.forEach(({ first, second, place, force }, k) => {
            const at = offset + 4 + 28 * k;
            bytes.writeUInt16LE(first < 0 ? 65535 : first, at);
            bytes.writeUInt16LE(second < 0 ? 65535 : second, at + 2);
            [...place, ...force].forEach((x, i) => bytes.writeFloatLE(x, at + 4 + 4 * i));
        });
    }
    return bytes;
}
