// Springs as coils that stretch, dampers as pistons, other elements as lines, between two points that move.
import { BufferGeometry, Curve, CylinderGeometry, Group, Line, LineBasicMaterial, Mesh, TubeGeometry, Vector3 } from 'three';
import { placeBetween } from './math.js';

class Helix extends Curve {
    constructor(radius, turns, end) {
        super();
        Object.assign(this, { radius, turns, end });
    }

    // From 0 to 1 along z; straight ends on the axis.
    getPoint(s, target = new Vector3()) {
        const wound = Math.min(Math.max((s - this.end) / (1 - 2 * this.end), 0), 1);
        const rise = Math.min(1, 8 * wound, 8 * (1 - wound));
        const angle = 2 * Math.PI * this.turns * wound;
        return target.set(rise * this.radius * Math.cos(angle), rise * this.radius * Math.sin(angle), s);
    }
}

function makeCoil(size, length, material) {
    const turns = Math.max(6, Math.min(14, Math.round(length / (0.9 * size))));
    // The tube is made at the first length, so that its wire is round there.
    const curve = new Helix(0.95 * size, turns, 0.1);
    const scaled = new (class extends Curve {
        getPoint(s, target = new Vector3()) {
            curve.getPoint(s, target);
            target.z *= length;
            return target;
        }
    })();
    const geometry = new TubeGeometry(scaled, 24 * turns, 0.16 * size, 8).scale(1, 1, 1 / length);
    const coil = shadowed(new Mesh(geometry, material));
    return { object: coil, stretch: (now) => { coil.scale.z = Math.max(now, 1e-9); } };
}

function makePiston(size, length, materials) {
    const group = new Group();
    const tube = shadowed(new Mesh(new CylinderGeometry(0.62 * size, 0.62 * size, 0.55 * length, 28).rotateX(Math.PI / 2), materials.dark));
    const rod = shadowed(new Mesh(new CylinderGeometry(0.24 * size, 0.24 * size, 1, 20).rotateX(Math.PI / 2).translate(0, 0, -0.5), materials.steel));
    tube.position.z = 0.275 * length;
    group.add(tube, rod);
    return {
        object: group,
        stretch(now) {
            rod.position.z = now;
            rod.scale.z = Math.max(now - 0.3 * length, 1e-9);
        },
    };
}

function makeLine(material) {
    const geometry = new BufferGeometry().setFromPoints([new Vector3(), new Vector3(0, 0, 1)]);
    const line = new Line(geometry, new LineBasicMaterial({ color: material.color }));
    return { object: line, stretch: (now) => { line.scale.z = Math.max(now, 1e-9); } };
}

function shadowed(mesh) {
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return mesh;
}

// Returns {object, update(a, b)}: points in the coordinates of the parent.
export function makeForceElement(kind, size, length, materials) {
    const first = Math.max(length, 2 * size);
    const made = kind === 'spring' ? makeCoil(size, first, materials.spring)
        : kind === 'damper' ? makePiston(size, first, materials) : makeLine(materials.spring);
    return {
        object: made.object,
        update(a, b) {
            made.stretch(placeBetween(made.object, a, b));
        },
    };
}
