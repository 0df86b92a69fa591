// Recording in the page itself: the scene and compressed frames in script elements, played without a server. It has the interface of the
// connection.
import { flag } from './frames.js';
import { decodeSeries } from './recorded_series.js';

const reportEvery = 250; // milliseconds

export const hasRecording = () => (document.getElementById('cardan-frames')?.textContent.trim() ?? '') !== '';

async function unpack(text) {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

const jsonOf = (id) => JSON.parse(document.getElementById(id)?.textContent.trim() || 'null');

export function playRecording(state, bus) {
    const player = { t: 0, playing: true, speed: 1 };
    let series = null;
    let columns = { names: [], units: [] };
    let indices = []; // of the coordinates of the scene among the columns; -1: none
    let chosen = [];
    let last = 0;
    let number = 0;
    const end = () => series.start + (series.frames - 1) * series.interval;

    async function start() {
        const data = decodeSeries(await unpack(document.getElementById('cardan-frames').textContent));
        columns = jsonOf('cardan-columns') ?? columns;
        const scene = jsonOf('cardan-scene');
        scene.columns = columns.names.map((name, i) => ({ name, unit: columns.units?.[i] ?? '' }));
        const coordinates = scene.joints.flatMap((joint) => joint.coordinates);
        scene.coordinates = Math.max(-1, ...coordinates.map((c) => c.index)) + 1;
        indices = Array(scene.coordinates).fill(-1);
        for (const c of coordinates) {
            indices[c.index] = columns.names.indexOf(c.name);
            c.drivable = false;
        }
        player.t = data.start;
        series = data;
        bus.emit('scene', scene);
        bus.emit('events', { events: jsonOf('cardan-events') ?? [] });
        report();
        show();
        setInterval(report, reportEvery);
        requestAnimationFrame(advance);
    }

    function advance(now) {
        const elapsed = Math.min((now - last) / 1000, 0.1);
        last = now;
        if (player.playing) {
            player.t += player.speed * elapsed;
            if (player.t > end()) player.t = series.start;
            show();
        }
        requestAnimationFrame(advance);
    }

    function show() {
        const x = (player.t - series.start) / series.interval;
        const values = series.values(x);
        bus.emit('frame', {
            flags: flag.coordinates, scene: state.scene.id, number: number++, grab: 0, force: 0, t: player.t, positionViolation: NaN,
            velocityViolation: NaN, singular: 1, rate: player.speed, poses: series.poses(x),
            coordinates: indices.map((i) => (i < 0 ? NaN : values[i])), columns: chosen.length ? chosen.map((i) => values[i]) : undefined,
        });
    }

    function report() {
        bus.emit('status', { t: player.t, playing: player.playing, speed: player.speed, rate: player.speed, recording: true, frames: series.frames,
            history: [series.start, end()], live: true, replay: true, ended: null });
    }

    function seek(t) {
        player.playing = false;
        player.t = Math.min(Math.max(t, series.start), end());
        show();
    }

    const commands = {
        play() { player.playing = true; },
        pause() { player.playing = false; },
        reset() { player.t = series.start; show(); },
        step({ count }) { seek(player.t + count / 60); },
        speed({ value }) { player.speed = value; },
        seek({ t }) { seek(t); },
        columns({ names }) {
            chosen = names.map((name) => columns.names.indexOf(name)).filter((i) => i >= 0);
            bus.emit('columns', { names: chosen.map((i) => columns.names[i]), units: chosen.map((i) => columns.units?.[i] ?? '') });
        },
        history() {
            const t = Array.from({ length: series.frames }, (_, k) => series.start + k * series.interval);
            bus.emit('history', { t, values: chosen.map((i) => series.column(i)) });
        },
    };
    start().catch((error) => bus.emit('problem', { messages: [{ severity: 'error', text: `the recording cannot be read: ${error.message}` }] }));
    return {
        send(type, values = {}) {
            if (series) commands[type]?.(values);
        },
        sendBytes() {},
    };
}
