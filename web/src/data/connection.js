// WebSocket to the server of the page. The token is in the fragment of the address (#k=...), which browsers do not send.
import { parseFrame } from './frames.js';

const retryAfter = 1500; // milliseconds

export function connect(state, bus) {
    const token = new URLSearchParams(location.hash.slice(1)).get('k') ?? '';
    let socket = null;
    let refused = false;

    function open() {
        socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`, 'cardan.1');
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => socket.send(JSON.stringify({ type: 'token', token }));
        socket.onmessage = (message) => receive(message.data);
        socket.onclose = (closing) => {
            refused = closing.code === 1008;
            bus.emit('connection', { open: false, refused, reason: closing.reason });
            if (!refused) setTimeout(open, retryAfter);
        };
    }

    function receive(data) {
        if (typeof data !== 'string') {
            const frame = state.scene && parseFrame(data, state.counts);
            if (frame && frame.scene === (state.scene.id & 0xffff)) bus.emit('frame', frame);
            return;
        }
        const message = JSON.parse(data);
        if (message.type === 'hello') bus.emit('connection', { open: true });
        bus.emit(message.type, message);
    }

    open();
    return {
        send(type, values = {}) {
            if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, ...values }));
        },
        sendBytes(bytes) {
            if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
        },
    };
}
