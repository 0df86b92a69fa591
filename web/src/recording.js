// Recording in the page itself: the scene and compressed frames in script elements, played without a server.
// Values are 16-bit integers, stored as second differences in time (the two values before the first are 0), low bytes before high bytes.
const header = 72;

export const hasRecording = () => (document.getElementById('cardan-frames')?.textContent.trim() ?? '') !== '';

async function unpack(text) {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

// Returns {bodies, frames, start, interval, poses(k)}: poses of frame k as 7 numbers per body.
export function decodeFrames(buffer) {
    const view = new DataView(buffer);
    const bodies = view.getUint32(0, true);
    const frames = view.getUint32(4, true);
    const count = 7 * bodies * frames;
    if (buffer.byteLength < header + 2 * count) throw new Error('the recording is incomplete');
    const number = (i) => view.getFloat64(8 + 8 * i, true);
    const box = { lower: [2, 3, 4].map(number), upper: [5, 6, 7].map(number) };
    const bytes = new Uint8Array(buffer, header);
    const values = new Int16Array(count);
    for (let column = 0; column < 7 * bodies; column++) {
        let before = 0;
        let last = 0;
        for (let k = 0; k < frames; k++) {
            const i = column * frames + k;
            const now = (bytes[i] | (bytes[count + i] << 8)) + 2 * last - before;
            before = last;
            last = (now << 16) >> 16;
            values[i] = last;
        }
    }
    return { bodies, frames, start: number(0), interval: number(1), poses: (k) => posesAt(values, bodies, frames, box, k) };
}

function posesAt(values, bodies, frames, box, k) {
    const poses = new Float32Array(7 * bodies);
    for (let body = 0; body < bodies; body++) {
        const at = (c) => values[(7 * body + c) * frames + k];
        for (let c = 0; c < 3; c++) poses[7 * body + c] = box.lower[c] + (box.upper[c] - box.lower[c]) * (at(c) + 32768) / 65535;
        const largest = at(6) & 3;
        let square = 0;
        let c = 3;
        for (let i = 0; i < 4; i++) {
            if (i === largest) continue;
            const x = at(c++) / 32767 * Math.SQRT1_2;
            poses[7 * body + 3 + i] = x;
            square += x * x;
        }
        poses[7 * body + 3 + largest] = Math.sqrt(Math.max(0, 1 - square));
    }
    return poses;
}

const jsonOf = (id) => JSON.parse(document.getElementById(id)?.textContent.trim() || 'null');

// Source of messages with the interface of the connection.
export function playRecording(state, bus) {
    const player = { t: 0, playing: true, speed: 1, ready: false };
    let frames = null;
    let columns = null;
    let chosen = [];
    let last = 0;
    const end = () => frames.start + (frames.frames - 1) * frames.interval;

    async function start() {
        frames = decodeFrames(await unpack(document.getElementById('cardan-frames').textContent));
        columns = jsonOf('cardan-columns');
        const scene = jsonOf('cardan-scene');
        scene.columns = (columns?.names ?? []).map((name, i) => ({ name, unit: columns.units?.[i] ?? '' }));
        scene.joints.forEach((joint) => joint.coordinates.forEach((c) => { c.drivable = false; }));
        player.t = frames.start;
        player.ready = true;
        bus.emit('scene', scene);
        bus.emit('recording', `recording · ${(end() - frames.start).toFixed(1)} s`);
        report();
        show();
        setInterval(report, 250);
        requestAnimationFrame(advance);
    }

    function advance(now) {
        const elapsed = Math.min((now - last) / 1000, 0.1);
        last = now;
        if (player.playing) {
            player.t += player.speed * elapsed;
            if (player.t > end()) player.t = frames.start;
            show();
        }
        requestAnimationFrame(advance);
    }

    function show() {
        const k = Math.min(Math.max(Math.round((player.t - frames.start) / frames.interval), 0), frames.frames - 1);
        const frame = { flags: 0, scene: state.scene.id, number: k, grab: 0, force: 0, t: player.t, positionViolation: NaN, velocityViolation: NaN, singular: 1, rate: player.speed, poses: frames.poses(k) };
        if (chosen.length) frame.columns = chosen.map((i) => columns.values[i][k]);
        bus.emit('frame', frame);
    }

    function report() {
        bus.emit('status', { t: player.t, playing: player.playing, speed: player.speed, rate: player.speed, integrator: 'recording', step: 0, formulation: `${frames.frames} frames`,
            energy_error: NaN, position_violation: NaN, velocity_violation: NaN, history: [frames.start, end()], live: true, frames: frames.frames, ended: null });
    }

    const seek = (t) => {
        player.playing = false;
        player.t = Math.min(Math.max(t, frames.start), end());
        show();
    };
    const commands = {
        play() { player.playing = true; },
        pause() { player.playing = false; },
        reset() { player.t = frames.start; show(); },
        step({ count }) { seek(player.t + count * frames.interval); },
        speed({ value }) { player.speed = value; },
        seek({ t }) { seek(t); },
        columns({ names }) {
            chosen = names.map((name) => columns.names.indexOf(name)).filter((i) => i >= 0);
            bus.emit('columns', { names: chosen.map((i) => columns.names[i]), units: chosen.map((i) => columns.units?.[i] ?? '') });
        },
        history() {
            const t = Array.from({ length: frames.frames }, (_, k) => frames.start + k * frames.interval);
            bus.emit('history', { t, values: chosen.map((i) => columns.values[i]) });
        },
    };
    start().catch((error) => bus.emit('problem', { messages: [{ severity: 'error', text: `the recording cannot be read: ${error.message}` }] }));
    return {
        send(type, values = {}) {
            if (player.ready) commands[type]?.(values);
        },
        sendBytes() {},
    };
}
