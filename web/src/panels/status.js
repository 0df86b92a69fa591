// Line of numbers that are always visible: method, energy error, constraint violation, rate of simulated to real time.
import { element, readable } from '../dom.js';

export function createStatus(container, bus) {
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
    const number = (value, digits) => (Number.isFinite(value) ? readable(value, digits) : '');

    bus.on('status', (status) => {
        fields.method.value = status.recording ? `recording, ${status.frames} frames`
            : `${status.integrator}${status.step > 0 ? ` ${readable(1000 * status.step, 3)} ms` : ''} · ${status.formulation}`;
        fields.energy.value = number(status.energy_error, 2);
        fields.rate.value = rateText(status);
        fields.rate.title = status.late ?? '';
        fields.rate.classList.toggle('slow', Boolean(status.late) || (status.playing && !status.recording && !status.replay && status.rate < 0.95 * status.speed));
        fields.ended.value = status.ended ?? '';
    });
    bus.on('frame', (frame) => {
        fields.position.value = number(frame.positionViolation, 2);
        fields.singular.value = frame.singular < 0.05 ? `near-singular ${readable(frame.singular, 2)}` : '';
    });
    bus.on('connection', (now) => {
        document.body.classList.toggle('disconnected', !now.open);
        connection.textContent = now.open ? '' : now.refused ? `connection refused${now.reason ? `: ${now.reason}` : '; use the address that cardan view prints'}` : 'connection lost, trying again';
    });
}

function rateText(status) {
    if (status.animation) return `shown: ${status.animation.kind} ${status.animation.index + 1}`;
    if (!status.playing) return 'paused';
    return status.recording || status.replay ? `replay ${status.speed}×` : `${status.rate.toFixed(2)}× real time`;
}
