// Symbols of joints in 3D. Each has a part on the first body and a part on the second, both in the joint frame, whose z axis is
// the axis of revolute, prismatic, cylindrical and screw joints.
import { BoxGeometry, CylinderGeometry, Group, LatheGeometry, Mesh, SphereGeometry, TorusGeometry, Vector2 } from 'three';

const solid = (geometry, material) => {
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return mesh;
};
const parts = (...meshes) => {
    const group = new Group();
    group.add(...meshes);
    return group;
};

// Cylinder along z with bevelled edges, from -h/2 to h/2.
function drum(radius, height, material) {
    const bevel = Math.min(0.16 * radius, 0.2 * height);
    const outline = [[0, -height / 2], [radius - bevel, -height / 2], [radius, -height / 2 + bevel], [radius, height / 2 - bevel],
        [radius - bevel, height / 2], [0, height / 2]].map(([x, y]) => new Vector2(x, y));
    return solid(lathe(outline).rotateX(Math.PI / 2), material);
}

// Body of revolution whose outline keeps its corners: two near points instead of one, so that normals do not mix.
function lathe(outline) {
    const fine = [];
    outline.forEach((p, i) => {
        const before = outline[i - 1];
        const after = outline[i + 1];
        const near = 0.02;
        if (before) fine.push(p.clone().lerp(before, near));
        if (!before || !after) fine.push(p.clone());
        if (after) fine.push(p.clone().lerp(after, near));
    });
    return new LatheGeometry(fine, 40);
}

function rod(radius, length, material) {
    return solid(new CylinderGeometry(radius, radius, length, 28).rotateX(Math.PI / 2), material);
}

// A rail is as long as the travel: scaled along z by `fit`.
function rail(geometry, material, reach) {
    const mesh = solid(geometry, material);
    mesh.userData.reach = reach;
    mesh.scale.z = 2 * reach;
    return mesh;
}

function slider(size, materials, travel, round) {
    const half = travel + 2.2 * size;
    const shape = round ? new CylinderGeometry(0.42 * size, 0.42 * size, 1, 28).rotateX(Math.PI / 2) : new BoxGeometry(0.62 * size, 0.62 * size, 1);
    const guide = rail(shape, materials.steel, half);
    const sleeve = round ? drum(0.95 * size, 3 * size, materials.dark) : solid(new BoxGeometry(1.9 * size, 1.9 * size, 3.2 * size), materials.dark);
    return { first: parts(guide), second: parts(sleeve), rail: guide };
}

const makers = {
    revolute: (s, m) => ({ first: parts(drum(s, 1.9 * s, m.dark)), second: parts(drum(0.5 * s, 2.7 * s, m.steel)) }),
    prismatic: (s, m, travel) => slider(s, m, travel, false),
    cylindrical: (s, m, travel) => slider(s, m, travel, true),
    screw(s, m, travel) {
        const symbol = slider(s, m, travel, true);
        for (let i = -2; i <= 2; i++) {
            const ring = solid(new TorusGeometry(0.95 * s, 0.12 * s, 10, 32), m.steel);
            ring.position.z = 0.55 * s * i;
            symbol.second.add(ring);
        }
        return symbol;
    },
    universal(s, m) {
        const across = (turn, material) => {
            const bar = rod(0.34 * s, 2.5 * s, material);
            turn(bar);
            return bar;
        };
        const first = across((bar) => bar.rotateY(Math.PI / 2), m.steel);
        const second = across((bar) => bar.rotateX(Math.PI / 2), m.dark);
        const fork = (turn, material) => {
            const ring = solid(new TorusGeometry(1.15 * s, 0.2 * s, 12, 36, Math.PI), material);
            turn(ring);
            return ring;
        };
        return {
            first: parts(first, fork((ring) => ring.rotateX(-Math.PI / 2), m.steel)),
            second: parts(second, fork((ring) => { ring.rotateZ(Math.PI / 2); ring.rotateX(Math.PI / 2); }, m.dark)),
        };
    },
    spherical(s, m) {
        const socket = solid(new SphereGeometry(1.12 * s, 36, 18, 0, 2 * Math.PI, 0.42 * Math.PI, 0.58 * Math.PI).rotateX(Math.PI / 2), m.dark);
        return { first: parts(socket), second: parts(solid(new SphereGeometry(s, 36, 24), m.steel)) };
    },
    planar: (s, m) => ({ first: parts(solid(new BoxGeometry(5 * s, 5 * s, 0.25 * s), m.steel)), second: parts(drum(s, 1.2 * s, m.dark)) }),
    fixed: (s, m) => ({ first: parts(solid(new BoxGeometry(1.5 * s, 1.5 * s, 1.5 * s), m.dark)), second: null }),
    general: (s, m) => ({ first: parts(drum(0.8 * s, 1.5 * s, m.dark)), second: parts(solid(new SphereGeometry(0.7 * s, 28, 18), m.steel)) }),
};

// Returns {first, second, rail} or null. `travel`: largest displacement that the rail shows at first.
export function makeJointSymbol(type, size, materials, travel) {
    const make = makers[type];
    return make ? make(size, materials, travel) : type === 'free' ? null : makers.general(size, materials);
}

// Lengthen the rail where the displacement has grown.
export function extendRail(symbol, displacement, size) {
    const reach = Math.abs(displacement) + 2.2 * size;
    if (!symbol.rail || reach <= symbol.rail.userData.reach) return;
    symbol.rail.userData.reach = reach;
    symbol.rail.scale.z = 2 * reach;
}
