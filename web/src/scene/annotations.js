// Coordinate frames of bodies and markers, and mass centres.
import { AxesHelper, CanvasTexture, Group, Sprite, SpriteMaterial } from 'three';
import { applyPose, vector } from './math.js';

export function createAnnotations(view, bus) {
    let frames = [];
    let centres = [];
    const shown = { frames: false, centres: false };
    const material = new SpriteMaterial({ map: massCentreTexture(), depthTest: false, sizeAttenuation: false });

    function build(mechanism) {
        frames = mechanism.bodies.map((body) => axes(body.group, 0.09 * mechanism.length));
        for (const marker of mechanism.scene.markers ?? []) {
            const frame = axes(mechanism.carrier(marker.body).group, 0.06 * mechanism.length);
            applyPose(frame, marker.pose);
            frames.push(frame);
        }
        centres = mechanism.bodies.filter((body) => body.description.mass > 0).map((body) => {
            const sprite = new Sprite(material);
            sprite.scale.setScalar(0.02);
            sprite.position.copy(vector(body.description.centre));
            sprite.raycast = () => {};
            sprite.renderOrder = 10;
            body.group.add(sprite);
            return sprite;
        });
        apply();
    }

    function axes(parent, length) {
        const group = new Group();
        const helper = new AxesHelper(length);
        helper.material.depthTest = false;
        helper.renderOrder = 9;
        helper.raycast = () => {};
        group.add(helper);
        parent.add(group);
        return group;
    }

    function apply() {
        for (const frame of frames) frame.visible = shown.frames;
        for (const centre of centres) centre.visible = shown.centres;
        view.redraw();
    }

    bus.on('mechanism', build);
    return {
        setFrames(on) { shown.frames = on; apply(); },
        setCentres(on) { shown.centres = on; apply(); },
    };
}

// Symbol of a mass centre: circle with two black quarters.
function massCentreTexture() {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const pen = canvas.getContext('2d');
    pen.translate(32, 32);
    const sector = (from, colour) => {
        pen.fillStyle = colour;
        pen.beginPath();
        pen.moveTo(0, 0);
        pen.arc(0, 0, 28, from, from + Math.PI / 2);
        pen.fill();
    };
    [0, 1, 2, 3].forEach((k) => sector(k * Math.PI / 2, k % 2 ? '#ffffff' : '#15181c'));
    pen.strokeStyle = '#15181c';
    pen.lineWidth = 4;
    pen.beginPath();
    pen.arc(0, 0, 28, 0, 2 * Math.PI);
    pen.stroke();
    return new CanvasTexture(canvas);
}
