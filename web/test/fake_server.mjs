// Server for tests of the page: the page over HTTP with its Content-Security-Policy and a minimal WebSocket that plays the four-bar.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { frame, scene } from './four_bar.mjs';

export const token = '0123456789abcdef0123456789abcdef';

export async function startServer(page, first = scene()) {
    const html = readFileSync(page);
    const [script, style] = readFileSync(page.replace(/\.html$/, '.csp'), 'utf8').trim().split('\n');
    const policy = `default-src 'none'; script-src '${script}'; style-src '${style}'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'`;
    const server = createServer((request, response) => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }).end(html));
    const received = { text: [], grabs: [] };
    const now = { phi: Math.PI / 3, t: 0, playing: false, live: true, number: 0, grab: 0, flags: 1, columns: [], end: 0, rate: 2, contacts: [], pins: [], drives: [] };
    let client = null;

    const send = (data) => client?.write(encode(data));
    const sendText = (message) => send(JSON.stringify(message));
    const sendFrame = () => send(frame({ ...now, number: ++now.number, columns: now.columns, id: first.id }));
    const status = () => sendText({ type: 'status', t: now.t, playing: now.playing, speed: 1, rate: 1, integrator: 'rk4', step: 0.001, formulation: 'augmented', energy_error: 2.1e-9,
        position_violation: 1e-12, velocity_violation: 1e-11, history: [0, Math.max(now.end, 2)], live: now.live, replay: false, ghost: false, late: null,
        frames: now.number, ended: null, grabs: now.pins, drives: now.drives, animation: null });
    const commands = {
        token(message) {
            if (message.token !== token) return client.end(closeFrame(1008));
            sendText({ type: 'hello', protocol: 1, version: '0.1.0', model: first.name, file: 'four_bar.yaml', integrators: ['rk4', 'semi-implicit-euler'], formulations: ['augmented', 'reduction'] });
            sendText(first);
            status();
            sendFrame();
        },
        play() { now.playing = true; now.live = true; status(); },
        pause() { now.playing = false; status(); },
        reset() { now.t = 0; now.phi = Math.PI / 3; status(); sendFrame(); },
        step({ count }) { advance(count / 60); sendFrame(); },
        seek({ t }) { Object.assign(now, { t, phi: Math.PI / 3 + 2 * t, live: false, playing: false }); status(); sendFrame(); },
        flags({ value }) { now.flags = value; sendFrame(); },
        drive({ joint, axis, value }) {
            now.drives = value === null ? [] : [{ joint, axis, mode: 'value', value: value ?? 0, formula: null }];
            if (Number.isFinite(value)) now.phi = value;
            sendFrame();
        },
        columns({ names }) {
            now.columns = names;
            sendText({ type: 'columns', names, units: names.map(() => 'rad') });
            sendFrame();
        },
        history() { sendText({ type: 'history', t: [0, 1, 2], values: now.columns.map(() => [0, 1, 0]) }); },
        diagnose() {
            sendText({ type: 'diagnosis', report: { bodies: 3, joints: 4, dof: 1, loops: 1, redundant: 3, messages: [] },
                loops: [{ path: 'ground -A- crank -B- coupler -C- rocker -D- ground', joints: ['A', 'B', 'C', 'D'], bodies: [0, 1, 2], redundant: 3,
                    reason: 'all four axes are parallel', indeterminate: 'forces along z', suggestion: 'let C be spherical and D cylindrical' }],
                motions: [{ text: 'the crank turns' }], modes: [{ frequency: 1.5, damping: 0.1, text: 'swing' }] });
        },
    };
    function advance(step) {
        now.t += step;
        now.phi += now.rate * step;
        now.end = Math.max(now.end, now.t);
    }
    function receive(opcode, data) {
        if (opcode === 8) return client?.end();
        if (opcode === 2) {
            const numbers = (from) => [0, 1, 2].map((i) => data.readFloatLE(from + 4 * i));
            now.grab = data.readUInt32LE(4);
            const [slot, body] = [data[1], data.readUInt16LE(2)];
            now.pins = now.pins.filter((pin) => pin.slot !== slot);
            if (body !== 65535) now.pins.push({ slot, body, point: numbers(8), target: numbers(20), force: 3 });
            received.grabs.push({ length: data.length, type: data[0], slot, body, number: now.grab, point: numbers(8), target: numbers(20), playing: now.playing });
            sendFrame();
            return;
        }
        const message = JSON.parse(data.toString());
        received.text.push(message);
        commands[message.type]?.(message);
    }
    server.on('upgrade', (request, socket) => {
        const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: cardan.1\r\n\r\n`);
        client = socket;
        let rest = Buffer.alloc(0);
        socket.on('data', (chunk) => { rest = decode(Buffer.concat([rest, chunk]), receive); });
        socket.on('error', () => {});
        socket.on('close', () => { if (client === socket) client = null; });
    });
    const timer = setInterval(() => {
        if (!now.playing) return;
        advance(1 / 60);
        sendFrame();
    }, 1000 / 60);
    const slow = setInterval(() => { if (now.number) status(); }, 250);
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return {
        received, now, sendText, send, address: `http://127.0.0.1:${server.address().port}/?debug#k=${token}`,
        close() {
            clearInterval(timer);
            clearInterval(slow);
            client?.destroy();
            server.close();
            server.closeAllConnections();
        },
    };
}

function encode(data) {
    const body = Buffer.from(data);
    const head = body.length < 126 ? Buffer.from([0, body.length]) : body.length < 65536 ? Buffer.from([0, 126, body.length >> 8, body.length & 255]) : Buffer.alloc(10);
    if (body.length >= 65536) {
        head[1] = 127;
        head.writeBigUInt64BE(BigInt(body.length), 2);
    }
    head[0] = 0x80 | (typeof data === 'string' ? 1 : 2);
    return Buffer.concat([head, body]);
}

const closeFrame = (code) => Buffer.from([0x88, 2, code >> 8, code & 255]);

// Complete messages of a client are handed on; the remainder is returned.
function decode(bytes, receive) {
    while (bytes.length >= 6) {
        const short = bytes[1] & 127;
        const extra = short === 126 ? 2 : 0;
        const length = extra ? bytes.readUInt16BE(2) : short;
        const start = 2 + extra + 4;
        if (bytes.length < start + length) break;
        const mask = bytes.subarray(2 + extra, start);
        receive(bytes[0] & 15, Buffer.from(bytes.subarray(start, start + length).map((x, i) => x ^ mask[i & 3])));
        bytes = bytes.subarray(start + length);
    }
    return bytes;
}
