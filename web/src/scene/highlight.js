// What a panel points at glows in the view: the joint of a row, the bodies and joints of a loop.
export function createHighlight(view, bus) {
    const indicesOf = (list, items) => (list ?? []).map((x) => (typeof x === 'string' ? items.findIndex((item) => item.name === x) : x));

    function show(bodies, joints) {
        const { mechanism } = view;
        if (!mechanism) return;
        mechanism.outline(bodies, '#e0a100');
        mechanism.outlineJoints(joints);
        view.redraw();
    }

    bus.on('joint-hover', (joint) => show([], joint < 0 ? [] : [joint]));
    bus.on('loop-hover', (loop) => {
        if (!view.mechanism) return;
        show(loop ? indicesOf(loop.bodies, view.mechanism.bodies) : [], loop ? indicesOf(loop.joints, view.mechanism.joints) : []);
    });
}
