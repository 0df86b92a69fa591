// Reactions at joints as arrows: force straight, torque as an arc about its axis. Reactions that are not unique are drawn hollow; the
// pointer on a joint shows their values, and the reason that the diagnosis of its loop states.
import { Vector3 } from 'three';
import { readable } from '../dom.js';
import { arrowLength, makeArc, makeArrow, weightOf } from './arrows.js';

export function createReactions(view, source, bus) {
    let arrows = [];
    let visible = false;
    let unit = 1;
    let loops = null;

    function build(mechanism) {
        const { scene, length, size } = mechanism;
        unit = weightOf(scene);
        loops = null;
        arrows = mechanism.joints.map((joint) => {
            const force = makeArrow(size, '#d8512f');
            const torque = makeArc(size, '#7a4fc0');
            mechanism.root.add(force.group, torque.group);
            return { joint, force, torque, length, text: '', unique: true };
        });
        hide();
    }

    function hide() {
        for (const arrow of arrows) arrow.force.group.visible = arrow.torque.group.visible = false;
    }

    const force = new Vector3();
    const torque = new Vector3();
    const place = new Vector3();
    function show(frame) {
        if (!visible || !frame.reactions) return;
        arrows.forEach((arrow, i) => {
            const values = frame.reactions.subarray(7 * i, 7 * i + 7);
            force.set(values[0], values[1], values[2]);
            torque.set(values[3], values[4], values[5]);
            arrow.unique = values[6] !== 0;
            arrow.text = `${arrow.joint.name}: force ${readable(force.length(), 3)} N, torque ${readable(torque.length(), 3)} N m`;
            arrow.joint.frame.getWorldPosition(place);
            arrow.force.update(place, force, arrowLength(force.length(), unit) * arrow.length, arrow.unique);
            arrow.torque.update(place, torque, arrowLength(torque.length() / arrow.length, unit) * arrow.length, arrow.unique);
        });
    }

    // Text for the joint under the pointer, or null.
    function describe(joint) {
        const arrow = visible ? arrows[joint] : null;
        if (!arrow?.text) return null;
        if (arrow.unique) return arrow.text;
        if (!loops) {
            loops = [];
            source.send('diagnose');
        }
        const loop = loops.find((l) => l.redundant > 0 && (l.joints ?? []).some((j) => j === arrow.joint.name || j === joint));
        return `${arrow.text}; not unique${loop?.indeterminate ? `: ${loop.indeterminate}` : ''}`;
    }

    bus.on('mechanism', build);
    bus.on('posed', show);
    bus.on('diagnosis', (answer) => { loops = answer.loops ?? []; });
    return {
        describe,
        set(on) {
            visible = on;
            if (!on) hide();
            view.redraw();
        },
    };
}
