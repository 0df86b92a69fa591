// Binary blocks of the protocol (docs/view-protocol.md): frames from the server, grabs to it.
export const flag = { coordinates: 1, reactions: 2, columns: 4, energies: 8, ghost: 16, contacts: 32 };
const header = 40;
const contactSize = 28;
export const noBody = 65535;

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
    const sizes = blockSizes(flags, counts, buffer.byteLength, view);
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
    if (flags & flag.contacts) frame.contacts = takeContacts(view, sizes.contactsAt);
    return frame;
}

// Contact points: bodies (-1: ground), place and force in world axes.
function takeContacts(view, offset) {
    const count = view.getUint32(offset, true);
    return Array.from({ length: count }, (_, k) => {
        const at = offset + 4 + contactSize * k;
        const body = (i) => (view.getUint16(at + 2 * i, true) === noBody ? -1 : view.getUint16(at + 2 * i, true));
        return { first: body(0), second: body(1), place: floats(view, at + 4, 3), force: floats(view, at + 16, 3) };
    });
}

// Lengths of the blocks, or null if they do not fill the block.
function blockSizes(flags, counts, length, view) {
    const has = (name, size) => (flags & flag[name] ? size : 0);
    const poses = 7 * counts.bodies;
    const reactions = 7 * counts.joints;
    const coordinates = counts.coordinates ?? (length - header - 4 * poses - has('reactions', 4 * reactions) - has('columns', 8 * counts.columns)
        - has('energies', 32) - has('ghost', 4 * poses)) / 4;
    const end = header + 4 * poses + has('coordinates', 4 * coordinates) + has('reactions', 4 * reactions) + has('columns', 8 * counts.columns)
        + has('energies', 32) + has('ghost', 4 * poses);
    if (end > length || (flags & flag.contacts && end + 4 > length)) return null;
    const contacts = flags & flag.contacts ? 4 + contactSize * view.getUint32(end, true) : 0;
    return end + contacts === length ? { poses, reactions, coordinates, columns: counts.columns, contactsAt: end } : null;
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

// Spring and damper from `point` (body frame) to `target` (world, relative to the centre of the scene).
export function encodeGrab(body, number, point = [0, 0, 0], target = [0, 0, 0], slot = 0) {
    const view = new DataView(new ArrayBuffer(32));
    view.setUint8(0, 16);
    view.setUint8(1, slot);
    view.setUint16(2, body, true);
    view.setUint32(4, number, true);
    for (let i = 0; i < 3; i++) {
        view.setFloat32(8 + 4 * i, point[i], true);
        view.setFloat32(20 + 4 * i, target[i], true);
    }
    return view.buffer;
}
