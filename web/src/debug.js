// With `?debug` in the address tests can read the state of the page as `cardan`.
export function exposeForTests({ state, view, traces, pins, contacts, columns, gizmo }) {
    if (!new URLSearchParams(location.search).has('debug')) return;
    Object.defineProperty(window, 'cardan', {
        value: Object.freeze({
            get last() { return state.last; },
            get scene() { return state.scene; },
            get latency() { return state.latency.histogram(); },
            get firstPicture() { return state.latency.first; },
            get playing() { return state.playing; },
            get traces() { return traces.count; },
            get pins() { return pins.count; },
            get contacts() { return contacts.count; },
            value: (name) => columns.value(state.last, name),
            // Middle of the arrow along x at the marker, in the world, or null.
            get gizmo() { return gizmo.handle; },
            // Place on the screen of a point of a body (-1: the ground), in pixels.
            screen(body, point) {
                const { group } = view.mechanism.carrier(body);
                return view.toScreen(group.localToWorld(group.position.clone().fromArray(point)));
            },
        }),
    });
}
