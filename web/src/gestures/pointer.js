// Pointer gestures on the canvas: a body is pulled, empty space turns the camera; other buttons or Shift pan; two fingers pan and zoom. Handles
// (design points, arrows at a marker) are taken before bodies.
import { pickBody } from './pick.js';

const clickTolerance = 4; // pixels

export function createPointer(canvas, view, { pull, traces, handles, tooltip, selectJoint, canPull }) {
    const pointers = new Map();
    let gesture = null;

    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    // A second button while the first is down makes no pointer event of its own.
    canvas.addEventListener('mousedown', (event) => { if (event.button === 2 && pull.held) pull.pin(); });
    canvas.addEventListener('pointerdown', (event) => {
        if (!view.mechanism) return;
        canvas.setPointerCapture(event.pointerId);
        canvas.focus({ preventScroll: true });
        pointers.set(event.pointerId, event);
        if (pointers.size === 2) {
            pull.release();
            gesture = { kind: 'pinch', ...pinch() };
            return;
        }
        tooltip.hide();
        const plain = event.button === 0 && !event.shiftKey && !event.ctrlKey && !event.altKey;
        const handle = plain ? pickHandle(event) : null;
        if (handle) {
            gesture = { kind: 'handle', handle: handle.source };
            handle.source.begin(handle.picked, event);
            return;
        }
        const hit = pickBody(view, event);
        if (event.altKey && hit) traces.toggle(hit);
        else if (plain && hit && canPull) begin(hit, event);
        else gesture = { kind: event.button === 0 && !event.shiftKey ? 'turn' : 'pan', x: event.clientX, y: event.clientY };
    });

    function pickHandle(event) {
        for (const source of handles) {
            const picked = source.pick(event);
            if (picked) return { source, picked };
        }
        return null;
    }

    function begin(hit, event) {
        gesture = { kind: 'pull', joint: hit.joint, x: event.clientX, y: event.clientY };
        canvas.classList.add('pulling');
        pull.begin(hit, event);
    }

    function pinch() {
        const [a, b] = [...pointers.values()];
        return { x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, spread: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) };
    }

    function move(event) {
        if (!pointers.has(event.pointerId)) {
            hover(event);
            return;
        }
        pointers.set(event.pointerId, event);
        if (!gesture) return;
        if (gesture.kind === 'handle') gesture.handle.move(event);
        else if (gesture.kind === 'pull') {
            if (Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y) > clickTolerance) gesture.joint = undefined;
            pull.move(event);
        }
        else if (gesture.kind === 'pinch') movePinch();
        else {
            view.controls[gesture.kind](event.clientX - gesture.x, event.clientY - gesture.y);
            gesture.x = event.clientX;
            gesture.y = event.clientY;
        }
    }

    function movePinch() {
        if (pointers.size < 2) return;
        const now = pinch();
        view.controls.pan(now.x - gesture.x, now.y - gesture.y);
        view.controls.zoom(gesture.spread / Math.max(now.spread, 1));
        Object.assign(gesture, now);
    }

    function hover(event) {
        if (event.buttons || !view.mechanism || event.pointerType === 'touch') return;
        const handle = pickHandle(event);
        const hit = handle ? null : pickBody(view, event);
        canvas.classList.toggle('over-body', handle !== null || (hit !== null && canPull));
        tooltip.show(event, handle ? handle.source.describe(handle.picked) : hit);
    }

    function finish(event) {
        pointers.delete(event.pointerId);
        if (gesture?.kind === 'handle') gesture.handle.end();
        if (gesture?.kind === 'pull') {
            pull.release();
            if (gesture.joint !== undefined && event.type === 'pointerup') selectJoint(gesture.joint);
        }
        canvas.classList.remove('pulling');
        gesture = null;
    }

    canvas.addEventListener('pointermove', move);
    canvas.addEventListener('pointerup', finish);
    canvas.addEventListener('pointercancel', finish);
    canvas.addEventListener('wheel', (event) => {
        event.preventDefault();
        const amount = event.deltaY * (event.deltaMode === 1 ? 30 : 1);
        if (pull.held) pull.push(-amount * 0.0005 * view.controls.view.distance);
        else view.controls.zoom(Math.exp(0.0012 * amount));
    }, { passive: false });
    canvas.addEventListener('dblclick', (event) => {
        const hit = pickBody(view, event);
        if (hit) view.controls.centre(hit.world);
    });
}
