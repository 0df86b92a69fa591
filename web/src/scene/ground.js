// Ground: supports with hatching at joints to the ground, a floor with grid and shadow.
import {
    BufferGeometry, CylinderGeometry, ExtrudeGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry,
    ShadowMaterial, Shape, Vector3,
} from 'three';
import { alongDirection, basis } from './math.js';

// Support below a joint of the given size with axis z (world), at the origin.
export function makeSupport(type, z, up, size, materials) {
    const group = new Group();
    const height = 3 * size;
    if (type === 'prismatic' || type === 'cylindrical' || type === 'screw' || type === 'free') return null;
    const level = Math.abs(z.dot(up)) < 0.7 && (type === 'revolute' || type === 'universal');
    const block = level ? bearing(size, height, materials.support) : pedestal(size, height, materials.support);
    group.add(block, hatching(size, height, materials.hatch));
    group.quaternion.copy(level ? basis(z, up) : basis(perpendicular(up), up));
    return group;
}

const perpendicular = (up) => new Vector3(1, 0, 0).addScaledVector(up, -up.x).lengthSq() > 0.1
    ? new Vector3(1, 0, 0).addScaledVector(up, -up.x).normalize() : new Vector3(0, 1, 0).addScaledVector(up, -up.y).normalize();

// Bearing block: plate with a rounded head in the plane normal to the axis, y up.
function bearing(size, height, material) {
    const head = 1.45 * size;
    const foot = 2.2 * size;
    const shape = new Shape();
    shape.moveTo(-foot, -height);
    shape.lineTo(foot, -height);
    shape.lineTo(foot, -height + 0.45 * size);
    shape.lineTo(head, -0.15 * size);
    shape.absarc(0, 0, head, -0.1, Math.PI + 0.1, false);
    shape.lineTo(-foot, -height + 0.45 * size);
    shape.closePath();
    const depth = 1.15 * size;
    const geometry = new ExtrudeGeometry(shape, { depth, bevelEnabled: true, bevelSize: 0.08 * size, bevelThickness: 0.08 * size, bevelSegments: 2, curveSegments: 32 });
    return shadowed(new Mesh(geometry.translate(0, 0, -depth / 2), material));
}

function pedestal(size, height, material) {
    const geometry = new CylinderGeometry(0.9 * size, 2.1 * size, height - 0.6 * size, 40).translate(0, -height / 2 - 0.3 * size, 0);
    return shadowed(new Mesh(geometry, material));
}

function shadowed(mesh) {
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return mesh;
}

// Line of the ground with oblique strokes below it.
function hatching(size, height, material) {
    const points = [];
    const half = 3 * size;
    const y = -height - 0.1 * size;
    points.push(-half, y, 0, half, y, 0);
    for (let x = -half + 0.5 * size; x <= half + 1e-9; x += 0.62 * size) points.push(x, y, 0, x - 0.6 * size, y - 0.6 * size, 0);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
    return new LineSegments(geometry, material);
}

// Floor normal to `up`: grid that fades with distance, and a plane that receives the shadow.
export function makeFloor(up, length) {
    const group = new Group();
    group.quaternion.copy(alongDirection(up));
    const receiver = new Mesh(new PlaneGeometry(12 * length, 12 * length), new ShadowMaterial({ opacity: 0.22 }));
    receiver.receiveShadow = true;
    receiver.position.z = -0.001 * length;
    const grid = new LineSegments(gridGeometry(length), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    group.add(receiver, grid);
    group.userData = { receiver, grid };
    return group;
}

export function gridSpacing(length) {
    const decade = 10 ** Math.floor(Math.log10(length / 4));
    return [1, 2, 5, 10].map((x) => x * decade).find((x) => x >= length / 8) ?? decade;
}

function gridGeometry(length) {
    const spacing = gridSpacing(length);
    const count = Math.ceil(2.6 * length / spacing);
    const radius = count * spacing;
    const positions = [];
    const colours = [];
    const add = (x, y) => {
        positions.push(x, y, 0);
        colours.push(1, 1, 1, Math.max(0, 1 - Math.hypot(x, y) / radius) ** 1.3);
    };
    const pieces = 2 * count;
    for (let i = -count; i <= count; i++) {
        for (let k = 0; k < pieces; k++) {
            const from = -radius + 2 * radius * k / pieces;
            const to = -radius + 2 * radius * (k + 1) / pieces;
            add(i * spacing, from); add(i * spacing, to);
            add(from, i * spacing); add(to, i * spacing);
        }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
    geometry.setAttribute('color', new Float32BufferAttribute(colours, 4));
    return geometry;
}
