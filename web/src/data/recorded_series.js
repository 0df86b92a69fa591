// Series of a recording (docs/view-protocol.md, "Recordings"): integers stored as second differences, low bytes before high bytes.
const header = 48;

// Returns {bodies, frames, columns, start, interval, poses(x), values(x), column(c)}: x is a frame, or lies between two frames.
export function decodeSeries(buffer) {
    const view = new DataView(buffer);
    const [bodies, frames, columns] = [0, 4, 8].map((at) => view.getUint32(at, true));
    const [start, interval, length, rotation] = [16, 24, 32, 40].map((at) => view.getFloat64(at, true));
    const series = 7 * bodies + columns;
    const count = series * frames;
    const data = header + 24 * bodies + 16 * columns;
    if (buffer.byteLength < data + 2 * count) throw new Error('the recording is incomplete');
    const number = (i) => view.getFloat64(header + 8 * i, true);
    const origins = Float64Array.from({ length: 3 * bodies }, (_, i) => number(i));
    const ranges = Float64Array.from({ length: 2 * columns }, (_, i) => number(3 * bodies + i));
    const integers = undoDifferences(new Uint8Array(buffer, data), series, frames);
    const at = (s, k) => integers[s * frames + k];
    const pose = (body, k) => poseOf((c) => at(7 * body + c, k), origins.subarray(3 * body), length, rotation);
    const value = (c, k) => ranges[2 * c] + (ranges[2 * c + 1] - ranges[2 * c]) * (at(7 * bodies + c, k) & 65535) / 65535;
    const bracket = (x) => {
        const low = Math.min(Math.max(Math.floor(x), 0), frames - 1);
        return [low, Math.min(low + 1, frames - 1), Math.min(Math.max(x - low, 0), 1)];
    };
    return {
        bodies, frames, columns, start, interval,
        poses(x) {
            const [low, high, part] = bracket(x);
            const poses = new Float32Array(7 * bodies);
            for (let body = 0; body < bodies; body++) poses.set(part > 0 ? between(pose(body, low), pose(body, high), part) : pose(body, low), 7 * body);
            return poses;
        },
        values(x) {
            const [low, high, part] = bracket(x);
            return Array.from({ length: columns }, (_, c) => value(c, low) * (1 - part) + value(c, high) * part);
        },
        column: (c) => Array.from({ length: frames }, (_, k) => value(c, k)),
    };
}

function undoDifferences(bytes, series, frames) {
    const count = series * frames;
    const integers = new Int32Array(count);
    for (let s = 0; s < series; s++) {
        let before = 0;
        let last = 0;
        for (let k = 0; k < frames; k++) {
            const i = s * frames + k;
            const difference = ((bytes[i] | (bytes[count + i] << 8)) << 16) >> 16;
            const now = (difference + 2 * last - before) | 0;
            before = last;
            last = now;
            integers[i] = now;
        }
    }
    return integers;
}

// Seven integers to position and quaternion; the component that is left out is positive.
function poseOf(integer, origin, length, rotation) {
    const pose = [0, 1, 2].map((c) => origin[c] + length * integer(c));
    const largest = integer(6) & 3;
    let square = 0;
    let c = 3;
    for (let i = 0; i < 4; i++) {
        pose[3 + i] = i === largest ? 0 : rotation * ((integer(c++) << 16) >> 16);
        square += pose[3 + i] ** 2;
    }
    pose[3 + largest] = Math.sqrt(Math.max(0, 1 - square));
    return pose;
}

// Pose between two: linear, the quaternion normalised.
function between(a, b, part) {
    const sign = Math.sign(a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6]) || 1;
    const pose = a.map((x, i) => x + part * ((i < 3 ? 1 : sign) * b[i] - x));
    const norm = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
    return pose.map((x, i) => (i < 3 ? x : x / norm));
}
