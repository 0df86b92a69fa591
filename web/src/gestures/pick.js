// Body under the pointer: nearest hit of the ray; else the nearest bar within a few pixels, so that thin bars can be taken.
import { Raycaster, Vector3 } from 'three';

// Returns {body, local, world, joint} or null; `joint`: index of the joint whose symbol was hit.
export function pickBody(view, event) {
    const caster = new Raycaster();
    caster.setFromCamera(view.toDevice(event), view.controls.camera);
    const groups = view.mechanism.bodies.map((body) => body.group);
    for (const hit of caster.intersectObjects(groups, true)) {
        if (!hit.object.isMesh || !(hit.object.userData.body >= 0)) continue;
        const { body, joint } = hit.object.userData;
        return { ...atPoint(view.mechanism.bodies[body], hit.point), joint };
    }
    return nearestBar(view, event, event.pointerType === 'touch' ? 24 : 10);
}

const atPoint = (body, world) => ({ body, world: world.clone(), local: body.group.worldToLocal(world.clone()) });

function nearestBar(view, event, tolerance) {
    const box = view.renderer.domElement.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = null;
    let least = tolerance;
    const a = new Vector3();
    const b = new Vector3();
    for (const body of view.mechanism.bodies) {
        for (const shape of body.description.shapes) {
            if (shape.kind !== 'bar') continue;
            body.group.localToWorld(a.fromArray(shape.a));
            body.group.localToWorld(b.fromArray(shape.b));
            const near = nearestOnSegment(view.toScreen(a), view.toScreen(b), x, y);
            if (near && near.distance < least) {
                least = near.distance;
                best = atPoint(body, a.clone().lerp(b, near.fraction));
            }
        }
    }
    return best;
}

function nearestOnSegment(a, b, x, y) {
    if (!a || !b) return null;
    const dx = b.x - a.x;
    const dy = b.y - a.y;
    const square = dx * dx + dy * dy;
    const fraction = square > 0 ? Math.min(Math.max(((x - a.x) * dx + (y - a.y) * dy) / square, 0), 1) : 0;
    return { fraction, distance: Math.hypot(a.x + fraction * dx - x, a.y + fraction * dy - y) };
}
