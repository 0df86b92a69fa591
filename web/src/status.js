// Line of numbers that are always visible: method, energy error, constraint violation, rate of simulated to real time.
import { element, readable } from './dom.js';

export function createStatus(container, state, source, bus) {
    const fields = {};
    for (const [key, label, title] of [
        ['method', '', 'Integrator, step and formulation'], ['energy', 'energy error', 'Energy error, relative'],
        ['position', 'constraint violation', 'Largest constraint violation [m, rad]'], ['rate', '', 'Rate of simulated to real time'],
        ['singular', '', 'Smallest relative singular value of the constraint Jacobian'], ['ended', '', 'End of the simulation'],
    ]) {
        fields[key] = element('output', {});
        container.append(element('span', { class: `field field-${key}`, title }, label ? `${label} ` : '', fields[key]));
    }
    const connection = element('span', { id: 'connection', role: 'status' });
    container.append(connection);

    bus.on('status', (status) => {
        fields.method.value = `${status.integrator}${status.step > 0 ? ` ${readable(1000 * status.step, 3)} ms` : ''} · ${status.formulation}`;
        fields.energy.value = readable(status.energy_error, 2);
        fields.rate.value = status.playing ? `${status.rate.toFixed(2)}× real time` : 'paused';
        fields.rate.classList.toggle('slow', status.playing && status.rate < 0.95 * status.speed);
        fields.ended.value = status.ended ?? '';
    });
    bus.on('frame', (frame) => {
        fields.position.value = readable(frame.positionViolation, 2);
        fields.singular.value = frame.singular < 0.05 ? `near-singular ${readable(frame.singular, 2)}` : '';
    });
    bus.on('connection', (now) => {
        document.body.classList.toggle('disconnected', !now.open);
        connection.textContent = now.open ? '' : now.refused ? `connection refused${now.reason ? `: ${now.reason}` : '; use the address that cardan view prints'}` : 'connection lost, trying again';
    });
    bus.on('recording', (text) => { fields.method.value = text; });
}
