// Binary blocks of the protocol (docs/view-protocol.md): frames from the server, grabs to it.
export const flag = { coordinates: 1, reactions: 2, columns: 4, energies: 8, ghost: 16 };
const header = 40;

// counts: {bodies, joints, coordinates, columns}. Returns null if the block is no complete frame.
export function parseFrame(buffer, counts) {
    if (buffer.byteLength < header) return null;
    const view = new DataView(buffer);
    if (view.getUint8(0) !== 1) return null;
    const flags = view.getUint8(1);
    const frame = {
        flags, scene: view.getUint16(2, true), number: view.getUint32(4, true), grab: view.getUint32(8, true),
        force: view.getFloat32(12, true), t: view.getFloat64(16, true), positionViolation: view.getFloat32(24, true),
        velocityViolation: view.getFloat32(28, true), singular: view.getFloat32(32, true), rate: view.getFloat32(36, true),
    };
    const sizes = blockSizes(flags, counts, buffer.byteLength);
    if (!sizes) return null;
    let offset = header;
    const take = (count, bytes) => {
        const values = bytes === 4 ? floats(view, offset, count) : doubles(view, offset, count);
        offset += bytes * count;
        return values;
    };
    frame.poses = take(sizes.poses, 4);
    if (flags & flag.coordinates) frame.coordinates = take(sizes.coordinates, 4);
    if (flags & flag.reactions) frame.reactions = take(sizes.reactions, 4);
    if (flags & flag.columns) frame.columns = take(sizes.columns, 8);
    if (flags & flag.energies) frame.energies = take(4, 8);
    if (flags & flag.ghost) frame.ghost = take(sizes.poses, 4);
    return frame;
}

// Numbers of values. The number of coordinates follows from the length: joints without a row in the scene may have some.
function blockSizes(flags, counts, length) {
    const poses = 7 * counts.bodies;
    const reactions = 7 * counts.joints;
    const known = header + 4 * poses + (flags & flag.reactions ? 4 * reactions : 0) + (flags & flag.columns ? 8 * counts.columns : 0)
        + (flags & flag.energies ? 32 : 0) + (flags & flag.ghost ? 4 * poses : 0);
    const remaining = length - known;
    const coordinates = flags & flag.coordinates ? remaining / 4 : 0;
    if (!Number.isInteger(coordinates) || coordinates < 0) return null;
    if (flags & flag.coordinates ? coordinates < counts.coordinates : remaining !== 0) return null;
    return { poses, reactions, coordinates, columns: counts.columns };
}

function floats(view, offset, count) {
    const values = new Float32Array(count);
    for (let i = 0; i < count; i++) values[i] = view.getFloat32(offset + 4 * i, true);
    return values;
}

function doubles(view, offset, count) {
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) values[i] = view.getFloat64(offset + 8 * i, true);
    return values;
}

export const noBody = 65535;

// Spring and damper from `point` (body frame) to `target` (world, relative to the centre of the scene).
export function encodeGrab(body, number, point = [0, 0, 0], target = [0, 0, 0]) {
    const view = new DataView(new ArrayBuffer(32));
    view.setUint8(0, 16);
    view.setUint16(2, body, true);
    view.setUint32(4, number, true);
    for (let i = 0; i < 3; i++) {
        view.setFloat32(8 + 4 * i, point[i], true);
        view.setFloat32(20 + 4 * i, target[i], true);
    }
    return view.buffer;
}
