// Drag of something in the 3D view: the pointer moves a point in a plane, or along a line.
import { Plane, Raycaster, Vector3 } from 'three';

const caster = new Raycaster();
const plane = new Plane();

function ray(view, event) {
    caster.setFromCamera(view.toDevice(event), view.controls.camera);
    return caster.ray;
}

// Normal of the plane in which a pointer moves things: that of a planar mechanism unless it is seen edge on, else toward the camera.
export function dragNormal(view, scene) {
    const toward = view.controls.camera.getWorldDirection(new Vector3()).negate();
    if (!scene.planar) return toward;
    const normal = new Vector3().fromArray(scene.camera.toward).normalize();
    return Math.abs(normal.dot(toward)) > 0.15 ? normal : toward;
}

// Point of the plane through `point` under the pointer, or null.
export function pointInPlane(view, event, point, normal) {
    plane.setFromNormalAndCoplanarPoint(normal, point);
    return ray(view, event).intersectPlane(plane, new Vector3());
}

// Distance along a line through `point` of the place nearest to the pointer's ray; null for a line along the view.
export function alongLine(view, event, point, direction) {
    const { origin, direction: d } = ray(view, event);
    const b = direction.dot(d);
    const w = point.clone().sub(origin);
    const denominator = 1 - b * b;
    return denominator < 1e-3 ? null : (b * d.dot(w) - direction.dot(w)) / denominator;
}
