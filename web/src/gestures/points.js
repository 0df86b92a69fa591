// Design points in the 3D view while the panel of the model is open: dragging one loads the model again with the new position.
import { Mesh, MeshBasicMaterial, Raycaster, SphereGeometry, Vector3 } from 'three';
import { dragNormal, pointInPlane } from './handle.js';

export function createPoints(view, state, load, bus) {
    const geometry = new SphereGeometry(1, 20, 14);
    let handles = [];
    let shown = false;
    let dragged = null;

    function build(mechanism) {
        const { scene, size, root } = mechanism;
        handles = (scene.points ?? []).map((point) => {
            const material = new MeshBasicMaterial({ color: '#8b3fc4', transparent: true, opacity: 0.85, depthTest: false });
            const mesh = new Mesh(geometry.clone(), material);
            mesh.renderOrder = 12;
            mesh.scale.setScalar(0.75 * size);
            place(mesh, point.position, scene.centre);
            mesh.visible = shown;
            root.add(mesh);
            return { name: point.name, mesh };
        });
        if (dragged) dragged.handle = handles.find((h) => h.name === dragged.handle.name) ?? dragged.handle;
    }

    const place = (mesh, position, centre) => mesh.position.set(...position.map((x, i) => x - centre[i]));

    function pick(event) {
        if (!shown || handles.length === 0) return null;
        const caster = new Raycaster();
        caster.setFromCamera(view.toDevice(event), view.controls.camera);
        const hit = caster.intersectObjects(handles.map((h) => h.mesh), false)[0];
        return hit ? handles.find((h) => h.mesh === hit.object) : null;
    }

    function begin(handle, event) {
        const start = pointInPlane(view, event, handle.mesh.position, dragNormal(view, state.scene));
        dragged = { handle, offset: start ? handle.mesh.position.clone().sub(start) : new Vector3(), at: handle.mesh.position.clone() };
    }

    function move(event) {
        const target = pointInPlane(view, event, dragged.at, dragNormal(view, state.scene));
        if (!target) return;
        dragged.at.copy(target.add(dragged.offset));
        dragged.handle.mesh.position.copy(dragged.at);
        const { centre } = state.scene;
        load('point', { name: dragged.handle.name, position: dragged.at.toArray().map((x, i) => Number((x + centre[i]).toPrecision(6))) });
        view.redraw();
    }

    bus.on('mechanism', build);
    return {
        pick, begin, move, end: () => { dragged = null; },
        describe: (handle) => `design point ${handle.name}`,
        show(on) {
            shown = on;
            for (const handle of handles) handle.mesh.visible = on;
            view.redraw();
        },
    };
}
