// Contact points: a dot, and the force on the second body as an arrow.
import { Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';
import { arrowLength, makeArrow, weightOf } from './arrows.js';

export function createContacts(view, bus) {
    let visible = false;
    let marks = [];
    let mechanism = null;
    let unit = 1;
    const dot = new SphereGeometry(1, 14, 10);
    const material = new MeshBasicMaterial({ color: '#e0a100' });

    function makeMark() {
        const arrow = makeArrow(mechanism.size, '#e0a100');
        const point = new Mesh(dot, material);
        point.scale.setScalar(0.35 * mechanism.size);
        const group = new Group();
        group.add(point, arrow.group);
        group.traverse((part) => { part.raycast = () => {}; });
        mechanism.root.add(group);
        return { group, point, arrow };
    }

    const force = new Vector3();
    function show(frame) {
        const contacts = visible ? frame.contacts ?? [] : [];
        while (marks.length < contacts.length) marks.push(makeMark());
        marks.forEach((mark, i) => {
            mark.group.visible = i < contacts.length;
            if (i >= contacts.length) return;
            mark.point.position.fromArray(contacts[i].place);
            force.fromArray(contacts[i].force);
            mark.arrow.update(mark.point.position, force, arrowLength(force.length(), unit) * mechanism.length, true);
        });
    }

    bus.on('mechanism', (next) => {
        mechanism = next;
        marks = [];
        unit = weightOf(next.scene);
    });
    bus.on('posed', show);
    return {
        get count() { return marks.filter((mark) => mark.group.visible).length; },
        set(on) {
            visible = on;
            for (const mark of marks) mark.group.visible = on;
            view.redraw();
        },
    };
}
