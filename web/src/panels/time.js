// Bar of time: play, pause, single steps, reset, speed; the history can be scrubbed; events are marks on it.
import { element, icon, iconButton } from '../dom.js';

const mostMarks = 200;
const answerTime = 2000; // [ms] a status that contradicts the last command is older than the command
const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export function createTime(container, state, source, bus) {
    const play = iconButton('play', 'Play or pause (Space)', toggle);
    const clock = element('output', { id: 'clock', title: 'Time [s]' });
    const slider = element('input', { type: 'range', id: 'history', min: 0, max: 1, step: 'any', value: 0, title: 'History: drag to a past state' });
    slider.setAttribute('aria-label', 'Time');
    const marks = element('div', { class: 'marks' });
    const past = element('span', { class: 'past' });
    const speed = element('select', { id: 'speed', title: 'Speed' }, ...speeds.map((x) => element('option', { value: x, textContent: `${x}×`, selected: x === 1 })));
    speed.setAttribute('aria-label', 'Speed');
    container.append(
        iconButton('reset', 'Reset (R)', reset), iconButton('back', 'One frame back (,)', () => step(-1)), play,
        iconButton('forward', 'One frame forward (.)', () => step(1)), clock, element('div', { class: 'track' }, marks, slider), past, speed,
    );
    let range = [0, 1];
    let scrubbing = false;
    let commanded = -Infinity; // time of the last play or pause that no status has confirmed
    const events = [];

    function command(playing) {
        commanded = performance.now();
        setPlaying(playing);
    }

    function toggle() {
        command(!state.playing);
        source.send(state.playing ? 'play' : 'pause');
    }

    function setPlaying(playing) {
        if (playing) state.live = true;
        if (state.playing === playing && play.dataset.shown) return;
        state.playing = playing;
        play.dataset.shown = String(playing);
        play.replaceChildren(icon(playing ? 'pause' : 'play'));
        document.body.classList.toggle('paused', !playing);
        bus.emit('playing', playing);
    }

    function step(count) {
        if (state.playing) toggle();
        source.send('step', { count });
    }

    function reset() {
        source.send('reset');
        state.live = true;
    }

    function seek(t) {
        const bounded = Math.min(Math.max(t, range[0]), range[1]);
        command(false);
        state.live = false;
        source.send('seek', { t: bounded });
    }

    function setRange(from, to) {
        range = [from, Math.max(to, from + 1e-9)];
        slider.min = range[0];
        slider.max = range[1];
        placeMarks();
    }

    function placeMarks() {
        for (const event of events) event.mark.style.left = `${100 * (event.t - range[0]) / (range[1] - range[0])}%`;
    }

    slider.addEventListener('input', () => {
        scrubbing = true;
        seek(Number(slider.value));
    });
    slider.addEventListener('change', () => { scrubbing = false; });
    speed.addEventListener('change', () => source.send('speed', { value: Number(speed.value) }));
    bus.on('frame', (frame) => {
        clock.value = `${frame.t.toFixed(2)} s`;
        if (frame.t > range[1]) setRange(range[0], frame.t);
        if (!scrubbing) slider.value = frame.t;
    });
    bus.on('status', (status) => {
        const outdated = status.playing !== state.playing && performance.now() < commanded + answerTime;
        if (!outdated) {
            commanded = -Infinity;
            setPlaying(status.playing);
            state.live = status.live;
        }
        past.textContent = status.recording ? '' : status.replay ? 'replay' : status.live ? '' : 'past';
        past.title = status.replay ? 'Play shows the history' : 'Play continues from this state; what was behind it becomes the ghost';
        if (status.history) setRange(status.history[0], Math.max(status.history[1], status.live ? status.t : 0));
        if (document.activeElement !== speed) speed.value = nearest(status.speed);
    });
    // `near_singular` and the like become classes; other words do not.
    function addMark(event) {
        const kind = /^[a-z_]+$/.test(event.kind) ? event.kind : 'other';
        const mark = element('button', { type: 'button', class: `mark mark-${kind}`, title: `${event.t.toFixed(3)} s: ${event.text}`, onclick: () => seek(event.t) });
        events.push({ t: event.t, mark });
        marks.append(mark);
        if (events.length > mostMarks) events.shift().mark.remove();
    }

    function clearMarks() {
        events.splice(0);
        marks.replaceChildren();
    }

    bus.on('event', (event) => {
        addMark(event);
        placeMarks();
    });
    bus.on('events', (message) => {
        clearMarks();
        message.events.slice(-mostMarks).forEach(addMark);
        placeMarks();
    });
    bus.on('scene', clearMarks);
    setPlaying(false);
    return { toggle, step, reset, seek, scrub: (frames) => seek(Number(slider.value) + frames / 60) };
}

const nearest = (value) => speeds.reduce((best, x) => (Math.abs(Math.log(x / value)) < Math.abs(Math.log(best / value)) ? x : best), 1);
