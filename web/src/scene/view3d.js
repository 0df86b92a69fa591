// Renderer, lights and the picture: drawn when something has changed, at most once per refresh of the screen.
import {
    Box3, DirectionalLight, HemisphereLight, NeutralToneMapping, PCFShadowMap, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { createCamera } from './camera.js';
import { createMechanism } from './mechanism.js';

export function createView(canvas, theme, bus) {
    const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
    renderer.toneMapping = NeutralToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.shadowMap.autoUpdate = false; // it is drawn anew when something moved, not when the camera did
    renderer.setClearColor(0x000000, 0);
    const scene = new Scene();
    const sky = new HemisphereLight();
    const key = new DirectionalLight();
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    key.shadow.radius = 5;
    const fill = new DirectionalLight(); // from the other side, without a shadow
    scene.add(sky, key, key.target, fill, fill.target);
    let mechanism = null;
    let waiting = false;
    const fromTarget = new Vector3();
    const swept = new Box3(); // of the motion since the view was fitted
    const followed = new Vector3();
    const controls = createCamera(canvas, redraw);

    function redraw() {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
            waiting = false;
            draw();
        });
    }

    function draw() {
        renderer.render(scene, controls.camera);
        bus.emit('drawn', performance.now());
    }

    function resize() {
        const width = canvas.clientWidth;
        const height = canvas.clientHeight;
        renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        renderer.setSize(width, height, false);
        controls.resize(width, height);
        if (mechanism && controls.framed) fitTo(swept);
        draw();
    }

    function show(description) {
        const again = mechanism !== null && mechanism.scene.name === description.name;
        mechanism?.dispose();
        mechanism = createMechanism(description, theme.palette);
        scene.add(mechanism.root);
        controls.setScene(description, mechanism.up);
        light();
        setPalette(theme.palette);
        renderer.shadowMap.needsUpdate = true;
        if (!again) home();
        redraw();
        return mechanism;
    }

    // Light from above, in front and left, for a shadow below the mechanism.
    function light() {
        const { length, up } = mechanism;
        const centre = mechanism.bounds().getCenter(new Vector3());
        const { right, toward } = controls.initialAxes();
        fromTarget.set(0, 0, 0).addScaledVector(up, 3 * length).addScaledVector(toward, 1.1 * length).addScaledVector(right, -0.9 * length);
        lightTo(centre);
        sky.position.copy(up);
        const box = key.shadow.camera;
        Object.assign(box, { left: -1.5 * length, right: 1.5 * length, top: 1.5 * length, bottom: -1.5 * length, near: 0.2 * length, far: 8 * length });
        box.updateProjectionMatrix();
        key.shadow.normalBias = 0.003 * length;
        key.shadow.bias = -0.0005;
    }

    function lightTo(centre) {
        key.target.position.copy(centre);
        key.position.copy(centre).add(fromTarget);
        fill.target.position.copy(centre);
        fill.position.copy(centre).addScaledVector(fromTarget, -0.6).addScaledVector(mechanism.up, 3.2 * mechanism.length);
    }

    // Parts of the view that panels and the bar of time cover, in pixels.
    function setMargins(right, bottom) {
        Object.assign(controls.margins, { right, bottom });
        resize();
    }

    function setPalette(palette) {
        sky.color.set(palette.sky);
        sky.groundColor.set(palette.earth);
        sky.intensity = palette.hemisphere;
        key.intensity = palette.key;
        fill.intensity = palette.fill;
        mechanism?.setPalette(palette);
        redraw();
    }

    function fitAll() {
        if (!mechanism) return;
        swept.copy(mechanism.bounds());
        swept.getCenter(followed);
        controls.framed = true;
        fitTo(swept);
    }

    // The floor below the middle is seen too, for the shadow.
    function fitTo(bounds) {
        const box = bounds.clone().expandByScalar(2 * mechanism.size);
        const { up } = mechanism;
        const middle = box.getCenter(new Vector3());
        if (!mechanism.freeToLeave) box.expandByPoint(middle.addScaledVector(up, mechanism.floorLevel - up.dot(middle)));
        controls.fit(box);
        controls.framed = true;
    }

    // The camera follows a mechanism without a joint to the ground; otherwise it goes back until all that moved is seen, unless the user has
    // panned or zoomed.
    function follow() {
        renderer.shadowMap.needsUpdate = true;
        const bounds = mechanism.bounds();
        if (bounds.isEmpty() || !Number.isFinite(bounds.min.x)) return;
        if (mechanism.freeToLeave) {
            const centre = bounds.getCenter(new Vector3());
            const step = centre.clone().sub(followed);
            if (step.lengthSq() < (1e-4 * mechanism.length) ** 2) return;
            followed.copy(centre);
            controls.shift(step);
            mechanism.moveFloor(centre);
            lightTo(centre);
        } else if (controls.framed && !swept.containsBox(bounds) && !controls.sees(bounds)) {
            swept.union(bounds.expandByScalar(0.08 * mechanism.length));
            const before = { distance: controls.view.distance, target: controls.target.clone() };
            fitTo(swept);
            controls.ease(before);
        }
    }

    function home() {
        controls.standard.initial();
        fitAll();
    }

    // Position on the canvas in pixels, or null behind the camera.
    const projected = new Vector3();
    function toScreen(point) {
        projected.copy(point).project(controls.camera);
        if (projected.z > 1) return null;
        return { x: (projected.x + 1) / 2 * canvas.clientWidth, y: (1 - projected.y) / 2 * canvas.clientHeight };
    }

    function toDevice(event) {
        const box = canvas.getBoundingClientRect();
        return new Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    }

    function setShadow(on) {
        key.castShadow = on;
        renderer.shadowMap.needsUpdate = true;
        redraw();
    }

    function picture(done) {
        draw();
        canvas.toBlob(done, 'image/png');
    }

    bus.on('theme', setPalette);
    new ResizeObserver(resize).observe(canvas);
    resize();
    return { renderer, world: scene, controls, redraw, show, follow, fitAll, home, toScreen, toDevice, picture, setShadow, setMargins, get mechanism() { return mechanism; } };
}
