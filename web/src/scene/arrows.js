// Arrows of forces and arcs of torques: solid, or hollow for values that are not unique.
import {
    ConeGeometry, CylinderGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, TorusGeometry,
} from 'three';
import { alongDirection } from './math.js';

// Length of an arrow for a force, relative to the length of the mechanism: the weight has a quarter of it, larger forces grow with the
// square root.
export function arrowLength(force, weight) {
    const ratio = force / weight;
    return 0.25 * (ratio <= 1 ? ratio : Math.sqrt(ratio));
}

// Weight of the mechanism, or the mass where there is no gravity.
export const weightOf = (scene) => (scene.weight > 0 ? scene.weight : Math.max(scene.bodies.reduce((sum, body) => sum + body.mass, 0), 1e-9));

// Solid and hollow drawing of one geometry.
function twoStyles(geometry, colour) {
    const solid = new Mesh(geometry, new MeshStandardMaterial({ color: colour, roughness: 0.5, emissive: colour, emissiveIntensity: 0.25 }));
    const hollow = new Group();
    hollow.add(new Mesh(geometry, new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.14, depthWrite: false })),
        new LineSegments(new EdgesGeometry(geometry, 12), new LineBasicMaterial({ color: colour })));
    return { solid, hollow };
}

function choose(styles, unique) {
    for (const style of styles) {
        style.solid.visible = unique;
        style.hollow.visible = !unique;
    }
}

export function makeArrow(size, colour) {
    const group = new Group();
    const shaft = twoStyles(new CylinderGeometry(0.3 * size, 0.3 * size, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2), colour);
    const head = twoStyles(new ConeGeometry(0.85 * size, 2.2 * size, 16).translate(0, -1.1 * size, 0).rotateX(Math.PI / 2), colour);
    group.add(shaft.solid, shaft.hollow, head.solid, head.hollow);
    return {
        group,
        update(place, vector, length, unique) {
            group.visible = length > 0.3 * size;
            if (!group.visible) return;
            group.position.copy(place);
            group.quaternion.copy(alongDirection(vector));
            const scale = Math.min(1, length / (3 * size));
            const tip = length;
            for (const part of [shaft.solid, shaft.hollow]) part.scale.set(scale, scale, Math.max(tip - 2 * size * scale, 1e-6));
            for (const part of [head.solid, head.hollow]) {
                part.position.z = tip;
                part.scale.setScalar(scale);
            }
            choose([shaft, head], unique);
        },
    };
}

// Arc of 270 degrees with an arrowhead, counterclockwise about the torque; its radius follows the torque.
export function makeArc(size, colour) {
    const group = new Group();
    const angle = 1.5 * Math.PI;
    const arc = twoStyles(new TorusGeometry(1, 0.06, 8, 40, angle), colour);
    const head = twoStyles(new ConeGeometry(0.2, 0.5, 14), colour);
    for (const part of [head.solid, head.hollow]) {
        part.position.set(Math.cos(angle), Math.sin(angle), 0);
        part.rotation.z = angle;
    }
    group.add(arc.solid, arc.hollow, head.solid, head.hollow);
    return {
        group,
        update(place, vector, length, unique) {
            group.visible = length > 0.3 * size;
            if (!group.visible) return;
            group.position.copy(place);
            group.quaternion.copy(alongDirection(vector));
            group.scale.setScalar(2.2 * size + 0.5 * length);
            choose([arc, head], unique);
        },
    };
}
