// Arrows at a marker along the axes of the world while the panel of the Cartesian move is open: dragging one moves the marker by inverse
// kinematics, with a velocity proportional to the distance to the pointer.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Raycaster, Vector3 } from 'three';
import { alongLine } from './handle.js';

const gain = 8; // 1/s
const axes = [['#d8402f', [1, 0, 0]], ['#3a9a4a', [0, 1, 0]], ['#2f6fd8', [0, 0, 1]]];

export function createGizmo(view, cartesian, bus) {
    let group = null;
    let shown = false;
    let dragged = null;
    const caster = new Raycaster();
    const place = new Vector3();

    function build(mechanism) {
        group = new Group();
        const length = 0.16 * mechanism.length;
        for (const [colour, direction] of axes) {
            const material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
            const shaft = new Mesh(new CylinderGeometry(0.022 * length, 0.022 * length, 0.8 * length, 12).translate(0, 0.4 * length, 0), material);
            const head = new Mesh(new ConeGeometry(0.09 * length, 0.26 * length, 20).translate(0, 0.9 * length, 0), material);
            const arrow = new Group();
            arrow.add(shaft, head);
            arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...direction));
            arrow.traverse((part) => {
                part.renderOrder = 13;
                part.userData.axis = direction;
            });
            group.add(arrow);
        }
        mechanism.root.add(group);
        update();
    }

    const markerPlace = () => {
        const marker = cartesian.marker();
        return marker ? view.mechanism.carrier(marker.body).group.localToWorld(place.fromArray(marker.pose)) : null;
    };

    function update() {
        if (!group) return;
        const at = shown ? markerPlace() : null;
        group.visible = at !== null;
        if (!at) return;
        group.position.copy(at);
        if (dragged) pursue();
    }

    function pursue() {
        const error = dragged.goal - dragged.axis.dot(group.position.clone().sub(dragged.origin));
        cartesian.move(dragged.axis.clone().multiplyScalar(gain * error).toArray());
    }

    function pick(event) {
        if (!group?.visible) return null;
        caster.setFromCamera(view.toDevice(event), view.controls.camera);
        return caster.intersectObject(group, true)[0]?.object ?? null;
    }

    function begin(part, event) {
        const axis = new Vector3(...part.userData.axis);
        const origin = group.position.clone();
        dragged = { axis, origin, from: alongLine(view, event, origin, axis) ?? 0, goal: 0 };
    }

    function move(event) {
        const along = alongLine(view, event, dragged.origin, dragged.axis);
        if (along === null) return;
        dragged.goal = along - dragged.from;
        pursue();
    }

    function end() {
        dragged = null;
        cartesian.stop();
    }

    bus.on('mechanism', build);
    bus.on('posed', update);
    bus.on('marker', () => {
        update();
        view.redraw();
    });
    return {
        pick, begin, move, end,
        describe: () => 'move the marker along this axis',
        get handle() { return group?.visible ? group.position.clone().sub(view.mechanism.ground.group.position).add(new Vector3(0.1 * view.mechanism.length, 0, 0)).toArray() : null; },
        show(on) {
            shown = on;
            update();
            view.redraw();
        },
    };
}
