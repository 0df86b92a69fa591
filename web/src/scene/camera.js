// Camera: orbit, pan and zoom by mouse and touch about a target; standard views.
import { PerspectiveCamera, Vector3 } from 'three';
import { vector } from './math.js';

const turnPerPixel = 0.006;
const largestElevation = 1.55;
const easeTime = 350; // milliseconds

export function createCamera(canvas, redraw) {
    const camera = new PerspectiveCamera(28, 1, 0.01, 100);
    const target = new Vector3();
    // Axes of the mechanism: up, and the direction of the front view.
    let up = new Vector3(0, 0, 1);
    let front = new Vector3(0, -1, 0);
    let right = new Vector3(1, 0, 0);
    let initial = { azimuth: 0, elevation: 0 };
    const view = { azimuth: 0, elevation: 0, distance: 5 };
    let length = 1;
    const margins = { right: 0, bottom: 0 }; // covered by panels and by the bar of time, in pixels

    function apply() {
        const level = front.clone().multiplyScalar(Math.cos(view.azimuth)).addScaledVector(right, Math.sin(view.azimuth));
        const direction = level.multiplyScalar(Math.cos(view.elevation)).addScaledVector(up, Math.sin(view.elevation));
        camera.up.copy(up);
        camera.position.copy(target).addScaledVector(direction, view.distance);
        camera.near = Math.max(view.distance - 20 * length, view.distance / 200);
        camera.far = view.distance + 20 * length;
        camera.lookAt(target);
        const [width, height] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
        camera.setViewOffset(width, height, margins.right / 2, margins.bottom / 2, width, height);
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
        redraw();
    }

    // Axes from the scene. The initial view of planar mechanisms is turned a little, so that depth is seen.
    function setScene(scene, upward) {
        length = scene.length;
        up = upward.clone();
        const toward = vector(scene.camera.toward).normalize();
        const elevation = Math.asin(Math.min(Math.max(toward.dot(up), -1), 1));
        const level = toward.clone().addScaledVector(up, -toward.dot(up));
        front = level.lengthSq() > 1e-6 ? level.normalize() : vector(scene.camera.up).addScaledVector(up, -vector(scene.camera.up).dot(up)).negate().normalize();
        if (!(front.lengthSq() > 0.5)) front = Math.abs(up.y) < 0.9 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
        right = up.clone().cross(front).normalize();
        const edgeOn = scene.planar && Math.abs(elevation) < 0.2;
        initial = edgeOn ? { azimuth: 0.42, elevation: 0.26 } : { azimuth: 0, elevation: Math.min(Math.max(elevation, -largestElevation), largestElevation) };
    }

    // Horizontal directions of the initial view: to the right, and toward the camera.
    function initialAxes() {
        const { azimuth } = initial;
        return {
            toward: front.clone().multiplyScalar(Math.cos(azimuth)).addScaledVector(right, Math.sin(azimuth)),
            right: right.clone().multiplyScalar(Math.cos(azimuth)).addScaledVector(front, -Math.sin(azimuth)),
        };
    }

    // Distance at which points of the box fill the view.
    function fit(box) {
        if (box.isEmpty()) return;
        box.getCenter(target);
        const full = Math.tan(camera.fov * Math.PI / 360);
        const half = full * (1 - margins.bottom / (canvas.clientHeight || 1));
        const across = full * camera.aspect * (1 - margins.right / (canvas.clientWidth || 1));
        let distance = 0.3 * length;
        apply();
        const inverse = camera.matrixWorldInverse;
        const point = new Vector3();
        for (let i = 0; i < 8; i++) {
            point.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).applyMatrix4(inverse);
            const nearer = point.z + view.distance;
            distance = Math.max(distance, nearer + Math.abs(point.x) / across, nearer + Math.abs(point.y) / half);
        }
        view.distance = 1.18 * distance;
        apply();
    }

    function turnTo(azimuth, elevation) {
        Object.assign(view, { azimuth, elevation });
        apply();
    }

    const turn = (dx, dy) => turnTo(view.azimuth - turnPerPixel * dx, Math.min(Math.max(view.elevation + turnPerPixel * dy, -largestElevation), largestElevation));

    function pan(dx, dy) {
        const scale = 2 * view.distance * Math.tan(camera.fov * Math.PI / 360) / canvas.clientHeight;
        const x = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
        const y = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
        target.addScaledVector(x, -dx * scale).addScaledVector(y, dy * scale);
        apply();
    }

    function zoom(factor) {
        view.distance = Math.min(Math.max(view.distance * factor, 0.02 * length), 60 * length);
        apply();
    }

    function centre(point) {
        target.copy(point);
        apply();
    }

    function shift(step) {
        target.add(step);
        apply();
    }

    // Whether a box is inside the view.
    function sees(box) {
        const point = new Vector3();
        for (let i = 0; i < 8; i++) {
            point.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).project(camera);
            if (point.x < -0.98 || point.x > 0.98 - 2 * margins.right / canvas.clientWidth || point.y > 0.98 || point.y < -0.98 + 2 * margins.bottom / canvas.clientHeight) return false;
        }
        return true;
    }

    // From an earlier view to the present one, smoothly.
    let easing = 0;
    function ease(before) {
        const goal = { distance: view.distance, target: target.clone() };
        const begin = performance.now();
        const mine = ++easing;
        const step = (now) => {
            if (mine !== easing) return;
            const part = Math.min(Math.max((now - begin) / easeTime, 0), 1);
            const s = part * part * (3 - 2 * part);
            view.distance = before.distance + s * (goal.distance - before.distance);
            target.copy(before.target).lerp(goal.target, s);
            apply();
            if (part < 1) requestAnimationFrame(step);
        };
        step(begin);
    }

    function resize(width, height) {
        camera.aspect = width / Math.max(height, 1);
        apply();
    }

    // `framed`: the distance is that of the last fit, not one that the user has chosen.
    const own = (change) => (...values) => {
        easing++;
        controls.framed = false;
        change(...values);
    };
    const controls = {
        camera, view, target, margins, framed: true, setScene, initialAxes, fit, turn, pan: own(pan), zoom: own(zoom), centre: own(centre), shift, sees, ease, resize, turnTo,
        standard: {
            initial: () => turnTo(initial.azimuth, initial.elevation), front: () => turnTo(0, 0), side: () => turnTo(Math.PI / 2, 0),
            top: () => turnTo(0, largestElevation),
        },
    };
    return controls;
}
