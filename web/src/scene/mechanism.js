// Objects of one scene: bodies with their shapes and joint parts, force elements, ground. Coordinates: world minus `centre`.
import { Box3, Group, LineBasicMaterial, MeshStandardMaterial, Vector3 } from 'three';
import { makeForceElement } from './force_elements.js';
import { gridSpacing, makeFloor, makeSupport } from './ground.js';
import { extendRail, makeJointSymbol } from './joint_symbols.js';
import { applyPose, vector } from './math.js';
import { barRadius, bodyMaterial, makeShape, shapePoints } from './shapes.js';

export function upDirection(scene) {
    const gravity = vector(scene.gravity ?? [0, 0, 0]);
    return gravity.lengthSq() > 0 ? gravity.negate().normalize() : vector(scene.camera?.up ?? [0, 0, 1]).normalize();
}

export function createMechanism(scene, palette) {
    const length = scene.length > 0 ? scene.length : 1;
    const root = new Group();
    const materials = makeMaterials();
    const size = jointSize(scene, length);
    const up = upDirection(scene);
    const ground = { name: 'ground', group: new Group(), index: -1 };
    ground.group.position.copy(vector(scene.centre)).negate();
    root.add(ground.group);
    const bodies = scene.bodies.map((body, index) => makeBody(body, index, materials, length));
    for (const body of bodies) root.add(body.group);
    const carrier = (index) => (index < 0 ? ground : bodies[index]);

    addShapes(ground.group, scene.ground?.shapes ?? [], materials.support, length);
    const first = scene.bodies.flatMap((body) => body.pose.map((x, i) => (i < 3 ? x - scene.centre[i] : x)));
    applyPoses(bodies, first);
    root.updateMatrixWorld(true);
    const joints = scene.joints.map((joint, index) => makeJoint(joint, index, carrier, size, length, materials, up));
    const elements = (scene.elements ?? []).map((item) => makeElement(item, carrier, root, size, materials));
    const floor = makeFloor(up, length);
    root.add(floor);
    const floorCentre = new Vector3();
    let floorLevel = lowestReach(scene, bodies, joints, up, size);
    let ghost = null;
    placeFloor();
    updateElements();

    // Below a mechanism that moves away the floor goes along in steps of its grid.
    function placeFloor() {
        floor.position.copy(floorCentre).addScaledVector(up, floorLevel);
    }

    function moveFloor(centre) {
        const spacing = gridSpacing(length);
        const local = centre.clone().applyQuaternion(floor.quaternion.clone().invert());
        floorCentre.set(spacing * Math.round(local.x / spacing), spacing * Math.round(local.y / spacing), 0).applyQuaternion(floor.quaternion);
        placeFloor();
    }

    function updateElements() {
        const a = new Vector3();
        const b = new Vector3();
        for (const item of elements) {
            item.first.group.localToWorld(a.copy(item.a));
            item.second.group.localToWorld(b.copy(item.b));
            item.update(a, b);
        }
    }

    function setPoses(poses) {
        applyPoses(bodies, poses);
        root.updateMatrixWorld(true);
        updateElements();
        const lowest = lowestPoint(bodies, up) - 0.5 * size;
        if (lowest < floorLevel && lowest > -4 * length) {
            floorLevel = lowest;
            placeFloor();
        }
    }

    function setCoordinates(values) {
        for (const joint of joints) {
            const slide = joint.description.coordinates.find((c) => c.unit === 'm');
            if (joint.symbol && slide) extendRail(joint.symbol, values[slide.index], size);
        }
    }

    function setGhost(poses) {
        if (!poses) {
            if (ghost) ghost.group.visible = false;
            return;
        }
        ghost ??= makeGhost(scene, root, length);
        ghost.group.visible = true;
        applyPoses(ghost.bodies, poses);
    }

    // Colours of the theme.
    function setPalette(colours) {
        for (const name of ['steel', 'dark', 'support', 'hatch', 'spring']) materials[name].color.set(colours[name]);
        floor.userData.grid.material.color.set(colours.grid);
        floor.userData.grid.material.opacity = colours.gridOpacity;
        floor.userData.receiver.material.opacity = colours.shadow;
    }

    // Smallest relative singular value below 0.05: joints glow from yellow to red.
    function setSingular(value) {
        const near = value < 0.05 ? 1 - Math.max(value, 0) / 0.05 : 0;
        for (const name of ['steel', 'dark']) {
            materials[name].emissive.setHSL(0.14 * (1 - near), 1, 0.5);
            materials[name].emissiveIntensity = near > 0 ? 0.35 + 0.65 * near : 0;
        }
        return near;
    }

    // Bodies that hold a posed point back, loops of the diagnosis: they glow.
    function outline(indices, colour = '#d8512f') {
        bodies.forEach((body, i) => {
            const on = indices.includes(i);
            body.material.emissive.set(on ? colour : '#000000');
            body.material.emissiveIntensity = on ? 0.55 : 0;
        });
    }

    function outlineJoints(indices) {
        for (const joint of joints) {
            for (const part of [joint.symbol?.first, joint.symbol?.second]) {
                part?.traverse((mesh) => {
                    if (!mesh.isMesh) return;
                    mesh.userData.plain ??= mesh.material;
                    mesh.material = indices.includes(joint.index) ? materials.marked : mesh.userData.plain;
                });
            }
        }
    }

    // Old mechanism after a failed reload.
    function setFaded(faded) {
        for (const body of bodies) {
            body.material.transparent = faded;
            body.material.opacity = faded ? 0.45 : 1;
        }
    }

    setPalette(palette);
    return {
        root, scene, bodies, joints, ground, carrier, length, size, up, setPoses, moveFloor, setCoordinates, setGhost, setPalette, setSingular, setFaded, outline, outlineJoints,
        get floorLevel() { return floorLevel; },
        bounds: () => boundsOf(bodies, joints, elements),
        freeToLeave: !scene.joints.some((joint) => joint.joint_type !== 'free' && (joint.first < 0 || joint.second < 0)),
        dispose: () => dispose(root),
    };
}

function makeMaterials() {
    const metal = (roughness, metalness) => new MeshStandardMaterial({ roughness, metalness, emissiveIntensity: 0 });
    return { steel: metal(0.35, 0.1), dark: metal(0.5, 0.05), support: metal(0.7, 0), spring: metal(0.4, 0.1), hatch: new LineBasicMaterial(),
        marked: new MeshStandardMaterial({ color: '#e0a100', roughness: 0.4, emissive: '#e0a100', emissiveIntensity: 0.5 }) };
}

function makeBody(body, index, materials, length) {
    const group = new Group();
    const material = bodyMaterial(body.colour);
    addShapes(group, body.shapes, material, length);
    group.traverse((part) => { part.userData.body = index; });
    const points = body.shapes.flatMap(shapePoints).map(vector);
    if (points.length === 0) points.push(vector(body.centre ?? [0, 0, 0]));
    return { name: body.name, index, group, material, points, description: body };
}

function addShapes(group, shapes, material, length) {
    for (const shape of shapes) {
        const object = makeShape(shape, material, length);
        if (object) group.add(object);
    }
}

// Joints are somewhat thicker than bars; without bars a fraction of the length.
function jointSize(scene, length) {
    const radii = scene.bodies.flatMap((body) => body.shapes.filter((s) => s.kind === 'bar').map((s) => barRadius(s, length))).sort((a, b) => a - b);
    const typical = radii.length ? radii[Math.floor(radii.length / 2)] : 0.009 * length;
    return Math.min(Math.max(1.75 * typical, 0.007 * length), 0.022 * length);
}

function makeJoint(joint, index, carrier, size, length, materials, up) {
    const first = carrier(joint.first);
    const second = carrier(joint.second);
    const slide = joint.coordinates.find((c) => c.unit === 'm');
    const limit = slide && slide.lower !== null && slide.upper !== null ? Math.max(Math.abs(slide.lower), Math.abs(slide.upper)) : 0.12 * length;
    const symbol = makeJointSymbol(joint.joint_type, size, materials, Math.min(limit, length));
    const frame = new Group();
    applyPose(frame, joint.frame_second);
    second.group.add(frame);
    if (symbol) {
        attach(symbol.first, first, joint.frame_first, index);
        attach(symbol.second, second, joint.frame_second, index);
    }
    if (joint.first < 0 || joint.second < 0) addSupport(joint, carrier, size, materials, up);
    return { name: joint.name, index, description: joint, first, second, frame, symbol };
}

function attach(part, body, frame, joint) {
    if (!part) return;
    applyPose(part, frame);
    part.traverse((mesh) => { Object.assign(mesh.userData, { body: body.index, joint }); });
    body.group.add(part);
}

function addSupport(joint, carrier, size, materials, up) {
    const groundFrame = joint.first < 0 ? joint.frame_first : joint.frame_second;
    const axis = new Group();
    applyPose(axis, groundFrame);
    const z = new Vector3(0, 0, 1).applyQuaternion(axis.quaternion);
    const support = makeSupport(joint.joint_type, z, up, size, materials);
    if (!support) return;
    support.position.copy(axis.position);
    carrier(-1).group.add(support);
}

function makeElement(item, carrier, root, size, materials) {
    const first = carrier(item.first);
    const second = carrier(item.second);
    const a = vector(item.a);
    const b = vector(item.b);
    const length = first.group.localToWorld(a.clone()).distanceTo(second.group.localToWorld(b.clone()));
    const made = makeForceElement(item.kind, size, length, materials);
    root.add(made.object);
    return { name: item.name, first, second, a, b, update: made.update };
}

function makeGhost(scene, root, length) {
    const group = new Group();
    const bodies = scene.bodies.map((body) => {
        const material = bodyMaterial(body.colour);
        Object.assign(material, { transparent: true, opacity: 0.25, depthWrite: false });
        const copy = { group: new Group() };
        addShapes(copy.group, body.shapes, material, length);
        copy.group.traverse((part) => { part.castShadow = false; });
        group.add(copy.group);
        return copy;
    });
    root.add(group);
    return { group, bodies };
}

function applyPoses(bodies, poses) {
    for (let i = 0; i < bodies.length; i++) applyPose(bodies[i].group, poses, 7 * i);
}

function lowestPoint(bodies, up) {
    const point = new Vector3();
    let lowest = Infinity;
    for (const body of bodies) {
        for (const p of body.points) lowest = Math.min(lowest, up.dot(body.group.localToWorld(point.copy(p))));
    }
    return lowest;
}

// Floor: below the start configuration, and below what bodies hinged to the ground can reach.
function lowestReach(scene, bodies, joints, up, size) {
    const origin = new Vector3();
    let lowest = Math.min(lowestPoint(bodies, up), 0) - 1.5 * size;
    for (const joint of joints) {
        if (joint.first.index >= 0 && joint.second.index >= 0) continue;
        const body = joint.first.index < 0 ? joint.second : joint.first;
        const level = up.dot(joint.frame.getWorldPosition(origin));
        lowest = Math.min(lowest, level - 3.8 * size);
        if (body.index < 0 || !['revolute', 'universal', 'spherical'].includes(joint.description.joint_type)) continue;
        const reach = Math.max(...body.points.map((p) => body.group.localToWorld(p.clone()).distanceTo(origin)));
        const axis = new Vector3(0, 0, 1).transformDirection(joint.frame.matrixWorld);
        if (Math.abs(axis.dot(up)) < 0.9) lowest = Math.min(lowest, level - reach - 1.5 * size);
    }
    return Number.isFinite(lowest) ? lowest : 0;
}

function boundsOf(bodies, joints, elements) {
    const box = new Box3();
    const point = new Vector3();
    for (const item of elements) {
        box.expandByPoint(item.first.group.localToWorld(point.copy(item.a)));
        box.expandByPoint(item.second.group.localToWorld(point.copy(item.b)));
    }
    for (const body of bodies) for (const p of body.points) box.expandByPoint(body.group.localToWorld(point.copy(p)));
    for (const joint of joints) box.expandByPoint(joint.frame.getWorldPosition(point));
    return box;
}

function dispose(root) {
    root.traverse((part) => {
        part.geometry?.dispose();
        part.material?.dispose?.();
    });
    root.removeFromParent();
}
