// Geometry of body shapes: bars with rounded ends, boxes, spheres, faces, lines, meshes.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, DoubleSide, Float32BufferAttribute, Line, LineBasicMaterial, Mesh,
    MeshStandardMaterial, SphereGeometry,
} from 'three';
import { applyPose, placeBetween, vector } from './math.js';

export function bodyMaterial(colour) {
    return new MeshStandardMaterial({ color: colour ?? '#7d8896', roughness: 0.42, metalness: 0.08 });
}

// Radius of bars that the file gives without one.
export const defaultRadius = (length) => 0.009 * length;

export function makeShape(shape, material, length) {
    const make = makers[shape.kind];
    const object = make ? make(shape, material, length) : null;
    object?.traverse((part) => {
        part.castShadow = part.isMesh === true;
        part.receiveShadow = part.isMesh === true;
    });
    return object;
}

const makers = {
    bar(shape, material, length) {
        const radius = barRadius(shape, length);
        const a = vector(shape.a);
        const b = vector(shape.b);
        const geometry = new CapsuleGeometry(radius, a.distanceTo(b), 8, 24).rotateX(Math.PI / 2).translate(0, 0, a.distanceTo(b) / 2);
        const mesh = new Mesh(geometry, material);
        placeBetween(mesh, a, b);
        return mesh;
    },
    sphere(shape, material) {
        const mesh = new Mesh(new SphereGeometry(shape.radius, 32, 20), material);
        mesh.position.copy(vector(shape.a));
        return mesh;
    },
    box(shape, material) {
        const mesh = new Mesh(new BoxGeometry(...shape.size), material);
        applyPose(mesh, shape.pose);
        return mesh;
    },
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
    if (shape.kind === 'bar') return [shape.a, shape.b];
    if (shape.kind === 'sphere') {
        const r = shape.radius;
        return [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]].map((d) => d.map((x, i) => shape.a[i] + r * x));
    }
    if (shape.kind === 'box') return boxCorners(shape);
    if (shape.kind === 'mesh') {
        const points = [];
        const stride = 3 * Math.max(1, Math.floor(shape.vertices.length / 3 / 200));
        for (let i = 0; i + 2 < shape.vertices.length; i += stride) points.push(shape.vertices.slice(i, i + 3));
        return points;
    }
    return shape.points ?? [];
}

function boxCorners(shape) {
    const mesh = makers.box(shape, null);
    mesh.updateMatrix();
    const points = [];
    for (let i = 0; i < 8; i++) {
        const corner = [0, 1, 2].map((k) => ((i >> k) & 1 ? 0.5 : -0.5) * shape.size[k]);
        points.push(vector(corner).applyMatrix4(mesh.matrix).toArray());
    }
    mesh.geometry.dispose();
    return points;
}
