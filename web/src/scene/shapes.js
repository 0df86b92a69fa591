// Geometry of body shapes: bars with rounded ends, boxes, spheres, faces, lines, meshes.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, DoubleSide, Float32BufferAttribute, LatheGeometry, Line,
    LineBasicMaterial, Mesh, MeshStandardMaterial, Object3D, PlaneGeometry, SphereGeometry, TorusGeometry, Vector2,
} from 'three';
import { applyPose, placeBetween, vector } from './math.js';

export function bodyMaterial(colour) {
    return new MeshStandardMaterial({ color: colour ?? '#7d8896', roughness: 0.42, metalness: 0.08 });
}

const flatBelow = 1.5; // length of a bar over its radius

// Radius of bars that the file gives without one.
export const defaultRadius = (length) => 0.009 * length;

export function makeShape(shape, material, length) {
    const make = makers[shape.kind];
    const object = make ? make(shape, material, length) : null;
    object?.traverse((part) => {
        part.castShadow = part.isMesh === true && shape.kind !== 'plane';
        part.receiveShadow = part.isMesh === true;
    });
    return object;
}

// Mesh along z from a to b.
function between(shape, material, makeGeometry) {
    const a = vector(shape.a);
    const b = vector(shape.b);
    const distance = a.distanceTo(b);
    const mesh = new Mesh(makeGeometry(distance).rotateX(Math.PI / 2).translate(0, 0, distance / 2), material);
    placeBetween(mesh, a, b);
    return mesh;
}

// Mesh with the pose of the shape.
function posed(shape, geometry, material) {
    const mesh = new Mesh(geometry, material);
    applyPose(mesh, shape.pose);
    return mesh;
}

// Bars have round ends; those that are as thick as long, wheels for example, flat ones with a rounded edge.
function barGeometry(radius, distance) {
    if (distance > flatBelow * radius) return new CapsuleGeometry(radius, distance, 8, 24);
    const edge = Math.min(0.22 * radius, 0.3 * distance);
    const corner = (side) => [0, 1, 2, 3, 4].map((k) => {
        const angle = (side < 0 ? k - 4 : k) * Math.PI / 8;
        return new Vector2(radius - edge + edge * Math.cos(angle), side * (distance / 2 - edge) + edge * Math.sin(angle));
    });
    return new LatheGeometry([new Vector2(0, -distance / 2), ...corner(-1), ...corner(1), new Vector2(0, distance / 2)], 48);
}

const makers = {
    bar: (shape, material, length) => between(shape, material, (distance) => barGeometry(barRadius(shape, length), distance)),
    capsule: (shape, material) => between(shape, material, (distance) => new CapsuleGeometry(shape.radius, distance, 12, 32)),
    cylinder: (shape, material) => between(shape, material, (distance) => new CylinderGeometry(shape.radius, shape.radius, distance, 48)),
    ellipsoid(shape, material) {
        const mesh = posed(shape, new SphereGeometry(1, 36, 24), material);
        mesh.scale.fromArray(shape.radii);
        return mesh;
    },
    torus: (shape, material) => posed(shape, new TorusGeometry(shape.radius, shape.tube, 20, 64), material),
    plane: (shape, material, length) => posed(shape, new PlaneGeometry(...(shape.size ?? [4 * length, 4 * length])), translucent(material)),
    sphere(shape, material) {
        const mesh = new Mesh(new SphereGeometry(shape.radius, 32, 20), material);
        mesh.position.copy(vector(shape.a));
        return mesh;
    },
    box: (shape, material) => posed(shape, new BoxGeometry(...shape.size), material),
    face(shape, material) {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new Float32BufferAttribute(shape.points.flat(), 3));
        const index = [];
        for (let i = 2; i < shape.points.length; i++) index.push(0, i - 1, i);
        geometry.setIndex(index);
        return flatMesh(geometry, material);
    },
    line(shape, material) {
        const geometry = new BufferGeometry().setFromPoints(shape.points.map(vector));
        return new Line(geometry, new LineBasicMaterial({ color: material.color }));
    },
    mesh(shape, material) {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new Float32BufferAttribute(shape.vertices, 3));
        geometry.setIndex(new BufferAttribute(Uint32Array.from(shape.triangles), 1));
        return flatMesh(geometry, material);
    },
};

export const barRadius = (shape, length) => (shape.radius > 0 ? shape.radius : defaultRadius(length));

// Planes are shown on both sides and do not hide what is behind them.
function translucent(material) {
    const clear = material.clone();
    Object.assign(clear, { side: DoubleSide, transparent: true, opacity: 0.25, depthWrite: false });
    return clear;
}

function flatMesh(geometry, material) {
    const both = material.clone();
    both.side = DoubleSide;
    both.flatShading = true;
    const mesh = new Mesh(geometry, both);
    mesh.userData.ownMaterial = true;
    return mesh;
}

// Points that bound a shape, in the body frame.
export function shapePoints(shape) {
    if (shape.kind === 'bar' || shape.kind === 'capsule' || shape.kind === 'cylinder') return [shape.a, shape.b];
    if (shape.kind === 'sphere') return axes.map((d) => d.map((x, i) => shape.a[i] + shape.radius * x));
    if (shape.kind === 'ellipsoid') return placed(shape, axes.map((d) => d.map((x, i) => shape.radii[i] * x)));
    if (shape.kind === 'torus') return placed(shape, axes.map((d) => d.map((x, i) => (i < 2 ? shape.radius + shape.tube : shape.tube) * x)));
    if (shape.kind === 'box') return placed(shape, [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? 0.5 : -0.5) * shape.size[k])));
    if (shape.kind === 'mesh') {
        const points = [];
        const stride = 3 * Math.max(1, Math.floor(shape.vertices.length / 3 / 200));
        for (let i = 0; i + 2 < shape.vertices.length; i += stride) points.push(shape.vertices.slice(i, i + 3));
        return points;
    }
    return shape.points ?? [];
}

const axes = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];

function placed(shape, points) {
    const frame = new Object3D();
    applyPose(frame, shape.pose);
    frame.updateMatrix();
    return points.map((p) => vector(p).applyMatrix4(frame.matrix).toArray());
}
